"""Adjoints of broadcasting and of reductions: sum an adjoint to an operand's shape, or broadcast it over reduced axes.

Axes are None, an integer or a tuple of integers. In Numba each call is specialised to its ranks.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import copy_to

Axis = int | tuple[int, ...] | None


def unbroadcast(g: Any, x: Any) -> Any:
    """Sum an adjoint to the shape of the operand; returns the adjoint itself if there is nothing to sum.

    >>> unbroadcast(np.ones((2, 3)), np.zeros((2, 1)))
    array([[3.],
           [3.]])
    """
    wide, shape = _shape(g), _shape(x)
    axes = summed_axes(wide, shape)
    if not axes:
        return g.reshape(shape) if 0 < len(wide) < len(shape) else g
    return np.add.reduce(g, axis=axes).reshape(shape)[()]


def _shape(x: Any) -> tuple[int, ...]:
    return x.shape if type(x) is np.ndarray else np.shape(x)


@functools.lru_cache(1024)
def summed_axes(wide: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of the wider shape along which an operand of this shape was broadcast."""
    extra = len(wide) - len(shape)  # negative where a store has dropped leading axes of length 1
    units = [extra + k for k, size in enumerate(shape) if size == 1 and extra + k >= 0 and wide[extra + k] != 1]
    return (*range(extra), *units)


def spread(g: Any, shape: tuple[int, ...], axis: Axis = None, keepdims: bool = False) -> Any:
    """The adjoint of a reduction's result broadcast to every element that was reduced; a new array.

    >>> spread(np.array([1.0, 2.0]), (2, 3), 1)
    array([[1., 1., 1.],
           [2., 2., 2.]])
    """
    result = np.empty(shape, g.dtype if isinstance(g, (np.ndarray, np.generic)) else np.result_type(g))
    result[...] = restore(g, shape, axis, keepdims)
    return result


def restore(g: Any, shape: tuple[int, ...], axis: Axis = None, keepdims: bool = False) -> Any:
    """The result of a reduction with unit dimensions for the reduced axes; a number stays a number.

    >>> restore(np.array([1.0, 2.0]), (2, 3), 1).shape
    (2, 1)
    >>> restore(2.0, (2, 3))
    2.0
    """
    if keepdims or axis is None or (type(g) is np.float64 and len(shape) == 1):
        return g
    if type(g) is not np.ndarray:
        g = np.asarray(g)
    return g.reshape(_with_units(tuple(shape), axis if type(axis) is int else _as_tuple(axis)))


def _as_tuple(axis: Any) -> tuple[int, ...]:
    return axis if type(axis) is tuple else (axis,) if isinstance(axis, int) else tuple(np.atleast_1d(axis).tolist())


@functools.lru_cache(1024)
def _with_units(shape: tuple[int, ...], axis: int | tuple[int, ...]) -> tuple[int, ...]:
    reduced = [each % len(shape) for each in _as_tuple(axis)]
    return tuple(1 if k in reduced else size for k, size in enumerate(shape))


def reduced_size(shape: tuple[int, ...], axis: Axis = None) -> int:
    """The number of elements that a reduction over these axes combines into one.

    >>> reduced_size((2, 3, 4), (0, -1))
    8
    """
    if axis is None:
        return math.prod(shape)
    size = 1
    for each in _as_tuple(axis):
        size *= shape[each]
    return size


