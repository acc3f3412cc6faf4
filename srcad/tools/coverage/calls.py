"""Calls of NumPy's differentiable functions, which the page on coverage tries, and the names that have no derivative.

The names in the calls: vectors of 4 elements `v`, `p` (positive), `u` (within -1 and 1), of 3 `h`, `g`; matrices `m`
(3, 4), `k` (4, 2), `q` (3, 3), `e` (3, 3, symmetric positive definite), `t` (3, 3, lower triangular); stacks `c`
(2, 3, 4), `b` (2, 3, 3), `d` (2, 3, 3, positive definite); the number `s`. `i` is a vector of integers, `j` a matrix
of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from srcad.tools.coverage.others import NOT_DIFFERENTIATED

_CALLS = """\
np.cos: np.cos(v)
np.sin: np.sin(v)
np.exp: np.exp(v)
np.exp2: np.exp2(v)
np.expm1: np.expm1(v)
np.sinh: np.sinh(v)
np.cosh: np.cosh(v)
np.tanh: np.tanh(v)
np.arcsinh: np.arcsinh(v)
np.asinh: np.asinh(v)
np.arctan: np.arctan(v)
np.atan: np.atan(v)
np.square: np.square(v)
np.negative: np.negative(v)
np.positive: np.positive(v)
np.real: np.real(v)
np.conj: np.conj(v)
np.conjugate: np.conjugate(v)
np.imag: np.imag(v)
np.angle: np.angle(v)
np.degrees: np.degrees(v)
np.radians: np.radians(v)
np.deg2rad: np.deg2rad(v)
np.rad2deg: np.rad2deg(v)
np.absolute: np.absolute(v)
np.abs: np.abs(v)
np.fabs: np.fabs(v)
np.cbrt: np.cbrt(v)
np.reciprocal: np.reciprocal(v)
np.nan_to_num: np.nan_to_num(v)
np.sinc: np.sinc(v)
np.i0: np.i0(v)
np.real_if_close: np.real_if_close(v)
np.copy: np.copy(v)
np.log: np.log(p)
np.log2: np.log2(p)
np.log10: np.log10(p)
np.log1p: np.log1p(p)
np.sqrt: np.sqrt(p)
np.arcsin: np.arcsin(u)
np.asin: np.asin(u)
np.arccos: np.arccos(u)
np.acos: np.acos(u)
np.arctanh: np.arctanh(u)
np.atanh: np.atanh(u)
np.tan: np.tan(u)
np.sign: np.sign(v) * v
np.floor: np.floor(v) * v
np.ceil: np.ceil(v) * v
np.trunc: np.trunc(v) * v
np.fix: np.fix(v) * v
np.rint: np.rint(v) * v
np.round: np.round(v) * v
np.around: np.around(v) * v
np.add: np.add(v, p) | np.add(m, v)
np.subtract: np.subtract(v, p) | np.subtract(m, v)
np.multiply: np.multiply(v, p) | np.multiply(m, v)
np.divide: np.divide(v, p) | np.divide(m, v)
np.true_divide: np.true_divide(v, p) | np.true_divide(m, v)
np.maximum: np.maximum(v, p) | np.maximum(m, v)
np.minimum: np.minimum(v, p) | np.minimum(m, v)
np.fmax: np.fmax(v, p) | np.fmax(m, v)
np.fmin: np.fmin(v, p) | np.fmin(m, v)
np.arctan2: np.arctan2(v, p) | np.arctan2(m, v)
np.atan2: np.atan2(v, p) | np.atan2(m, v)
np.hypot: np.hypot(v, p) | np.hypot(m, v)
np.logaddexp: np.logaddexp(v, p) | np.logaddexp(m, v)
np.logaddexp2: np.logaddexp2(v, p) | np.logaddexp2(m, v)
np.copysign: np.copysign(v, p) | np.copysign(m, v)
np.fmod: np.fmod(v, p) | np.fmod(m, v)
np.remainder: np.remainder(v, p) | np.remainder(m, v)
np.mod: np.mod(v, p) | np.mod(m, v)
np.sum: np.sum(m) | np.sum(m, axis=0) | np.sum(c, axis=(0, -1)) | np.sum(c, axis=1, keepdims=True) |
    np.sum(m, None) | np.sum(m, axis=1, where=m > 0.0)
np.mean: np.mean(m) | np.mean(m, axis=0) | np.mean(c, axis=(0, -1)) | np.mean(c, axis=1, keepdims=True) |
    np.mean(m, None) | np.mean(m, axis=1, where=m > 0.0)
np.prod: np.prod(m) | np.prod(m, axis=0) | np.prod(c, axis=(0, -1)) | np.prod(c, axis=1, keepdims=True) |
    np.prod(m, None) | np.prod(m, axis=1, where=m > 0.0)
np.max: np.max(m) | np.max(m, axis=0) | np.max(c, axis=(0, -1)) | np.max(c, axis=1, keepdims=True) |
    np.max(m, None) | np.max(m, axis=1, where=m > -9.0, initial=-9.0)
np.min: np.min(m) | np.min(m, axis=0) | np.min(c, axis=(0, -1)) | np.min(c, axis=1, keepdims=True) | np.min(m, None)
np.amax: np.amax(m) | np.amax(m, axis=0) | np.amax(c, axis=(0, -1)) | np.amax(c, axis=1, keepdims=True) |
    np.amax(m, None) | np.amax(m, axis=1, where=m > -9.0, initial=-9.0)
