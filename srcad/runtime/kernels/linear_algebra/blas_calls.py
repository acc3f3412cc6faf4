"""Calls of BLAS from compiled code: products of matrices that lie in memory by rows or by columns, stored or added.

Numba's own `np.dot` checks types, shapes and memory in many branches, which take long to compile, and never adds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaTypeError
from numba.extending import overload, register_jitable
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

    The operands lie in lines (`lies_in_lines`), and do not overlap with `out`; all shapes match.

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

    def by_matrix(out, a, b, adds):
        m, k, n = a.shape[0], a.shape[1], b.shape[1]
        if max(m, k, n) > LARGEST:
            raise ValueError(_TOO_LARGE)
        if min(m, k, n) > 0:
            factor, one = unit.ctypes if adds else zero.ctypes, unit.ctypes
            (a_turned, a_line), (b_turned, b_line) = lines_of(a), lines_of(b)
            a_form, b_form = TURNED if a_turned else AS_STORED, TURNED if b_turned else AS_STORED
            product(kind, b_form, a_form, n, m, k, one, b.ctypes, b_line, a.ctypes, a_line, factor, out.ctypes, n)
        elif not adds:
            out[:] = 0

    def by_vector(out, a, b, adds):
        rows, columns = a.shape
        if max(rows, columns) > LARGEST:
            raise ValueError(_TOO_LARGE)
        if min(rows, columns) > 0:
            factor, one, (turned, line) = unit.ctypes if adds else zero.ctypes, unit.ctypes, lines_of(a)
            if turned:
                of_vector(kind, AS_STORED, rows, columns, one, a.ctypes, line, b.ctypes, factor, out.ctypes)
            else:
                of_vector(kind, TURNED, columns, rows, one, a.ctypes, line, b.ctypes, factor, out.ctypes)
        elif not adds:
            out[:] = 0

    return by_vector if b.ndim == 1 else by_matrix


def lies_in_lines(a: Any) -> bool:
    """Whether the elements of each row, or those of each column, lie side by side, as BLAS takes a matrix or a vector.

    >>> a = np.ones((4, 6))
    >>> lies_in_lines(a[1:, 2:]), lies_in_lines(a[:, ::2]), lies_in_lines(a.T[1:]), lies_in_lines(a[::-1])
    (True, False, True, False)
    """
    return bool(_are_side_by_side(a, a.ndim - 2, a.ndim - 1) or (a.ndim == 2 and _are_side_by_side(a, 1, 0)))


@overload(lies_in_lines)
def _lies_in_lines(a):
    if a.layout in ("C", "F"):
        return lambda a: True
    if a.ndim == 1:
        return lambda a: a.shape[0] <= 1 or a.strides[0] == a.itemsize
    return lambda a: _are_side_by_side(a, 0, 1) or _are_side_by_side(a, 1, 0)


@register_jitable
def _are_side_by_side(a: Any, outer: int, inner: int) -> bool:
    """Whether the elements along one axis of an array lie side by side, and lines of them one after the other."""
    unit, line = a.itemsize, a.strides[outer] if a.ndim > 1 else 0
    is_apart = a.ndim == 1 or a.shape[outer] <= 1 or (line >= unit * max(a.shape[inner], 1) and line % unit == 0)
    return bool(is_apart) and bool(a.shape[inner] <= 1 or a.strides[inner] == unit)


def lines_of(a: Any) -> tuple[bool, int]:
    """Whether the lines of a matrix are its columns, and how many elements apart they begin.

    >>> lines_of(np.ones((4, 6))[1:, 2:]), lines_of(np.ones((4, 6)).T)
    ((False, 6), (True, 6))
    """
    return (False, _apart(a, 0, 1)) if _are_side_by_side(a, 0, 1) else (True, _apart(a, 1, 0))


@register_jitable
def _apart(a: Any, outer: int, inner: int) -> int:
    """How many elements apart the lines of a matrix begin; of one line at least its own length."""
    apart: int = a.strides[outer] // a.itemsize if a.shape[outer] > 1 else max(a.shape[inner], 1)
    return apart


@overload(lines_of)
def _lines_of(a):
    if a.layout == "C":
        return lambda a: (False, a.shape[1])
    if a.layout == "F":
        return lambda a: (True, a.shape[0])

    def impl(a):
        if _are_side_by_side(a, 0, 1):
            return False, _apart(a, 0, 1)
        return True, _apart(a, 1, 0)

    return impl


_TOO_LARGE = "a matrix is larger than BLAS accepts"


def product_of_matrices(pointer: types.Type) -> types.ExternalFunction:
    """BLAS's `gemm` for elements behind such a pointer, as Numba provides it."""
    form, matrix = (types.char,) * 3 + (types.intp,) * 3, (pointer, types.intp)
    return types.ExternalFunction("numba_xxgemm", types.intc(*form, pointer, *matrix, *matrix, pointer, *matrix))


def product_with_vector(pointer: types.Type) -> types.ExternalFunction:
    """BLAS's `gemv` for elements behind such a pointer, as Numba provides it."""
    form, matrix = (types.char,) * 2 + (types.intp,) * 2, (pointer, types.intp)
    return types.ExternalFunction("numba_xxgemv", types.intc(*form, pointer, *matrix, pointer, pointer, pointer))
