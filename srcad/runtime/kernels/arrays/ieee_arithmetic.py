"""Operations on numbers with the results that arrays have where Python raises an exception.

Python raises an exception for `0.5 / 0.0`. The slope of a function may be infinite where the function is not, as that
of the square root at 0: then the derivative is infinite or, by a strong product, 0, as in compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload

from srcad.runtime.support.errstate import IGNORED, unwarned


def ieee_quotient(left: Any, right: Any) -> Any:
    """The quotient, infinite or nan where the divisor is 0.

    >>> with np.errstate(all="ignore"):
    ...     ieee_quotient(1.0, 4.0), float(ieee_quotient(0.5, 0.0)), float(ieee_quotient(0.0, 0.0))
    (0.25, inf, nan)
    """
    try:
        return left / right
    except (ZeroDivisionError, OverflowError):
        return np.divide(left, right)


def ieee_power(base: Any, exponent: Any) -> Any:
    """The power, infinite where a power of 0 is, or where it is too large.

    >>> with np.errstate(all="ignore"):
    ...     ieee_power(2.0, 3), float(ieee_power(0.0, -0.5)), float(ieee_power(10.0, 400.0))
    (8.0, inf, inf)
    """
    try:
        return base**exponent
    except (ZeroDivisionError, OverflowError):
        return np.float_power(base, exponent)


def to_integer(x: Any) -> Any:
    """A number without what is behind its point, as a 64-bit integer: an element of `x.astype(np.int64)`.

    What no integer stands for (nan, infinity) becomes some integer, as in an array, and raises no exception.

    >>> int(to_integer(-2.7)), isinstance(to_integer(np.nan), np.int64)
    (-2, True)
    """
    before = unwarned.set(IGNORED)
    try:
        return np.asarray(x).astype(np.int64)[()]
    finally:
        unwarned.reset(before)


@overload(to_integer)
def _to_integer(x):
    return lambda x: np.int64(x)


def ignore_errors() -> None:
    """From here on floating-point errors give no warnings, until the caller restores how they are handled."""
    unwarned.set(IGNORED)
