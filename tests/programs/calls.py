"""Calls: helpers that are inlined, closures, lambdas, methods, defaults and keywords, names by several routes."""

import math
from math import exp as exponential

import numpy as np
from numba import njit
from numpy import sin

from tests.programs.program import Program, numbers, vector

tanh = np.tanh
SCALE = 1.7
WEIGHTS = np.array([0.5, -1.0, 2.0])


def square(v):
    return v * v


def logistic(v, slope=1.0):
    """A helper with a default, an early return and a local name that callers have too."""
    if v > 30.0:
        return 1.0
    y = exponential(-slope * v)
    return 1.0 / (1.0 + y)


@njit
def norm_squared(v):
    y = 0.0
    for i in range(v.shape[0]):
        y += v[i] * v[i]
    return y


def scale_in_place(v, factor):
    for i in range(v.shape[0]):
        v[i] *= factor


def polar(x, y):
    return np.sqrt(x * x + y * y), np.arctan2(y, x)


def helper_called_twice(x, y):
    return square(x) * square(y + square(x))


def helper_with_defaults_and_keywords(x, y):
    return logistic(x) * logistic(slope=x, v=y) + logistic(y, 0.5)


def helper_in_a_loop_condition(x):
    n = 0
    while logistic(x) < 0.9:
        x = x + 0.3 * x
        n += 1
    return x * n


def compiled_helper(x):
    return norm_squared(x * x) + norm_squared(x)


def helper_that_writes(x):
    a = x.copy()
    scale_in_place(a, x[0])
    scale_in_place(a[1:], 2.0)
    return np.sum(a * a)


def helper_with_several_results(x, y):
    r, t = polar(x, y)
    s = polar(r, t)
    return s[0] * t + s[1]


def names_by_several_routes(x):
    return sin(x) + np.sin(x * x) + math.sin(3.0 * x) + tanh(x) * np.absolute(x)


def numbers_and_arrays_of_the_module(x):
    return np.sum(x * WEIGHTS) * SCALE + math.pi * x[0]


def inner_function(x, y):
    def blend(a):
        return a * y + SCALE

    return blend(x) * blend(x * x)


def inner_lambda(x):
    f = lambda v: v * np.exp(-v)  # noqa: E731 - lambdas are the subject
    return f(x) + f(2.0 * x)


def numpy_methods(x):
    a = x.copy()
    b = a.reshape(2, -1).T
    return a.sum() * b.mean() + x.dot(x) + b.max() + a.size * b.ndim


def cube_of_square(v):
    return square(v) * v


def helpers_of_helpers(x, n):
    for i in range(n):
        x = cube_of_square(logistic(x)) + square(x) * 0.1
    return x


def asserts_and_prints(x):
    """Effects happen in the forward sweep, and only there."""
    assert x.shape[0] > 1, "at least two"
    y: float = x[0] * x[1]
    if y > 1e6:
        print("large", y)
    if y < -1e6:
        raise ValueError("too small")
    return y * x[0]


def make_closure(weights, power):
    def weighted(x):
        total = 0.0
        for w, v in zip(weights, x):
            total += w * v**power
        return total

    return weighted


class Spring:
    """A model with parameters of its own."""

    def energy(self, x, stiffness):
        stretch = x[1:] - x[:-1]
        return 0.5 * stiffness * np.sum(stretch**2)


PROGRAMS = [
    Program(helper_called_twice, numbers(0.7, 1.3), (0, 1)),
    Program(helper_with_defaults_and_keywords, numbers(0.7, 1.3), (0, 1), compiled=True),
    Program(helper_in_a_loop_condition, numbers(0.7)),
    Program(compiled_helper, vector(4), compiled=True),
    Program(helper_that_writes, vector(4)),
    Program(helper_with_several_results, numbers(0.7, 1.3), (0, 1)),
    Program(names_by_several_routes, numbers(0.7)),
    Program(numbers_and_arrays_of_the_module, vector(3), compiled=True),
    Program(inner_function, numbers(0.7, 1.3), (0, 1)),
    Program(inner_lambda, numbers(0.7)),
    Program(numpy_methods, vector(6)),
    Program(helpers_of_helpers, numbers(0.7, 3)),
    Program(asserts_and_prints, vector(3)),
    Program(make_closure(np.array([0.5, -1.0, 2.0]), 3), vector(3), compiled=True),
    Program(Spring().energy, lambda rng: (rng.normal(size=4), 1.3), (0, 1)),
    Program(njit(norm_squared.py_func, error_model="numpy"), vector(3)),
    Program(lambda x, y: x * np.sin(y) - y, numbers(0.7, 1.3), (0, 1)),
]
