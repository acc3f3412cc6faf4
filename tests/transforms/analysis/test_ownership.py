"""Copies of array references: swaps are followed, what cannot be followed is refused."""

import re

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap
from srcad.transforms.analysis.ownership import swap_groups
from srcad.transforms.analysis.program_facts import analyse_forward
from tests.checking import assert_gradient
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
    ((_, group),) = swap_groups(analyse_forward(unit, types, []))
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
    assert re.search("core.py:(9|10):", message)
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


def two_buffers(x, c, steps):
    u = x.copy()
    v = np.zeros_like(u)
    for _ in range(steps):
        v[1:-1] = u[1:-1] + c * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * u[1:-1]
        u, v = v, u
    return np.sum(u * u) + np.sum(v)


def three_buffers(x, c, steps):
    a, b, d = x.copy(), x * 0.5, np.zeros_like(x)
    for _ in range(steps):
        d[1:-1] = 2.0 * b[1:-1] - a[1:-1] + c * (b[2:] * b[:-2])
        a, b, d = b, d, a
    return np.sum(a * b) + np.sum(d * d)


def swapped_now_and_then(x, c, steps):
    u, v = x.copy(), x * 2.0
    for t in range(steps):
        v[1:-1] = u[2:] * c + u[:-2] * v[1:-1]
        if t % 2 == 0:
            u, v = v, u
    return np.sum(u * u) + c * np.sum(v)


def swapped_twice(x, c, steps):
    u, v = x.copy(), x * 2.0
    for _ in range(steps):
        v[1:-1] = u[2:] * c + u[:-2]
        u, v = v, u
        v[1:-1] = np.sin(u[2:]) * c + u[:-2]
        u, v = v, u
    return np.sum(u * u) + c * np.sum(v)


def one_array(x, c, steps):
    u = x.copy()
    v = u
    for _ in range(steps):
        v[1:-1] = u[2:] * c + u[:-2]
        u, v = v, u
    return np.sum(u * u) + c * np.sum(v)


def left_early(x, c, steps):
    u, v = x.copy(), x.copy()
    for _ in range(steps):
        v[1:] = u[:-1] * c + v[1:] * u[1:]
        u, v = v, u
        if np.sum(u) > 3.5:
            break
    return np.sum(u * v)


def in_two_dimensions(x, c, steps):
    u = np.outer(x, x)
    v = u.copy()
    for _ in range(steps):
        v[1:-1, 1:-1] = u[1:-1, 1:-1] + c * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] - 3.0 * u[1:-1, :-2])
        u, v = v, u
    return np.sum(u * u * u)


@pytest.mark.slow
@pytest.mark.parametrize(("length", "steps"), [(6, 3), (1, 3), (6, 0)])
@pytest.mark.parametrize(
    "program",
    [two_buffers, three_buffers, swapped_now_and_then, swapped_twice, one_array, left_early, in_two_dimensions],
)
def test_slices_of_arrays_that_trade_places(program, steps, length):
    assert_gradient(program, np.linspace(0.4, 0.9, length), 0.3, steps, modes=("arrays", "loops"), rtol=1e-6)


def test_arrays_that_trade_places_are_read_and_written_in_one_loop_that_runs_forwards():
    text = srcad.source(two_buffers, args=(np.ones(5), 0.3, 3), wrt=(0, 1))
    assert re.search(
        r"(\w+) = x\[1:-1\].shape\[0\]\n(.*\n)*    \w+ = np.empty\(\(max\(steps, 0\), max\(\1, 0\)\)\)", text
    )
    assert text.count("range(steps - 1, -1, -1)") == text.count(", -1)") == 1


def the_same_array_in_each_iteration(x, n):
    row = np.ones(3)
    other = x.copy()
    for _ in range(n):
        for a in range(3):
            row[a] = np.tanh(row[a] * x[a])
        row = other
    return row[2]


@pytest.mark.parametrize("n", [0, 1, 3])
def test_an_array_that_a_loop_takes_anew_holds_what_was_written_under_the_other_name(n):
    assert_gradient(the_same_array_in_each_iteration, np.array([0.3, 0.5, 0.7]), n, modes=("loops",), rtol=1e-6)


def renamed_in_one_arm(x, a):
    u = x.copy()
    if a > 0.3:
        if x[0] > 5.0:
            u = u.copy()
        v = u
        v[0] = v[0] * v[0] + a
    else:
        u[-2:] *= a
    return np.sum(u * u)


def renamed_after_a_loop(x, a):
    u = x.copy()
    if a > 0.3:
        k = 0
        while True:
            k += 1
            if k > 3:
                break
            u[::-2] += u[:2] * a
        else:
            u = u.copy()
        v = u
        v[0] += np.sin(v[1] + a)
    else:
        u = u * a
    return np.sum(u * u) + a


@pytest.mark.parametrize("a", [0.5, 0.2])
@pytest.mark.parametrize("program", [renamed_in_one_arm, renamed_after_a_loop])
def test_what_another_arm_stores_is_not_stored_after_a_copy(program, a):
    """The gradient missed what was written by the second name: the name of the join seemed to be stored again."""
    assert_gradient(program, np.array([0.3, -0.7, 0.9, 0.2]), a, modes=["arrays", "tangent"])
