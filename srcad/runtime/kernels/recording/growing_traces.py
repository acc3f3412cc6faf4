"""Kernels for recording loops: traces that grow, and trip counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import copy_to


@register_jitable
def grown(trace: Any, place: int = 0) -> Any:
    """A longer copy of a trace: twice its length, or more if it must have this place.

    >>> grown(np.array([1.0, 2.0])).shape, grown(np.array([1.0, 2.0]), 10).shape
    ((4,), (20,))
    """
    longer = np.empty(2 * max(trace.size, place), trace.dtype)
    copy_to(longer[: trace.size], trace)
    return longer


@register_jitable
def trip_count(start: int, stop: int, step: int) -> int:
    """The length of `range(start, stop, step)`.

    >>> [trip_count(*each) for each in ((0, 5, 2), (5, 0, -2), (3, 3, 1), (4, 0, 1))]
    [3, 3, 0, 0]
    """
    if step > 0:
        return max(0, (stop - start + step - 1) // step)
    return max(0, (start - stop - step - 1) // -step)
