"""Sums into neighbouring elements are gathered, with zeros at the ends of the rows that they come from."""

import gast
import numpy as np
import pytest
from numba import types as nb

from srcad.transforms.ir.cost_model import MOST_ELEMENTS_APART
from tests.transforms.core_text import apply_and_compare, changes, parsed

KINDS = {
    **dict.fromkeys("vx", nb.float64[::1]),
    "a": nb.float64[:, ::1],
    "t": nb.float64,
    **dict.fromkeys("nij", nb.int64),
}


def gathered(body, high="n", cases=()):
    """The sums as they become; what they give stays."""
    text = f"""
def f(x, n):
    v = np.zeros(2 * n + 20)
    a = np.zeros((n + 3, n + 20))
    for j in range({high}):
        t = x[j] + 1.0
        {body}
    return v, a
"""
    return apply_and_compare("loop_distribution", text, KINDS, cases, rtol=1e-14, atol=1e-15)


def loops(text):
    return sum(isinstance(node, gast.For) for node in gast.walk(parsed(text)))


@pytest.mark.parametrize("n", [0, 1, 2, 7])
@pytest.mark.parametrize(
    "body",
    [
        "v[j] += t; v[j + 1] -= t; v[j + 3] += 2.0 * t",
        "v[j + 2] -= t; v[j] -= x[j]",
        "a[2, j] += t; a[2, j + 1] += t; a[1, j + 1] -= t; a[0, j + 2] += t; a[0, j] += t",
        "v[j + 1] += t; v[j + 1] += x[j]; v[j] += t",
    ],
)
def test_gathered_sums_are_the_scattered_ones(body, n):
    assert loops(gathered(body, cases=[(np.linspace(0.3, 0.9, n), n)])) > 1


def test_each_line_of_an_array_has_one_loop():
    assert loops(gathered("a[2, j] += t; a[2, j + 1] += t; a[1, j + 1] -= t; a[0, j + 2] += t; a[0, j] += t")) == 4


def test_what_is_far_apart_is_not_gathered():
    assert loops(gathered(f"v[j] += t; v[j + {MOST_ELEMENTS_APART + 1}] += t")) == 3
    assert loops(gathered(f"v[j] += t; v[j + {MOST_ELEMENTS_APART}] += t")) == 2


def test_rows_of_loops_of_different_lengths_have_zeros_of_their_own():
    text = """
def f(x, n):
    v = np.zeros(n + 5)
    for i in range(n, 0, -1):
        for j in range(i):
            t = x[j] + 1.0
            v[j] += t
            v[j + 2] += t
    return v
"""
    assert changes("loop_distribution", text, KINDS, [(np.arange(6.0), 6)], rtol=1e-7)
