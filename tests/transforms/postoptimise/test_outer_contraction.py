"""Outer products that are only read element by element are not made, and give the same elements."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys("uvw", nb.float64[::1]),
    **dict.fromkeys("abcm", nb.float64[:, ::1]),
    **dict.fromkeys("nij", nb.int64),
    "s": nb.float64,
    "f": nb.float32[::1],
}
LOOPS = "for i in range(u.shape[0]):\n        for j in range(v.shape[0]):\n            "


def is_contracted(*lines, last="return s"):
    text = "def f(u, v):\n    s = 0.0\n    " + "\n    ".join([*lines, last]) + "\n"
    found = apply("outer_contraction", text, KINDS)
    for n, m in ((2, 3), (0, 2), (1, 1)):
        assert_same_results(text, found, [(np.arange(1.0, n + 1.0), np.linspace(0.3, 0.7, m))])
    return found != unchanged(text)


def test_elements_of_a_product_are_products_of_elements():
    assert is_contracted("a = np.outer(u, v)", LOOPS + "s += a[i, j] * a[i, j]")
    assert is_contracted("a = kernels.outer(u, v)", LOOPS + "s += a[i, j]", LOOPS + "s -= a[i, j] * 2.0")
    assert is_contracted("a = np.outer(u, v)", "n = u.shape[0]", LOOPS + "s += a[n - 1 - i, j]")
    assert is_contracted("w = u * 2.0", "a = np.outer(w, v)", LOOPS + "s += a[i, j]", "w[:] = 0.0")


@pytest.mark.parametrize(
    "lines",
    [
        ["a = np.outer(u, v)", LOOPS + "s += a[i, j]", "s += np.sum(a)"],
        ["a = np.outer(u, v)", LOOPS + "a[i, j] = a[i, j] + 1.0", LOOPS + "s += a[i, j]"],
        ["a = np.outer(u, v)", LOOPS + "s += a[i, j]\n            u[i] = 0.0"],
        ["w = u", "a = np.outer(u, v)", "w[:] = 0.0", LOOPS + "s += a[i, j]"],
        ["a = np.outer(u, v)", "u = u * 2.0", LOOPS + "s += a[i, j]"],
        ["a = np.outer(u, v)", "u, w = u * 2.0, v", LOOPS + "s += a[i, j]"],
        ["a = np.outer(u, v)", "for i in range(u.shape[0]):\n        s += np.sum(a[i])"],
        ["a = np.outer(u, v)", "for i in range(u.shape[0]):\n        s += np.sum(a[i, 0:1])"],
        ["a = np.ones((2, 2))", "if s < 1.0:\n        a = np.outer(u, u)", "s += np.sum(a)"],
    ],
)
def test_what_is_used_otherwise_or_changes_is_made(lines):
    assert not is_contracted(*lines)


def scaled(alpha, a, b, x):
    return np.sum((alpha * a @ x + b @ x * alpha) ** 2)


@pytest.mark.compiled
def test_the_adjoint_of_a_scaled_matrix_is_written_once():
    text = srcad.source(scaled, wrt=(0, 1, 2, 3), signature="f8, f8[:,::1], f8[:,::1], f8[::1]")
    assert text.count("kernels.outer(") == 2  # those of a and b, whose adjoints they are
    random = np.random.default_rng(2)
    a, b, x = random.normal(size=(4, 3)), random.normal(size=(4, 3)), random.normal(size=3)
    given = (0.7, a, b, x)
    directions = (0.3, random.normal(size=a.shape), random.normal(size=b.shape), random.normal(size=3))
    step = scaled(*(each + 1e-30j * along for each, along in zip(given, directions, strict=True))).imag / 1e-30
    found = srcad.grad(scaled, wrt=(0, 1, 2, 3))(*given)
    slope = sum(np.sum(each * along) for each, along in zip(found, directions, strict=True))
    np.testing.assert_allclose(slope, step, rtol=1e-12)
