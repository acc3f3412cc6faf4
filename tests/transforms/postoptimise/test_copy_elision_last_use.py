"""The last copy of an array is the array."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.transforms.core_text import changes

KINDS = {**dict.fromkeys("xyabcv", nb.float64[::1]), "s": nb.float64}


CASE = np.array([0.3, 0.7, 0.1]), np.ones(3)


def is_uncopied(*lines):
    return changes("copy_elision_last_use", "def f(x, y):\n    " + "\n    ".join(lines) + "\n", KINDS, [CASE])


def test_a_copy_takes_over_what_ends():
    assert is_uncopied("a = np.zeros_like(x)", "a[0] = 1.0", "b = np.copy(a)", "b[1] = 2.0", "return b")


def test_a_name_that_was_a_view_of_it_does_not_matter_once_it_is_another_array():
    again = ["v = a[1:]", "v[0] = 2.0", "b = np.copy(a)", "v = np.ones_like(x)", "b[1] = 3.0", "return v, b"]
    assert is_uncopied("a = np.zeros_like(x)", *again)
    assert not is_uncopied("a = np.zeros_like(x)", *again[:3], *again[4:])  # the view is still one


def test_the_last_of_two_copies_does():
    assert is_uncopied("a = np.zeros_like(x)", "b = np.copy(a)", "c = np.copy(a)", "b[1] = 2.0", "return b, c")


@pytest.mark.parametrize(
    "lines",
    [
        ["b = np.copy(x)", "b[1] = 2.0", "return b"],  # the caller's
        ["a = np.zeros_like(x)", "b = np.copy(a)", "b[1] = 2.0", "return a, b"],
        ["a = np.zeros_like(x)", "v = a[1:]", "b = np.copy(a)", "b[1] = 2.0", "return v, b"],
        ["a = x[1:]", "b = np.copy(a)", "b[0] = 2.0", "return b"],
        ["b = x", "a = np.zeros_like(x)", "if x[0] > 0.0:", "    b = np.copy(a)", "b[1] = 2.0", "return b"],
    ],
)
def test_other_copies_stay(lines):
    assert not is_uncopied(*lines)


def shifted(x, n):
    a = x.copy()
    for i in range(1, n):
        a[i] += a[i - 1] ** 2
    return np.sum(a)


def test_a_gradient_has_one_adjoint_for_an_argument_and_its_copy():
    assert "np.copy(a_bar)" not in srcad.source(shifted, signature="f8[::1], i8", wrt=(0,), mode="grad")


MATRICES = {**dict.fromkeys("xytgz", nb.float64[:, ::1]), "f": nb.float32[:, ::1], "n": nb.int64, "m": nb.int64}


def has_extents(*lines, runs=True):
    text = "def f(x, y):\n    " + "\n    ".join([*lines, "return g"]) + "\n"
    return changes("shape_copy_elision", text, MATRICES, [(np.ones((2, 3)), np.ones((3, 4)))] if runs else ())


def test_an_adjoint_is_made_by_the_extents_of_what_ends():
    assert has_extents("t = x @ y", "z = t * 2.0", "g = np.zeros_like(t)")
    assert has_extents("n = x.shape[0]", "t = np.empty((n, 4))", "g = np.zeros_like(t)")


@pytest.mark.parametrize(
    "lines",
    [
        ["t = x @ y", "g = np.zeros_like(t)", "g[0, 0] = t[0, 0]"],  # does not end
        ["g = np.zeros_like(x)"],  # the caller's
        ["f = x @ y", "g = np.zeros_like(f)"],  # of another type
        ["z = np.tanh(x)", "t = z @ y", "g = np.zeros_like(t)"],  # another array would be kept
        ["n = x.shape[0]", "t = np.empty((n, 4))", "n = 3", "g = np.zeros_like(t)"],
        ["t = x @ y", "if x[0, 0] > 0.0:", "    t = x * 2.0", "g = np.zeros_like(t)"],
    ],
)
def test_other_arrays_are_asked_for_their_shapes(lines):
    assert not has_extents(*lines, runs=False)


def layered(w, v, x):
    return np.sum(np.tanh(np.tanh(x @ w) @ v))


def test_products_do_not_wait_for_the_end_of_the_function():
    text = srcad.source(
        layered, signature=", ".join(["f8[:, ::1]"] * 3), wrt=(0, 1), mode="grad", without="buffer_reuse"
    )
    assert "v_bar = kernels.transpose_times" in text
    assert "np.zeros((x.shape[0], w.shape[1]))" in text


@pytest.mark.parametrize(
    "lines",
    [
        ["for i in range(n):", "    t = np.empty((n, 4))", "    g = np.zeros_like(t)", "    g[0] = t[0]"],
        ["for i in range(n):", "    t = np.empty((n, m))", "    m = 3", "    g = np.zeros_like(t)"],
        ["for i in range(n):", "    t = np.empty((n, 4))", "    g = np.zeros_like(t)", "z = t"],
        ["for i in range(n):", "    z = t", "    t = np.empty((n, 4))", "    g = np.zeros_like(t)"],
        ["for i in range(n):", "    t = np.empty((n, 4))", "    z = t", "    g = np.zeros_like(t)"],
    ],
)
def test_arrays_that_are_read_too_are_made(lines):
    assert not has_extents(*lines, runs=False)
