"""Calls by a user's rule that change or share arrays are refused, others are not."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.errors import WrongRule


def by_rule(forward):
    made = srcad.custom_vjp(lambda x: x * 2.0)
    made.defvjp(forward, lambda saved, y_bar: (2.0 * y_bar,))
    return made


def filled(x):
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = 2.0 * x[i]
    return y, None


def overwritten(x):
    x *= 2.0
    return x, None


def seen_through_a_view(x):
    x[1:][0] = 3.0
    return 2.0 * x, None


def test_a_rule_may_write_into_arrays_of_its_own():
    made = by_rule(filled)
    assert srcad.grad(lambda x: np.sum(made(x)))(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("forward", [overwritten, seen_through_a_view])
@pytest.mark.parametrize("jit", [True, False])
def test_a_rule_must_not_write_into_an_argument(forward, jit):
    made = by_rule(forward)
    with pytest.raises(WrongRule, match="writes into an array"):
        srcad.grad(lambda x: np.sum(made(x)), jit=jit)(np.ones(3))
