"""Loops: ranges of any step, over arrays, with enumerate and zip, nested, while; and loops that never run."""

import numpy as np
from numba import njit, prange

from tests.programs.program import Program, numbers, vector


def power_by_a_loop(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


def loop_that_may_never_run_keeps_the_definition(x, n):
    y = x * x
    for i in range(n):
        y = x * (i + 1)
        z = y
    return y + x


def negative_step(x):
    acc = 0.0
    for i in range(x.shape[0] - 1, -1, -2):
        acc = acc * x[i] + np.sin(x[i])
    return acc


def uneven_step(x):
    acc = 1.0
    for i in range(1, x.shape[0], 3):
        acc *= 1.0 + x[i] * x[i - 1]
    return acc


def step_that_is_a_variable(x, step):
    acc = 0.0
    start = 0 if step > 0 else x.shape[0] - 1
    stop = x.shape[0] if step > 0 else -1
    for i in range(start, stop, step):
        acc = np.tanh(acc + x[i])
    return acc


def over_an_array(x):
    acc = 0.0
    for v in x:
        acc = acc * 0.5 + v * v
    return acc


def over_the_rows_of_a_matrix(a):
    acc = np.zeros(a.shape[1])
    for row in a:
        acc = acc * row + row
    return np.sum(acc)


def with_enumerate(x):
    acc = 0.0
    for i, v in enumerate(x):
        acc += v ** (i + 1)
    return acc


def with_enumerate_from_a_start(x):
    acc = 0.0
    for i, v in enumerate(x, 2):
        acc += np.sin(i * v)
    return acc


def with_zip(x, y):
    acc = 0.0
    for a, b in zip(x, y):
        acc += a * b * acc + a
    return acc


def zip_stops_at_the_shortest(x, y, z):
    acc = 1.0
    for i, (a, b) in enumerate(zip(x, y)):
        acc *= a + b * z[i]
    return acc


def triangular_nest(x):
    acc = 0.0
    n = x.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            d = x[i] - x[j]
            acc += 1.0 / (1.0 + d * d) * acc + d
    return acc


def bound_computed_in_the_loop(x):
    acc = 0.0
    n = 1
    for i in range(3):
        for j in range(n):
            acc += np.sin(x[j]) * x[i]
        n = n + i
    return acc


def bound_changed_inside_does_not_count(x, n):
    acc = x
    for _ in range(n):
        n = n - 1
        acc = acc * x + n
    return acc


def loop_variable_after_the_loop(x):
    for i in range(x.shape[0]):
        pass
    return x[i] * i


def loop_variable_is_overwritten(x):
    acc = 0.0
    for i in range(4):
        i = i * 2 % 3
        acc = acc + x[i] * acc + x[i]
    return acc


def newton_until_converged(a):
    x = a
    while abs(x * x - a) > 1e-14:
        x = 0.5 * (x + a / x)
    return x


def collatz_of_floats(x, n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
            x = np.sin(x)
        else:
            n = 3 * n + 1
            x = x * x + 0.1
        steps += 1
    return x * steps


def while_that_never_runs(x):
    y = x
    while y < -100.0:
        y = y * y
    return y * x


def while_inside_for(x):
    acc = 0.0
    for v in x:
        r = v * v + 0.1
        while r < 3.0:
            r = r * 1.7
        acc += np.log(r) * v
    return acc


def horner_downwards(c, x):
    y = 0.0
    k = c.shape[0] - 1
    while k >= 0:
        y = y * x + c[k]
        k -= 1
    return y


def running_minimum(x, y):
    best = np.inf
    for i in range(x.shape[0]):
        d = (x[i] - y) ** 2
        if d < best:
            best = d
    return best


@njit(parallel=True)
def parallel_sum(x):
    """A parallel loop is differentiated as the serial loop that it stands for."""
    y = np.empty_like(x)
    total = 0.0
    for i in prange(x.shape[0]):
        y[i] = np.sin(x[i]) * x[0]
        total += y[i] * x[i]
    return total + y[1]


PROGRAMS = [
    Program(parallel_sum, vector(4), compiled=True),
    Program(power_by_a_loop, numbers(0.7, 5), compiled=True),
    Program(power_by_a_loop, numbers(0.7, 0)),
    Program(loop_that_may_never_run_keeps_the_definition, numbers(0.7, 0)),
    Program(loop_that_may_never_run_keeps_the_definition, numbers(0.7, 3)),
    Program(negative_step, vector(6), compiled=True),
    Program(negative_step, vector(0)),
    Program(uneven_step, vector(9)),
    Program(step_that_is_a_variable, lambda rng: (rng.normal(size=7), 3)),
    Program(step_that_is_a_variable, lambda rng: (rng.normal(size=7), -2)),
    Program(over_an_array, vector(4)),
    Program(over_an_array, vector(0)),
    Program(over_the_rows_of_a_matrix, lambda rng: (rng.normal(size=(3, 2)),)),
    Program(with_enumerate, vector(4)),
    Program(with_enumerate_from_a_start, vector(4)),
    Program(with_zip, lambda rng: (rng.normal(size=4), rng.normal(size=3)), (0, 1), compiled=True),
    Program(zip_stops_at_the_shortest, lambda rng: tuple(rng.normal(size=n) for n in (2, 5, 4)), (0, 1, 2)),
    Program(triangular_nest, vector(4)),
    Program(bound_computed_in_the_loop, vector(3)),
    Program(bound_changed_inside_does_not_count, numbers(0.7, 4)),
    Program(loop_variable_after_the_loop, vector(3)),
    Program(loop_variable_is_overwritten, vector(3)),
    Program(newton_until_converged, numbers(2.7), compiled=True),
    Program(collatz_of_floats, numbers(0.7, 6)),
    Program(collatz_of_floats, numbers(0.7, 1)),
    Program(while_that_never_runs, numbers(0.7)),
    Program(while_inside_for, vector(4), compiled=True),
    Program(horner_downwards, lambda rng: (rng.normal(size=4), 0.6), (0, 1)),
    Program(running_minimum, lambda rng: (rng.normal(size=6), 0.2), (0, 1)),
]
