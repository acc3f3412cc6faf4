"""Products by loops: of all small extents, of operands in any memory order, and where BLAS takes over."""

import itertools

import numba
import numpy as np
import pytest

from srcad.runtime import kernels
from srcad.runtime.jit.fast_compiler_pipeline import Quick
from srcad.runtime.kernels.linear_algebra import small_products


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.complex128])
def test_products_are_stored_and_added(kind):
    rng = np.random.default_rng(1)
    for m, k, n in itertools.product((0, 1, 3), (0, 2, 4), (0, 1, 4, 7)):
        a, b = rng.normal(size=(k, m)).astype(kind).T, rng.normal(size=(k, 2 * n)).astype(kind)[:, ::2]
        out = np.ones((m, n), kind)
        small_products.multiply(out, a, b, True)
        np.testing.assert_allclose(out, 1.0 + a @ b, rtol=1e-5, atol=1e-6)
        small_products.multiply(out, a, b, False)
        np.testing.assert_allclose(out, a @ b, rtol=1e-5, atol=1e-6)
        row = np.ones(m, kind)
        small_products.apply(row, a, b[:, 0] if n else np.ones(k, kind), True)
        np.testing.assert_allclose(row, 1.0 + a @ (b[:, 0] if n else np.ones(k, kind)), rtol=1e-5, atol=1e-6)


def test_blas_takes_over_at_a_bound():
    assert small_products.is_small_product(8, 8, 8)
    assert not small_products.is_small_product(8, 8, 9)
    assert small_products.is_small_matrix(16, 16)
    assert not small_products.is_small_matrix(17, 16)


@numba.njit(pipeline_class=Quick)
def products(a, b, v):
    return a @ b, a @ v, v @ b, np.dot(a, b), kernels.times_transpose(a, b.T), kernels.transpose_times(a.T, b)


@pytest.mark.compiled
def test_the_operator_is_the_product_on_both_sides_of_the_bound():
    rng = np.random.default_rng(2)
    for n in (0, 1, 3, 8, 9, 17):
        a, b, v = rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=n)
        for found, expected in zip(products(a, b, v), (a @ b, a @ v, v @ b, a @ b, a @ b, a @ b), strict=True):
            assert found.flags.c_contiguous
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
    with pytest.raises(ValueError, match="product"):
        products(np.eye(3), np.eye(2), np.ones(3))
