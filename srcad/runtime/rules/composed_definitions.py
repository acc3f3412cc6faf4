"""Definitions of NumPy and math functions in terms of others, with rules of the kernels that these call."""

import math

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, tangent, zero


@define(np.interp)
def interp(x, xp, fp, left=None, right=None, period=None):
    if period is not None:
        raise NotImplementedError("np.interp with `period` has no derivative rule: reduce the points by np.mod")
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


@define(np.nansum)
def nansum(a, axis=None, *, keepdims=False):
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims)


@define(np.nanmean)
def nanmean(a, axis=None, *, keepdims=False):
    count = np.sum(np.where(np.isnan(a), 0.0, 1.0), axis=axis, keepdims=keepdims)
    return np.sum(np.where(np.isnan(a), 0.0, a), axis=axis, keepdims=keepdims) / count


@define(np.nanmax)
def nanmax(a, axis=None, *, keepdims=False):
    y = np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims)
    count = np.sum(np.where(np.isnan(a), 0.0, 1.0), axis=axis, keepdims=keepdims)
    return y + np.where(count > 0.0, 0.0, np.nan)


@define(np.nanmin)
def nanmin(a, axis=None, *, keepdims=False):
    y = np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims)
    count = np.sum(np.where(np.isnan(a), 0.0, 1.0), axis=axis, keepdims=keepdims)
    return y + np.where(count > 0.0, 0.0, np.nan)


@define(np.extract)
def extract(condition, arr):
    return np.ravel(arr)[np.nonzero(np.ravel(condition))[0]]


@define(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    turned = np.swapaxes(m, axes[0], axes[1])
    if k % 4 == 1:
        return np.flip(turned, axes[0])
    if k % 4 == 2:
        return np.flip(np.flip(m, axes[0]), axes[1])
    if k % 4 == 3:
        return np.flip(turned, axes[1])
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
        found = kernels.norm_of_all(x, order)
        return np.reshape(found, (1,) * np.ndim(x)) if keepdims else found
    if isinstance(axis, tuple) and len(axis) == 2:
        return kernels.norm_of_matrices(x, order, axis, keepdims)
    return kernels.norm_of_vectors(x, order, axis, keepdims)


@define(kernels.norm_of_vectors)
def norm_of_vectors(x, order, axis, keepdims=False):
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
    size = np.abs(x)
    if order > 0 and order < 1:
        # The slope is infinite beside an element that is 0, on both sides: 0 is taken, as for np.abs.
        powers = np.where(x == 0.0, 0.0, np.where(x == 0.0, 1.0, size) ** order)
    elif order < 0:
        powers = size ** (1.0 * order)  # inf at 0, where Numba's power of an integer raises an exception
    else:
        powers = size**order
    return kernels.power_mean(np.sum(powers, axis=axis, keepdims=keepdims), order)


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
    s = kernels.singular_values(np.moveaxis(x, axis, (-2, -1)))
    found = np.sum(s, axis=-1) if order == "nuc" else np.max(s, axis=-1) if order == 2 else np.min(s, axis=-1)
    return np.moveaxis(kernels.of_each(found), (-2, -1), axis) if keepdims else found


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
    return kernels.norm_of_vectors(x, order, 0)


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


@define(np.select)
def select(condlist, choicelist, default=0):
    y = default
    for condition, choice in reversed(list(zip(condlist, choicelist, strict=True))):
        y = np.where(condition, choice, y)
    return y


@define(np.correlate)
def correlate(a, v, mode="valid"):
    if len(a) < len(v):
        return np.conjugate(np.convolve(v, np.conjugate(a[::-1]), mode)[::-1])
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


@define(np.rollaxis)
def rollaxis(a, axis, start=0):
    place = axis + np.ndim(a) if axis < 0 else axis
    before = start + np.ndim(a) if start < 0 else start
    return np.moveaxis(a, place, before - 1 if place < before else before)


@define(np.broadcast_arrays)
def broadcast_arrays(*args):
    shape = kernels.broadcast_shape(*[np.shape(each) for each in args])
    return tuple([np.broadcast_to(each, shape) for each in args])


@define(np.asanyarray, np.require)
def asanyarray(a, dtype=None):
    return np.asarray(a) if dtype is None else np.asarray(a, dtype)


@define(np.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None):
    y = np.asarray(a) if dtype is None else np.asarray(a, dtype)
    if not np.all(np.isfinite(y)):
        raise ValueError("array must not contain infs or NaNs")
    return y


@define(np.hsplit)
def hsplit(ary, indices_or_sections):
    if np.ndim(ary) == 1:
        return np.split(ary, indices_or_sections, 0)
    return np.split(ary, indices_or_sections, 1)


@define(np.dsplit)
def dsplit(ary, indices_or_sections):
    return np.split(ary, indices_or_sections, 2)


@define(np.frexp)
def frexp(x):
    power = kernels.exponents(x)
    return np.ldexp(x, -power), power


zero(kernels.exponents)
