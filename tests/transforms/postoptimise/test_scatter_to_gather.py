"""Sums into neighbouring elements are gathered, with zeros at the ends of the rows that they come from."""

import numpy as np
import pytest
from numba import types as nb

from srcad.printing.printer import print_function
from srcad.transforms.ir.cost_model import MOST_ELEMENTS_APART
from srcad.transforms.postoptimise.loop_distribution import distributed
from tests.transforms.core_text import parsed, result_of

KINDS = {**dict.fromkeys("vx", nb.float64[::1]), "a": nb.float64[:, ::1], **dict.fromkeys("nij", nb.int64)}


def both(body, high="n"):
    text = f"""
def f(x, n):
    v = np.zeros(2 * n + 20)
    a = np.zeros((n + 3, n + 20))
    for j in range({high}):
        t = x[j] + 1.0
        {body}
    return v, a
"""
    tree = parsed(text)
    tree.body = distributed(tree.body, ("x", "n"), KINDS | {"t": nb.float64})
    return parsed(text), tree


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
    before, tree = both(body)
    assert "if 0 < n" in print_function(tree)
    x = np.linspace(0.3, 0.9, n)
    for found, expected in zip(result_of(tree, x, n), result_of(before, x, n), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-15)


def test_each_line_of_an_array_has_one_loop():
    _, tree = both("a[2, j] += t; a[2, j + 1] += t; a[1, j + 1] -= t; a[0, j + 2] += t; a[0, j] += t")
    text = print_function(tree)
    assert text.count("for j") == 4
    assert "a[2, j] += t_row[j + 2] + t_row[j + 1]" in text
    assert "a[0, j] += t_row[j + 2] + t_row[j]" in text


def test_what_is_far_apart_is_not_gathered():
    _, tree = both(f"v[j] += t; v[j + {MOST_ELEMENTS_APART + 1}] += t")
    assert print_function(tree).count("for j") == 3
    _, tree = both(f"v[j] += t; v[j + {MOST_ELEMENTS_APART}] += t")
    assert print_function(tree).count("for j") == 2


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
    tree = parsed(text)
    tree.body = distributed(tree.body, ("x", "n"), KINDS | {"t": nb.float64})
    assert "t_row" in print_function(tree)
    np.testing.assert_allclose(result_of(tree, np.arange(6.0), 6), result_of(parsed(text), np.arange(6.0), 6))
