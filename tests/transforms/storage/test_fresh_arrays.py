"""Arrays that each iteration makes anew: what it stores in them is not undone, unless what is read may be the same."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X, C = np.linspace(0.2, 1.1, 6), np.linspace(0.3, 0.8, 6)


def leapfrog(x, c):
    old, u = x.copy(), x.copy()
    for _t in range(4):
        new = np.zeros(x.size)
        for i in range(1, x.size - 1):
            new[i] = 2.0 * u[i] - old[i] + c[i] * u[i] * (u[i + 1] - u[i - 1])
        old = u
        u = new
    return np.sum(u * old)


def by_views(x, c):
    u = x.copy()
    for _t in range(3):
        new = np.empty(x.size)
        inner, last = new[1:], u[:-1]
        new[0] = np.sin(u[0])
        for i in range(x.size - 1):
            inner[i] = c[i] * last[i] * u[i + 1]
        u = new
    return np.sum(u)


def chained(x, c):
    u = x.copy()
    total = 0.0
    for _t in range(3):
        held = u
        new = np.zeros(x.size)
        for i in range(x.size):
            new[i] = held[i] * u[i] * c[i]
            total += new[i] * held[0]
        u = new
    return total


APART = [leapfrog, by_views, chained]


def in_itself(x, c):
    u = x.copy()
    for _t in range(3):
        new = np.ones(x.size)
        same = new
        for i in range(1, x.size):
            new[i] = same[i - 1] * same[i] * c[i] * u[i]
        u = new
    return np.sum(u)


def overwritten_later(x, c):
    u = x.copy()
    total = 0.0
    for _t in range(3):
        new = np.empty(x.size)
        for i in range(x.size):
            new[i] = u[i] * u[i] * c[i]
        total += new[2] * new[3]
        new[2] = total * u[0]
        u = new
    return np.sum(u * u) + total


def changed_through_the_last(x, c):
    u = x.copy()
    total = 0.0
    for _t in range(3):
        for i in range(x.size):
            total += u[i] ** 2 * c[i]
        u[1] = total
        new = np.empty(x.size)
        for i in range(x.size):
            new[i] = u[i] * u[1] * 0.3
        u = new
    return np.sum(u) + total


def before_it_is_made(x, c):
    new = x.copy()
    total = 0.0
    for t in range(4):
        total += new[0] * new[2] * c[t]
        if t != 1:
            new = np.zeros(x.size)
        new[0] += x[t] * total
        new[2] = new[0] * total
    return total


TOGETHER = [in_itself, overwritten_later, changed_through_the_last, before_it_is_made]


@pytest.mark.slow
@pytest.mark.parametrize("f", [*APART, *TOGETHER])
def test_derivatives_are_right(f):
    assert_gradient(f, X, C)


@pytest.mark.parametrize("f", APART)
def test_stores_into_new_arrays_are_not_undone(f):
    assert "new_old" not in srcad.source(f, args=(X, C), wrt=(0, 1))


@pytest.mark.parametrize("f", [in_itself, overwritten_later])
def test_stores_into_what_is_read_are(f):
    assert "_old" in srcad.source(f, args=(X, C), wrt=(0, 1))
