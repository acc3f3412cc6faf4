"""`np.where` for numbers and arrays alike, in compiled code too, where NumPy's own makes an array of no dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def select(c: Any, a: Any, b: Any) -> Any:
    """`a` where `c` holds, else `b`.

    >>> float(select(True, 1.0, 2.0)), select(np.array([True, False]), 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    return np.where(c, a, b)[()]


@overload(select)
def _select(c: Any, a: Any, b: Any) -> Any:
    if any(isinstance(each, types.Array) for each in (c, a, b)):
        return lambda c, a, b: np.where(c, a, b)

    def number(c: Any, a: Any, b: Any) -> Any:
        return a if c else b

    return number
