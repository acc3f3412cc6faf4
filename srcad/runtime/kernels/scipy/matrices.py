"""Triangular systems, matrix exponentials and other functions of matrices, with their derivatives."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.linalg
from numba.core import types
from numba.extending import overload
from numba.np.linalg import _LAPACK, F_INT_nptype, ensure_lapack, get_blas_kind

from srcad.runtime.kernels.linear_algebra.factored_systems import solve_triangle
from srcad.runtime.kernels.linear_algebra.products import packed


def triangular_solve(a: Any, b: Any, lower: bool, transposed: bool) -> Any:
    """The solution x of a x = b, or of a.T x = b, for the lower or the upper triangle of a matrix.

    >>> triangular_solve(np.array([[2.0, 9.0], [1.0, 4.0]]), np.array([2.0, 9.0]), True, False)
    array([1., 2.])
    """
    return scipy.linalg.solve_triangular(a, b, trans=int(transposed), lower=lower, check_finite=False)


@overload(triangular_solve)
def _overload_triangular_solve(a, b, lower, transposed):
    kinds = (a, b)
    if not all(isinstance(each, types.Array) and isinstance(each.dtype, types.Float) for each in kinds):
        return None
    if a.ndim != 2 or b.ndim not in (1, 2) or a.dtype != b.dtype:
        return None
    is_in_rows, dtype = a.layout != "F", a.dtype

    def columns(a, b, lower, transposed):
        n = a.shape[0]
        if a.shape[1] != n or b.shape[0] != n:
            raise ValueError("shapes of a triangular system do not match")
        for k in range(n):
            if a[k, k] == 0.0:
                raise np.linalg.LinAlgError("a triangular matrix is singular")
        x = np.empty((n, b.size // n if n > 0 else 0), dtype)
        for i in range(n):
            x[i] = b[i]
        rows, is_transposed = (packed(a), bool(transposed)) if is_in_rows else (a.T, not transposed)
        solve_triangle(rows, x, bool(lower) != bool(transposed), not is_transposed, True)
        return np.reshape(x, b.shape)

    return columns


def expm(a: Any) -> Any:
    """The exponential of a matrix.

    >>> expm(np.zeros((2, 2)))
    array([[1., 0.],
           [0., 1.]])
    """
    return scipy.linalg.expm(a)


# Coefficients of the numerator of the Pade approximant of degree 13 to exp: N. J. Higham, The scaling and squaring
# method for the matrix exponential revisited, SIAM J. Matrix Anal. Appl. 26, 2005.
_PADE = (
    *(64764752532480000.0, 32382376266240000.0, 7771770303897600.0, 1187353796428800.0, 129060195264000.0),
    *(10559470521600.0, 670442572800.0, 33522128640.0, 1323241920.0, 40840800.0, 960960.0, 16380.0, 182.0, 1.0),
)
_REACH = 5.371920351148152  # norms up to which the approximant is exact in double precision


def _scaled_and_squared(a):
    n = a.shape[0]
    if a.shape[1] != n:
        raise np.linalg.LinAlgError("expm takes square matrices")
    largest = 0.0
    for j in range(n):
        largest = max(largest, np.sum(np.abs(a[:, j])))
    squarings = 0
    while largest > _REACH:
        largest *= 0.5
        squarings += 1
    x = np.ascontiguousarray(a) * 0.5**squarings
    one = np.eye(n).astype(a.dtype)
    x2 = np.dot(x, x)
    x4 = np.dot(x2, x2)
    x6 = np.dot(x4, x2)
    high = np.dot(x6, _PADE[13] * x6 + _PADE[11] * x4 + _PADE[9] * x2)
    odd = np.dot(x, high + _PADE[7] * x6 + _PADE[5] * x4 + _PADE[3] * x2 + _PADE[1] * one)
    even = np.dot(x6, _PADE[12] * x6 + _PADE[10] * x4 + _PADE[8] * x2)
    even = even + _PADE[6] * x6 + _PADE[4] * x4 + _PADE[2] * x2 + _PADE[0] * one
    y = np.ascontiguousarray(np.linalg.solve(even - odd, even + odd))
    for _ in range(squarings):
        y = np.dot(y, y)
    return y


@overload(expm)
def _overload_expm(a):
    is_matrix = isinstance(a, types.Array) and a.ndim == 2 and a.dtype in (types.float64, types.complex128)
    return _scaled_and_squared if is_matrix else None


def beside(a: Any, e: Any) -> Any:
    """The block matrix [[a, e], [0, a]]. Of its image under a function, the upper right block is the derivative.

    Source: R. Mathias, A chain rule for matrix functions and applications, SIAM J. Matrix Anal. Appl. 17, 1996.

    >>> beside(np.array([[1.0]]), np.array([[2.0]]))
    array([[1., 2.],
           [0., 1.]])
    """
    return np.concatenate((np.concatenate((a, e), axis=1), np.concatenate((np.zeros_like(a), a), axis=1)), axis=0)


@overload(beside)
def _overload_beside(a, e):
    def impl(a, e):
        n = a.shape[0]
        found = np.zeros((2 * n, 2 * n), a.dtype)
        found[:n, :n] = a
        found[n:, n:] = a
        found[:n, n:] = e
        return found

    return impl


def sqrtm(a: Any) -> Any:
    """The square root of a real matrix that has a real one."""
    return scipy.linalg.sqrtm(a)


def logm(a: Any) -> Any:
    """The logarithm of a real matrix that has a real one."""
    return scipy.linalg.logm(a)


def matrix_power(a: Any, t: float) -> Any:
    """A power of a real matrix that has a real logarithm, with a real exponent."""
    return scipy.linalg.fractional_matrix_power(a, t)


def sylvester(a: Any, b: Any, q: Any) -> Any:
    """The solution x of a x + x b = q."""
    return scipy.linalg.solve_sylvester(a, b, q)


def discrete_lyapunov(a: Any, q: Any) -> Any:
    """The solution x of x = a x a.T + q."""
    return scipy.linalg.solve_discrete_lyapunov(a, q)


def packed_lu(a: Any) -> Any:
    """The factors of a square matrix in one matrix, as lu_factor gives them, and its pivots in one more row.

    >>> packed_lu(np.array([[1.0, 2.0], [4.0, 8.0]]))
    array([[4.  , 8.  ],
           [0.25, 0.  ],
           [1.  , 1.  ]])
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.linalg.LinAlgWarning)  # of a singular matrix
        factors, exchanges = scipy.linalg.lu_factor(a)
    return np.concatenate((factors, exchanges[np.newaxis].astype(factors.dtype)))


