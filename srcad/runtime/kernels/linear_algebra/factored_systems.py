"""Systems of equations from the factors of a matrix (`lu_factors`), in place, in compiled code.

Columns are eliminated in blocks: within a block by loops, all other rows at once by a product of matrices, as LAPACK
does. BLAS gets parts of the factors as they lie in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.linalg import ensure_blas, get_blas_kind
from numba.np.numpy_support import as_dtype

from srcad.runtime.kernels.linear_algebra.blas_calls import AS_STORED, TURNED, product_of_matrices, product_with_vector

_BLOCK = 32  # columns


@register_jitable
def is_lower(factors: Any) -> bool:
    """Whether these are the factors of a lower triangular matrix: that matrix itself, with no exchanges."""
    n = factors.shape[1]
    return bool(n > 0 and factors[n, 0].real < 0)


@register_jitable
def refuse_singular(factors: Any) -> None:
    """Raise LinAlgError for the factors of a matrix that is singular or not square."""
    n = factors.shape[1]
    if factors.shape[0] != n + 1:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    for k in range(n):
        if factors[k, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")


@register_jitable
def after_exchanges(factors: Any, x: Any, back: bool) -> None:
    """Exchange the rows of x as those of the matrix were exchanged, or undo that."""
    n = factors.shape[1]
    if is_lower(factors):
        return
    for step in range(n):
        k = n - 1 - step if back else step
        p = np.int64(factors[n, k].real)
        if p != k:
            for c in range(x.shape[1]):
                x[k, c], x[p, c] = x[p, c], x[k, c]


@register_jitable
def solve_columns(f: Any, x: Any) -> None:
    """Replace columns b by the solution of `a @ x = b`."""
    n, lower = f.shape[1], is_lower(f)
    after_exchanges(f, x, False)
    if n <= _BLOCK:
        _substitute(f, x, 0, n, True, False, lower)
        if not lower:
            _substitute(f, x, 0, n, False, False, True)
    else:
        _solve_by_blocks(f, x, lower)


@register_jitable
def _solve_by_blocks(f: Any, x: Any, lower: bool) -> None:
    n = f.shape[1]
    for start in range(0, n, _BLOCK):
        end = min(start + _BLOCK, n)
        _substitute(f, x, start, end, True, False, lower)
        if end < n:
            subtract_product(x[end:], f[start:end, end:], True, x[start:end])
    if lower:
        return
    for start in range((n - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        end = min(start + _BLOCK, n)
        _substitute(f, x, start, end, False, False, True)
        if start > 0:
            subtract_product(x[:start], f[start:end, :start], True, x[start:end])


@register_jitable
def solve_columns_transposed(f: Any, x: Any) -> None:
    """Replace columns b by the solution of `a.T @ x = b`."""
    n, lower = f.shape[1], is_lower(f)
    if n <= _BLOCK:
        if not lower:
            _substitute(f, x, 0, n, True, True, True)
        _substitute(f, x, 0, n, False, True, lower)
    else:
        _solve_transposed_by_blocks(f, x, lower)
    after_exchanges(f, x, True)


@register_jitable
def _solve_transposed_by_blocks(f: Any, x: Any, lower: bool) -> None:
    n = f.shape[1]
    for start in range(0, 0 if lower else n, _BLOCK):
        end = min(start + _BLOCK, n)
        if start > 0:
            subtract_product(x[start:end], f[start:end, :start], False, x[:start])
        _substitute(f, x, start, end, True, True, True)
    for start in range((n - 1) // _BLOCK * _BLOCK, -1, -_BLOCK):
        end = min(start + _BLOCK, n)
        if end < n:
            subtract_product(x[start:end], f[start:end, end:], False, x[end:])
        _substitute(f, x, start, end, False, True, lower)


@register_jitable
def _substitute(f: Any, x: Any, start: int, end: int, ascends: bool, is_turned: bool, divides: bool) -> None:
    """Solve with the triangle of one block, row by row, for four columns at a time."""
    columns, by_fours = x.shape[1], x.shape[1] // 4 * 4
    for step in range(end - start):
        i = start + step if ascends else end - 1 - step
        first, last = (start, i) if ascends else (i + 1, end)
        pivot = f[i, i]
        for c in range(0, by_fours, 4):
            p, q, r, s = x[i, c], x[i, c + 1], x[i, c + 2], x[i, c + 3]
            for j in range(first, last):
                factor = f[i, j] if is_turned else f[j, i]
                p -= factor * x[j, c]
                q -= factor * x[j, c + 1]
                r -= factor * x[j, c + 2]
                s -= factor * x[j, c + 3]
            if divides:
                p, q, r, s = p / pivot, q / pivot, r / pivot, s / pivot
            x[i, c], x[i, c + 1], x[i, c + 2], x[i, c + 3] = p, q, r, s
        for c in range(by_fours, columns):
            p = x[i, c]
            for j in range(first, last):
                p -= (f[i, j] if is_turned else f[j, i]) * x[j, c]
            x[i, c] = p / pivot if divides else p


def subtract_product(out: Any, part: Any, is_turned: bool, x: Any) -> None:
    """Subtract the product of a part of the factors, or of its transpose, and rows of x from other rows of x."""
    out -= (part.T if is_turned else part) @ x


@overload(subtract_product)
def _subtract_product(out, part, is_turned, x):
    ensure_blas()
    dtype = out.dtype
    kind, unit = ord(get_blas_kind(dtype)), np.ones(1, as_dtype(dtype))
    minus = -unit
    by_matrix, by_vector = product_of_matrices(types.CPointer(dtype)), product_with_vector(types.CPointer(dtype))

    def impl(out, part, is_turned, x):
        line, columns = part.strides[0] // part.itemsize, x.shape[1]
        at, x_at, part_at, one, less = out.ctypes, x.ctypes, part.ctypes, unit.ctypes, minus.ctypes
        if columns == 1:
            form = AS_STORED if is_turned else TURNED
            by_vector(kind, form, part.shape[1], part.shape[0], less, part_at, line, x_at, one, at)
        elif columns > 1:
            form, rows, inner = TURNED if is_turned else AS_STORED, out.shape[0], x.shape[0]
            by_matrix(kind, AS_STORED, form, columns, rows, inner, less, x_at, columns, part_at, line, one, at, columns)

    return impl
