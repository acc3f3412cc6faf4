"""Sorted vectors and the order that sorts them, by merging: one function each, where Numba compiles ten for `np.sort`.

Runs of `RUN` elements are sorted by insertion, and merged. The order is stable; NaN comes last, as in NumPy.

Literature: Knuth, *The Art of Computer Programming* 3, 5.2.4 (sorting by merging).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.jit.replaced_calls import in_place_of

RUN = 16  # elements that are sorted by insertion
# Elements that are merged before the next ones are looked at, since they fit into a cache: a power of 4 times RUN, so
# that an even number of merges, which go from one array to another and back, leaves them where they were.
BLOCK = 4096


def is_sortable(a: Any, *_: Any) -> bool:
    """Whether a type is that of a vector of real numbers.

    >>> is_sortable(types.float64[:]), is_sortable(types.complex128[:]), is_sortable(types.float64[:, :])
    (True, False, False)
    """
    is_vector = type(a) is types.Array and a.ndim == 1
    return is_vector and isinstance(a.dtype, (types.Float, types.Integer, types.Boolean))


@in_place_of("sort", 1, when=is_sortable)
def sorted_values(a: Any) -> Any:
    """The elements of a vector in ascending order.

    >>> sorted_values(np.array([2.0, np.nan, 1.0]))
    array([ 1.,  2., nan])
    """
    return np.sort(a)


def sorted_places(a: Any) -> Any:
    """The places of a vector's elements in ascending order; of equal elements, the first comes first.

    >>> sorted_places(np.array([2.0, np.nan, 1.0, 2.0]))
    array([2, 0, 3, 1])
    """
    return np.argsort(a, kind="stable")


@register_jitable
def _merge_values(values, spare, start, middle, stop):
    """Merge two sorted parts of a vector that are side by side."""
    i, j, k = start, middle, start
    while i < middle and j < stop:
        one, two = values[i], values[j]
        if two < one or (one != one and two == two):
            spare[k] = values[j]
            j += 1
        else:
            spare[k] = values[i]
            i += 1
        k += 1
    for left in range(i, middle):
        spare[k] = values[left]
        k += 1
    for left in range(j, stop):
        spare[k] = values[left]
        k += 1


@register_jitable
def _merge_places(a, places, spare, start, middle, stop):
    """The same of places, by the elements there."""
    i, j, k = start, middle, start
    while i < middle and j < stop:
        one, two = a[places[i]], a[places[j]]
        if two < one or (one != one and two == two):
            spare[k] = places[j]
            j += 1
        else:
            spare[k] = places[i]
            i += 1
        k += 1
    for left in range(i, middle):
        spare[k] = places[left]
        k += 1
    for left in range(j, stop):
        spare[k] = places[left]
        k += 1


@overload(sorted_values)
def _overload_sorted_values(a):
    def impl(a):
        n = a.size
        values, spare = np.empty(n, a.dtype), np.empty(n, a.dtype)
        for start in range(0, n, RUN):
            for i in range(start, min(start + RUN, n)):
                value, j = a[i], i
                # The second condition holds where the element before is NaN, and this one is not.
                while j > start and (value < values[j - 1] or (values[j - 1] != values[j - 1] and value == value)):
                    values[j] = values[j - 1]
                    j -= 1
                values[j] = value
        block, shortest = BLOCK, RUN
        while True:
            for low in range(0, n, block):
                width = shortest
                while width < min(n, block):
                    high = min(low + block, n)
                    for start in range(low, high, 2 * width):
                        middle, stop = min(start + width, high), min(start + 2 * width, high)
                        _merge_values(values, spare, start, middle, stop)
                    values, spare = spare, values
                    width *= 2
            if block >= n:
                break
            block, shortest = n, block
        return values

    return impl


@overload(sorted_places)
def _overload_sorted_places(a):
    def impl(a):
        n = a.size
        places, spare = np.empty(n, np.int64), np.empty(n, np.int64)
        for start in range(0, n, RUN):
            for i in range(start, min(start + RUN, n)):
                value, j = a[i], i
                while j > start:
                    before = a[places[j - 1]]
                    if not (value < before or (before != before and value == value)):
                        break
                    places[j] = places[j - 1]
                    j -= 1
                places[j] = i
        block, shortest = BLOCK, RUN
        while True:
            for low in range(0, n, block):
                width = shortest
                while width < min(n, block):
                    high = min(low + block, n)
                    for start in range(low, high, 2 * width):
                        middle, stop = min(start + width, high), min(start + 2 * width, high)
                        _merge_places(a, places, spare, start, middle, stop)
                    places, spare = spare, places
                    width *= 2
            if block >= n:
                break
            block, shortest = n, block
        return places

    return impl
