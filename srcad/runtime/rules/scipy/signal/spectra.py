"""Definitions of spectra in `scipy.signal`: frames of the signal, times a window, and their Fourier transforms."""

from __future__ import annotations

import inspect

import numpy as np
import scipy.signal

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear, zero
from srcad.runtime.rulebook.theorems import NoRule

# The windows by default have other names since SciPy 1.17, and the same values.
HANN = inspect.signature(scipy.signal.stft).parameters["window"].default
TUKEY = inspect.signature(scipy.signal.spectrogram).parameters["window"].default

NO_AVERAGE = NoRule("a spectrum whose segments are averaged by the median", 'pass average="mean"')
NO_MODE = NoRule("a spectrogram of angles", 'pass mode="complex", and take np.angle of the result')


@adjoint(kernels.scipy.framed)
def framed(y, x, size, step):
    d[x] = kernels.scipy.overlap_added(d[y], x.shape[-1], step)


@adjoint(kernels.scipy.overlap_added)
def overlap_added(y, frames, length, step):
    d[frames] = kernels.scipy.framed(
        d[y][..., : (frames.shape[-2] - 1) * step + frames.shape[-1]], frames.shape[-1], step
    )


@adjoint(kernels.scipy.window_of)
def window_of(y, window, size):
    d[window] = 1.0 * d[y]


linear(kernels.scipy.framed, kernels.scipy.overlap_added, kernels.scipy.window_of)
zero(kernels.scipy.segment_length, kernels.scipy.named_window, kernels.scipy.spectrum_weights)


@adjoint(kernels.scipy.frequencies)
def frequencies(y, nfft, fs, is_onesided):
    d[fs] = np.vdot(kernels.scipy.frequencies(nfft, 1.0, is_onesided), d[y])


linear(kernels.scipy.frequencies)


@inlined
def _window(window, size):
    """The values of a window: a name, a name with a parameter, or values."""
    if isinstance(window, tuple):
        # The window's own function has a derivative by the parameter.
        return kernels.scipy.without_derivative(kernels.scipy.named_window(*window, size), window[1])
    return kernels.scipy.window_of(window, size)


@inlined
def _length(window, nperseg, size):
    """The length of the segments."""
    if isinstance(window, tuple):
        return kernels.scipy.segment_length("hann", nperseg, size)
    return kernels.scipy.segment_length(window, nperseg, size)


@inlined
def _beyond_ends(x, count, kind):
    """A signal that is extended at both ends of its last axis."""
    if kind == "zeros":
        return kernels.scipy.extended(x, -1, count, count, "constant", 0.0)
    if kind == "even":
        return kernels.scipy.extended(x, -1, count, count, "mirror", 0.0)
    if kind == "constant":
        return kernels.scipy.extended(x, -1, count, count, "nearest", 0.0)
    edges = kernels.scipy.extended(x, -1, count, count, "nearest", 0.0)
    return 2.0 * edges - kernels.scipy.extended(x, -1, count, count, "mirror", 0.0)


@inlined
def _transforms(x, win, step, nfft, detrend, is_onesided):
    """The Fourier transforms of the segments, each times the window; along the last axis."""
    frames = kernels.scipy.framed(x, win.shape[0], step)
    if detrend == "constant":
        frames = frames - np.mean(frames, axis=-1, keepdims=True)
    elif detrend == "linear":
        frames = frames @ kernels.scipy.trend_projection(win.shape[0], "linear", 0)
    if is_onesided:
        return np.fft.rfft(frames * win, nfft)
    return np.fft.fft(frames * win, nfft)


@inlined
def _scale(win, fs, scaling):
    """By what the square of a transform is multiplied."""
    if scaling == "spectrum":
        return 1.0 / np.sum(win) ** 2
    return 1.0 / (fs * np.sum(win * win))


