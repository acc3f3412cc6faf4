"""Definitions of NumPy and math functions in terms of others, with rules of the kernels that these call."""

import math

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, tangent


@define(np.interp)
def interp(x, xp, fp, left=None, right=None):
    last = len(xp) - 1
    k = np.minimum(np.maximum(np.searchsorted(xp, x, side="right"), 1), last)
    # Short integers may overflow in differences, and unsigned ones cannot be negative.
    t = kernels.ratio(x - xp[k - 1], 1.0 * xp[k] - xp[k - 1])
    t = np.maximum(t, 1.0 * (x >= xp[k]))  # the last two points may coincide
    y = fp[k - 1] + np.minimum(np.maximum(t, 0.0), 1.0) * (1.0 * fp[k] - fp[k - 1])
    if left is not None:
        y = np.where(x < xp[0], left, y)
    if right is not None:
        y = np.where(x > xp[last], right, y)
    return y


@define(np.polyval)
def polyval(p, x):
    y = x * 0.0 + p[0]
    for k in range(1, len(p)):
        y = y * x + p[k]
    return y


@define(np.meshgrid)
def meshgrid(x, y, *others, indexing="xy"):
    if np.ndim(x) != 1 or np.ndim(y) != 1 or len(others) > 1:
        raise NotImplementedError("np.meshgrid of other than two or three vectors: use np.ravel, or x[:, None, None]")
    if indexing == "ij":
        u, v = np.expand_dims(x, 1), np.expand_dims(y, 0)
    else:
        u, v = np.expand_dims(x, 0), np.expand_dims(y, 1)
    if len(others) == 0:
        return u + np.zeros(v.shape, x.dtype), v + np.zeros(u.shape, y.dtype)
    z = others[0]
    u, v = np.expand_dims(u, 2), np.expand_dims(v, 2)
    shape = (x.size, y.size, z.size) if indexing == "ij" else (y.size, x.size, z.size)
    return u + np.zeros(shape, x.dtype), v + np.zeros(shape, y.dtype), z + np.zeros(shape, z.dtype)


@define(np.quantile)
def quantile(a, q):
    t = np.sort(np.ravel(a))
    place = np.multiply(q, t.size - 1)
    below = np.searchsorted(np.arange(t.size), place, side="right") - 1  # for one probability as for several
    above = np.minimum(below + 1, t.size - 1)
    return t[below] + (place - below) * (t[above] - t[below])


@define(np.percentile)
def percentile(a, q):
    return np.quantile(a, np.multiply(q, 0.01))


@define(np.nansum)
def nansum(a, axis=None, *, keepdims=False):
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


@define(np.nanmean)
def nanmean(a, axis=None, *, keepdims=False):
    count = np.sum(np.where(np.isnan(a), 0.0, 1.0), axis=axis, keepdims=keepdims)
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims) / count


@define(np.nanmax)
def nanmax(a, axis=None, *, keepdims=False):
    return np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)


@define(np.nanmin)
def nanmin(a, axis=None, *, keepdims=False):
    return np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)


@define(np.extract)
def extract(condition, arr):
    return np.ravel(arr)[np.nonzero(np.ravel(condition))[0]]


@define(np.rot90)
def rot90(m, k=1):
    if np.ndim(m) != 2:
        raise NotImplementedError("np.rot90 of other arrays than matrices: use np.flip and np.transpose")
    if k % 4 == 1:
        return np.transpose(m)[::-1]
    if k % 4 == 2:
        return m[::-1, ::-1]
    if k % 4 == 3:
        return np.transpose(m)[:, ::-1]
    return np.copy(m)


@define(math.fsum)
def fsum(seq):
    return np.sum(np.asarray(seq))


@define(math.prod)
def prod(iterable):
    return np.prod(np.asarray(iterable), axis=0)


@define(math.dist)
def dist(p, q):
    return np.linalg.norm(np.asarray(p) - np.asarray(q))


@define(np.linalg.multi_dot)
def multi_dot(arrays):
    y = None
    for each in arrays:
        y = each if y is None else np.dot(y, each)
    return y


@define(kernels.only_element)
def only_element(x):
    if np.size(x) != 1:
        raise ValueError("can only convert an array of size 1 to a Python scalar")
    return np.ravel(x)[0] if np.ndim(x) > 0 else x


