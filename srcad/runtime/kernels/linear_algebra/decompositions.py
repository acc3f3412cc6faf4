"""Single factors of matrix decompositions as functions; the other factors are computed from these and the matrix.

All of them take stacks of matrices too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype


def orthogonal_factor(a: Any) -> Any:
    """Q of the decomposition a = Q R, for a matrix with at least as many rows as columns.

    >>> orthogonal_factor(np.array([[3.0], [4.0]])).round(2)
    array([[-0.6],
           [-0.8]])
    """
    return np.linalg.qr(a)[0]


def skew(m: Any) -> Any:
    """The skew-Hermitian matrix with the lower triangle of m and the imaginary part of its diagonal.

    >>> skew(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[ 0., -3.],
           [ 3.,  0.]])
    """
    lower = np.tril(m, -1)
    found = lower - np.conj(np.swapaxes(lower, -1, -2))
    return found + 1j * np.imag(m) * np.eye(m.shape[-1]) if np.iscomplexobj(m) else found


def skew_adjoint(g: Any) -> Any:
    """The adjoint of m in `skew(m)`.

    >>> skew_adjoint(np.array([[1.0, 2.0], [3.0, 4.0]]))
    array([[0., 0.],
           [1., 0.]])
    """
    found = np.tril(g - np.conj(np.swapaxes(g, -1, -2)), -1)
    return found + 1j * np.imag(g) * np.eye(g.shape[-1]) if np.iscomplexobj(g) else found


def right_vectors(a: Any) -> Any:
    """The right singular vectors of a matrix, as columns, in the order of decreasing singular values."""
    return np.conj(np.swapaxes(np.linalg.svd(a, full_matrices=False)[2], -1, -2))


def left_vectors(b: Any, s: Any, a: Any) -> Any:
    """The left singular vectors of a, as columns: b / s, where b = a v; LAPACK's where s is too small for a quotient.

    The quotient saves a second decomposition, and its derivative is that of both.

    >>> a = np.diag([2.0, 0.0])
    >>> left_vectors(a, np.array([2.0, 0.0]), a)
    array([[1., 0.],
           [0., 1.]])
    """
    if s.shape[-1] == 0 or np.all(s[..., -1] > _smallest(s.dtype) * s[..., 0]):
        return b / np.expand_dims(s, -2)
    return np.linalg.svd(a, full_matrices=False)[0]


def _smallest(dtype: Any) -> float:
    """The quotient of the least and the largest singular value from which b / s has two digits less than a half."""
    return float(100.0 * np.sqrt(np.finfo(dtype).eps))


def over_squares(rest: Any, w: Any) -> Any:
    """The rows of `rest`, how right singular vectors leave the space that they span, over squares of singular values.

    All zero where the vectors span the whole space; NaN where a square is 0 to rounding, and an element of its row is
    not: such vectors have no derivative.

    >>> over_squares(np.array([[1.0, 2.0, 0.0], [3.0, 0.0, 0.0]]), np.array([4.0, 0.0]))
    array([[0.25, 0.5 , 0.  ],
           [ nan, 0.  , 0.  ]])
    """
    if rest.shape[-1] == rest.shape[-2]:
        return np.zeros_like(rest)
    least = (rest.shape[-1] * np.finfo(w.dtype).eps) ** 2 * np.max(w, axis=-1, keepdims=True, initial=0.0)
    factors = 1.0 / np.where(w > least, w, np.nan)
    return np.where(rest == 0, 0.0, rest * np.expand_dims(factors, -1)).astype(rest.dtype)


def other_left_vectors(u: Any, a: Any) -> Any:
    """The columns of the square U of `np.linalg.svd(a)` that follow those of u.

    >>> other_left_vectors(np.ones((2, 1)), np.array([[2.0], [0.0]])).shape
    (2, 1)
    """
    return np.linalg.svd(a)[0][..., u.shape[-1] :]


def other_right_vectors(u: Any, a: Any) -> Any:
    """The right singular vectors that belong to no singular value: those that follow the columns of u.

    >>> other_right_vectors(np.ones((2, 1)), np.array([[2.0, 0.0]])).shape
    (2, 1)
    """
    return np.conj(np.swapaxes(np.linalg.svd(a)[2], -1, -2))[..., u.shape[-1] :]


def constant_copy(a: Any) -> Any:
    """A copy of an array that derivatives take as a constant."""
    return np.copy(a)


def full_rank(a: Any) -> int:
    """The rank of a matrix, or of all matrices of a stack. Raises LinAlgError unless it is as large as can be."""
    rank = int(np.min(np.linalg.matrix_rank(a))) if a.size else min(a.shape[-2:])
    if rank < min(a.shape[-2:]):
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    return rank


def pseudo_inverse(a: Any) -> Any:
    """The pseudo-inverse of a matrix of full rank.

    >>> pseudo_inverse(np.array([[2.0], [0.0]])).round(12)
    array([[0.5, 0. ]])
    """
    full_rank(a)
    return np.linalg.pinv(a)


def _blank(a: Any) -> Any:
    return np.zeros((1, 1), a.dtype)  # for a branch that never runs


@overload(orthogonal_factor)
def _overload_orthogonal_factor(a: Any) -> Any:
    if a.ndim >= 2:
        return orthogonal_factor
    return _blank


@overload(skew)
def _overload_skew(m):
    def of_real(m):
        lower = np.tril(m, -1)
        return lower - np.swapaxes(lower, -1, -2)

    def impl(m):
        lower = np.tril(m, -1)
        return lower - np.conj(np.swapaxes(lower, -1, -2)) + 1j * np.imag(m) * np.eye(m.shape[-1])

    return impl if isinstance(m.dtype, types.Complex) else of_real


@overload(skew_adjoint)
def _overload_skew_adjoint(g):
    def impl(g):
        return np.tril(g - np.conj(np.swapaxes(g, -1, -2)), -1) + 1j * np.imag(g) * np.eye(g.shape[-1])

    if isinstance(g.dtype, types.Complex):
        return impl
    return lambda g: np.tril(g - np.swapaxes(g, -1, -2), -1)


@overload(right_vectors)
def _overload_right_vectors(a):
    if a.ndim < 2:
        return lambda a: np.zeros((1, 1), a.dtype)
    if isinstance(a.dtype, types.Complex):
        return lambda a: np.conj(np.swapaxes(np.linalg.svd(a, 0)[2], -1, -2))  # type: ignore[call-overload]
    return lambda a: np.swapaxes(np.linalg.svd(a, 0)[2], -1, -2)  # type: ignore[call-overload]


@overload(left_vectors)
def _overload_left_vectors(b, s, a):
    least = _smallest(as_dtype(s.dtype))

    def of_one(b, s, a):
        if s.size == 0 or s[-1] > least * s[0]:
            return b / np.expand_dims(s, -2)
        return np.ascontiguousarray(np.linalg.svd(a, 0)[0])  # type: ignore[call-overload]

    def of_stack(b, s, a):
        if s.size == 0 or np.all(s[..., -1] > least * s[..., 0]):
            return b / np.expand_dims(s, -2)
        return np.ascontiguousarray(np.linalg.svd(a, 0)[0])  # type: ignore[call-overload]

    return of_one if s.ndim == 1 else of_stack


@overload(over_squares)
def _overload_over_squares(rest, w):
    unit = float(np.finfo(as_dtype(w.dtype)).eps)

    def of_one(rest, w):
        found = np.zeros(rest.shape, rest.dtype)
        if rest.shape[0] == rest.shape[1] or w.size == 0:
            return found
        least = (rest.shape[1] * unit) ** 2 * np.max(w)
        for k in range(rest.shape[0]):
            factor = 1.0 / w[k] if w[k] > least else np.nan
            for i in range(rest.shape[1]):
                if rest[k, i] != 0:
                    found[k, i] = rest[k, i] * factor
        return found

    def of_stack(rest, w):
        found = np.zeros(rest.shape, rest.dtype)
        for k in np.ndindex(rest.shape[:-2]):
            found[k] = over_squares(rest[k], w[k])
        return found

    return of_one if rest.ndim == 2 else of_stack


@overload(other_left_vectors)
def _overload_other_left_vectors(u, a):
    return lambda u, a: np.linalg.svd(a, 1)[0][..., u.shape[-1] :]  # type: ignore[call-overload]


@overload(other_right_vectors)
def _overload_other_right_vectors(u, a):
    def impl(u, a):
        return np.conj(np.swapaxes(np.linalg.svd(a, 1)[2], -1, -2))[..., u.shape[-1] :]  # type: ignore[call-overload]

    return impl


@overload(constant_copy)
def _overload_constant_copy(a):
    return lambda a: a.copy()


@overload(full_rank)
def _overload_full_rank(a: Any) -> Any:
    if a.ndim == 2:
        return full_rank_of_one

    def impl(a: Any) -> Any:
        flat = np.ascontiguousarray(a).reshape((-1,) + a.shape[-2:])
        for k in range(flat.shape[0]):
            full_rank(flat[k])
        return min(a.shape[-2], a.shape[-1])

    return impl


def full_rank_of_one(a: Any) -> int:
    """`full_rank` of one matrix."""
    rank = int(np.linalg.matrix_rank(a))
    if rank < min(a.shape):
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    return rank


@overload(pseudo_inverse)
def _overload_pseudo_inverse(a: Any) -> Any:
    return pseudo_inverse
