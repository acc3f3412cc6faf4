"""Two products of one matrix with vectors, or two outer products into one matrix, in one pass over memory.

A product of a matrix and a vector takes as long as memory takes to deliver the matrix. Two of them need it once only:
of four rows at a time, the first is computed and the second is added to. Belter, Jessup, Karlin and Siek (Automating
the generation of composed linear algebra kernels, SC 2009) show what is gained for such compositions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES

# Terms may be added in any order, as vector instructions require.
_IN_ANY_ORDER = {**WITHOUT_REFERENCES, "fastmath": {"reassoc"}}


def store_both_products(p: Any, q: Any, a: Any, x: Any, y: Any) -> None:
    """Store the product of a matrix and a vector in p, and that of the transposed matrix and another vector in q.

    >>> p, q = np.empty(1), np.empty(2)
    >>> store_both_products(p, q, np.array([[1.0, 2.0]]), np.array([3.0, 4.0]), np.array([5.0]))
    >>> p, q
    (array([11.]), array([ 5., 10.]))
    """
    p[...] = a @ x
    q[...] = a.T @ y


@overload(store_both_products, jit_options=_IN_ANY_ORDER)
def _store_both_products(p, q, a, x, y):
    def stored(p, q, a, x, y):
        rows, columns = a.shape
        if p.size != rows or y.size != rows or q.size != columns or x.size != columns:
            raise ValueError(_NO_MATCH)
        zero, by_fours = a.dtype.type(0), rows // 4 * 4
        q[:] = zero
        for i in range(0, by_fours, 4):
            y_0, y_1, y_2, y_3 = y[i], y[i + 1], y[i + 2], y[i + 3]
            p_0 = p_1 = p_2 = p_3 = zero
            for j in range(columns):
                a_0, a_1, a_2, a_3 = a[i, j], a[i + 1, j], a[i + 2, j], a[i + 3, j]
                p_0, p_1 = p_0 + a_0 * x[j], p_1 + a_1 * x[j]
                p_2, p_3 = p_2 + a_2 * x[j], p_3 + a_3 * x[j]
                q[j] += (a_0 * y_0 + a_1 * y_1) + (a_2 * y_2 + a_3 * y_3)
            p[i], p[i + 1], p[i + 2], p[i + 3] = p_0, p_1, p_2, p_3
        for i in range(by_fours, rows):
            y_0, p_0 = y[i], zero
            for j in range(columns):
                p_0 = p_0 + a[i, j] * x[j]
                q[j] += a[i, j] * y_0
            p[i] = p_0

    return stored


def store_product_and_back(p: Any, q: Any, a: Any, x: Any) -> None:
    """Store the product of a matrix and a vector in p, and that of the transposed matrix and p in q.

    >>> p, q = np.empty(1), np.empty(2)
    >>> store_product_and_back(p, q, np.array([[1.0, 2.0]]), np.array([3.0, 4.0]))
    >>> p, q
    (array([11.]), array([11., 22.]))
    """
    p[...] = a @ x
    q[...] = a.T @ p


@overload(store_product_and_back, jit_options=_IN_ANY_ORDER)
def _store_product_and_back(p, q, a, x):
    def stored(p, q, a, x):
        rows, columns = a.shape
        if p.size != rows or q.size != columns or x.size != columns:
            raise ValueError(_NO_MATCH)
        zero, by_fours = a.dtype.type(0), rows // 4 * 4
        q[:] = zero
        for i in range(0, by_fours, 4):
            p_0 = p_1 = p_2 = p_3 = zero
            for j in range(columns):
                p_0, p_1 = p_0 + a[i, j] * x[j], p_1 + a[i + 1, j] * x[j]
                p_2, p_3 = p_2 + a[i + 2, j] * x[j], p_3 + a[i + 3, j] * x[j]
            for j in range(columns):
                q[j] += (a[i, j] * p_0 + a[i + 1, j] * p_1) + (a[i + 2, j] * p_2 + a[i + 3, j] * p_3)
            p[i], p[i + 1], p[i + 2], p[i + 3] = p_0, p_1, p_2, p_3
        for i in range(by_fours, rows):
            p_0 = zero
            for j in range(columns):
                p_0 = p_0 + a[i, j] * x[j]
            for j in range(columns):
                q[j] += a[i, j] * p_0
            p[i] = p_0

    return stored


def store_outer_products(total: Any, u: Any, v: Any, w: Any, z: Any) -> None:
    """Store the sum of two outer products, of u and v and of w and z, in a matrix.

    >>> total = np.empty((1, 2))
    >>> store_outer_products(total, np.ones(1), np.array([1.0, 2.0]), np.ones(1), np.array([3.0, 4.0]))
    >>> total
    array([[4., 6.]])
    """
    total[...] = np.outer(u, v) + np.outer(w, z)


@overload(store_outer_products, jit_options=WITHOUT_REFERENCES)
def _store_outer_products(total, u, v, w, z):
    def stored(total, u, v, w, z):
        if total.shape != (u.size, v.size) or total.shape != (w.size, z.size):
            raise ValueError(_NO_SUM)
        for i in range(total.shape[0]):
            one, other = u[i], w[i]
            for j in range(total.shape[1]):
                total[i, j] = one * v[j] + other * z[j]

    return stored


def add_outer_products(total: Any, u: Any, v: Any, w: Any, z: Any) -> None:
    """Add two outer products to a matrix, first that of u and v, then that of w and z.

    >>> total = np.ones((1, 2))
    >>> add_outer_products(total, np.ones(1), np.array([1.0, 2.0]), np.ones(1), np.array([3.0, 4.0]))
    >>> total
    array([[5., 7.]])
    """
    total += np.outer(u, v)
    total += np.outer(w, z)


@overload(add_outer_products, jit_options=WITHOUT_REFERENCES)
def _add_outer_products(total, u, v, w, z):
    def added(total, u, v, w, z):
        if total.shape != (u.size, v.size) or total.shape != (w.size, z.size):
            raise ValueError(_NO_SUM)
        for i in range(total.shape[0]):
            one, other = u[i], w[i]
            for j in range(total.shape[1]):
                total[i, j] = total[i, j] + one * v[j] + other * z[j]

    return added


_NO_MATCH = "the shapes of a product do not match"
_NO_SUM = "operands could not be broadcast together"
