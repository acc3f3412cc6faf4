"""Derivatives of hypergeometric functions by their parameters, by series whose terms are differentiated one by one.

    term(n + 1) = term(n) * (a + n) * (b + n) / ((c + n) * (n + 1)) * z

Kummer's and Pfaff's transformations turn negative arguments into positive ones, for which nothing cancels when the
parameters are positive. Where the series has not ended after many terms, or has lost too many digits to cancellation,
the derivative is nan: it is never a wrong number.

NIST Handbook of Mathematical Functions, Cambridge 2010, sections 13.2 and 15.8.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from numba.extending import register_jitable

from srcad.runtime.kernels.scipy.elementwise import elementwise

_MOST_TERMS = 200000
_MOST_LOSS = 1e5  # how much larger than their sum the sum of absolute terms may be


@register_jitable
def _series(a, b, c, z, way):
    """The derivative of the sum by a (way 0), b (1) or c (2); b = inf leaves the factors of b out."""
    term, slope = 1.0, 0.0
    total, absolute = 0.0, 0.0
    n = 0.0
    while n < _MOST_TERMS:
        by_a, by_b, by_c = a + n, 1.0, c + n
        if b < math.inf:
            by_b = b + n
        factor = z / ((n + 1.0) * by_c)
        if way == 0:
            slope = (slope * by_a + term) * by_b * factor
        elif way == 1:
            slope = (slope * by_b + term) * by_a * factor
        else:
            slope = (slope - term / by_c) * by_a * by_b * factor
        term *= by_a * by_b * factor
        total += slope
        absolute += abs(slope)
        n += 1.0
        if n > 3.0 and abs(slope) <= 1e-18 * abs(total) and abs(term) <= 1e-18 * (1.0 + abs(total)):
            break
        if not abs(slope) < 1e300:
            return math.nan
        if term == 0.0 and slope == 0.0:
            break
    if n >= _MOST_TERMS or absolute > _MOST_LOSS * abs(total):
        return math.nan if total != 0.0 else 0.0
    return total


@elementwise
def hyp1f1_slope_a(a, b, z):
    """The derivative of hyp1f1 by its first parameter.

    >>> round(float(hyp1f1_slope_a(0.5, 1.5, 1.0)), 10)
    1.0250371354
    """
    if z < 0.0:
        return -np.exp(z) * _series(b - a, math.inf, b, -z, 0)
    return _series(a, math.inf, b, z, 0)


@elementwise
def hyp1f1_slope_b(a, b, z):
    """The derivative of hyp1f1 by its second parameter."""
    if z < 0.0:
        return np.exp(z) * (_series(b - a, math.inf, b, -z, 0) + _series(b - a, math.inf, b, -z, 2))
    return _series(a, math.inf, b, z, 2)


@elementwise
def hyp2f1_slope_a(a, b, c, z):
    """The derivative of hyp2f1 by its first parameter, which is that by the second one with both exchanged."""
    if z >= 0.0:
        return _series(a, b, c, z, 0) if z < 1.0 else math.nan
    share = z / (z - 1.0)
    value = float(scipy.special.hyp2f1(a, b, c, z))
    return -math.log1p(-z) * value + (1.0 - z) ** -a * _series(a, c - b, c, share, 0)


@elementwise
def hyp2f1_slope_c(a, b, c, z):
    """The derivative of hyp2f1 by its third parameter."""
    if z >= 0.0:
        return _series(a, b, c, z, 2) if z < 1.0 else math.nan
    share = z / (z - 1.0)
    return (1.0 - z) ** -a * (_series(a, c - b, c, share, 1) + _series(a, c - b, c, share, 2))
