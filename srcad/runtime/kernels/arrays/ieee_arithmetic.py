"""Divisions and powers of derivative rules where generated code runs uncompiled, as IEEE 754 has them.

Python raises an exception for `0.5 / 0.0`. The slope of a function may be infinite where the function is not, as that
of the square root at 0: then the derivative is infinite or, by a strong product, 0, as in compiled code.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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


def ignore_errors() -> None:
    """From here on floating-point errors give no warnings, until the caller restores how they are handled."""
    unwarned.set(IGNORED)
