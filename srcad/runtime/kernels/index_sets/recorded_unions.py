"""Unions of index sets, recorded as nodes of a graph, for numbers and arrays of them.

A set is a number: 0 is empty, 1 to n are the sets of one element, and larger ones are nodes, the unions of two sets.
`sets` is a pair of arrays: the two parts of each node, and pairs of sets that meet in a product. Their first column
counts; what they have no room for is counted only, and the sweep runs again with more room.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable


def new_sets(width: int, nodes: int, pairs: int) -> tuple[Any, Any]:
    """The sets of one element for so many elements, with room for so many nodes and pairs.

    >>> [each.tolist() for each in new_sets(2, 1, 1)]
    [[[2, 0, 0, 0], [0, 0, 0, 0]], [[0, 0], [0, 0]]]
    """
    made = np.zeros((2, width + nodes + 1), np.int64), np.zeros((2, pairs + 1), np.int64)
    made[0][0, 0] = width
    return made


@register_jitable
def _pair(sets: Any, one: Any, other: Any) -> Any:
    """The union of two sets."""
    if other in (one, 0):
        return one
    if one == 0:
        return other
    nodes = sets[0]
    here = nodes[0, 0] + 1
    if one < nodes.shape[1] and (nodes[0, one] == other or nodes[1, one] == other):
        return one
    nodes[0, 0] = here
    if here < nodes.shape[1]:
        nodes[0, here], nodes[1, here] = one, other
    return here


def unite(sets: Any, one: Any, other: Any) -> Any:
    """The unions of sets, or of arrays of them that broadcast.

    >>> sets = new_sets(3, 9, 0)
    >>> unite(sets, 1, np.array([0, 1, 2])).tolist(), unite(sets, 0, 3)
    ([1, 1, 4], 3)
    """
    if not isinstance(one, np.ndarray) and not isinstance(other, np.ndarray):
        return _pair(sets, one, other)
    first, second = np.broadcast_arrays(one, other)
    found = np.empty(first.shape, np.int64)
    for place in np.ndindex(found.shape):
        found[place] = _pair(sets, first[place], second[place])
    return found


@overload(unite, strict=False)
def _unite(sets: Any, one: Any, other: Any) -> Any:
    if not isinstance(one, types.Array) and not isinstance(other, types.Array):
        return lambda sets, one, other: _pair(sets, np.int64(one), np.int64(other))
    if not isinstance(other, types.Array):

        def with_number(sets: Any, one: Any, other: Any) -> Any:
            found = np.empty(one.shape, np.int64)
            for place, each in np.ndenumerate(one):
                found[place] = _pair(sets, each, np.int64(other))
            return found

        return with_number
    if not isinstance(one, types.Array):
        return lambda sets, one, other: unite(sets, other, one)

    def with_array(sets: Any, one: Any, other: Any) -> Any:
        shape = np.broadcast_shapes(one.shape, other.shape)
        first, second = np.broadcast_to(one, shape), np.broadcast_to(other, shape)
        found = np.empty(shape, np.int64)
        for place, each in np.ndenumerate(first):
            found[place] = _pair(sets, each, second[place])
        return found

    return with_array


def meet(sets: Any, one: Any, other: Any) -> None:
    """Record that each element of a set meets each of another one, or of arrays of sets that broadcast.

    >>> sets = new_sets(3, 9, 9)
    >>> meet(sets, 1, np.array([0, 2, 3]))
    >>> sets[1][:, :3].tolist()
    [[2, 1, 1], [0, 2, 3]]
    """
    first, second = np.broadcast_arrays(one, other)
    for place in np.ndindex(first.shape):
        _note(sets[1], first[place], second[place])


@register_jitable
def _note(pairs: Any, one: Any, other: Any) -> None:
    if one != 0 and other != 0:
        here = pairs[0, 0] + 1
        pairs[0, 0] = here
        if here < pairs.shape[1]:
            pairs[0, here], pairs[1, here] = one, other


@overload(meet, strict=False)
def _meet(sets: Any, one: Any, other: Any) -> Any:
    if not isinstance(one, types.Array) and not isinstance(other, types.Array):
        return lambda sets, one, other: _note(sets[1], one, other)
    if not isinstance(other, types.Array):

        def with_number(sets: Any, one: Any, other: Any) -> None:
            for each in one.flat:
                _note(sets[1], each, other)

        return with_number
    if not isinstance(one, types.Array):
        return lambda sets, one, other: meet(sets, other, one)

    def with_array(sets: Any, one: Any, other: Any) -> None:
        shape = np.broadcast_shapes(one.shape, other.shape)
        second = np.broadcast_to(other, shape)
        for place, each in np.ndenumerate(np.broadcast_to(one, shape)):
            _note(sets[1], each, second[place])

    return with_array


def like(found: Any, result: Any) -> Any:
    """Sets, spread over a new array with the shape of a result; those of a number as they are.

    >>> like(3, np.zeros(2)).tolist(), like(3, 1.5)
    ([3, 3], 3)
    """
    return np.array(np.broadcast_to(found, np.shape(result))) if isinstance(result, np.ndarray) else found


@overload(like, strict=False)
def _like(found: Any, result: Any) -> Any:
    if not isinstance(result, types.Array):
        return lambda found, result: found

    def spread(found: Any, result: Any) -> Any:
        made = np.empty(result.shape, np.int64)
        made[...] = found
        return made

    return spread


@register_jitable
def unite_all(sets: Any, found: Any) -> Any:
    """The union of all sets in an array.

    >>> sets = new_sets(3, 9, 0)
    >>> int(unite_all(sets, np.array([[0, 2], [2, 2]])))
    2
    """
    total = 0
    for each in found.flat:
        total = _pair(sets, np.int64(total), np.int64(each))
    return total


def unite_along(sets: Any, found: Any, axis: int, result: Any) -> Any:
    """The unions along an axis of an array of sets, in the shape of a result.

    >>> unite_along(new_sets(3, 9, 0), np.array([[1, 0], [1, 3]]), 0, np.zeros(2)).tolist()
    [1, 3]
    """
    return _along(sets, found, axis, np.shape(result))


@overload(unite_along, strict=False)
def _unite_along(sets: Any, found: Any, axis: Any, result: Any) -> Any:
    return lambda sets, found, axis, result: _along(sets, found, axis, result.shape)


@register_jitable
def _along(sets: Any, found: Any, axis: Any, shape: Any) -> Any:
    where = axis if axis >= 0 else axis + found.ndim
    before, after = 1, 1
    for k in range(found.ndim):
        before *= found.shape[k] if k < where else 1
        after *= found.shape[k] if k > where else 1
    count = found.shape[where]
    flat = np.ascontiguousarray(found).reshape((before, count, after))
    total = np.zeros((before, after), np.int64)
    for i in range(before):
        for j in range(count):
            for k in range(after):
                total[i, k] = _pair(sets, total[i, k], flat[i, j, k])
    return total.reshape(shape)


@register_jitable
def running(sets: Any, found: Any) -> Any:
    """The unions of each element of a vector of sets with all before it.

    >>> running(new_sets(3, 9, 0), np.array([0, 2, 2])).tolist()
    [0, 2, 2]
    """
    total, made = 0, np.empty(found.shape, np.int64)
    for k in range(found.size):
        total = _pair(sets, np.int64(total), found[k])
        made[k] = total
    return made


def present(values: Any) -> Any:
    """The empty set in place of each constant that is not zero, and -1 in place of zeros, for `product`.

    >>> present(np.array([0.0, 2.0])).tolist()
    [-1, 0]
    """
    return np.where(values != 0.0, 0, -1)


@overload(present, strict=False)
def _present(values: Any) -> Any:
    return lambda values: np.where(values != 0.0, 0, -1)


def product(sets: Any, one: Any, other: Any) -> Any:
    """The sets of a product of matrices or vectors; -1 stands for a zero, which leaves sets out. Sets of both meet.

    >>> product(new_sets(3, 9, 0), np.array([[0, -1], [-1, 0]]), np.array([1, 3])).tolist()
    [1, 3]
    """
    made = _products(sets, one, other)
    return made.reshape(one.shape[:-1] + other.shape[1:]) if one.ndim + other.ndim > 2 else int(made[0, 0])


@overload(product, strict=False)
def _product(sets: Any, one: Any, other: Any) -> Any:
    if one.ndim == 1 and other.ndim == 1:
        return lambda sets, one, other: _products(sets, one, other)[0, 0]
    return lambda sets, one, other: _products(sets, one, other).reshape(one.shape[:-1] + other.shape[1:])


@register_jitable
def _products(sets: Any, one: Any, other: Any) -> Any:
    count = one.shape[-1]
    rows = np.ascontiguousarray(one).reshape((one.size // max(count, 1), count))
    columns = np.ascontiguousarray(other).reshape((count, other.size // max(count, 1)))
    made = np.zeros((rows.shape[0], columns.shape[1]), np.int64)
    for i in range(rows.shape[0]):
        for k in range(count):
            if rows[i, k] >= 0:
                for j in range(columns.shape[1]):
                    if columns[k, j] >= 0:
                        _note(sets[1], rows[i, k], columns[k, j])
                        made[i, j] = _pair(sets, made[i, j], _pair(sets, rows[i, k], columns[k, j]))
    return made


@register_jitable
def peek(found: Any, place: Any) -> Any:
    """The set of an element, which is empty outside of the array.

    >>> [int(peek(np.array([1, 2]), (place,))) for place in (-1, 2)]
    [2, 0]
    """
    return np.int64(found[place]) if _is_inside(found, place) else np.int64(0)


@register_jitable
def poke(sets: Any, found: Any, place: Any, more: Any) -> None:
    """Unite the set of an element with another one; nothing is done outside of the array.

    >>> found = np.array([0, 2])
    >>> poke(new_sets(3, 9, 0), found, (0,), 1)
    >>> found.tolist()
    [1, 2]
    """
    if _is_inside(found, place):
        found[place] = _pair(sets, np.int64(found[place]), np.int64(more))


@register_jitable
def _is_inside(found: Any, place: Any) -> Any:
    is_inside = True
    for k in range(found.ndim):
        is_inside &= -found.shape[k] <= place[k] < found.shape[k]
    return is_inside
