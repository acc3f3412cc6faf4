"""Sample points for the definitions of `scipy.signal` and `scipy.integrate`, of the form of `samples`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import integrate, signal

from tests.runtime.sample_points import ANY, MATRIX, POSITIVE, Sample, normal, s

LONG, SHORT = normal(7), normal(3)
MODES = ("full", "same", "valid")

DEFINED: dict[Any, list[Sample]] = {
    signal.convolve: [*(s(LONG, SHORT, mode) for mode in MODES), s(SHORT, LONG, "same"), s(LONG, ANY, mode="same")],
    signal.fftconvolve: [s(LONG, SHORT), s(LONG, ANY, mode="same")],
    signal.oaconvolve: [s(LONG, SHORT)],
    signal.correlate: [*(s(LONG, SHORT, mode) for mode in MODES), s(LONG, ANY, "same")],
    signal.lfilter: [s(SHORT, np.array([1.5, 0.3, -0.2]), LONG), s(ANY, np.array([2.0]), LONG)],
    integrate.trapezoid: [s(ANY), s(ANY, np.cumsum(POSITIVE)), s(MATRIX, dx=0.3)],
    integrate.cumulative_trapezoid: [s(ANY), s(ANY, np.cumsum(POSITIVE), initial=0), s(LONG, dx=0.3)],
}
