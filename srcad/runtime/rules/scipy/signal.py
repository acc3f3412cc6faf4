"""Definitions of filters of one-dimensional signals in `scipy.signal`."""

import numpy as np
import scipy.signal

from srcad.runtime.rulebook.registry import define


@define(scipy.signal.convolve, scipy.signal.fftconvolve, scipy.signal.oaconvolve)
def convolve(in1, in2, mode="full", method="auto"):
    if np.ndim(in1) != 1 or np.ndim(in2) != 1:
        raise NotImplementedError("scipy.signal.convolve has a derivative for vectors")
    whole = np.convolve(in1, in2)
    if mode == "full":
        return whole
    if mode == "same":
        start = (in2.shape[0] - 1) // 2
        return whole[start : start + in1.shape[0]]
    return np.convolve(in1, in2, "valid")


@define(scipy.signal.correlate)
def correlate(in1, in2, mode="full", method="auto"):
    return scipy.signal.convolve(in1, np.conjugate(in2[::-1]), mode)


@define(scipy.signal.lfilter)
def lfilter(b, a, x, axis=-1, zi=None):
    if np.ndim(x) != 1 or zi is not None:
        raise NotImplementedError("scipy.signal.lfilter has a derivative for vectors, without `zi`")
    y = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        total = 0.0
        for j in range(min(i + 1, b.shape[0])):
            total += b[j] * x[i - j]
        for k in range(1, min(i + 1, a.shape[0])):
            total -= a[k] * y[i - k]
        y[i] = total / a[0]
    return y
