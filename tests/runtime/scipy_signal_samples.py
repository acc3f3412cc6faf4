"""Sample points for the definitions of `scipy.signal` and `scipy.integrate`, of the form of `samples`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, signal

from srcad.runtime import kernels
from tests.runtime.sample_points import ANY, CUBE, MATRIX, POSITIVE, Sample, normal, s

k = kernels.scipy
LONG, SHORT = normal(7), normal(3)
WAVE = np.random.default_rng(4).normal(size=24)
IMAGE, EVEN, ODD = normal(5, 6), normal(4, 2), normal(3, 3)
POLES, SECTIONS = (
    np.array([1.5, 0.3, -0.2]),
    np.array([[0.5, 0.2, 0.1, 1.0, -0.3, 0.1], [1.0, 0.4, 0.0, 1.0, 0.2, 0.0]]),
)
MODES = ("full", "same", "valid")

SAMPLES: dict[Any, list[Sample]] = {
    k.convolution: [s(LONG, SHORT, "direct"), s(SHORT, LONG, "fft"), s(IMAGE, EVEN, "auto"), s(CUBE, CUBE, "auto")],
    k.correlation: [s(LONG, SHORT, "direct"), s(IMAGE, EVEN, "fft"), s(CUBE, CUBE[:, :2], "auto")],
    k.all_pole: [s(POLES, LONG), s(POLES, MATRIX), s(POLES, ANY[:2]), s(POLES[:1], CUBE)],
    k.delayed_sum: [s(SHORT, LONG), s(SHORT, MATRIX), s(SHORT, ANY[:2])],
    k.lags: [s(LONG, LONG[::-1], 3), s(MATRIX, MATRIX[::-1], 6)],
    k.without_first: [s(ANY)],
    k.turned_round: [s(ANY), s(MATRIX)],
    k.central_part: [s(LONG, (2,), (3,)), s(IMAGE, (1, 2), (3, 3))],
    k.framed: [s(LONG, 3, 2), s(MATRIX, 2, 1)],
    k.overlap_added: [s(MATRIX, 8, 2), s(CUBE, 10, 3)],
    k.window_of: [s(LONG, 7)],
    k.frequencies: [s(6, 0.7, True), s(5, 1.3, False)],
    k.embedded: [s(SHORT, (2,), (7,)), s(EVEN, (1, 0), (5, 6))],
}  # fmt: skip

DEFINED: dict[Any, list[Sample]] = {
    **{each: [*(s(LONG, SHORT, mode) for mode in MODES), s(SHORT, LONG, "same"), s(LONG, ANY, mode="same"),
              s(SHORT, LONG, "valid"), s(IMAGE, EVEN, "same"), s(EVEN, IMAGE, "valid"), s(CUBE, CUBE[:1, :2, :3])]
       for each in (signal.convolve, signal.correlate, signal.fftconvolve, signal.oaconvolve)},
    **{each: [*(s(IMAGE, other, mode) for mode in MODES for other in (EVEN, ODD)), s(EVEN, IMAGE, "valid"),
              s(IMAGE, EVEN, "same", "wrap"), s(IMAGE, EVEN, boundary="symm"), s(ODD, IMAGE, "same", "wrap"),
              s(IMAGE, ODD, mode="same", fillvalue=2.5)]
       for each in (signal.convolve2d, signal.correlate2d)},
    signal.lfilter: [
        *(s(SHORT, POLES, LONG), s(ANY, np.array([2.0]), LONG), s(SHORT, POLES, MATRIX), s(SHORT, POLES, MATRIX, 0)),
    ],
    signal.lfilter_zi: [s(SHORT, POLES), s(ANY, POLES)],
    signal.sosfilt: [s(SECTIONS, LONG, fixed=(0,)), s(SECTIONS, MATRIX, 0, fixed=(0,))],  # SciPy wants 1 in column 3
    signal.detrend: [s(LONG), s(MATRIX, 0), s(MATRIX, type="constant")],
    signal.stft: [s(LONG, nperseg=4), s(MATRIX, 2.0, ANY, 4, 3, 5, detrend="linear", boundary="odd", fixed=(1,))],
    signal.istft: [s(IMAGE[:3], nperseg=4), s(IMAGE[:3], 2.0, ANY, noverlap=1, boundary=False, scaling="psd",
                                              fixed=(1,))],
    signal.welch: [s(LONG, nperseg=4), s(MATRIX, 2.0, ANY[:3], nfft=5, scaling="spectrum", fixed=(1,))],
    signal.csd: [s(LONG, LONG[::-1], nperseg=4)],
    signal.periodogram: [s(MATRIX, 2.0, "hann", 7, "linear", fixed=(1,)), s(LONG, nfft=4)],
    signal.spectrogram: [s(LONG, nperseg=4), s(LONG, window="hann", nperseg=4, mode="magnitude")],
    signal.filtfilt: [s(SHORT, POLES, WAVE), s(SHORT, POLES, WAVE.reshape(3, 8), padtype="even", padlen=4),
                      s(SHORT, POLES, MATRIX, 0, None)],
    signal.sosfilt_zi: [s(SECTIONS, fixed=(0,))],
    signal.sosfiltfilt: [s(SECTIONS, WAVE, fixed=(0,))],
    signal.decimate: [s(np.tile(WAVE, 2), 2), s(WAVE, 3, zero_phase=False)],
    signal.savgol_filter: [s(LONG, 5, 2), s(LONG, 4, 2, 1, 0.3, mode="interp"), s(MATRIX, 3, 1, axis=0, mode="wrap")],
    signal.resample: [*(s(LONG, size) for size in (4, 7, 12)), s(MATRIX, 3, axis=1)],
    signal.upfirdn: [s(SHORT, LONG, 3, 2), s(SHORT, MATRIX, axis=0)],
    signal.freqz: [s(SHORT, POLES, 5), s(SHORT, POLES, np.array([0.3, 1.0]), fs=4.0, fixed=(2,))],
    signal.deconvolve: [s(LONG, POLES), s(SHORT, LONG)],
    signal.windows.gaussian: [s(7, 2.3), s(6, 2.3, False)],
    signal.windows.kaiser: [s(7, 2.3), s(6, 2.3, False)],
    signal.hilbert: [s(LONG), s(MATRIX), s(MATRIX, 7, 0)],
    k.convolved: [s(IMAGE, EVEN, mode, "direct") for mode in MODES],
    k.convolved_beyond: [s(IMAGE, EVEN, "same", "wrap", 0, is_correlation) for is_correlation in (False, True)],
    k.filtered_from: [s(SHORT, POLES, LONG, ANY[:2])],
    integrate.trapezoid: [s(ANY), s(ANY, np.cumsum(POSITIVE)), s(MATRIX, dx=0.3), s(MATRIX, dx=0.3, axis=0)],
    integrate.cumulative_trapezoid: [s(ANY), s(ANY, np.cumsum(POSITIVE), initial=0), s(LONG, dx=0.3)],
}  # fmt: skip

# Calls with further arguments, which have definitions of their own.
GIVEN: dict[Any, list[Sample]] = {
    signal.lfilter: [
        *(s(SHORT, POLES, LONG, -1, ANY[:2]), s(ANY, POLES, MATRIX, 0, normal(3, 4))),
        s(SHORT, POLES, LONG[:1], -1, ANY[:2]),
    ],
    signal.detrend: [s(LONG, -1, "linear", 3), s(MATRIX, 1, "constant", [2])],
    signal.sosfilt: [
        s(SECTIONS, LONG, -1, normal(2, 2), fixed=(0,)),
        s(SECTIONS, MATRIX, 0, normal(2, 2, 4), fixed=(0,)),
    ],
}

DISCRETE = {
    *(k.upper_half, k.half_of, k.is_within, k.segment_length, k.named_window, k.spectrum_weights),
    *(k.smoothing_weights, k.smoothing_ends, k.trend_projection, k.sections_edge, k.decimation_sections),
    *(signal.windows.hann, signal.windows.hamming, signal.windows.blackman, signal.windows.boxcar),
    *(signal.windows.bartlett, signal.windows.blackmanharris, signal.windows.nuttall, signal.windows.flattop),
    *(signal.windows.cosine, signal.windows.parzen, signal.windows.bohman, signal.windows.triang),
}