@define(kernels.norm_of_order)
def norm_of_order(x, order, axis=None, keepdims=False):
    # The order is normally a compile-time constant: then only one branch remains.
    if axis is None:
        return kernels.norm_of_all(x, order)
    if isinstance(axis, tuple) and len(axis) == 2:
        return kernels.norm_of_matrices(x, order, axis, keepdims)
    if order == 2:
        return np.linalg.norm(x, axis=axis, keepdims=keepdims)
    if order == 1:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if order == 0:
        return np.sum(np.where(x != 0.0, 1.0, 0.0), axis=axis, keepdims=keepdims)
    if order == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if order == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    return np.sum(np.abs(x) ** order, axis=axis, keepdims=keepdims) ** (1.0 / order)


@define(kernels.norm_of_matrices)
def norm_of_matrices(x, order, axis, keepdims=False):
    rows, columns = axis
    if order == "fro":
        return np.linalg.norm(x, axis=axis, keepdims=keepdims)
    if order == 1:
        return np.max(np.sum(np.abs(x), axis=rows, keepdims=True), axis=axis, keepdims=keepdims)
    if order == -1:
        return np.min(np.sum(np.abs(x), axis=rows, keepdims=True), axis=axis, keepdims=keepdims)
    if order == np.inf:
        return np.max(np.sum(np.abs(x), axis=columns, keepdims=True), axis=axis, keepdims=keepdims)
    if order == -np.inf:
        return np.min(np.sum(np.abs(x), axis=columns, keepdims=True), axis=axis, keepdims=keepdims)
    raise NotImplementedError("norms that are made of the singular values of stacked matrices have no derivative rule")


@define(kernels.norm_of_all)
def norm_of_all(x, order):
    if order in ("fro", "nuc") and np.ndim(x) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if order == "fro":
        return np.linalg.norm(x)
    if order == "nuc":
        return np.sum(kernels.singular_values(x))
    if order == 1:
        return np.max(np.sum(np.abs(x), axis=0)) if np.ndim(x) == 2 else np.sum(np.abs(x))
    if order == -1 and np.ndim(x) == 2:
        return np.min(np.sum(np.abs(x), axis=0))
    if order == np.inf:
        return np.max(np.sum(np.abs(x), axis=1)) if np.ndim(x) == 2 else np.max(np.abs(x))
    if order == -np.inf:
        return np.min(np.sum(np.abs(x), axis=1)) if np.ndim(x) == 2 else np.min(np.abs(x))
    if order == 2:
        return kernels.singular_values(x)[0] if np.ndim(x) == 2 else np.linalg.norm(x)
    if order == -2 and np.ndim(x) == 2:
        return kernels.singular_values(x)[-1]
    if order == 0:
        return np.sum(np.where(x != 0.0, 1.0, 0.0))
    if np.ndim(x) != 1:
        raise ValueError("Invalid norm order for matrices.")
    return np.sum(np.abs(x) ** order) ** (1.0 / order)


@define(np.add.reduce)
def add_reduce(array, axis=0):
    return np.sum(array, axis=axis)


@define(np.multiply.reduce)
def multiply_reduce(array, axis=0):
    return np.prod(array, axis=axis)


@define(np.maximum.reduce)
def maximum_reduce(array, axis=0):
    return np.max(array, axis=axis)


@define(np.minimum.reduce)
def minimum_reduce(array, axis=0):
    return np.min(array, axis=axis)


@define(np.add.accumulate)
def add_accumulate(array, axis=0):
    return np.cumsum(array, axis=axis)


@define(np.multiply.accumulate)
def multiply_accumulate(array, axis=0):
    return np.cumprod(array, axis=axis)


@define(np.subtract.outer)
def subtract_outer(A, B):
    if np.ndim(B) != 1:
        raise NotImplementedError("np.subtract.outer with other operands than vectors: write `a[:, None] - b`")
    return np.expand_dims(A, -1) - B


@define(np.add.outer)
def add_outer(A, B):
    if np.ndim(B) != 1:
        raise NotImplementedError("np.add.outer with other operands than vectors: write `a[:, None] + b`")
    return np.expand_dims(A, -1) + B


