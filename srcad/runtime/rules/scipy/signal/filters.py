"""Definitions of filters in `scipy.signal`, in terms of convolutions and of filters without zeros.

A convolution with a mode is a part of the whole one. A filter b / a is a convolution with b, then one that divides by a
(`all_pole`); what it holds at first, `zi`, is added to the first numbers in between.
"""

import numpy as np
import scipy.signal

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear, tangent, zero


@adjoint(kernels.scipy.convolution)
def convolution(y, a, b, method):
    d[a] = kernels.scipy.correlation(d[y], b, method)
    d[b] = kernels.scipy.correlation(d[y], a, method)


@tangent(kernels.scipy.convolution)
def convolution_tangent(y, a, b, method):
    d[y] = kernels.scipy.convolution(d[a], b, method) + kernels.scipy.convolution(a, d[b], method)


@adjoint(kernels.scipy.correlation)
def correlation(y, a, b, method):
    # Arrays that are smaller than b have no places, and the result no elements: the sums are empty.
    d[a] = kernels.scipy.convolution(d[y], b, method)
    d[b] = kernels.scipy.correlation(a, d[y], method)


@tangent(kernels.scipy.correlation)
def correlation_tangent(y, a, b, method):
    d[y] = kernels.scipy.correlation(d[a], b, method) + kernels.scipy.correlation(a, d[b], method)


@adjoint(kernels.scipy.all_pole)
def all_pole(y, a, u):
    w = kernels.scipy.turned_round(kernels.scipy.all_pole(a, kernels.scipy.turned_round(d[y])))
    d[u] = w
    d[a] = -kernels.scipy.without_first(kernels.scipy.lags(w, y, a.shape[0]))


@tangent(kernels.scipy.all_pole)
def all_pole_tangent(y, a, u):
    d[y] = kernels.scipy.all_pole(a, d[u]) - kernels.scipy.all_pole(
        a, kernels.scipy.delayed_sum(kernels.scipy.without_first(d[a]), y)
    )


@adjoint(kernels.scipy.delayed_sum)
def delayed_sum(y, b, x):
    d[x] = kernels.scipy.turned_round(kernels.scipy.delayed_sum(b, kernels.scipy.turned_round(d[y])))
    d[b] = kernels.scipy.lags(d[y], x, b.shape[0])


@tangent(kernels.scipy.delayed_sum)
def delayed_sum_tangent(y, b, x):
    d[y] = kernels.scipy.delayed_sum(d[b], x) + kernels.scipy.delayed_sum(b, d[x])


@adjoint(kernels.scipy.lags)
def lags(r, w, y, count):
    d[w] = kernels.scipy.delayed_sum(d[r], y)
    d[y] = kernels.scipy.turned_round(kernels.scipy.delayed_sum(d[r], kernels.scipy.turned_round(w)))


@tangent(kernels.scipy.lags)
def lags_tangent(r, w, y, count):
    d[r] = kernels.scipy.lags(d[w], y, count) + kernels.scipy.lags(w, d[y], count)


@adjoint(kernels.scipy.without_first)
def without_first(y, a):
    d[a] = kernels.scipy.without_first(d[y])


@adjoint(kernels.scipy.turned_round)
def turned_round(y, a):
    d[a] = kernels.scipy.turned_round(d[y])


@adjoint(kernels.scipy.central_part)
def central_part(y, a, start, shape):
    d[a] = kernels.scipy.embedded(d[y], start, a.shape)


@adjoint(kernels.scipy.embedded)
def embedded(y, a, start, shape):
    d[a] = kernels.scipy.central_part(d[y], start, a.shape)


linear(kernels.scipy.without_first, kernels.scipy.turned_round, kernels.scipy.central_part, kernels.scipy.embedded)


