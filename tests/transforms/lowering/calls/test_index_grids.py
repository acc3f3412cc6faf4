"""What stands in the brackets of `np.r_`, `np.c_`, `np.mgrid` and `np.ogrid` is joined, or spans a grid."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.lowering import assert_same


def rows(x):
    return np.r_[x, 1.0, 2.0 * x[1:], 0:3], np.r_[x[0] : 2.0 : 3j], np.r_[np.outer(x, x), np.outer(x, x)]


def columns(x):
    return np.c_[x, x * x], np.c_[np.outer(x, x), x], np.c_[np.ones((2, 2, 3)), x * np.ones((2, 2, 3))]


def dense(x):
    n = len(x)
    return np.mgrid[0:n, 1:3], np.mgrid[0:n:2], np.mgrid[0.0:1.0:4j, 0:2] * x[0], np.mgrid[0 : x[1] : 2j, 0:1:0.5]


def open_mesh(x):
    a, b = np.ogrid[0:3, 0 : len(x)]
    return a * b, np.ogrid[0:4] * x[0], np.ogrid[0:2, 0.0:1.0:3j][1] * x[1]


def counted_points(x):
    n = len(x)
    return np.mgrid[0 : 1 : n * 1j] * x[0], np.r_[0 : 1 : 1j * n], np.r_[0 : x[0] : complex(0, n)]


@pytest.mark.parametrize("function", [rows, columns, dense, open_mesh, counted_points])
def test_values_are_those_of_numpy(function):
    assert_same(function, np.array([0.5, -1.5, 2.0, 0.7]))


def joined(x, s):
    return np.sum(np.r_[s, x, s * x[:2]] ** 2) + np.sum(np.c_[x, x**2] * np.c_[x, s * np.ones(len(x))])


def grids(x, s):
    u, v = np.mgrid[0:s:3j, 0:4]
    p, q = np.ogrid[0:3, 0:s:4j]
    return np.sum(np.sin(u) * v * x[0]) + np.sum(np.sin(q + p) * x)


@pytest.mark.parametrize("function", [joined, grids])
def test_gradients_are_differences(function):
    srcad.check_grads(function, (np.array([0.5, -1.5, 2.0, 0.7]), 1.3), jit=False)


@pytest.mark.parametrize(
    "function",
    [lambda x: np.r_["0,2", x, x], lambda x: np.c_["r", x], lambda x: np.mgrid[0:], lambda x: np.ogrid[0:3, 2]],
)
def test_other_brackets_are_refused(function):
    with pytest.raises(UnsupportedSyntax, match=r"text|slices with an end"):
        srcad.vjp(function, np.ones(3), jit=False)