np.amin: np.amin(m) | np.amin(m, axis=0) | np.amin(c, axis=(0, -1)) | np.amin(c, axis=1, keepdims=True) |
    np.amin(m, None)
np.var: np.var(m) | np.var(m, axis=0) | np.var(c, axis=(0, -1)) | np.var(c, axis=1, keepdims=True) |
    np.var(m, None) | np.var(m, axis=1, ddof=1)
np.std: np.std(m) | np.std(m, axis=0) | np.std(c, axis=(0, -1)) | np.std(c, axis=1, keepdims=True) |
    np.std(m, None) | np.std(m, axis=1, ddof=1)
np.ptp: np.ptp(m) | np.ptp(m, axis=0) | np.ptp(c, axis=(0, -1)) | np.ptp(c, axis=1, keepdims=True) | np.ptp(m, None)
np.nansum: np.nansum(m) | np.nansum(m, axis=0) | np.nansum(c, axis=(0, -1)) | np.nansum(c, axis=1, keepdims=True) |
    np.nansum(m, None)
np.nanmean: np.nanmean(m) | np.nanmean(m, axis=0) | np.nanmean(c, axis=(0, -1)) |
    np.nanmean(c, axis=1, keepdims=True) | np.nanmean(m, None)
np.nanprod: np.nanprod(m) | np.nanprod(m, axis=0) | np.nanprod(c, axis=(0, -1)) |
    np.nanprod(c, axis=1, keepdims=True) | np.nanprod(m, None)
np.nanmax: np.nanmax(m) | np.nanmax(m, axis=0) | np.nanmax(c, axis=(0, -1)) | np.nanmax(c, axis=1, keepdims=True) |
    np.nanmax(m, None)
np.nanmin: np.nanmin(m) | np.nanmin(m, axis=0) | np.nanmin(c, axis=(0, -1)) | np.nanmin(c, axis=1, keepdims=True) |
    np.nanmin(m, None)
np.nanvar: np.nanvar(m) | np.nanvar(m, axis=0) | np.nanvar(c, axis=(0, -1)) | np.nanvar(c, axis=1, keepdims=True) |
    np.nanvar(m, None) | np.nanvar(m, axis=1, ddof=1)
np.nanstd: np.nanstd(m) | np.nanstd(m, axis=0) | np.nanstd(c, axis=(0, -1)) | np.nanstd(c, axis=1, keepdims=True) |
    np.nanstd(m, None) | np.nanstd(m, axis=1, ddof=1)
np.arccosh: np.arccosh(p + 1.0)
np.acosh: np.acosh(p + 1.0)
np.power: np.power(p, v) | np.power(v, 2) | np.power(p, m)
np.pow: np.pow(p, v)
np.float_power: np.float_power(p, v)
np.floor_divide: np.floor_divide(v, p) * v
np.divmod: np.divmod(v, p)[1]
np.modf: np.modf(v)[0]
np.frexp: np.frexp(v)[0]
np.ldexp: np.ldexp(v, i)
np.heaviside: np.heaviside(v, 0.5) * v
np.clip: np.clip(v, -0.5, 0.7) | np.clip(v, None, p) | np.clip(m, a_min=-0.5, a_max=None)
np.where: np.where(v > 0.0, v, p) | np.where(m > 0.0, v, 2.0)
np.select: np.select([v > 0.5, v > 0.0], [v, p], default=2.0)
np.choose: np.choose(i % 2, [v, p])
np.piecewise: np.piecewise(v, [v > 0.0, v < -0.5], [np.sin, lambda x: x * x, 2.0])
np.interp: np.interp(u, [-1.0, 0.1, 1.0], h) | np.interp(u, [-1.0, 0.1, 1.0], h, left=1.0, period=None)
np.median: np.median(v) | np.median(m, axis=1) | np.median(m, axis=0, keepdims=True)
np.quantile: np.quantile(v, 0.3) | np.quantile(m, [0.2, 0.7], axis=1) | np.quantile(v, 0.3, method='lower')
np.percentile: np.percentile(v, 30.0) | np.percentile(m, 62.5, axis=0, keepdims=True)
np.nanmedian: np.nanmedian(v) | np.nanmedian(m, axis=1)
np.nanquantile: np.nanquantile(v, 0.3) | np.nanquantile(m, 0.3, axis=1)
np.nanpercentile: np.nanpercentile(v, 30.0)
np.average: np.average(m) | np.average(m, axis=0) | np.average(m, axis=1, weights=p) |
    np.average(v, weights=p, returned=True)[0]
