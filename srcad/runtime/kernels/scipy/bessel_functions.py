"""Derivatives of scaled Bessel functions, and spherical Bessel functions."""

from __future__ import annotations

import math

import numpy as np
import scipy.special
from numba.extending import register_jitable
from scipy.special import _ufuncs

from srcad.runtime.kernels.scipy.elementwise import elementwise


@register_jitable
def _far_slope(v, x, sign):
    """The derivative of sum (sign)**k a(k, v) x**(-k - 1/2), of which scaled functions are multiples for large x."""
    mu = 4.0 * v * v
    term = 1.0 / np.sqrt(x)
    total = 0.0
    for k in range(60):
        total -= (k + 0.5) * term / x
        after = term * sign * (mu - (2.0 * k + 1.0) ** 2) / (8.0 * (k + 1.0) * x)
        if abs(after) <= 1e-17 * abs(term) or after == 0.0 or (k > 2.0 * abs(v) and abs(after) >= abs(term)):
            break
        term = after
    return total


@register_jitable
def _is_far(v, x):
    return x > 30.0 + 2.0 * v * v


@elementwise
def ive_slope(v, x):
    """The derivative of exp(-|x|) * iv(v, x), without cancellation for large x.

    >>> round(float(ive_slope(0.0, 1.0)), 12)
    -0.257849192244
    """
    if _is_far(v, x):
        return _far_slope(v, x, -1.0) / np.sqrt(2.0 * math.pi)
    sign = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else 0.0)
    around = 0.5 * (scipy.special.ive(v - 1.0, x) + scipy.special.ive(v + 1.0, x))
    return float(around - sign * scipy.special.ive(v, x))


@elementwise
def kve_slope(v, x):
    """The derivative of exp(x) * kv(v, x), without cancellation for large x.

    >>> round(float(kve_slope(0.0, 1.0)), 12)
    -0.491690406456
    """
    if _is_far(v, x):
        return _far_slope(v, x, 1.0) * np.sqrt(0.5 * math.pi)
    around = 0.5 * (scipy.special.kve(v - 1.0, x) + scipy.special.kve(v + 1.0, x))
    return float(scipy.special.kve(v, x) - around)


@elementwise
def spherical_jn(n, x):
    """The spherical Bessel function of the first kind of a real number.

    >>> round(float(spherical_jn(1, 2.0)), 12)
    0.43539777498
    """
    value = float(_ufuncs._spherical_jn(n, abs(x)))
    return -value if x < 0.0 and n % 2 == 1 else value


@elementwise
def spherical_yn(n, x):
    """The spherical Bessel function of the second kind of a real number.

    >>> round(float(spherical_yn(1, 2.0)), 12)
    -0.350612004276
    """
    value = float(_ufuncs._spherical_yn(n, abs(x)))
    return -value if x < 0.0 and n % 2 == 0 else value


@elementwise
def spherical_in(n, x):
    """The modified spherical Bessel function of the first kind of a real number.

    >>> round(float(spherical_in(1, 2.0)), 12)
    0.97438274358
    """
    value = float(_ufuncs._spherical_in(n, abs(x)))
    return -value if x < 0.0 and n % 2 == 1 else value


@elementwise
def spherical_kn(n, x):
    """The modified spherical Bessel function of the second kind of a real number that is not negative.

    >>> round(float(spherical_kn(1, 2.0)), 12)
    0.159438124345
    """
    return float(_ufuncs._spherical_kn(n, x)) if x >= 0.0 else math.nan
