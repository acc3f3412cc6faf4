"""Copies of arrays that others can write to, and empty shells of arrays of which only shape and dtype matter."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcad.runtime.support.nested_structures import flatten, map_leaves

_NOTHING = bytes(64)  # the memory of shells


def snapshot(structure: Any) -> Any:
    """The structure with arrays that others can write to copied; arrays that share memory share it in the copies too.

    >>> array = np.arange(3.0)
    >>> first, second, third = snapshot((array, array, array[1:]))
    >>> first is second, first is array, np.shares_memory(first, third)
    (True, False, True)
    """
    theirs = [each for each in flatten(structure) if isinstance(each, np.ndarray) and is_writable(each)]
    made: dict[int, Any] = {}
    for place, array in enumerate(theirs):
        others = [*theirs[:place], *theirs[place + 1 :]]
        if any(other is not array and np.may_share_memory(other, array) for other in others):
            owner = _owner(array)
            copy = made.setdefault(id(owner), owner.copy(order="K"))
            made[id(array)] = _same_part(array, owner, copy)
        elif id(array) not in made:
            made[id(array)] = array.copy()
    return map_leaves(lambda leaf: made.get(id(leaf), leaf), structure) if made else structure


def _owner(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _same_part(array: Any, owner: Any, copy: Any) -> Any:
    """The part of the copy that corresponds to the part `array` of its owner."""
    if array is owner:
        return copy
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, copy, offset, array.strides)


def is_writable(array: Any) -> bool:
    """Whether anyone can write to the memory of an array, through it or through the array that it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None


@functools.lru_cache(256)
def shell_of(shape: tuple[int, ...], dtype: Any) -> Any:
    """An array of this shape and dtype that takes no memory.

    >>> shell_of((1000, 1000), np.float64).strides
    (0, 0)
    """
    return np.ndarray(shape, dtype, _NOTHING, 0, (0,) * len(shape))


def emptied(value: Any) -> Any:
    """An array as a shell; anything else as it is."""
    return shell_of(value.shape, value.dtype) if isinstance(value, np.ndarray) else value
