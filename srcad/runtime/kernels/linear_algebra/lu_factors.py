"""LU factors of a matrix, which solutions, inverses, determinants and their derivatives share.

    f = kernels.lu_factors(a)                   x = kernels.solve_factored(a, f, b)
    w = kernels.solve_factored_transposed(a, f, x_bar)

In compiled code the factors of an n by n matrix are an array of n + 1 rows: row j is column j of the factors as LAPACK
packs them, the last row says with which row each row was exchanged (Golub and Van Loan, Matrix Computations, 4th
edition, section 3.4). Triangular matrices are recognised and need no elimination. Up to `LARGEST_BY_LOOPS` rows there
are loops, since a call of LAPACK takes longer than the arithmetic; beyond, `getrf` factors, and systems are solved by
blocks of columns with products of matrices. Of stacks of matrices, and uncompiled, the factors are a copy.

Functions that take a matrix with its factors read the factors only: the matrix is there for its derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.linalg import _LAPACK, F_INT_nptype, ensure_lapack, get_blas_kind

from srcad.runtime.kernels.linear_algebra.cofactors import cofactors
from srcad.runtime.kernels.linear_algebra.factored_systems import (
    after_exchanges,
    is_lower,
    refuse_singular,
    solve_columns,
    solve_columns_transposed,
)

LARGEST_BY_LOOPS = 32  # rows
_REGULAR = 1e12  # squared condition number up to which cofactors are computed from the inverse


def lu_factors(a: Any) -> Any:
    """The factors of a square matrix, for the functions below; never fails.

    >>> a = np.array([[0.0, 2.0], [4.0, 1.0]])
    >>> solve_factored(a, lu_factors(a), np.array([2.0, 9.0]))
    array([2., 1.])
    """
    if np.ndim(a) < 2:
        return np.array(a)
    found = np.zeros((*np.shape(a)[:-2], np.shape(a)[-2] + 1, np.shape(a)[-1]), np.result_type(a))
    found[..., :-1, :] = a
    return found


def _matrices(factors: Any) -> Any:
    """The matrices of which these are the factors where there was no elimination: uncompiled, and of stacks."""
    return factors[..., :-1, :] if np.ndim(factors) > 1 else factors


def solve_factored(a: Any, factors: Any, b: Any) -> Any:
    """The solution x of `a @ x = b`; LinAlgError for a singular matrix."""
    return np.linalg.solve(_matrices(factors), b)


def solve_factored_transposed(a: Any, factors: Any, b: Any) -> Any:
    """The solution x of `a.T @ x = b`; of stacks, for the transpose of each matrix."""
    return np.linalg.solve(np.swapaxes(_matrices(factors), -1, -2), b)


def inverse_factored(a: Any, factors: Any) -> Any:
    """The inverse of a matrix; LinAlgError for a singular one."""
    return np.linalg.inv(_matrices(factors))


def determinant_factored(a: Any, factors: Any) -> Any:
    """The determinant of a matrix."""
    return np.linalg.det(_matrices(factors))


def sign_factored(a: Any, factors: Any) -> Any:
    """The determinant over its absolute value; 0 for a singular matrix."""
    return np.linalg.slogdet(_matrices(factors))[0]


def log_determinant_factored(a: Any, factors: Any) -> Any:
    """The logarithm of the absolute value of the determinant."""
    return np.linalg.slogdet(_matrices(factors))[1]


def cofactors_factored(a: Any, factors: Any, whole: Any) -> Any:
    """The matrix of cofactors, the derivative of the determinant `whole`; also where that is 0."""
    return cofactors(_matrices(factors), whole)


def _is_matrix(a: Any) -> bool:
    return isinstance(a, types.Array) and a.ndim == 2 and isinstance(a.dtype, (types.Float, types.Complex))


@overload(lu_factors)
def _lu_factors(a):
    if not isinstance(a, types.Array) or not isinstance(a.dtype, (types.Float, types.Complex)):
        return None
    if a.ndim != 2:
        return _stacked if a.ndim > 2 else None
    kind, dtype = ord(get_blas_kind(a.dtype)), a.dtype
    ensure_lapack()
    eliminate = _LAPACK().numba_xxgetrf(dtype)

    def impl(a):
        n = a.shape[0]
        if a.shape[1] != n:
            return np.zeros((n + 1, a.shape[1]), dtype)  # refused where it is used
        factors = np.empty((n + 1, n), dtype)
        for i in range(n):
            for j in range(n):
                factors[j, i] = a[i, j]
        if n > 2:
            side = _triangle(factors)
            if side != 0:
                for k in range(n):
                    factors[n, k] = k
                if side < 0:
                    factors[n, 0] = -1
                return factors
        if n <= LARGEST_BY_LOOPS:
            _eliminate(factors)
        else:
            exchanges = np.empty(n, F_INT_nptype)
            eliminate(kind, n, n, factors.ctypes, n, exchanges.ctypes)
            for k in range(n):
                factors[n, k] = exchanges[k] - 1
        return factors

    return impl


def _stacked(a):
    n, m = a.shape[-2], a.shape[-1]
    found = np.zeros(a.shape[:-2] + (n + 1, m), a.dtype)
    if a.size > 0:
        each, there = np.ascontiguousarray(a).reshape((-1, n, m)), found.reshape((-1, n + 1, m))
        for k in range(each.shape[0]):
            for i in range(n):
                for j in range(m):
                    there[k, i, j] = each[k, i, j]
    return found


@overload(_matrices)
def _overload_matrices(factors):
    return lambda factors: factors[..., : factors.shape[-2] - 1, :]


@register_jitable
def _triangle(columns: Any) -> int:
    """-1 for a lower triangular matrix, given by its columns, 1 for an upper one, 0 for any other."""
    n = columns.shape[1]
    below = above = False
    for j in range(n):
        for i in range(n):
            if i != j and columns[j, i] != 0:
                below, above = below or i > j, above or i < j
                if below and above:
                    return 0
    return 1 if above or not below else -1


@register_jitable
def _eliminate(f: Any) -> None:
    """Gaussian elimination with partial pivoting, in place, column by column."""
    n = f.shape[1]
    for k in range(n):
        p, largest = k, abs(f[k, k])
        for i in range(k + 1, n):
            if abs(f[k, i]) > largest:
                p, largest = i, abs(f[k, i])
        f[n, k] = p
        if p != k:
            for j in range(n):
                f[j, k], f[j, p] = f[j, p], f[j, k]
        pivot = f[k, k]
        if pivot != 0:
            for i in range(k + 1, n):
                f[k, i] /= pivot
            for j in range(k + 1, n):
                factor = f[j, k]
                for i in range(k + 1, n):
                    f[j, i] -= f[k, i] * factor


@overload(solve_factored)
def _solve_factored(a, factors, b):
    return _solution(a, b, solve_columns, solve_factored, False)


@overload(solve_factored_transposed)
def _solve_factored_transposed(a, factors, b):
    return _solution(a, b, solve_columns_transposed, solve_factored_transposed, True)


def _solution(a: Any, b: Any, of_columns: Any, whole: Any, is_transposed: bool) -> Any:
    """The implementation of a function that solves a system, or its transpose."""
    if not isinstance(a, types.Array) or not isinstance(b, types.Array):
        return None
    if not _is_matrix(a):
        if is_transposed:
            return lambda a, factors, b: np.linalg.solve(np.swapaxes(_matrices(factors), -1, -2), b)
        return lambda a, factors, b: np.linalg.solve(_matrices(factors), b)
    if a.dtype != b.dtype or b.ndim == 0:
        return None
    dtype = a.dtype

    def impl(a, factors, b):
        refuse_singular(factors)
        x = b.copy()
        if x.shape[0] != factors.shape[1]:
            raise ValueError(_NO_MATCH)
        of_columns(factors, x)
        return x

    def for_vector(a, factors, b):
        refuse_singular(factors)
        n = factors.shape[1]
        x = np.empty((n, 1), dtype)
        if b.shape[0] != n:
            raise ValueError(_NO_MATCH)
        for i in range(n):
            x[i, 0] = b[i]
        of_columns(factors, x)
        return np.reshape(x, n)

    def for_each(a, factors, b):
        x = b.copy()
        each = x.reshape((-1,) + x.shape[-2:])
        for k in range(each.shape[0]):
            each[k] = whole(a, factors, each[k])
        return x

    return for_vector if b.ndim == 1 else impl if b.ndim == 2 else for_each


_NO_MATCH = "the matrix of a system has not as many rows as the right side"


@overload(inverse_factored)
def _inverse_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.inv(_matrices(factors))
    kind, dtype = ord(get_blas_kind(a.dtype)), a.dtype
    ensure_lapack()
    invert = _LAPACK().numba_ez_xxgetri(dtype)

    def impl(a, factors):
        refuse_singular(factors)
        n = factors.shape[1]
        if n <= LARGEST_BY_LOOPS or is_lower(factors):
            found = np.zeros((n, n), dtype)
            for k in range(n):
                found[k, k] = 1
            solve_columns(factors, found)
            return found
        columns, exchanges = factors[:n].copy(), np.empty(n, F_INT_nptype)
        for k in range(n):
            exchanges[k] = np.int64(factors[n, k].real) + 1
        invert(kind, n, columns.ctypes, n, exchanges.ctypes)
        return columns.T.copy()

    return impl


@overload(determinant_factored)
def _determinant_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.det(_matrices(factors))
    dtype = a.dtype

    def impl(a, factors):
        _refuse_oblong(factors)
        n = factors.shape[1]
        found = dtype(1)
        for k in range(n):
            found *= factors[k, k]
        return -found if _is_odd(factors) else found

    return impl


@overload(log_determinant_factored)
def _log_determinant_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.slogdet(_matrices(factors))[1]
    real = getattr(a.dtype, "underlying_float", a.dtype)

    def impl(a, factors):
        _refuse_oblong(factors)
        found = real(0)
        for k in range(factors.shape[1]):
            found += np.log(abs(factors[k, k]))
        return found

    return impl


@overload(sign_factored)
def _sign_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.slogdet(_matrices(factors))[0]
    dtype = a.dtype

    def impl(a, factors):
        _refuse_oblong(factors)
        found = dtype(1)
        for k in range(factors.shape[1]):
            size = abs(factors[k, k])
            found = found * (factors[k, k] / size) if size != 0 else found * 0
        return -found if _is_odd(factors) else found

    return impl


@overload(cofactors_factored)
def _cofactors_factored(a, factors, whole):
    if not _is_matrix(a):
        return lambda a, factors, whole: cofactors(_matrices(factors), whole)
    dtype = a.dtype

    def impl(a, factors, whole):
        n = factors.shape[1]
        lower = upper = 0.0
        smallest = 1.0
        for j in range(n):
            smallest = min(smallest, abs(factors[j, j]))
            for i in range(n):
                square = abs(factors[j, i]) ** 2
                lower, upper = (lower + square, upper) if i > j else (lower, upper + square)
        if smallest > 0.0:
            inverse = inverse_factored(a, factors)
            size = 0.0
            for i in range(n):
                for j in range(n):
                    size += abs(inverse[i, j]) ** 2
            if (lower + n) * upper * size < _REGULAR:
                found = np.empty((n, n), dtype)
                for i in range(n):
                    for j in range(n):
                        found[i, j] = whole * inverse[j, i]
                return found
        return cofactors(_product(factors), whole)

    return impl


@register_jitable
def _refuse_oblong(factors: Any) -> None:
    if factors.shape[0] != factors.shape[1] + 1:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")


@register_jitable
def _is_odd(factors: Any) -> bool:
    """Whether the number of rows that were exchanged is odd."""
    n, odd = factors.shape[1], False
    if n > 0 and not is_lower(factors):
        for k in range(n):
            if factors[n, k] != k:
                odd = not odd
    return odd


@register_jitable
def _product(factors: Any) -> Any:
    """The matrix from its factors."""
    n = factors.shape[1]
    if n > 0 and is_lower(factors):
        return factors[:n].T.copy()
    found = np.zeros((n, n), factors.dtype)
    for k in range(n):
        for i in range(k, n):
            below = factors[k, i] if i > k else factors[k, i] * 0 + 1
            for j in range(k, n):
                found[i, j] += below * factors[j, k]
    after_exchanges(factors, found, True)
    return found
