"""An adjoint is allocated by extents where the array that it is shaped like has no other use."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.transforms.core_text import changes

MATRICES = {**dict.fromkeys("xytgz", nb.float64[:, ::1]), "f": nb.float32[:, ::1], "n": nb.int64, "m": nb.int64}


def has_extents(*lines, runs=True):
    text = "def f(x, y):\n    " + "\n    ".join([*lines, "return g"]) + "\n"
    return changes("shape_copy_elision", text, MATRICES, [(np.ones((2, 3)), np.ones((3, 4)))] if runs else ())


def test_an_adjoint_is_made_by_the_extents_of_what_ends():
    assert has_extents("t = x @ y", "z = t * 2.0", "g = np.zeros_like(t)")
    assert has_extents("n = x.shape[0]", "t = np.empty((n, 4))", "g = np.zeros_like(t)")


def test_nothing_is_computed_for_its_shape():
    assert has_extents("g = np.zeros_like(x @ y)")
    assert has_extents("for i in range(2):", "    g = np.zeros_like(x @ y)", "    g[0] = 1.0")
    assert not has_extents("g = np.zeros_like(np.roll(x @ y, 1)[1:])")


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
    assert "np.empty((x.shape[0], w.shape[1]))" in text


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