np.cumsum: np.cumsum(v) | np.cumsum(m) | np.cumsum(m, axis=1) | np.cumsum(c, axis=-2)
np.cumprod: np.cumprod(v) | np.cumprod(m) | np.cumprod(m, axis=1) | np.cumprod(c, axis=-2)
np.cumulative_sum: np.cumulative_sum(v) | np.cumulative_sum(m, axis=1, include_initial=True)
np.cumulative_prod: np.cumulative_prod(v) | np.cumulative_prod(m, axis=1, include_initial=True)
np.nancumsum: np.nancumsum(v) | np.nancumsum(m, axis=0)
np.nancumprod: np.nancumprod(v) | np.nancumprod(m, axis=0)
np.diff: np.diff(v) | np.diff(m) | np.diff(m, axis=0) | np.diff(c, 2, 1) | np.diff(v, prepend=1.0)
np.ediff1d: np.ediff1d(v) | np.ediff1d(m) | np.ediff1d(v, to_begin=1.0, to_end=p)
np.gradient: np.gradient(v) | np.gradient(v, 0.5) | np.gradient(m, axis=1) | np.gradient(m)[1] |
    np.gradient(m, 0.5, 2.0)[0] | np.gradient(v, [0.0, 1.0, 3.0, 4.0]) | np.gradient(m, axis=(0, 1))[0]
np.trapezoid: np.trapezoid(v) | np.trapezoid(v, dx=0.5) | np.trapezoid(m, p, axis=1) | np.trapezoid(m, axis=0)
np.unwrap: np.unwrap(3.0 * v) | np.unwrap(3.0 * m, axis=0) | np.unwrap(3.0 * v, period=5.0)
np.cov: np.cov(m) | np.cov(v, p) | np.cov(m, rowvar=False, ddof=0) | np.cov(m, aweights=p)
np.corrcoef: np.corrcoef(m) | np.corrcoef(v, p) | np.corrcoef(m, rowvar=False)
np.histogram: np.histogram(i, bins=3, weights=v)[0] | np.histogram(i, 3, (0, 3), weights=v)[0] |
    np.histogram(i, [0, 1, 3], weights=v, density=True)[0]
np.histogram2d: np.histogram2d(i, i, bins=2, weights=v)[0]
np.histogramdd: np.histogramdd((i, i), bins=2, weights=v)[0]
np.bincount: np.bincount(i, weights=v) | np.bincount(i, v, minlength=6)
np.reshape: np.reshape(m, (2, 6)) | np.reshape(m, -1) | np.reshape(m, (4, 3), order='F')
np.ravel: np.ravel(m) | np.ravel(m, order='F')
np.resize: np.resize(v, (2, 3))
np.transpose: np.transpose(m) | np.transpose(c, (1, 2, 0))
np.permute_dims: np.permute_dims(c, (1, 2, 0))
np.matrix_transpose: np.matrix_transpose(c)
np.swapaxes: np.swapaxes(c, 0, 2)
np.moveaxis: np.moveaxis(c, 0, -1) | np.moveaxis(c, (0, 1), (1, 2))
np.rollaxis: np.rollaxis(c, 2) | np.rollaxis(c, 0, 2)
np.expand_dims: np.expand_dims(m, 1) | np.expand_dims(m, (0, 2))
np.squeeze: np.squeeze(m[:, None]) | np.squeeze(m[:, None], axis=1) | np.squeeze(m[None, :, None], (0, 2))
np.atleast_1d: np.atleast_1d(s) | np.atleast_1d(m)
np.atleast_2d: np.atleast_2d(v)
np.atleast_3d: np.atleast_3d(m) | np.atleast_3d(v)
np.broadcast_to: np.broadcast_to(v, (3, 4))
np.broadcast_arrays: np.broadcast_arrays(v, m)[0]
np.concatenate: np.concatenate((v, p)) | np.concatenate((m, q), axis=1) | np.concatenate((m, q), axis=None)
np.concat: np.concat((m, q), axis=-1)
np.stack: np.stack((v, p)) | np.stack([v, p], axis=-1)
np.vstack: np.vstack((v, m)) | np.vstack([v, p])
np.hstack: np.hstack((v, p)) | np.hstack([m, q]) | np.hstack((s, v))
np.dstack: np.dstack((m, m)) | np.dstack((v, p))
np.column_stack: np.column_stack((v, p)) | np.column_stack((h, m))
np.block: np.block([v, p]) | np.block([[m, q], [q, m]]) | np.block([[s, v], [p, s]])
np.append: np.append(v, 2.0) | np.append(m, q, axis=1)
np.insert: np.insert(v, 1, s) | np.insert(m, 1, h, axis=1) | np.insert(v, [1, 3], s)
np.delete: np.delete(v, 1) | np.delete(m, 1, axis=0) | np.delete(v, [0, 2])
np.split: np.split(v, 2)[0] | np.split(v, [1, 3])[1] | np.split(m, 2, axis=-1)[1] | np.split(m, 2, 1)[0]
np.array_split: np.array_split(v, 3)[0] | np.array_split(m, 3, axis=-1)[1]
np.hsplit: np.hsplit(m, 2)[1] | np.hsplit(v, 2)[1]
np.vsplit: np.vsplit(m, 3)[1]
np.dsplit: np.dsplit(c, 2)[1]
np.unstack: np.unstack(m)[1] | np.unstack(m, axis=1)[2]
np.tile: np.tile(v, 3) | np.tile(v, (2, 1)) | np.tile(m, (2, 1, 2))
np.repeat: np.repeat(v, 3) | np.repeat(v, i) | np.repeat(m, 2, axis=0) | np.repeat(m, i, axis=1)
np.roll: np.roll(v, 1) | np.roll(m, -2) | np.roll(m, 1, axis=0) | np.roll(m, (1, 2), axis=(0, 1))
np.flip: np.flip(v) | np.flip(m, 1) | np.flip(c, (0, 2))
np.fliplr: np.fliplr(m)
np.flipud: np.flipud(m)
np.rot90: np.rot90(m) | np.rot90(m, 2) | np.rot90(c, 1, (1, 2))
np.pad: np.pad(v, 2) | np.pad(m, ((1, 2), (0, 1)), constant_values=s) | np.pad(v, (2, 1), mode='edge') |
    np.pad(v, 2, mode='reflect') | np.pad(m, 1, 'symmetric') | np.pad(m, 1, mode='wrap') |
    np.pad(v, 2, mode='mean') | np.pad(v, 2, 'linear_ramp') | np.pad(v, 2, 'maximum')
