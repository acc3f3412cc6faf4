"""`np.vectorize` and `np.apply_along_axis` with functions of the user's."""

import warnings

import numpy as np
import pytest
from numba import vectorize

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.45, 0.8, 0.3, 0.6, -0.2, 1.1])


def kinked(a, b=2.0):
    if a > b:
        return a * a - b
    return a + b * a * b


over_elements = np.vectorize(kinked)


@vectorize
def of_two(a, b):
    return a * a / (b + abs(a))


@np.vectorize
def decorated(a):
    return a**3 if a > 0 else -a


@vectorize
def compiled(a, b):
    return a * b + np.sin(a)


def of_elements(x):
    a = x.reshape(2, 3)
    decay = np.vectorize(lambda v: v * np.exp(-v), otypes=[float])
    s = np.sum(np.vectorize(kinked)(a) * a) + np.sum(over_elements(a, x[:3]) * a) + np.sum(decorated(x) * x[1])
    return s + np.sum(decay(x[1:]) * decay(x[:-1])) + np.sum(over_elements(x, x[0])) + np.sum(compiled(a, 2.0))


def scaled(row, k, p=2.0):
    return np.sin(row) * k + p * row[::-1]


def energy(row):
    return np.sum(row**2) * row[0]


def of_rows(x):
    a = x.reshape(2, 3)
    s = np.sum(np.apply_along_axis(energy, 1, a) * np.array([1.0, 2.0]))
    s += np.sum(np.apply_along_axis(scaled, 0, a, 3.0, p=x[0]) * a)
    s += np.sum(np.apply_along_axis(lambda row: np.outer(row, row), 1, a) * a[:, :, None])
    s += np.sum(np.apply_along_axis(lambda row: np.outer(row, row[:1]), 0, a)[0] * x[1])
    return (
        s + np.sum(np.apply_along_axis(np.sum, -1, x.reshape(3, 1, 2)) ** 2) + np.apply_along_axis(np.cumsum, 0, x)[3]
    )


@pytest.mark.slow
@pytest.mark.parametrize("function", [of_elements, of_rows])
def test_functions_of_elements_and_rows_are_loops(function):
    assert_gradient(function, X, modes=["loops", "tangent"])


def test_what_is_not_given_element_by_element_is_refused():
    def excluded(x):
        return np.sum(np.vectorize(kinked, excluded=["b"])(x, 2.0))

    def by_keyword(x):
        return np.sum(over_elements(x, b=2.0))

    for function, message in ((excluded, "excluded"), (by_keyword, "this call of a vectorized function")):
        with pytest.raises(UnsupportedSyntax, match=message):
            srcad.grad(function, jit=False)(X)


def test_lists_in_functions_whose_names_change_their_type():
    def f(x):
        y = x[0]
        values = []
        while len(values) < 3:
            values.append(y * len(values))
        y = np.array(values)
        return np.sum(y * y)

    np.testing.assert_allclose(srcad.grad(f, jit=False)(np.array([0.7, 0.2])), [2 * 5 * 0.7, 0.0])


@pytest.mark.compiled
def test_functions_of_numbers_alone_are_compiled():
    """Numba has neither `np.ravel` of a number nor `np.broadcast_to` to no dimensions."""

    def f(x, k):
        return of_two(x[0], k) + np.sum(of_two(x, k)) + over_elements(k) + over_elements(x[1], 0.1)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        srcad.check_grads(f, (X, 0.7))
