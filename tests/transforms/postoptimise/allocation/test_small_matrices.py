"""Calls for small matrices of known extents become kernels that know them; other calls stay."""

import gast
import numpy as np
import pytest
from numba import types as nb

from srcad.printing.printer import print_module
from srcad.transforms.postoptimise.allocation.small_matrices import with_general_kernels
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["a", "b", "c", "g"], nb.float64[:, ::1]),
    **dict.fromkeys(["x", "y"], nb.float64[::1]),
    "T": nb.float64[:, :, ::1],
    "w": nb.float32[:, ::1],
    **dict.fromkeys("nt", nb.int64),
    "s": nb.float64,
}


def program(*lines, first=("a = np.ones((2, 3))", "c = np.zeros((2, 2))")):
    head, body = "\n    ".join(first), "\n        ".join(lines)
    return f"def f(g, x, n):\n    {head}\n    s = 0.0\n    for t in range(n):\n        {body}\n    return s\n"


CASES = [np.arange(9.0).reshape(3, 3), np.arange(3.0), 2]


@pytest.mark.parametrize(
    "text",
    [
        program("kernels.blas.times_transpose_into(c, a, a)", "s += c[0, 1]"),
        program("kernels.blas.add_times(c, a, np.transpose(a))", "s += c[0, 1]"),
        program(
            "kernels.known_extent(x.shape[0], 3)", "y = np.empty(2)", "kernels.blas.times_into(y, a, x)", "s += y[1]"
        ),
        program(
            "b = T[t]", "kernels.add_to(c, b)", "s += c[0, 0]", first=("T = np.ones((n, 2, 2))", "c = np.zeros((2, 2))")
        ),
        program("y = np.zeros(3)", "kernels.copy_to(y, a[t % 2])", "s += y[1] + np.trace(c)"),
    ],
)
def test_kernels_know_extents(text):
    after = apply("small_matrices", text, KINDS)
    assert after != unchanged(text)
    assert_same_results(text, after, [CASES, [*CASES[:2], 0]], rtol=1e-14)


@pytest.mark.parametrize(
    "text",
    [
        program("kernels.blas.times_into(c, g, g)"),  # of unknown extents
        program("kernels.blas.times_into(c, c, c)", first=("c = np.zeros((5, 5))",)),  # too many terms
        program("kernels.blas.times_into(w, w, w)", first=("w = np.zeros((2, 2), np.float32)",)),
        program("kernels.add_to(c, x)"),  # which broadcasts
        program("kernels.blas.times_into(c, np.tanh(a), a)", first=("a = np.zeros((2, 2))", "c = np.zeros((2, 2))")),
        program("kernels.blas.times_into(c, a, a)", "a = g", first=("a = np.zeros((2, 2))", "c = np.zeros((2, 2))")),
    ],
)
def test_other_calls_stay(text):
    assert apply("small_matrices", text, KINDS) == unchanged(text)


def test_kernels_for_any_extents_take_their_place_again():
    text = program("kernels.blas.times_transpose_into(c, a, a)", "kernels.add_to(c, c)", "s += c[0, 1]")
    after = apply(["small_matrices", "stack_arrays"], text, KINDS)
    assert "kernels.small." in after
    assert "kernels.small." not in print_module([with_general_kernels(gast.parse(after))])