np.trim_zeros: np.trim_zeros(v)
np.meshgrid: np.meshgrid(v, h)[0] | np.meshgrid(v, h, indexing='ij')[1] | np.meshgrid(v, h, g, s)[2]
np.ix_: m[np.ix_([0, 2], [1, 3])]
np.r_: np.r_[v, 1.0, p] | np.r_[0.0, v[1:]]
np.c_: np.c_[v, p]
np.mgrid: np.mgrid[0:3, 0:4][0] * m | np.mgrid[0:1:4j] * v
np.ogrid: np.ogrid[0:3, 0:4][0] * m
np.s_: m[np.s_[1:, ::2]]
np.take: np.take(v, i) | np.take(m, [0, 2], axis=0) | np.take(m, i, axis=1) | np.take(v, i, mode='wrap')
np.take_along_axis: np.take_along_axis(m, j, 1) | np.take_along_axis(v, i, 0) | np.take_along_axis(q, j % 3, axis=0)
np.compress: np.compress([True, False, True], m, axis=0) | np.compress([True, False, True], v)
np.extract: np.extract(m > 0.0, m)
np.diag: np.diag(v) | np.diag(m) | np.diag(m, 1) | np.diag(v, k=-1)
np.diagflat: np.diagflat(v) | np.diagflat(q, 1)
np.diagonal: np.diagonal(m) | np.diagonal(m, offset=1) | np.diagonal(c, axis1=1, axis2=2)
np.trace: np.trace(q) | np.trace(m, offset=1) | np.trace(b, axis1=1, axis2=2)
np.tril: np.tril(m) | np.tril(m, 1) | np.tril(b, -1)
np.triu: np.triu(m) | np.triu(m, k=1) | np.triu(b)
np.sort: np.sort(v) | np.sort(m) | np.sort(m, axis=0) | np.sort(m, axis=None) | np.sort(c, axis=1) |
    np.sort(v, kind='stable')
np.partition: np.partition(v, 2) | np.partition(m, 1, axis=0)
np.argsort: v[np.argsort(v)] | np.take_along_axis(m, np.argsort(m, axis=1), axis=1) |
    v[np.argsort(-v, kind='stable')]
np.argpartition: np.sum(v[np.argpartition(v, 2)[:2]])
np.lexsort: v[np.lexsort((v, i))]
np.argmax: v[np.argmax(v)] | m[np.arange(3), np.argmax(m, axis=1)]
np.argmin: v[np.argmin(v)] | np.take_along_axis(m, np.argmin(m, axis=1, keepdims=True), 1)
np.nanargmax: v[np.nanargmax(v)]
np.nanargmin: v[np.nanargmin(v)]
np.nonzero: v[np.nonzero(v > 0.0)] | m[np.nonzero(m > 0.0)]
np.flatnonzero: v[np.flatnonzero(v > 0.0)]
np.argwhere: v[np.argwhere(v > 0.0)[:, 0]]
np.searchsorted: v[np.searchsorted([0.0, 1.0, 2.0], u)]
np.digitize: v[np.digitize(u, [-0.5, 0.5])]
np.unique: np.unique(v) | np.unique(v, return_inverse=True)[0]
np.unique_values: np.sort(np.unique_values(v))
np.union1d: np.union1d(v, p)
np.intersect1d: np.intersect1d(v, m)
np.setdiff1d: np.setdiff1d(v, m)
np.setxor1d: np.setxor1d(v, p)
np.sort_complex: np.real(np.sort_complex(v))
np.array: np.array([v, p]) | np.array([[s, 1.0], [s * s, s]]) | np.array(m, dtype=float)
np.asarray: np.asarray([s, s * s]) | np.asarray(m)
np.asanyarray: np.asanyarray([s, s * s])
np.asarray_chkfinite: np.asarray_chkfinite(v)
np.ascontiguousarray: np.ascontiguousarray(m.T)
np.asfortranarray: np.asfortranarray(m)
np.require: np.require(m)
np.astype: np.astype(m, np.float64)
np.full: np.full((2, 3), s) | np.full(4, v) | np.full(3, fill_value=s, dtype=float)
np.full_like: np.full_like(m, s)
np.linspace: np.linspace(s, 2.0, 5) | np.linspace(s, 2.0, 5, endpoint=False) | np.linspace(v, p, 3, axis=1) |
    np.linspace(s, 2.0, 5, dtype=float) | np.linspace(s, 2.0, 5, retstep=True)[1]
