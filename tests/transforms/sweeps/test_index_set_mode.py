"""Index sets of small programs have all members that derivatives have, and none without need."""

import numpy as np
import pytest

import srcad
from srcad.driver.options import Options
from srcad.driver.version import Request, Version
from srcad.sparse import structural_pattern as finder

X = np.random.default_rng(0).normal(size=8)
MATRIX = np.diag(np.arange(1.0, 9.0)) + np.diag(np.ones(7), 1)


def stencil(x):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1):
        y[i] = x[i] * (x[i + 1] - x[i - 1])
    y[0] += x[0]
    return y


def matrices(x):
    return np.dot(MATRIX, x) * x[0]


def squares(x):
    a = np.reshape(x, (2, 4))
    return np.ravel(a @ a.T)


def moved(x):
    y = x.copy()
    y[2:4] = x[5:7]
    y[4:] += y[:4]
    y[0] = y[1] * 2.0
    return np.concatenate((y[::-1], np.roll(x, 1), np.array([x[0] * x[3], 1.0])))


def reduced(x):
    a = np.reshape(x, (2, 4))
    return np.concatenate((np.sum(a, axis=0), np.mean(a, axis=1), np.cumsum(x)[:3], np.diff(x)))


def views(x):
    y = np.zeros(x.size)
    part = y[2:5]
    part[:] = x[:3]
    part[0] = x[7]
    part *= x[4:7]
    return y


def filled(x):
    y = np.full(3, x[1])
    y[0] = np.sum(x[2:4])
    z = np.zeros_like(x)
    z[1:3] = x[0]
    return np.concatenate((y, z))


def chained(x):
    s, y = 1.0, np.empty(x.size)
    for i in range(x.size):
        s = 0.5 * s + np.sin(x[i])
        y[i] = s
    return y


def clipped(x):
    return np.where(x > 0.0, np.maximum(x, 0.5) * x[::-1], 1.0)


def pattern(f, x=X, mode="pattern", is_symmetric=False, jit=False):
    version = Version(f, Request("hvp" if is_symmetric else "tangent", (0,), True, Options.of(function=f)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finder, "compiled_loop", lambda function: function)  # to compile it takes longer than to run it
        found = finder.structural_pattern(version, 0, (x,), is_symmetric, jit, mode)
    return None if found is None else found.toarray()


@pytest.mark.parametrize("f", [stencil, matrices, squares, moved, reduced, views, filled, chained])
def test_members_are_the_entries_of_jacobians(f):
    dense = srcad.jacobian(f, jit=False)(X) != 0.0
    np.testing.assert_array_equal(pattern(f), dense)
    np.testing.assert_array_equal(pattern(f, np.zeros(8)), dense)


def test_choices_are_those_of_the_call():
    np.testing.assert_array_equal(pattern(clipped) | (X > 0.0)[:, None] & np.eye(8, dtype=bool), pattern(clipped))
    assert not pattern(clipped)[X <= 0.0].any()
    assert np.array_equal(pattern(clipped, mode="pattern_of_all").sum(axis=1), np.full(8, 2))


def local(x):
    return np.sum(np.sin(x[1:]) * x[:-1]) + x[0] ** 3 + np.exp(x[2] + x[3]) / x[4]


def linear(x):
    return np.sum(x[2:] * 3.0 - x[:-2] / 2.0) + x[0] * np.dot(MATRIX[0], x)


def multiplied(x):
    y = x.copy()
    y[1:] *= 2.0 * x[:-1]
    return y[1] + y[3]


@pytest.mark.parametrize("f", [local, linear])
def test_members_that_meet_are_the_entries_of_hessians(f):
    found, dense = pattern(f, is_symmetric=True), srcad.hessian(f, jit=False)(X) != 0.0
    assert not (dense & ~found).any()
    assert found.sum() <= dense.sum() + 1  # x[0] * x[0] is not known to be there twice


def test_products_in_place_meet():
    found = pattern(multiplied, is_symmetric=True)
    assert not ((srcad.hessian(multiplied, jit=False)(X) != 0.0) & ~found).any()
    assert not found[0, 5]


def inverted(x):
    return np.linalg.solve(MATRIX, x)


def unknown(x):
    return np.interp(x, np.arange(3.0), x[:3])


@pytest.mark.parametrize("f", [inverted, unknown])
def test_other_functions_depend_on_all_elements(f):
    found = pattern(f)
    assert found is None or not ((srcad.jacobian(f, jit=False)(X) != 0.0) & ~found).any()


def factorial(x, n):
    return x if n == 0 else n * factorial(x, n - 1) * x


def recursive(x):
    return np.array([factorial(x[0], 3)])


def test_functions_that_are_called_have_no_sets():
    assert pattern(recursive) is None


def test_arguments_are_not_written_to():
    def shifted(x):
        x[0] = x[1]
        return x * 2.0

    x = X.copy()
    assert pattern(shifted, x)[0, 1]
    np.testing.assert_array_equal(x, X)
