"""Whether two structures are one object is known, or refused."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4])
SCALES = [1.0, 2.0]
OTHER = [1.0, 2.0]


def known(x):
    one, other = [x[0]], [x[0]]
    same, scales = one, SCALES
    s = x[1] if same is one and one is not other else x[0]
    if scales is SCALES and scales is not OTHER:
        s = s * x[2]
    for part in (one, other):
        if part is not one:
            s = s * part[0]
    return s


def test_identity_of_what_is_made_inside_or_captured():
    assert_gradient(known, X, modes=("loops",))


def chosen(x, first, second):
    one, other = [x[0]], [x[1]]
    best = one if x[0] > x[1] else other
    return best[0] if best is one else x[2]


def carried(x, first, second):
    one, other = [x[0]], [x[1]]
    for _ in range(len(first)):
        one, other = other, one
    return one[0] if one is other else x[2]


def handed_over(x, first, second):
    return x[0] if first is second else x[1]


def handed_over_or_captured(x, first, second):
    return x[0] if first is SCALES else x[1]


@pytest.mark.parametrize("function", [chosen, carried, handed_over, handed_over_or_captured])
def test_identity_that_is_known_only_at_run_time_is_refused(function):
    with pytest.raises(UnsupportedSyntax, match="the same object as another one"):
        srcad.grad(function, jit=False)(X, SCALES, SCALES)