np.logspace: np.logspace(s, 1.1, 4) | np.logspace(s, 1.1, 3, endpoint=False, base=2.0)
np.geomspace: np.geomspace(s, 2.1, 4)
np.arange: np.arange(s, 2.9) | np.arange(3.0) * s | np.arange(s, 2.9, 0.5)
np.vander: np.vander(v) | np.vander(v, 3, increasing=True)
np.fromfunction: np.fromfunction(lambda x, y: s * x + y, (2, 3))
np.fromiter: np.fromiter((s * x for x in range(3)), float)
np.ndarray: np.ndarray((4,), float) * 0.0 + v
np.empty: np.empty(4) * 0.0 + v
np.zeros_like: np.zeros_like(v) + v
np.kaiser: np.kaiser(4, s)
np.dot: np.dot(v, p) | np.dot(m, v) | np.dot(q, m) | np.dot(c, k) | np.dot(c, v) | np.dot(s, m)
np.vdot: np.vdot(v, p) | np.vdot(m, m)
np.inner: np.inner(v, p) | np.inner(m, m) | np.inner(c, m)
np.outer: np.outer(v, p) | np.outer(m, v)
np.matmul: np.matmul(q, m) | np.matmul(m, v) | np.matmul(c, k) | np.matmul(b, c)
np.vecdot: np.vecdot(v, p) | np.vecdot(m, v) | np.vecdot(m, m, axis=0)
np.matvec: np.matvec(m, v) | np.matvec(c, v)
np.vecmat: np.vecmat(h, m) | np.vecmat(h, c)
np.tensordot: np.tensordot(m, m) | np.tensordot(q, m, 1) | np.tensordot(c, k, axes=([2], [0])) |
    np.tensordot(c, m, axes=([1, 2], [0, 1])) | np.tensordot(v, p, 0)
np.einsum: np.einsum('ij,j->i', m, v) | np.einsum('ij,jk', q, m) | np.einsum('ii', q) | np.einsum('ij->j', m) |
    np.einsum('bij,bjk->bik', b, c) | np.einsum('i,ij,j->', h, m, v) | np.einsum('...ij,...j->...i', c, v) |
    np.einsum(m, [0, 1], v, [1], [0]) | np.einsum('ij,jk,kl,l->i', q, q, m, v) |
    np.einsum('ij,j->i', m, v, optimize=True)
np.kron: np.kron(v, p) | np.kron(m, q) | np.kron(v, m)
np.cross: np.cross(h, g) | np.cross(b, h) | np.cross(q, e, axisa=0, axisb=1) | np.cross(q, e, axis=0)
np.convolve: np.convolve(v, h) | np.convolve(v, h, 'same') | np.convolve(v, h, mode='valid')
np.correlate: np.correlate(v, h) | np.correlate(v, h, 'full') | np.correlate(h, v, 'same')
np.poly: np.poly(v)
np.polyval: np.polyval(v, s) | np.polyval(v, m)
np.polyadd: np.polyadd(v, h)
np.polysub: np.polysub(v, h)
np.polymul: np.polymul(v, h)
np.polydiv: np.polydiv(v, h)[0]
np.polyder: np.polyder(v) | np.polyder(v, 2)
np.polyint: np.polyint(v) | np.polyint(v, 2) | np.polyint(v, k=1.0)
np.polyfit: np.polyfit(p, v, 2) | np.polyfit(p, v, 1, w=p)
np.roots: np.real(np.sum(np.roots(p) ** 2))
np.polynomial.polynomial.polyval: np.polynomial.polynomial.polyval(s, v)
np.polynomial.polynomial.polyder: np.polynomial.polynomial.polyder(v)
np.polynomial.polynomial.polyint: np.polynomial.polynomial.polyint(v)
np.polynomial.polynomial.polymul: np.polynomial.polynomial.polymul(v, h)
np.polynomial.polynomial.polyadd: np.polynomial.polynomial.polyadd(v, h)
np.polynomial.polynomial.polyvander: np.polynomial.polynomial.polyvander(v, 2)
np.polynomial.polynomial.polyfit: np.polynomial.polynomial.polyfit(p, v, 2)
np.polynomial.chebyshev.chebval: np.polynomial.chebyshev.chebval(u, v) | np.polynomial.chebyshev.chebval(s, v)
np.polynomial.legendre.legval: np.polynomial.legendre.legval(u, v)
np.polynomial.hermite.hermval: np.polynomial.hermite.hermval(u, v)
np.polynomial.hermite_e.hermeval: np.polynomial.hermite_e.hermeval(u, v)
np.polynomial.laguerre.lagval: np.polynomial.laguerre.lagval(u, v)
np.add.at: y = v.copy(); np.add.at(y, [0, 2, 2], h); y
np.subtract.at: y = v.copy(); np.subtract.at(y, [0, 2, 2], h); y
np.multiply.at: y = v.copy(); np.multiply.at(y, [0, 2, 2], h); y
np.copyto: y = m.copy(); np.copyto(y, v); y | y = m.copy(); np.copyto(y, v, where=m > 0.0); y
np.fill_diagonal: y = q.copy(); np.fill_diagonal(y, h); y
np.put: y = v.copy(); np.put(y, [0, 2], s); y
np.put_along_axis: y = m.copy(); np.put_along_axis(y, j[:, :1], s, axis=1); y
np.place: y = v.copy(); np.place(y, v > 0.0, h); y
np.putmask: y = v.copy(); np.putmask(y, v > 0.0, p); y
np.apply_along_axis: np.apply_along_axis(np.sum, 0, m) | np.apply_along_axis(lambda x: x * x, 1, m)
np.apply_over_axes: np.apply_over_axes(np.sum, c, (0, 2))
np.vectorize: np.vectorize(lambda x: x * x)(v)
ufunc.reduce: np.add.reduce(m) | np.multiply.reduce(m, axis=1) | np.maximum.reduce(v) | np.logaddexp.reduce(v)
ufunc.accumulate: np.add.accumulate(m) | np.multiply.accumulate(v) | np.maximum.accumulate(v)
ufunc.outer: np.multiply.outer(v, p) | np.subtract.outer(m, v) | np.add.outer(m, m)
ufunc.reduceat: np.add.reduceat(v, [0, 2])
np.linalg.norm: np.linalg.norm(v) | np.linalg.norm(m) | np.linalg.norm(m, axis=1) | np.linalg.norm(v, 1) |
    np.linalg.norm(v, np.inf) | np.linalg.norm(q, 2) | np.linalg.norm(q, 'nuc') | np.linalg.norm(v, 3) |
    np.linalg.norm(m, 'fro', keepdims=True) | np.linalg.norm(b, axis=(1, 2)) | np.linalg.norm(b, 2, axis=(1, 2)) |
    np.linalg.norm(b, 'nuc', axis=(1, 2))