@define(kernels.scipy.convolved)
def convolved(in1, in2, mode, method):
    if mode == "full":
        return kernels.scipy.convolution(in1, in2, method)
    if mode == "same":
        start = kernels.scipy.half_of(in2.shape)
        return kernels.scipy.central_part(kernels.scipy.convolution(in1, in2, method), start, in1.shape)
    if kernels.scipy.is_within(in2.shape, in1.shape):
        return kernels.scipy.correlation(in1, np.flip(in2), method)
    return kernels.scipy.correlation(in2, np.flip(in1), method)


@define(scipy.signal.convolve)
def convolve(in1, in2, mode="full", method="auto"):
    return kernels.scipy.convolved(in1, in2, mode, method)


@inlined
def _between_places(y, start, count, axis):
    """So many elements of an axis, from a place on."""
    return np.moveaxis(np.moveaxis(y, axis, 0)[start : start + count], 0, axis)


@inlined
def _convolved_along(in1, in2, mode, axes):
    """The convolution along some axes, by Fourier transforms; the others are broadcast."""
    if np.ndim(in1) != np.ndim(in2):
        raise ValueError("in1 and in2 should have the same dimensionality")
    along = tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
    lengths = [in1.shape[k] + in2.shape[k] - 1 for k in along]
    y = np.fft.ifftn(np.fft.fftn(in1, lengths, along) * np.fft.fftn(in2, lengths, along), axes=along)
    y = kernels.real_beside_real(y, np.ravel(in1)[0] + np.ravel(in2)[0])
    for k in along:
        one, other = in1.shape[k], in2.shape[k]
        if mode == "same":
            y = _between_places(y, (other - 1) // 2, one, k)
        if mode == "valid":
            y = _between_places(y, min(one, other) - 1, abs(one - other) + 1, k)
    return y


@define(scipy.signal.fftconvolve)
def fftconvolve(in1, in2, mode="full", axes=None):
    if axes is None:
        return kernels.scipy.convolved(in1, in2, mode, "fft")
    return _convolved_along(np.asarray(in1), np.asarray(in2), mode, axes)


@define(scipy.signal.oaconvolve)
def oaconvolve(in1, in2, mode="full", axes=None):
    if axes is None:
        return kernels.scipy.convolved(in1, in2, mode, "fft")
    return _convolved_along(np.asarray(in1), np.asarray(in2), mode, axes)


@define(scipy.signal.correlate)
def correlate(in1, in2, mode="full", method="auto"):
    turned = np.flip(np.conjugate(in2))
    if mode == "valid" and not kernels.scipy.is_within(in2.shape, in1.shape):
        return np.flip(np.conjugate(kernels.scipy.correlation(in2, np.conjugate(in1), method)))
    return kernels.scipy.convolved(in1, turned, mode, method)


@define(scipy.signal.convolve2d)
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return kernels.scipy.convolved_beyond(in1, in2, mode, boundary, fillvalue, False)


@define(scipy.signal.correlate2d)
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    turned = np.flip(np.conjugate(in2))
    if mode == "valid" and not kernels.scipy.is_within(in2.shape, in1.shape):
        return np.flip(np.conjugate(kernels.scipy.correlation(in2, np.conjugate(in1), "direct")))
    return kernels.scipy.convolved_beyond(in1, turned, mode, boundary, fillvalue, True)


@define(kernels.scipy.convolved_beyond)
def convolved_beyond(in1, in2, mode, boundary, fillvalue, is_correlation):
    if mode == "valid":
        return kernels.scipy.convolved(in1, in2, mode, "direct")
    rows, columns = in2.shape[0] - 1, in2.shape[1] - 1
    if boundary == "wrap":
        around = np.pad(in1, ((rows, rows), (columns, columns)), "wrap")
    elif boundary == "symm":
        around = np.pad(in1, ((rows, rows), (columns, columns)), "symmetric")
    else:
        around = np.pad(in1, ((rows, rows), (columns, columns)), "constant", constant_values=fillvalue)
    whole = kernels.scipy.correlation(around, np.flip(in2), "direct")
    if mode == "full":
        return whole
    # Of an even number of rows, the correlation takes the other middle.
    top = (rows + 1) // 2 if is_correlation else rows // 2
    left = (columns + 1) // 2 if is_correlation else columns // 2
    return whole[top : top + in1.shape[0], left : left + in1.shape[1]]


@define(scipy.signal.lfilter)
def lfilter(b, a, x, axis=-1):
    poles = np.atleast_1d(np.asarray(a))
    above, below = np.atleast_1d(np.asarray(b)) / poles[0], poles / poles[0]
    along = np.moveaxis(x, axis, -1)
    return np.moveaxis(kernels.scipy.all_pole(below, kernels.scipy.delayed_sum(above, along)), -1, axis)


@define(scipy.signal.lfilter, given=("zi",))
def lfilter_from(b, a, x, axis=-1, zi=None):
    y, rest = kernels.scipy.filtered_from(b, a, np.moveaxis(x, axis, -1), np.moveaxis(zi, axis, -1))
    return np.moveaxis(y, -1, axis), np.moveaxis(rest, -1, axis)


@define(kernels.scipy.filtered_from)
def filtered_from(b, a, x, held):
    poles = np.atleast_1d(np.asarray(a))
    above, below = np.atleast_1d(np.asarray(b)) / poles[0], poles / poles[0]
    size = x.shape[-1]
    longer = size + max(above.shape[0], below.shape[0]) - 1
    u = kernels.scipy.delayed_sum(above, kernels.resized(x, longer, -1)) + kernels.resized(held, longer, -1)
    y = kernels.scipy.all_pole(below, u[..., :size])
    rest = u[..., size:] - kernels.scipy.delayed_sum(below, kernels.resized(y, longer, -1))[..., size:]
    return y, rest


@define(scipy.signal.lfilter_zi)
def lfilter_zi(b, a):
    size = max(b.shape[0], a.shape[0])
    above, below = kernels.resized(b / a[0], size, 0), kernels.resized(a / a[0], size, 0)
    step = above[1:] - below[1:] * above[0]
    first = np.sum(step) / np.sum(below)
    return np.cumsum(below)[:-1] * first - np.cumsum(step) + step


@define(scipy.signal.sosfilt)
def sosfilt(sos, x, axis=-1, zi=None):
    if zi is not None:
        raise NotImplementedError("scipy.signal.sosfilt has a derivative without `zi`: call lfilter for each section")
    y = np.moveaxis(x, axis, -1)
    for section in range(sos.shape[0]):
        y = kernels.scipy.all_pole(sos[section, 3:], kernels.scipy.delayed_sum(sos[section, :3], y))
    return np.moveaxis(y, -1, axis)


@define(scipy.signal.detrend)
def detrend(data, axis=-1, type="linear", bp=0, overwrite_data=False):
    if isinstance(bp, int) and bp == 0:
        along = np.moveaxis(data, axis, -1)
        rest = along - np.mean(along, axis=-1, keepdims=True)
        if type == "constant":
            return np.moveaxis(rest, -1, axis)
        t = np.arange(along.shape[-1]) - 0.5 * (along.shape[-1] - 1)
        slope = np.sum(rest * t, axis=-1, keepdims=True) / np.maximum(np.sum(t * t), 0.5)  # of one element, 0
        return np.moveaxis(rest - slope * t, -1, axis)
    raise NotImplementedError("scipy.signal.detrend has a derivative without break points `bp`")


@define(scipy.signal.hilbert)
def hilbert(x, N=None, axis=-1):
    spectrum = np.fft.fft(np.moveaxis(x, axis, -1), N)
    return np.moveaxis(np.fft.ifft(spectrum * kernels.scipy.upper_half(spectrum.shape[-1])), -1, axis)


zero(kernels.scipy.upper_half, kernels.scipy.half_of, kernels.scipy.is_within)
