"""Straight-line kernels for small matrices: as NumPy computes, for every layout, and with memory that is shared."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels

small = kernels.small
RNG = np.random.default_rng(5)
A, B, C = RNG.normal(size=(3, 4)), RNG.normal(size=(4, 2)), RNG.normal(size=(2, 4))
X, Y = RNG.normal(size=4), RNG.normal(size=3)


def as_it_lies(array):
    return array


def with_gaps(array):
    return np.repeat(np.repeat(array, 2, 0), 2, -1)[::2, ::2] if array.ndim == 2 else np.repeat(array, 2)[::2]


LAYOUTS = as_it_lies, np.asfortranarray, with_gaps


PRODUCTS = {
    "times": (A @ B, A, B),
    "times_transpose": (A @ C.T, A, C),
    "transpose_times": (A.T @ A, A, A),
    "outer": (np.outer(X, Y), X, Y),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_as_they_stand(name):
    expected, *given = PRODUCTS[name]
    out, total = np.full_like(expected, np.nan), np.ones_like(expected)
    getattr(small, f"{name}_into")(out, *given, 0, 0, 0)
    getattr(small, f"add_{name}")(total, *given, 0, 0, 0)
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    np.testing.assert_allclose(total, expected + 1.0, rtol=1e-14)


@numba.njit
def products(a, b, c, x, y):
    ab, ac, aa, xy = small.empty_matrix(3, 2), np.ones((3, 2)), np.ones((4, 4)), np.ones((4, 3))
    small.times_into(ab, a, b, 3, 4, 2)
    small.times_transpose_into(ac, a, c, 3, 4, 2)
    small.add_times_transpose(ac, a, c, 3, 4, 2)
    small.transpose_times_into(aa, a, a, 4, 3, 4)
    small.add_transpose_times(aa, a, a, 4, 3, 4)
    small.outer_into(xy, x, y, 4, 1, 3)
    small.add_outer(xy, x, y, 4, 1, 3)
    ax, ya = small.empty_vector(3), np.zeros(4)
    small.times_into(ax, a, x, 3, 4, 1)
    small.add_times(ya, y, a, 1, 3, 4)
    return ab.copy(), ac, aa, xy, ax.copy(), ya


@pytest.mark.compiled
@pytest.mark.parametrize("laid_out", LAYOUTS)
def test_products_compiled(laid_out):
    found = products(*map(laid_out, (A, B, C)), X, Y)
    expected = A @ B, 2.0 * A @ C.T, 2.0 * A.T @ A, 2.0 * np.outer(X, Y), A @ X, Y @ A
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


@pytest.mark.compiled
def test_the_result_may_share_memory_with_an_operand_and_single_precision_stays():
    @numba.njit
    def squared(a):
        small.add_times(a, a, a, 2, 2, 2)
        small.times_into(a, a, a.T, 2, 2, 2)
        small.add_scaled(a, 2, a, 2, 2)
        small.add_to(a, a.T, 2, 2)
        small.subtract_from(a[0], a[1], 2, 1)
        return a

    for dtype in (np.float64, np.float32):
        a = np.array([[1.0, 2.0], [3.0, 5.0]], dtype)
        b = a + a @ a
        b = 3 * b @ b.T
        b = b + b.T
        b[0] -= b[1]
        found = squared(a)
        assert found.dtype == dtype
        np.testing.assert_allclose(found, b, rtol=1e-6)


@pytest.mark.compiled
def test_arrays_are_filled():
    @numba.njit
    def filled():
        a, x = small.empty_matrix(2, 3), small.empty_vector(2)
        small.diagonal_into(a, 4.0, 2, 3)
        small.fill(x, 7.0, 2, 1)
        small.copy_to(x, a[:, 1], 2, 1)
        return a.copy(), x.copy()

    a, x = filled()
    assert a.tolist() == [[4.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    assert x.tolist() == [0.0, 4.0]
    out = np.empty((2, 3))
    small.diagonal_into(out, 4.0, 2, 3)
    assert out.tolist() == a.tolist()
    small.fill(out, 2.0, 2, 3)
    small.subtract_from(out, np.ones((2, 3)), 2, 3)
    small.add_scaled(out, 3.0, out, 2, 3)
    small.add_to(out, out, 2, 3)
    assert np.all(out == 8.0)
    assert small.empty_matrix(2, 3).shape == (2, 3)
    small.copy_to(out, a, 2, 3)
    assert out.tolist() == a.tolist()