np.linalg.vector_norm: np.linalg.vector_norm(v) | np.linalg.vector_norm(m, axis=1, ord=3) |
    np.linalg.vector_norm(c, axis=(0, 2), keepdims=True)
np.linalg.matrix_norm: np.linalg.matrix_norm(q) | np.linalg.matrix_norm(b, ord=2) |
    np.linalg.matrix_norm(b, ord='nuc')
np.linalg.det: np.linalg.det(q) | np.linalg.det(b)
np.linalg.slogdet: np.linalg.slogdet(q)[1] | np.linalg.slogdet(b)[1]
np.linalg.inv: np.linalg.inv(q) | np.linalg.inv(b)
np.linalg.pinv: np.linalg.pinv(m) | np.linalg.pinv(q) | np.linalg.pinv(c)
np.linalg.solve: np.linalg.solve(q, h) | np.linalg.solve(q, m) | np.linalg.solve(b, c) | np.linalg.solve(b, h)
np.linalg.lstsq: np.linalg.lstsq(m.T, v, rcond=None)[0]
np.linalg.tensorsolve: np.linalg.tensorsolve(np.reshape(e, (3, 1, 3)), np.reshape(h, (3, 1)))
np.linalg.tensorinv: np.linalg.tensorinv(np.reshape(e, (3, 3, 1)), 1)
np.linalg.cholesky: np.linalg.cholesky(e) | np.linalg.cholesky(d) | np.linalg.cholesky(e, upper=True)
np.linalg.qr: np.abs(np.linalg.qr(q)[1]) | np.abs(np.linalg.qr(m.T)[0]) | np.abs(np.linalg.qr(m)[1]) |
    np.abs(np.linalg.qr(b)[1]) | np.abs(np.linalg.qr(q, mode='r'))
np.linalg.svd: np.linalg.svd(m, compute_uv=False) | np.linalg.svd(m)[1] |
    np.abs(np.linalg.svd(m, full_matrices=False)[0]) | np.abs(np.linalg.svd(m, full_matrices=False)[2]) |
    np.linalg.svd(c)[1] | np.abs(np.linalg.svd(c, full_matrices=False)[2]) | np.abs(np.linalg.svd(m)[2][:3])
np.linalg.svdvals: np.linalg.svdvals(m) | np.linalg.svdvals(c)
np.linalg.eigh: np.linalg.eigh(e)[0] | np.abs(np.linalg.eigh(e)[1]) | np.linalg.eigh(d)[0] |
    np.linalg.eigh(e, UPLO='U')[0]
np.linalg.eigvalsh: np.linalg.eigvalsh(e) | np.linalg.eigvalsh(d) | np.linalg.eigvalsh(e, UPLO='U')
np.linalg.eig: np.sort(np.real(np.linalg.eig(q)[0])) | np.sum(np.abs(np.linalg.eig(q)[1]), axis=1)
np.linalg.eigvals: np.sort(np.real(np.linalg.eigvals(q))) | np.abs(np.linalg.eigvals(b))
np.linalg.cond: np.linalg.cond(q) | np.linalg.cond(q, 1) | np.linalg.cond(b)
np.linalg.matrix_power: np.linalg.matrix_power(q, 3) | np.linalg.matrix_power(q, -2) | np.linalg.matrix_power(b, 3)
np.linalg.multi_dot: np.linalg.multi_dot([q, m, k]) | np.linalg.multi_dot([h, m, v])
np.linalg.matmul: np.linalg.matmul(q, m)
np.linalg.outer: np.linalg.outer(v, p)
np.linalg.tensordot: np.linalg.tensordot(q, m, axes=1)
np.linalg.vecdot: np.linalg.vecdot(v, p)
np.linalg.cross: np.linalg.cross(h, g)
np.linalg.diagonal: np.linalg.diagonal(m) | np.linalg.diagonal(c, offset=1)
np.linalg.trace: np.linalg.trace(q) | np.linalg.trace(b, offset=1)
np.linalg.matrix_transpose: np.linalg.matrix_transpose(c)
np.fft.fft: np.fft.fft(v) | np.fft.fft(m, n=5) | np.fft.fft(m, 3, axis=0) | np.fft.fft(c, axis=1, norm='ortho') |
    np.fft.fft(v, norm='forward')
