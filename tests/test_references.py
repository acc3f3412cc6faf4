"""References to arrays that cannot be followed are refused, never guessed."""

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap
from tests.checking import assert_gradient


def flipped_view_is_written(x):
    p = x.copy()
    total = 0.0
    for _ in range(3):
        t = p[0]
        total += t * t
        p[1] = p[1] * 0.5 + total
        p = p[::-1]
    return total + np.sum(p * p)


def view_is_handed_to_another_name(x):
    p = x.copy()
    other = np.ones(4)
    total = 0.0
    for _ in range(3):
        q = p[::-1]
        total += np.sum(other * q * x)
        p[0] = total
        p, other = x * total, q
    return total + np.sum(p * other)


def diagonal_sees_a_later_write(x):
    a = np.outer(x, x)
    d = np.diag(a)
    a[1, 1] = x[0] * x[2]
    return np.sum(d * d)


def real_part_sees_a_later_write(x):
    a = x.copy()
    p = np.real(a)
    a[1] = a[0] * a[2]
    return np.sum(p * p) + np.sum(a * a)


def broadcast_view_sees_a_later_write(x):
    a = x.copy()
    wide = np.broadcast_to(a, (3, 4))
    a[0] = a[1] * a[1]
    return np.sum(wide * wide)


@pytest.mark.parametrize(
    "program",
    [
        flipped_view_is_written,
        view_is_handed_to_another_name,
        diagonal_sees_a_later_write,
        broadcast_view_sees_a_later_write,
    ],
)
def test_view_that_cannot_be_followed_is_refused(program):
    with pytest.raises(MayOverlap, match="may be a view"):
        srcad.vjp(program, np.array([0.3, -0.7, 0.9, 0.2]), jit=False)


def test_real_parts_are_views_that_are_followed():
    assert_gradient(real_part_sees_a_later_write, np.array([0.3, -0.7, 0.9]))