def pivots(packed: Any) -> Any:
    """The second result of lu_factor, from the last row of `packed_lu`."""
    return np.real(packed[-1]).astype(np.int32)


def order_of_pivots(exchanges: Any) -> Any:
    """The order of rows after exchanges, as lu_factor states them: `a[order]` is the product of the factors."""
    order = np.arange(len(exchanges))
    for place in range(len(exchanges)):
        other = exchanges[place]
        order[place], order[other] = order[other], order[place]
    return order


@overload(packed_lu)
def _overload_packed_lu(a):
    if a.ndim != 2 or not isinstance(a.dtype, (types.Float, types.Complex)):
        return None
    kind, dtype = ord(get_blas_kind(a.dtype)), a.dtype
    ensure_lapack()
    eliminate = _LAPACK().numba_xxgetrf(dtype)

    def impl(a):
        n = a.shape[0]
        columns, exchanges = np.ascontiguousarray(a.T).copy(), np.empty(n, F_INT_nptype)
        found = np.empty((n + 1, n), dtype)
        if n > 0:
            eliminate(kind, n, n, columns.ctypes, n, exchanges.ctypes)
        for j in range(n):
            found[n, j] = exchanges[j] - 1
            for i in range(n):
                found[i, j] = columns[j, i]
        return found

    return impl


