"""Derivatives of the regularised incomplete beta function, by its parameters as well."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from numba.extending import register_jitable

from srcad.runtime.kernels.scipy.elementwise import elementwise

_EPS = 2.0**-53
_MOST_TERMS = 100000  # enough for parameters up to about 1e8


@elementwise
def beta_density(a, b, x):
    """x**(a - 1) * (1 - x)**(b - 1) / beta(a, b), also for large arguments, where powers overflow.

    >>> round(float(beta_density(2.0, 3.0, 0.25)), 12)
    1.6875
    """
    return _density(a, b, x)


@register_jitable
def _density(a, b, x):
    if not (0.0 <= x <= 1.0 and a > 0.0 and b > 0.0):
        return math.nan
    if x in (0.0, 1.0):
        power = a if x == 0.0 else b
        return (1.0 / scipy.special.beta(a, b)) if power == 1.0 else (0.0 if power > 1.0 else math.inf)
    exponent = (a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x)
    return float(np.exp(exponent - scipy.special.betaln(a, b)))


@register_jitable
def _partial_numerator(k, a, b, x):
    """The k-th partial numerator of the continued fraction of betainc, and its derivatives by a and by b."""
    m = k // 2
    if k % 2:
        c, bottom = a + m, (a + 2.0 * m) * (a + 2.0 * m + 1.0)
        top = -c * (c + b) * x / bottom
        by_a = -(2.0 * c + b) * x / bottom - top * (2.0 * a + 4.0 * m + 1.0) / bottom
        return top, by_a, -c * x / bottom
    bottom = (a + 2.0 * m - 1.0) * (a + 2.0 * m)
    top = m * (b - m) * x / bottom
    return top, -top * (2.0 * a + 4.0 * m - 1.0) / bottom, m * x / bottom


@register_jitable
def _fraction(a, b, x):
    """The continued fraction by which x**a * (1 - x)**b / (a * beta(a, b)) is divided, and its derivatives."""
    # Two successive convergents, numerator and denominator, each with the derivatives by a and by b.
    n2, n2a, n2b, d2, d2a, d2b = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    n1, n1a, n1b, d1, d1a, d1b = 1.0, 0.0, 0.0, 1.0, 0.0, 0.0
    value, by_a, by_b = 1.0, 0.0, 0.0
    for k in range(1, _MOST_TERMS):
        top, top_a, top_b = _partial_numerator(k, a, b, x)
        n0 = n1 + top * n2
        n0a, n0b = n1a + top_a * n2 + top * n2a, n1b + top_b * n2 + top * n2b
        d0 = d1 + top * d2
        d0a, d0b = d1a + top_a * d2 + top * d2a, d1b + top_b * d2 + top * d2b
        scale = 1.0 / d0
        n2, n2a, n2b, d2, d2a, d2b = n1 * scale, n1a * scale, n1b * scale, d1 * scale, d1a * scale, d1b * scale
        n1, n1a, n1b, d1, d1a, d1b = n0 * scale, n0a * scale, n0b * scale, 1.0, d0a * scale, d0b * scale
        last, last_a, last_b = value, by_a, by_b
        value = n1
        by_a, by_b = n1a - value * d1a, n1b - value * d1b
        near = abs(value - last) <= _EPS * abs(value) and abs(by_a - last_a) <= 4.0 * _EPS * abs(by_a)
        if k > 4 and near and abs(by_b - last_b) <= 4.0 * _EPS * abs(by_b):
            return value, by_a, by_b
    return np.nan, np.nan, np.nan


@register_jitable
def _below_mean(a, b, x):
    """The derivatives of betainc by a and by b, for x below the mean."""
    value, by_a, by_b = _fraction(a, b, x)
    front = np.exp(a * np.log(x) + b * np.log1p(-x) - scipy.special.betaln(a, b)) / (a * value)
    whole = scipy.special.psi(a + b)
    by_a = front * (np.log(x) - scipy.special.psi(a + 1.0) + whole - by_a / value)
    by_b = front * (np.log1p(-x) - scipy.special.psi(b) + whole - by_b / value)
    return by_a, by_b


@register_jitable
def _by_parameters(a, b, x):
    if not (0.0 <= x <= 1.0 and a > 0.0 and b > 0.0):
        return math.nan, math.nan
    if x in (0.0, 1.0):
        return 0.0, 0.0
    if x <= (a + 1.0) / (a + b + 2.0):
        return _below_mean(a, b, x)
    by_b, by_a = _below_mean(b, a, 1.0 - x)
    return -by_a, -by_b


@elementwise
def betainc_slope_a(a, b, x):
    """The derivative of the regularised incomplete beta function by a.

    >>> round(float(betainc_slope_a(2.0, 3.0, 0.25)), 12)
    -0.228053602324
    """
    return _by_parameters(a, b, x)[0]


@elementwise
def betainc_slope_b(a, b, x):
    """The derivative of the regularised incomplete beta function by b.

    >>> round(float(betainc_slope_b(2.0, 3.0, 0.25)), 12)
    0.106921530052
    """
    return _by_parameters(a, b, x)[1]


@elementwise
def t_density(df, t):
    """The density of Student's distribution.

    >>> round(float(t_density(3.0, 0.5)), 12)
    0.313180911009
    """
    scale = np.exp(scipy.special.gammaln(0.5 * (df + 1.0)) - scipy.special.gammaln(0.5 * df)) / np.sqrt(np.pi * df)
    return scale * np.exp(-0.5 * (df + 1.0) * np.log1p(t * t / df))


@elementwise
def stdtr_slope(df, t):
    """The derivative of the distribution function of Student's distribution by the degrees of freedom.

    >>> round(float(stdtr_slope(3.0, 0.5)), 12)
    0.00529909273
    """
    if t == 0.0:
        return 0.0
    square = df + t * t
    x = df / square
    by_df = 0.25 * _by_parameters(0.5 * df, 0.5, x)[0]
    by_df += 0.5 * _density(0.5 * df, 0.5, x) * (t / square) * (t / square)
    return -by_df if t > 0.0 else by_df
