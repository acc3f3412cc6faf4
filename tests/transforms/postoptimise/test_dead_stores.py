"""Elements of adjoints are not cleared where nothing reads them, and only these."""

import numpy as np
import pytest
from numba import types as nb

from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["a", "b", "y", "z"], nb.float64[::1]),
    **dict.fromkeys(["c", "d"], nb.float64[:, ::1]),
    **dict.fromkeys("nmijkst", nb.int64),
    "w": nb.int64[::1],
}


def is_dropped(text):
    """Whether the pass changes a function, which gives the same."""
    found = apply("dead_stores", text, KINDS)
    assert_same_results(text, found, [(np.arange(1.0, 5.0), n) for n in (0, 1, 4)])
    return found != unchanged(text)


def reader(*lines, made="y = a * 2.0", loop="range(n)", first="pass", last="return b"):
    """An array, a loop that reads it, and what follows."""
    body = "\n        ".join(lines)
    before = f"def f(a, n):\n    b = np.zeros(n + 1)\n    {made}\n    {first}\n"
    return f"{before}    for i in {loop}:\n        {body}\n    {last}\n"


READ = ("t = y[i]", "y[i] = 0.0", "b[i] += t")


@pytest.mark.parametrize(
    "text",
    [
        reader(*READ),
        reader(*READ, loop="range(n - 1, -1, -1)"),
        reader(*READ, loop="range(1, n)"),
        reader(*READ, first="y[0] += 1.0"),
        reader("b[i] = y[i]", "y[i] = 0.0"),
        reader("for j in range(2):", "    b[i] += c[i, j]", "    c[i, j] = 0.0", made="c = np.ones((n, 2))"),
        reader("z = a + 1.0", "for j in range(n):", "    b[i] += z[j]", "    z[j] = 0.0"),
    ],
)
def test_what_nothing_reads_is_not_cleared(text):
    assert is_dropped(text)


@pytest.mark.parametrize(
    "text",
    [
        reader(*READ, last="return b, y"),
        reader(*READ, last="b[0] = np.sum(y)\n    return b"),
        reader(*READ, made="y = a.copy()\n    z = y", last="return b, z"),
        reader(*READ, made="y = a", last="return b, a"),  # the caller's
        reader(*READ, loop="range(-n, n)", made="y = np.ones(2 * n + 1)"),  # -1 is the last one
        reader(*READ, loop="range(n - 1, -2, -1)", made="y = np.ones(n + 1)"),
        reader("t = y[i]", "y[i] = 0.0", "b[i] += t + y[i]"),
        reader("t = y[i]", "y[i] = 0.0", "b[i] += t + y[0]"),
        reader("t = y[i]", "y[i] = 1.0", "b[i] += t"),
        reader("t = y[i // 2]", "y[i // 2] = 0.0", "b[i] += t"),
        reader("for j in range(3):", "    t = y[i]", "    y[i] = 0.0", "    b[i] += t"),  # read again
        reader("for j in range(n):", "    t = y[j]", "    y[j] = 0.0", "    b[i] += t"),
        reader("if i > 0:", "    b[i] += y[i]", "y[i] = 0.0"),
        reader("y[i] = 0.0", "b[i] += 1.0", last="b[0] += y[0]\n    return b"),
        "def f(a, n):\n    y = a * 1.0\n    for k in range(3):\n        for i in range(n):\n            a[i] += y[i]\n"
        "            y[i] = 0.0\n    return a\n",
    ],
)
def test_what_is_read_later_or_may_be_stays_cleared(text):
    is_clear = "if i > 0" in text  # the last statement that mentions the element is dead all the same
    assert is_dropped(text) is is_clear


def elements(*lines, after="pass", result="s"):
    """A loop whose iterations have an array of their own."""
    body = "\n        ".join(["y = a * 2.0", *lines])
    head = "def f(a, n):\n    y = a * 1.0\n    s = 0.0\n    for i in range(n):\n        "
    return f"{head}{body}\n    {after}\n    return {result}\n"


@pytest.mark.parametrize(
    "text",
    [
        elements("s += y[0]", "y[0] = 0.0"),
        elements("s += y[0]", "y[0] = 0.0", "s += y[1]", "y[1] = 0.0"),  # another element is read
        elements("s += y[0]", "y[0] = 0.0", "y = a * 3.0", "s += y[0]"),  # another array
        elements("if s > 1.0:", "    s += y[0]", "    y[0] = 0.0"),
        elements("s += y[0]", "if s > 1.0:", "    y[0] = 0.0"),  # nothing is left of the branch
    ],
)
def test_elements_at_literal_places_that_nothing_reads_are_not_cleared(text):
    found = apply("dead_stores", text, KINDS)
    assert_same_results(text, found, [(np.arange(1.0, 5.0), n) for n in (0, 1, 4)])
    assert "= 0.0" not in found.replace("s = 0.0", "")


@pytest.mark.parametrize(
    "text",
    [
        elements("y[0] = 0.0", "s += y[0]"),
        elements("y[0] = 0.0", "s += y[i]"),
        elements("y[0] = 0.0", "s += y[-4]"),
        elements("y[-4] = 0.0", "s += y[0]"),
        elements("y[0] = 0.0", "s += np.sum(y)"),
        elements("y[0] = 0.0", result="y"),
        elements("y[0] = 0.0", after="s = y[0]"),
        elements("z = y", "y[0] = 0.0", "s += z[0]"),
        elements("y[0] = 0.0", "if i > 1:", "    break", "y = a * 3.0", result="y"),
        elements("y[0] = 0.0", "if i > 1:", "    return y", "y = a * 3.0"),
        elements("y[0] = 0.0", "if i > 1:", "    s += y[0]"),
        elements("y[0] = 0.0", "y += a", "s += y[0]"),
        elements("y[0] = 0.0", "for j in range(2):", "    y += a", "s += y[0]"),
        elements("y[0] = 0.0", "y[0] += 2.0", "s += y[0]"),
        elements("c = np.ones((2, 2))", "c[0, 1] = 0.0", "s += np.sum(c[0])"),
        elements("c = np.ones((2, 2))", "c[0] = 0.0", "s += c[0, 1]"),
        elements("c = np.ones((2, 2))", "c[0, 1] = 0.0", "s += np.sum(c[:, 1])"),
        elements("y[0] = 3.0"),
        elements("a[0] = 0.0", result="a"),
    ],
)
def test_other_elements_stay_cleared(text):
    found = apply("dead_stores", text, KINDS)
    assert found == unchanged(text)