def broadcast_shape(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that operands of these shapes broadcast to.

    >>> broadcast_shape((2, 1), (3,), ())
    (2, 3)
    """
    return np.broadcast_shapes(*shapes)


@overload(unbroadcast)
def _overload_unbroadcast(g, x):
    if not isinstance(g, types.Array):
        return lambda g, x: g
    if not isinstance(x, types.Array) or x.ndim == 0:
        return lambda g, x: np.sum(g)
    if g.ndim == x.ndim:
        return lambda g, x: g if g.shape == x.shape else _sum_units(g, x.shape)
    if g.ndim > x.ndim:
        return lambda g, x: _sum_units(_sum_leading(g, x.shape), x.shape)
    return None


def _sum_leading(g: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the dimensions that `shape` does not have. Only in compiled code."""
    raise NotImplementedError


@overload(_sum_leading)
def _overload_sum_leading(g, shape):
    extra, ndim = g.ndim - len(shape), len(shape)

    def impl(g, shape):
        tail = shape
        for k in range(ndim):
            tail = tuple_setitem(tail, k, g.shape[extra + k])
        total = np.zeros(tail, g.dtype)
        flat = total.reshape(total.size)
        rows = np.ascontiguousarray(g).reshape((g.size // max(1, total.size), total.size))
        for i in range(rows.shape[0]):
            for j in range(rows.shape[1]):
                flat[j] += rows[i, j]
        return total

    return impl


@register_jitable
def _sum_units(g: Any, shape: Any) -> Any:
    total = np.zeros(shape, g.dtype)
    for index in np.ndindex(g.shape):
        place = index
        for k in range(len(shape)):
            if shape[k] == 1:
                place = tuple_setitem(place, k, 0)
        total[place] += g[index]
    return total


@overload(spread)
def _overload_spread(g, shape, axis=None, keepdims=False):
    if not isinstance(g, types.Array):
        return lambda g, shape, axis=None, keepdims=False: np.full(shape, g)
    if isinstance(axis, types.Integer):
        return _spread_along

    def impl(g, shape, axis=None, keepdims=False):
        result = np.empty(shape, g.dtype)
        copy_to(result, restore(g, shape, axis))
        return result

    return impl


def _spread_along(g, shape, axis=None, keepdims=False):
    """`spread` along one axis, as loops: assignments that broadcast take Numba seconds to compile."""
    before, after = 1, 1
    place = axis + len(shape) if axis < 0 else axis
    for k in range(len(shape)):
        if k < place:
            before *= shape[k]
        elif k > place:
            after *= shape[k]
    result = np.empty((before, shape[place], after), g.dtype)
    given = np.ascontiguousarray(g).reshape((before, after))
    for i in range(before):
        for j in range(shape[place]):
            for k in range(after):
                result[i, j, k] = given[i, k]
    return result.reshape(shape)


@overload(restore)
def _overload_restore(g, shape, axis=None, keepdims=False):
    ndim = len(shape)
    if isinstance(g, types.Array) and g.ndim == ndim:
        return lambda g, shape, axis=None, keepdims=False: g
    ones = (1,) * ndim
    if not isinstance(g, types.Array):
        return lambda g, shape, axis=None, keepdims=False: g
    if g.ndim == 0:
        return lambda g, shape, axis=None, keepdims=False: np.full(ones, g[()])
    if isinstance(axis, types.Integer):
        return lambda g, shape, axis=None, keepdims=False: np.ascontiguousarray(g).reshape(
            tuple_setitem(shape, axis + ndim if axis < 0 else axis, 1)
        )

    def impl(g, shape, axis=None, keepdims=False):
        reduced = axis_flags(axis, ndim)
        kept = shape
        for k in range(ndim):
            if reduced[k]:
                kept = tuple_setitem(kept, k, 1)
        return np.ascontiguousarray(g).reshape(kept)

    return impl


def axis_flags(axis: Axis, ndim: int) -> Any:
    """For each dimension, whether `axis` names it.

    >>> axis_flags(-1, 3)
    array([False, False,  True])
    """
    flags = np.zeros(ndim, np.bool_)
    flags[list(range(ndim)) if axis is None else list(np.atleast_1d(axis))] = True
    return flags


@overload(axis_flags)
def _overload_axis_flags(axis, ndim):
    if isinstance(axis, types.NoneType | types.Omitted):
        return lambda axis, ndim: np.ones(ndim, np.bool_)
    if isinstance(axis, types.Integer):
        axes = lambda axis: (axis,)  # noqa: E731  # a jitable expression
    else:
        axes = lambda axis: axis  # noqa: E731
    as_tuple = register_jitable(axes)

    def impl(axis, ndim):
        flags = np.zeros(ndim, np.bool_)
        for each in as_tuple(axis):
            if not -ndim <= each < ndim:
                raise ValueError("axis is out of bounds")
            flags[each] = True
        return flags

    return impl


@overload(reduced_size)
def _overload_reduced_size(shape, axis=None):
    ndim = len(shape)

    def impl(shape, axis=None):
        size = 1
        flags = axis_flags(axis, ndim)
        for k in range(ndim):
            if flags[k]:
                size *= shape[k]
        return size

    return impl


@overload(broadcast_shape)
def _overload_broadcast_shape(*shapes):
    return lambda *shapes: np.broadcast_shapes(*shapes)
