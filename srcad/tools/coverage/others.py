"""Calls of `calls` that other libraries do not differentiate, by library.

They were tried at the same points, with autograd 1.9.1 and JAX 0.10.2: those that raised an exception, or gave zeros.
"""

from __future__ import annotations

from collections.abc import Mapping

_AUTOGRAD = """\
np.positive(v) | np.imag(v) | np.angle(v) | np.cbrt(v) | np.i0(v) | np.copy(v) | np.copysign(v, p) |
np.copysign(m, v) | np.fmod(v, p) | np.fmod(m, v) | np.ptp(m) | np.ptp(m, axis=0) | np.ptp(c, axis=(0, -1)) |
np.ptp(c, axis=1, keepdims=True) | np.ptp(m, None) | np.nansum(m) | np.nansum(m, axis=0) |
np.nansum(c, axis=(0, -1)) | np.nansum(c, axis=1, keepdims=True) | np.nansum(m, None) | np.nanmean(m) |
np.nanmean(m, axis=0) | np.nanmean(c, axis=(0, -1)) | np.nanmean(c, axis=1, keepdims=True) | np.nanmean(m, None) |
np.nanprod(m) | np.nanprod(m, axis=0) | np.nanprod(c, axis=(0, -1)) | np.nanprod(c, axis=1, keepdims=True) |
np.nanprod(m, None) | np.nanmax(m) | np.nanmax(m, axis=0) | np.nanmax(c, axis=(0, -1)) |
np.nanmax(c, axis=1, keepdims=True) | np.nanmax(m, None) | np.nanmin(m) | np.nanmin(m, axis=0) |
np.nanmin(c, axis=(0, -1)) | np.nanmin(c, axis=1, keepdims=True) | np.nanmin(m, None) | np.nanvar(m) |
np.nanvar(m, axis=0) | np.nanvar(c, axis=(0, -1)) | np.nanvar(c, axis=1, keepdims=True) | np.nanvar(m, None) |
np.nanvar(m, axis=1, ddof=1) | np.nanstd(m) | np.nanstd(m, axis=0) | np.nanstd(c, axis=(0, -1)) |
np.nanstd(c, axis=1, keepdims=True) | np.nanstd(m, None) | np.nanstd(m, axis=1, ddof=1) | np.float_power(p, v) |
np.divmod(v, p)[1] | np.modf(v)[0] | np.frexp(v)[0] | np.ldexp(v, i) | np.heaviside(v, 0.5) * v |
np.clip(v, None, p) | np.where(m > 0.0, v, 2.0) | np.choose(i % 2, [v, p]) |
np.piecewise(v, [v > 0.0, v < -0.5], [np.sin, lambda x: x * x, 2.0]) | np.interp(u, [-1.0, 0.1, 1.0], h) |
np.interp(u, [-1.0, 0.1, 1.0], h, left=1.0, period=None) | np.median(v) | np.median(m, axis=1) |
np.median(m, axis=0, keepdims=True) | np.quantile(v, 0.3) | np.quantile(m, [0.2, 0.7], axis=1) |
np.quantile(v, 0.3, method='lower') | np.percentile(v, 30.0) | np.percentile(m, 62.5, axis=0, keepdims=True) |
np.nanmedian(v) | np.nanmedian(m, axis=1) | np.nanquantile(v, 0.3) | np.nanquantile(m, 0.3, axis=1) |
np.nanpercentile(v, 30.0) | np.average(m) | np.average(m, axis=0) | np.average(m, axis=1, weights=p) |
np.average(v, weights=p, returned=True)[0] | np.cumprod(v) | np.cumprod(m) | np.cumprod(m, axis=1) |
np.cumprod(c, axis=-2) | np.cumulative_sum(v) | np.cumulative_sum(m, axis=1, include_initial=True) |
np.cumulative_prod(v) | np.cumulative_prod(m, axis=1, include_initial=True) | np.nancumsum(v) |
np.nancumsum(m, axis=0) | np.nancumprod(v) | np.nancumprod(m, axis=0) | np.diff(v, prepend=1.0) | np.ediff1d(v) |
np.ediff1d(m) | np.ediff1d(v, to_begin=1.0, to_end=p) | np.gradient(v, 0.5) | np.gradient(m)[1] |
np.gradient(m, 0.5, 2.0)[0] | np.gradient(v, [0.0, 1.0, 3.0, 4.0]) | np.gradient(m, axis=(0, 1))[0] |
np.trapezoid(v) | np.trapezoid(v, dx=0.5) | np.trapezoid(m, p, axis=1) | np.trapezoid(m, axis=0) |
np.unwrap(3.0 * v) | np.unwrap(3.0 * m, axis=0) | np.unwrap(3.0 * v, period=5.0) | np.cov(m) | np.cov(v, p) |
np.cov(m, rowvar=False, ddof=0) | np.cov(m, aweights=p) | np.corrcoef(m) | np.corrcoef(v, p) |
np.corrcoef(m, rowvar=False) | np.histogram(i, bins=3, weights=v)[0] | np.histogram(i, 3, (0, 3), weights=v)[0] |
np.histogram(i, [0, 1, 3], weights=v, density=True)[0] | np.histogram2d(i, i, bins=2, weights=v)[0] |
np.histogramdd((i, i), bins=2, weights=v)[0] | np.bincount(i, weights=v) | np.bincount(i, v, minlength=6) |
np.resize(v, (2, 3)) | np.matrix_transpose(c) | np.broadcast_to(v, (3, 4)) | np.broadcast_arrays(v, m)[0] |
np.concatenate((m, q), axis=None) | np.concat((m, q), axis=-1) | np.dstack((m, m)) | np.dstack((v, p)) |
np.block([v, p]) | np.block([[m, q], [q, m]]) | np.block([[s, v], [p, s]]) | np.insert(v, 1, s) |
np.insert(m, 1, h, axis=1) | np.insert(v, [1, 3], s) | np.delete(v, 1) | np.delete(m, 1, axis=0) |
np.delete(v, [0, 2]) | np.hsplit(v, 2)[1] | np.unstack(m)[1] | np.unstack(m, axis=1)[2] | np.repeat(v, i) |
np.repeat(m, i, axis=1) | np.roll(m, (1, 2), axis=(0, 1)) | np.flip(v) | np.flip(m, 1) | np.flip(c, (0, 2)) |
np.rot90(c, 1, (1, 2)) | np.pad(v, 2) | np.pad(m, ((1, 2), (0, 1)), constant_values=s) |
np.pad(v, (2, 1), mode='edge') | np.pad(v, 2, mode='reflect') | np.pad(m, 1, 'symmetric') |
np.pad(m, 1, mode='wrap') | np.pad(v, 2, mode='mean') | np.pad(v, 2, 'linear_ramp') | np.pad(v, 2, 'maximum') |
np.trim_zeros(v) | np.meshgrid(v, h)[0] | np.meshgrid(v, h, indexing='ij')[1] | np.meshgrid(v, h, g, s)[2] |
np.mgrid[0:3, 0:4][0] * m | np.mgrid[0:1:4j] * v | np.ogrid[0:3, 0:4][0] * m | m[np.s_[1:, ::2]] | np.take(v, i) |
np.take(m, [0, 2], axis=0) | np.take(m, i, axis=1) | np.take(v, i, mode='wrap') | np.take_along_axis(m, j, 1) |
np.take_along_axis(v, i, 0) | np.take_along_axis(q, j % 3, axis=0) | np.compress([True, False, True], m, axis=0) |
np.compress([True, False, True], v) | np.extract(m > 0.0, m) | np.diag(m) | np.diag(m, 1) | np.diagflat(v) |
np.diagflat(q, 1) | np.diagonal(m) | np.diagonal(m, offset=1) | np.diagonal(c, axis1=1, axis2=2) |
np.trace(b, axis1=1, axis2=2) | np.sort(m) | np.sort(m, axis=0) | np.sort(m, axis=None) | np.sort(c, axis=1) |
np.partition(m, 1, axis=0) | np.take_along_axis(m, np.argsort(m, axis=1), axis=1) |
np.take_along_axis(m, np.argmin(m, axis=1, keepdims=True), 1) | v[np.nanargmax(v)] | v[np.nanargmin(v)] |
v[np.digitize(u, [-0.5, 0.5])] | np.unique(v) | np.unique(v, return_inverse=True)[0] |
np.sort(np.unique_values(v)) | np.union1d(v, p) | np.intersect1d(v, m) | np.setdiff1d(v, m) | np.setxor1d(v, p) |
np.real(np.sort_complex(v)) | np.asarray([s, s * s]) | np.asarray(m) | np.asanyarray([s, s * s]) |
np.asarray_chkfinite(v) | np.ascontiguousarray(m.T) | np.asfortranarray(m) | np.require(m) |
np.full(3, fill_value=s, dtype=float) | np.full_like(m, s) | np.linspace(s, 2.0, 5, endpoint=False) |
np.linspace(v, p, 3, axis=1) | np.linspace(s, 2.0, 5, dtype=float) | np.linspace(s, 2.0, 5, retstep=True)[1] |
np.logspace(s, 1.1, 4) | np.logspace(s, 1.1, 3, endpoint=False, base=2.0) | np.geomspace(s, 2.1, 4) |
np.arange(s, 2.9) | np.arange(s, 2.9, 0.5) | np.vander(v) | np.vander(v, 3, increasing=True) |
np.fromiter((s * x for x in range(3)), float) | np.kaiser(4, s) | np.vdot(v, p) | np.vdot(m, m) | np.outer(m, v) |
np.vecdot(v, p) | np.vecdot(m, v) | np.vecdot(m, m, axis=0) | np.matvec(m, v) | np.matvec(c, v) | np.vecmat(h, m) |
np.vecmat(h, c) | np.einsum('ii', q) | np.cross(b, h) | np.convolve(v, h) | np.convolve(v, h, 'same') |
np.convolve(v, h, mode='valid') | np.correlate(v, h) | np.correlate(v, h, 'full') | np.correlate(h, v, 'same') |
np.poly(v) | np.polyval(v, s) | np.polyval(v, m) | np.polyadd(v, h) | np.polysub(v, h) | np.polymul(v, h) |
np.polydiv(v, h)[0] | np.polyder(v) | np.polyder(v, 2) | np.polyint(v) | np.polyint(v, 2) | np.polyint(v, k=1.0) |
np.polyfit(p, v, 2) | np.polyfit(p, v, 1, w=p) | np.real(np.sum(np.roots(p) ** 2)) |
np.polynomial.polynomial.polyval(s, v) | np.polynomial.polynomial.polyder(v) | np.polynomial.polynomial.polyint(v) |
np.polynomial.polynomial.polymul(v, h) | np.polynomial.polynomial.polyadd(v, h) |
np.polynomial.polynomial.polyvander(v, 2) | np.polynomial.polynomial.polyfit(p, v, 2) |
np.polynomial.chebyshev.chebval(u, v) | np.polynomial.chebyshev.chebval(s, v) |
np.polynomial.legendre.legval(u, v) | np.polynomial.hermite.hermval(u, v) | np.polynomial.hermite_e.hermeval(u, v) |
np.polynomial.laguerre.lagval(u, v) | y = v.copy(); np.add.at(y, [0, 2, 2], h); y |
y = v.copy(); np.subtract.at(y, [0, 2, 2], h); y | y = v.copy(); np.multiply.at(y, [0, 2, 2], h); y |
y = m.copy(); np.copyto(y, v); y | y = m.copy(); np.copyto(y, v, where=m > 0.0); y |
y = q.copy(); np.fill_diagonal(y, h); y | y = v.copy(); np.put(y, [0, 2], s); y |
y = m.copy(); np.put_along_axis(y, j[:, :1], s, axis=1); y | y = v.copy(); np.place(y, v > 0.0, h); y |
y = v.copy(); np.putmask(y, v > 0.0, p); y | np.apply_along_axis(np.sum, 0, m) |
np.apply_along_axis(lambda x: x * x, 1, m) | np.apply_over_axes(np.sum, c, (0, 2)) |
np.vectorize(lambda x: x * x)(v) | np.add.reduce(m) | np.multiply.reduce(m, axis=1) | np.maximum.reduce(v) |
np.logaddexp.reduce(v) | np.add.accumulate(m) | np.multiply.accumulate(v) | np.maximum.accumulate(v) |
np.multiply.outer(v, p) | np.subtract.outer(m, v) | np.add.outer(m, m) | np.add.reduceat(v, [0, 2]) |
np.linalg.norm(v, 1) | np.linalg.norm(q, 2) | np.linalg.norm(b, 2, axis=(1, 2)) | np.linalg.vector_norm(v) |
np.linalg.vector_norm(m, axis=1, ord=3) | np.linalg.vector_norm(c, axis=(0, 2), keepdims=True) |
np.linalg.matrix_norm(q) | np.linalg.matrix_norm(b, ord=2) | np.linalg.matrix_norm(b, ord='nuc') |
np.linalg.solve(b, h) | np.linalg.lstsq(m.T, v, rcond=None)[0] |
np.linalg.tensorsolve(np.reshape(e, (3, 1, 3)), np.reshape(h, (3, 1))) |
np.linalg.tensorinv(np.reshape(e, (3, 3, 1)), 1) | np.linalg.cholesky(e, upper=True) | np.abs(np.linalg.qr(q)[1]) |
np.abs(np.linalg.qr(m.T)[0]) | np.abs(np.linalg.qr(m)[1]) | np.abs(np.linalg.qr(b)[1]) |
np.abs(np.linalg.qr(q, mode='r')) | np.linalg.svd(m)[1] | np.linalg.svd(c)[1] | np.abs(np.linalg.svd(m)[2][:3]) |
np.linalg.svdvals(m) | np.linalg.svdvals(c) | np.linalg.eigvalsh(e) | np.linalg.eigvalsh(d) |
np.linalg.eigvalsh(e, UPLO='U') | np.sort(np.real(np.linalg.eigvals(q))) | np.abs(np.linalg.eigvals(b)) |
np.linalg.cond(q) | np.linalg.cond(q, 1) | np.linalg.cond(b) | np.linalg.matrix_power(q, 3) |
np.linalg.matrix_power(q, -2) | np.linalg.matrix_power(b, 3) | np.linalg.multi_dot([q, m, k]) |
np.linalg.matmul(q, m) | np.linalg.outer(v, p) | np.linalg.tensordot(q, m, axes=1) | np.linalg.vecdot(v, p) |
np.linalg.cross(h, g) | np.linalg.diagonal(m) | np.linalg.diagonal(c, offset=1) | np.linalg.trace(q) |
np.linalg.trace(b, offset=1) | np.linalg.matrix_transpose(c) | np.fft.rfft(m, 3, axis=0) |
np.fft.rfft(c, axis=1, norm='ortho') | np.fft.irfft(m, n=5) | np.fft.irfft(m, 3, axis=0) | np.fft.hfft(v) |
np.fft.hfft(m, n=5) | np.fft.hfft(m, 3, axis=0) | np.fft.hfft(c, axis=1, norm='ortho') |
np.fft.hfft(v, norm='forward') | np.fft.ihfft(v) | np.fft.ihfft(m, n=5) | np.fft.ihfft(m, 3, axis=0) |
np.fft.ihfft(c, axis=1, norm='ortho') | np.fft.ihfft(v, norm='forward') | (i % 2).choose([v, p]) | v.clip(min=0.0) |
m.compress([True, False, True], axis=0) | v.conj() | v.conjugate() | m.copy() | m.cumprod(axis=1) | m.diagonal(1) |
m.dot(v) | m.item(3) | m.item(1, 2) | v.imag | v.real | c.mT | m.take([0, 2], axis=0) | v.take(i) |
np.array(v.tolist()) | c.transpose(1, 2, 0) | sum([a * a for a in m.flat]) | m.view() | y = m.copy(); y.fill(s); y |
y = v.copy(); y.put([0, 2], s); y | y = m.copy(); y.sort(axis=0); y | y = v.copy(); y.sort(); y |
y = v.copy(); y.partition(2); y | y = m.copy(); y.shape = (2, 6); y | y = m.copy(); y[1] = v; y |
y = m.copy(); y[m > 0.0] = s; y | y = m.copy(); y[:, 0] += h; y
"""

