"""What an array held is recorded once, where all of it is overwritten before it is overwritten again."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient


def leapfrog(x, v, n):
    p = x.copy()
    w = v.copy()
    for _t in range(n):
        p += 0.1 * w
        w -= p**3
        p += 0.1 * w
    return np.sum(p * w)


def by_elements(x, v, n):
    p = x.copy()
    s = 0.0
    for t in range(n):
        for i in range(p.size):
            p[i] += 0.1 * v[i] * t
        for i in range(p.size):
            s += np.sin(p[i]) * v[i]
        for i in range(p.size):
            p[i] = s + v[i]
    return s


def of_both_arms(x, v, n):
    p = x.copy()
    s = 0.0
    for _t in range(n):
        p[1] += v[0]
        s += np.sum(p**3)
        if s > 1.0:
            p[:] = 0.3 * s
        else:
            p *= 0.5
    return s


ONE = [leapfrog, by_elements, of_both_arms]


def partly(x, v, n):
    p = x.copy()
    s = 0.0
    for _t in range(n):
        p += 0.1 * v
        s += np.sum(p**3)
        p[1:] = 0.4 * s
    return s


def perhaps(x, v, n):
    p = x.copy()
    s = 0.0
    for _t in range(n):
        p += 0.1 * v
        s += np.sum(p**3)
        if s > 0.5:
            p[:] = 0.4
    return s


def left_before(x, v, n):
    p = x.copy()
    s = 0.0
    for _t in range(n):
        p += 0.1 * v
        s += np.sum(p**3)
        if s > 2.0:
            break
        p[:] = 0.4 * s
    p += s
    return s + np.sum(p**3)


def read_between(x, v, n):
    p = x.copy()
    s = 0.0
    for _t in range(n):
        p += 0.1 * v
        s += np.sum(p**3)
        for i in range(p.size):
            p[i] = 0.4 * p[i - 1] ** 2
        s += p[0] ** 2
    return s


def from_within(x, v, n):
    p = x.copy()
    s = 0.0
    for _t in range(n):
        for _k in range(2):
            p *= v
            s += np.sum(p**3)
        p[:] = np.cos(s)
    return s


def of_a_view(x, v, n):
    p = x.copy()
    q = p[::-1]
    s = 0.0
    for t in range(n):
        p[0] += 0.1 * v[t]
        s += np.sum(q**3)
        q[:] = 0.4 * s + p[0] * v
    return s


def emptied(x, v, n):
    p = x.copy()
    s = 0.0
    t = 0
    while t < n:
        p += 0.1 * v
        s += np.sum(p**3)
        for i in range(t, p.size):
            p[i] = s
        t += 1
    return s


def pairs(x, v, n, whole):
    p = x.copy()
    for _t in range(n):
        p += 0.1 * v
        for i in range(p.size):
            for j in range(i):
                v[i] += p[i] * p[j] ** 2
                v[j] -= np.sin(p[i] * p[j])
        if whole:
            p += 0.1 * v
    return np.sum(p * v)


def test_one_of_two_overwritten_values_is_recorded():
    given = {"signature": "f8[::1], f8[::1], i8", "wrt": (0, 1), "mode": "grad"}
    assert srcad.source(leapfrog, **given).count("needed in reverse") == 1
    given["signature"] += ", b1"
    assert srcad.source(pairs, **given).count("overwritten here, needed in reverse") == 2


@pytest.mark.slow
@pytest.mark.parametrize("program", [*ONE, partly, perhaps, left_before, read_between, from_within, of_a_view, emptied])
def test_gradients_are_right(program):
    x, v = np.array([0.3, 0.7, -0.2]), np.array([0.9, -0.4, 1.1])
    assert_gradient(program, x, v, 3, wrt=(0, 1))


@pytest.mark.slow
def test_loops_may_not_turn_at_all():
    assert_gradient(leapfrog, np.array([0.3, 0.7]), np.array([0.9, -0.4]), 0, wrt=(0, 1))
