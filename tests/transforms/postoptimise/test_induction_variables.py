"""Integers that a loop counts along are counted again by the loop that reverses it."""

import re

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, apply_and_compare, unchanged

INTEGERS = dict.fromkeys(("n", "p", "q", "c", "r", "k", "m"), nb.intp)
KINDS = {**INTEGERS, **dict.fromkeys(("w", "g"), nb.float64[::1]), "p_trace": nb.intp[::1]}
BEFORE = """
m = n - 1
p_trace = np.empty(n, np.int64)
{first}
for c in range(n):
    p_trace[c] = p
    {grow}
for c in range({stop}):
    p = p_trace[c]
    g[c] += w[p]
return g
"""


def sized(n):
    return n, np.linspace(0.0, 1.0, 64), np.ones(n)


def recounted(first, grow, stop="n", cases=()):
    text = BEFORE.format(first=first, grow=grow.replace("\n", "\n    "), stop=stop)
    text = "def f(n, w, g):" + text.replace("\n", "\n    ").rstrip() + "\n"
    return apply_and_compare("induction_variables", text, KINDS, cases)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize(
    ("first", "grow"),
    [
        ("p = 0", "p = p + 1"),
        ("p = n", "q = p + 2\np = q"),
        ("p = 1", "q = p\nfor r in range(c + 1, n):\n    q = q + 1\np = q"),
        ("p = m + 2", "for r in range(c, n - 3):\n    p = p + 2\np = p + c"),
        ("p = 2", "q = p\nif c + 1 < n:\n    k = 1\n    for r in range(c + 1, n):\n        q = q + 1\np = q"),
        ("p = 0", "for r in range(c):\n    for k in range(n):\n        m = 3\n    p = p + 1"),
    ],
)
def test_what_grows_by_what_is_known_is_counted_again(n, first, grow):
    assert "p_trace" not in recounted(first, grow, cases=[sized(n)])


@pytest.mark.parametrize(
    ("first", "grow", "stop"),
    [
        ("p = 0", "if w[c] > 0.3:\n    p = p + 1", "n"),  # under a condition
        ("p = 0", "for r in range(c):\n    p = p + r", "n"),  # by another amount each time
        ("p = 0", "q = 0\np = q + p", "n"),
        ("p = 0", "p = p + 1\nif w[c] > 0.3:\n    break", "n"),
        ("p = 0", "p = p + 1", "m"),  # another range
        ("p = 0\nif w[0] > 0.3:\n    p = 1", "p = p + 1", "n"),  # two beginnings
        ("p = 0", "for r in range(c, n):\n    if w[r] > 0.3:\n        break\n    p = p + 1", "n"),
        ("p = 0", "if c < n - 2:\n    for r in range(c, n):\n        p = p + 1", "n"),  # another guard
        ("p = 0", "for r in range(3):\n    q = p\n    p = q + 1\np = q", "n"),
        ("k = 2\np = k\nk = 0", "p = p + 1", "n"),  # of a name that changes
    ],
)
def test_all_else_is_recorded(first, grow, stop):
    assert "p_trace" in recounted(first, grow, stop)


def test_a_name_that_is_read_behind_the_loop_is_left_alone():
    text = "p = 0\nfor c in range(n):\n    p_trace[c] = p\n    p = p + 1\n"
    text += "for c in range(n):\n    p = p_trace[c]\n    g[c] = w[p]\n"
    text = "def f(n, w, g, p_trace):\n    " + (text + "return g, p\n").replace("\n", "\n    ").rstrip() + "\n"
    assert apply("induction_variables", text, KINDS) == unchanged(text)


@pytest.mark.parametrize("made", ["np.empty(n, np.int8)", "k", "np.zeros(n, np.int64)"])
def test_arrays_of_the_user_stay(made):
    text = f"m = 0\np_trace = {made}\np = 0\nfor c in range(n):\n    p_trace[c] = p\n    p = p + 1\n"
    text += "for c in range(n):\n    p = p_trace[c]\n    g[c] += w[p]\nreturn g\n"
    text = "def f(n, w, g, k):\n    " + text.replace("\n", "\n    ").rstrip() + "\n"
    assert apply("induction_variables", text, KINDS) == unchanged(text)


def packed(v, x):
    """A product with a packed triangle, added up; its scratch is used anew for each row of x."""
    n = x.shape[1]
    y = np.empty(n)
    total = 0.0
    for i in range(x.shape[0]):
        for a in range(n):
            y[a] = np.exp(v[a]) * x[i, a]
        p = n
        for c in range(n):
            for r in range(c + 1, n):
                y[r] += v[p] * x[i, c]
                p += 1
        total += np.log(1.0 + np.sum(y * y))
    return total


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_gradient_of_a_packed_triangle_counts_along(n):
    rng = np.random.default_rng(n)
    args = rng.normal(size=n * (n + 1) // 2), rng.normal(size=(3, n))
    assert_gradient(packed, *args, modes=("gradient", "loops", "tangent"))
    signature = "f8[::1], f8[:, ::1]"
    assert not re.search(r"\bp_trace", srcad.source(packed, signature=signature, mode="grad"))
    assert "p_trace" in srcad.source(packed, signature=signature, mode="grad", without="induction_variables")