np.fft.ifft: np.fft.ifft(v) | np.fft.ifft(m, n=5) | np.fft.ifft(m, 3, axis=0) |
    np.fft.ifft(c, axis=1, norm='ortho') | np.fft.ifft(v, norm='forward')
np.fft.rfft: np.fft.rfft(v) | np.fft.rfft(m, n=5) | np.fft.rfft(m, 3, axis=0) |
    np.fft.rfft(c, axis=1, norm='ortho') | np.fft.rfft(v, norm='forward')
np.fft.irfft: np.fft.irfft(v) | np.fft.irfft(m, n=5) | np.fft.irfft(m, 3, axis=0) |
    np.fft.irfft(c, axis=1, norm='ortho') | np.fft.irfft(v, norm='forward')
np.fft.fftfreq: np.fft.fftfreq(5, s) | np.fft.fftfreq(6, d=s)
np.fft.rfftfreq: np.fft.rfftfreq(5, s) | np.fft.rfftfreq(6, d=s)
np.fft.hfft: np.fft.hfft(v) | np.fft.hfft(m, n=5) | np.fft.hfft(m, 3, axis=0) |
    np.fft.hfft(c, axis=1, norm='ortho') | np.fft.hfft(v, norm='forward')
np.fft.ihfft: np.fft.ihfft(v) | np.fft.ihfft(m, n=5) | np.fft.ihfft(m, 3, axis=0) |
    np.fft.ihfft(c, axis=1, norm='ortho') | np.fft.ihfft(v, norm='forward')
np.fft.fft2: np.fft.fft2(m) | np.fft.fft2(c) | np.fft.fft2(c, s=(2, 6), axes=(0, 1)) | np.fft.fft2(m, norm='ortho')
np.fft.ifft2: np.fft.ifft2(m) | np.fft.ifft2(c) | np.fft.ifft2(c, s=(2, 6), axes=(0, 1)) |
    np.fft.ifft2(m, norm='ortho')
np.fft.rfft2: np.fft.rfft2(m) | np.fft.rfft2(c) | np.fft.rfft2(c, s=(2, 6), axes=(0, 1)) |
    np.fft.rfft2(m, norm='ortho')
np.fft.irfft2: np.fft.irfft2(m) | np.fft.irfft2(c) | np.fft.irfft2(c, s=(2, 6), axes=(0, 1)) |
    np.fft.irfft2(m, norm='ortho')
np.fft.fftn: np.fft.fftn(m) | np.fft.fftn(c) | np.fft.fftn(c, s=(2, 6), axes=(0, 1)) | np.fft.fftn(m, norm='ortho')
np.fft.ifftn: np.fft.ifftn(m) | np.fft.ifftn(c) | np.fft.ifftn(c, s=(2, 6), axes=(0, 1)) |
    np.fft.ifftn(m, norm='ortho')
np.fft.rfftn: np.fft.rfftn(m) | np.fft.rfftn(c) | np.fft.rfftn(c, s=(2, 6), axes=(0, 1)) |
    np.fft.rfftn(m, norm='ortho')
np.fft.irfftn: np.fft.irfftn(m) | np.fft.irfftn(c) | np.fft.irfftn(c, s=(2, 6), axes=(0, 1)) |
    np.fft.irfftn(m, norm='ortho')
