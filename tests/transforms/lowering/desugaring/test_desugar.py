"""Loops over generator expressions: each value is made when its turn has come."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.5, 0.2, 0.9, 0.4])


def some_of_them(x):
    s = 0.0
    for v in (u * u for u in x if u > 0.3):
        s += v
    return s


def of_pairs(x):
    s = 0.0
    for v in (u * w for u in x for w in x[1:] if u != w):
        if v < 0.07:
            continue
        s += v * s + v
    return s


def left_early(x):
    s = 0.0
    for i, v in ((i, x[i] ** 2) for i in range(x.size)):
        if i == 2:
            break
        s += v * (i + 1)
    else:
        s = s * 5.0
    return s


def sees_what_turns_have_changed(x):
    y, s, u = x.copy(), 0.0, 2.0
    for v in (y[i] * s + u for i in range(x.size - 1)):
        y[1:] += v
        s += v
    return np.sum(y * y) * u


def of_a_generator(x):
    for v in (w + 1.0 for w in (u * u for u in x if u > 0.3)):
        if v > 1.5:
            return v
    return 0.0


@pytest.mark.slow
@pytest.mark.parametrize("function", [some_of_them, of_pairs, left_early, sees_what_turns_have_changed, of_a_generator])
@pytest.mark.parametrize("x", [X, X[:1]], ids=["several", "one"])
def test_gradients_agree_with_differences(function, x):
    assert_gradient(function, x)


def left_from_the_inner_loop(x):
    s = 0.0
    for v in (u * w for u in x for w in x):
        if s > 1.0:
            break
        s += v
    return s


def test_break_leaves_several_loops_at_once_and_is_refused():
    with pytest.raises(UnsupportedSyntax, match="write it as a list"):
        srcad.grad(left_from_the_inner_loop)(X)
