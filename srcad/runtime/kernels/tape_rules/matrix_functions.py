"""Kernels for the tape's rules of matrix decompositions and other functions of matrices.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.refusals.tapes import DECOMPOSITION_ON_TAPE
from srcad.runtime.kernels.arrays.strong_products import strong_product
from srcad.runtime.kernels.linear_algebra.decompositions import orthogonal_factor
from srcad.runtime.kernels.linear_algebra.eigen import (
    inverse_gaps,
    inverse_gaps_of_squares,
    singular_values_adjoint,
    singular_values_tangent,
)
from srcad.runtime.kernels.linear_algebra.products import lower_twice, times, times_transpose, transpose_times


def _is_nothing(g: Any) -> bool:
    """Whether an adjoint is an array of zeros, as for an unused result. Never for a tensor: tapes may follow it."""
    return type(g) is np.ndarray and not np.count_nonzero(g)


def _in_lower(bar: Any) -> Any:
    """A symmetric adjoint for a matrix of which only the lower triangle is read, as by NumPy."""
    return strong_product(lower_twice(bar.shape[0]), bar)


def eigh_adjoint(g: Any, y: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.eigh`; nan where it asks how eigenvectors of equal eigenvalues turn.

    >>> eigh_adjoint((np.array([1.0, 0.0]), np.zeros((2, 2))), np.linalg.eigh(np.diag([1.0, 2.0]))).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    (of_values, of_vectors), (w, v) = g, y
    if _is_nothing(of_vectors):
        return _in_lower(times_transpose(v * of_values, v))
    inner = strong_product(transpose_times(v, of_vectors), inverse_gaps(w))
    bar = times_transpose(times(v, inner), v)
    bar = 0.5 * (bar + np.transpose(bar))
    return _in_lower(bar if _is_nothing(of_values) else bar + times_transpose(v * of_values, v))


def eigh_tangent(t: Any, y: Any) -> Any:
    """The tangents of the results of `np.linalg.eigh`."""
    w, v = y
    lower = np.tril(t)
    m = transpose_times(v, times(lower + np.transpose(np.tril(t, -1)), v))
    return np.diag(m), times(v, strong_product(m, inverse_gaps(w)))


def eigvalsh_adjoint(g: Any, a: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.eigvalsh`.

    >>> eigvalsh_adjoint(np.array([1.0, 0.0]), np.diag([1.0, 2.0])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    v = np.linalg.eigh(a)[1]
    return _in_lower(times_transpose(v * g, v))


def eigvalsh_tangent(t: Any, a: Any) -> Any:
    """The tangent of `np.linalg.eigvalsh`."""
    return eigh_tangent(t, np.linalg.eigh(a))[0]


def svd_adjoint(g: Any, y: Any, a: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.svd`; left vectors count as a function of the matrix and the right ones.

    >>> u, s, v = np.linalg.svd(np.array([[3.0, 0.0], [4.0, 0.0]]), full_matrices=False)
    >>> abs(svd_adjoint((np.zeros((2, 2)), np.array([1.0, 0.0]), np.zeros((2, 2))), (u, s, v), None)).round(2).tolist()
    [[0.6, 0.0], [0.8, 0.0]]
    """
    if not isinstance(y, tuple):  # without vectors
        return singular_values_adjoint(g, a)
    (of_left, of_values, of_right), (u, s, vt) = g, y
    if _is_nothing(of_left) and _is_nothing(of_right):
        return times(u[:, : s.size] * of_values, vt[: s.size])
    _check_thin(u, vt)
    v, of_product = np.transpose(vt), of_left / s
    bar = times(of_product, vt)
    of_v = transpose_times(a, of_product) + np.transpose(of_right)
    of_s = of_values - np.sum(of_left * u, axis=0) / s
    # The right vectors are the eigenvectors of a.T @ a.
    b = u * s
    inner = transpose_times(v, of_v)
    gaps = strong_product(inner, inverse_gaps_of_squares(s))
    bar = bar + times_transpose(times(b, gaps + np.transpose(gaps)), v)
    bar = bar + times(u / s, np.transpose(of_v) - times(np.transpose(inner), vt))
    return bar + times(u * of_s, vt)


def svd_tangent(t: Any, y: Any, a: Any) -> Any:
    """The tangents of the results of `np.linalg.svd`."""
    if not isinstance(y, tuple):
        return singular_values_tangent(t, a)
    u, s, vt = y
    v, b = np.transpose(vt), u * s
    of_s = np.sum(u * times(t, v), axis=0)
    m = transpose_times(b, times(t, v))
    rest = transpose_times(t, u / s)
    of_v = (
        times(v, strong_product(m + np.transpose(m), inverse_gaps_of_squares(s)))
        + rest
        - times(v, transpose_times(v, rest))
    )
    return (times(t, v) + times(a, of_v) - u * of_s) / s, of_s, np.transpose(of_v)


def _check_thin(u: Any, vt: Any) -> None:
    """Refuse square matrices of singular vectors of a matrix that is not square."""
    if u.shape[1] != vt.shape[0]:
        raise DECOMPOSITION_ON_TAPE.error(what="np.linalg.svd with full_matrices=True", way="pass full_matrices=False")


