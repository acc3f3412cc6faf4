"""Rules for the tape only, of functions that also have a definition.

The compiler inlines the definition and optimises the result; a tape records a call as one node and reverses it by the
rule here.
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.kernels.arrays import rearrangements
from srcad.runtime.kernels.tape_rules import (
    composed_functions,
    fits_and_statistics,
    list_functions,
    matrix_functions,
    nan_functions,
    spacing,
)
from srcad.runtime.rulebook.registry import adjoint, d, linear, tangent, zero


@adjoint(np.nansum)
def nansum(y, a, axis=None, keepdims=False):
    d[a] = np.where(np.isnan(a), 0.0, kernels.restore(d[y], a.shape, axis, keepdims))


@tangent(np.nansum)
def nansum_tangent(y, a, axis=None, keepdims=False):
    d[y] = np.sum(np.where(np.isnan(a), 0.0, d[a]), axis=axis, keepdims=keepdims)


@adjoint(np.nanmean)
def nanmean(y, a, axis=None, keepdims=False):
    d[a] = nan_functions.nanmean_adjoint(d[y], a, axis, keepdims)


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
    d[a] = composed_functions.ptp_adjoint(d[y], a, axis, keepdims)


@tangent(np.ptp)
def ptp_tangent(y, a, axis=None, keepdims=False):
    high = kernels.shares(np.max(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    low = kernels.shares(np.min(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    d[y] = np.sum((high - low) * d[a], axis=axis, keepdims=keepdims)


@adjoint(np.median)
def median(y, a):
    k = np.argsort(np.ravel(a))[[(a.size - 1) // 2, a.size // 2]]  # for an odd number the middle one, twice
    d[a] = np.reshape(composed_functions.to_pair(0.5 * d[y], 0.5 * d[y], a.size, k), a.shape)


@tangent(np.median)
def median_tangent(y, a):
    k = np.argsort(np.ravel(a))[[(a.size - 1) // 2, a.size // 2]]
    d[y] = 0.5 * np.sum(np.ravel(d[a])[k])


@adjoint(np.kron, ndim=(2, 2))
def kron(y, a, b):
    t = rearrangements.kron_pairs(d[y], a, b)
    d[a] = np.reshape(np.matmul(t, np.reshape(b, -1)), a.shape)
    d[b] = np.reshape(np.matmul(np.reshape(a, -1), t), b.shape)


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
    d[a] = np.reshape(composed_functions.to_pair(d[y] * (1.0 - t), d[y] * t, a.size, k), a.shape)
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
    p = q * 0.01
    k = kernels.quantile_places(a, p)
    t = kernels.quantile_part(a, p)
    d[a] = np.reshape(composed_functions.to_pair(d[y] * (1.0 - t), d[y] * t, a.size, k), a.shape)
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
    d[x1] = kernels.vecdot_adjoint(d[y], x2, x1, axis)  # for real vectors; for complex ones see `call_rewrites`
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
    d[a] = rearrangements.uncompress(d[y], condition, a.shape, axis)


@tangent(np.compress)
def compress_tangent(y, condition, a, axis=None):
    d[y] = np.compress(condition, d[a], axis=axis)


@adjoint(np.extract)
def extract(y, condition, arr):
    d[arr] = np.reshape(kernels.scatter(d[y], (arr.size,), rearrangements.where_true(condition, arr.size)), arr.shape)


@tangent(np.extract)
def extract_tangent(y, condition, arr):
    d[y] = np.extract(condition, d[arr])


@adjoint(np.delete)
def delete(y, arr, obj):
    d[arr] = rearrangements.undelete(d[y], arr.shape, obj)


@tangent(np.delete)
def delete_tangent(y, arr, obj):
    d[y] = np.delete(d[arr], obj)


@adjoint(np.nanprod)
def nanprod(y, a, axis=None, keepdims=False):
    d[a] = nan_functions.nanprod_adjoint(d[y], a, axis, keepdims)


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
    d[array] = kernels.restore(d[y], array.shape, axis) * np.exp(array - kernels.restore(y, array.shape, axis))


@tangent(np.logaddexp.reduce)
def logaddexp_reduce_tangent(y, array, axis=0):
    d[y] = np.sum(np.exp(array - kernels.restore(y, array.shape, axis)) * d[array], axis=axis)


@adjoint(np.dstack)
def dstack(y, tup):
    d[tup] = list_functions.undstack(d[y], tup)


@adjoint(np.select)
def select(y, condlist, choicelist, default=0):
    d[choicelist] = list_functions.unselect(d[y], condlist, choicelist)
    d[default] = list_functions.not_selected(d[y], condlist)


@adjoint(np.choose)
def choose(y, a, choices):
    d[choices] = list_functions.unchoose(d[y], a, choices)


@adjoint(np.linalg.multi_dot)
def multi_dot(y, arrays):
    d[arrays] = list_functions.multi_dot_adjoint(d[y], arrays)


@tangent(np.linalg.multi_dot)
def multi_dot_tangent(y, arrays):
    d[y] = list_functions.multi_dot_tangent(d[arrays], arrays)


@adjoint(np.add.outer)
def add_outer(y, A, B):
    d[A] = rearrangements.outer_first(d[y], A)
    d[B] = rearrangements.outer_second(d[y], B)


@adjoint(np.subtract.outer)
def subtract_outer(y, A, B):
    d[A] = rearrangements.outer_first(d[y], A)
    d[B] = -rearrangements.outer_second(d[y], B)


@adjoint(np.multiply.outer)
def multiply_outer(y, A, B):
    d[A] = rearrangements.outer_first(d[y], A, B)
    d[B] = rearrangements.outer_second(d[y], B, A)


@tangent(np.multiply.outer)
def multiply_outer_tangent(y, A, B):
    d[y] = np.multiply.outer(d[A], B) + np.multiply.outer(A, d[B])


@adjoint(np.append)
def append(y, arr, values, axis=None):
    d[arr] = rearrangements.appended_first(d[y], arr, axis)
    d[values] = rearrangements.appended_rest(d[y], arr, values, axis)


@adjoint(np.insert, ndim=(1, 0))
def insert(y, arr, obj, values):
    d[arr] = rearrangements.around(d[y], obj, arr.shape)
    d[values] = rearrangements.inserted(d[y], obj, arr.size, values)


@tangent(np.insert, ndim=(1, 0))
def insert_tangent(y, arr, obj, values):
    d[y] = np.insert(d[arr], obj, np.zeros(np.shape(values))) + np.insert(np.zeros_like(arr), obj, d[values])


@adjoint(np.ediff1d)
def ediff1d(y, ary):
    d[ary] = np.reshape(kernels.diff_adjoint(d[y]), ary.shape)


@adjoint(np.diagflat)
def diagflat(y, v, k=0):
    d[v] = np.reshape(kernels.diag_adjoint(d[y], (v.size,), k), v.shape)


@adjoint(np.rot90, ndim=(2,))
def rot90(y, m, k=1):
    d[m] = rearrangements.turned(d[y], -k)


@tangent(np.rot90, ndim=(2,))
def rot90_tangent(y, m, k=1):
    d[y] = np.rot90(d[m], k)


@adjoint(np.take_along_axis)
def take_along_axis(y, arr, indices, axis):
    d[arr] = rearrangements.take_along_adjoint(d[y], arr.shape, indices, axis)


@adjoint(rearrangements.take_along_adjoint)
def take_along_adjoint(y, g, shape, indices, axis):
    d[g] = np.take_along_axis(d[y], indices, axis)


@adjoint(np.unwrap)
def unwrap(y, p):
    d[p] = d[y]  # the number of turns has derivative 0


@tangent(np.unwrap)
def unwrap_tangent(y, p):
    d[y] = d[p]


@adjoint(np.nancumprod)
def nancumprod(y, a, axis=None):
    d[a] = nan_functions.nancumprod_adjoint(d[y], a, axis)


@tangent(np.nancumprod)
def nancumprod_tangent(y, a, axis=None):
    t = np.where(np.isnan(a), 1.0, a)
    d[y] = kernels.cumprod_tangent(np.where(np.isnan(a), 0.0, d[a]), t, axis)


@adjoint(np.maximum.accumulate, np.minimum.accumulate)
def most_so_far(y, array, axis=0):
    d[array] = composed_functions.most_so_far_adjoint(d[y], array, y, axis)


@tangent(np.maximum.accumulate, np.minimum.accumulate)
def most_so_far_tangent(y, array, axis=0):
    d[y] = np.take_along_axis(d[array], rearrangements.running_most(array, y, axis), axis)


@adjoint(np.polyval)
def polyval(y, p, x):
    d[p] = rearrangements.to_coefficients(d[y], p, x)
    d[x] = d[y] * rearrangements.polyval_slope(p, x)


@tangent(np.polyval)
def polyval_tangent(y, p, x):
    d[y] = np.polyval(d[p], x) + rearrangements.polyval_slope(p, x) * d[x]


@adjoint(np.vander)
def vander(y, x, N=None, increasing=False):
    d[x] = matrix_functions.vander_adjoint(d[y], y, increasing)


@tangent(np.vander)
def vander_tangent(y, x, N=None, increasing=False):
    d[y] = matrix_functions.vander_tangent(d[x], y, increasing)


@adjoint(np.nanvar, handles_complex=False)
def nanvar(y, a, axis=None, ddof=0):
    d[a] = nan_functions.nanvar_adjoint(2.0 * d[y], a, axis, ddof)


@tangent(np.nanvar)
def nanvar_tangent(y, a, axis=None, ddof=0):
    t = nan_functions.apart(a, axis) * nan_functions.parts_of_spread(a, axis, ddof)
    d[y] = 2.0 * np.sum(t * np.where(np.isnan(a), 0.0, d[a]), axis=axis)


@adjoint(np.nanstd, handles_complex=False)
def nanstd(y, a, axis=None, ddof=0):
    d[a] = nan_functions.nanvar_adjoint(d[y] / y, a, axis, ddof)


@tangent(np.nanstd)
def nanstd_tangent(y, a, axis=None, ddof=0):
    t = nan_functions.apart(a, axis) * nan_functions.parts_of_spread(a, axis, ddof)
    d[y] = np.sum(t * np.where(np.isnan(a), 0.0, d[a]), axis=axis) / y


@adjoint(np.linalg.svd, handles_complex=False)
def svd(y, a, full_matrices=True, compute_uv=True, hermitian=False):
    d[a] = matrix_functions.svd_adjoint(d[y], y, a)


@tangent(np.linalg.svd)
def svd_tangent(y, a, full_matrices=True, compute_uv=True, hermitian=False):
    d[y] = matrix_functions.svd_tangent(d[a], y, a)


@adjoint(np.linalg.qr, handles_complex=False)
def qr(y, a, mode="reduced"):
    d[a] = matrix_functions.qr_adjoint(d[y], y, a)


@tangent(np.linalg.qr)
def qr_tangent(y, a, mode="reduced"):
    d[y] = matrix_functions.qr_tangent(d[a], y, a)


@adjoint(np.linalg.eigvalsh, handles_complex=False)
def eigvalsh(y, a):
    d[a] = matrix_functions.eigvalsh_adjoint(d[y], a)


@tangent(np.linalg.eigvalsh)
def eigvalsh_tangent(y, a):
    d[y] = matrix_functions.eigvalsh_tangent(d[a], a)


@adjoint(np.linalg.eigh, handles_complex=False)
def eigh(y, a):
    d[a] = matrix_functions.eigh_adjoint(d[y], y)


@tangent(np.linalg.eigh)
def eigh_tangent(y, a):
    d[y] = matrix_functions.eigh_tangent(d[a], y)


@adjoint(np.linalg.pinv, handles_complex=False)
def pinv(y, a):
    d[a] = matrix_functions.pinv_adjoint(d[y], y, a)


@tangent(np.linalg.pinv)
def pinv_tangent(y, a):
    d[y] = matrix_functions.pinv_tangent(d[a], y, a)


@adjoint(np.linalg.matrix_power)
def matrix_power(y, a, n):
    d[a] = matrix_functions.power_adjoint(d[y], a, n)


@tangent(np.linalg.matrix_power)
def matrix_power_tangent(y, a, n):
    d[y] = matrix_functions.power_tangent(d[a], a, n)


@adjoint(rearrangements.step)
def step(y, x):
    d[x] = np.zeros(np.shape(x))


@tangent(rearrangements.step)
def step_tangent(y, x):
    d[y] = np.where(False, d[x], 0.0)


@adjoint(np.gradient)
def gradient(y, f, distance=1.0, axis=None, edge_order=1):
    d[f] = spacing.gradient_adjoint(d[y], distance, axis, edge_order)
    d[distance] = spacing.to_spacing(d[y], y, f, distance, axis, edge_order)


@adjoint(np.cov, handles_complex=False)
def cov(c, m, y=None, rowvar=True, bias=False, ddof=None):
    t = fits_and_statistics.cov_adjoint(d[c], m, y, rowvar, bias, ddof)
    d[m] = fits_and_statistics.first_rows(t, m, rowvar)
    d[y] = fits_and_statistics.last_rows(t, y, rowvar)


@adjoint(np.corrcoef, handles_complex=False)
def corrcoef(c, x, y=None, rowvar=True):
    t = fits_and_statistics.corrcoef_adjoint(d[c], c, x, y, rowvar)
    d[x] = fits_and_statistics.first_rows(t, x, rowvar)
    d[y] = fits_and_statistics.last_rows(t, y, rowvar)


@adjoint(np.polyfit)
def polyfit(c, x, y, deg):
    # The y values may be complex, the x values are real.
    t = np.linalg.qr(np.vander(x, deg + 1))
    w = np.linalg.solve(np.transpose(t[1]), d[c])
    v = np.matmul(t[0], w)
    d[y] = v
    d[x] = fits_and_statistics.polyfit_to_places(c, v, np.linalg.solve(t[1], w), x, y)


@adjoint(np.linalg.lstsq, handles_complex=False)
def lstsq(y, a, b, rcond=None):
    t = fits_and_statistics.lstsq_adjoint(d[y], y, a, b)
    d[a] = t[0]
    d[b] = t[1]


@adjoint(np.linalg.cond, handles_complex=False)
def cond(y, x):
    d[x] = matrix_functions.cond_adjoint(d[y], x)


@adjoint(np.linalg.svdvals, handles_complex=False)
def svdvals(y, x):
    d[x] = kernels.singular_values_adjoint(d[y], x)


@adjoint(np.linalg.vector_norm, handles_complex=False)
def vector_norm(y, x, axis=None, keepdims=False, ord=2):
    d[x] = composed_functions.norm_adjoint(d[y], y, x, axis, keepdims, ord)


@adjoint(composed_functions.norm_of_vectors, handles_complex=False)
def norm_of_vectors(y, x, order, axis=None, keepdims=False):
    d[x] = composed_functions.norm_adjoint(d[y], y, x, axis, keepdims, order)


@tangent(composed_functions.norm_of_vectors)
def norm_of_vectors_tangent(y, x, order, axis=None, keepdims=False):
    d[y] = np.sum(
        composed_functions.norm_adjoint(np.ones(np.shape(y)), y, x, axis, keepdims, order) * d[x],
        axis=axis,
        keepdims=keepdims,
    )


@adjoint(np.linalg.trace)
def trace(y, x, offset=0):
    d[x] = rearrangements.trace_of_each(d[y], x.shape, offset)


@adjoint(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(y, x):
    d[x] = np.swapaxes(d[y], -1, -2)


@adjoint(np.linalg.tensordot)
def tensordot(y, x1, x2, axes=2):
    d[x1] = kernels.tensordot_adjoint_a(d[y], x1, x2, axes)
    d[x2] = kernels.tensordot_adjoint_b(d[y], x1, x2, axes)


@adjoint(np.linalg.outer, ndim=(1, 1))
def outer(y, x1, x2):
    d[x1] = np.dot(d[y], x2)
    d[x2] = np.dot(x1, d[y])


@adjoint(np.correlate, handles_complex=False)
def correlate(y, a, v, mode="valid"):
    d[a] = kernels.convolve_adjoint(d[y], v[::-1], a, mode)
    d[v] = kernels.convolve_adjoint(d[y], a, v, mode)[::-1]


@adjoint(np.geomspace, ndim=(0, 0))
def geomspace(y, start, stop, num=50, endpoint=True):
    t = kernels.weights(y.shape, endpoint)
    d[start] = np.dot(d[y], y * (1.0 - t)) / start
    d[stop] = np.dot(d[y], y * t) / stop


@adjoint(np.logspace, ndim=(0, 0))
def logspace(y, start, stop, num=50, endpoint=True, base=10.0):
    t = kernels.weights(y.shape, endpoint)
    d[start] = np.dot(d[y], y * (1.0 - t)) * np.log(base)
    d[stop] = np.dot(d[y], y * t) * np.log(base)
    d[base] = np.dot(d[y], y * (start + (stop - start) * t)) / base


linear(
    np.matrix_transpose, np.linalg.matrix_transpose, np.dstack, np.select, np.choose, np.append, np.ediff1d, np.diagflat
)
linear(np.add.outer, np.subtract.outer, np.take_along_axis, rearrangements.take_along_adjoint)
zero(rearrangements.running_most)
