"""Small arrays that a loop passes on stay in one place, where nothing else may refer to their memory."""

import numpy as np
import pytest
from numba import types as nb

from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["y", "z", "new", "x"], nb.float64[::1]),
    **dict.fromkeys("nti", nb.int64),
    "s": nb.float64,
}
FILL = ("new = np.empty(3)", "for i in range(3):", "    new[i] = y[2 - i] + x[i]")


def program(*lines, first="y = np.zeros(3)", last="return s + y[0] + 2.0 * y[1]"):
    body = "\n        ".join(lines)
    return f"def f(x, n):\n    {first}\n    s = 0.0\n    for t in range(n):\n        {body}\n    {last}\n"


@pytest.mark.parametrize(
    "text",
    [
        program(*FILL, "y = new"),
        program(*FILL, "y = new", "y[0] = 7.0", "s += new[0]"),
        program("z = y", "y = np.zeros(3)", "y[1] = z[0] + x[2] * z[2]", "y[2] += 1.0", "s += z[1]"),
        program("s += y[1]", *FILL, "s += y[0]", "y = new", "s += y[2]", last="return y"),
        program("z = y", *FILL, "y = new", "z[0] += y[1]", "s += z[0]"),
    ],
)
def test_arrays_stay_in_one_place(text):
    after = apply("carried_arrays", text, KINDS)
    assert after != unchanged(text)
    hoisted = apply(["carried_arrays", "allocation_hoisting"], text, KINDS)
    assert hoisted != after
    for each in (after, hoisted):
        assert_same_results(text, each, [(np.arange(3.0), n) for n in (0, 1, 2, 5)])


@pytest.mark.parametrize(
    "text",
    [
        program(*FILL, "y = new", first="y = x"),  # the caller's
        program(*FILL, "y = new", first="y = np.zeros(3)\n    z = y", last="return s + z[0] + y[0]"),
        program(*FILL, "if x[0] > 0.0:", "    y = new"),
        program(*FILL, "y = new", "if s > 9.0:", "    break"),
        program(*FILL, "y = new", last="return s + new[0]", first="y = np.zeros(3)\n    new = y"),
        program("kept.append(y)", *FILL, "y = new", first="y = np.zeros(3)\n    kept = []", last="return kept"),
        program("new = np.zeros(4)", "new[0] = y[0] + x[0]", "y = new"),  # of another extent
        program("y = np.zeros(n)", "y[0] += x[0]"),
        program(
            "z = y",
            "y = np.zeros(3)",
            "y[0] = z[0] + 1.0",
            "s += new[0]",
            "new = z",
            first="y = np.zeros(3)\n    new = y",
        ),
    ],
)
def test_others_stay(text):
    assert apply("carried_arrays", text, KINDS) == unchanged(text)
