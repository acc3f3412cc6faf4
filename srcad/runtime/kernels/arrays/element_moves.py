"""Adjoints of linear functions that copy, drop or repeat elements, such as transpose, roll, repeat, take and diff."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload
from numba.np.numpy_support import as_dtype

Shape = tuple[int, ...]


def untranspose(g: Any, axes: Any = None) -> Any:
    """The inverse of `np.transpose(x, axes)`.

    >>> untranspose(np.zeros((2, 3, 4)), (1, 2, 0)).shape
    (4, 2, 3)
    """
    if axes is None:
        return np.transpose(g)
    return np.transpose(g, _inverse(tuple(axes)))


@functools.lru_cache(256)
def _inverse(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(range(len(axes)), key=[each % len(axes) for each in axes].__getitem__))


def opposite(shift: Any) -> Any:
    """The shift that reverses a shift of `np.roll`.

    >>> opposite((1, -2))
    (-1, 2)
    """
    return tuple(-each for each in shift) if isinstance(shift, (tuple, list)) else -shift


def repeat_adjoint(g: Any, shape: Shape, repeats: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.repeat`: the sum over the copies of each element.

    >>> repeat_adjoint(np.array([1.0, 2.0, 4.0]), (2,), np.array([1, 2]))
    array([1., 6.])
    """
    if axis is None or not shape:
        return repeat_adjoint(g, (math.prod(shape),), repeats, 0).reshape(shape)
    axis %= len(shape)
    if isinstance(repeats, int):
        return np.add.reduce(g.reshape(*shape[: axis + 1], repeats, *shape[axis + 1 :]), axis=axis + 1)
    places = np.repeat(np.arange(shape[axis]), repeats)
    first = np.zeros((shape[axis], *np.shape(g)[:axis], *np.shape(g)[axis + 1 :]), g.dtype)
    np.add.at(first, places, np.moveaxis(g, axis, 0))
    return np.moveaxis(first, 0, axis)


def tile_adjoint(g: Any, shape: Shape, reps: Any) -> Any:
    """The adjoint of `np.tile`: the sum over the copies.

    >>> tile_adjoint(np.arange(6.0), (2,), 3)
    array([6., 9.])
    """
    if isinstance(reps, int) and len(shape) == 1 and type(g) is np.ndarray:
        return np.add.reduce(g.reshape(reps, *shape), axis=0)
    counts = (reps,) if isinstance(reps, int) else tuple(reps)
    width = max(len(shape), len(counts))
    full, counts = (1,) * (width - len(shape)) + tuple(shape), (1,) * (width - len(counts)) + counts
    split = [size for pair in zip(counts, full, strict=True) for size in pair]
    return np.reshape(np.sum(np.reshape(g, split), axis=tuple(range(0, 2 * width, 2))), shape)


def diag_adjoint(g: Any, shape: Shape, k: int = 0) -> Any:
    """The adjoint of `np.diag`, and of `np.diagonal` of a matrix or of the matrices along the first two axes.

    >>> diag_adjoint(np.array([1.0, 2.0]), (2, 2))
    array([[1., 0.],
           [0., 2.]])
    """
    if len(shape) == 1:
        return g.diagonal(k)
    result = np.zeros(shape, g.dtype)
    first = k if k >= 0 else -k * shape[1]
    flat = result.reshape((shape[0] * shape[1], *shape[2:]))
    flat[first :: shape[1] + 1][: g.shape[-1]] = np.moveaxis(g, -1, 0)
    return result


def trace_adjoint(g: Any, shape: Shape, k: int = 0) -> Any:
    """The adjoint of `np.trace` of a matrix, or of the matrices along the first two axes.

    >>> trace_adjoint(3.0, (2, 2))
    array([[3., 0.],
           [0., 3.]])
    """
    ones = np.eye(shape[0], shape[1], k)
    return g * ones if len(shape) == 2 else ones.reshape(shape[:2] + (1,) * (len(shape) - 2)) * g


