"""Names that change their meaning: tuples, chains, augmented assignments, swaps, carried scalars."""

import numpy as np

from tests.programs.program import Program, numbers, vector


def tuple_assignment_reads_before_it_writes(x, y):
    x, y = y * y, x * y
    x, y = y, x + y
    return x * np.sin(y)


def nested_tuples(x, y):
    (a, b), c = (x * y, x + y), x / y
    (c, a), (b, _) = (a, b), (c, a)
    return a * b - c * c


def chained_assignment(x, y):
    a = b = x * y
    a += x
    b *= y
    return a * b


def chained_assignment_of_an_array_shares_it(x):
    a = b = x * 2.0
    a[0] = x[1] * x[1]
    return np.sum(b * b)


def augmented_operators(x, y):
    a = x
    a += y
    a -= 0.3 * x
    a *= y
    a /= 2.0 + x
    a **= 2
    return a


def augmented_array_changes_its_other_name(x):
    a = x.copy()
    b = a
    b *= x
    b += 1.0
    return np.sum(a * a)


def rebinding_leaves_the_argument_alone(x):
    y = x
    y = y * 2.0
    y[0] = 5.0
    return np.sum(x * y)


def name_with_several_types(n, x):
    t = n
    t = t * x
    if t > 0.0:
        t = np.array([t, t * t])
        return np.sum(t * x)
    return t


def parameter_is_overwritten(x, n):
    for i in range(n):
        x = np.sin(x) + x * x / (i + 1.0)
    return x


def fibonacci_of_carried_scalars(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a + b * x
    return b / (1.0 + a * a)


def rotating_three_names(x):
    a, b, c = x[0], x[1], x[2]
    for i in range(4):
        a, b, c = b * c, c, a + x[i % 3]
    return a * b + c


def swap_buffers(x, steps):
    now = x.copy()
    then = np.zeros_like(x)
    for _ in range(steps):
        for i in range(x.shape[0]):
            then[i] = np.sin(now[i]) + now[i - 1] * now[i]
        now, then = then, now
    return np.sum(now * x)


def swap_elements(x):
    a = x.copy()
    a[0], a[2] = a[2] * a[1], a[0] * a[1]
    a[1], a[0] = a[0], a[1]
    return a[0] * 2.0 + a[1] * 3.0 + a[2] * a[0]


def names_that_collide_with_generated_ones(x, x_bar, t1):
    x_bar_2 = x * x_bar
    trace = x_bar_2 * t1
    t2 = trace * trace
    x_dot = np.cos(t2)
    return x_dot * x_bar + t1


def shadowed_builtins(x):
    sum = 0.0
    max = x[0]
    for len in range(x.shape[0]):
        sum += x[len] * max
        max = max * 0.5 + x[len]
    return sum * max


def python_integers_enter_the_arithmetic(x, k):
    n = 3
    n = n * k + 1
    return x**n / n + n // 2 * x + (n % 3) * np.sqrt(x)


PROGRAMS = [
    Program(tuple_assignment_reads_before_it_writes, numbers(0.7, 1.3), (0, 1)),
    Program(nested_tuples, numbers(0.7, 1.3), (0, 1)),
    Program(chained_assignment, numbers(0.7, 1.3), (0, 1)),
    Program(chained_assignment_of_an_array_shares_it, vector(3)),
    Program(augmented_operators, numbers(0.7, 1.3), (0, 1), compiled=True),
    Program(augmented_array_changes_its_other_name, vector(4)),
    Program(rebinding_leaves_the_argument_alone, vector(4)),
    Program(name_with_several_types, numbers(3, 0.7), (1,)),
    Program(parameter_is_overwritten, numbers(0.4, 3)),
    Program(fibonacci_of_carried_scalars, numbers(0.6, 6)),
    Program(rotating_three_names, vector(3)),
    Program(swap_buffers, lambda rng: (rng.normal(size=4), 3), compiled=True),
    Program(swap_elements, vector(3)),
    Program(names_that_collide_with_generated_ones, numbers(0.7, 1.3, 0.4), (0, 1, 2)),
    Program(shadowed_builtins, vector(4)),
    Program(python_integers_enter_the_arithmetic, numbers(0.7, 2)),
]
