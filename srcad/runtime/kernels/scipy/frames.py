"""Signals in overlapping frames, and constants of filters and spectra."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy


def framed(x: Any, size: int, step: int) -> Any:
    """The frames of a signal along its last axis: a row for each.

    >>> framed(np.arange(5.0), 3, 2)
    array([[0., 1., 2.],
           [2., 3., 4.]])
    """
    count = (x.shape[-1] - size) // step + 1
    return x[..., step * np.arange(count)[:, None] + np.arange(size)]


def overlap_added(frames: Any, length: int, step: int) -> Any:
    """The sum of frames, each at its place: the adjoint of `framed`.

    >>> overlap_added(np.ones((2, 3)), 5, 2)
    array([1., 1., 2., 1., 1.])
    """
    found = np.zeros((*frames.shape[:-2], length), frames.dtype)
    for k in range(frames.shape[-2]):
        found[..., k * step : k * step + frames.shape[-1]] += frames[..., k, :]
    return found


def segment_length(window: Any, nperseg: int | None, size: int) -> int:
    """How long the segments of a signal are."""
    if isinstance(window, str):
        return min(256 if nperseg is None else int(nperseg), size)
    length = int(np.asarray(window).shape[-1])
    if nperseg is not None and nperseg != length:
        raise ValueError("value specified for nperseg is different from length of window")
    return length


def window_of(window: Any, size: int) -> Any:
    """The values of a window: by name, or as they are given."""
    return scipy.signal.get_window(window, size) if isinstance(window, str) else np.array(window)


def named_window(name: str, parameter: Any, size: int) -> Any:
    """The values of a window by its name and its parameter."""
    return scipy.signal.get_window((name, parameter), size)


def spectrum_weights(nfft: int, is_onesided: bool) -> Any:
    """How often each frequency of a spectrum counts.

    >>> spectrum_weights(4, True), spectrum_weights(3, True)
    (array([1., 2., 1.]), array([1., 2.]))
    """
    if not is_onesided:
        return np.ones(nfft)
    weights = np.full(nfft // 2 + 1, 2.0)
    weights[0] = 1.0
    if nfft % 2 == 0:
        weights[-1] = 1.0
    return weights


def frequencies(nfft: int, fs: float, is_onesided: bool) -> Any:
    """The frequencies of a spectrum."""
    return np.fft.rfftfreq(nfft, 1.0 / fs) if is_onesided else np.fft.fftfreq(nfft, 1.0 / fs)


def smoothing_weights(window: int, order: int, deriv: int, delta: float) -> Any:
    """The weights of Savitzky and Golay's filter."""
    return scipy.signal.savgol_coeffs(window, order, deriv=deriv, delta=delta)


def smoothing_ends(window: int, order: int, deriv: int, delta: float, at_end: bool) -> Any:
    """The matrix that takes the window at an end to the values there of the polynomial that is fitted to it."""
    places = np.arange(window // 2) + (window - window // 2 if at_end else 0)
    rows = [scipy.signal.savgol_coeffs(window, order, deriv, delta, pos=int(place), use="dot") for place in places]
    return np.array(rows).reshape(-1, window)


def trend_projection(size: int, kind: str, bp: Any) -> Any:
    """The symmetric matrix that takes the trend of each part out of a signal.

    >>> trend_projection(2, "constant", 0)
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    return scipy.signal.detrend(np.eye(size), 0, kind, bp)


def sections_edge(sos: Any) -> int:
    """By how much `sosfiltfilt` extends a signal."""
    taps = 2 * sos.shape[0] + 1
    return int(3 * (taps - min((sos[:, 2] == 0).sum(), (sos[:, 5] == 0).sum())))


def decimation_sections(n: int | None, q: int) -> Any:
    """The filter before a signal is decimated."""
    return scipy.signal.cheby1(8 if n is None else n, 0.05, 0.8 / q, output="sos")
