"""Rules of functions that are defined in terms of others as well: the compiler inlines the definitions, for what it can
make of them, and tapes record a call as one and reverse it by these.
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.registry import adjoint, d, tangent


@adjoint(np.nansum)
def nansum(y, a, axis=None, keepdims=False):
    d[a] = np.where(np.isnan(a), 0.0, kernels.restore(d[y], a.shape, axis, keepdims))


@tangent(np.nansum)
def nansum_tangent(y, a, axis=None, keepdims=False):
    d[y] = np.sum(np.where(np.isnan(a), 0.0, d[a]), axis=axis, keepdims=keepdims)


@adjoint(np.nanmean)
def nanmean(y, a, axis=None, keepdims=False):
    there = ~np.isnan(a)
    d[a] = there * (kernels.restore(d[y], a.shape, axis, keepdims) / np.sum(there, axis=axis, keepdims=True))


@tangent(np.nanmean)
def nanmean_tangent(y, a, axis=None, keepdims=False):
    there = ~np.isnan(a)
    d[y] = np.sum(np.where(there, d[a], 0.0), axis=axis, keepdims=keepdims) / np.sum(
        there, axis=axis, keepdims=keepdims
    )


@adjoint(np.nanmax, np.nanmin)
def extremum_of_numbers(y, a, axis=None, keepdims=False):
    d[a] = kernels.restore(d[y], a.shape, axis, keepdims) * kernels.shares(y, a, axis, keepdims)


@tangent(np.nanmax, np.nanmin)
def extremum_of_numbers_tangent(y, a, axis=None, keepdims=False):
    d[y] = np.sum(kernels.shares(y, a, axis, keepdims) * d[a], axis=axis, keepdims=keepdims)


@adjoint(np.ptp)
def ptp(y, a, axis=None, keepdims=False):
    high = kernels.shares(np.max(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    low = kernels.shares(np.min(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    d[a] = kernels.restore(d[y], a.shape, axis, keepdims) * (high - low)


@tangent(np.ptp)
def ptp_tangent(y, a, axis=None, keepdims=False):
    high = kernels.shares(np.max(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    low = kernels.shares(np.min(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    d[y] = np.sum((high - low) * d[a], axis=axis, keepdims=keepdims)


@adjoint(np.median)
def median(y, a):
    k = np.argsort(np.ravel(a))[[(a.size - 1) // 2, a.size // 2]]  # of an odd number one, twice
    d[a] = np.reshape(kernels.scatter(np.broadcast_to(0.5 * d[y], (2,)), (a.size,), k), a.shape)


@tangent(np.median)
def median_tangent(y, a):
    k = np.argsort(np.ravel(a))[[(a.size - 1) // 2, a.size // 2]]
    d[y] = 0.5 * np.sum(np.ravel(d[a])[k])


@adjoint(np.kron, ndim=(2, 2))
def kron(y, a, b):
    t = np.reshape(d[y], (a.shape[0], b.shape[0], a.shape[1], b.shape[1]))
    d[a] = np.sum(t * np.expand_dims(b, 1), axis=(1, 3))
    d[b] = np.sum(t * np.expand_dims(np.expand_dims(a, 1), 3), axis=(0, 2))


@tangent(np.kron, ndim=(2, 2))
def kron_tangent(y, a, b):
    d[y] = np.kron(d[a], b) + np.kron(a, d[b])


@adjoint(np.interp)
def interp(y, x, xp, fp, left=None, right=None):
    slope = kernels.interp_slope(x, xp, fp)
    d[x] = d[y] * slope
    d[xp] = kernels.to_points(d[y] * -slope, x, xp, left, right)
    d[fp] = kernels.to_points(d[y], x, xp, left, right)
    d[left] = np.sum(np.where(x < xp[0], d[y], 0.0))
    d[right] = np.sum(np.where(x > xp[-1], d[y], 0.0))


@tangent(np.interp)
def interp_tangent(y, x, xp, fp, left=None, right=None):
    slope = kernels.interp_slope(x, xp, fp)
    d[y] = (
        slope * d[x]
        - slope * kernels.of_points(d[xp], x, xp, left, right)
        + kernels.of_points(d[fp], x, xp, left, right)
        + np.where(x < xp[0], d[left], 0.0)
        + np.where(x > xp[-1], d[right], 0.0)
    )


@adjoint(np.quantile)
def quantile(y, a, q):
    k = kernels.quantile_places(a, q)
    t = kernels.quantile_part(a, q)
    d[a] = np.reshape(kernels.scatter(kernels.pair(d[y] * (1.0 - t), d[y] * t), (a.size,), k), a.shape)
    d[q] = d[y] * ((a.size - 1) * (np.ravel(a)[k[1]] - np.ravel(a)[k[0]]))


@tangent(np.quantile)
def quantile_tangent(y, a, q):
    k = kernels.quantile_places(a, q)
    t = kernels.quantile_part(a, q)
    d[y] = (
        (1.0 - t) * np.ravel(d[a])[k[0]]
        + t * np.ravel(d[a])[k[1]]
        + (a.size - 1) * (np.ravel(a)[k[1]] - np.ravel(a)[k[0]]) * d[q]
    )


@adjoint(np.percentile)
def percentile(y, a, q):
    k = kernels.quantile_places(a, np.multiply(q, 0.01))
    t = kernels.quantile_part(a, np.multiply(q, 0.01))
    d[a] = np.reshape(kernels.scatter(kernels.pair(d[y] * (1.0 - t), d[y] * t), (a.size,), k), a.shape)
    d[q] = d[y] * ((a.size - 1) * 0.01 * (np.ravel(a)[k[1]] - np.ravel(a)[k[0]]))


@tangent(np.percentile)
def percentile_tangent(y, a, q):
    k = kernels.quantile_places(a, np.multiply(q, 0.01))
    t = kernels.quantile_part(a, np.multiply(q, 0.01))
    d[y] = (
        (1.0 - t) * np.ravel(d[a])[k[0]]
        + t * np.ravel(d[a])[k[1]]
        + (a.size - 1) * 0.01 * (np.ravel(a)[k[1]] - np.ravel(a)[k[0]]) * d[q]
    )


@adjoint(np.average)
def average(y, a, axis=None, weights=None):
    d[a] = kernels.restore(d[y], a.shape, axis) * kernels.parts_of_average(a, axis, weights)
    d[weights] = kernels.to_weights(d[y], y, a, axis, weights)


@tangent(np.average)
def average_tangent(y, a, axis=None, weights=None):
    d[y] = np.sum(kernels.parts_of_average(a, axis, weights) * d[a], axis=axis) + kernels.of_weights(
        d[weights], y, a, axis, weights
    )


@adjoint(np.trapezoid)
def trapezoid(total, y, x=None, dx=1.0):
    g = np.expand_dims(d[total], -1)
    d[y] = g * kernels.trapezoid_weights(y, x, dx)
    d[x] = kernels.ends(g * (0.5 * (y[..., 1:] + y[..., :-1])), -1.0)
    d[dx] = np.sum(g * (0.5 * (y[..., 1:] + y[..., :-1])))


@tangent(np.trapezoid)
def trapezoid_tangent(total, y, x=None, dx=1.0):
    d[total] = (
        np.sum(kernels.trapezoid_weights(y, x, dx) * d[y], axis=-1)
        + np.sum(0.5 * (y[..., 1:] + y[..., :-1]) * (d[x][..., 1:] - d[x][..., :-1]), axis=-1)
        + np.sum(0.5 * (y[..., 1:] + y[..., :-1]), axis=-1) * d[dx]
    )


@adjoint(np.vecdot, np.linalg.vecdot)
def vecdot(y, x1, x2, axis=-1):
    d[x1] = kernels.vecdot_adjoint(d[y], x2, x1, axis)  # of real vectors; for complex ones see `spelled`
    d[x2] = kernels.vecdot_adjoint(d[y], x1, x2, axis)


@tangent(np.vecdot, np.linalg.vecdot)
def vecdot_tangent(y, x1, x2, axis=-1):
    d[y] = np.linalg.vecdot(d[x1], x2, axis=axis) + np.linalg.vecdot(x1, d[x2], axis=axis)  # type: ignore[call-overload]


@adjoint(np.matvec)
def matvec(y, x1, x2):
    d[x1] = np.expand_dims(d[y], -1) * np.expand_dims(x2, -2)
    d[x2] = np.sum(np.expand_dims(d[y], -1) * x1, axis=-2)


@tangent(np.matvec)
def matvec_tangent(y, x1, x2):
    d[y] = np.sum(d[x1] * np.expand_dims(x2, -2), axis=-1) + np.sum(x1 * np.expand_dims(d[x2], -2), axis=-1)


@adjoint(np.vecmat)
def vecmat(y, x1, x2):
    d[x1] = np.sum(np.expand_dims(d[y], -2) * x2, axis=-1)
    d[x2] = np.expand_dims(x1, -1) * np.expand_dims(d[y], -2)


@tangent(np.vecmat)
def vecmat_tangent(y, x1, x2):
    d[y] = np.vecmat(d[x1], x2) + np.vecmat(x1, d[x2])


@adjoint(np.compress)
def compress(y, condition, a, axis=None):
    d[a] = kernels.take_adjoint(d[y], a.shape, np.nonzero(condition)[0], axis)


@tangent(np.compress)
def compress_tangent(y, condition, a, axis=None):
    d[y] = np.compress(condition, d[a], axis=axis)


@adjoint(np.extract)
def extract(y, condition, arr):
    d[arr] = np.reshape(kernels.scatter(d[y], (arr.size,), np.nonzero(np.ravel(condition))[0]), arr.shape)


@tangent(np.extract)
def extract_tangent(y, condition, arr):
    d[y] = np.extract(condition, d[arr])


@adjoint(np.delete)
def delete(y, arr, obj):
    d[arr] = np.reshape(kernels.scatter(d[y], (arr.size,), np.delete(np.arange(arr.size), obj)), arr.shape)


@tangent(np.delete)
def delete_tangent(y, arr, obj):
    d[y] = np.delete(d[arr], obj)


@adjoint(np.nanprod)
def nanprod(y, a, axis=None, keepdims=False):
    t = kernels.others(np.where(np.isnan(a), 1.0, a), axis)
    d[a] = np.where(np.isnan(a), 0.0, kernels.restore(d[y], a.shape, axis, keepdims) * t)


@tangent(np.nanprod)
def nanprod_tangent(y, a, axis=None, keepdims=False):
    t = kernels.others(np.where(np.isnan(a), 1.0, a), axis)
    d[y] = np.sum(np.where(np.isnan(a), 0.0, t * d[a]), axis=axis, keepdims=keepdims)


@adjoint(np.nancumsum)
def nancumsum(y, a, axis=None):
    d[a] = np.where(np.isnan(a), 0.0, kernels.cumsum_adjoint(d[y], a.shape, axis))


@tangent(np.nancumsum)
def nancumsum_tangent(y, a, axis=None):
    d[y] = np.cumsum(np.where(np.isnan(a), 0.0, d[a]), axis=axis)


@adjoint(np.logaddexp.reduce)
def logaddexp_reduce(y, array, axis=0):
    d[array] = kernels.restore(d[y], array.shape, axis) * kernels.softmax(array, axis)


@tangent(np.logaddexp.reduce)
def logaddexp_reduce_tangent(y, array, axis=0):
    d[y] = np.sum(kernels.softmax(array, axis) * d[array], axis=axis)
