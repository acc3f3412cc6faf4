"""Copies of array references: swaps are followed, what cannot be followed is refused."""

import numpy as np
import pytest

from srcad.errors import MayOverlap
from srcad.transforms.moves import swap_groups
from srcad.transforms.program import analyse_forward
from tests.transforms.core_text import generated, run, settled

SWAP = """
def f(x, n):
    a = np.copy(x)
    b = np.zeros_like(x)
    for i in range(n):
        u = a[0]
        v = a[1]
        p = u * v
        b[0] = p
        b[1] = u
        t = a
        a = b
        b = t
    s = a[0]
    return s
"""


def powers(n):
    """(a, b) -> (a b, a), n times: the exponents of what is returned."""
    first, second = np.array([1, 0]), np.array([0, 1])
    for _ in range(n):
        first, second = first + second, first
    return first


@pytest.mark.parametrize("mode", ["grad", "vjp"])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_a_swap_of_two_buffers_is_followed(mode, n):
    x = np.array([1.1, 0.7])
    i, j = powers(n)
    expected = [i * 1.1 ** (i - 1.0) * 0.7**j, j * 1.1**i * 0.7 ** (j - 1.0)]
    found = run(SWAP, "f8[:], i8", mode, x, n, *([1.0] if mode == "vjp" else []))
    np.testing.assert_allclose(found[0] if mode == "vjp" else found, expected)


def test_swapped_buffers_are_one_group():
    unit, types = settled(SWAP, "f8[:], i8")
    (group,) = swap_groups(analyse_forward(unit, types, []))
    assert len(group) == 2


def test_buffers_that_begin_as_one_array_are_no_group():
    unit, types = settled(SWAP.replace("b = np.zeros_like(x)", "b = a"), "f8[:], i8")
    assert swap_groups(analyse_forward(unit, types, [])) == []


AMBIGUOUS = """
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


@pytest.mark.parametrize("mode", ["grad", "vjp"])
def test_an_ambiguous_alias_is_refused_naming_both_lines(mode):
    with pytest.raises(MayOverlap) as caught:
        generated(AMBIGUOUS, "f8[:], i8", mode)
    message = str(caught.value)
    assert "core.py:9" in message
    assert "line 11" in message
    assert ".copy()" in message


def test_the_way_out_works():
    text = AMBIGUOUS.replace("d = a", "d = np.copy(a)").replace("a = b", "a = np.copy(b)")
    x = np.array([3.0, 1.0])  # the cube of the first
    np.testing.assert_array_equal(run(text, "f8[:], i8", "grad", x, 2), [27.0, 0.0])


def test_an_alias_of_what_nobody_writes_into_is_accepted():
    text = """
def f(x, y, n):
    c = n > 0
    if c:
        w = x
    else:
        w = y
    u = x[0]
    v = w[0]
    s = u * v
    return s
"""
    x, y = np.array([3.0]), np.array([5.0])
    np.testing.assert_array_equal(run(text, "f8[:], f8[:], i8", "grad", x, y, 1), [6.0])
    np.testing.assert_array_equal(run(text, "f8[:], f8[:], i8", "grad", x, y, 0), [5.0])


def test_a_second_name_of_an_array_is_the_array():
    text = """
def f(x):
    a = np.copy(x)
    b = a
    b[0] = 2.0
    u = a[0]
    v = a[1]
    s = u * v
    return s
"""
    np.testing.assert_array_equal(run(text, "f8[:]", "grad", np.array([3.0, 5.0])), [0.0, 2.0])


def test_a_loop_that_keeps_the_old_array_beside_the_written_one_is_refused_or_right():
    text = """
def f(x, n):
    a = np.copy(x)
    s = 0.0
    old = a
    for i in range(n):
        new = np.copy(a)
        u = old[0]
        new[0] = u
        s = s + u
        old = a
        a = new
    return s
"""
    x = np.array([3.0])
    try:
        found = run(text, "f8[:], i8", "grad", x, 4)
    except MayOverlap:
        return
    np.testing.assert_array_equal(found, [4.0])
