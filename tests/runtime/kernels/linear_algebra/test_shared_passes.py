"""Two products in one pass are the two products: of all extents up to a block and a rest, and all orders of memory."""

import numba
import numpy as np
import pytest

from srcad.runtime.kernels.linear_algebra import shared_passes


@numba.njit
def _compiled(a, x, y):
    p, q = np.empty(a.shape[0], a.dtype), np.empty(a.shape[1], a.dtype)
    shared_passes.store_both_products(p, q, a, x, y)
    r, s = np.empty(a.shape[0], a.dtype), np.empty(a.shape[1], a.dtype)
    shared_passes.store_product_and_back(r, s, a, x)
    m = np.empty((y.size, x.size), a.dtype)
    shared_passes.store_outer_products(m, y, x, p, q)
    shared_passes.add_outer_products(m, p, x, y, q)
    return p, q, r, s, m


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize(("kind", "rtol"), [(np.float64, 1e-13), (np.float32, 1e-5)])
def test_products_are_stored(kind, rtol):
    rng = np.random.default_rng(2)
    for n in range(10):
        for m in (0, 1, 7, 33):
            a, x, y = (rng.normal(size=each).astype(kind) for each in ((n, m), m, n))
            p, q = a @ x, a.T @ y
            total = np.outer(y, x) + np.outer(p, q) + np.outer(p, x) + np.outer(y, q)
            for one, other in zip(_compiled(a, x, y), (p, q, p, a.T @ p, total), strict=True):
                assert one.dtype == kind
                np.testing.assert_allclose(one, other, rtol=rtol, atol=30 * rtol)
    if kind == np.float64:
        given = np.asfortranarray(rng.normal(size=(6, 5))).T[::-1, ::2], rng.normal(size=6)[::-2], rng.normal(size=5)
        for one, other in zip(_compiled(*given), _compiled.py_func(*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=rtol, atol=30 * rtol)
        for bad in ((np.ones((3, 2)), np.ones(3), np.ones(3)), (np.ones((3, 2)), np.ones(2), np.ones(2))):
            with pytest.raises(ValueError, match="do not match"):
                _compiled(*bad)


def test_products_are_stored_by_numpy():
    rng = np.random.default_rng(3)
    a, x, y = rng.normal(size=(5, 3)), rng.normal(size=3), rng.normal(size=5)
    p, q, r, s, m = _compiled.py_func(a, x, y)
    np.testing.assert_allclose(np.concatenate([p, q, r, s]), np.concatenate([a @ x, y @ a, a @ x, a.T @ (a @ x)]))
    np.testing.assert_allclose(m, np.outer(y, x) + np.outer(p, q) + np.outer(p, x) + np.outer(y, q))


def test_sums_of_outer_products_of_other_shapes_are_refused():
    for kernel in (shared_passes.store_outer_products, shared_passes.add_outer_products):
        with pytest.raises(ValueError, match="broadcast"):
            kernel(np.ones((2, 3)), np.ones(2), np.ones(3), np.ones(3), np.ones(3))
