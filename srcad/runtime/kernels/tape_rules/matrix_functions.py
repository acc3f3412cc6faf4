"""Kernels for the tape's rules of matrix decompositions and other functions of matrices.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.kernels.linear_algebra.decompositions import orthogonal_factor
from srcad.runtime.kernels.linear_algebra.eigen import inverse_gaps, singular_values_adjoint, singular_values_tangent
from srcad.runtime.kernels.linear_algebra.products import lower_twice, times, times_transpose, transpose_times
from srcad.runtime.support.constant_arrays import MATRICES, VECTORS
from srcad.runtime.support.fast_numpy import swift as np


def _is_nothing(g: Any) -> bool:
    """Whether an adjoint is an array of zeros, as for an unused result. Never for a tensor: tapes may follow it."""
    return type(g) is np.ndarray and not np.count_nonzero(g)


def _in_lower(bar: Any) -> Any:
    """A symmetric adjoint for a matrix of which only the lower triangle is read, as by NumPy."""
    return bar * lower_twice(bar.shape[0])


def eigh_adjoint(g: Any, y: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.eigh`; zero between eigenvectors of equal eigenvalues.

    >>> eigh_adjoint((np.array([1.0, 0.0]), np.zeros((2, 2))), np.linalg.eigh(np.diag([1.0, 2.0]))).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    (of_values, of_vectors), (w, v) = g, y
    if _is_nothing(of_vectors):
        return _in_lower(times_transpose(v * of_values, v))
    inner = inverse_gaps(w) * transpose_times(v, of_vectors)
    bar = times_transpose(times(v, inner), v)
    bar = 0.5 * (bar + np.transpose(bar))
    return _in_lower(bar if _is_nothing(of_values) else bar + times_transpose(v * of_values, v))


def eigh_tangent(t: Any, y: Any) -> Any:
    """The tangents of the results of `np.linalg.eigh`."""
    w, v = y
    lower = np.tril(t)
    m = transpose_times(v, times(lower + np.transpose(np.tril(t, -1)), v))
    return np.diag(m), times(v, inverse_gaps(w) * m)


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
        return times(u * of_values, vt)
    v, of_product = np.transpose(vt), of_left / s
    bar = times(of_product, vt)
    of_v = transpose_times(a, of_product) + np.transpose(of_right)
    of_s = of_values - np.sum(of_left * u, axis=0) / s
    # The right vectors are the eigenvectors of a.T @ a.
    b = u * s
    inner = transpose_times(v, of_v)
    gaps = inverse_gaps(s * s) * inner
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
    of_v = times(v, inverse_gaps(s * s) * (m + np.transpose(m))) + rest - times(v, transpose_times(v, rest))
    return (times(t, v) + times(a, of_v) - u * of_s) / s, of_s, np.transpose(of_v)


def qr_adjoint(g: Any, y: Any, a: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.qr`, whose columns are linearly independent."""
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


def power_adjoint(g: Any, a: Any, n: int) -> Any:
    """The adjoint of the matrix of `np.linalg.matrix_power`.

    >>> power_adjoint(np.array([[1.0]]), np.array([[2.0]]), 3).tolist(), power_adjoint(np.eye(1), 2.0 * np.eye(1), -1)
    ([[12.0]], array([[-0.25]]))
    """
    if n == 0:
        return g * 0.0
    inverse = np.linalg.inv(a) if n < 0 else None
    base = np.transpose(a if inverse is None else inverse)
    bar, right = g, g
    for _ in range(abs(n) - 1):
        right = times(right, base)
        bar = times(base, bar) + right
    return bar if inverse is None else -np.matmul(base, np.matmul(bar, base))


def power_tangent(t: Any, a: Any, n: int) -> Any:
    """The tangent of `np.linalg.matrix_power`."""
    return power_adjoint(t, np.transpose(a), n)


def vander_adjoint(g: Any, y: Any, increasing: bool = False) -> Any:
    """The adjoint of the vector of `np.vander`.

    >>> vander_adjoint(np.ones((1, 3)), np.array([[9.0, 3.0, 1.0]])).tolist()
    [7.0]
    """
    if not increasing:
        g, y = g[:, ::-1], y[:, ::-1]
    return np.matmul(g[:, 1:] * y[:, :-1], _powers(y.shape[1]))


@VECTORS
def _powers(count: int) -> Any:
    return np.arange(1.0, max(1, count))


def vander_tangent(t: Any, y: Any, increasing: bool = False) -> Any:
    """The tangent of `np.vander`."""
    rising = y if increasing else y[:, ::-1]
    count = rising.shape[1]
    moved = rising[:, :-1] * _powers(count) * np.expand_dims(t, 1)
    whole = np.concatenate((rising[:, :1] * 0.0, moved), axis=1)
    return whole if increasing else whole[:, ::-1]


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


def cond_adjoint(g: Any, a: Any) -> Any:
    """The adjoint of the matrix of `np.linalg.cond`, whose greatest and least singular values are simple.

    >>> cond_adjoint(1.0, np.diag([4.0, 2.0])).tolist()
    [[0.5, 0.0], [0.0, -1.0]]
    """
    u, s, v = np.linalg.svd(a, full_matrices=False)
    of_first, of_last = g / s[-1], -g * s[0] / (s[-1] * s[-1])
    at_first, at_last = _ends(s.shape[0])
    return times(u * (of_first * at_first + of_last * at_last), v)


@MATRICES
def _ends(size: int) -> Any:
    whole = np.eye(size)
    return whole[0], whole[-1]


def check_rank(a: Any, inverse: Any) -> None:
    """Raise LinAlgError if a matrix, given with its pseudoinverse, does not have full rank.

    >>> check_rank(np.diag([1.0, 2.0]), np.diag([1.0, 0.5]))
    """
    # The product of the two is a projection: its trace is the rank.
    if not abs(np.matmul(a.reshape(-1), inverse.T.reshape(-1)) - min(a.shape)) < 1e-4:
        raise np.linalg.LinAlgError("the solution for a matrix that does not have full rank has no derivative")
