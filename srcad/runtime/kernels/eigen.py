"""Derivatives of eigenvalues and eigenvectors of symmetric matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from srcad.runtime.kernels.products import times, times_transpose, transpose_times


def inverse_gaps(w: Any) -> Any:
    """1 / (w[j] - w[i]) for each pair, and 0 for equal ones.

    >>> inverse_gaps(np.array([1.0, 3.0, 3.0]))[0]
    array([0. , 0.5, 0.5])
    """
    gaps = np.expand_dims(w, 0) - np.expand_dims(w, 1)
    return np.where(gaps == 0.0, 0.0, 1.0 / np.where(gaps == 0.0, 1.0, gaps))


def eigenvectors(a: Any) -> Any:
    """The eigenvectors of a symmetric matrix, as columns."""
    return np.linalg.eigh(a)[1]


def eigenvectors_adjoint(g: Any, values: Any, vectors: Any) -> Any:
    """The adjoint of a symmetric matrix from that of its eigenvectors; symmetric."""
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
