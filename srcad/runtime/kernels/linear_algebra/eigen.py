"""Derivatives of eigenvalues and eigenvectors of symmetric matrices, and of singular values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) for each pair, and 0 for equal values.

    >>> inverse_gaps(np.array([1.0, 3.0, 3.0]))[0]
    array([0. , 0.5, 0.5])
    """
    gaps = np.expand_dims(w, 0) - np.expand_dims(w, 1)
    return np.where(gaps == 0.0, 0.0, 1.0 / np.where(gaps == 0.0, 1.0, gaps))


def eigenvectors(a: Any) -> Any:
    """The eigenvectors of a symmetric matrix, as columns."""
    return np.linalg.eigh(a)[1]


def eigenvectors_adjoint(g: Any, values: Any, vectors: Any) -> Any:
    """The adjoint of a symmetric matrix from that of its eigenvectors; it is symmetric."""
    middle = inverse_gaps(values) * transpose_times(vectors, g)
    bar = times_transpose(times(vectors, middle), vectors)
    return 0.5 * (bar + bar.T)


@overload(inverse_gaps)
def _overload_inverse_gaps(w: Any) -> Any:
    return inverse_gaps


@overload(eigenvectors)
def _overload_eigenvectors(a: Any) -> Any:
    return eigenvectors


@overload(eigenvectors_adjoint)
def _overload_eigenvectors_adjoint(g: Any, values: Any, vectors: Any) -> Any:
    return eigenvectors_adjoint


def singular_values(a: Any) -> Any:
    """The singular values of a matrix in decreasing order.

    >>> singular_values(np.diag([2.0, -3.0]))
    array([3., 2.])
    """
    return np.linalg.svd(a, compute_uv=False)


def singular_values_adjoint(g: Any, a: Any) -> Any:
    """The adjoint of a matrix from that of its singular values, if these are distinct and not zero."""
    u, _, v = np.linalg.svd(a, full_matrices=False)
    return np.dot(u * g, v)


def singular_values_tangent(t: Any, a: Any) -> Any:
    """The tangent of the singular values of a matrix."""
    u, _, v = np.linalg.svd(a, full_matrices=False)
    return np.sum(u * np.dot(t, v.T), axis=0)


@overload(singular_values)
def _overload_singular_values(a):
    if a.ndim == 2:
        return lambda a: np.linalg.svd(a, 0)[1]  # type: ignore[call-overload]
    return lambda a: np.zeros(1)  # a branch that never runs


@overload(singular_values_adjoint)
def _overload_singular_values_adjoint(g, a):
    if a.ndim != 2:
        return lambda g, a: np.zeros_like(a)

    def impl(g, a):
        u, _, v = np.linalg.svd(a, 0)  # type: ignore[call-overload]
        return np.dot(u * g, v)

    return impl


@overload(singular_values_tangent)
def _overload_singular_values_tangent(t, a):
    if a.ndim != 2:
        return lambda t, a: np.zeros(1)

    def impl(t, a):
        u, _, v = np.linalg.svd(a, 0)  # type: ignore[call-overload]
        return np.sum(u * np.dot(t, v.T), axis=0)

    return impl
