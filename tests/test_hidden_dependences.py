"""A value that hides in a tuple or a list carries its derivative along, or is refused: never a silent zero."""

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError


def swapped(x):
    pair = x, 2.0 * x
    if x > 1.0:
        pair = pair[1], pair[0]
    return pair[0]


def by_factors(x):
    return np.linalg.qr(np.array([[x, 1.0], [2.0, 3.0]]))[1][0, 0]


def listed(x):
    values = list(x * np.ones(2))
    return values[0]


def powered(x):
    return np.linalg.matrix_power(np.array([[x, 1.0], [0.0, 2.0]]), 2)[0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("function", [swapped, by_factors, listed, powered])
def test_a_dependence_through_a_container_is_followed_or_refused(function):
    try:
        slope = srcad.grad(function, jit=False)(2.0)
    except SrcadError:
        return
    step = 1e-6
    assert slope == pytest.approx((function(2.0 + step) - function(2.0 - step)) / (2 * step), rel=1e-6)
