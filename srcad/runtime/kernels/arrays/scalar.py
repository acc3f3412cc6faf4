"""Elementwise kernels: derivatives whose formula needs a guard, for scalars and arrays, in NumPy and in Numba.

In Python each runs as NumPy statements; in Numba each is compiled from the formula for one element below.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.support.errstate import IGNORED, unwarned


def ratio(a: Any, b: Any) -> Any:
    """The quotient a / b, and 0 where b is 0.

    >>> ratio(np.array([3.0, 0.0]), np.array([4.0, 0.0]))
    array([0.75, 0.  ])
    """
    if has_no_zeros(b):
        return a / b
    return np.where(b == 0, 0.0, a / np.where(b == 0, 1.0, b))[()]


def has_no_zeros(b: Any) -> bool:
    """Whether a number or array is known to have no zeros; False for values of other types.

    >>> has_no_zeros(np.ones(2)), has_no_zeros(np.float64(0.0))
    (True, False)
    """
    if type(b) is np.ndarray:
        return bool(np.count_nonzero(b) == b.size)
    return isinstance(b, (float, np.generic)) and bool(b)


def root(x: Any) -> Any:
    """The square root of a sum of squares, whose slope at 0 is taken as 0, as that of a norm.

    >>> root(np.array([4.0, 0.0]))
    array([2., 0.])
    """
    return np.sqrt(x)


def power_mean(x: Any, p: Any) -> Any:
    """The p-th root of a sum of powers, whose slope at 0 is taken as 0, as that of a norm.

    >>> round(float(power_mean(8.0, 3)), 12)
    2.0
    """
    return x ** (1.0 / p)


power_mean.takes_numbers = True  # type: ignore[attr-defined]  # so loop nests may call it for each element


def divides(products: Any) -> bool:
    """Whether products can be divided by their factors safely: float64, and far from overflow and underflow.

    >>> divides(np.array([2.0, -3.0])), divides(np.array([2.0, 0.0]))
    (True, False)
    """
    if products.dtype.char != "d" or not products.size:
        return False
    if products.size == 1:
        return bool(1e-150 < abs(products.item()) < 1e150)
    sizes = np.absolute(products if products.ndim == 1 else products.reshape(-1))
    # If there is a nan, argmin and argmax find it.
    return bool(sizes.item(sizes.argmin()) > 1e-150 and sizes.item(sizes.argmax()) < 1e150)


def power_slope(a: Any, b: Any) -> Any:
    """The derivative b * a ** (b - 1) of a power, and 0 where b is 0, whatever a is.

    >>> power_slope(np.array([0.0, 0.0, 3.0]), np.array([0.0, 1.0, 2.0]))
    array([0., 1., 6.])
    """
    if isinstance(a, float) and isinstance(b, float) and a > 0 and b:
        with contextlib.suppress(OverflowError):
            return np.float64(b * math.pow(a, b - 1.0))
    return power_bend(1, a, b)


def power_bend(c: Any, a: Any, b: Any) -> Any:
    """The derivative c * b * a ** (b - 1) of a multiple of a power, and 0 where c * b is 0, whatever a is.

    >>> power_bend(np.array([0.0, 2.0, 2.0]), 0.0, np.array([-1.0, 0.0, 1.0]))
    array([-0.,  0.,  2.])
    """
    whole = c * b
    before = unwarned.set(IGNORED)
    try:
        if has_no_zeros(whole) and type(a) is np.ndarray and a.dtype.char == "d":
            return whole * np.power(a, b - 1.0)
        return whole * np.power(_inexact(a), np.where(whole == 0, 1, np.subtract(b, 1)))[()]
    finally:
        unwarned.reset(before)


def power_log(p: Any, a: Any) -> Any:
    """The product p * log(a): the derivative of p = a ** b by b. Where a is not positive, log(a) is taken as 0.

    For complex numbers, this is where a is 0. Both are TensorFlow's choice.

    >>> float(power_log(0.0, 0.0)), round(float(power_log(8.0, 2.0)), 3), float(power_log(-8.0, -2.0))
    (0.0, 5.545, -0.0)
    """
    if type(a) is np.ndarray and a.dtype.kind in "iub":
        a = a.astype(np.float64)  # NumPy computes logarithms of short integers in low precision
    is_complex = np.iscomplexobj(p) or np.iscomplexobj(a)
    is_there = a != 0 if is_complex else a > 0
    base = a + 0j if is_complex else a
    if np.all(is_there):
        return p * np.log(base)
    return p * np.where(is_there, np.log(np.where(is_there, base, 1.0)), 0.0)[()]


def power_log_slope(p: Any, a: Any) -> Any:
    """The quotient p / a, the derivative of p * log(a) by a, and 0 where `power_log` takes log(a) as 0.

    >>> power_log_slope(3.0, np.array([2.0, 0.0, -2.0]))
    array([1.5, 0. , 0. ])
    """
    is_there = a != 0 if np.iscomplexobj(p) or np.iscomplexobj(a) else a > 0
    if np.all(is_there):
        return p / a
    return p * np.where(is_there, 1.0 / np.where(is_there, a, 1.0), 0.0)[()]


def sinc_slope(x: Any) -> Any:
    """The derivative of np.sinc: (cos(pi x) - sinc(x)) / x, by its series near 0.

    >>> float(sinc_slope(0.0)), round(float(sinc_slope(1.0)), 12)
    (-0.0, -1.0)
    """
    if type(x) is np.ndarray and x.ndim == 1 and x.size and _are_far(x):
        turns = np.pi * x
        found, sines = np.cos(turns), np.sin(turns)
        sines /= turns
        found -= sines
        found /= x
        return found
    small = np.abs(x) < 0.01
    t = np.square(np.pi * x)
    series = -np.pi * np.pi * x * (1.0 / 3.0 - t * (1.0 / 30.0 - t * (1.0 / 840.0 - t / 45360.0)))
    return np.where(small, series, (np.cos(np.pi * x) - np.sinc(x)) / np.where(small, 1.0, x))[()]


def _are_far(x: Any) -> bool:
    """Whether no element of a vector is near zero."""
    if x.dtype.kind == "f" and x.item(x.argmin()) >= 0.01:
        return True
    sizes = np.abs(x)
    return bool(sizes.item(sizes.argmin()) >= 0.01)


def is_below(a: Any, a_min: Any, a_max: Any) -> Any:
    """Where `np.clip(a, a_min, a_max)` is the lower bound."""
    if a_min is None:
        return np.zeros(np.shape(a), np.bool_)
    return (a < a_min) if a_max is None else (a < a_min) & (a_min <= a_max)


def is_above(a: Any, a_min: Any, a_max: Any) -> Any:
    """Where `np.clip(a, a_min, a_max)` is the upper bound; also where the bounds are crossed."""
    if a_max is None:
        return np.zeros(np.shape(a), np.bool_)
    return (a > a_max) if a_min is None else (a > a_max) | (a_min > a_max)


def polygamma(n: int, x: Any) -> Any:
    """The n-th derivative of the digamma function (n = 0: digamma itself) of a real scalar.

    >>> round(polygamma(0, 1.0), 12), round(polygamma(1, 1.0), 12), round(polygamma(0, -0.5), 12)
    (-0.577215664902, 1.644934066848, 0.036489973979)
    """
    return _polygamma(n, float(x))


# Bernoulli numbers B2, B4, ..., B20.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)


@register_jitable
def _polygamma(n: int, x: float) -> float:
    if x <= 0.0 and x == math.floor(x):
        return math.nan
    sign = 1.0 if n % 2 else -1.0
    factorial = math.gamma(n + 1.0)
    total = 0.0
    while x < 15.0 + n:  # recurrence, up to where the asymptotic series is exact
        total += sign * factorial / x ** (n + 1)
        x += 1.0
    if n == 0:
        total += math.log(x) - 0.5 / x
    else:
        total += sign * (factorial / n / x**n + 0.5 * factorial / x ** (n + 1))
    term = sign * factorial * (n + 1.0) / 2.0 / x ** (n + 2)  # (2k + n - 1)! / (2k)! at k = 1
    for k in range(10):
        total += _BERNOULLI[k] * term
        m = 2.0 * k + 2.0
        term *= (m + n) * (m + n + 1.0) / ((m + 1.0) * (m + 2.0)) / (x * x)
    return total


def _inexact(a: Any) -> Any:
    return a if np.issubdtype(np.result_type(a), np.inexact) else np.asarray(a, np.float64)[()]


def _ratio(a, b):
    return a * 0 if b == 0 else a / b


def _complex_ratio(a, b):
    return a * 0 if b == 0 else complex(a.real / b, a.imag / b)


def _power_slope(a, b):
    return a * 0 if b == 0 else b * a ** (b - 1)


def _power_bend(c, a, b):
    return a * 0 if c * b == 0 else c * b * a ** (b - 1)


def _power_log(p, a):
    return p * np.log(a) if a > 0 else p * 0


def _complex_power_log(p, a):
    return p * np.log(a + 0j) if a != 0 else p * (0 + 0j)


def _power_log_slope(p, a):
    return p / a if a > 0 else p * 0


def _complex_power_log_slope(p, a):
    return p / a if a != 0 else p * 0


def _is_complex(kind: Any) -> bool:
    return isinstance(getattr(kind, "dtype", kind), types.Complex)


def _sinc_slope(x):
    t = np.pi * x
    if abs(x) < 0.01:
        t = t * t
        return -np.pi * np.pi * x * (1.0 / 3.0 - t * (1.0 / 30.0 - t * (1.0 / 840.0 - t / 45360.0)))
    return (np.cos(t) - np.sin(t) / t) / x


@functools.cache
def _of_numbers(function: Callable[..., Any]) -> Any:
    return register_jitable(inline="always")(function)


@functools.cache
def ufunc(function: Callable[..., Any]) -> Any:
    """A function of numbers as a ufunc. It is made when needed, since that makes Numba import its ufunc support."""
    return numba.vectorize(function)


def _elementwise(function: Callable[..., Any], *kinds: Any) -> Any:
    return _of_numbers(function) if _are_numbers(*kinds) else ufunc(function)


@overload(ratio)
def _overload_ratio(a, b):
    by_real = _is_complex(a) and not _is_complex(b)
    elementwise = _elementwise(_complex_ratio if by_real else _ratio, a, b)
    return lambda a, b: elementwise(a, b)


@overload(root)
def _overload_root(x):
    return lambda x: np.sqrt(x)


@overload(power_mean)
def _overload_power_mean(x, p):
    return lambda x, p: x ** (1.0 / p)


@overload(power_slope)
def _overload_power_slope(a, b):
    elementwise = _elementwise(_power_slope, a, b)
    return lambda a, b: elementwise(a, b)


@overload(power_bend)
def _overload_power_bend(c, a, b):
    elementwise = _elementwise(_power_bend, c, a, b)
    return lambda c, a, b: elementwise(c, a, b)


@overload(power_log)
def _overload_power_log(p, a):
    elementwise = _elementwise(_complex_power_log if _is_complex(p) or _is_complex(a) else _power_log, p, a)
    return lambda p, a: elementwise(p, a)


@overload(power_log_slope)
def _overload_power_log_slope(p, a):
    is_complex = _is_complex(p) or _is_complex(a)
    elementwise = _elementwise(_complex_power_log_slope if is_complex else _power_log_slope, p, a)
    return lambda p, a: elementwise(p, a)


@overload(sinc_slope)
def _overload_sinc_slope(x):
    elementwise = _elementwise(_sinc_slope, x)
    return lambda x: elementwise(x)


def _are_numbers(*kinds: Any) -> bool:
    return all(isinstance(kind, (types.Number, types.Boolean)) for kind in kinds)


@overload(polygamma)
def _overload_polygamma(n, x):
    return lambda n, x: _polygamma(n, x)


@overload(is_below)
def _overload_is_below(a, a_min, a_max):
    if _is_none(a_min):
        return lambda a, a_min, a_max: np.less(a, a)
    if _is_none(a_max):
        return lambda a, a_min, a_max: np.less(a, a_min)
    return lambda a, a_min, a_max: np.logical_and(np.less(a, a_min), np.less_equal(a_min, a_max))


@overload(is_above)
def _overload_is_above(a, a_min, a_max):
    if _is_none(a_max):
        return lambda a, a_min, a_max: np.less(a, a)
    if _is_none(a_min):
        return lambda a, a_min, a_max: np.greater(a, a_max)
    return lambda a, a_min, a_max: np.logical_or(np.greater(a, a_max), np.greater(a_min, a_max))


@overload(np.clip)
def _overload_clip(a, a_min, a_max):
    """Numba has it of arrays only."""
    bounds = [each for each in (a_min, a_max) if not _is_none(each)]
    if not _are_numbers(a, *bounds) or not bounds:
        return None
    if _is_none(a_min):
        return lambda a, a_min, a_max: np.minimum(a, a_max)
    if _is_none(a_max):
        return lambda a, a_min, a_max: np.maximum(a, a_min)
    return lambda a, a_min, a_max: np.minimum(np.maximum(a, a_min), a_max)


def _is_none(argument: Any) -> bool:
    return argument is None or isinstance(argument, types.NoneType | types.Omitted)


def exponents(x: Any) -> Any:
    """The exponents of `np.frexp`.

    >>> int(exponents(6.0))
    3
    """
    return np.frexp(x)[1]


@overload(exponents)
def _overload_exponents(x):
    if not isinstance(x, types.Array):
        return lambda x: math.frexp(x)[1]

    def impl(x):
        result = np.empty(x.shape, np.int32)
        flat, there = np.ravel(x), result.reshape(result.size)
        for k in range(flat.size):
            there[k] = math.frexp(flat[k])[1]
        return result

    return impl