def take_adjoint(g: Any, shape: Shape, indices: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.take`: for each position, the sum over the elements taken from there.

    >>> take_adjoint(np.array([1.0, 2.0]), (3,), np.array([0, 0]))
    array([3., 0., 0.])
    """
    places = np.asarray(indices)
    if places.dtype.kind == "b":  # which np.take takes for 0 and 1
        places = places.astype(np.int64)
    if axis is None:
        result = np.zeros(int(np.prod(shape)), np.result_type(g))
        np.add.at(result, places, g)
        return np.reshape(result, shape)
    result = np.zeros(shape, np.result_type(g))
    place: Any = (slice(None),) * (axis % len(shape)) + (places,)
    np.add.at(result, place, g)
    return result


def diff_adjoint(g: Any, n: int = 1, axis: int = -1) -> Any:
    """The adjoint of `np.diff`.

    >>> diff_adjoint(np.array([1.0, 10.0]))
    array([-1., -9., 10.])
    """
    axis %= g.ndim
    after, short = ((slice(None),) * axis + (each,) for each in (slice(1, None), slice(-1)))
    for _ in range(n):
        longer = np.zeros((*g.shape[:axis], g.shape[axis] + 1, *g.shape[axis + 1 :]), g.dtype)
        longer[after] = g
        longer[short] -= g
        g = longer
    return g


def weights(shape: Shape, endpoint: bool = True) -> Any:
    """The position of each point of `np.linspace` as a fraction of the way from start to stop.

    >>> weights((3,))
    array([0. , 0.5, 1. ])
    """
    return _weights(shape[0], max(1, shape[0] - 1 if endpoint else shape[0]))


def _weights(size: int, count: int) -> Any:
    found = np.arange(size) / count
    found.flags.writeable = False
    return found


def parts_of_way(shape: Shape, endpoint: bool = True) -> Any:
    """`weights` for points between arrays, broadcast to this shape.

    >>> parts_of_way((2, 3)).tolist()
    [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    """
    parts = weights(shape, endpoint)
    return np.broadcast_to(np.reshape(parts, (shape[0],) + (1,) * (len(shape) - 1)), shape)


@overload(untranspose)
def _overload_untranspose(g, axes=None):
    if _is_none(axes):
        return lambda g, axes=None: np.transpose(g)
    if not isinstance(axes, types.UniTuple):
        return None

    def impl(g, axes=None):
        inverse = axes
        for k in range(len(axes)):
            inverse = tuple_setitem(inverse, axes[k] % len(axes), k)
        return np.transpose(g, inverse)

    return impl


@overload(opposite)
def _overload_opposite(shift):
    if not isinstance(shift, types.BaseTuple):
        return (lambda shift: -shift) if isinstance(shift, types.Integer) else None
    count, nothing = len(shift), (0,) * len(shift)

    def impl(shift):
        found = nothing
        for k in range(count):
            found = tuple_setitem(found, k, -shift[k])
        return found

    return impl


@overload(repeat_adjoint)
def _overload_repeat_adjoint(g, shape, repeats, axis=None):
    if not _is_none(axis) or not isinstance(repeats, types.Integer):
        return None

    def impl(g, shape, repeats, axis=None):
        if repeats == 0:
            return np.zeros(shape, g.dtype)
        return np.sum(np.ascontiguousarray(g).reshape((g.size // repeats, repeats)), axis=1).reshape(shape)

    return impl


@overload(tile_adjoint)
def _overload_tile_adjoint(g, shape, reps):
    if len(shape) != 1 or g.ndim != 1 or not isinstance(reps, types.Integer):
        return None
    return lambda g, shape, reps: np.sum(np.ascontiguousarray(g).reshape((reps, shape[0])), axis=0)


@overload(diag_adjoint)
def _overload_diag_adjoint(g, shape, k=0):
    if len(shape) == 1:
        return lambda g, shape, k=0: np.diag(g, k)

    def impl(g, shape, k=0):
        result = np.zeros(shape, g.dtype)
        for i in range(g.size):
            result[i + max(0, -k), i + max(0, k)] = g[i]
        return result

    return impl


@overload(trace_adjoint)
def _overload_trace_adjoint(g, shape, k=0):
    if isinstance(g, types.Array) or len(shape) != 2:
        return lambda g, shape, k=0: g * np.eye(shape[0], shape[1], k)
    dtype = np.result_type(as_dtype(g), np.float64)

    def of_matrix(g, shape, k=0):
        result = np.zeros((shape[0], shape[1]), dtype)
        for i in range(max(0, -k), min(shape[0], shape[1] - k)):
            result[i, i + k] = g
        return result

    return of_matrix


@overload(take_adjoint)
def _overload_take_adjoint(g, shape, indices, axis=None):
    dtype = g.dtype if isinstance(g, types.Array) else g
    if _is_none(axis):

        def anywhere(g, shape, indices, axis=None):
            result = np.zeros(shape, dtype)
            flat = result.reshape(result.size)
            places = np.asarray(indices)
            values = np.broadcast_to(g, places.shape)
            for place in np.ndindex(places.shape):
                flat[places[place]] += values[place]
            return result

        return anywhere
    return None


@overload(diff_adjoint)
def _overload_diff_adjoint(g, n=1, axis=-1):
    if g.ndim != 1:
        return None

    def impl(g, n=1, axis=-1):
        for _ in range(n):
            longer = np.zeros(g.size + 1, g.dtype)
            for i in range(g.size):
                longer[i] -= g[i]
                longer[i + 1] += g[i]
            g = longer
        return g

    return impl


@overload(weights)
def _overload_weights(shape, endpoint=True):
    def impl(shape, endpoint=True):
        return np.arange(shape[0]) / max(1, shape[0] - 1 if endpoint else shape[0])

    return impl


def _is_none(kind: Any) -> bool:
    return kind is None or isinstance(kind, types.NoneType) or (isinstance(kind, types.Omitted) and kind.value is None)
