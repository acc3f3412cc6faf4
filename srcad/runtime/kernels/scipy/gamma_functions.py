"""Derivatives of the gamma function's family: polygamma and zeta functions, incomplete gamma functions."""

from __future__ import annotations

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.special
from numba.extending import register_jitable

from srcad.runtime.kernels.scipy.elementwise import elementwise

_EPS = 2.0**-53
_MOST_TERMS = 100000  # enough for parameters up to about 1e8
_HIGHEST = 170  # order of a derivative: beyond that the factorial overflows


def _bernoulli(count: int) -> list[Fraction]:
    """The Bernoulli numbers B2, B4, ..."""
    found = [Fraction(1)]
    for n in range(1, 2 * count + 1):
        found.append(-sum((math.comb(n + 1, k) * found[k] for k in range(n)), Fraction(0)) / (n + 1))
    return found[2::2]


# Coefficients of the Euler-Maclaurin formula, B2k / (2k)!, and of the digamma function's asymptotic series, B2k / 2k.
_EULER_MACLAURIN = tuple(float(b / math.factorial(2 * k + 2)) for k, b in enumerate(_bernoulli(12)))
_DIGAMMA = tuple(float(b / (2 * k + 2)) for k, b in enumerate(_bernoulli(8)))


@register_jitable
def _hurwitz(s, q):
    """The sum of (q + k)**-s over k >= 0, for s > 1, and its derivative by s, by the Euler-Maclaurin formula.

    For other s its continuation, where the formula's terms decrease: for s > -10.
    """
    n = 0.0
    total, slope = 0.0, 0.0
    while n < 12.0 or q + n < 12.0:
        term = (q + n) ** -s
        total += term
        slope -= term * np.log(abs(q + n))
        n += 1.0
    w = q + n
    log_w = np.log(w)
    power = w**-s
    total += power * w / (s - 1.0) + 0.5 * power
    slope -= power * w / (s - 1.0) * (log_w + 1.0 / (s - 1.0)) + 0.5 * power * log_w
    rising, rising_slope = s, 1.0  # of s * (s + 1) * ... and its derivative
    for k in range(12):
        power /= w
        term = _EULER_MACLAURIN[k] * power
        total += term * rising
        slope += term * (rising_slope - rising * log_w)
        for j in range(2 * k + 1, 2 * k + 3):
            rising_slope = rising_slope * (s + j) + rising
            rising *= s + j
        power /= w
    return total, slope


@register_jitable
def _cotangent_derivative(n, x):
    """The n-th derivative of cot(pi * x): a polynomial in the cotangent, with p[k + 1] = -(1 + t**2) * p[k]'."""
    terms = np.zeros(n + 3)
    terms[1] = 1.0
    for _ in range(n):
        after = np.zeros(n + 3)
        for k in range(1, n + 2):
            after[k - 1] -= k * terms[k]
            if k + 1 < n + 3:
                after[k + 1] -= k * terms[k]
        terms = after
    t = 1.0 / np.tan(math.pi * (x - np.floor(x.real)))
    total = 0.0 * t
    for k in range(n + 2, -1, -1):
        total = total * t + terms[k]
    return math.pi**n * total


def _polygamma_of_complex(n: Any, z: Any) -> Any:
    """The same for complex numbers: by reflection, recurrence, and the asymptotic series."""
    n, z = int(n), complex(z)
    if n == 0:
        return scipy.special.psi(z)
    if z.real < 0.5:
        return (-1.0) ** n * _polygamma_of_complex(n, 1.0 - z) - math.pi * _cotangent_derivative(n, z)
    total = 0j
    while abs(z) < 15.0 + n:
        total += z ** (-n - 1)
        z += 1.0
    total = math.factorial(n) * (total + 0.5 * z ** (-n - 1)) + math.factorial(n - 1) * z**-n
    for k, coefficient in enumerate(_EULER_MACLAURIN):
        total += coefficient * math.factorial(2 * k + n + 1) * z ** (-2 * k - 2 - n)
    return (-1.0) ** (n + 1) * total