@define(scipy.signal.stft)
def stft(
    x,
    fs=1.0,
    window=HANN,
    nperseg=256,
    noverlap=None,
    nfft=None,
    detrend=False,
    return_onesided=True,
    boundary="zeros",
    padded=True,
    axis=-1,
    scaling="spectrum",
):
    signal = np.moveaxis(x, axis, -1)
    length = _length(window, nperseg, signal.shape[-1])
    win = _window(window, length)
    step = length - (length // 2 if noverlap is None else noverlap)
    size = length if nfft is None else nfft
    start = 0.0
    if boundary is not None:
        signal = _beyond_ends(signal, length // 2, boundary)
        start = 0.5 * length
    if padded:
        more = (-(signal.shape[-1] - length) % step) % length
        signal = kernels.scipy.extended(signal, -1, 0, more, "constant", 0.0)
    found = _transforms(signal, win, step, size, detrend, return_onesided) * np.sqrt(_scale(win, fs, scaling))
    count = found.shape[-2]
    times = (0.5 * length - start + step * np.arange(count)) / fs
    spectrum = np.moveaxis(found, -1, axis - 1 if axis < 0 else axis)
    return kernels.scipy.frequencies(size, fs, return_onesided), times, spectrum


@define(scipy.signal.istft)
def istft(
    Zxx,
    fs=1.0,
    window=HANN,
    nperseg=None,
    noverlap=None,
    nfft=None,
    input_onesided=True,
    boundary=True,
    time_axis=-1,
    freq_axis=-2,
    scaling="spectrum",
):
    frames = np.moveaxis(Zxx, (time_axis, freq_axis), (-2, -1))
    usual = 2 * (frames.shape[-1] - 1) if input_onesided else frames.shape[-1]
    length = usual if nperseg is None else nperseg
    size = usual if nfft is None else nfft
    if nfft is None and input_onesided and length == usual + 1:
        size = length
    step = length - (length // 2 if noverlap is None else noverlap)
    win = _window(window, length)
    parts = np.fft.irfft(frames, size) if input_onesided else np.fft.ifft(frames, size)
    count = frames.shape[-2]
    whole = length + (count - 1) * step
    added = kernels.scipy.overlap_added(parts[..., :length] * win, whole, step)
    norm = kernels.scipy.overlap_added(np.ones((count, 1)) * (win * win), whole, step)
    factor = np.sum(win) if scaling == "spectrum" else np.sqrt(fs * np.sum(win * win))
    if boundary:
        half = length // 2
        added, norm = added[..., half : whole - half], norm[half : whole - half]
    y = added * factor / np.where(norm > 1e-10, norm, 1.0)
    return np.arange(y.shape[0]) / fs, y


@inlined
def _power(x, fs, win, noverlap, nfft, detrend, is_onesided, scaling):
    """Power spectra of all segments: the frequency along the last axis."""
    size = win.shape[0] if nfft is None else nfft
    found = _transforms(x, win, win.shape[0] - noverlap, size, detrend, is_onesided)
    weights = _scale(win, fs, scaling) * kernels.scipy.spectrum_weights(size, is_onesided)
    return kernels.squared_modulus(found) * weights


@inlined
def _powers(x, y, fs, win, noverlap, nfft, detrend, is_onesided, scaling):
    """Cross spectra of all segments: the frequency along the last axis."""
    step = win.shape[0] - noverlap
    size = win.shape[0] if nfft is None else nfft
    one = _transforms(x, win, step, size, detrend, is_onesided)
    other = _transforms(y, win, step, size, detrend, is_onesided)
    weights = _scale(win, fs, scaling) * kernels.scipy.spectrum_weights(size, is_onesided)
    return np.conjugate(one) * other * weights


@define(scipy.signal.csd)
def csd(
    x,
    y,
    fs=1.0,
    window=HANN,
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    if average != "mean":
        NO_AVERAGE()
    one, other = np.moveaxis(x, axis, -1), np.moveaxis(y, axis, -1)
    win = _window(window, _length(window, nperseg, one.shape[-1]))
    overlap = win.shape[0] // 2 if noverlap is None else noverlap
    found = _powers(one, other, fs, win, overlap, nfft, detrend, return_onesided, scaling)
    size = win.shape[0] if nfft is None else nfft
    return kernels.scipy.frequencies(size, fs, return_onesided), np.moveaxis(np.mean(found, axis=-2), -1, axis)


@define(scipy.signal.welch)
def welch(
    x,
    fs=1.0,
    window=HANN,
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    average="mean",
):
    if average != "mean":
        NO_AVERAGE()
    one = np.moveaxis(x, axis, -1)
    win = _window(window, _length(window, nperseg, one.shape[-1]))
    overlap = win.shape[0] // 2 if noverlap is None else noverlap
    found = _power(one, fs, win, overlap, nfft, detrend, return_onesided, scaling)
    size = win.shape[0] if nfft is None else nfft
    return kernels.scipy.frequencies(size, fs, return_onesided), np.moveaxis(np.mean(found, axis=-2), -1, axis)


@define(scipy.signal.periodogram)
def periodogram(
    x, fs=1.0, window="boxcar", nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1
):
    one = np.moveaxis(x, axis, -1)
    size = one.shape[-1] if nfft is None else nfft
    part = one[..., : min(size, one.shape[-1])]
    win = _window(window, part.shape[-1])
    found = _power(part, fs, win, 0, size, detrend, return_onesided, scaling)[..., 0, :]
    return kernels.scipy.frequencies(size, fs, return_onesided), np.moveaxis(found, -1, axis)


@define(scipy.signal.spectrogram)
def spectrogram(
    x,
    fs=1.0,
    window=TUKEY,
    nperseg=None,
    noverlap=None,
    nfft=None,
    detrend="constant",
    return_onesided=True,
    scaling="density",
    axis=-1,
    mode="psd",
):
    one = np.moveaxis(x, axis, -1)
    win = _window(window, _length(window, nperseg, one.shape[-1]))
    overlap = win.shape[0] // 8 if noverlap is None else noverlap
    size = win.shape[0] if nfft is None else nfft
    step = win.shape[0] - overlap
    if mode == "psd":
        found = _power(one, fs, win, overlap, nfft, detrend, return_onesided, scaling)
    elif mode == "complex":
        found = _transforms(one, win, step, size, detrend, return_onesided) * np.sqrt(_scale(win, fs, scaling))
    elif mode == "magnitude":
        found = np.abs(_transforms(one, win, step, size, detrend, return_onesided)) * np.sqrt(_scale(win, fs, scaling))
    else:
        NO_MODE()
    times = (0.5 * win.shape[0] + step * np.arange(found.shape[-2])) / fs
    spectrum = np.moveaxis(found, -1, axis - 1 if axis < 0 else axis)
    return kernels.scipy.frequencies(size, fs, return_onesided), times, spectrum