def qr_adjoint(g: Any, y: Any, a: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.qr`, whose columns are linearly independent."""
    if a.shape[0] < a.shape[1]:
        raise DECOMPOSITION_ON_TAPE.error(
            what="np.linalg.qr of a wide matrix", way="call it in a srcad.function, which the tape records"
        )
    if not isinstance(y, tuple):  # only the triangular factor
        g, y = (np.zeros(a.shape), g), (orthogonal_factor(a), y)
    (of_q, of_r), (q, r) = g, y
    m = times_transpose(r, np.triu(of_r))
    if not _is_nothing(of_q):
        m = m - transpose_times(of_q, q)
    bar = times(q, np.where(lower_twice(m.shape[0]), m, np.transpose(m)))
    return np.transpose(np.linalg.solve(r, np.transpose(bar if _is_nothing(of_q) else bar + of_q)))


def qr_tangent(t: Any, y: Any, a: Any) -> Any:
    """The tangents of the results of `np.linalg.qr`."""
    q, r = y if isinstance(y, tuple) else (orthogonal_factor(a), y)
    m = np.transpose(np.linalg.solve(np.transpose(r), np.transpose(t)))
    w = transpose_times(q, m)
    of_q = m + times(q, np.tril(w, -1) - np.transpose(np.tril(w, -1)) - w)
    of_r = np.triu(transpose_times(of_q, a) + transpose_times(q, t))
    return (of_q, of_r) if isinstance(y, tuple) else of_r


def pinv_adjoint(g: Any, y: Any, a: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.pinv`. Raises LinAlgError unless the matrix has full rank.

    >>> pinv_adjoint(np.array([[1.0]]), np.array([[0.5]]), np.array([[2.0]])).tolist()
    [[-0.25]]
    """
    check_rank(a, y)
    p, (rows, columns) = y.T, a.shape
    bar = -times(p, times(g, p))
    if rows > columns:
        return bar + np.matmul(np.eye(rows) - np.matmul(a, y), np.matmul(np.transpose(g), np.matmul(y, p)))
    if rows < columns:
        return bar + np.matmul(np.matmul(p, np.matmul(y, np.transpose(g))), np.eye(columns) - np.matmul(y, a))
    return bar


def pinv_tangent(t: Any, y: Any, a: Any) -> Any:
    """The tangent of `np.linalg.pinv`."""
    check_rank(a, y)
    of_left, of_right = np.eye(len(a)) - np.matmul(a, y), np.eye(len(y)) - np.matmul(y, a)
    p, u = np.transpose(y), np.transpose(t)
    moved = -np.matmul(y, np.matmul(t, y)) + np.matmul(np.matmul(y, p), np.matmul(u, of_left))
    return moved + np.matmul(of_right, np.matmul(u, np.matmul(p, y)))


def check_rank(a: Any, inverse: Any) -> None:
    """Raise LinAlgError if a matrix, given with its pseudoinverse, does not have full rank.

    >>> check_rank(np.diag([1.0, 2.0]), np.diag([1.0, 0.5]))
    """
    # The product of the two is a projection: its trace is the rank.
    if not abs(np.matmul(a.reshape(-1), inverse.T.reshape(-1)) - min(a.shape)) < 1e-4:
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")


def lstsq_adjoint(g: Any, y: Any, a: Any, b: Any) -> tuple[Any, Any]:
    """The adjoints of a matrix of full rank and of the right-hand side of `np.linalg.lstsq`.

    >>> a, b = np.array([[2.0]]), np.array([6.0])
    >>> none = (np.zeros(0), 0, np.zeros(1))
    >>> [each.round(9).tolist() for each in lstsq_adjoint((np.ones(1), *none), np.linalg.lstsq(a, b), a, b)]
    [[[-1.5]], [0.5]]
    """
    (of_x, of_residuals, _, of_values), x = g, y[0]
    rows, columns = np.shape(a)
    if int(y[2]) < min(rows, columns):
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
    turned = np.transpose(a)
    of_b = np.linalg.solve(turned, of_x) if rows == columns else np.linalg.lstsq(turned, of_x, None)[0]
    of_a = -_outer(of_b, x)
    if rows > columns:
        rest = b - np.matmul(a, x)
        of_a = of_a + _outer(rest, np.linalg.lstsq(a, of_b, None)[0])
        if not _is_nothing(of_residuals):
            # The sums of squares are minimal, so they do not change with the solution to first order.
            of_rest = 2.0 * rest * (of_residuals if np.ndim(b) > 1 else np.sum(of_residuals))
            of_a, of_b = of_a - _outer(of_rest, x), of_b + of_rest
    if rows < columns:
        of_a = of_a + _outer(np.linalg.lstsq(turned, x, None)[0], of_x - np.matmul(turned, of_b))
    return of_a if _is_nothing(of_values) else of_a + singular_values_adjoint(of_values, a), of_b


def _outer(u: Any, v: Any) -> Any:
    """The product of a matrix with the transpose of another; vectors count as columns."""
    if np.ndim(u) == 1:
        return np.expand_dims(u, 1) * np.expand_dims(v, 0)
    return np.matmul(u, np.transpose(v))
