"""Work sharing: divide the iterations of a loop into parts, and combine the sums of the parts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.recording.growing_traces import trip_count
from srcad.runtime.kernels.recording.overlap import _bounds

MOST = 32


@register_jitable
def parts(start: int, stop: int, step: int, width: int, shared: int, weight: int) -> int:
    """The number of parts that `range(start, stop, step)` is divided into; it does not depend on the machine.

    Two iterations at most `width` apart are in the same or in neighbouring parts. If each part has `shared` elements of
    its own to clear and to add up, there are fewer parts, unless iterations have a large `weight`.

    >>> parts(0, 1000, 1, 0, 0, 1), parts(0, 5, 1, 0, 0, 1), parts(0, 30, 1, 2, 0, 1), parts(3, 3, 1, 0, 0, 1)
    (32, 5, 10, 0)
    >>> parts(0, 1000, 1, 0, 1000, 1), parts(0, 1000, 1, 0, 1000, 64)
    (1, 16)
    """
    count = trip_count(start, stop, step)
    most = min(MOST, count // (width + 1))
    if shared > 0:
        most = min(most, count * weight // (4 * shared))
    return int(min(count, max(1, most)))


@register_jitable
def part_of(part: int, parts: int, start: int, stop: int, step: int) -> tuple[int, int]:
    """The start and stop of one part of `range(start, stop, step)`.

    >>> [list(range(*part_of(k, 3, 9, -1, -2), -2)) for k in range(3)]
    [[9], [7, 5], [3, 1]]
    """
    count = trip_count(start, stop, step)
    return start + step * (count * part // parts), start + step * (count * (part + 1) // parts)


@register_jitable
def add_parts(total: Any, kept: Any) -> None:
    """Add the sums of the parts to `total`, in their order.

    >>> total = np.ones(2)
    >>> add_parts(total, np.array([[1.0, 2.0], [10.0, 20.0]]))
    >>> total
    array([12., 23.])
    """
    for k in range(kept.shape[0]):
        total += kept[k]


def may_overlap(a: Any, b: Any) -> bool:
    """Whether the memory of two arrays may overlap.

    >>> x = np.zeros(4)
    >>> may_overlap(x[:2], x[2:]), may_overlap(x[1:], x[:-1])
    (False, True)
    """
    return bool(np.may_share_memory(a, b))


@overload(may_overlap)
def _overload_may_overlap(a, b):
    def impl(a, b):
        if a.size == 0 or b.size == 0:
            return False
        first_a, last_a = _bounds(a)
        first_b, last_b = _bounds(b)
        return not (last_a < first_b or last_b < first_a)

    return impl
