"""Branches that types decide are left out; others stay."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable
from tests.checking import assert_gradient

X = np.array([0.5, -0.2, 0.9])


def by_attribute(x):
    y = x * 2.0
    return np.sum(y @ y) if y.ndim == 2 else np.sum(y**3)


def by_function(x):
    if np.ndim(x) < 2 and np.ndim(x[0]) == 0:
        return np.sum(x**3)
    return np.sum(x @ x)


def by_shape(x):
    s = 0.0
    for i in range(3):
        if len(x.shape) != 1:
            s += np.sum(x[i])
        elif x.ndim != 1:
            s -= 1.0
        else:
            s += x[i] ** 3
    return s


def by_infinity(x, order=2):
    two = 2
    if two == np.inf:
        return np.max(x)
    return np.sum(x**3) + order


@pytest.mark.slow
@pytest.mark.parametrize("function", [by_attribute, by_function, by_shape, by_infinity])
def test_one_arm_is_left(function):
    lines = srcad.source(function, args=(X,), wrt=0).splitlines()
    assert not any(each.lstrip().startswith("if ") for each in lines)
    assert_gradient(function, X)


def untypable(x):
    y = x * 2.0
    z = np.expand_dims(y, 0) if np.ndim(y) == 1 else y[:, 0, 0]
    t = np.sum(z, axis=(0, 1)) if np.ndim(z) == 2 else np.linalg.inv(z[0])
    return np.sum(t**3)


def joins(x):
    rows = [x, np.outer(x, x)]
    wide = [np.expand_dims(each, 0) if np.ndim(each) == 1 else each for each in rows]
    return np.sum(np.concatenate((wide[0], wide[1])) ** 3) + np.sum(np.dstack((x, x)) * x[0])


@pytest.mark.compiled
@pytest.mark.parametrize("function", [untypable, joins])
def test_an_arm_that_numba_cannot_type_is_left_out(function):
    with warnings.catch_warnings():
        warnings.simplefilter("error", srcad.PerformanceWarning)
        assert_gradient(function, X)


def known_at_run_time(x, n):
    if n == np.inf:
        return np.max(x)
    y = np.squeeze(x.reshape(1, -1))
    return np.sum(x**2) if y.ndim == 1 else x[0] ** 3


def test_what_is_known_at_run_time_is_asked_then():
    """`np.squeeze` gives arrays of a rank that the shape decides: types are those of one call."""
    derivative = srcad.grad(known_at_run_time, jit=False)
    np.testing.assert_allclose(derivative(X, 2.0), 2.0 * X)
    np.testing.assert_allclose(derivative(X[:1], 2.0), 3.0 * X[:1] ** 2)
    np.testing.assert_allclose(derivative(X, np.inf), [0.0, 0.0, 1.0])


def is_left_early(x):
    s = 0.0
    for v in x:
        if x.ndim == 1:
            break
        s += v
    return s + x[0]


def always_raises(x):
    if x.ndim == 1:
        raise ValueError("a vector")
    return np.sum(x)


def test_ways_out_stay():
    np.testing.assert_array_equal(srcad.grad(is_left_early, jit=False)(X), [1.0, 0.0, 0.0])
    with pytest.raises(NotDifferentiable, match="always raises"):
        srcad.grad(always_raises, jit=False)(X)


@pytest.mark.slow
def test_norms_of_vectors_have_second_derivatives():
    """They were refused: the norm of a matrix, which it is not, has none."""
    found = srcad.hessian(lambda x: np.linalg.norm(x, ord=2) ** 2, jit=False)(X)
    np.testing.assert_allclose(found, 2.0 * np.eye(3), atol=1e-12)


@pytest.mark.compiled
def test_an_array_is_not_none():
    def counts(a, w):
        return np.sum(np.histogram(a, np.linspace(0.0, 1.0, 5), weights=w)[0] ** 2)

    a, w = np.array([0.1, 0.15, 0.8, 1.5]), np.array([0.5, 2.0, -1.0, 3.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = srcad.grad(counts, wrt=1)(a, w)
    np.testing.assert_allclose(found, [5.0, 5.0, -2.0, 0.0])
