"""The extremes of a whole array, as `np.max` and `np.min` give them: Numba compiles those for four times as long."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def largest(a: Any) -> Any:
    """The largest element of an array of real numbers, NaN if it has one.

    >>> largest(np.array([[1.0, 3.0], [2.0, 0.0]])).item()
    3.0
    """
    return np.max(a)


def smallest(a: Any) -> Any:
    """The smallest element of an array of real numbers, NaN if it has one.

    >>> smallest(np.array([1.0, np.nan])).item()
    nan
    """
    return np.min(a)


@overload(largest)
def _overload_largest(a):
    if not _is_real(a):
        return None

    def impl(a):
        if a.size == 0:
            raise ValueError("zero-size array to reduction operation maximum which has no identity")
        found = a.flat[0]
        for each in a.flat:
            if each > found or each != each:
                found = each
        return found

    return impl


@overload(smallest)
def _overload_smallest(a):
    if not _is_real(a):
        return None

    def impl(a):
        if a.size == 0:
            raise ValueError("zero-size array to reduction operation minimum which has no identity")
        found = a.flat[0]
        for each in a.flat:
            if each < found or each != each:
                found = each
        return found

    return impl


def _is_real(a: Any) -> bool:
    return isinstance(a, types.Array) and a.ndim > 0 and isinstance(a.dtype, (types.Float, types.Integer))
