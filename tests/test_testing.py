"""`srcad.testing.check_rule` accepts rules that are right, and finds what is wrong with others."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, WrongGradient, WrongRule
from srcad.extend import adjoint, d, partial, tangent
from srcad.testing import check_rule

X = np.array([0.5, 2.0])


def by_vjp(forward, backward):
    made = srcad.custom_vjp(lambda x: forward(x)[0])
    made.defvjp(forward, backward)
    return made


def cube_forward(x):
    return x**3, x


RIGHT = {
    "vjp": (by_vjp(cube_forward, lambda x, y_bar: (3.0 * x * x * y_bar,)), X, 1.5),
    "two results": (
        by_vjp(lambda x: ((np.sin(x), np.cos(x)), x), lambda x, g: (g[0] * np.cos(x) - g[1] * np.sin(x),)),
        X,
    ),
    "complex": (by_vjp(lambda x: (np.exp(x), np.exp(x)), lambda y, y_bar: (y * y_bar,)), np.array([0.3 + 0.2j])),
    "of srcad": (np.tanh, X),
}


@pytest.mark.parametrize("name", RIGHT)
def test_rules_that_are_right(name):
    f, *points = RIGHT[name]
    check_rule(f, *points, compiled=False)


@pytest.mark.compiled
def test_a_rule_that_is_right_compiled():
    check_rule(RIGHT["vjp"][0], X)


def product(x, k):
    return x * k


@partial(product)
def product_rule(y, x, k):
    return k, x


def test_broadcasting_is_tried():
    check_rule(product, (X, np.array([1.0, 3.0])), compiled=False)


def cubic(x):
    return x**3


@adjoint(cubic)
def cubic_rule(y, x):
    d[x] = 3.0 * x * x * d[y]


@tangent(cubic)
def cubic_tangent(y, x):
    d[y] = 3.0 * x * np.abs(x) * d[x]  # right for positive numbers


def test_a_tangent_that_disagrees_with_the_adjoint():
    check_rule(cubic, X, compiled=False)
    with pytest.raises(WrongGradient, match="forward and reverse mode of cubic disagree"):
        check_rule(cubic, -X, compiled=False)


WRONG = {
    "a factor": (by_vjp(cube_forward, lambda x, y_bar: (2.0 * x * x * y_bar,)), X, "differs from finite differences"),
    "a conjugate": (
        by_vjp(lambda x: (np.exp(x), np.exp(x)), lambda y, y_bar: (np.conj(y) * y_bar,)),
        np.array([0.3 + 0.2j]),
        "differs from finite differences",
    ),
    "a second derivative": (
        by_vjp(cube_forward, lambda x, y_bar: (3.0 * x * srcad.stop_gradient(x) * y_bar,)),
        X,
        "the second derivative of .* is",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_found(name):
    f, point, message = WRONG[name]
    with pytest.raises(WrongGradient, match=message):
        check_rule(f, point, compiled=False)


def test_order_one_leaves_out_second_derivatives():
    check_rule(WRONG["a second derivative"][0], X, compiled=False, order=1)


def test_a_shape_that_is_wrong():
    with pytest.raises(WrongRule, match="was returned"):
        check_rule(by_vjp(cube_forward, lambda x, y_bar: (1.0,)), X, compiled=False)


def test_a_point_is_needed():
    with pytest.raises(BadArgument, match="needs a point"):
        check_rule(cubic)
