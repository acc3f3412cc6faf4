"""Small arrays of known extents are on the stack where nothing may refer to them after the function."""

import numpy as np
import pytest
from numba import types as nb

from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["a", "b"], nb.float64[:, ::1]),
    **dict.fromkeys(["x", "y", "z"], nb.float64[::1]),
    **dict.fromkeys("nt", nb.int64),
    "s": nb.float64,
}


def program(first, *lines, last="return s"):
    body = "\n        ".join(lines)
    call = "kernels.same_extent(n, n)"
    return f"def f(x, n):\n    {call}\n    {first}\n    s = 0.0\n    for t in range(n):\n        {body}\n    {last}\n"


@pytest.mark.parametrize(
    "text",
    [
        program("y = np.zeros(3)", "y[t % 3] += x[t]", "s += y[0]"),
        program("a = np.eye(3)", "b = np.transpose(a)", "b[0, 1] = x[t]", "s += np.sum(a)"),
        program("y = np.empty(2)", "y[0] = x[t]", "z = y[:1]", "s += z[0]"),
        program("y = np.zeros(2)", "kernels.copy_to(y, x[:2])", "s += y @ y"),
        program("y = np.zeros_like(x[:2])\n    z = np.zeros(3)", "z[0] += 1.0", "s += z[0]"),
    ],
)
def test_arrays_are_on_the_stack(text):
    after = apply("stack_arrays", text, KINDS)
    assert after != unchanged(text)
    assert_same_results(text, after, [(np.arange(3.0), 2), (np.arange(3.0), 0)])


@pytest.mark.parametrize(
    "text",
    [
        program("y = np.zeros(3)", "y[t % 3] += x[t]", last="return y"),
        program("y = np.zeros(3)", "z = y[1:]", last="return s, z"),
        program("y = np.zeros(3)\n    kept = [y]", "s += y[0]", last="return kept"),
        program("y = np.zeros(3)\n    kept = []", "kept.append(y)", last="return kept"),
        program("y = np.zeros(3)", "s += g(y)"),
        program("y = np.zeros(3)", "s += y[0]", last="return np.reshape(y, (3, 1))"),
        program("y = np.zeros(n)", "s += y[0]"),
        program("y = np.zeros(65)", "s += y[0]"),
        program("y = np.zeros(3, np.float32)", "s += y[0]"),
        program("s = 0.0", "y = np.zeros(3)", "s += y[0]"),
        program("y = np.zeros(0)", "s += x[0]"),
        program("y = np.zeros(3)\n    y = x if n > 2 else y", "s += y[0]"),
    ],
)
def test_arrays_that_may_be_kept_or_are_made_in_loops_stay(text):
    assert apply("stack_arrays", text, KINDS) == unchanged(text)
