"""Definitions of filters of `scipy.signal` that run forth and back, of smoothing, resampling and responses."""

from __future__ import annotations

import numpy as np
import scipy.signal

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined, zero
from srcad.runtime.rulebook.theorems import NoRule
from srcad.runtime.rules.scipy.signal.spectra import _beyond_ends

NO_GUST = NoRule("filtfilt by Gustafsson's method", 'pass method="pad"')
NO_FIR = NoRule("decimate by a filter other than iir", "filter with upfirdn")
NO_WINDOW = NoRule("resample with a window, with times, or of a spectrum", "multiply the transform by the window")
NO_PLOT = NoRule("a response that is plotted", "leave `plot` out")

zero(kernels.scipy.smoothing_weights, kernels.scipy.smoothing_ends, kernels.scipy.trend_projection)
zero(kernels.scipy.sections_edge, kernels.scipy.decimation_sections)
zero(
    *(scipy.signal.windows.hann, scipy.signal.windows.hamming, scipy.signal.windows.blackman),
    *(scipy.signal.windows.boxcar, scipy.signal.windows.bartlett, scipy.signal.windows.blackmanharris),
    *(scipy.signal.windows.nuttall, scipy.signal.windows.flattop, scipy.signal.windows.cosine),
    *(scipy.signal.windows.parzen, scipy.signal.windows.bohman, scipy.signal.windows.triang),
)


@inlined
def _forth_and_back(b, a, x, count):
    """A filter that begins as if the first element had come for ever, forth and back, without so many at both ends."""
    held = scipy.signal.lfilter_zi(b, a)
    forth, _ = kernels.scipy.filtered_from(b, a, x, held * x[..., :1])
    turned = kernels.scipy.turned_round(forth)
    back, _ = kernels.scipy.filtered_from(b, a, turned, held * turned[..., :1])
    return kernels.scipy.turned_round(back)[..., count : x.shape[-1] - count]


@define(scipy.signal.filtfilt)
def filtfilt(b, a, x, axis=-1, padtype="odd", padlen=None, method="pad", irlen=None):
    if method != "pad":
        NO_GUST()
    above, below = np.atleast_1d(1.0 * np.asarray(b)), np.atleast_1d(1.0 * np.asarray(a))
    along = np.moveaxis(x, axis, -1)
    count = 3 * max(above.shape[0], below.shape[0]) if padlen is None else padlen
    if padtype is None:
        return np.moveaxis(_forth_and_back(above, below, along, 0), -1, axis)
    return np.moveaxis(_forth_and_back(above, below, _beyond_ends(along, count, padtype), count), -1, axis)


@define(scipy.signal.sosfilt_zi)
def sosfilt_zi(sos):
    found, scale = [], 1.0
    for section in range(sos.shape[0]):
        found.append(scale * scipy.signal.lfilter_zi(sos[section, :3], sos[section, 3:]))
        scale = scale * np.sum(sos[section, :3]) / np.sum(sos[section, 3:])
    return np.stack(found)


@inlined
def _sections_from(sos, x, held):
    """Sections one after the other, each from what it holds: a row of `held` times the first element."""
    y, first = x, x[..., :1]
    for section in range(sos.shape[0]):
        y, _ = kernels.scipy.filtered_from(sos[section, :3], sos[section, 3:], y, held[section] * first)
    return y


@define(scipy.signal.sosfiltfilt)
def sosfiltfilt(sos, x, axis=-1, padtype="odd", padlen=None):
    along = np.moveaxis(x, axis, -1)
    count = kernels.scipy.sections_edge(sos) if padlen is None else padlen
    longer = _beyond_ends(along, count, padtype)
    held = scipy.signal.sosfilt_zi(sos)
    turned = kernels.scipy.turned_round(_sections_from(sos, longer, held))
    back = kernels.scipy.turned_round(_sections_from(sos, turned, held))
    return np.moveaxis(back[..., count : longer.shape[-1] - count], -1, axis)


@define(scipy.signal.decimate)
def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    if ftype != "iir":
        NO_FIR()
    sections = kernels.scipy.decimation_sections(n, q)
    along = np.moveaxis(x, axis, -1)
    y = scipy.signal.sosfiltfilt(sections, along) if zero_phase else scipy.signal.sosfilt(sections, along)
    return np.moveaxis(y[..., ::q], -1, axis)