@functools.partial(elementwise, of_complex=_polygamma_of_complex)
def polygamma(n, x):
    """The n-th derivative of the digamma function; n = 0 is that function itself.

    >>> [round(float(polygamma(n, 1.0)), 12) for n in range(3)]
    [-0.577215664902, 1.644934066848, -2.404113806319]
    """
    if not 0 <= n <= _HIGHEST:
        return math.nan
    n = int(n)
    if n == 0:
        return float(scipy.special.psi(x))
    if x <= 0.0 and x == np.floor(x):
        return math.nan if n % 2 == 0 else math.inf
    factorial = scipy.special.gamma(n + 1.0)
    if x < -20.0:  # by reflection
        return -math.pi * _cotangent_derivative(n, x) - factorial * _hurwitz(n + 1.0, 1.0 - x)[0]
    return (factorial if n % 2 else -factorial) * _hurwitz(n + 1.0, x)[0]


@elementwise
def hurwitz_zeta(s, q):
    """The Hurwitz zeta function, the sum of (q + k)**-s over k >= 0, for s > 1; what SciPy gives elsewhere.

    >>> round(float(hurwitz_zeta(2.0, 1.0)), 12)
    1.644934066848
    """
    if s == 1.0:
        return math.inf
    if s < 1.0 or s != s or q != q:
        return math.nan
    if q <= 0.0:
        if q == np.floor(q):
            return math.inf
        if s != np.floor(s):
            return math.nan
    return _hurwitz(s, q)[0]


@elementwise
def hurwitz_zeta_slope(s, q):
    """The derivative of the Hurwitz zeta function by its first argument, for s > 1 and q > 0.

    >>> round(float(hurwitz_zeta_slope(2.0, 1.0)), 12)
    -0.937548254316
    """
    if not (s > 1.0 and q > 0.0):
        return math.nan
    return _hurwitz(s, q)[1]


@register_jitable
def _riemann(s):
    """The Riemann zeta function and its derivative; by reflection for s < -1."""
    if s == 1.0:
        return math.inf, math.nan
    if s >= -1.0:
        return _hurwitz(s, 1.0)
    mirrored, slope = _hurwitz(1.0 - s, 1.0)
    factor = np.exp(s * np.log(2.0) + (s - 1.0) * np.log(math.pi) + scipy.special.gammaln(1.0 - s))
    half = 0.5 * s - 2.0 * np.floor(0.25 * s)  # the sine's period is 4 in s
    sine, cosine = np.sin(math.pi * half), np.cos(math.pi * half)
    if s == np.floor(s) and s % 2.0 == 0.0:
        sine = 0.0
    logs = np.log(2.0 * math.pi) - scipy.special.psi(1.0 - s)
    value = factor * sine * mirrored
    return value, value * logs + factor * (0.5 * math.pi * cosine * mirrored - sine * slope)


@elementwise
def riemann_zeta(s):
    """The Riemann zeta function of real numbers.

    >>> round(float(riemann_zeta(-1.0)), 12)
    -0.083333333333
    """
    return _riemann(s)[0]


@elementwise
def riemann_zeta_slope(s):
    """The derivative of the Riemann zeta function.

    >>> round(float(riemann_zeta_slope(0.0)), 12)
    -0.918938533205
    """
    return _riemann(s)[1]


@elementwise
def digamma_difference(x, h):
    """psi(x + h) - psi(x), without cancellation where both arguments are positive.

    >>> float(digamma_difference(1e12, 2.0))
    1.999999999999e-12
    """
    if not (x > 0.0 and x + h > 0.0):
        return float(scipy.special.psi(x + h) - scipy.special.psi(x))
    total = 0.0
    while min(x, x + h) < 12.0:
        total += h / (x * (x + h))
        x += 1.0
    log_ratio = np.log1p(h / x)
    total += log_ratio + 0.5 * h / (x * (x + h))
    for k in range(8):
        total -= _DIGAMMA[k] * np.expm1(-2.0 * (k + 1) * log_ratio) * x ** (-2.0 * (k + 1))
    return total


