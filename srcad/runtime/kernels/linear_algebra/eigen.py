"""Derivatives of eigenvalues and eigenvectors, and of singular values; for matrices and for stacks of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype

from srcad.runtime.kernels.arrays.strong_products import strong_quotient
from srcad.runtime.kernels.linear_algebra.general_eigen import general_eigen, general_eigen_values
from srcad.runtime.kernels.linear_algebra.products import times


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) for each pair: 0 for a value and itself, nan for two that are equal up to their own error.

    How the vectors of equal values turn into each other is not determined. Only a derivative that is exactly 0, since
    it does not ask for it, makes a strong product of 0 with the nan. The error of an eigenvalue is that of a symmetric
    matrix changed by rounding (Weyl's inequality; Golub and Van Loan, Matrix Computations, 2013, section 8.1).

    >>> inverse_gaps(np.array([1.0, 3.0, 3.0 + 1e-15])).round(12).tolist()
    [[0.0, 0.5, 0.5], [-0.5, 0.0, nan], [-0.5, nan, 0.0]]
    """
    gaps = np.expand_dims(w, -2) - np.expand_dims(w, -1)
    if w.size == 0:
        return gaps
    largest = np.max(np.abs(w), axis=-1)[..., None, None]
    are_equal = np.abs(gaps) <= 4 * w.shape[-1] * np.finfo(w.dtype).eps * largest
    found = np.where(are_equal, np.nan, 1.0 / np.where(are_equal, 1.0, gaps))
    return np.where(np.eye(w.shape[-1]) == 1.0, 0.0, found)


def inverse_gaps_of_squares(s: Any) -> Any:
    """`inverse_gaps(s**2)` for singular values, which are equal or not by their own error.

    >>> inverse_gaps_of_squares(np.array([3.0, 1.0])).tolist()
    [[0.0, -0.125], [0.125, 0.0]]
    """
    return strong_quotient(inverse_gaps(s), np.expand_dims(s, -2) + np.expand_dims(s, -1))


def values_of_vectors(a: Any, v: Any) -> Any:
    """The eigenvalues of a Hermitian matrix, by its eigenvectors.

    A derivative by the vectors is none, since a change of the vectors does not change them to first order (Hellmann
    and Feynman).

    >>> a, v = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([[-1.0, 1.0], [1.0, 1.0]]) / np.sqrt(2)
    >>> values_of_vectors(a, v).round(12)
    array([1., 3.])
    """
    return np.sum(np.real(np.conj(v) * times(a, v)), axis=-2)


def eigenvectors(a: Any) -> Any:
    """The eigenvectors of a Hermitian matrix, as columns."""
    return np.linalg.eigh(a)[1]


def upper_eigenvectors(a: Any) -> Any:
    """The eigenvectors of a Hermitian matrix with the signs that LAPACK gives them if it reads the upper triangle.

    Numba has no such call: functions with `UPLO="U"` run uncompiled.
    """
    return np.linalg.eigh(a, "U")[1]


def mirrored(a: Any, uplo: str) -> Any:
    """The Hermitian matrix of which one triangle is given, `"L"` or `"U"`.

    >>> mirrored(np.array([[1.0, 9.0], [2.0, 3.0]]), "L").tolist()
    [[1.0, 2.0], [2.0, 3.0]]
    """
    half, rest = (np.tril(a), np.tril(a, -1)) if uplo == "L" else (np.triu(a), np.triu(a, 1))
    return half + np.conjugate(np.swapaxes(rest, -1, -2))


def eigenvalues(a: Any) -> Any:
    """The eigenvalues of a matrix as complex numbers, in the order of `general_eigenvectors`.

    >>> eigenvalues(np.diag([2.0, 1.0]))
    array([2.+0.j, 1.+0.j])
    """
    return as_complex(np.linalg.eig(a)[0])  # not of `as_complex(a)`: LAPACK has another order there


def eigenvalues_alone(a: Any) -> Any:
    """The eigenvalues of a matrix as complex numbers, in the order of `np.linalg.eigvals`.

    >>> eigenvalues_alone(np.diag([2.0, 1.0]))
    array([2.+0.j, 1.+0.j])
    """
    return as_complex(np.linalg.eigvals(a))


def general_eigenvectors(a: Any) -> Any:
    """The right eigenvectors of a matrix as columns of complex numbers.

    >>> general_eigenvectors(np.diag([2.0, 1.0]))[0]
    array([1.+0.j, 0.+0.j])
    """
    return as_complex(np.linalg.eig(a)[1])


