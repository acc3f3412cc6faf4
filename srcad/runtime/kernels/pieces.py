"""What the tape's rules of functions that put arrays together or move their elements are made of.

As in `direct`, these run on arrays, and on tensors as what they call; no generated code calls them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from srcad.runtime.kernels.join import _unjoin
from srcad.runtime.kernels.scatter import scatter
from srcad.runtime.kernels.spread import unbroadcast


def undstack(g: Any, arrays: Any) -> Any:
    """The pieces of a cotangent that belong to the operands of `np.dstack`.

    >>> [each.tolist() for each in undstack(np.arange(4.0).reshape(1, 2, 2), (np.zeros(2), np.zeros((1, 2))))]
    [[0.0, 2.0], [[1.0, 3.0]]]
    """
    return _unjoin(g, arrays, 2, lambda shape: 1 if len(shape) < 3 else shape[2])


def unselect(g: Any, conditions: Any, choices: Any) -> Any:
    """What belongs to each choice of `np.select`, where it is the first whose condition holds.

    >>> [each.tolist() for each in unselect(np.array([1.0, 2.0]), [np.array([True, False])] * 2, [0.0, 0.0])]
    [[1.0, 0.0], [0.0, 0.0]]
    """
    rest, pieces = None, []
    for condition, _ in zip(conditions, choices, strict=True):
        here = condition if rest is None else np.logical_and(rest, condition)
        pieces.append(np.where(here, g, 0.0))
        other = np.logical_not(condition)
        rest = other if rest is None else np.logical_and(rest, other)
    return tuple(pieces)


def not_selected(g: Any, conditions: Any) -> Any:
    """What belongs to the default of `np.select`."""
    for condition in conditions:
        g = np.where(condition, 0.0, g)
    return g


def unchoose(g: Any, a: Any, choices: Any) -> Any:
    """What belongs to each choice of `np.choose`.

    >>> [each.tolist() for each in unchoose(np.array([1.0, 2.0]), np.array([1, 0]), [0.0, 0.0])]
    [[0.0, 2.0], [1.0, 0.0]]
    """
    pieces = [np.where(np.equal(a, k), g, 0.0) for k in range(len(choices))]
    if isinstance(choices, (list, tuple)):
        return tuple(pieces)
    return np.stack([unbroadcast(piece, choices[k]) for k, piece in enumerate(pieces)])


def multi_dot_adjoint(g: Any, arrays: Any) -> Any:
    """What belongs to each operand of `np.linalg.multi_dot`.

    >>> [each.tolist() for each in multi_dot_adjoint(2.0, (np.ones(1), np.eye(1), np.array([3.0])))]
    [[6.0], [[6.0]], [2.0]]
    """
    whole = [*arrays]
    if np.ndim(whole[0]) == 1:
        whole[0] = np.reshape(whole[0], (1, -1))
    if np.ndim(whole[-1]) == 1:
        whole[-1] = np.reshape(whole[-1], (-1, 1))
    left = [np.reshape(g, (whole[0].shape[0], whole[-1].shape[1]))]
    for each in whole[:-1]:
        left.append(np.matmul(np.transpose(each), left[-1]))
    right, pieces = None, []
    for each, before in zip(whole[::-1], left[::-1], strict=True):
        pieces.append(before if right is None else np.matmul(before, np.transpose(right)))
        right = each if right is None else np.matmul(each, right)
    return tuple([np.reshape(piece, np.shape(each)) for piece, each in zip(pieces[::-1], arrays, strict=True)])


def multi_dot_tangent(tangents: Any, arrays: Any) -> Any:
    """The tangent of `np.linalg.multi_dot`; None where it has none."""
    total = None
    for k, tangent in enumerate(tangents):
        if tangent is not None:
            term = np.linalg.multi_dot([*arrays[:k], tangent, *arrays[k + 1 :]])
            total = term if total is None else total + term
    return total


def outer_first(g: Any, a: Any, b: Any = None) -> Any:
    """What an outer function hands to its first operand, for slopes of one, or those that a product has.

    >>> outer_first(np.ones((2, 3)), np.zeros(2)).tolist()
    [3.0, 3.0]
    """
    rows = np.reshape(g, (np.size(a), -1))
    return np.reshape(np.sum(rows, axis=1) if b is None else np.matmul(rows, np.reshape(b, -1)), np.shape(a))


def outer_second(g: Any, b: Any, a: Any = None) -> Any:
    """The same for its second operand.

    >>> outer_second(np.ones((2, 3)), np.zeros(3)).tolist()
    [2.0, 2.0, 2.0]
    """
    rows = np.reshape(g, (-1, np.size(b)))
    return np.reshape(np.sum(rows, axis=0) if a is None else np.matmul(np.reshape(a, -1), rows), np.shape(b))


def appended_first(g: Any, arr: Any, axis: Any = None) -> Any:
    """What belongs to the array of `np.append`.

    >>> appended_first(np.arange(3.0), np.zeros(2)).tolist()
    [0.0, 1.0]
    """
    shape = np.shape(arr)
    if axis is None:
        return np.reshape(g[: math.prod(shape)], shape)
    return g[(slice(None),) * (axis % len(shape)) + (slice(None, shape[axis]),)]


def appended_rest(g: Any, arr: Any, values: Any, axis: Any = None) -> Any:
    """What belongs to the values of `np.append`."""
    shape = np.shape(arr)
    if axis is None:
        return np.reshape(g[math.prod(shape) :], np.shape(values))
    return g[(slice(None),) * (axis % len(shape)) + (slice(shape[axis], None),)]


def around(g: Any, obj: int, shape: tuple[int, ...]) -> Any:
    """What belongs to a vector into which `np.insert` has put something.

    >>> around(np.arange(5.0), 1, (3,)).tolist()
    [0.0, 3.0, 4.0]
    """
    (size,) = shape
    place = obj + size if obj < 0 else obj
    return np.concatenate((g[:place], g[len(g) - size + place :]))


def inserted(g: Any, obj: int, size: int, values: Any) -> Any:
    """What belongs to that which `np.insert` has put into a vector of a size.

    >>> inserted(np.arange(5.0), 1, 3, np.zeros(2)).tolist()
    [1.0, 2.0]
    """
    place = obj + size if obj < 0 else obj
    return unbroadcast(g[place : len(g) - size + place], values)


def undelete(g: Any, shape: tuple[int, ...], obj: Any) -> Any:
    """What belongs to an array of which `np.delete` has left out something.

    >>> undelete(np.array([1.0, 2.0]), (3,), -1).tolist()
    [1.0, 2.0, 0.0]
    """
    size = math.prod(shape)
    if isinstance(obj, int):
        place = obj + size if obj < 0 else obj
        return np.reshape(np.concatenate((g[:place], np.zeros(1, g.dtype), g[place:])), shape)
    places = np.delete(np.arange(size), obj)
    return np.reshape(scatter(g, (size,), places), shape)


def along_places(shape: tuple[int, ...], indices: Any, axis: int) -> Any:
    """Where in a flat array what `np.take_along_axis` takes stands.

    >>> along_places((2, 3), np.array([[2], [-1]]), 1).tolist()
    [[2], [5]]
    """
    axis %= len(shape)
    step = math.prod(shape[axis + 1 :])
    places = np.where(indices < 0, indices + shape[axis], indices) * step
    for k, size in enumerate(shape):
        if k != axis:
            own = np.arange(size) * math.prod(shape[k + 1 :])
            places = places + np.reshape(own, [-1 if j == k else 1 for j in range(len(shape))])
    return places


def take_along_adjoint(g: Any, shape: tuple[int, ...], indices: Any, axis: int | None) -> Any:
    """The adjoint of `np.take_along_axis`.

    >>> take_along_adjoint(np.array([[1.0, 2.0]]), (1, 3), np.array([[2, 2]]), 1).tolist()
    [[0.0, 0.0, 3.0]]
    """
    if axis is None:
        return np.reshape(take_along_adjoint(g, (math.prod(shape),), indices, 0), shape)
    places = along_places(shape, indices, axis)
    if g.dtype == np.float64:
        places, g = np.reshape(np.broadcast_to(places, g.shape), -1), np.reshape(g, -1)
        return np.reshape(np.bincount(places, g, math.prod(shape)), shape)
    bar = np.zeros(math.prod(shape), g.dtype)
    np.add.at(bar, places, g)
    return np.reshape(bar, shape)


def gradient_adjoint(g: Any, spacing: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.gradient` along one axis.

    >>> gradient_adjoint(np.array([0.0, 2.0, 0.0]), 1.0).tolist()
    [-1.0, 0.0, 1.0]
    """
    turned = g if axis is None else np.moveaxis(g, axis, 0)
    # Each element is taken from the one before and added to the one behind; at the ends, from and to itself.
    wide = np.concatenate((-turned[:1], turned[:1], 0.5 * turned[1:-1], turned[-1:], -turned[-1:]))
    found = wide[:-2] - wide[2:]
    return (found if axis is None else np.moveaxis(found, 0, axis)) / spacing


