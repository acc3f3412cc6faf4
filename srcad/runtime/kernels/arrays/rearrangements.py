"""Kernels for the tape's rules of functions that join arrays or move their elements.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

import functools
import math
from typing import Any

from srcad.runtime.kernels.arrays.element_moves import take_adjoint
from srcad.runtime.kernels.arrays.scatter import scatter
from srcad.runtime.kernels.arrays.unbroadcast import unbroadcast
from srcad.runtime.support.constant_arrays import ones
from srcad.runtime.support.fast_numpy import swift as np


def outer_first(g: Any, a: Any, b: Any = None) -> Any:
    """The adjoint of the first operand of an outer product with `b`, or of an outer sum if `b` is None.

    >>> outer_first(np.ones((2, 3)), np.zeros(2)).tolist()
    [3.0, 3.0]
    """
    rows = np.reshape(g, (np.size(a), math.prod(g.shape[np.ndim(a) :])))
    return np.reshape(np.matmul(rows, ones(rows.shape[1]) if b is None else np.reshape(b, -1)), np.shape(a))


def outer_second(g: Any, b: Any, a: Any = None) -> Any:
    """The adjoint of the second operand of an outer product with `a`, or of an outer sum if `a` is None.

    >>> outer_second(np.ones((2, 3)), np.zeros(3)).tolist()
    [2.0, 2.0, 2.0]
    """
    rows = np.reshape(g, (math.prod(g.shape[: g.ndim - np.ndim(b)]), np.size(b)))
    return np.reshape(np.matmul(ones(rows.shape[0]) if a is None else np.reshape(a, -1), rows), np.shape(b))


def appended_first(g: Any, arr: Any, axis: Any = None) -> Any:
    """The part of the adjoint that belongs to the array of `np.append`.

    >>> appended_first(np.arange(3.0), np.zeros(2)).tolist()
    [0.0, 1.0]
    """
    shape = np.shape(arr)
    if axis is None:
        return np.reshape(g[: math.prod(shape)], shape)
    return g[(slice(None),) * (axis % len(shape)) + (slice(None, shape[axis]),)]


def appended_rest(g: Any, arr: Any, values: Any, axis: Any = None) -> Any:
    """The part of the adjoint that belongs to the values of `np.append`."""
    shape = np.shape(arr)
    if axis is None:
        return np.reshape(g[math.prod(shape) :], np.shape(values))
    return g[(slice(None),) * (axis % len(shape)) + (slice(shape[axis], None),)]


def around(g: Any, obj: int, shape: tuple[int, ...]) -> Any:
    """The part of the adjoint that belongs to the vector of `np.insert`.

    >>> around(np.arange(5.0), 1, (3,)).tolist()
    [0.0, 3.0, 4.0]
    """
    (size,) = shape
    place = obj + size if obj < 0 else obj
    return np.concatenate((g[:place], g[len(g) - size + place :]))


def inserted(g: Any, obj: int, size: int, values: Any) -> Any:
    """The part of the adjoint that belongs to the values which `np.insert` puts into a vector of this size.

    >>> inserted(np.arange(5.0), 1, 3, np.zeros(2)).tolist()
    [1.0, 2.0]
    """
    place = obj + size if obj < 0 else obj
    return unbroadcast(g[place : len(g) - size + place], values)


def undelete(g: Any, shape: tuple[int, ...], obj: Any) -> Any:
    """The adjoint of the array of `np.delete`: zeros at the deleted positions.

    >>> undelete(np.array([1.0, 2.0]), (3,), -1).tolist()
    [1.0, 2.0, 0.0]
    """
    size = math.prod(shape)
    if isinstance(obj, int):
        place = obj + size if obj < 0 else obj
        return np.reshape(np.concatenate((g[:place], np.zeros(1, g.dtype), g[place:])), shape)
    places = np.delete(np.arange(size), obj)
    return np.reshape(scatter(g, (size,), places), shape)


def along_places(shape: tuple[int, ...], indices: Any, axis: int, size: int) -> Any:
    """The positions, in the flattened array of this shape and size, of the elements that `np.take_along_axis` takes.

    >>> along_places((2, 3), np.array([[2], [-1]]), 1, 6).tolist()
    [[2], [5]]
    """
    find = _known_steps if size <= _LARGEST else _steps
    step, rest = find(shape, axis % len(shape), indices.shape)
    if indices.size and indices.item(indices.argmin()) < 0:
        indices = np.where(indices < 0, indices + shape[axis], indices)
    if len(shape) == 1:
        return indices
    return (indices if step == 1 else indices * step) + rest


_LARGEST = 4096  # the largest arrays, in elements, for which they are cached


def _steps(shape: tuple[int, ...], axis: int, wide: tuple[int, ...]) -> tuple[int, Any]:
    """The stride along an axis in the flattened array, and the positions of the first elements, for indices of a shape.

    The positions have the shape of the indices if those do not broadcast: adding arrays of one shape is fastest.
    """
    rest = np.zeros((1,) * len(shape), int)
    for k, size in enumerate(shape):
        if k != axis:
            own = np.arange(size) * math.prod(shape[k + 1 :])
            rest = rest + np.reshape(own, [-1 if j == k else 1 for j in range(len(shape))])
    if all(each == own for each, own in zip(wide, rest.shape, strict=True) if own > 1):
        rest = rest + np.zeros(wide, int)
    return math.prod(shape[axis + 1 :]), rest


_known_steps = functools.lru_cache(64)(_steps)


def take_along_adjoint(g: Any, shape: tuple[int, ...], indices: Any, axis: int | None) -> Any:
    """The adjoint of `np.take_along_axis`.

    >>> take_along_adjoint(np.array([[1.0, 2.0]]), (1, 3), np.array([[2, 2]]), 1).tolist()
    [[0.0, 0.0, 3.0]]
    """
    if axis is None:
        return np.reshape(take_along_adjoint(g, (math.prod(shape),), indices, 0), shape)
    size = math.prod(shape)
    places = along_places(shape, indices, axis, size)
    if g.dtype == np.float64:
        if places.shape != g.shape:
            places = np.broadcast_to(places, g.shape)
        return np.bincount(places.reshape(-1), g.reshape(-1), size).reshape(shape)
    bar = np.zeros(size, g.dtype)
    np.add.at(bar, places, g)
    return np.reshape(bar, shape)


def running_most(a: Any, y: Any, axis: int) -> Any:
    """For each element the position at which the running maximum (or minimum), given as `y`, was first reached.

    >>> running_most(np.array([1.0, 3.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 3.0, 3.0, 4.0]), 0).tolist()
    [0, 1, 1, 1, 4]
    """
    if a.ndim > 1:
        a, y = np.moveaxis(a, axis, -1), np.moveaxis(y, axis, -1)
    is_new = y[..., 1:] != y[..., :-1]
    last = y[-1] if a.ndim == 1 and a.size else np.sum(y[..., -1:])
    if last != last:  # there may be nan, each of which is a new maximum
        later = a[..., 1:]
        is_new = (later != y[..., :-1]) & ((later == y[..., 1:]) | (later != later))
    places = np.zeros(a.shape, int)
    np.multiply(is_new, np.arange(1, max(1, a.shape[-1])), out=places[..., 1:])
    places = np.maximum.accumulate(places, axis=-1)
    return np.moveaxis(places, -1, axis) if a.ndim > 1 else places


def kron_pairs(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of `np.kron` of matrices, with a row for each element of `a`, a column for each of `b`."""
    blocks = g.reshape((a.shape[0], b.shape[0], a.shape[1], b.shape[1]))
    return blocks.transpose((0, 2, 1, 3)).reshape((a.size, b.size))


