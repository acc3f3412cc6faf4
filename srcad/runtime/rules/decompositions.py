"""Definitions and rules of matrix decompositions (QR, SVD), and of functions that are computed from them."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, tangent, zero


@define(np.linalg.qr)
def qr(a, mode="reduced"):
    if mode == "r":
        return np.triu(kernels.transpose_times(kernels.orthogonal_factor(a), a))
    if mode != "reduced":
        raise NotImplementedError("np.linalg.qr with other modes than 'reduced' and 'r' has no derivative")
    q = kernels.orthogonal_factor(a)
    return q, np.triu(kernels.transpose_times(q, a))


@adjoint(kernels.orthogonal_factor, handles_complex=False)
def orthogonal_factor(y, a):
    # Assumes linearly independent columns.
    w = kernels.transpose_times(y, d[y])
    inner = kernels.times(y, np.tril(w - np.transpose(w), -1) - w)
    d[a] = np.transpose(np.linalg.solve(kernels.transpose_times(y, a), np.transpose(d[y] + inner)))


@tangent(kernels.orthogonal_factor)
def orthogonal_factor_tangent(y, a):
    m = np.transpose(np.linalg.solve(np.transpose(kernels.transpose_times(y, a)), np.transpose(d[a])))
    w = kernels.transpose_times(y, m)
    d[y] = m + kernels.times(y, np.tril(w, -1) - np.transpose(np.tril(w, -1)) - w)


@define(np.linalg.svd)
def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if np.ndim(a) != 2 or hermitian:
        raise NotImplementedError("np.linalg.svd of stacks and with `hermitian` has no derivative: call it for each")
    if not compute_uv:
        return kernels.singular_values(a)
    if full_matrices:
        raise NotImplementedError("np.linalg.svd has a derivative with full_matrices=False")
    v = kernels.right_vectors(a)
    s = kernels.singular_values(a)
    return kernels.times(a, v) / s, s, np.transpose(v)


@adjoint(kernels.right_vectors, handles_complex=False)
def right_vectors(y, a):
    # Vectors of equal singular values have no derivative.
    b = kernels.times(a, y)
    w = np.sum(b * b, axis=0)
    g = kernels.transpose_times(y, d[y])
    gaps = kernels.strong_product(g, kernels.inverse_gaps_of_squares(np.sqrt(w)))
    inner = kernels.times_transpose(kernels.times(b, gaps + np.transpose(gaps)), y)
    d[a] = inner + kernels.times(b / w, np.transpose(d[y]) - kernels.times(np.transpose(g), np.transpose(y)))


@tangent(kernels.right_vectors)
def right_vectors_tangent(y, a):
    b = kernels.times(a, y)
    w = np.sum(b * b, axis=0)
    m = kernels.transpose_times(b, kernels.times(d[a], y))
    rest = kernels.transpose_times(d[a], b / w)
    gaps = kernels.inverse_gaps_of_squares(np.sqrt(w))
    turned = kernels.times(y, kernels.strong_product(m + np.transpose(m), gaps))
    d[y] = turned + rest - kernels.times(y, kernels.transpose_times(y, rest))


zero(kernels.full_rank)


@define(np.linalg.pinv)
def pinv(a):
    rank = kernels.full_rank(a)
    if a.shape[0] < a.shape[1]:
        q, r = np.linalg.qr(np.transpose(a))
        return np.transpose(np.linalg.solve(r[:rank], np.transpose(q)))
    q, r = np.linalg.qr(a)
    return np.linalg.solve(r[:rank], np.transpose(q))


@define(np.linalg.lstsq)
def lstsq(a, b, rcond=None):
    rank = kernels.full_rank(a)
    x = np.dot(np.linalg.pinv(a), b)
    rest = b - np.dot(a, x)
    residuals = np.sum(np.reshape(rest * rest, (b.shape[0], -1)), axis=0)
    if a.shape[0] <= a.shape[1]:
        residuals = residuals[:0]
    return x, residuals, rank, kernels.singular_values(a)


@define(np.linalg.cond)
def cond(x, p=None):
    if np.ndim(x) != 2:
        raise NotImplementedError("np.linalg.cond of stacks of matrices: call it for each")
    if p is not None and p != 2:
        return kernels.norm_of_order(x, p) * kernels.norm_of_order(np.linalg.inv(x), p)
    s = kernels.singular_values(x)
    return s[0] / s[-1]


@define(np.linalg.matrix_power)
def matrix_power(a, n):
    base = np.linalg.inv(a) if n < 0 else a
    y = np.eye(a.shape[0]) + np.zeros_like(a)
    for _ in range(abs(n)):
        y = kernels.times(y, base)
    return y


@define(np.polyfit)
def polyfit(x, y, deg):
    q, r = np.linalg.qr(np.vander(x, deg + 1))
    return np.linalg.solve(r, kernels.transpose_times(q, y))


@define(np.vander)
def vander(x, N=None, increasing=False):
    count = len(x) if N is None else N
    ones = np.ones((len(x), 1), x.dtype)
    powers = np.cumprod(np.concatenate((ones, np.expand_dims(x, 1) * np.ones((1, count - 1))), axis=1), axis=1)
    return powers if increasing else powers[:, ::-1]


@define(np.cov)
def cov(m, y=None, rowvar=True, bias=False, ddof=None):
    rows = m if rowvar or np.ndim(m) == 1 else np.transpose(m)
    if y is not None:
        rows = np.vstack((rows, y if rowvar or np.ndim(y) == 1 else np.transpose(y)))
    correction = (0 if bias else 1) if ddof is None else ddof
    if np.ndim(rows) == 1:
        apart = rows - np.mean(rows)
        return np.sum(kernels.squared_modulus(apart)) / (rows.shape[0] - correction)
    rest = rows - np.mean(rows, axis=1, keepdims=True)
    return kernels.times_transpose(rest, np.conjugate(rest)) / (rows.shape[1] - correction)


@define(np.corrcoef)
def corrcoef(x, y=None, rowvar=True):
    c = np.cov(x, y, rowvar)
    scale = np.sqrt(np.real(np.diag(c)))
    return c / np.expand_dims(scale, 1) / np.expand_dims(scale, 0)
