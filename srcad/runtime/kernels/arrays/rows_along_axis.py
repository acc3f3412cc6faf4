"""Arrays as matrices whose rows run along an axis, and back: code that works on rows then works along any axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.unbroadcast import reduced_size

Axis = int | tuple[int, ...] | None


def to_rows(a: Any, axis: Axis) -> Any:
    """The elements along the axis as the rows of a matrix.

    >>> to_rows(np.array([[1.0, 2.0], [3.0, 4.0]]), 0)
    array([[1., 3.],
           [2., 4.]])
    """
    if axis is None:
        return np.reshape(a, (1, -1))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    last = np.moveaxis(a, axes, range(-len(axes), 0))
    return np.reshape(last, (-1, reduced_size(a.shape, axis))) if a.size else np.reshape(a, (0, 1))


def from_rows(rows: Any, shape: tuple[int, ...], axis: Axis) -> Any:
    """The array of this shape that `to_rows` converted to these rows."""
    if axis is None or not rows.size:
        return np.reshape(rows, shape)
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    places = range(-len(axes), 0)
    moved = np.moveaxis(np.empty(shape, np.bool_), axes, places).shape
    return np.moveaxis(np.reshape(rows, moved), places, axes)


@overload(to_rows, prefer_literal=True)
def _overload_rows(a, axis):
    if is_none(axis):
        return lambda a, axis: np.ascontiguousarray(a).reshape((1, a.size))
    if not isinstance(axis, types.Integer):
        return None
    if literal_dimension(axis, a.ndim) == a.ndim - 1:

        def last(a, axis):
            n = a.shape[a.ndim - 1]
            return np.ascontiguousarray(a).reshape((a.size // max(1, n), n))

        return last

    def impl(a, axis):
        outer, n, inner = around(a.shape, axis)
        planes = np.ascontiguousarray(a).reshape((outer, n, inner))
        rows = np.empty((outer * inner, n), a.dtype)
        for i in range(outer):
            for j in range(n):
                for k in range(inner):
                    rows[i * inner + k, j] = planes[i, j, k]
        return rows

    return impl


@overload(from_rows, prefer_literal=True)
def _overload_from_rows(rows, shape, axis):
    if is_none(axis):
        return lambda rows, shape, axis: rows.reshape(shape)
    if not isinstance(axis, types.Integer):
        return None
    if literal_dimension(axis, len(shape)) == len(shape) - 1:
        return lambda rows, shape, axis: np.ascontiguousarray(rows).reshape(shape)

    def impl(rows, shape, axis):
        outer, n, inner = around(shape, axis)
        result = np.empty(shape, rows.dtype)
        planes = result.reshape((outer, n, inner))
        for i in range(outer):
            for j in range(n):
                for k in range(inner):
                    planes[i, j, k] = rows[i * inner + k, j]
        return result

    return impl


@register_jitable
def around(shape: tuple[int, ...], axis: int) -> tuple[int, int, int]:
    """The numbers of elements before, along and after an axis: any array is one of three dimensions.

    >>> around((2, 3, 4, 5), -2)
    (6, 4, 5)
    """
    at, outer, inner = axis % len(shape), 1, 1
    for k in range(len(shape)):
        if k < at:
            outer *= shape[k]
        elif k > at:
            inner *= shape[k]
    return outer, shape[at], inner


def literal_dimension(axis: Any, ndim: int) -> int | None:
    """The dimension, counted from the front, if it is a literal in the argument's type and in range; else None.

    >>> literal_dimension(types.literal(-1), 2), literal_dimension(types.int64, 2)
    (1, None)
    """
    value = getattr(axis, "literal_value", None)
    return value % ndim if type(value) is int and -ndim <= value < ndim else None


def is_none(kind: Any) -> bool:
    """Whether an argument of this Numba type is None."""
    return kind is None or isinstance(kind, types.NoneType) or (isinstance(kind, types.Omitted) and kind.value is None)
