"""Kernels for the tape's rules of functions that join arrays or move their elements.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.scatter import scatter


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


def step(x: Any) -> Any:
    """The sign. Its derivative is zero, so it adds nothing to second derivatives.

    >>> step(np.array([-3.0, 0.5])).tolist()
    [-1.0, 1.0]
    """
    return np.sign(x)
