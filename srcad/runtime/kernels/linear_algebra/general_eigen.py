"""Eigenvalues and eigenvectors of general matrices in Numba, always as complex numbers.

Numba's `np.linalg.eig` refuses real matrices with complex eigenvalues. Here LAPACK's routine for real matrices is
called, as NumPy does, so that the order of the eigenvalues is NumPy's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.core.types import Complex
from numba.extending import overload
from numba.np.linalg import _LAPACK, ensure_lapack, get_blas_kind
from numba.np.numpy_support import as_dtype


def general_eigen(a: Any) -> Any:
    """The eigenvalues and eigenvectors of matrices, as complex numbers.

    >>> general_eigen(np.diag([2.0, 1.0]))[0]
    array([2.+0.j, 1.+0.j])
    """
    w, v = np.linalg.eig(a)
    return w + 0j, v + 0j


def general_eigen_values(a: Any) -> Any:
    """The eigenvalues of matrices, as complex numbers.

    >>> general_eigen_values(np.diag([2.0, 1.0]))
    array([2.+0.j, 1.+0.j])
    """
    return np.linalg.eigvals(a) + 0j


def of_real(a: Any, job: int) -> Any:
    """Eigenvalues and eigenvectors of one real matrix; `job` is 86 (`V`) with vectors, else 78 (`N`)."""
    raise NotImplementedError


@overload(of_real)
def _of_real(a, job):
    ensure_lapack()
    geev = _LAPACK().numba_ez_rgeev(a.dtype)
    kind = ord(get_blas_kind(a.dtype, "eig"))
    dtype = as_dtype(types.complex64 if a.dtype == types.float32 else types.complex128)

    def impl(a, job):
        n = a.shape[0]
        copy = np.empty((n, n), a.dtype)
        for i in range(n):
            for j in range(n):
                if not np.isfinite(a[i, j]):
                    raise np.linalg.LinAlgError("Array must not contain infs or NaNs.")
                copy[j, i] = a[i, j]  # by columns
        real, imag = np.empty(n, a.dtype), np.empty(n, a.dtype)
        left, right = np.empty((1, 1), a.dtype), np.empty((n, n), a.dtype)
        w, v = np.empty(n, dtype), np.empty((n, n), dtype)
        if n == 0:
            return w, v
        code = geev(kind, 78, job, n, copy.ctypes, n, real.ctypes, imag.ctypes, left.ctypes, 1, right.ctypes, n)
        if code != 0:
            raise np.linalg.LinAlgError("Eigenvalues did not converge")
        k = 0
        while k < n:
            w[k] = complex(real[k], imag[k])
            if imag[k] == 0:
                for j in range(n):
                    v[j, k] = right[k, j]
                k += 1
            else:  # a pair: the real and the imaginary part of the first vector
                w[k + 1] = complex(real[k + 1], imag[k + 1])
                for j in range(n):
                    v[j, k] = complex(right[k, j], right[k + 1, j])
                    v[j, k + 1] = complex(right[k, j], -right[k + 1, j])
                k += 2
        return w, v

    return impl


def one_with_vectors(a: Any) -> Any:
    """`general_eigen` of one matrix."""
    raise NotImplementedError


def one_without(a: Any) -> Any:
    """Eigenvalues of one matrix, and something."""
    raise NotImplementedError


@overload(one_with_vectors)
def _one_with_vectors(a):
    if isinstance(a.dtype, Complex):
        return lambda a: np.linalg.eig(a)
    return lambda a: of_real(a, 86)


@overload(one_without)
def _one_without(a):
    if isinstance(a.dtype, Complex):
        return lambda a: np.linalg.eigvals(a)
    return lambda a: of_real(a, 78)[0]


@overload(general_eigen)
def _general_eigen(a):
    if a.ndim == 2:
        return lambda a: one_with_vectors(a)
    dtype = as_dtype(types.complex64 if a.dtype in (types.float32, types.complex64) else types.complex128)

    def impl(a):
        flat = np.ascontiguousarray(a).reshape((-1,) + a.shape[-2:])
        w, v = np.empty(flat.shape[:2], dtype), np.empty(flat.shape, dtype)
        for k in range(flat.shape[0]):
            w[k], v[k] = one_with_vectors(flat[k])
        return w.reshape(a.shape[:-1]), v.reshape(a.shape)

    return impl


@overload(general_eigen_values)
def _general_eigen_values(a):
    if a.ndim == 2:
        return lambda a: one_without(a)
    dtype = as_dtype(types.complex64 if a.dtype in (types.float32, types.complex64) else types.complex128)

    def impl(a):
        flat = np.ascontiguousarray(a).reshape((-1,) + a.shape[-2:])
        w = np.empty(flat.shape[:2], dtype)
        for k in range(flat.shape[0]):
            w[k] = one_without(flat[k])
        return w.reshape(a.shape[:-1])

    return impl
