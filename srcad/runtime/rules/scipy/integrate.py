"""Definitions of sums that approximate integrals in `scipy.integrate`."""

import numpy as np
import scipy.integrate

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rules.scipy import collocation, initial_values, multiple_integrals, quadrature

__all__ = ["collocation", "initial_values", "multiple_integrals", "quadrature"]


@define(scipy.integrate.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    return np.trapezoid(y, x, dx, axis)


@define(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(y, x=None, dx=1.0, axis=-1, initial=None):
    if np.ndim(y) != 1:
        raise NotImplementedError("scipy.integrate.cumulative_trapezoid has a derivative for vectors")
    widths = dx * np.ones(y.shape[0] - 1) if x is None else np.diff(x)
    sums = np.cumsum(0.5 * widths * (y[1:] + y[:-1]))
    if initial is None:
        return sums
    return np.concatenate((np.full(1, 1.0 * initial), sums))


@inlined
def _widths(y, x, dx):
    return dx * np.ones(y.shape[-1] - 1) if x is None else np.diff(x)


@define(scipy.integrate.simpson)
def simpson(y, x=None, *, dx=1.0, axis=-1):
    if axis != -1 and axis != np.ndim(y) - 1:
        raise NotImplementedError("scipy.integrate.simpson has a derivative along the last axis")
    h, n = _widths(y, x, dx), y.shape[-1]
    if n < 3:
        return np.sum(0.5 * h * (y[..., 1:] + y[..., :-1]), axis=-1)
    end = n - 2 + n % 2
    low, high = h[..., 0 : end - 1 : 2], h[..., 1:end:2]
    both = low + high
    parts = y[..., 0 : end - 1 : 2] * (2.0 - high / low) + y[..., 2 : end + 1 : 2] * (2.0 - low / high)
    total = np.sum(both / 6.0 * (parts + y[..., 1:end:2] * both * both / (low * high)), axis=-1)
    if n % 2 == 1:
        return total
    # The last interval by the parabola through the last three points.
    p, q = h[..., n - 3], h[..., n - 2]
    last = y[..., n - 1] * (2.0 * q * q + 3.0 * p * q) / (6.0 * (p + q))
    middle = y[..., n - 2] * (q * q + 3.0 * p * q) / (6.0 * p)
    return total + (last + middle - y[..., n - 3] * q * q * q / (6.0 * p * (p + q)))


@inlined
def _first_of_two(y, h):
    """The integrals over the first of every two neighbouring intervals, of the parabola through three points."""
    low, both = h[:-1], h[:-1] + h[1:]
    share, square = low / both, low / both * (low / h[1:])
    return low / 6.0 * ((3.0 - share) * y[:-2] + (3.0 + square + share) * y[1:-1] - square * y[2:])


@define(scipy.integrate.cumulative_simpson)
def cumulative_simpson(y, *, x=None, dx=1.0, axis=-1, initial=None):
    if np.ndim(y) != 1:
        raise NotImplementedError("scipy.integrate.cumulative_simpson has a derivative for vectors")
    h, n = _widths(y, x, dx), y.shape[0]
    if n < 3:
        sums = np.cumsum(0.5 * h * (y[1:] + y[:-1]))
    else:
        ahead = _first_of_two(y, h)
        behind = _first_of_two(y[::-1], h[::-1])[::-1]
        parts = np.zeros(n - 1)
        parts[: n - 2 : 2] = ahead[::2]
        parts[1::2] = behind[::2]
        parts[n - 2] = behind[n - 3]
        sums = np.cumsum(parts)
    if initial is None:
        return sums
    return np.concatenate((np.full(1, 1.0 * initial), initial + sums))


@define(scipy.integrate.romb)
def romb(y, dx=1.0, axis=-1, show=False):
    if np.ndim(y) != 1 or show:
        raise NotImplementedError("scipy.integrate.romb has a derivative for vectors, without `show`")
    intervals = y.shape[0] - 1
    levels = 0
    while 2**levels < intervals:
        levels += 1
    if 2**levels != intervals:
        raise ValueError("the number of samples must be one more than a power of two")
    table = np.zeros((levels + 1, levels + 1))
    table[0, 0] = 0.5 * dx * intervals * (y[0] + y[intervals])
    for i in range(1, levels + 1):
        step = intervals // 2**i
        table[i, 0] = 0.5 * table[i - 1, 0] + dx * step * np.sum(y[step :: 2 * step])
        for j in range(1, i + 1):
            before = table[i, j - 1]
            table[i, j] = before + (before - table[i - 1, j - 1]) / (4.0**j - 1.0)
    return table[levels, levels]
