"""Systems of equations from the factors of a matrix (`lu_factors`), in place, in compiled code.

Columns are eliminated in blocks: within a block by loops, with all that were found before at once by a product of
matrices, as LAPACK does. BLAS gets parts of the factors as they lie in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.linalg import ensure_blas, get_blas_kind
from numba.np.numpy_support import as_dtype

from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES
from srcad.runtime.kernels.linear_algebra.blas_calls import (
    AS_STORED,
    TURNED,
    product_of_matrices,
    product_with_vector,
)
from srcad.runtime.kernels.linear_algebra.closed_forms import INVERSE, multiply_by_inverse
from srcad.runtime.kernels.linear_algebra.memory_for_lapack import pointer_to

BLOCK = 32  # columns
LOWER = -1  # in the place of the first exchange: there was no elimination


@register_jitable(**WITHOUT_REFERENCES)
def is_lower(factors: Any) -> bool:
    """Whether these are the factors of a lower triangular matrix: that matrix itself, with no exchanges."""
    n = factors.shape[1]
    return bool(n > 0 and factors[n, 0].real == LOWER)


@register_jitable(**WITHOUT_REFERENCES)
def is_inverse(factors: Any) -> bool:
    """Whether these are no factors, but the inverse of a small matrix, which has its determinant after the mark."""
    n = factors.shape[1]
    return bool(n > 0 and factors[n, 0].real == INVERSE)


@register_jitable(**WITHOUT_REFERENCES)
def refuse_singular(factors: Any) -> None:
    """Raise LinAlgError for the factors of a matrix that is singular or not square."""
    n = factors.shape[1]
    if factors.shape[0] != n + 1:
        raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    if is_inverse(factors):
        return
    for k in range(n):
        if factors[k, k] == 0:
            raise np.linalg.LinAlgError("Singular matrix")


@register_jitable(**WITHOUT_REFERENCES)
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


@register_jitable(**WITHOUT_REFERENCES)
def solve_columns(f: Any, x: Any, is_turned: bool) -> None:
    """Replace columns b by the solution of `a @ x = b`, or of `a.T @ x = b`."""
    if is_inverse(f):
        multiply_by_inverse(f, x, is_turned)
        return
    lower = is_lower(f)
    if not is_turned:
        after_exchanges(f, x, False)
        solve_triangle(f, x, True, False, lower)
        if not lower:
            solve_triangle(f, x, False, False, True)
    else:
        if not lower:
            solve_triangle(f, x, True, True, True)
        solve_triangle(f, x, False, True, lower)
        after_exchanges(f, x, True)


@register_jitable(**WITHOUT_REFERENCES)
def solve_triangle(f: Any, x: Any, ascends: bool, is_turned: bool, divides: bool) -> None:
    """Solve with one triangle of the factors, or of their transpose; its diagonal is 1 where nothing is divided.

    Within a block, row by row, for four columns at a time.
    """
    n, columns, by_fours = f.shape[1], x.shape[1], x.shape[1] // 4 * 4
    for done in range(0, n, BLOCK):
        start, end = (done, min(done + BLOCK, n)) if ascends else (max(n - done - BLOCK, 0), n - done)
        if done > 0:
            subtract_product(f, x, start, end, ascends, is_turned)
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


def subtract_product(f: Any, x: Any, start: int, end: int, ascends: bool, is_turned: bool) -> None:
    """Subtract from the rows of a block what those before it, or after it, contribute: a product of matrices."""
    first, last = (0, start) if ascends else (end, f.shape[1])
    part = f[start:end, first:last] if is_turned else f[first:last, start:end].T
    x[start:end] -= part @ x[first:last]


@overload(subtract_product, jit_options=WITHOUT_REFERENCES)
def _subtract_product(f, x, start, end, ascends, is_turned):
    ensure_blas()
    dtype = x.dtype
    kind, unit = ord(get_blas_kind(dtype)), np.ones(1, as_dtype(dtype))
    minus = -unit
    by_matrix, by_vector = product_of_matrices(types.CPointer(dtype)), product_with_vector(types.CPointer(dtype))

    def impl(f, x, start, end, ascends, is_turned):
        line, columns, rows = f.strides[0] // f.itemsize, x.shape[1], end - start
        first, inner = (0, start) if ascends else (end, f.shape[1] - end)
        out, known, one, less = pointer_to(x, start, 0), pointer_to(x, first, 0), unit.ctypes, minus.ctypes
        part = pointer_to(f, start, first) if is_turned else pointer_to(f, first, start)
        if columns == 1 and is_turned:
            by_vector(kind, TURNED, inner, rows, less, part, line, known, one, out)
        elif columns == 1:
            by_vector(kind, AS_STORED, rows, inner, less, part, line, known, one, out)
        elif columns > 1:
            form = AS_STORED if is_turned else TURNED
            by_matrix(kind, AS_STORED, form, columns, rows, inner, less, known, columns, part, line, one, out, columns)

    return impl