@overload(pivots)
def _overload_pivots(packed):
    def impl(packed):
        n = packed.shape[1]
        found = np.empty(n, np.int32)
        for k in range(n):
            found[k] = np.int32(packed[n, k].real)
        return found

    return impl


@overload(order_of_pivots)
def _overload_order_of_pivots(exchanges: Any) -> Any:
    return order_of_pivots


def banded(l_and_u: Any, ab: Any) -> Any:
    """The matrix whose diagonals are the rows of `ab`: ab[u + i - j, j] = a[i, j].

    >>> banded((1, 0), np.array([[1.0, 2.0], [3.0, 9.0]]))
    array([[1., 0.],
           [3., 2.]])
    """
    below, above = l_and_u
    n = ab.shape[1]
    found = np.zeros((n, n), ab.dtype)
    for row in range(below + above + 1):
        shift = row - above  # i - j
        j = np.arange(max(0, -shift), min(n, n - shift))
        found[j + shift, j] = ab[row, j]
    return found


def diagonals(l_and_u: Any, a: Any) -> Any:
    """The diagonals of a matrix as rows: the adjoint of `banded`."""
    below, above = l_and_u
    n = a.shape[1]
    found = np.zeros((below + above + 1, n), a.dtype)
    for row in range(below + above + 1):
        shift = row - above
        j = np.arange(max(0, -shift), min(n, n - shift))
        found[row, j] = a[j + shift, j]
    return found


def triangle(a: Any, lower: bool) -> Any:
    """The lower or the upper triangle of a matrix."""
    return np.tril(a) if lower else np.triu(a)


def turned(a: Any, transposed: bool) -> Any:
    """A matrix, or its transpose."""
    return np.array(np.transpose(a) if transposed else a)  # in memory of its own


def from_triangle(a: Any, lower: bool) -> Any:
    """The symmetric matrix with the lower or the upper triangle of another."""
    half = triangle(a, lower)
    return half + np.transpose(half) - np.diag(np.diag(a))


@overload(triangle)
def _overload_triangle(a, lower):
    return lambda a, lower: np.tril(a) if lower else np.triu(a)


@overload(turned)
def _overload_turned(a, transposed):
    return lambda a, transposed: np.transpose(a).copy() if transposed else a.copy()


@overload(from_triangle)
def _overload_from_triangle(a, lower):
    def impl(a, lower):
        if lower:
            return np.tril(a) + np.transpose(np.tril(a, -1))
        return np.triu(a) + np.transpose(np.triu(a, 1))

    return impl


def normal_log_density(apart: Any, cov: Any) -> Any:
    """The logarithm of the density of a normal distribution, of vectors less their mean."""
    factor = np.linalg.cholesky(cov)
    z = scipy.linalg.solve_triangular(factor, np.transpose(apart), lower=True)
    return -0.5 * np.sum(z * z, axis=0) - 0.9189385332046727 * len(cov) - np.sum(np.log(np.diag(factor)))


def signs_of_eigenvectors(vectors: Any, a: Any, b: Any, lower: bool, chosen: Any, driver: Any) -> Any:
    """The signs by which SciPy's eigenvectors differ from others. Not compiled: SciPy's have to be computed."""
    others = scipy.linalg.eigh(a, b, lower=lower, subset_by_index=chosen, driver=driver)[1]
    if b is None:
        return _signs(vectors, others)
    half = np.tril(b) if lower else np.triu(b)
    return _signs(vectors, (half + half.T - np.diag(np.diag(b))) @ others)


def signs_of_tridiagonal_eigenvectors(vectors: Any, d: Any, e: Any) -> Any:
    """The same for a tridiagonal matrix."""
    return _signs(vectors, scipy.linalg.eigh_tridiagonal(d, e)[1])


def _signs(vectors: Any, others: Any) -> Any:
    return np.where(np.sum(vectors * others, axis=0) < 0.0, -1.0, 1.0)
