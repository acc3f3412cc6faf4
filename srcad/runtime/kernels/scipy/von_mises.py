"""The von Mises distribution function, its inverse, and their derivatives by the concentration.

With r[n] = I[n](kappa) / I[0](kappa), the distribution function is 1 / 2 + z / (2 pi) + sum of sin(n z) r[n] / (n pi)
over n > 0, and r[n]' = (r[n - 1] + r[n + 1]) / 2 - r[n] r[1] (DLMF 10.29.1 and 10.35.2). The ratios of neighbouring
Bessel functions are computed from the last one backwards, which is stable.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import register_jitable

from srcad.runtime.kernels.scipy.elementwise import elementwise


@register_jitable
def _ratios(count, kappa):
    """I[n](kappa) / I[0](kappa) for n = 0, ..., count - 1."""
    y = np.ones(count)
    ratio = 0.0
    for n in range(count - 1, 0, -1):
        ratio = kappa / (2.0 * n + kappa * ratio)
        y[n] = ratio
    for n in range(1, count):
        y[n] *= y[n - 1]
    return y


@register_jitable
def _by_kappa(order, y):
    """The derivatives of the ratios by kappa up to an order, of which each has one element less than the one before."""
    count = len(y)
    table = np.zeros((order + 1, count))
    table[0] = y
    for m in range(order):
        for n in range(count - m - 1):
            before = table[m, n - 1] if n > 0 else table[m, 1]  # I[-1] is I[1]
            value = 0.5 * (before + table[m, n + 1])
            weight = 1.0
            for j in range(m + 1):
                value -= weight * table[j, n] * table[m - j, 1]
                weight = weight * (m - j) / (j + 1)
            table[m + 1, n] = value
    return table[order]


@elementwise
def vonmises_slope(order, turns, z, kappa):
    """The von Mises distribution function, differentiated `order` > 0 times by kappa and `turns` times by z.

    Its series has more terms than can be added, and the slope is nan, where kappa is above 1e12.

    >>> round(float(vonmises_slope(1, 0, 0.5, 2.0)), 12)
    0.062809700215
    """
    if not (math.isfinite(z) and 0.0 <= kappa <= 1e12):
        return math.nan
    count = int(40.0 + 9.0 * math.sqrt(kappa)) + int(order)  # the rest is below the rounding of the sum
    y = _by_kappa(int(order), _ratios(count, kappa))
    total = 0.0
    for n in range(count - int(order) - 1, 0, -1):
        total += y[n] * float(n) ** (turns - 1) * math.sin(n * z + 0.5 * math.pi * turns)
    return total / math.pi


def vonmises_cdf(z: Any, kappa: Any) -> Any:
    """The cumulative distribution function of a von Mises number. Not compiled: SciPy exports none."""
    import scipy.stats  # which programs without it do not wait for

    return scipy.stats.vonmises.cdf(z, kappa)


def vonmises_ppf(q: Any, kappa: Any) -> Any:
    """The inverse of the cumulative distribution function of a von Mises number. Not compiled, as `vonmises_cdf`."""
    import scipy.stats

    return scipy.stats.vonmises.ppf(q, kappa)
