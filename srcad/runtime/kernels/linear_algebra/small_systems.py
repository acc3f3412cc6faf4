"""Factors, solutions, inverses and determinants of matrices of 2 or 3 rows, where the code that calls knows how many.

In the usual case the factors are the inverse (`closed_forms`), and all of it is a few instructions where it is called.
Elimination is done on copies, so that no pointer to the arrays leaves the function, which may then be in registers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.linear_algebra import lu_factors as general
from srcad.runtime.kernels.linear_algebra.closed_forms import INVERSE, closed_form
from srcad.runtime.kernels.linear_algebra.factored_systems import LOWER, after_exchanges, is_lower, refuse_singular
from srcad.runtime.kernels.linear_algebra.stored_factors import (
    eliminate_columns,
    store_product_of_factors,
    triangle_of,
)

_INLINE = {"forceinline": True}


def lu_factors_into(factors: Any, a: Any, n: int) -> None:
    """Store the factors of a matrix of n rows, as `lu_factors` gives them.

    >>> factors = np.empty((3, 2))
    >>> lu_factors_into(factors, np.array([[2.0, 0.0], [0.0, 4.0]]), 2)
    >>> round(determinant_factored(None, factors, 2), 12)
    8.0
    """
    factors[...] = general.lu_factors(a)


def solve_factored_into(out: Any, a: Any, factors: Any, b: Any, n: int, columns: int) -> None:
    """Store the solution x of `a @ x = b`; LinAlgError for a singular matrix."""
    out[...] = general.solve_factored(a, factors, b)


def solve_factored_transposed_into(out: Any, a: Any, factors: Any, b: Any, n: int, columns: int) -> None:
    """Store the solution x of `a.T @ x = b`."""
    out[...] = general.solve_factored_transposed(a, factors, b)


def inverse_factored_into(out: Any, a: Any, factors: Any, n: int) -> None:
    """Store the inverse of a matrix; LinAlgError for a singular one."""
    out[...] = general.inverse_factored(a, factors)


def determinant_factored(a: Any, factors: Any, n: int) -> Any:
    """The determinant of a matrix."""
    return float(general.determinant_factored(a, factors))


def cofactors_factored_into(out: Any, a: Any, factors: Any, whole: Any, n: int) -> None:
    """Store the matrix of cofactors, the derivative of the determinant `whole`."""
    out[...] = general.cofactors_factored(a, factors, whole)


def _is_fit(n: Any, *arrays: Any) -> bool:
    """Whether n is known to be 2 or 3, and these are arrays of one type of real numbers."""
    are_arrays = all(type(each) is types.Array and 0 < each.ndim < 3 for each in arrays)
    is_known = isinstance(n, types.IntegerLiteral) and n.literal_value in (2, 3)
    return is_known and are_arrays and isinstance(arrays[0].dtype, types.Float) and len({a.dtype for a in arrays}) == 1


@register_jitable
def _copied(a, rows, columns):
    copy = np.empty((rows, columns), a.dtype)
    for i in range(rows):
        for j in range(columns):
            copy[i, j] = a[i, j]
    return copy


@register_jitable
def _eliminated(a):
    """The factors of a matrix by elimination, with `lu_factors`' marks for triangular ones."""
    n = a.shape[0]
    factors = np.zeros((n + 1, n), a.dtype)
    for i in range(n):
        for j in range(n):
            factors[j, i] = a[i, j]
    side = triangle_of(factors) if n > 2 else 0
    if side == 0:
        eliminate_columns(factors)
    else:
        for k in range(n):
            factors[n, k] = k
        if side < 0:
            factors[n, 0] = LOWER
    return factors


@register_jitable
def _substituted(factors, x, is_turned):
    """Columns x of right sides become solutions, by the factors of few rows."""
    refuse_singular(factors)
    n, lower = factors.shape[1], is_lower(factors)
    if not is_turned:
        after_exchanges(factors, x, False)
    for c in range(x.shape[1]):
        if not (is_turned and lower):
            for i in range(n):
                for j in range(i):
                    x[i, c] -= (factors[i, j] if is_turned else factors[j, i]) * x[j, c]
                if is_turned or lower:
                    x[i, c] /= factors[i, i]
        if is_turned or not lower:
            for i in range(n - 1, -1, -1):
                for j in range(i + 1, n):
                    x[i, c] -= (factors[i, j] if is_turned else factors[j, i]) * x[j, c]
                if not is_turned or lower:
                    x[i, c] /= factors[i, i]
    if is_turned:
        after_exchanges(factors, x, True)
    return x


@register_jitable
def _inverted(factors):
    n = factors.shape[1]
    found = np.zeros((n, n), factors.dtype)
    for i in range(n):
        found[i, i] = 1
    return _substituted(factors, found, False)


@register_jitable
def _determinant(factors):
    n, lower = factors.shape[1], is_lower(factors)
    found = factors[0, 0]
    for k in range(1, n):
        found *= factors[k, k]
    for k in range(0 if lower else n):
        if factors[n, k] != k:
            found = -found
    return found


