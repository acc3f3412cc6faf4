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


@in_place_of(np.sort, 1, when=is_sortable)
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
def _element(a, place):
    """The element at a place."""
    return a[place]


@register_jitable
def _itself(_, held):
    """What is given."""
    return held


@register_jitable
def _is_before(one, two):
    """Whether a number has to come before another; NaN comes last."""
    return one < two or (two != two and one == one)


def _runs(first: Any, key: Any) -> Any:
    """The function (a, held) that fills `held` with what stands for the elements of a vector, in sorted runs.

    first   what stands for the element at a place: (a, place) -> it
    key     the element that it stands for: (a, it) -> element
    """

    @register_jitable
    def runs(a, held):
        n = a.size
        for start in range(0, n, RUN):
            for i in range(start, min(start + RUN, n)):
                one, j = first(a, i), i
                while j > start and _is_before(key(a, one), key(a, held[j - 1])):
                    held[j] = held[j - 1]
                    j -= 1
                held[j] = one

    return runs


def _merged(key: Any) -> Any:
    """The function (a, held) that merges these runs, and returns them in `held` or in other memory."""

    @register_jitable
    def merge(a, held, spare, start, middle, stop):
        i, j, k = start, middle, start
        while i < middle and j < stop:
            if _is_before(key(a, held[j]), key(a, held[i])):
                spare[k] = held[j]
                j += 1
            else:
                spare[k] = held[i]
                i += 1
            k += 1
        for left in range(i, middle):
            spare[k] = held[left]
            k += 1
        for left in range(j, stop):
            spare[k] = held[left]
            k += 1

    @register_jitable
    def merged(a, held):
        n, spare = a.size, np.empty_like(held)
        block, shortest = BLOCK, RUN
        while True:
            for low in range(0, n, block):
                width = shortest
                while width < min(n, block):
                    high = min(low + block, n)
                    for start in range(low, high, 2 * width):
                        middle, stop = min(start + width, high), min(start + 2 * width, high)
                        merge(a, held, spare, start, middle, stop)
                    held, spare = spare, held
                    width *= 2
            if block >= n:
                break
            block, shortest = n, block
        return held

    return merged


_runs_of_values, _merged_values = _runs(_element, _itself), _merged(_itself)
_runs_of_places, _merged_places = _runs(_itself, _element), _merged(_element)


@overload(sorted_values)
def _overload_sorted_values(a):
    def impl(a):
        values = np.empty(a.size, a.dtype)
        _runs_of_values(a, values)
        return _merged_values(a, values)

    return impl


@overload(sorted_places)
def _overload_sorted_places(a):
    def impl(a):
        places = np.empty(a.size, np.int64)
        _runs_of_places(a, places)
        return _merged_places(a, places)

    return impl