@define(scipy.signal.savgol_filter)
def savgol_filter(x, window_length, polyorder, deriv=0, delta=1.0, axis=-1, mode="interp", cval=0.0):
    along = np.moveaxis(1.0 * np.asarray(x), axis, -1)
    if np.iscomplexobj(along):  # SciPy drops the imaginary parts
        raise NotImplementedError("scipy.signal.savgol_filter of complex numbers: filter real and imaginary parts")
    weights = kernels.scipy.smoothing_weights(window_length, polyorder, deriv, 1.0)
    half = window_length // 2
    if mode != "interp":
        around = kernels.scipy.extended(along, -1, window_length - 1 - half, half, mode, cval)
        return np.moveaxis(kernels.scipy.correlated_along(around, weights[::-1], -1), -1, axis) / delta**deriv
    inner = kernels.scipy.correlated_along(along, weights[::-1], -1)
    start = kernels.scipy.smoothing_ends(window_length, polyorder, deriv, 1.0, False)
    end = kernels.scipy.smoothing_ends(window_length, polyorder, deriv, 1.0, True)
    first, last = along[..., :window_length], along[..., along.shape[-1] - window_length :]
    inner = inner[..., (1 if window_length % 2 == 0 else 0) :]
    y = np.concatenate((first @ np.transpose(start), inner, last @ np.transpose(end)), axis=-1)
    return np.moveaxis(y, -1, axis) / delta**deriv


@define(scipy.signal.resample)
def resample(x, num, t=None, axis=0, window=None, domain="time"):
    if t is not None or window is not None or domain != "time":
        NO_WINDOW()
    along = np.moveaxis(x, axis, -1)
    size = along.shape[-1]
    less = min(num, size)
    weights = np.ones(less // 2 + 1)
    if less % 2 == 0 and num != size:
        weights[less // 2] = 2.0 if num < size else 0.5
    spectrum = np.fft.rfft(along)[..., : less // 2 + 1] * weights
    return np.moveaxis(np.fft.irfft(spectrum, num) * (num / size), -1, axis)


@define(scipy.signal.upfirdn)
def upfirdn(h, x, up=1, down=1, axis=-1, mode="constant", cval=0):
    if mode != "constant" or cval != 0:
        raise NotImplementedError("scipy.signal.upfirdn beyond the ends of the signal: extend it by np.pad before")
    along = np.moveaxis(x, axis, -1)
    if up > 1:
        zeros = np.zeros(along.shape + (up - 1,))
        spread = np.reshape(np.concatenate((along[..., None], zeros), axis=-1), along.shape[:-1] + (-1,))
        along = spread[..., : (along.shape[-1] - 1) * up + 1]
    return np.moveaxis(kernels.scipy.convolved_along(along, 1.0 * np.asarray(h), -1)[..., ::down], -1, axis)


@inlined
def _response(coefficients, w):
    """The polynomial in exp(-i w)."""
    return np.exp(-1j * np.reshape(w, (-1, 1)) * np.arange(coefficients.shape[0])) @ (coefficients + 0j)


@define(scipy.signal.freqz)
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=6.283185307179586, include_nyquist=False):
    if plot is not None:
        NO_PLOT()
    scale = 6.283185307179586 / fs
    if np.ndim(worN) == 0:
        last = 6.283185307179586 if whole else 3.141592653589793
        w = np.linspace(0.0, last, worN, endpoint=include_nyquist and not whole)
    else:
        w = np.asarray(worN) * scale
    above, below = np.atleast_1d(1.0 * np.asarray(b)), np.atleast_1d(1.0 * np.asarray(a))
    return w / scale, _response(above, w) / _response(below, w)


@define(scipy.signal.deconvolve)
def deconvolve(signal, divisor):
    size = signal.shape[0] - divisor.shape[0] + 1
    if size < 1:
        return np.zeros(0), signal
    impulse = np.zeros(size)
    impulse[0] = 1.0
    quotient = scipy.signal.lfilter(signal, divisor, impulse)
    return quotient, signal - kernels.scipy.convolution(divisor, quotient, "auto")


@define(scipy.signal.detrend, given=("bp",))
def detrend_parts(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    along = np.moveaxis(data, axis, -1)
    return np.moveaxis(along @ kernels.scipy.trend_projection(along.shape[-1], type, bp), -1, axis)


@define(scipy.signal.sosfilt, given=("zi",))
def sosfilt_from(sos, x, axis=-1, zi=None):
    y, rests = np.moveaxis(x, axis, -1), []
    for section in range(sos.shape[0]):
        held = np.moveaxis(zi[section], axis, -1)
        y, rest = kernels.scipy.filtered_from(sos[section, :3], sos[section, 3:], y, held)
        rests.append(np.moveaxis(rest, -1, axis))
    return np.moveaxis(y, -1, axis), np.stack(rests)


@define(scipy.signal.windows.gaussian)
def gaussian(M, std, sym=True):
    count = M if sym else M + 1
    z = (np.arange(count) - 0.5 * (count - 1.0)) / std
    return np.exp(-0.5 * z * z)[:M]


@define(scipy.signal.windows.kaiser)
def kaiser(M, beta, sym=True):
    count = M if sym else M + 1
    if M <= 1:
        return np.ones(M)
    half = 0.5 * (count - 1.0)
    return (np.i0(beta * np.sqrt(1.0 - ((np.arange(count) - half) / half) ** 2)) / np.i0(beta))[:M]
