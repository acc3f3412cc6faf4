"""Matrix products added to an array in place, without a temporary array for the product.

BLAS computes `beta * c + a b` (Dongarra, Du Croz, Hammarling, Duff, A set of level 3 basic linear algebra subprograms,
ACM Transactions on Mathematical Software 16, 1990), but Numba calls it with beta = 0 only. Adjoints of matrices in a
loop are such sums. For other ranks, and for operands of different types, the product is computed and then added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaTypeError
from numba.extending import overload, register_jitable
from numba.np.linalg import ensure_blas, get_blas_kind
from numba.np.numpy_support import as_dtype

from srcad.runtime.kernels.arrays.array_add_and_copy import add_to
from srcad.runtime.kernels.linear_algebra.products import packed, times, times_transpose, transpose_times

LARGEST = 2**31 - 1  # the largest extent that BLAS accepts
_AS_STORED, _TURNED = ord("n"), ord("t")


def add_times(total: Any, a: Any, b: Any) -> None:
    """Add the product of two matrices, or of a matrix and a vector, to an array.

    >>> total = np.ones((1, 1))
    >>> add_times(total, np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]))
    >>> total
    array([[12.]])
    """
    total += times(a, b)


def add_times_transpose(total: Any, a: Any, b: Any) -> None:
    """Add the product of a matrix and the transpose of another to a matrix."""
    total += times_transpose(a, b)


def add_transpose_times(total: Any, a: Any, b: Any) -> None:
    """Add the product of the transpose of a matrix and a matrix or a vector to an array."""
    total += transpose_times(a, b)


@overload(add_times)
def _add_times(total, a, b):
    if not _is_simple(total, a, b):
        return lambda total, a, b: add_to(total, times(a, b))
    if total.layout == "F":
        return lambda total, a, b: add_times(total.T, b.T, a.T)
    return _plus_vector(a, False) if b.ndim == 1 else _plus_matrix(a, b, False, False)


@overload(add_times_transpose)
def _add_times_transpose(total, a, b):
    if not _is_simple(total, a, b) or b.ndim == 1:
        return lambda total, a, b: add_to(total, times_transpose(a, b))
    if total.layout == "F":
        return lambda total, a, b: add_times_transpose(total.T, b, a)
    return _plus_matrix(a, b, False, True)


@overload(add_transpose_times)
def _add_transpose_times(total, a, b):
    if not _is_simple(total, a, b):
        return lambda total, a, b: add_to(total, transpose_times(a, b))
    if total.layout == "F":
        return lambda total, a, b: add_transpose_times(total.T, b, a)
    return _plus_vector(a, True) if b.ndim == 1 else _plus_matrix(a, b, True, False)


def _is_simple(total: Any, a: Any, b: Any) -> bool:
    """Whether BLAS has a function for arrays of these types."""
    arrays = total, a, b
    if not all(isinstance(each, types.Array) for each in arrays) or len({each.dtype for each in arrays}) != 1:
        return False
    try:
        ensure_blas()
        get_blas_kind(total.dtype)
    except (ImportError, NumbaTypeError):
        return False
    return a.ndim == 2 and b.ndim == total.ndim and b.ndim in (1, 2) and total.layout in ("C", "F")


def _plus_matrix(a: types.Array, b: types.Array, a_is_turned: bool, b_is_turned: bool) -> Any:
    """`total += a @ b` as `total.T += b.T @ a.T`: BLAS expects column-major matrices, and `total` is row-major."""
    kind, unit = ord(get_blas_kind(a.dtype)), np.ones(1, as_dtype(a.dtype))
    product = _product_of_matrices(types.CPointer(a.dtype))
    of_a, of_b = (_TURNED if turns else _AS_STORED for turns in (_turns(a, a_is_turned), _turns(b, b_is_turned)))
    a_axis, b_axis = int(a.layout != "F"), int(b.layout != "F")  # the axis along which an array is contiguous

    def add_product(total, a, b):
        left, right = packed(a), packed(b)
        m, k = (left.shape[1], left.shape[0]) if a_is_turned else left.shape
        rest, n = (right.shape[1], right.shape[0]) if b_is_turned else right.shape
        if rest != k or total.shape[0] != m or total.shape[1] != n or max(m, n, k) > LARGEST:
            raise ValueError("matrices of these shapes cannot be multiplied and added")
        if min(m, n, k) == 0:
            return
        at, a_at, b_at, one = total.ctypes, left.ctypes, right.ctypes, unit.ctypes
        is_shared = _meet(at.data, total.nbytes, a_at.data, left.nbytes, b_at.data, right.nbytes)
        target = np.zeros_like(total) if is_shared else total
        product(
            kind, of_b, of_a, n, m, k, one, b_at, right.shape[b_axis], a_at, left.shape[a_axis], one, target.ctypes, n
        )
        if is_shared:
            add_to(total, target)

    return add_product


def _plus_vector(a: types.Array, is_turned: bool) -> Any:
    """`total += a @ b` for a vector b."""
    kind, unit = ord(get_blas_kind(a.dtype)), np.ones(1, as_dtype(a.dtype))
    product = _product_with_vector(types.CPointer(a.dtype))
    of_a, along = (_AS_STORED if _turns(a, is_turned) else _TURNED), int(a.layout != "F")

    def add_product(total, a, b):
        left, right = packed(a), packed(b)
        m, k = (left.shape[1], left.shape[0]) if is_turned else left.shape
        if right.size != k or total.size != m or max(m, k) > LARGEST:
            raise ValueError("a matrix and a vector of these shapes cannot be multiplied and added")
        if min(m, k) == 0:
            return
        at, a_at, b_at, one = total.ctypes, left.ctypes, right.ctypes, unit.ctypes
        is_shared = _meet(at.data, total.nbytes, a_at.data, left.nbytes, b_at.data, right.nbytes)
        target = np.zeros_like(total) if is_shared else total
        line, lines = left.shape[along], left.shape[1 - along]
        product(kind, of_a, line, lines, one, a_at, line, b_at, one, target.ctypes)
        if is_shared:
            add_to(total, target)

    return add_product


@register_jitable
def _meet(at: int, size: int, a_at: int, a_size: int, b_at: int, b_size: int) -> bool:
    """Whether memory at an address overlaps one of two others."""
    return (at < a_at + a_size and a_at < at + size) or (at < b_at + b_size and b_at < at + size)


def _turns(a: types.Array, is_turned: bool) -> bool:
    """Whether BLAS must transpose the memory that it is given to get the transpose of the operand."""
    return bool((a.layout == "F") != is_turned)


def _product_of_matrices(pointer: types.Type) -> types.ExternalFunction:
    form, matrix = (types.char,) * 3 + (types.intp,) * 3, (pointer, types.intp)
    return types.ExternalFunction("numba_xxgemm", types.intc(*form, pointer, *matrix, *matrix, pointer, *matrix))


def _product_with_vector(pointer: types.Type) -> types.ExternalFunction:
    form, matrix = (types.char,) * 2 + (types.intp,) * 2, (pointer, types.intp)
    return types.ExternalFunction("numba_xxgemv", types.intc(*form, pointer, *matrix, pointer, pointer, pointer))
