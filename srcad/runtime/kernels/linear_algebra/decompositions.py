"""Single factors of matrix decompositions as functions; the other factors are computed from these and the matrix.

All of them take stacks of matrices too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


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
