"""Sample points for the definitions of `scipy.signal` and `scipy.integrate`, of the form of `samples`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, signal

from srcad.runtime import kernels
from tests.runtime.sample_points import ANY, CUBE, MATRIX, POSITIVE, Sample, normal, s

k = kernels.scipy
LONG, SHORT = normal(7), normal(3)
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
    signal.hilbert: [s(LONG), s(MATRIX), s(MATRIX, 7, 0)],
    k.convolved: [s(IMAGE, EVEN, mode, "direct") for mode in MODES],
    k.convolved_beyond: [s(IMAGE, EVEN, "same", "wrap", 0, is_correlation) for is_correlation in (False, True)],
    k.filtered_from: [s(SHORT, POLES, LONG, ANY[:2])],
    integrate.trapezoid: [s(ANY), s(ANY, np.cumsum(POSITIVE)), s(MATRIX, dx=0.3)],
    integrate.cumulative_trapezoid: [s(ANY), s(ANY, np.cumsum(POSITIVE), initial=0), s(LONG, dx=0.3)],
}  # fmt: skip

# Calls with further arguments, which have definitions of their own.
GIVEN: dict[Any, list[Sample]] = {
    signal.lfilter: [
        *(s(SHORT, POLES, LONG, -1, ANY[:2]), s(ANY, POLES, MATRIX, 0, normal(3, 4))),
        s(SHORT, POLES, LONG[:1], -1, ANY[:2]),
    ],
}

DISCRETE = {k.upper_half, k.half_of, k.is_within}