_JAX = """\
np.imag(v) | np.angle(v) | np.real_if_close(v) | np.fix(v) * v |
np.clip(m, a_min=-0.5, a_max=None) | np.interp(u, [-1.0, 0.1, 1.0], h) |
np.interp(u, [-1.0, 0.1, 1.0], h, left=1.0, period=None) | np.quantile(m, [0.2, 0.7], axis=1) |
np.gradient(v, [0.0, 1.0, 3.0, 4.0]) | np.histogram(i, [0, 1, 3], weights=v, density=True)[0] |
np.histogramdd((i, i), bins=2, weights=v)[0] | np.insert(v, [1, 3], s) | np.delete(v, [0, 2]) |
np.meshgrid(v, h, g, s)[2] | m[np.ix_([0, 2], [1, 3])] | np.take(m, [0, 2], axis=0) |
np.compress([True, False, True], m, axis=0) | np.compress([True, False, True], v) | np.sort(v, kind='stable') |
v[np.argsort(-v, kind='stable')] | v[np.searchsorted([0.0, 1.0, 2.0], u)] | v[np.digitize(u, [-0.5, 0.5])] |
np.unique(v) | np.unique(v, return_inverse=True)[0] | np.sort(np.unique_values(v)) | np.union1d(v, p) |
np.intersect1d(v, m) | np.setdiff1d(v, m) | np.setxor1d(v, p) | np.asanyarray([s, s * s]) |
np.asarray_chkfinite(v) | np.ascontiguousarray(m.T) | np.asfortranarray(m) | np.require(m) | np.arange(s, 2.9) |
np.arange(s, 2.9, 0.5) | np.fromiter((s * x for x in range(3)), float) | np.ndarray((4,), float) * 0.0 + v |
np.polynomial.polynomial.polyval(s, v) | np.polynomial.polynomial.polyder(v) | np.polynomial.polynomial.polyint(v) |
np.polynomial.polynomial.polymul(v, h) | np.polynomial.polynomial.polyadd(v, h) |
np.polynomial.polynomial.polyvander(v, 2) | np.polynomial.polynomial.polyfit(p, v, 2) |
np.polynomial.chebyshev.chebval(u, v) | np.polynomial.chebyshev.chebval(s, v) |
np.polynomial.legendre.legval(u, v) | np.polynomial.hermite.hermval(u, v) | np.polynomial.hermite_e.hermeval(u, v) |
np.polynomial.laguerre.lagval(u, v) | y = v.copy(); np.add.at(y, [0, 2, 2], h); y |
y = v.copy(); np.subtract.at(y, [0, 2, 2], h); y | y = v.copy(); np.multiply.at(y, [0, 2, 2], h); y |
y = m.copy(); np.copyto(y, v); y | y = m.copy(); np.copyto(y, v, where=m > 0.0); y |
y = q.copy(); np.fill_diagonal(y, h); y | y = v.copy(); np.put(y, [0, 2], s); y |
y = m.copy(); np.put_along_axis(y, j[:, :1], s, axis=1); y | y = v.copy(); np.place(y, v > 0.0, h); y |
y = v.copy(); np.putmask(y, v > 0.0, p); y | np.add.reduceat(v, [0, 2]) | np.linalg.svd(m)[1] |
np.linalg.svd(c)[1] | np.abs(np.linalg.svd(m)[2][:3]) | np.sort(np.real(np.linalg.eig(q)[0])) |
np.sum(np.abs(np.linalg.eig(q)[1]), axis=1) | m.compress([True, False, True], axis=0) | m.item(3) | m.item(1, 2) |
v.imag | m.take([0, 2], axis=0) | np.array(v.tolist()) | sum([a * a for a in m.flat]) | y = m.copy(); y.fill(s); y |
y = v.copy(); y.put([0, 2], s); y | y = v.copy(); y.partition(2); y | y = m.copy(); y.shape = (2, 6); y |
y = m.copy(); y[1] = v; y | y = m.copy(); y[m > 0.0] = s; y | y = m.copy(); y[:, 0] += h; y | m[[0, 0, 2]]
"""

NOT_DIFFERENTIATED: Mapping[str, frozenset[str]] = {
    library: frozenset(" ".join(text.split("\n")).strip().split(" | "))
    for library, text in (("autograd", _AUTOGRAD), ("JAX", _JAX))
}
