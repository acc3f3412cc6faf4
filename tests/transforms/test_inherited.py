"""The last copy of an array is the array."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.printer import print_function
from srcad.transforms.inherited import without_last_copies
from tests.transforms.core_text import parsed, result_of

KINDS = {**dict.fromkeys("xyabcv", nb.float64[::1]), "s": nb.float64}


def both(*lines):
    text = "def f(x, y):\n    " + "\n    ".join(lines) + "\n"
    tree = parsed(text)
    tree.body = without_last_copies(tree.body, ("x", "y"), KINDS)
    return parsed(text), tree


def test_a_copy_takes_over_what_ends():
    _, after = both("a = np.zeros_like(x)", "a[0] = 1.0", "b = np.copy(a)", "b[1] = 2.0", "return b")
    assert print_function(after).split("\n")[1:-1] == [
        "    a = np.zeros_like(x)",
        "    a[0] = 1.0",
        "    a[1] = 2.0",
        "    return a",
    ]


@pytest.mark.parametrize(
    "lines",
    [
        ["b = np.copy(x)", "b[1] = 2.0", "return b"],  # the caller's
        ["a = np.zeros_like(x)", "b = np.copy(a)", "b[1] = 2.0", "return a, b"],
        ["a = np.zeros_like(x)", "v = a[1:]", "b = np.copy(a)", "b[1] = 2.0", "return v, b"],
        ["a = x[1:]", "b = np.copy(a)", "b[0] = 2.0", "return b"],
        ["a = np.zeros_like(x)", "b = np.copy(a)", "c = np.copy(a)", "b[1] = 2.0", "return b, c"],
        ["b = x", "a = np.zeros_like(x)", "if x[0] > 0.0:", "    b = np.copy(a)", "b[1] = 2.0", "return b"],
    ],
)
def test_results_stay_and_arguments_too(lines):
    before, after = both(*lines)
    x, y = np.array([0.3, 0.7, 0.1]), np.ones(3)
    given = x.copy()
    np.testing.assert_equal(result_of(after, given, y), result_of(before, x.copy(), y))
    if "b = x" not in lines:
        np.testing.assert_equal(given, x)


def shifted(x, n):
    a = x.copy()
    for i in range(1, n):
        a[i] += a[i - 1] ** 2
    return np.sum(a)


def test_a_gradient_has_one_adjoint_for_an_argument_and_its_copy():
    assert "np.copy(a_bar)" not in srcad.source(shifted, signature="f8[::1], i8", wrt=(0,), mode="grad")
