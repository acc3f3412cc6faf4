"""Loops that add are cut at the box in which they store: see also what `test_overwrite` makes of whole programs."""

import numpy as np
import pytest
from numba import types as nb

from srcad.names import Names
from srcad.printing.printer import print_function
from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.loop_analysis.array_extents import Shapes
from srcad.transforms.postoptimise.array_contraction_to_scalar import first_store
from srcad.transforms.postoptimise.zero_store_forwarding import cut_out, visits
from tests.transforms.core_text import parsed

KINDS = {**dict.fromkeys("uw", nb.float64[:, ::1]), **dict.fromkeys("nmij", nb.int64)}
BOX = "def f(u, w, n, m):\n    for i in range(1, n):\n        for j in range(2, m):\n            u[i, j] = 0.0\n"


def cut(text):
    """The text, cut at the box 1 <= i < n, 2 <= j < m, and whether that was possible."""
    clear, tree, names = parsed(BOX).body[0], parsed(text), Names(set("uwnmij"))
    shapes = Shapes(Ranks(tree.body, ("u", "w", "n", "m"), KINDS).of, frozenset("nmij"))
    (add,) = visits(tree.body[0], "u", shapes)
    done = cut_out(
        tree.body[0], add, visits(clear, "u", shapes)[0].box(shapes), first_store(add.users[0], "u"), shapes, names
    )
    return print_function(tree), done


def results(text, n, m):
    """What is left of ones in the box, zeros around it."""
    u = np.zeros((9, 9))
    exec(text, namespace := {})
    u[1:n, 2:m] = 0.0
    namespace["f"](u, np.arange(81.0).reshape(9, 9), n, m)
    return u


ADD = (
    "def f(u, w, n, m):\n    for i in range({}):\n        if 2 < m:\n            for j in range({}):\n"
    "                u[{}] += w[i, j]\n"
)


@pytest.mark.parametrize(
    ("outer", "inner", "index", "expected"),
    [
        ("n + 1", "m + 1", "i, j", "skip = m - 2 if 1 <= i < n else 0"),
        ("1, n + 1", "m", "i, j", "skip = m - 2 if i < n else 0"),
        ("n", "m", "i, j", "skip = m - 2 if 1 <= i else 0"),
        ("1, n", "m", "i, j", "skip = m - 2\n"),
        ("n, -1, -1", "m, -1, -1", "i, j", "skip = m - 2 if 1 <= i < n else 0"),
        ("n + 1", "m", "i, j + 1", "j = at + skip if 1 <= at else at"),
        ("1, n", "2, m", "i, j", "u[i, j] = w[i, j]"),
    ],
)
def test_loops_are_cut(outer, inner, index, expected):
    text = ADD.format(outer, inner, index)
    found, done = cut(text)
    assert done
    assert expected in found
    for n in range(5):
        for m in range(6):
            np.testing.assert_array_equal(results(found, n, m), results(text, n, m))


def test_nothing_is_left_of_a_loop_that_is_all_in_the_box():
    found, done = cut(ADD.format("1, n", "2, m", "i, j"))
    assert done
    assert "+=" not in found


def test_loops_with_more_in_them_stay():
    text = ADD.format("n", "m", "i, j") + "                w[i, j] = 0.0\n"
    assert cut(text)[1] is False


def test_loops_that_the_box_may_not_lie_in_stay():
    text = "def f(u, w, n, m):\n    for i in range(n):\n        for j in range(m):\n            u[i, j] += w[i, j]\n"
    assert cut(text)[1] is False  # with m == 1 it would end before it begins
