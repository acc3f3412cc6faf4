"""Definitions of sums that approximate integrals in `scipy.integrate`."""

import numpy as np
import scipy.integrate

from srcad.runtime.rulebook.registry import define
from srcad.runtime.rules.scipy import initial_values, quadrature

__all__ = ["initial_values", "quadrature"]


@define(scipy.integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    if axis != -1:
        raise NotImplementedError("scipy.integrate.trapezoid has a derivative along the last axis")
    return np.trapezoid(y, x, dx)


@define(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    if np.ndim(y) != 1:
        raise NotImplementedError("scipy.integrate.cumulative_trapezoid has a derivative for vectors")
    widths = dx * np.ones(y.shape[0] - 1) if x is None else np.diff(x)
    sums = np.cumsum(0.5 * widths * (y[1:] + y[:-1]))
    if initial is None:
        return sums
    return np.concatenate((np.full(1, 1.0 * initial), sums))
