"""Cofactors: the derivative of a determinant, also for singular matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload, register_jitable


def cofactors(a: Any, whole: Any) -> Any:
    """The matrix of cofactors, the derivative of the determinant `whole`; also where that is 0.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]]), 0.0).round(12)
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    if a.ndim == 2 and a.dtype.kind == "f" and a.size:
        try:
            inverse = np.linalg.inv(a)
        except np.linalg.LinAlgError:
            inverse = None
        # Far from singular, the inverse gives the cofactors in a tenth of the time.
        if inverse is not None and np.vdot(a, a) * np.vdot(inverse, inverse) < 1e12:
            return whole * inverse.T
    if a.ndim > 2 and a.dtype.kind == "f":
        found = np.empty_like(a)
        for k in np.ndindex(a.shape[:-2]):
            found[k] = cofactors(a[k], whole[k])
        return found
    u, s, v = np.linalg.svd(a)
    rest = np.prod(np.where(np.eye(s.shape[-1], dtype=bool), 1.0, s[..., None, :]), axis=-1)
    sign = np.linalg.det(u) * np.linalg.det(v)
    return sign[..., None, None] * np.matmul(np.conj(u) * rest[..., None, :], np.conj(v))


@overload(cofactors)
def _overload_cofactors(a, whole):
    def of_each(a, whole):
        flat, found = np.ascontiguousarray(a).reshape((-1,) + a.shape[-2:]), np.empty(a.shape, a.dtype)
        there = found.reshape(flat.shape)
        numbers = np.ascontiguousarray(whole).reshape(whole.size)
        for k in range(flat.shape[0]):
            there[k] = cofactors(flat[k], numbers[k])
        return found

    def impl(a, whole):
        lower_upper, rows, columns, sign = _eliminated(a)
        turned = _below(lower_upper, _adjugate(lower_upper))
        found = np.empty(turned.shape, turned.dtype)
        for i in range(rows.size):
            for j in range(rows.size):
                found[rows[i], columns[j]] = sign * turned[i, j]
        return found

    return impl if a.ndim == 2 else of_each


@register_jitable
def _eliminated(a):
    """The LU factors of `a[rows][:, columns]`, largest pivots first, and the sign of the permutations.

    Golub and Van Loan, Matrix Computations, 4th edition, algorithm 3.4.3 (complete pivoting): only the last pivots of a
    singular matrix are zero.
    """
    n = a.shape[0]
    u, rows, columns, sign = a.copy(), np.arange(n), np.arange(n), 1.0
    for k in range(n):
        p, q = k, k
        for i in range(k, n):
            for j in range(k, n):
                if abs(u[i, j]) > abs(u[p, q]):
                    p, q = i, j
        if p != k:
            sign = -sign
            rows[k], rows[p] = rows[p], rows[k]
            for j in range(n):
                u[k, j], u[p, j] = u[p, j], u[k, j]
        if q != k:
            sign = -sign
            columns[k], columns[q] = columns[q], columns[k]
            for i in range(n):
                u[i, k], u[i, q] = u[i, q], u[i, k]
        if u[k, k] != 0:
            for i in range(k + 1, n):
                u[i, k] /= u[k, k]
                for j in range(k + 1, n):
                    u[i, j] -= u[i, k] * u[k, j]
    return u, rows, columns, sign


@register_jitable
def _adjugate(u):
    """Determinant times inverse of an upper triangular matrix whose last pivots may be zero."""
    n = u.shape[0]
    found = np.zeros(u.shape, u.dtype)
    if n == 0:
        return found
    whole = u[0, 0] * 0 + 1  # the product of all pivots but the last
    for k in range(n - 1):
        whole *= u[k, k]
    if whole == 0:
        return found
    for j in range(n - 1):
        found[j, j] = whole / u[j, j]
        for i in range(j - 1, -1, -1):
            total = found[i, j]
            for k in range(i + 1, j + 1):
                total -= u[i, k] * found[k, j]
            found[i, j] = total / u[i, i]
    for i in range(n - 1):
        total = found[i, n - 1]
        for k in range(i, n - 1):
            total -= found[i, k] * u[k, n - 1]
        found[i, n - 1] = total
        for j in range(n - 1):
            found[i, j] *= u[n - 1, n - 1]
    found[n - 1, n - 1] = whole
    return found


@register_jitable
def _below(lower, upper):
    """The transpose of `upper @ inv(lower)`, for a lower triangular matrix with unit diagonal."""
    n = upper.shape[0]
    turned = upper.T.copy()
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(n):
                turned[i, j] -= lower[k, i] * turned[k, j]
    return turned