@define(np.multiply.outer)
def multiply_outer(A, B):
    if np.ndim(B) != 1:
        raise NotImplementedError("np.multiply.outer with other operands than vectors: write `a[:, None] * b`")
    return np.expand_dims(A, -1) * B


@define(np.kron)
def kron(a, b):
    if np.ndim(a) != 2 or np.ndim(b) != 2:
        raise NotImplementedError("np.kron of other operands than matrices: write it with np.outer or np.einsum")
    whole = np.expand_dims(np.expand_dims(a, 1), 3) * np.expand_dims(np.expand_dims(b, 0), 2)
    return np.reshape(whole, (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]))


@define(np.select)
def select(condlist, choicelist, default=0):
    y = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        y = np.where(condition, choice, y)
    return y


@define(np.linalg.eigvalsh)
def eigvalsh(a):
    return np.linalg.eigh(a)[0]


@define(np.correlate)
def correlate(a, v, mode="valid"):
    if len(a) < len(v):
        raise NotImplementedError("np.correlate of a vector with a longer one: exchange them")
    return np.convolve(a, np.conjugate(v[::-1]), mode)


@adjoint(np.convolve)
def convolve(y, a, v, mode="full"):
    d[a] = kernels.convolve_adjoint(d[y], v, a, mode)
    d[v] = kernels.convolve_adjoint(d[y], a, v, mode)


@tangent(np.convolve)
def convolve_tangent(y, a, v, mode="full"):
    d[y] = np.convolve(d[a], v, mode) + np.convolve(a, d[v], mode)


@adjoint(kernels.convolve_adjoint)
def convolve_adjoint(y, g, other, like, mode="full"):
    d[g] = np.convolve(d[y], other, mode)
    d[other] = kernels.convolve_adjoint(g, d[y], other, mode)


@tangent(kernels.convolve_adjoint)
def convolve_adjoint_tangent(y, g, other, like, mode="full"):
    d[y] = kernels.convolve_adjoint(d[g], other, like, mode) + kernels.convolve_adjoint(g, d[other], like, mode)


@define(np.linalg.eigh)
def eigh(a):
    symmetric = np.tril(a) + np.transpose(np.tril(a, -1))  # as NumPy, which reads the lower triangle only
    v = kernels.eigenvectors(symmetric)
    return kernels.values_of_vectors(symmetric, v), v


@adjoint(kernels.values_of_vectors, handles_complex=False)
def values_of_vectors(y, a, v):
    d[a] = kernels.times_transpose(v * d[y], v)


@tangent(kernels.values_of_vectors)
def values_of_vectors_tangent(y, a, v):
    d[y] = np.sum(v * kernels.times(d[a], v), axis=0)


@adjoint(kernels.eigenvectors, handles_complex=False)
def eigenvectors(y, a):
    # Eigenvectors of equal eigenvalues have no derivative.
    w = kernels.values_of_vectors(a, y)
    d[a] = kernels.eigenvectors_adjoint(d[y], w, y)


@tangent(kernels.eigenvectors)
def eigenvectors_tangent(y, a):
    w = kernels.values_of_vectors(a, y)
    m = kernels.transpose_times(y, kernels.times(0.5 * (d[a] + np.transpose(d[a])), y))
    d[y] = kernels.times(y, kernels.strong_product(m, kernels.inverse_gaps(w)))


@adjoint(kernels.inverse_gaps)
def inverse_gaps(y, w):
    d[w] = np.sum(d[y] * y * y, axis=1) - np.sum(d[y] * y * y, axis=0)


@adjoint(kernels.inverse_gaps_of_squares)
def inverse_gaps_of_squares(y, s):
    d[s] = 2 * s * (np.sum(d[y] * y * y, axis=1) - np.sum(d[y] * y * y, axis=0))


@tangent(kernels.inverse_gaps_of_squares)
def inverse_gaps_of_squares_tangent(y, s):
    d[y] = 2 * y * y * (np.expand_dims(s * d[s], 1) - np.expand_dims(s * d[s], 0))


@tangent(kernels.inverse_gaps)
def inverse_gaps_tangent(y, w):
    d[y] = y * y * (np.expand_dims(d[w], 1) - np.expand_dims(d[w], 0))
