"""Derivatives of eigenvalues and eigenvectors of symmetric matrices, and of singular values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from srcad.runtime.kernels.arrays.strong_products import strong_product, strong_quotient
from srcad.runtime.kernels.linear_algebra.products import times, times_transpose, transpose_times


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) for each pair: 0 for a value and itself, nan for two that are equal up to their own error.

    How the vectors of equal values turn into each other is not determined. Only a derivative that is exactly 0, since
    it does not ask for it, makes a strong product of 0 with the nan. The error of an eigenvalue is that of a symmetric
    matrix changed by rounding (Weyl's inequality; Golub and Van Loan, Matrix Computations, 2013, section 8.1).

    >>> inverse_gaps(np.array([1.0, 3.0, 3.0 + 1e-15])).round(12).tolist()
    [[0.0, 0.5, 0.5], [-0.5, 0.0, nan], [-0.5, nan, 0.0]]
    """
    if w.shape[0] == 0:
        return np.zeros((0, 0), w.dtype)
    gaps = np.expand_dims(w, 0) - np.expand_dims(w, 1)
    are_equal = np.abs(gaps) <= 4 * w.shape[0] * np.finfo(w.dtype).eps * np.max(np.abs(w))
    found = np.where(are_equal, np.nan, 1.0 / np.where(are_equal, 1.0, gaps))
    return np.where(np.eye(w.shape[0]) == 1.0, 0.0, found)


def inverse_gaps_of_squares(s: Any) -> Any:
    """`inverse_gaps(s**2)` for singular values, which are equal or not by their own error.

    >>> inverse_gaps_of_squares(np.array([3.0, 1.0])).tolist()
    [[0.0, -0.125], [0.125, 0.0]]
    """
    return strong_quotient(inverse_gaps(s), np.expand_dims(s, 0) + np.expand_dims(s, 1))


def values_of_vectors(a: Any, v: Any) -> Any:
    """The eigenvalues of a symmetric matrix, by its eigenvectors.

    A derivative by the vectors is none, since a change of the vectors does not change them to first order (Hellmann
    and Feynman).

    >>> a, v = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[-1.0, 1.0], [1.0, 1.0]]) / np.sqrt(2)
    >>> values_of_vectors(a, v).round(12)
    array([1., 3.])
    """
    return np.sum(v * times(a, v), axis=0)


def eigenvectors(a: Any) -> Any:
    """The eigenvectors of a symmetric matrix, as columns."""
    return np.linalg.eigh(a)[1]


def eigenvectors_adjoint(g: Any, values: Any, vectors: Any) -> Any:
    """The adjoint of a symmetric matrix from that of its eigenvectors; it is symmetric."""
    middle = strong_product(transpose_times(vectors, g), inverse_gaps(values))
    bar = times_transpose(times(vectors, middle), vectors)
    return 0.5 * (bar + bar.T)


@overload(inverse_gaps)
def _overload_inverse_gaps(w: Any) -> Any:
    return inverse_gaps


@overload(inverse_gaps_of_squares)
def _overload_inverse_gaps_of_squares(s: Any) -> Any:
    return inverse_gaps_of_squares


@overload(values_of_vectors)
def _overload_values_of_vectors(a: Any, v: Any) -> Any:
    return values_of_vectors


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
