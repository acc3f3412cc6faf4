"""Matrix products and their adjoints. In Numba, operands are made contiguous first, as BLAS requires."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from srcad.runtime.jit.replaced_calls import in_place_of
from srcad.runtime.kernels.arrays.unbroadcast import unbroadcast
from srcad.runtime.kernels.linear_algebra.blas_calls import has_blas


def are_factors(a: Any, b: Any) -> bool:
    """Whether these are types of matrices, or of a matrix and a vector, of the same type, which BLAS knows.

    >>> matrix = types.float64[:, ::1]
    >>> are_factors(matrix, types.float64[:]), are_factors(types.float64[:], types.float64[:])
    (True, False)
    """
    if not isinstance(a, types.Array) or not isinstance(b, types.Array) or a.dtype != b.dtype:
        return False
    return (a.ndim, b.ndim) in ((2, 2), (2, 1), (1, 2)) and has_blas(a.dtype)


def is_quick(name: str, a: Any, b: Any) -> bool:
    """Whether `quick_products` computes a kernel of this name for these types.

    >>> matrix = types.float64[:, ::1]
    >>> is_quick("times", matrix, matrix), is_quick("times", matrix, types.float32[:, ::1])
    (True, False)
    """
    return are_factors(a, b) and (a.ndim, b.ndim) in _RANKS[name]


_RANKS = {"times": ((2, 2), (2, 1), (1, 2)), "times_transpose": ((2, 2),), "transpose_times": ((2, 2), (2, 1))}


def times(a: Any, b: Any) -> Any:
    """The product of two matrices, or of a matrix and a vector."""
    # For matrices np.dot takes a third of the time.
    return a.dot(b) if a.ndim == 2 and b.ndim < 3 else np.matmul(a, b)


def times_transpose(a: Any, b: Any) -> Any:
    """The product of a and the transpose of b; the last two dimensions are the matrices.

    >>> times_transpose(np.eye(2), np.array([[1.0, 2.0]]))
    array([[1.],
           [2.]])
    """
    return a.dot(b.T) if a.ndim == b.ndim == 2 else np.matmul(a, b.swapaxes(-1, -2))


def transpose_times(a: Any, b: Any) -> Any:
    """The transpose of a matrix times a matrix or a vector.

    >>> transpose_times(np.array([[1.0, 2.0]]), np.array([3.0]))
    array([3., 6.])
    """
    return a.T.dot(b) if a.ndim == 2 and b.ndim < 3 else np.matmul(a.swapaxes(-1, -2), b)


def add_outer(total: Any, a: Any, b: Any) -> None:
    """Add the outer product of two vectors to a matrix.

    >>> total = np.ones((2, 2))
    >>> add_outer(total, np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    >>> total
    array([[4., 5.],
           [7., 9.]])
    """
    total += np.outer(a, b)


@overload(add_outer)
def _add_outer(total, a, b):
    def general(total, a, b):
        total += np.outer(a, b)

    def vectors(total, a, b):
        if total.shape != (a.size, b.size):
            raise ValueError("operands could not be broadcast together")
        for i in range(a.size):
            factor = a[i]
            for j in range(b.size):
                total[i, j] += factor * b[j]

    if not all(isinstance(each, types.Array) and each.ndim == 1 for each in (a, b)):
        return general
    if isinstance(total, types.Array) and total.layout == "F":  # loop in the order of the memory layout
        return lambda total, a, b: add_outer(total.T, b, a)
    return vectors


def matmul_adjoint_a(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of a in `np.matmul(a, b)`, for all ranks."""
    if np.ndim(b) == 1:
        outer = np.expand_dims(g, -1) * b
        return unbroadcast(outer, a)
    if np.ndim(a) == 1:
        return unbroadcast(np.squeeze(np.matmul(b, np.expand_dims(g, -1)), -1), a)
    return unbroadcast(times_transpose(g, b), a)


def matmul_adjoint_b(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of b in `np.matmul(a, b)`, for all ranks."""
    if np.ndim(a) == 1:
        return unbroadcast(np.reshape(a, (-1, 1)) * np.expand_dims(g, -2), b) if np.ndim(b) > 1 else g * a
    if np.ndim(b) == 1:
        return unbroadcast(np.expand_dims(g, -1) * a, b)
    return unbroadcast(transpose_times(a, g), b)


def dot_adjoint_a(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of a in `np.dot(a, b)`, for all ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    if np.ndim(b) == 1:
        return np.expand_dims(g, -1) * b
    outer = tuple(range(np.ndim(a) - 1, np.ndim(g)))
    inner = tuple(k for k in range(np.ndim(b)) if k != np.ndim(b) - 2)
    return np.tensordot(g, b, (outer, inner))


def dot_adjoint_b(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of b in `np.dot(a, b)`, for all ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    leading = tuple(range(np.ndim(a) - 1))
    result = np.tensordot(a, g, (leading, leading))
    return result if np.ndim(b) < 3 else np.moveaxis(result, 0, -2)


def inner_adjoint_a(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of a in `np.inner(a, b)`, for all ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * b, a)
    count = np.ndim(b) - 1
    return np.tensordot(g, b, (tuple(range(np.ndim(g) - count, np.ndim(g))), tuple(range(count))))


def inner_adjoint_b(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of b in `np.inner(a, b)`, for all ranks."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return unbroadcast(g * a, b)
    leading = tuple(range(np.ndim(a) - 1))
    return np.tensordot(g, a, (leading, leading))


def contracted(a: Any, b: Any, count: int) -> Any:
    """`np.tensordot` over the last axes of a and the first of b."""
    return np.tensordot(a, b, count)


def product_of(shape: tuple[int, ...]) -> int:
    """The number of elements of an array of this shape.

    >>> product_of((2, 3)), product_of(())
    (6, 1)
    """
    return math.prod(shape)


def log_determinant(a: Any) -> Any:
    """The logarithm of the absolute value of a matrix's determinant.

    >>> float(log_determinant(np.eye(2)))
    0.0
    """
    return np.linalg.slogdet(a)[1]


def determinant_sign(a: Any) -> Any:
    """The sign of a matrix's determinant."""
    return np.linalg.slogdet(a)[0]


def determinant_direction(a: Any) -> Any:
    """The determinant of a complex matrix divided by its absolute value."""
    return np.linalg.slogdet(a)[0]


def of_each(x: Any) -> Any:
    """Numbers in the shape of matrices of one element.

    >>> of_each(np.array([2.0, 3.0])).shape, of_each(2.0).shape
    ((2, 1, 1), (1, 1))
    """
    return np.reshape(x, (*np.shape(x), 1, 1))


def cholesky_adjoint(g: Any, y: Any) -> Any:
    """The adjoint of a matrix from that of its Cholesky factor y; NumPy reads the lower triangle only."""
    inverse = np.linalg.inv(y)
    middle = transpose_times(y, g) * _quarters(y.shape[-1])
    bar = transpose_times(inverse, times(middle, np.conj(inverse)))
    return (bar + np.conj(bar.swapaxes(-1, -2))) * lower_twice(y.shape[-1])


def lower_twice(size: int) -> Any:
    """A factor that makes a symmetric adjoint that of a matrix of which only the lower triangle is read.

    >>> lower_twice(2).tolist()
    [[1.0, 0.0], [2.0, 1.0]]
    """
    return np.tri(size) + np.tri(size, k=-1)


def _quarters(size: int) -> Any:
    return 0.25 * lower_twice(size)


def packed(a: Any) -> Any:
    """The array itself if it is contiguous, by rows or by columns; else, in compiled code, a contiguous copy."""
    return a


@overload(packed)
def _overload_packed(a):
    return (lambda a: a) if a.layout in ("C", "F") else (lambda a: np.ascontiguousarray(a))


@overload(times)
def _overload_times(a, b):
    if is_quick("times", a, b):
        return None  # see `quick_products`
    if a.ndim > 2 or b.ndim > 2:
        return lambda a, b: a @ b
    return lambda a, b: np.dot(packed(a), packed(b))


@overload(times_transpose)
def _overload_times_transpose(a, b):
    if is_quick("times_transpose", a, b):
        return None  # see `quick_products`
    if a.ndim != 2 or b.ndim != 2:
        return lambda a, b: a @ np.ascontiguousarray(np.swapaxes(b, -1, -2))
    return lambda a, b: np.dot(packed(a), packed(b).T)


@overload(transpose_times)
def _overload_transpose_times(a, b):
    if is_quick("transpose_times", a, b):
        return None  # see `quick_products`
    if a.ndim != 2 or b.ndim > 2:
        return lambda a, b: np.ascontiguousarray(np.swapaxes(a, -1, -2)) @ b
    return lambda a, b: np.dot(packed(a).T, packed(b))


@overload(matmul_adjoint_a)
def _overload_matmul_adjoint_a(g, a, b):
    if b.ndim == 1:
        return lambda g, a, b: unbroadcast(np.expand_dims(g, -1) * b, a)
    if a.ndim == 1:
        return lambda g, a, b: unbroadcast((b @ np.expand_dims(g, -1))[..., 0], a)
    return lambda g, a, b: unbroadcast(times_transpose(g, b), a)


@overload(matmul_adjoint_b)
def _overload_matmul_adjoint_b(g, a, b):
    if a.ndim == 1 and b.ndim == 1:
        return lambda g, a, b: g * a
    if a.ndim == 1:
        return lambda g, a, b: unbroadcast(a.reshape((a.size, 1)) * np.expand_dims(g, -2), b)
    if b.ndim == 1:
        return lambda g, a, b: unbroadcast(np.expand_dims(g, -1) * a, b)
    if b.ndim == 2 and a.dtype == g.dtype:  # the sum over a stack is a product of all its rows
        return lambda g, a, b: transpose_times(rows_of(a), rows_of(g))
    return lambda g, a, b: unbroadcast(transpose_times(a, g), b)


def rows_of(a: Any) -> Any:
    """The rows of all matrices of a stack, as one matrix.

    >>> rows_of(np.ones((5, 2, 3))).shape
    (10, 3)
    """
    return a.reshape((product_of(a.shape[:-1]), a.shape[-1]))


@overload(rows_of)
def _overload_rows_of(a):
    return lambda a: np.ascontiguousarray(a).reshape((product_of(a.shape[:-1]), a.shape[-1]))


@overload(product_of)
def _overload_product_of(shape):
    if len(shape) == 0:
        return lambda shape: 1

    def impl(shape):
        found = 1
        for each in shape:
            found *= each
        return found

    return impl


@overload(log_determinant)
def _overload_log_determinant(a):
    return lambda a: np.linalg.slogdet(a)[1]


@overload(determinant_sign)
def _overload_determinant_sign(a):
    return lambda a: np.linalg.slogdet(a)[0]


@overload(of_each)
def _overload_of_each(x):
    if isinstance(x, types.Array):
        return lambda x: x.reshape(x.shape + (1, 1))
    return lambda x: np.full((1, 1), x)


@overload(determinant_direction)
def _overload_determinant_direction(a):
    return lambda a: np.linalg.slogdet(a)[0]


# No decorators: an exported module has `times` alone.
_IN_PLACE_OF_NUMPYS = [in_place_of(each, 2, when=are_factors)(times) for each in (operator.matmul, np.dot)]
