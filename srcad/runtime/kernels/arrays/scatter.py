"""Scatter: the adjoint of reading by an index. Values are added at the indexed places; repeated places add up."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

# Types in an index that are not arrays.
_BASIC = frozenset((int, slice, type(None), type(...)))


def scatter_add(bar: Any, index: Any, value: Any) -> None:
    """`bar[index] += value`, where places that occur several times get all their values.

    >>> bar = np.zeros(3)
    >>> scatter_add(bar, np.array([0, 2, 2]), np.array([1.0, 10.0, 100.0]))
    >>> bar
    array([  1.,   0., 110.])
    """
    if is_basic(index):
        bar[index] += value
    else:
        np.add.at(bar, index, value)


def scatter(g: Any, shape: tuple[int, ...], index: Any) -> Any:
    """An array of zeros with `g` added at the index: the adjoint of `x[index]`.

    >>> scatter(2.0, (3,), 1)
    array([0., 2., 0.])
    """
    bar = np.zeros(shape, g.dtype if isinstance(g, (np.ndarray, np.generic)) else np.result_type(g))
    if type(index) is list:
        index = np.asarray(index, np.intp if not index else None)
    if is_basic(index) or (type(index) is np.ndarray and index.dtype.kind == "b"):
        bar[index] = g
    elif _are_counts(bar, index, g):
        return np.bincount(index.reshape(-1), g.reshape(-1), len(bar))
    else:
        np.add.at(bar, index, g)
    return bar


def _are_counts(bar: Any, index: Any, g: Any) -> bool:
    """Whether `np.bincount` can add these values at these places."""
    return (
        type(index) is np.ndarray
        and bar.ndim == 1
        and index.ndim > 0
        and bar.dtype.char == "d"
        and type(g) is np.ndarray
        and g.shape == index.shape
        and index.dtype.kind == "i"
        and bool(index.size and np.minimum.reduce(index, None) >= 0)
    )


def added_at(a: Any, index: Any, b: Any) -> Any:
    """A copy of `a` after `np.add.at(a, index, b)`.

    >>> added_at(np.ones(3), np.array([0, 2, 2]), 10.0)
    array([11.,  1., 21.])
    """
    result = np.copy(a)
    np.add.at(result, index, b)
    return result


def is_basic(index: Any) -> bool:
    """Whether an index consists of integers and slices, so that no place occurs twice.

    >>> is_basic((0, slice(None))), is_basic([0, 0])
    (True, False)
    """
    for each in index if isinstance(index, tuple) else (index,):
        if type(each) not in _BASIC and not isinstance(each, (int, np.integer)):
            return False
    return True


@overload(scatter_add)
def _overload_scatter_add(bar, index, value):
    if isinstance(index, types.Array) and isinstance(index.dtype, types.Boolean):
        return _add_masked(bar, index, value)
    if isinstance(index, types.Array) and index.ndim == 1:
        return _add_at_rows(bar, value)
    parts = index.types if isinstance(index, types.BaseTuple) else (index,)
    if not any(isinstance(each, types.Array) for each in parts):

        def basic(bar, index, value):
            bar[index] += value

        return basic

    def general(bar, index, value):
        places = np.arange(bar.size).reshape(bar.shape)[index]
        values = np.broadcast_to(value, places.shape)
        for place in np.ndindex(places.shape):
            bar.flat[places[place]] += values[place]

    return general


def _add_masked(bar, index, value):
    if index.ndim != bar.ndim:

        def rows(bar, index, value):
            values = np.broadcast_to(value, bar[index].shape)
            count = 0
            for place in np.ndindex(index.shape):
                if index[place]:
                    bar[place] += values[count]
                    count += 1

        return rows
    if isinstance(value, types.Array) and value.ndim == 1:

        def elements(bar, index, value):
            step = 0 if value.size == 1 else 1
            count = 0
            for place in np.ndindex(index.shape):
                if index[place]:
                    bar[place] += value[count]
                    count += step

        return elements

    def number(bar, index, value):
        for place in np.ndindex(index.shape):
            if index[place]:
                bar[place] += value

    return number


def _add_at_rows(bar, value):
    if isinstance(value, types.Array) and value.ndim == bar.ndim:

        def rows(bar, index, value):
            step = 0 if value.shape[0] == 1 else 1
            for k in range(index.size):
                bar[index[k]] += value[k * step]

        return rows

    def same(bar, index, value):
        for k in range(index.size):
            bar[index[k]] += value

    return same


@overload(added_at)
def _overload_added_at(a, index, b):
    def impl(a, index, b):
        result = np.copy(a)
        scatter_add(result, index, b)
        return result

    return impl


@overload(scatter)
def _overload_scatter(g, shape, index):
    dtype = g.dtype if isinstance(g, types.Array) else g

    def impl(g, shape, index):
        bar = np.zeros(shape, dtype)
        scatter_add(bar, index, g)
        return bar

    return impl
