"""LU factors of a matrix, which solutions, inverses, determinants and their derivatives share.

    f = kernels.lu_factors(a)                   x = kernels.solve_factored(a, f, b)
    w = kernels.solve_factored_transposed(a, f, x_bar)

In compiled code the factors of an n by n matrix are an array of n + 1 rows: row j is column j of the factors as LAPACK
packs them, the last row says with which row each row was exchanged (Golub and Van Loan, Matrix Computations, 4th
edition, section 3.4). Triangular matrices are recognised and need no elimination. Of a matrix of 2 or 3 rows that is
well conditioned the inverse is kept instead (`closed_forms`). How large a matrix is shows at run time
(`stored_factors`). Of stacks of matrices, and uncompiled, the factors are a copy.

Functions that take a matrix with its factors read the factors only: the matrix is there for its derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES
from srcad.runtime.kernels.linear_algebra.cofactors import cofactors
from srcad.runtime.kernels.linear_algebra.factored_systems import is_inverse, is_lower
from srcad.runtime.kernels.linear_algebra.stored_factors import (
    store_cofactors,
    store_cofactors_of_singular,
    store_factors,
    store_inverse,
    store_solution,
)
from srcad.runtime.kernels.linear_algebra.stored_results import stored_by


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
    is_stack = isinstance(a, types.Array) and a.ndim > 2 and isinstance(a.dtype, (types.Float, types.Complex))
    return _stacked if is_stack else None  # of a matrix: `store_factors`


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


@overload(solve_factored)
def _solve_factored(a, factors, b):
    return _solution(a, b, solve_factored, False)


@overload(solve_factored_transposed)
def _solve_factored_transposed(a, factors, b):
    return _solution(a, b, solve_factored_transposed, True)


def _solution(a: Any, b: Any, whole: Any, is_transposed: bool) -> Any:
    """The implementation for stacks of a function that solves a system, or its transpose."""
    if not isinstance(a, types.Array) or not isinstance(b, types.Array):
        return None
    if not _is_matrix(a):
        if is_transposed:
            return lambda a, factors, b: np.linalg.solve(np.swapaxes(_matrices(factors), -1, -2), b)
        return lambda a, factors, b: np.linalg.solve(_matrices(factors), b)
    if a.dtype != b.dtype or b.ndim < 3:
        return None

    def for_each(a, factors, b):
        x = b.copy()
        each = x.reshape((-1,) + x.shape[-2:])
        for k in range(each.shape[0]):
            each[k] = whole(a, factors, each[k])
        return x

    return for_each


@overload(inverse_factored)
def _inverse_factored(a, factors):
    return None if _is_matrix(a) else lambda a, factors: np.linalg.inv(_matrices(factors))


@overload(determinant_factored, jit_options=WITHOUT_REFERENCES)
def _determinant_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.det(_matrices(factors))
    dtype = a.dtype

    def impl(a, factors):
        _refuse_oblong(factors)
        if is_inverse(factors):
            return factors[factors.shape[1], 1]
        found = dtype(1)
        for k in range(factors.shape[1]):
            found *= factors[k, k]
        return -found if _is_odd(factors) else found

    return impl


@overload(log_determinant_factored, jit_options=WITHOUT_REFERENCES)
def _log_determinant_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.slogdet(_matrices(factors))[1]
    real = getattr(a.dtype, "underlying_float", a.dtype)

    def impl(a, factors):
        _refuse_oblong(factors)
        if is_inverse(factors):
            return np.log(abs(factors[factors.shape[1], 1]))
        found = real(0)
        for k in range(factors.shape[1]):
            found += np.log(abs(factors[k, k]))
        return found

    return impl


@overload(sign_factored, jit_options=WITHOUT_REFERENCES)
def _sign_factored(a, factors):
    if not _is_matrix(a):
        return lambda a, factors: np.linalg.slogdet(_matrices(factors))[0]
    dtype = a.dtype

    def impl(a, factors):
        _refuse_oblong(factors)
        if is_inverse(factors):
            whole = factors[factors.shape[1], 1]
            return whole / abs(whole)
        found = dtype(1)
        for k in range(factors.shape[1]):
            size = abs(factors[k, k])
            found = found * (factors[k, k] / size) if size != 0 else found * 0
        return -found if _is_odd(factors) else found

    return impl


@overload(cofactors_factored)
def _cofactors_factored(a, factors, whole):
    return None if _is_matrix(a) else lambda a, factors, whole: cofactors(_matrices(factors), whole)


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


def type_of_factors(a: Any) -> Any:
    """The type of the factors of a matrix of this type; None for what is no matrix."""
    return types.Array(a.dtype, 2, "C") if _is_matrix(a) else None


def type_of_inverse(a: Any, factors: Any) -> Any:
    """The type of the inverse of a matrix; None for what is no matrix."""
    return type_of_factors(a)


def type_of_solution(a: Any, factors: Any, b: Any) -> Any:
    """The type of the solution of a system with one matrix, for one right side or several; None for others."""
    is_plain = _is_matrix(a) and isinstance(b, types.Array) and 0 < b.ndim < 3 and a.dtype == b.dtype
    return types.Array(b.dtype, b.ndim, "C") if is_plain else None


stored_by(lu_factors, store_factors, type_of_factors, lambda builder, a: (builder.add(a[0], a[0].type(1)), a[1]))
stored_by(solve_factored, store_solution, type_of_solution, lambda builder, a, factors, b: b, (False,))
stored_by(solve_factored_transposed, store_solution, type_of_solution, lambda builder, a, factors, b: b, (True,))
stored_by(
    inverse_factored,
    store_inverse,
    type_of_inverse,
    lambda builder, a, factors: (factors[1], factors[1]),
)
stored_by(
    cofactors_factored,
    store_cofactors,
    lambda a, factors, whole: type_of_factors(a),
    lambda builder, a, factors, whole: (factors[1], factors[1]),
    otherwise=store_cofactors_of_singular,
)