@register_jitable
def _cofactors(factors):
    """The cofactors of 2 or 3 rows as differences of products, also of singular matrices."""
    n = factors.shape[1]
    a, found = np.empty((n, n), factors.dtype), np.empty((n, n), factors.dtype)
    store_product_of_factors(a, factors)
    if n == 2:
        found[0, 0], found[0, 1], found[1, 0], found[1, 1] = a[1, 1], -a[1, 0], -a[0, 1], a[0, 0]
        return found
    for i in range(3):
        one, two = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            left, right = (j + 1) % 3, (j + 2) % 3
            found[i, j] = a[one, left] * a[two, right] - a[one, right] * a[two, left]
    return found


@overload(lu_factors_into, prefer_literal=True, jit_options=_INLINE)
def _lu_factors_into(factors, a, n):
    if not _is_fit(n, factors, a):
        return None
    size = n.literal_value
    store = closed_form(size)

    def impl(factors, a, n):
        if not store(factors, a):
            found = _eliminated(_copied(a, size, size))
            for i in range(size + 1):
                for j in range(size):
                    factors[i, j] = found[i, j]

    return impl


def _solution(out: Any, factors: Any, b: Any, n: Any, columns: Any, is_turned: bool) -> Any:
    if not _is_fit(n, out, factors, b) or not isinstance(columns, types.IntegerLiteral):
        return None
    size, count = n.literal_value, columns.literal_value

    def of_columns(out, a, factors, b, n, columns):
        if factors[size, 0] == INVERSE:
            for c in range(count):
                p, q, r = b[0, c], b[1, c], b[size - 1, c]
                for i in range(size):
                    total = (factors[0, i] if is_turned else factors[i, 0]) * p
                    total += (factors[1, i] if is_turned else factors[i, 1]) * q
                    if size == 3:
                        total += (factors[2, i] if is_turned else factors[i, 2]) * r
                    out[i, c] = total
        else:
            found = _substituted(_copied(factors, size + 1, size), _copied(b, size, count), is_turned)
            for i in range(size):
                for c in range(count):
                    out[i, c] = found[i, c]

    def of_vector(out, a, factors, b, n, columns):
        if factors[size, 0] == INVERSE:
            p, q, r = b[0], b[1], b[size - 1]
            for i in range(size):
                total = (factors[0, i] if is_turned else factors[i, 0]) * p
                total += (factors[1, i] if is_turned else factors[i, 1]) * q
                if size == 3:
                    total += (factors[2, i] if is_turned else factors[i, 2]) * r
                out[i] = total
        else:
            right = np.empty((size, 1), b.dtype)
            for i in range(size):
                right[i, 0] = b[i]
            found = _substituted(_copied(factors, size + 1, size), right, is_turned)
            for i in range(size):
                out[i] = found[i, 0]

    return of_vector if b.ndim == 1 else of_columns


@overload(solve_factored_into, prefer_literal=True, jit_options=_INLINE)
def _solve_factored_into(out, a, factors, b, n, columns):
    return _solution(out, factors, b, n, columns, False)


@overload(solve_factored_transposed_into, prefer_literal=True, jit_options=_INLINE)
def _solve_factored_transposed_into(out, a, factors, b, n, columns):
    return _solution(out, factors, b, n, columns, True)


@overload(inverse_factored_into, prefer_literal=True, jit_options=_INLINE)
def _inverse_factored_into(out, a, factors, n):
    if not _is_fit(n, out, factors):
        return None
    size = n.literal_value

    def impl(out, a, factors, n):
        if factors[size, 0] == INVERSE:
            for i in range(size):
                for j in range(size):
                    out[i, j] = factors[i, j]
        else:
            found = _inverted(_copied(factors, size + 1, size))
            for i in range(size):
                for j in range(size):
                    out[i, j] = found[i, j]

    return impl


@overload(determinant_factored, prefer_literal=True, jit_options=_INLINE)
def _determinant_factored(a, factors, n):
    if not _is_fit(n, factors):
        return None
    size = n.literal_value

    def impl(a, factors, n):
        if factors[size, 0] == INVERSE:
            return factors[size, 1]
        return _determinant(_copied(factors, size + 1, size))

    return impl


@overload(cofactors_factored_into, prefer_literal=True, jit_options=_INLINE)
def _cofactors_factored_into(out, a, factors, whole, n):
    if not _is_fit(n, out, factors):
        return None
    size = n.literal_value

    def impl(out, a, factors, whole, n):
        if factors[size, 0] == INVERSE:
            for i in range(size):
                for j in range(size):
                    out[i, j] = whole * factors[j, i]
        else:
            found = _cofactors(_copied(factors, size + 1, size))
            for i in range(size):
                for j in range(size):
                    out[i, j] = found[i, j]

    return impl
