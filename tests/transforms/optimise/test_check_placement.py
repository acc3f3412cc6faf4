"""Checks of what loop nests show to be equal go; they keep no array statements and no loops apart."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient


def layers(x, w, b, v):
    h = np.maximum(x @ w + b, 0.0)
    return np.sum(np.tanh(h @ v))


def rows_after(x, b):
    y = np.exp(x + b)
    s = 0.0
    for i in range(x.shape[0]):
        s += np.log(np.sum(y[i])) * y[i, 0]
    return s


def scaled_columns(x, b):
    y = x * b - 1.0
    z = y * y + b
    s = 0.0
    for j in range(y.shape[1]):
        for i in range(z.shape[0]):
            s += z[i, j] * y[i, j]
    return s


def carried(x, b):
    u = x + b
    for _ in range(3):
        t = np.sin(u) * 0.5
        for i in range(t.shape[0]):
            u[i, 0] = t[i, 0] + x[i, 1]
    return np.sum(u)


X, B, W, V = np.arange(6.0).reshape(3, 2) / 7, np.array([0.3, -0.2]), np.ones((2, 4)) / 3, np.arange(4.0) / 5
PROGRAMS = [
    (layers, (X, W, np.arange(4.0), V)),
    (rows_after, (X, B)),
    (scaled_columns, (X, B)),
    (carried, (X, B)),
]


def loops(text):
    return sum(line.lstrip().startswith("for ") for line in text.splitlines())


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_checks_keep_nothing_apart(function, arguments):
    places = tuple(range(len(arguments)))
    checked, unchecked = (
        srcad.source(function, wrt=places, args=arguments, boundscheck=each) for each in (None, False)
    )
    assert loops(checked) == loops(unchecked)
    assert checked.count("np.empty") == unchecked.count("np.empty")


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS)
def test_gradients_are_right(function, arguments):
    assert_gradient(function, *arguments, wrt=tuple(range(len(arguments))))


@pytest.mark.parametrize("shape", [(1, 2), (3, 1)])
def test_arrays_that_broadcast_are_not_refused(shape):
    """The check knows the extents by an assumption, which fails first."""

    def f(x, b, w):
        return np.sum(np.tanh(x + b) @ w)

    x, b = np.ones(shape), np.ones((3, 2)) / 3
    w = np.ones((2, 2))
    slope = 1 - np.tanh(x + b) ** 2
    expected = np.sum(2 * slope, axis=tuple(axis for axis in (0, 1) if shape[axis] == 1), keepdims=True)
    np.testing.assert_allclose(srcad.grad(f)(x, b, w), expected, rtol=1e-13)
    with pytest.raises((IndexError, ValueError)):
        srcad.grad(f)(x, b, np.ones((3, 2)))