np.fft.fftshift: np.fft.fftshift(v) | np.fft.fftshift(m, axes=1) | np.fft.fftshift(m)
np.fft.ifftshift: np.fft.ifftshift(v) | np.fft.ifftshift(m, axes=(0,))
x.sum: m.sum() | m.sum(axis=0) | c.sum(axis=(0, 2), keepdims=True)
x.mean: m.mean() | m.mean(axis=0) | c.mean(axis=(0, 2), keepdims=True)
x.prod: m.prod() | m.prod(axis=0) | c.prod(axis=(0, 2), keepdims=True)
x.max: m.max() | m.max(axis=0) | c.max(axis=(0, 2), keepdims=True)
x.min: m.min() | m.min(axis=0) | c.min(axis=(0, 2), keepdims=True)
x.var: m.var() | m.var(axis=0) | c.var(axis=(0, 2), keepdims=True)
x.std: m.std() | m.std(axis=0) | c.std(axis=(0, 2), keepdims=True)
x.astype: m.astype(np.float64) | m.astype(float)
x.choose: (i % 2).choose([v, p])
x.clip: v.clip(-0.5, 0.7) | v.clip(min=0.0)
x.compress: m.compress([True, False, True], axis=0)
x.conj: v.conj()
x.conjugate: v.conjugate()
x.copy: m.copy()
x.cumprod: m.cumprod(axis=1)
x.cumsum: m.cumsum(axis=1)
x.diagonal: m.diagonal(1)
x.dot: m.dot(v)
x.flatten: m.flatten() | m.flatten('F')
x.item: m.item(3) | m.item(1, 2)
x.imag: v.imag
x.ravel: m.ravel() | m.ravel('F')
x.real: v.real
x.repeat: v.repeat(2) | m.repeat(2, axis=0)
x.reshape: m.reshape(2, 6) | m.reshape((2, -1)) | m.reshape(4, 3, order='F')
x.squeeze: m[:, None].squeeze(axis=1) | m[:, None].squeeze()
x.swapaxes: m.swapaxes(0, 1)
x.T: m.T
x.mT: c.mT
x.take: m.take([0, 2], axis=0) | v.take(i)
x.tolist: np.array(v.tolist())
x.trace: q.trace()
x.transpose: c.transpose(1, 2, 0) | m.transpose()
x.flat: sum([a * a for a in m.flat])
x.view: m.view()
x.fill: y = m.copy(); y.fill(s); y
x.put: y = v.copy(); y.put([0, 2], s); y
x.round: v.round(1) * v
x.sort: y = m.copy(); y.sort(axis=0); y | y = v.copy(); y.sort(); y
x.partition: y = v.copy(); y.partition(2); y
x.shape = ...: y = m.copy(); y.shape = (2, 6); y
x[...] = ...: y = m.copy(); y[1] = v; y | y = m.copy(); y[m > 0.0] = s; y | y = m.copy(); y[:, 0] += h; y
x[...]: m[1] | m[::2, -1] | m[[0, 0, 2]] | m[m > 0.0] | c[:, None, ..., 1] | c[c > 0.0] | b[:, [0, 1], [1, 2]]
@: q @ m | m @ v | c @ k | b @ c | c @ v | h @ m
"""

_WITHOUT_DERIVATIVE = """\
results are truth values:
    np.all np.any np.allclose np.array_equal np.array_equiv np.equal np.not_equal np.greater np.greater_equal
    np.less np.less_equal np.logical_and np.logical_not np.logical_or np.logical_xor np.isclose np.isfinite
    np.isinf np.isnan np.isneginf np.isposinf np.isreal np.iscomplex np.isin np.signbit np.isnat np.is_busday
results are integers, and positions:
    np.count_nonzero np.bitwise_and np.bitwise_count np.bitwise_invert np.bitwise_left_shift np.bitwise_not
    np.bitwise_or np.bitwise_right_shift np.bitwise_xor np.invert np.left_shift np.right_shift np.gcd np.lcm
    np.packbits np.unpackbits np.diag_indices np.diag_indices_from np.indices np.mask_indices np.tril_indices
    np.tril_indices_from np.triu_indices np.triu_indices_from np.ravel_multi_index np.unravel_index
    np.unique_counts np.unique_inverse np.unique_all np.linalg.matrix_rank np.histogram_bin_edges
results are neighbours among floating-point numbers:
    np.nextafter
results do not depend on numbers that vary:
    np.zeros np.ones np.ones_like np.empty_like np.eye np.identity np.tri np.bartlett np.blackman np.hamming
    np.hanning np.spacing
about shapes, types and memory:
    np.broadcast_shapes np.can_cast np.common_type np.einsum_path np.iscomplexobj np.isdtype np.isfortran
    np.isrealobj np.isscalar np.issubdtype np.iterable np.may_share_memory np.min_scalar_type np.mintypecode
    np.ndim np.promote_types np.result_type np.shape np.shares_memory np.size np.typename
texts, files, dates and settings:
    np.array2string np.array_repr np.array_str np.base_repr np.binary_repr np.busday_count np.busday_offset
    np.datetime_as_string np.datetime_data np.format_float_positional np.format_float_scientific np.from_dlpack
    np.frombuffer np.fromfile np.fromregex np.fromstring np.genfromtxt np.get_include np.get_printoptions
    np.getbufsize np.geterr np.geterrcall np.info np.load np.loadtxt np.printoptions np.save np.savetxt np.savez
    np.savez_compressed np.set_printoptions np.setbufsize np.seterr np.seterrcall np.show_config np.show_runtime
classes that NumPy advises against, old names, and tools:
    np.asmatrix np.bmat np.row_stack np.frompyfunc np.nested_iters
"""


def _entries(text: str) -> dict[str, str]:
    r"""What follows each name; lines that begin with spaces continue the one before.

    >>> _entries("np.sin: np.sin(v)\nnp.sum: np.sum(v) |\n    np.sum(m)\n")
    {'np.sin': 'np.sin(v)', 'np.sum': 'np.sum(v) | np.sum(m)'}
    """
    found: dict[str, str] = {}
    name = ""
    for line in text.splitlines():
        if not line.startswith(" "):
            name, _, line = line.partition(":")
        found[name] = f"{found.get(name, '')} {line.strip()}".strip()
    return found


CALLS: Mapping[str, tuple[str, ...]] = {
    name: tuple(each.strip() for each in calls.split(" | ")) for name, calls in _entries(_CALLS).items()
}
"""Expressions to try, by the name that they are for; several statements are separated by semicolons."""

WITHOUT_DERIVATIVE: Mapping[str, str] = _entries(_WITHOUT_DERIVATIVE)
"""Names that have no derivative, by the reason."""

OTHERS: Mapping[str, frozenset[str]] = {
    library: frozenset(text for texts in CALLS.values() for text in texts if text not in missing)
    for library, missing in NOT_DIFFERENTIATED.items()
}
"""The calls that other libraries differentiate, by library: they were tried once, at the same points."""