def polyval_slope(p: Any, x: Any) -> Any:
    """The derivative of a polynomial.

    >>> polyval_slope([2.0, 5.0, 1.0], 3.0)
    17.0
    """
    if len(p) == 1:
        return x * 0.0
    slope = value = p[0]
    for k in range(1, len(p) - 1):
        value = value * x + p[k]
        slope = slope * x + value
    return slope


def to_coefficients(g: Any, p: Any, x: Any) -> Any:
    """The adjoint of the coefficients of `np.polyval`.

    >>> to_coefficients(np.ones(1), [0.0, 0.0, 0.0], np.array([3.0])).tolist()
    [9.0, 3.0, 1.0]
    """
    parts = []
    for k in range(len(p) - 1, -1, -1):
        parts.append(unbroadcast(g, p[k]))
        g = g * x
    return np.stack(parts[::-1])


def trace_of_each(g: Any, shape: tuple[int, ...], offset: int) -> Any:
    """The adjoint of a stack of matrices, or of one, from that of their traces.

    >>> trace_of_each(np.array([3.0]), (1, 2, 2), 1).tolist()
    [[[0.0, 3.0], [0.0, 0.0]]]
    """
    if len(shape) > 2:
        g = np.expand_dims(np.expand_dims(g, -1), -1)
    return g * np.eye(shape[-2], shape[-1], offset)


def turned(m: Any, k: int) -> Any:
    """A matrix rotated by multiples of 90 degrees.

    >>> turned(np.array([[1, 2]]), -1).tolist(), turned(np.array([[1, 2]]), 2).tolist()
    ([[1], [2]], [[2, 1]])
    """
    if k % 2 == 0:
        return m[::-1, ::-1] if k % 4 else m
    return np.transpose(m)[::-1] if k % 4 == 1 else np.transpose(m)[:, ::-1]


def where_true(condition: Any, size: int) -> Any:
    """Which of the elements a condition selects: the mask itself, or the positions where it holds."""
    if type(condition) is np.ndarray and condition.dtype.kind == "b" and condition.size == size:
        return np.reshape(condition, -1)
    return np.nonzero(np.ravel(condition))[0]


def uncompress(g: Any, condition: Any, shape: tuple[int, ...], axis: int | None) -> Any:
    """The adjoint of `np.compress`.

    >>> uncompress(np.array([1.0, 2.0]), [True, False, True], (4,), None).tolist()
    [1.0, 0.0, 2.0, 0.0]
    """
    if axis is None:
        return np.reshape(scatter(g, (math.prod(shape),), where_true(condition, math.prod(shape))), shape)
    return take_adjoint(g, shape, np.nonzero(condition)[0], axis)


def step(x: Any) -> Any:
    """The sign. Its derivative is zero, so it adds nothing to second derivatives.

    >>> step(np.array([-3.0, 0.5])).tolist()
    [-1.0, 1.0]
    """
    return np.sign(x)