def _reciprocal_gamma_slope_of_complex(z: Any) -> Any:
    if z.imag == 0.0:
        return reciprocal_gamma_slope(z.real)
    return -scipy.special.rgamma(z) * scipy.special.psi(z)


@functools.partial(elementwise, of_complex=_reciprocal_gamma_slope_of_complex)
def reciprocal_gamma_slope(x):
    """The derivative of 1 / gamma(x), also where that is 0.

    >>> [float(reciprocal_gamma_slope(-n)) for n in range(3)]
    [1.0, -1.0, 2.0]
    """
    if x <= 0.0 and x == np.floor(x):
        return scipy.special.gamma(1.0 - x) * (1.0 if x % 2.0 == 0.0 else -1.0)
    return float(-scipy.special.rgamma(x) * scipy.special.psi(x))


@register_jitable
def _log1p_rest(u):
    """log1p(u) - u."""
    if abs(u) > 0.1:
        return np.log1p(u) - u
    s = u / (2.0 + u)  # log1p(u) = 2 * artanh(s)
    square, term, total = s * s, s, 0.0
    for k in range(1, 12):
        term *= square
        total += term / (2 * k + 1)
    return 2.0 * total - u * s


@register_jitable
def _power_density(a, x):
    """x**a * exp(-x) / gamma(a + 1)."""
    if x == 0.0:
        return 1.0 if a == 0.0 else 0.0
    if a < 20.0:
        return np.exp(a * np.log(x) - x - scipy.special.gammaln(a + 1.0))
    square = 1.0 / (a * a)
    rest = (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0))) / a  # Stirling's series
    return np.exp(a * _log1p_rest((x - a) / a) - rest) / np.sqrt(2.0 * math.pi * a)


@elementwise
def gamma_density(a, x):
    """x**(a - 1) * exp(-x) / gamma(a), also for large arguments, where powers and the gamma function overflow.

    >>> round(float(gamma_density(2.0, 1.0)), 12)
    0.367879441171
    """
    if not (x >= 0.0 and a >= 0.0):
        return math.nan
    if a == 0.0:  # where gammainc is 1
        return 0.0 if x > 0.0 else math.nan
    if x == 0.0:
        return 1.0 if a == 1.0 else (0.0 if a > 1.0 else math.inf)
    return _power_density(a, x) * a / x


@register_jitable
def _lower_series(a, x):
    """The first two derivatives of gammainc by a, for x not much above a: the derivative of each term of its series."""
    term = _power_density(a, x)
    log_ratio = np.log(x) - scipy.special.psi(a + 1.0)
    curvature = _hurwitz(2.0, a + 1.0)[0]
    slope, bend = 0.0, 0.0
    n = a
    for _ in range(_MOST_TERMS):
        first, second = term * log_ratio, term * (log_ratio * log_ratio - curvature)
        slope += first
        bend += second
        n += 1.0
        if n > x and abs(first) <= _EPS * abs(slope) and abs(second) <= _EPS * abs(bend):
            return slope, bend
        term *= x / n
        log_ratio -= 1.0 / n
        curvature -= 1.0 / (n * n)
    return math.nan, math.nan


