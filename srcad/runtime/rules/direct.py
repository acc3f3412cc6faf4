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
