"""Single factors of matrix decompositions as functions; the other factors are computed from these and the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload


def orthogonal_factor(a: Any) -> Any:
    """Q of the decomposition a = Q R, for a matrix with at least as many rows as columns.

    >>> orthogonal_factor(np.array([[3.0], [4.0]])).round(2)
    array([[-0.6],
           [-0.8]])
    """
    if a.shape[0] < a.shape[1]:
        raise NotImplementedError("np.linalg.qr of a matrix with fewer rows than columns has no derivative")
    return np.linalg.qr(a)[0]


def right_vectors(a: Any) -> Any:
    """The right singular vectors of a matrix, as columns, in the order of decreasing singular values."""
    return np.transpose(np.linalg.svd(a, full_matrices=False)[2])


def full_rank(a: Any) -> int:
    """The rank of a matrix. Raises LinAlgError unless it is as large as the shape allows."""
    rank = int(np.linalg.matrix_rank(a))
    if rank < min(a.shape):
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    return rank


def _blank(a: Any) -> Any:
    return np.zeros((1, 1), a.dtype)  # for a branch that never runs


@overload(orthogonal_factor)
def _overload_orthogonal_factor(a: Any) -> Any:
    if a.ndim == 2:
        return orthogonal_factor
    return _blank


@overload(right_vectors)
def _overload_right_vectors(a):
    if a.ndim == 2:
        return lambda a: np.transpose(np.linalg.svd(a, 0)[2])  # type: ignore[call-overload]
    return lambda a: np.zeros((1, 1), a.dtype)


@overload(full_rank)
def _overload_full_rank(a: Any) -> Any:
    return full_rank