@register_jitable
def _upper_fraction(a, x):
    """The first two derivatives of gammainc by a, for x > a + 1: derivatives of the continued fraction of gammaincc."""
    # Numerators and denominators of two successive convergents, each with two derivatives by a.
    a2, a2s, a2b = 1.0, 0.0, 0.0
    b2, b2s, b2b = 0.0, 0.0, 0.0
    a1, a1s, a1b = 0.0, 0.0, 0.0
    b1, b1s, b1b = 1.0, 0.0, 0.0
    value, slope, bend = 0.0, 0.0, 0.0
    converges = False
    for n in range(_MOST_TERMS):
        top, top_slope = (1.0, 0.0) if n == 0 else (-n * (n - a), float(n))
        bottom = x + 2.0 * n + 1.0 - a
        a0 = bottom * a1 + top * a2
        a0s = bottom * a1s - a1 + top_slope * a2 + top * a2s
        a0b = bottom * a1b - 2.0 * a1s + 2.0 * top_slope * a2s + top * a2b
        b0 = bottom * b1 + top * b2
        b0s = bottom * b1s - b1 + top_slope * b2 + top * b2s
        b0b = bottom * b1b - 2.0 * b1s + 2.0 * top_slope * b2s + top * b2b
        scale = 1.0 / b0
        a2, a2s, a2b, b2, b2s, b2b = a1 * scale, a1s * scale, a1b * scale, b1 * scale, b1s * scale, b1b * scale
        a1, a1s, a1b, b1, b1s, b1b = a0 * scale, a0s * scale, a0b * scale, 1.0, b0s * scale, b0b * scale
        before = value, slope, bend
        value = a1
        slope = a1s - value * b1s
        bend = a1b - 2.0 * slope * b1s - value * b1b
        # What slope and bend are differences of is rounded, which may be more than a few units of their own last place.
        near = abs(value - before[0]) <= _EPS * abs(value)
        near &= abs(slope - before[1]) <= 2.0 * _EPS * (abs(slope) + abs(a1s))
        if n > 1 and near and abs(bend - before[2]) <= 8.0 * _EPS * (abs(bend) + abs(a1b)):
            converges = True
            break
    if not converges:
        return math.nan, math.nan
    log_ratio = np.log(x) - scipy.special.psi(a)
    curvature = _hurwitz(2.0, a)[0]
    front = _power_density(a, x) * a
    first = front * (value * log_ratio + slope)
    return -first, -front * (value * (log_ratio * log_ratio - curvature) + 2.0 * log_ratio * slope + bend)


@register_jitable
def _by_parameter(a, x):
    if not (a > 0.0 and x >= 0.0):
        return math.nan, math.nan
    if x in (0.0, math.inf) or a == math.inf:
        return 0.0, 0.0
    return _lower_series(a, x) if x <= a + 1.0 else _upper_fraction(a, x)


@elementwise
def gammainc_slope(a, x):
    """The derivative of the regularised lower incomplete gamma function by a.

    >>> round(float(gammainc_slope(2.0, 1.0)), 12)
    -0.276196045703
    """
    return _by_parameter(a, x)[0]


@elementwise
def gammainc_bend(a, x):
    """The second derivative of the regularised lower incomplete gamma function by a.

    >>> round(float(gammainc_bend(2.0, 1.0)), 12)
    0.205118822291
    """
    return _by_parameter(a, x)[1]


@elementwise
def count(k):
    """A count, by which there is no derivative."""
    return k


@elementwise
def log_gamma_ratio(x):
    """gammaln(x + 1 / 2) - gammaln(x), also for large x.

    >>> round(float(log_gamma_ratio(1.0)), 12)
    -0.120782237635
    """
    if x < 20.0:
        return scipy.special.gammaln(x + 0.5) - scipy.special.gammaln(x)
    log_ratio = np.log1p(0.5 / x)
    total = x * log_ratio - 0.5 + 0.5 * np.log(x)  # of Stirling's series of both, term by term
    for k in range(8):
        # B2k / (2k (2k - 1)) / x**(2k - 1)
        power = -np.expm1(-(2.0 * k + 1.0) * log_ratio) * x ** -(2.0 * k + 1.0)
        total -= _DIGAMMA[k] / (2.0 * k + 1.0) * power
    return total
