"""Sums of which the order is free are found, and only these."""

import numba
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.node_notes import notes_of
from tests.transforms.core_text import parsed, tree_after

KINDS = {
    **dict.fromkeys("xyw", nb.float64[::1]),
    **dict.fromkeys("stuz", nb.float64),
    **dict.fromkeys("nijkm", nb.int64),
    "c": nb.complex128,
    "table": nb.int64[::1],
}


def free(body, result="w", primals=0, behind="pass"):
    """How many statements of a loop are found to add to free sums."""
    lines = "\n        ".join(body.split("\n"))
    header = "def f(x, y, w, s, c, n, table):\n    for i in range(n):"
    tree = parsed(f"{header}\n        {lines}\n    {behind}\n    return {result}, s\n")
    tree_after("unordered_reductions", tree, KINDS, primals=primals)
    return sum(notes_of(each).is_unordered for each in walk_statements(tree.body))


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("s += x[i] * y[i]", 1),
        ("c += x[i]", 1),
        ("s = s - x[i]", 1),
        ("t = x[i]\ns += t\ns -= y[i] * t\nw[i] = t", 2),
        ("if y[i] > 0.0:\n    s += x[i]", 1),
        ("s += np.sqrt(abs(x[i]))", 1),
        ("for k in range(i):\n    s += x[k]", 1),
    ],
)
def test_sums_of_an_innermost_loop(body, count):
    assert free(body) == count


@pytest.mark.parametrize(
    "body",
    [
        "s += x[i]\nw[i] = s",  # each value of the sum is read
        "s += s * x[i]",
        "s = x[i] - s",
        "s *= x[i]",
        "s += np.sin(x[i])",  # no vector instruction
        "s += x[table[i]]",  # elements are gathered
        "k = table[i]\ns += x[k]",
        "m += 1",
        "s += x[i]\nfor k in range(n):\n    w[k] += x[i]",  # not innermost
    ],
)
def test_what_is_no_such_sum(body):
    assert not free(body)


def test_what_a_choice_depends_on_keeps_its_order():
    assert not free("s += x[i]", behind="t = 2.0 * s\n    if t > 1.0:\n        w[0] = 0.0")
    assert not free("s += x[i]", result="np.floor(s)")
    assert not free("s += x[i]", behind="w[0] = s\n    t = np.argmax(w)")
    assert free("s += x[i]", behind="w[0] = np.exp(s)") == 1


def test_results_of_the_primal_keep_their_order():
    assert free("s += x[i]", result="2.0 * s", primals=1) == 0
    assert free("s += x[i]", result="y", primals=1) == 1


def weighted(x, a):
    total = 0.0
    for i in range(x.size):
        total += a * x[i]
    return total


@pytest.mark.compiled
def test_the_value_is_the_primals_to_the_last_bit_and_the_gradient_is_right():
    x = np.random.default_rng(3).normal(size=1001) * 10.0 ** np.arange(-8, 9).repeat(60)[:1001]
    both = srcad.value_and_grad(weighted, wrt=(0, 1))
    value, (x_bar, a_bar) = both(x, 1.7)
    assert value == numba.njit(weighted)(x, 1.7)
    np.testing.assert_array_equal(x_bar, np.full(1001, 1.7))
    assert a_bar == pytest.approx(np.sum(x), rel=1e-12)
    assert "kernels.plus(a_bar" in srcad.source(weighted, args=(x, 1.7), mode="value_and_grad", wrt=(0, 1))
