"""What `lu_factors` and the functions that take factors store, in compiled code, into arrays of their callers.

Up to `LARGEST_BY_LOOPS` rows there are loops, since a call of LAPACK takes longer than the arithmetic; beyond, `getrf`
factors and `getri` inverts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.linalg import _LAPACK, ensure_lapack, get_blas_kind

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES
from srcad.runtime.kernels.linear_algebra.closed_forms import store_closed_form
from srcad.runtime.kernels.linear_algebra.cofactors import cofactors
from srcad.runtime.kernels.linear_algebra.factored_systems import (
    LOWER,
    after_exchanges,
    is_inverse,
    is_lower,
    refuse_singular,
    solve_columns,
)
from srcad.runtime.kernels.linear_algebra.memory_for_lapack import (
    as_column,
    as_integers,
    integers_on_stack,
    pointer_to,
)

LARGEST_BY_LOOPS = 32  # rows
_REGULAR = 1e12  # squared condition number up to which cofactors are computed from the inverse


def store_factors(factors: Any, a: Any) -> None:
    """The factors of a square matrix, as `lu_factors` says."""
    raise NotImplementedError(_ONLY_COMPILED)


def store_solution(out: Any, a: Any, factors: Any, b: Any, is_turned: bool) -> None:
    """The solution of a system, or of that with the transposed matrix."""
    raise NotImplementedError(_ONLY_COMPILED)


def store_inverse(out: Any, a: Any, factors: Any) -> None:
    """The inverse of a matrix."""
    raise NotImplementedError(_ONLY_COMPILED)


def store_cofactors(out: Any, a: Any, factors: Any, whole: Any) -> bool:
    """The matrix of cofactors; False, and nothing stored, where the matrix is close to a singular one."""
    raise NotImplementedError(_ONLY_COMPILED)


def store_cofactors_of_singular(out: Any, a: Any, factors: Any, whole: Any) -> None:
    """The same for such a matrix."""
    raise NotImplementedError(_ONLY_COMPILED)


_ONLY_COMPILED = "uncompiled, factors are a copy of the matrix"


@overload(store_factors, jit_options=WITHOUT_REFERENCES)
def _store_factors(factors, a):
    kind, dtype = ord(get_blas_kind(a.dtype)), a.dtype
    ensure_lapack()
    eliminate, closed = _LAPACK().numba_xxgetrf(dtype), store_closed_form if isinstance(dtype, types.Float) else _never

    def impl(factors, a):
        n = a.shape[1]
        if a.shape[0] != n:  # refused where it is used
            for i in range(factors.shape[0]):
                for j in range(n):
                    factors[i, j] = 0
            return
        if closed(factors, a):
            return
        for i in range(n):
            for j in range(n):
                factors[j, i] = a[i, j]
        side = triangle_of(factors) if n > 2 else 0
        if side != 0:
            for k in range(n):
                factors[n, k] = k
            if side < 0:
                factors[n, 0] = LOWER
        elif n <= LARGEST_BY_LOOPS:
            eliminate_columns(factors)
        else:  # the last row has room for the exchanges, which count from 1
            exchanges = as_integers(pointer_to(factors, n, 0))
            eliminate(kind, n, n, factors.ctypes, n, exchanges)
            for k in range(n - 1, -1, -1):
                factors[n, k] = exchanges[k] - 1

    return impl


@register_jitable(**WITHOUT_REFERENCES)
def _never(factors: Any, a: Any) -> bool:
    return False


@register_jitable(**WITHOUT_REFERENCES)
def triangle_of(columns: Any) -> int:
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


@register_jitable(**WITHOUT_REFERENCES)
def eliminate_columns(f: Any) -> None:
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


@overload(store_solution, jit_options=WITHOUT_REFERENCES)
def _store_solution(out, a, factors, b, is_turned):
    def columns(out, a, factors, b, is_turned):
        refuse_singular(factors)
        if b.shape[0] != factors.shape[1]:
            raise ValueError(_NO_MATCH)
        for i in range(b.shape[0]):
            for j in range(b.shape[1]):
                out[i, j] = b[i, j]
        solve_columns(factors, out, is_turned)

    def vector(out, a, factors, b, is_turned):
        refuse_singular(factors)
        n = factors.shape[1]
        if b.shape[0] != n:
            raise ValueError(_NO_MATCH)
        for i in range(n):
            out[i] = b[i]
        solve_columns(factors, as_column(out), is_turned)

    return vector if b.ndim == 1 else columns


_NO_MATCH = "the matrix of a system has not as many rows as the right side"


@overload(store_inverse, jit_options=WITHOUT_REFERENCES)
def _store_inverse(out, a, factors):
    kind, dtype = ord(get_blas_kind(a.dtype)), a.dtype
    ensure_lapack()
    invert = _LAPACK().numba_ez_xxgetri(dtype)

    def impl(out, a, factors):
        refuse_singular(factors)
        n = factors.shape[1]
        for_lapack = n > LARGEST_BY_LOOPS and not is_lower(factors)
        keeps = for_lapack or is_inverse(factors)
        for i in range(n):
            for j in range(n):
                out[i, j] = factors[i, j] if keeps else 1 if i == j else 0
        if for_lapack:
            exchanges = integers_on_stack(n)
            for k in range(n):
                exchanges[k] = np.int32(factors[n, k].real) + 1
            invert(kind, n, out.ctypes, n, exchanges)
            for i in range(n):
                for j in range(i):
                    out[i, j], out[j, i] = out[j, i], out[i, j]
        elif not keeps:
            solve_columns(factors, out, False)

    return impl


@overload(store_cofactors, jit_options=WITHOUT_REFERENCES)
def _store_cofactors(out, a, factors, whole):
    def impl(out, a, factors, whole):
        n = factors.shape[1]
        lower = upper = size = 0.0
        if not is_inverse(factors):
            for j in range(n):
                if factors[j, j] == 0:
                    return False
                for i in range(n):
                    square = abs(factors[j, i]) ** 2
                    lower, upper = (lower + square, upper) if i > j else (lower, upper + square)
        store_inverse(out, a, factors)
        for i in range(n):
            for j in range(n):
                size += abs(out[i, j]) ** 2
        if not (lower + n) * upper * size < _REGULAR:
            return False
        for i in range(n):
            out[i, i] *= whole
            for j in range(i):
                out[i, j], out[j, i] = whole * out[j, i], whole * out[i, j]
        return True

    return impl


@overload(store_cofactors_of_singular)
def _store_cofactors_of_singular(out, a, factors, whole):
    def impl(out, a, factors, whole):
        store_product_of_factors(out, factors)
        found = cofactors(out, whole)
        for i in range(out.shape[0]):
            for j in range(out.shape[0]):
                out[i, j] = found[i, j]

    return impl


@register_jitable(**WITHOUT_REFERENCES)
def store_product_of_factors(out: Any, factors: Any) -> None:
    """Store the matrix that the factors are those of."""
    n, lower = factors.shape[1], is_lower(factors)
    for i in range(n):
        for j in range(n):
            out[i, j] = factors[j, i] if lower else 0
    if lower:
        return
    for k in range(n):
        for i in range(k, n):
            below = factors[k, i] if i > k else factors[k, i] * 0 + 1
            for j in range(k, n):
                out[i, j] += below * factors[j, k]
    after_exchanges(factors, out, True)
