"""A name that is one of several arrays, written into, is asked for where it is used; all else stays as it was."""

import numpy as np
import pytest

from srcad.errors import MayOverlap
from tests.checking import assert_gradient
from tests.transforms.core_text import body_of, generated, lines, run, settled, unit_after

ONE_OF_TWO = """
def f(x, c):
    u = np.copy(x)
    v = x * 2.0
    if c:
        b = u
    else:
        b = v
    t = x[0]
    b[1] = t
    p = u * v
    s = np.sum(p)
    return s
"""


def chosen(unit, types, **settings):
    return unit_after("alias_versioning", unit, types, **settings).unit


def test_each_use_asks_which_array_it_is():
    unit = chosen(*settled(ONE_OF_TWO, "f8[:], b1"))
    assert body_of(unit) == lines("""
        u = np.copy(x)
        v = x * 2.0
        if c:
            which_b_3 = 0
        else:
            which_b_3 = 1
        t = x[0]
        is_b_3 = which_b_3 == 0
        if is_b_3:
            u[1] = t
        else:
            v[1] = t
        p = u * v
        s = np.sum(p)
        return s
        """)


def test_what_is_not_written_into_stays():
    unit, types = settled(ONE_OF_TWO.replace("b[1] = t", "t = b[1]"), "f8[:], b1")
    assert chosen(unit, types) is unit
    assert "which" in body_of(chosen(unit.with_tree(settled(ONE_OF_TWO, "f8[:], b1")[0].tree), types))


def test_a_swap_in_every_iteration_stays():
    swap = """
def f(x, n):
    a = np.copy(x)
    b = np.zeros_like(x)
    for i in range(n):
        u = a[0]
        b[0] = u
        t = a
        a = b
        b = t
    s = a[0]
    return s
"""
    unit, types = settled(swap, "f8[:], i8")
    assert chosen(unit, types) is unit
    assert "which" in body_of(chosen(unit, types, insist=True))


@pytest.mark.parametrize("c", [True, False])
@pytest.mark.parametrize("mode", ["grad", "vjp"])
def test_the_gradient_is_that_of_the_array_that_it_is(c, mode):
    x = np.array([2.0, 3.0])
    found = run(ONE_OF_TWO, "f8[:], b1", mode, x, c, *([1.0] if mode == "vjp" else []))
    # c: u[1] is x[0], so x0 * 2 x0 + x0 * 2 x1; else v[1] is: x0 * 2 x0 + x1 * x0
    expected = [4 * 2.0 + 2 * 3.0, 2 * 2.0] if c else [4 * 2.0 + 3.0, 2.0]
    np.testing.assert_allclose(found[0] if mode == "vjp" else found, expected)


def test_arrays_that_each_iteration_allocates_are_refused():
    text = """
def f(x, n):
    a = np.copy(x)
    for i in range(n):
        b = a * x
        t = x[i]
        c = t > 0.0
        if c:
            d = a
            a = b
            b = d
        b[0] = t
    s = a[0]
    return s
"""
    unit, types = settled(text, "f8[:], i8")
    assert chosen(unit, types) is unit
    with pytest.raises(MayOverlap, match="allocate arrays that trade places before the loop"):
        generated(text, "f8[:], i8")


def passed_on(a, x):
    u, w = x * a, np.ones(4)
    for _ in range(3):
        u, w = w, u
        for _ in range(2):
            a *= np.sin(w[0])
            u[3] = w[2]
    w[0] += a
    for _ in range(1):
        u, w = w, u
        a *= np.sin(w[0] * w[3])
        u[3] = w[2]
    return a + np.sum(u * w)


@pytest.mark.slow
def test_each_loop_that_is_repeated_records_the_numbers_that_it_passes_on():
    # One trace would not serve both: the second loop would read what the first had left.
    assert_gradient(passed_on, 0.4, np.array([0.3, -0.7, 0.9, 0.2]), modes=("gradient", "loops", "second"))


PASSED_ON = """
def f(x, c):
    u = np.copy(x)
    v = x * 2.0
    if c:
        b = u
    else:
        b = v
    s = 1.0
    s_2 = s
    for i in range(0, 3, 1):
        t = b[i]
        s_3 = s_2 * t
        b[i] = s_3
        s_2 = s_3
    s_4 = s_2
    p = u[0]
    s_5 = s_4 * p
    return s_5
"""


def test_a_name_that_a_repeated_loop_carries_is_stored_by_one_loop_only():
    unit = chosen(*settled(PASSED_ON, "f8[:], b1"))
    loops = body_of(unit).split("is_b_3 = which_b_3 == 0\n")[1]
    assert loops == lines("""
        if is_b_3:
            s_2_2_3 = s_2_2
            for i in range(0, 3, 1):
                t = u[i]
                s_3 = s_2_2_3 * t
                u[i] = s_3
                s_2_3 = s_3
                s_2_2_3 = s_2_3
            s_2_2_2 = s_2_2_3
        else:
            s_2_2_4 = s_2_2
            for i_2 in range(0, 3, 1):
                t_2 = v[i_2]
                s_3_2 = s_2_2_4 * t_2
                v[i_2] = s_3_2
                s_2_3_2 = s_3_2
                s_2_2_4 = s_2_3_2
            s_2_2_2 = s_2_2_4
        s_2_4 = s_2_2_2
        s_4 = s_2_4
        p = u[0]
        s_5 = s_4 * p
        return s_5
        """)


def taken_where_set(x, c):
    u, v = x * 2.0, np.sin(x)
    if c == 1:
        q = np.ones((3, 3)) * x[0]
        b, w = q[1], u
    elif c == 2:
        b, w = v[1:], v
    else:
        w = v
    for i in range(2):
        w[i] *= x[2]
        if c > 0:
            b[0] += w[0] * b[1]
    return np.sum(u) + np.sum(v * v)


@pytest.mark.parametrize("c", [0, 1, 2])
def test_where_one_name_has_no_array_others_have_theirs(c):
    assert_gradient(taken_where_set, np.array([0.3, -0.7, 0.9, 0.2]), c, modes=("gradient", "loops"))


def set_by_iterations(x, c):
    u, b = np.sin(x), None
    v, w, s = x * x, u, 0.0
    for i in range(4):
        if i > c:
            b[0] *= x[1]
            s += b[1] * w[0]
        w[1] += x[i]
        if i == c:
            b = w
        w = v if w[0] > 0.2 else u
    return np.sum(u * v) + s


@pytest.mark.parametrize("c", [0, 1, 5])
def test_what_only_a_later_iteration_uses_need_not_be_an_array_before(c):
    assert_gradient(set_by_iterations, np.array([0.3, -0.7, 0.9, 0.2]), c, modes=("gradient", "loops"))
