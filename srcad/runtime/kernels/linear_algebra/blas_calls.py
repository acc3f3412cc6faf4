"""Calls of BLAS from compiled code: products of matrices that lie in memory by rows or by columns, stored or added.

Numba's own `np.dot` checks types, shapes and memory in many branches, which take long to compile, and never adds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaTypeError
from numba.extending import overload
from numba.np.linalg import ensure_blas, get_blas_kind
from numba.np.numpy_support import as_dtype

LARGEST = 2**31 - 1  # the largest extent that BLAS accepts
AS_STORED, TURNED = ord("n"), ord("t")


def has_blas(dtype: Any) -> bool:
    """Whether there is a BLAS, with functions for this type.

    >>> has_blas(types.float32), has_blas(types.int64)
    (True, False)
    """
    try:
        ensure_blas()
        get_blas_kind(dtype)
    except (ImportError, NumbaTypeError):
        return False
    return True


def store_product(out: Any, a: Any, b: Any, adds: bool) -> None:
    """Store the product of a matrix and a matrix or a vector in an array in C order, or add it.

    The operands are contiguous, in C or in Fortran order, and do not overlap with `out`; all shapes match.

    >>> out = np.ones((1, 1))
    >>> store_product(out, np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), True)
    >>> out
    array([[12.]])
    """
    out[...] = out + a @ b if adds else a @ b


@overload(store_product)
def _store_product(out, a, b, adds):
    ensure_blas()
    kind, unit = ord(get_blas_kind(a.dtype)), np.ones(1, as_dtype(a.dtype))
    zero, pointer = np.zeros(1, as_dtype(a.dtype)), types.CPointer(a.dtype)
    # BLAS expects matrices by columns: to it, memory in C order is the transpose, so it computes `out.T = b.T @ a.T`.
    product, of_vector = product_of_matrices(pointer), product_with_vector(pointer)
    a_form, a_axis = (TURNED, 0) if a.layout == "F" else (AS_STORED, 1)
    b_form, b_axis = (TURNED, 0) if b.layout == "F" else (AS_STORED, b.ndim - 1)
    vector_form = AS_STORED if a.layout == "F" else TURNED

    def by_matrix(out, a, b, adds):
        m, k, n = a.shape[0], a.shape[1], b.shape[1]
        if max(m, k, n) > LARGEST:
            raise ValueError(_TOO_LARGE)
        if min(m, k, n) > 0:
            factor = unit.ctypes if adds else zero.ctypes
            a_line, b_line, one = a.shape[a_axis], b.shape[b_axis], unit.ctypes
            product(kind, b_form, a_form, n, m, k, one, b.ctypes, b_line, a.ctypes, a_line, factor, out.ctypes, n)
        elif not adds:
            out[:] = 0

    def by_vector(out, a, b, adds):
        if max(a.shape[0], a.shape[1]) > LARGEST:
            raise ValueError(_TOO_LARGE)
        if min(a.shape[0], a.shape[1]) > 0:
            factor, line, lines = unit.ctypes if adds else zero.ctypes, a.shape[a_axis], a.shape[1 - a_axis]
            of_vector(kind, vector_form, line, lines, unit.ctypes, a.ctypes, line, b.ctypes, factor, out.ctypes)
        elif not adds:
            out[:] = 0

    return by_vector if b.ndim == 1 else by_matrix


_TOO_LARGE = "a matrix is larger than BLAS accepts"


def product_of_matrices(pointer: types.Type) -> types.ExternalFunction:
    """BLAS's `gemm` for elements behind such a pointer, as Numba provides it."""
    form, matrix = (types.char,) * 3 + (types.intp,) * 3, (pointer, types.intp)
    return types.ExternalFunction("numba_xxgemm", types.intc(*form, pointer, *matrix, *matrix, pointer, *matrix))


def product_with_vector(pointer: types.Type) -> types.ExternalFunction:
    """BLAS's `gemv` for elements behind such a pointer, as Numba provides it."""
    form, matrix = (types.char,) * 2 + (types.intp,) * 2, (pointer, types.intp)
    return types.ExternalFunction("numba_xxgemv", types.intc(*form, pointer, *matrix, pointer, pointer, pointer))
