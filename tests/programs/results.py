"""Results other than one number, and arguments that are empty, of single precision, or not differentiated."""

import numpy as np

from tests.programs.program import Program, matrix, numbers, vector


def two_numbers(x, y):
    return x * y, np.sin(x)


def number_and_array(x):
    return np.sum(x * x), x * x[0]


def one_array(x):
    return np.exp(x) * x


def array_built_in_a_loop(x):
    out = np.empty((x.shape[0], 2))
    for i in range(x.shape[0]):
        out[i, 0] = x[i] * x[i - 1]
        out[i, 1] = x[i]
    return out


def several_returns_of_pairs(x, y):
    if x > y:
        return x, x * y
    z = np.exp(x)
    return z * y, z


def argument_is_returned(x):
    return x, x * 2.0


def result_that_does_not_depend(x, y):
    return y * y, 3.0


def result_is_written_after_it_was_named(x):
    out = x * x
    again = out
    out[0] = x[1]
    return again


def sum_of_squares(x):
    return np.sum(x * x) + x.shape[0]


def mean_row(a):
    total = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        total += a[i] * a[i]
    return total


def single_precision(x, w):
    y = x * w
    for i in range(x.shape[0]):
        y[i] = np.sin(y[i]) * x[i] + np.float32(0.5)
    return np.sum(y * y)


def integer_arguments_ride_along(x, n, flags):
    total = 0.0
    for i in range(n):
        if flags[i]:
            total += x[i] ** n
        else:
            total -= x[i] * i
    return total


def unused_argument(x, y):
    return x * 2.0


def result_of_rank_zero(x):
    a = np.sum(x, axis=0)
    return a * a


def floor_and_sign_have_no_slope(x):
    return np.floor(x) * x + np.sign(x) * x * x + (x // 1.0) + x % 1.0


def narrow(size):
    return lambda rng: (rng.normal(size=size).astype(np.float32), rng.normal(size=size).astype(np.float32))


PROGRAMS = [
    Program(two_numbers, numbers(0.7, 1.3), (0, 1)),
    Program(number_and_array, vector(3)),
    Program(one_array, vector(3), compiled=True),
    Program(array_built_in_a_loop, vector(3)),
    Program(several_returns_of_pairs, numbers(0.7, 1.3), (0, 1)),
    Program(several_returns_of_pairs, numbers(1.7, 1.3), (0, 1)),
    Program(argument_is_returned, vector(3)),
    Program(result_that_does_not_depend, numbers(0.7, 1.3), (0, 1)),
    Program(result_is_written_after_it_was_named, vector(3)),
    Program(sum_of_squares, vector(0)),
    Program(sum_of_squares, matrix(0, 3), compiled=True),
    Program(mean_row, matrix(0, 3)),
    Program(mean_row, matrix(2, 3)),
    Program(single_precision, narrow(3), (0, 1), rtol=2e-3, compiled=True),
    Program(integer_arguments_ride_along, lambda rng: (rng.normal(size=3), 3, np.array([True, False, True]))),
    Program(unused_argument, numbers(0.7, 1.3), (0, 1)),
    Program(result_of_rank_zero, vector(3)),
    Program(floor_and_sign_have_no_slope, numbers(1.7)),
]
