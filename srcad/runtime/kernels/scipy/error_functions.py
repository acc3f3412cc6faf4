"""Derivatives of any order of the scaled error function and of Dawson's function.

Both satisfy f'' = 2 s x f' + 2 s f, with s = 1 and s = -1, so that f[n + 1] = 2 s (x f[n] + n f[n - 1]). For large x
these sums cancel; there the asymptotic series is differentiated term by term.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import scipy.special
from numba.extending import register_jitable

from srcad.runtime.kernels.scipy.elementwise import elementwise

_FAR = 7.0


@register_jitable
def _far(n, x, sign):
    """The n-th derivative of sum (-sign)**k (2k - 1)!! / 2**k * x**(-2k - 1), for large |x|."""
    square = x * x
    term = 1.0 / x
    for j in range(1, n + 1):
        term *= -j / x
    total, k = 0.0, 0
    while True:
        total += term
        after = term * -sign * (k + 0.5) / square
        # From (2k + 1)...(2k + n) to (2k + 3)...(2k + n + 2).
        after *= (2.0 * k + n + 1.0) * (2.0 * k + n + 2.0) / ((2.0 * k + 1.0) * (2.0 * k + 2.0))
        if abs(after) <= 1e-17 * abs(total) or abs(after) >= abs(term) or k > 60:
            return total
        term = after
        k += 1


@register_jitable
def _near(n, x, sign, value, slope):
    before, now = value, slope
    if n == 0:
        return value
    for k in range(1, n):
        before, now = now, 2.0 * sign * (x * now + k * before)
    return now


_HIGHEST = 40  # order of a derivative


def _erfcx_derivative_of_complex(n: Any, z: Any) -> Any:
    """The same for complex numbers; to the left of 0, where the series does not hold, by erfcx(z) + erfcx(-z)."""
    n = int(n)
    if z.real < 0.0:
        both = 2.0 * np.exp(z * z)
        return _near(n, z, 1.0, both, 2.0 * z * both) - (-1.0) ** n * _erfcx_derivative_of_complex(n, -z)
    if abs(z) > _FAR + n:
        return _far(n, z, 1.0) / np.sqrt(math.pi)
    value = complex(scipy.special.erfcx(z))
    return _near(n, z, 1.0, value, 2.0 * z * value - 2.0 / np.sqrt(math.pi))


@functools.partial(elementwise, of_complex=_erfcx_derivative_of_complex)
def erfcx_derivative(n, x):
    """The n-th derivative of erfcx.

    >>> round(float(erfcx_derivative(1, 1.0)), 12)
    -0.273212014784
    """
    if not 0 <= n <= _HIGHEST:
        return math.nan
    n = int(n)
    if x > _FAR + n:
        return _far(n, x, 1.0) / np.sqrt(math.pi)
    value = float(scipy.special.erfcx(x))
    return _near(n, x, 1.0, value, 2.0 * x * value - 2.0 / np.sqrt(math.pi))


@elementwise
def dawsn_derivative(n, x):
    """The n-th derivative of Dawson's function.

    >>> round(float(dawsn_derivative(1, 1.0)), 12)
    -0.076159013826
    """
    if not 0 <= n <= _HIGHEST:
        return math.nan
    n = int(n)
    if abs(x) > _FAR + n:
        return 0.5 * _far(n, x, -1.0)
    value = float(scipy.special.dawsn(x))
    return _near(n, x, -1.0, value, 1.0 - 2.0 * x * value)


@elementwise
def exponential_moment(n, x):
    """The integral of t**n * exp(x * t) over t from 0 to 1, which is the n-th derivative of exprel.

    >>> float(exponential_moment(1, 0.0))
    0.5
    """
    if not 0 <= n <= _HIGHEST or x != x:
        return math.nan
    n = int(n)
    if abs(x) > n + 2.0:  # integration by parts
        growth = np.exp(x)
        value = np.expm1(x) / x if x < math.inf else math.inf
        for j in range(1, n + 1):
            value = (growth - j * value) / x if x < 700.0 else value
        return value
    total, term, k = 0.0, 1.0, 0
    while k < 200:
        total += term / (n + k + 1.0)
        k += 1
        term *= x / k
        if abs(term) <= 1e-18 * abs(total):
            break
    return total


@elementwise
def log_ndtr_between(low, high):
    """The logarithm of the probability that a normal number lies between two others.

    >>> round(float(log_ndtr_between(30.0, 31.0)), 9)
    -454.321243956
    """
    if low > 0.0:
        low, high = -high, -low
    if high > 0.0:
        return math.log1p(-scipy.special.ndtr(low) - scipy.special.ndtr(-high))
    below, above = scipy.special.log_ndtr(low), scipy.special.log_ndtr(high)
    if not low < high:
        return -math.inf if low == high else math.nan
    return above + math.log(-math.expm1(below - above))


@elementwise
def mean_log1p(c, z):
    """log1p(c * z) / c, which is z for c = 0: the integral of 1 / (1 + c * t) over t from 0 to z.

    >>> float(mean_log1p(0.0, 2.0))
    2.0
    """
    product = c * z
    if abs(product) < 1e-8:
        return z * (1.0 - 0.5 * product)
    return np.log1p(product) / c


def skewnorm_cdf(z: Any, a: Any) -> Any:
    """The cumulative distribution function of a skewed normal number. Not compiled: SciPy exports none."""
    import scipy.stats  # which programs without it do not wait for

    return scipy.stats.skewnorm.cdf(z, a)


def skewnorm_ppf(q: Any, a: Any) -> Any:
    """The inverse of the cumulative distribution function of a skewed normal number. Not compiled either."""
    import scipy.stats

    return scipy.stats.skewnorm.ppf(q, a)
