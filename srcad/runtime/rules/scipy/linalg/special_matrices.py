"""Matrices of a structure in `scipy.linalg`, by where the elements of vectors stand in them."""

import numpy as np
import scipy.linalg

from srcad.runtime.rulebook.registry import define, zero


@define(scipy.linalg.toeplitz)
def toeplitz(c, r=None):
    if np.ndim(c) != 1:
        raise NotImplementedError("scipy.linalg.toeplitz of stacks has no derivative: call it for each")
    if r is not None and np.ndim(r) != 1:
        raise NotImplementedError("scipy.linalg.toeplitz of stacks has no derivative: call it for each")
    row = np.conjugate(c) if r is None else r
    values = np.concatenate((row[:0:-1], c))
    places = np.expand_dims(np.arange(len(c)), 1) - np.expand_dims(np.arange(len(row)), 0) + (len(row) - 1)
    return np.take(values, places)


@define(scipy.linalg.solve_toeplitz)
def solve_toeplitz(c_or_cr, b, check_finite=True):
    if isinstance(c_or_cr, tuple):
        return np.linalg.solve(scipy.linalg.toeplitz(c_or_cr[0], c_or_cr[1]), b)
    return np.linalg.solve(scipy.linalg.toeplitz(c_or_cr), b)


@define(scipy.linalg.circulant)
def circulant(c):
    if np.ndim(c) != 1:
        raise NotImplementedError("scipy.linalg.circulant of stacks has no derivative: call it for each")
    n = len(c)
    return np.take(c, (np.expand_dims(np.arange(n), 1) - np.expand_dims(np.arange(n), 0)) % n)


@define(scipy.linalg.hankel)
def hankel(c, r=None):
    if np.ndim(c) != 1:
        raise NotImplementedError("scipy.linalg.hankel of stacks has no derivative: call it for each")
    if r is not None and np.ndim(r) != 1:
        raise NotImplementedError("scipy.linalg.hankel of stacks has no derivative: call it for each")
    row = np.zeros_like(c) if r is None else r
    values = np.concatenate((c, row[1:]))
    return np.take(values, np.expand_dims(np.arange(len(c)), 1) + np.expand_dims(np.arange(len(row)), 0))


@define(scipy.linalg.matmul_toeplitz)
def matmul_toeplitz(c_or_cr, x, check_finite=False, workers=None):
    if isinstance(c_or_cr, tuple):
        return np.dot(scipy.linalg.toeplitz(c_or_cr[0], c_or_cr[1]), x)
    return np.dot(scipy.linalg.toeplitz(c_or_cr), x)


@define(scipy.linalg.solve_circulant)
def solve_circulant(c, b, singular="raise", tol=None, caxis=-1, baxis=0, outaxis=0):
    if np.ndim(c) != 1 or np.ndim(b) > 2 or baxis != 0 or outaxis != 0 or singular != "raise":
        raise NotImplementedError("scipy.linalg.solve_circulant has a derivative for a vector, along the first axis")
    return np.linalg.solve(scipy.linalg.circulant(c), b)


@define(scipy.linalg.companion)
def companion(a):
    if np.ndim(a) != 1:
        raise NotImplementedError("scipy.linalg.companion of stacks has no derivative: call it for each")
    n = len(a) - 1
    return np.concatenate((np.expand_dims(-a[1:] / a[0], 0), np.eye(n - 1, n)))


@define(scipy.linalg.fiedler_companion)
def fiedler_companion(a):
    if np.ndim(a) != 1:
        raise NotImplementedError("scipy.linalg.fiedler_companion of stacks has no derivative: call it for each")
    if np.iscomplexobj(a):
        raise NotImplementedError("scipy.linalg.fiedler_companion has a derivative for real numbers")
    share, n = a / a[0], len(a) - 1
    found = np.zeros((n, n))
    found[0, 0] = -share[1]
    if n > 1:
        found[1, 0] = 1.0
    for i in range(3, n, 2):
        found[i, i - 2] = 1.0
    for i in range(2, n, 2):
        found[i, i - 1] = -share[i + 1]
    for i in range(0, n - 2, 2):
        found[i, i + 2] = 1.0
    for i in range(0, n - 1, 2):
        found[i, i + 1] = -share[i + 2]
    return found


@define(scipy.linalg.leslie)
def leslie(f, s):
    if np.ndim(f) != 1 or np.ndim(s) != 1:
        raise NotImplementedError("scipy.linalg.leslie of stacks has no derivative: call it for each")
    n = len(f)
    below = np.concatenate((np.diag(s), np.zeros((n - 1, 1))), axis=1)
    return np.concatenate((np.expand_dims(f, 0), below))


@define(scipy.linalg.fiedler)
def fiedler(a):
    if np.ndim(a) != 1:
        raise NotImplementedError("scipy.linalg.fiedler of stacks has no derivative: call it for each")
    return np.abs(np.expand_dims(a, 1) - np.expand_dims(a, 0))


@define(scipy.linalg.convolution_matrix)
def convolution_matrix(a, n, mode="full"):
    if np.ndim(a) != 1:
        raise NotImplementedError("scipy.linalg.convolution_matrix of stacks has no derivative: call it for each")
    m = len(a)
    padded = np.concatenate((np.zeros(n - 1), a, np.zeros(n - 1)))
    whole = np.take(padded, np.expand_dims(np.arange(m + n - 1), 1) - np.expand_dims(np.arange(n), 0) + (n - 1))
    if mode == "full":
        return whole
    # The part of the convolution that `np.convolve` returns.
    length = max(m, n) if mode == "same" else max(m, n) - min(m, n) + 1
    start = (m + n - 1 - length) // 2
    return whole[start : start + length]


@define(scipy.linalg.khatri_rao)
def khatri_rao(a, b):
    if np.ndim(a) != 2 or np.ndim(b) != 2:
        raise NotImplementedError("scipy.linalg.khatri_rao of stacks has no derivative: call it for each")
    product = np.expand_dims(a, 1) * np.expand_dims(b, 0)
    return np.reshape(product, (a.shape[0] * b.shape[0], a.shape[1]))


@define(scipy.linalg.block_diag)
def block_diag(*arrs):
    blocks = [np.atleast_2d(each) for each in arrs]
    for each in blocks:
        if np.iscomplexobj(each):
            raise NotImplementedError("scipy.linalg.block_diag has a derivative for real matrices")
    rows, columns = sum([each.shape[0] for each in blocks]), sum([each.shape[1] for each in blocks])
    whole = np.zeros((rows, columns))
    row = column = 0
    for each in blocks:
        whole[row : row + each.shape[0], column : column + each.shape[1]] = each
        row += each.shape[0]
        column += each.shape[1]
    return whole


zero(
    *(scipy.linalg.dft, scipy.linalg.hadamard, scipy.linalg.helmert, scipy.linalg.hilbert, scipy.linalg.invhilbert),
    *(scipy.linalg.pascal, scipy.linalg.invpascal),
)
