"""Copies of arrays are made early where that changes nothing."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

GIVEN = {"signature": "f8[::1], i8", "mode": "core", "after": "cse_and_licm", "boundscheck": False}


def flow(x, n):
    u = x.copy()
    b = np.zeros(x.size)
    for _ in range(n):
        for i in range(1, u.size - 1):
            b[i] = (u[i + 1] - u[i - 1]) ** 2 / 0.3
        old = u.copy()
        for i in range(1, u.size - 1):
            u[i] = old[i] + 0.1 * np.sin(old[i - 1]) * b[i]
    return np.sum(u * u)


def stored_between(x, n):
    u = x.copy()
    s = 0.0
    for _ in range(n):
        s += u[0] ** 2
        u[0] = 0.5 * s
        s += u[1] ** 2 * u[0]
        old = u.copy()
        u[1] = old[0] * old[1] + u[0]
        s += u[1]
    return s


def stored_through_a_view(x, n):
    u = x.copy()
    v = u[::-1]
    s = 0.0
    for _ in range(n):
        s += u[0] ** 2
        v[-1] = 0.5 * s
        s += np.sin(u[0])
        old = u.copy()
        s += u[0] * old[0]
        v[0] = s
        s += u[u.size - 1] ** 2
    return s + v[0]


def copy_written(x, n):
    u = x.copy()
    s = 0.0
    for _ in range(n):
        s += u[0] ** 2
        old = u.copy()
        old[0] = s
        u[0] = 0.5 * old[0] + old[1]
    return s + u[0]


def swapped(x, n):
    u, w = x.copy(), 0.5 * x
    s = 0.0
    for _ in range(n):
        s += u[0] ** 2
        u, w = w, u
        s += u[0] ** 3
        old = u.copy()
        u[0] = np.cos(s) * old[1]
    return s + u[0] * w[0]


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 1, 3])
@pytest.mark.parametrize("program", [flow, stored_between, stored_through_a_view, copy_written, swapped])
def test_gradients_are_right(program, n):
    assert_gradient(program, np.array([0.3, 0.7, -0.2, 0.5]), n, wrt=(0,), modes=("loops", "gradient", "tangent"))


def test_elements_are_read_from_the_copy_up_to_the_next_store():
    before, after = srcad.source(flow, **GIVEN).split("np.copy(u)")
    assert "** 2" in after
    assert " u[" not in after.split("** 2")[0]
    before, after = srcad.source(stored_between, **GIVEN).split("np.copy(u)")
    assert "u[0] = " in before
    assert "u[1]" not in before
    assert "= u[1]" in after


def test_what_has_become_a_copys_element_is_not_recorded():
    given = {"signature": "f8[::1], i8", "mode": "grad"}
    traces = [srcad.source(flow, without=each, **given).count("_trace = np.empty") for each in ((), "copy_hoisting")]
    assert traces[0] < traces[1]


def test_a_copy_that_is_written_into_and_one_that_nothing_is_read_beside_stay():
    assert srcad.source(copy_written, **GIVEN) == srcad.source(copy_written, without="copy_hoisting", **GIVEN)
