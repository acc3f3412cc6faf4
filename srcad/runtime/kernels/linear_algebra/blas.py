"""Matrix products added to an array in place, without a temporary array for the product.

BLAS computes `beta * c + a b` (Dongarra, Du Croz, Hammarling, Duff, A set of level 3 basic linear algebra subprograms,
ACM Transactions on Mathematical Software 16, 1990), but Numba calls it with beta = 0 only. Adjoints of matrices in a
loop are such sums. For other ranks, and for operands of different types, the product is computed and then added.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import add_to
from srcad.runtime.kernels.linear_algebra.blas_calls import has_blas, store_product
from srcad.runtime.kernels.linear_algebra.products import packed, times, times_transpose, transpose_times
from srcad.runtime.kernels.linear_algebra.small_products import apply, is_small_matrix, is_small_product, multiply


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
    return _plus_vector(False) if b.ndim == 1 else _plus_matrix(False, False)


@overload(add_times_transpose)
def _add_times_transpose(total, a, b):
    if not _is_simple(total, a, b) or b.ndim == 1:
        return lambda total, a, b: add_to(total, times_transpose(a, b))
    if total.layout == "F":
        return lambda total, a, b: add_times_transpose(total.T, b, a)
    return _plus_matrix(False, True)


@overload(add_transpose_times)
def _add_transpose_times(total, a, b):
    if not _is_simple(total, a, b):
        return lambda total, a, b: add_to(total, transpose_times(a, b))
    if total.layout == "F":
        return lambda total, a, b: add_transpose_times(total.T, b, a)
    return _plus_vector(True) if b.ndim == 1 else _plus_matrix(True, False)


def _is_simple(total: Any, a: Any, b: Any) -> bool:
    """Whether BLAS has a function for arrays of these types."""
    arrays = total, a, b
    if not all(isinstance(each, types.Array) for each in arrays) or len({each.dtype for each in arrays}) != 1:
        return False
    is_fit = a.ndim == 2 and b.ndim == total.ndim and b.ndim in (1, 2) and total.layout in ("C", "F")
    return is_fit and has_blas(total.dtype)


def _plus_matrix(a_is_turned: bool, b_is_turned: bool) -> Any:
    """`total += a @ b`, either transposed."""

    def add_product(total, a, b):
        left, right = packed(a), packed(b)
        is_shared = _meet(total, left, right)
        left, right = left.T if a_is_turned else left, right.T if b_is_turned else right
        if left.shape[1] != right.shape[0] or total.shape != (left.shape[0], right.shape[1]):
            raise ValueError("matrices of these shapes cannot be multiplied and added")
        target = np.zeros_like(total) if is_shared else total
        if is_small_product(left.shape[0], left.shape[1], right.shape[1]):
            multiply(target, left, right, True)
        else:
            store_product(target, left, right, True)
        if is_shared:
            add_to(total, target)

    return add_product


def _plus_vector(is_turned: bool) -> Any:
    """`total += a @ b` for a vector b."""

    def add_product(total, a, b):
        left, right = packed(a), packed(b)
        is_shared = _meet(total, left, right)
        left = left.T if is_turned else left
        if left.shape[1] != right.size or left.shape[0] != total.size:
            raise ValueError("a matrix and a vector of these shapes cannot be multiplied and added")
        target = np.zeros_like(total) if is_shared else total
        if is_small_matrix(left.shape[0], left.shape[1]):
            apply(target, left, right, True)
        else:
            store_product(target, left, right, True)
        if is_shared:
            add_to(total, target)

    return add_product


@register_jitable
def _meet(total: Any, a: Any, b: Any) -> bool:
    """Whether the memory of a contiguous array overlaps that of one of two others."""
    at, size, a_at, b_at = total.ctypes.data, total.nbytes, a.ctypes.data, b.ctypes.data
    return bool((at < a_at + a.nbytes and a_at < at + size) or (at < b_at + b.nbytes and b_at < at + size))
