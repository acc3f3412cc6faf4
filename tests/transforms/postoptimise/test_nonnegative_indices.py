"""Indices of which the sign is proved, and only these."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.printing.printer import print_function
from srcad.transforms.ir.build import walk_statements
from srcad.transforms.ir.node_notes import notes_of
from tests.checking import assert_gradient
from tests.transforms.core_text import parsed, tree_after

KINDS = {**dict.fromkeys("xy", nb.float64[::1]), **dict.fromkeys("nmcrkt", nb.int64)}


def natural(headers, statement):
    """What is promised of the innermost of some loops."""
    lines = ["def f(x, y, n, m):"]
    for depth, header in enumerate((*headers, statement), 1):
        lines += ["    " * depth + each for each in header.split("\n")]
    tree = parsed("\n".join(lines))
    tree_after("nonnegative_indices", tree, KINDS)
    return [print_function(part).strip() for each in walk_statements(tree.body) for part in notes_of(each).natural]


ROWS = "for c in range(n):"


@pytest.mark.parametrize(
    ("headers", "statement", "found"),
    [
        ([ROWS, "for r in range(c + 1, n):"], "x[r] += y[r]", ["r"]),
        ([ROWS, "t = c + 1\nif t < n:\n    k = 2\nfor r in range(t, n):"], "x[r - 1] += y[r]", ["r"]),
        ([ROWS, "for r in range(2 * c, m):"], "x[r] = 0.0", ["r"]),
        ([ROWS, "for r in range(n - 1, c, -1):"], "x[r] += y[r - 1]", ["r"]),
        (["for r in range(n):"], "x[n - r] += y[r]", ["n - r"]),
        ([ROWS, "for r in range(c):"], "x[c - r] += y[c - r]", ["c - r"]),
        (["for c in range(3, n):", "for r in range(c - 3, n):"], "x[r] = 1.0", ["r"]),
    ],
)
def test_proved(headers, statement, found):
    assert natural(headers, statement) == found


@pytest.mark.parametrize(
    ("headers", "statement"),
    [
        (["for r in range(n):"], "x[r] += y[r]"),  # seen by LLVM
        (["for r in range(m, n):"], "x[r] += y[r]"),  # m may be negative
        ([ROWS, "for r in range(c - 1, n):"], "x[r] += y[r]"),  # from -1 on
        ([ROWS, "for r in range(c + 1, n, 2):"], "x[r] += y[r]"),
        ([ROWS, "for r in range(c + 1, n):"], "r = r - 9\nx[r] += y[r]"),
        ([ROWS, "for r in range(c + 1, n):"], "for k in range(2):\n    x[r] += y[k]"),  # not innermost
        ([ROWS, "for r in range(c + 1, n):"], "x[0] += y[0]"),  # not a subscript
        (["for r in range(n):"], "x[m - r] += y[r]"),
        (["for r in range(n, -1, -1):"], "x[r] += y[r]"),
        ([ROWS, "for r in range(n, c - 2, -1):"], "x[r] += y[r]"),
        (["for r in range(-2, n):"], "x[r] += y[r]"),
    ],
)
def test_not_proved_or_not_needed(headers, statement):
    assert natural(headers, statement) == []


def wrapped(x):
    y = np.zeros(x.size)
    for c in range(x.size):
        for r in range(c - 1, x.size):
            y[r] += x[r] * x[c]
        for r in range(c + 1, x.size):
            y[r] -= x[r] * x[c] * y[r - c]
    return np.sum(y * y)


@pytest.mark.compiled
def test_subscripts_that_wrap_still_do():
    x = np.linspace(0.2, 1.1, 9)
    assert srcad.source(wrapped, args=(x,)).count("kernels.natural(r") == 2
    assert_gradient(wrapped, x, modes=("compiled", "gradient"))