def largest_of_columns(u: Any) -> Any:
    """The position in each column of the element that is largest in absolute value, as a row.

    >>> largest_of_columns(np.array([[1.0, -3.0], [-2.0, 0.0]]))
    array([[1, 0]])
    """
    return np.expand_dims(np.argmax(np.abs(u), axis=-2), -2)


def as_complex(a: Any) -> Any:
    """An array as complex numbers."""
    return a + 0j


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


def eigenvectors_of(a: Any, values: Any) -> Any:
    """The right eigenvectors of a matrix, in the order of its eigenvalues `values`.

    >>> eigenvectors_of(np.diag([2.0, 1.0]), np.array([1.0, 2.0])).real
    array([[0., 1.],
           [1., 0.]])
    """
    w, v = np.linalg.eig(a)
    found = np.empty(v.shape, np.result_type(v.dtype, 1j))
    for k in np.ndindex(w.shape[:-1]):
        found[k] = v[k][:, matched(w[k] + 0j, values[k] + 0j)]
    return found


def matched(w: Any, values: Any) -> Any:
    """For each of `values` the position in w of the nearest number, each position once."""
    places = np.empty(w.shape[0], np.int64)
    free = np.ones(w.shape[0], np.bool_)
    for j in range(w.shape[0]):
        best = -1
        for i in range(w.shape[0]):
            if free[i] and (best < 0 or abs(w[i] - values[j]) < abs(w[best] - values[j])):
                best = i
        places[j] = best
        free[best] = False
    return places


_matched = register_jitable(matched)


@overload(inverse_gaps)
def _overload_inverse_gaps(w):
    eps = float(np.finfo(as_dtype(w.dtype)).eps)

    def impl(w):
        n = w.shape[-1]
        flat = np.ascontiguousarray(w).reshape((w.size // max(1, n), n))
        found = np.zeros((flat.shape[0], n, n), w.dtype)
        for k in range(flat.shape[0]):
            largest = 0.0
            for i in range(n):
                largest = max(largest, abs(flat[k, i]))
            for i in range(n):
                for j in range(n):
                    gap = flat[k, j] - flat[k, i]
                    if i != j:
                        found[k, i, j] = np.nan if abs(gap) <= 4 * n * eps * largest else 1.0 / gap
        return found.reshape(w.shape + (n,))

    return impl


@overload(inverse_gaps_of_squares)
def _overload_inverse_gaps_of_squares(s: Any) -> Any:
    return inverse_gaps_of_squares


@overload(values_of_vectors)
def _overload_values_of_vectors(a: Any, v: Any) -> Any:
    return values_of_vectors


@overload(eigenvectors)
def _overload_eigenvectors(a: Any) -> Any:
    return eigenvectors


@overload(singular_values)
def _overload_singular_values(a):
    if a.ndim >= 2:
        return lambda a: np.linalg.svd(a, 0)[1]  # type: ignore[call-overload]
    return lambda a: np.zeros(1)  # a branch that never runs


@overload(as_complex)
def _overload_as_complex(a: Any) -> Any:
    return as_complex


@overload(eigenvalues)
def _overload_eigenvalues(a):
    return lambda a: general_eigen(a)[0]


@overload(general_eigenvectors)
def _overload_general_eigenvectors(a):
    return lambda a: general_eigen(a)[1]


@overload(eigenvalues_alone)
def _overload_eigenvalues_alone(a):
    return lambda a: general_eigen_values(a)


@overload(eigenvectors_of)
def _overload_eigenvectors_of(a, values):
    if a.ndim == 2:

        def of_one(a, values):
            w, v = general_eigen(a)
            return v[:, _matched(w, values)]

        return of_one

    def impl(a, values):
        w, v = general_eigen(a)
        flat, numbers = values.reshape((-1, values.shape[-1])), w.reshape((-1, w.shape[-1]))
        vectors = v.reshape((-1,) + v.shape[-2:])
        found = np.empty(vectors.shape, vectors.dtype)
        for k in range(found.shape[0]):
            found[k] = vectors[k][:, _matched(numbers[k], flat[k])]
        return found.reshape(v.shape)

    return impl


@overload(largest_of_columns)
def _overload_largest_of_columns(u):
    def impl(u):
        flat = np.ascontiguousarray(u).reshape((-1,) + u.shape[-2:])
        found = np.zeros((flat.shape[0], 1, flat.shape[2]), np.int64)
        for k in range(flat.shape[0]):
            for j in range(flat.shape[2]):
                for i in range(1, flat.shape[1]):
                    if abs(flat[k, i, j]) > abs(flat[k, found[k, 0, j], j]):
                        found[k, 0, j] = i
        return found.reshape(u.shape[:-2] + (1,) + u.shape[-1:])

    return impl
