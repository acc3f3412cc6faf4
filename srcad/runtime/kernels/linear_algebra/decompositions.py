"""Factors of matrices, as functions of their own: the others follow from these and the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload


def orthogonal_factor(a: Any) -> Any:
    """Q of the decomposition a = Q R of a matrix with at least as many rows as columns.

    >>> orthogonal_factor(np.array([[3.0], [4.0]])).round(2)
    array([[-0.6],
           [-0.8]])
    """
    if a.shape[0] < a.shape[1]:
        raise NotImplementedError("np.linalg.qr of a matrix with fewer rows than columns has no derivative")
    return np.linalg.qr(a)[0]


def right_vectors(a: Any) -> Any:
    """The right singular vectors of a matrix, as columns, that of the largest singular value first."""
    return np.transpose(np.linalg.svd(a, full_matrices=False)[2])


def full_rank(a: Any) -> int:
    """The rank of a matrix, which must be as large as its shape allows."""
    rank = int(np.linalg.matrix_rank(a))
    if rank < min(a.shape):
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    return rank


def _blank(a: Any) -> Any:
    return np.zeros((1, 1), a.dtype)  # in a branch that never runs


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