def running_most(a: Any, y: Any, axis: int) -> Any:
    """For each element the place of the first of the greatest so far, or least, which `y` has.

    >>> running_most(np.array([1.0, 3.0, 2.0, 3.0, 4.0]), np.array([1.0, 3.0, 3.0, 3.0, 4.0]), 0).tolist()
    [0, 1, 1, 1, 4]
    """
    a, y = np.moveaxis(a, axis, -1), np.moveaxis(y, axis, -1)
    is_new = np.zeros(a.shape, bool)
    is_new[..., 1:] = (a[..., 1:] != y[..., :-1]) & ((a[..., 1:] == y[..., 1:]) | (a[..., 1:] != a[..., 1:]))
    places = np.maximum.accumulate(np.where(is_new, np.arange(a.shape[-1]), 0), axis=-1)
    return np.moveaxis(places, -1, axis)


def kron_pairs(g: Any, a: Any, b: Any) -> Any:
    """The adjoint of `np.kron` of matrices: a row for each element of the first, a column for each of the second."""
    blocks = np.reshape(g, (a.shape[0], b.shape[0], a.shape[1], b.shape[1]))
    return np.reshape(np.transpose(blocks, (0, 2, 1, 3)), (np.size(a), np.size(b)))


def polyval_slope(p: Any, x: Any) -> Any:
    """The slope of a polynomial.

    >>> polyval_slope([2.0, 5.0, 1.0], 3.0)
    17.0
    """
    slope, value = x * 0.0, p[0]
    for k in range(1, len(p)):
        slope = slope * x + value
        value = value * x + p[k]
    return slope


def to_coefficients(g: Any, p: Any, x: Any) -> Any:
    """What `np.polyval` hands to the coefficients.

    >>> to_coefficients(np.ones(1), [0.0, 0.0, 0.0], np.array([3.0])).tolist()
    [9.0, 3.0, 1.0]
    """
    parts = []
    for k in range(len(p) - 1, -1, -1):
        parts.append(unbroadcast(g, p[k]))
        g = g * x
    return np.stack(parts[::-1])


def apart(a: Any, axis: Any = None) -> Any:
    """What numbers are more than their mean; 0 where there is none.

    >>> apart(np.array([1.0, np.nan, 3.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    there = np.logical_not(np.isnan(a))
    mean = np.sum(np.where(there, a, 0.0), axis=axis, keepdims=True) / np.sum(there, axis=axis, keepdims=True)
    return np.where(there, a - mean, 0.0)


def parts_of_spread(a: Any, axis: Any, ddof: Any) -> Any:
    """Which part of `np.nanvar` each square is."""
    return 1.0 / (np.sum(np.logical_not(np.isnan(a)), axis=axis, keepdims=True) - ddof)
