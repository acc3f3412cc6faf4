"""Arrays as matrices whose rows run along an axis, and back: code that works on rows then works along any axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

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


@overload(to_rows)
def _overload_rows(a, axis):
    if is_none(axis):
        return lambda a, axis: np.ascontiguousarray(a).reshape((1, a.size))
    if not isinstance(axis, types.Integer):
        return None

    def impl(a, axis):
        n = a.shape[axis]
        return np.ascontiguousarray(np.moveaxis(a, axis, -1)).reshape((a.size // max(1, n), n))

    return impl


@overload(from_rows)
def _overload_from_rows(rows, shape, axis):
    if is_none(axis):
        return lambda rows, shape, axis: rows.reshape(shape)
    if not isinstance(axis, types.Integer):
        return None

    def impl(rows, shape, axis):
        moved = np.moveaxis(np.empty(shape, np.bool_), axis, -1).shape
        return np.ascontiguousarray(np.moveaxis(rows.reshape(moved), -1, axis))

    return impl


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
