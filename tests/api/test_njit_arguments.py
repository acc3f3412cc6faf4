"""Compiled code hands functions and tuples to derivatives, and gets what Python would get."""

from collections import namedtuple

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable, UnsupportedSyntax

Layer = namedtuple("Layer", "w b")
SCALES = np.array([3.0, 1.0])
X = np.array([0.3, -0.7, 1.2])


@numba.njit
def cubic(x, k):
    return k * x**3


@numba.njit
def scaled(x, c):
    return SCALES[0] * x * c + SCALES[1]


def weighed(f, x):
    return f(x, 2.0) * x


def layer(p, x, n=2):
    return n * np.sum(np.tanh(p.w * x + p.b[0]))


SLOPE = srcad.grad(weighed, wrt=1)


@numba.njit
def descend(f, x, steps):
    for _ in range(steps):
        x = x - 0.01 * SLOPE(f, x)
    return x


@pytest.mark.compiled
@pytest.mark.parametrize("f", [cubic, scaled], ids=["plain", "with captured array"])
def test_the_function_that_compiled_code_was_handed(f):
    x = 1.5
    for _ in range(3):
        x -= 0.01 * SLOPE(f, x)
    assert descend(f, 1.5, 3) == pytest.approx(x, rel=1e-14)
    assert descend(srcad.function(f), 1.5, 3) == pytest.approx(x, rel=1e-14)


@pytest.mark.compiled
def test_tuples_have_gradients_of_their_form():
    value_and_slopes = srcad.value_and_grad(layer, wrt=("p", 1))

    @numba.njit
    def outer(p, x):
        return value_and_slopes(p, x, n=3)

    p = Layer(0.5 * X, (0.2, 4))
    value, (by_p, by_x) = outer(p, X)
    expected, (p_bar, x_bar) = value_and_slopes(p, X, n=3)
    assert value == pytest.approx(expected)
    assert type(by_p) is Layer
    np.testing.assert_allclose(by_p.w, p_bar.w)
    np.testing.assert_allclose(by_x, x_bar)
    assert by_p.b == (pytest.approx(p_bar.b[0]), None)


@pytest.mark.compiled
def test_directions_have_the_form_of_the_tuple():
    curve = srcad.hvp(layer)
    p, dot = Layer(0.5 * X, (0.2, 4)), Layer(X, (1.0, 0))
    found = numba.njit(lambda p, x, dot: curve(p, x, 2, dot))(p, X, dot)
    expected = curve(p, X, 2, Layer(X, (1.0, None)))
    np.testing.assert_allclose(found.w, expected.w)
    assert found.b[0] == pytest.approx(expected.b[0])


def test_a_function_has_no_gradient():
    slope = srcad.grad(weighed)
    with pytest.raises(NotDifferentiable, match="'f' of weighed holds nothing"):
        numba.njit(lambda f, x: 2.0 * slope(f, x))(cubic, 1.5)


def test_one_of_several_functions_is_refused():
    kind = numba.types.FunctionType(numba.float64(numba.float64, numba.float64))
    with pytest.raises(UnsupportedSyntax, match="'f' of weighed is one of several functions"):
        SLOPE.native.compile((kind, numba.float64))
