"""Positions of elements that definitions of NumPy functions read: sorted, inserted, deleted, repeated elements."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.rows_along_axis import from_rows, to_rows


def whole_places(x: Any) -> Any:
    """Numbers rounded down to integers.

    >>> whole_places(np.array([1.7, 0.2]))
    array([1, 0])
    """
    return np.floor(x).astype(np.int64)


def first_places(flat: Any) -> Any:
    """The positions at which the distinct elements of a vector come first, in the order of these.

    >>> first_places(np.array([2.0, 1.0, 2.0]))
    array([1, 0])
    """
    return np.unique(flat, return_index=True)[1]


def places_in_rows(shape: tuple[int, ...], chosen: Any) -> Any:
    """The flat positions of the elements that `chosen` reads from each row of an array of this shape.

    >>> places_in_rows((2, 3), np.array([[0, -1], [1, 2]]))
    array([[0, 2],
           [4, 5]])
    """
    length = shape[-1]
    count = int(np.prod(shape[:-1], dtype=np.int64))
    if np.any((chosen < -length) | (chosen >= length)):
        raise IndexError("index is out of bounds for the axis")
    if chosen.shape[:-1] != shape[:-1]:
        raise NotImplementedError("np.take_along_axis with indices that broadcast: use np.broadcast_to")
    places = np.where(chosen < 0, chosen + length, chosen).reshape((count, chosen.shape[-1]))
    return (places + length * np.arange(count).reshape((count, 1))).reshape(chosen.shape)


def put_along(a: Any, indices: Any, values: Any, axis: int | None) -> Any:
    """A copy of `a` after `np.put_along_axis(a, indices, values, axis)`.

    >>> put_along(np.zeros((2, 3)), np.array([[1], [2]]), 5.0, 1)
    array([[0., 5., 0.],
           [0., 0., 5.]])
    """
    result = np.array(a)
    np.put_along_axis(result, indices, values, axis)
    return result


def put_along_adjoint(g: Any, indices: Any, axis: int | None) -> Any:
    """The adjoint of the values of `put_along` before unbroadcasting: of several put at one place, the last one counts.

    >>> put_along_adjoint(np.array([1.0, 2.0, 4.0]), np.array([0, 2, 2]), 0)
    array([1., 0., 4.])
    """
    own = np.arange(indices.size).reshape(indices.shape)
    last = np.full(g.shape, -1)
    np.put_along_axis(last, indices, own, axis)
    stays = np.take_along_axis(last, indices, axis) == own
    return np.where(stays, np.take_along_axis(g, indices, axis), 0.0)


def segment_sums_adjoint(g: Any, a: Any, indices: Any, axis: int) -> Any:
    """The adjoint of a in `np.add.reduceat(a, indices, axis)`.

    >>> segment_sums_adjoint(np.array([1.0, 10.0]), np.zeros(4), [0, 3], 0)
    array([ 1.,  1.,  1., 10.])
    """
    bar = np.zeros(a.shape, g.dtype)
    rows, parts = np.moveaxis(bar, axis, 0), np.moveaxis(g, axis, 0)
    ends = [*indices[1:], rows.shape[0]]
    for part, first, end in zip(parts, indices, ends, strict=True):
        rows[first : max(first + 1, end)] += part
    return bar


def leading_zeros(r: Any) -> int:
    """How many leading coefficients of a remainder are zero up to rounding, at most all but the last.

    >>> leading_zeros(np.array([0.0, 1e-18, 2.0])), leading_zeros(np.zeros(3))
    (2, 2)
    """
    count = 0
    while count < len(r) - 1 and abs(r[count]) <= 1e-8:  # as np.polydiv takes it
        count += 1
    return count


def places_after_insertion(size: int, obj: Any, count: int) -> Any:
    """Where the elements of `np.insert` come from: from `size` old ones, followed by `count` that are inserted.

    >>> places_after_insertion(3, 1, 1), places_after_insertion(2, np.array([0, 2]), 2)
    (array([0, 3, 1, 2]), array([2, 0, 1, 3]))
    """
    found = np.ravel(np.asarray(obj))
    if found.dtype == np.bool_:
        found = np.nonzero(found)[0]
    return _order(size, np.repeat(found, count) if found.size == 1 else found)


def _order(size: Any, before: Any) -> Any:
    """The order of elements of which some are inserted before given positions."""
    turned = np.empty(before.size, np.int64)
    for k in range(before.size):
        turned[k] = before[k] + size if before[k] < 0 else before[k]
        if turned[k] < 0 or turned[k] > size:
            raise IndexError("index is out of bounds for the axis")
    order = np.argsort(turned, kind="mergesort")
    result = np.empty(size + before.size, np.int64)
    k = 0
    for i in range(size + 1):
        while k < before.size and turned[order[k]] == i:
            result[i + k] = size + order[k]
            k += 1
        if i < size:
            result[i + k] = i
    return result


def places_after_deletion(size: int, obj: Any) -> Any:
    """The positions that `np.delete` keeps.

    >>> places_after_deletion(4, -1), places_after_deletion(4, np.array([0, 2]))
    (array([0, 1, 2]), array([1, 3]))
    """
    return np.delete(np.arange(size), obj)


def mask_places(array: Any, mask: Any) -> Any:
    """The indices of the elements of an array that a mask of its leading axes selects, an array for each axis.

    Raises IndexError if the mask has other extents.

    >>> mask_places(np.zeros((2, 2, 3)), np.array([[True, False], [True, True]]))
    (array([0, 1, 1]), array([0, 0, 1]))
    """
    if np.shape(mask) != np.shape(array)[: np.ndim(mask)]:
        raise IndexError("the shape of the mask is not that of the array's leading axes")
    return np.nonzero(mask)


def rows_to_insert(along: Any, obj: Any, values: Any) -> Any:
    """The elements that `np.insert` inserts along the first axis of an array, as many as there are positions.

    >>> rows_to_insert(np.zeros((2, 3)), np.array([0, 1]), 5.0).shape, rows_to_insert(np.zeros(2), 1, np.ones(3)).shape
    ((2, 3), (3,))
    """
    count = np.size(obj)
    if count == 1 and np.ndim(values) == along.ndim:
        count = np.shape(values)[0]
    return np.broadcast_to(values, (count, *along.shape[1:])).copy()


def cyclic_places(size: int, shape: Any) -> Any:
    """The positions that `np.resize` reads from a vector.

    >>> cyclic_places(3, (2, 2))
    array([[0, 1],
           [2, 0]])
    """
    return np.resize(np.arange(size), shape)


def nonzero_range(filt: Any) -> tuple[int, int]:
    """The first position of a vector that is not zero, and the one after the last.

    >>> nonzero_range(np.array([0.0, 1.0, 0.0, 2.0, 0.0]))
    (1, 4)
    """
    places = np.nonzero(filt)[0]
    return (int(places[0]), int(places[-1]) + 1) if places.size else (len(filt), 0)


def before_axes_of(a: Any, b: Any) -> Any:
    """An array followed by as many axes of length 1 as b has axes.

    >>> before_axes_of(np.ones(3), np.ones((2, 2))).shape
    (3, 1, 1)
    """
    return np.reshape(a, (*np.shape(a), *[1] * np.ndim(b)))


@overload(whole_places)
def _overload_whole_places(x):
    return lambda x: np.floor(x).astype(np.int64)


@overload(first_places)
def _overload_first_places(flat):
    def impl(flat):
        order = np.argsort(flat, kind="mergesort")
        kept = np.empty(flat.size, np.int64)
        count = 0
        for k in range(order.size):
            one, before = flat[order[k]], flat[order[max(k - 1, 0)]]
            if k == 0 or (one != before and (one == one or before == before)):  # NaN comes last, and counts once
                kept[count] = order[k]
                count += 1
        return kept[:count]

    return impl


@overload(places_in_rows)
def _overload_places_in_rows(shape, chosen):
    def impl(shape, chosen):
        length = shape[-1]
        count = 1
        for each in shape[:-1]:
            count *= each
        if chosen.shape[:-1] != shape[:-1]:
            raise NotImplementedError("np.take_along_axis with indices that broadcast: use np.broadcast_to")
        rows = np.ascontiguousarray(chosen).reshape((count, chosen.shape[-1]))
        result = np.empty(rows.shape, np.int64)
        for i in range(count):
            for j in range(rows.shape[1]):
                k = rows[i, j]
                if k < -length or k >= length:
                    raise IndexError("index is out of bounds for the axis")
                result[i, j] = i * length + (k + length if k < 0 else k)
        return result.reshape(chosen.shape)

    return impl


@overload(leading_zeros)
def _overload_leading_zeros(r):
    def impl(r):
        count = 0
        while count < len(r) - 1 and abs(r[count]) <= 1e-8:  # Numba compiles it
            count += 1
        return count

    return impl


@overload(put_along)
def _overload_put_along(a, indices, values, axis):
    if isinstance(axis, types.NoneType) or not isinstance(indices, types.Array) or indices.ndim != a.ndim:
        return None

    def impl(a, indices, values, axis):
        rows, places = to_rows(a, axis).copy(), to_rows(indices, axis)
        given = to_rows(np.broadcast_to(values, indices.shape), axis)
        if rows.shape[0] != places.shape[0]:
            raise NotImplementedError("np.put_along_axis with indices that broadcast: use np.broadcast_to")
        for i in range(places.shape[0]):
            for j in range(places.shape[1]):
                if places[i, j] < -rows.shape[1] or places[i, j] >= rows.shape[1]:
                    raise IndexError("index is out of bounds for the axis")
                rows[i, places[i, j]] = given[i, j]
        return from_rows(rows, a.shape, axis)

    return impl


@overload(put_along_adjoint)
def _overload_put_along_adjoint(g, indices, axis):
    if isinstance(axis, types.NoneType) or not isinstance(indices, types.Array) or indices.ndim != g.ndim:
        return None

    def impl(g, indices, axis):
        rows, places = to_rows(g, axis), to_rows(indices, axis)
        found = np.zeros(places.shape, g.dtype)
        for i in range(places.shape[0]):
            is_taken = np.zeros(rows.shape[1], np.bool_)
            for j in range(places.shape[1] - 1, -1, -1):
                if not is_taken[places[i, j]]:
                    is_taken[places[i, j]] = True
                    found[i, j] = rows[i, places[i, j]]
        return from_rows(found, indices.shape, axis)

    return impl


_in_order = register_jitable(_order)


@overload(places_after_insertion)
def _overload_places_after_insertion(size, obj, count):
    if not isinstance(obj, types.Array):
        return lambda size, obj, count: _in_order(size, np.full(count, obj))
    if obj.dtype == types.boolean:
        return None

    def impl(size, obj, count):
        return _in_order(size, np.full(count, obj.flat[0]) if obj.size == 1 else np.ravel(obj))

    return impl


@overload(places_after_deletion)
def _overload_places_after_deletion(size, obj):
    if isinstance(obj, types.Array) and obj.dtype == types.boolean:
        return lambda size, obj: np.nonzero(~obj)[0]
    if not isinstance(obj, (types.Array, types.Integer)):
        return None
    is_one = isinstance(obj, types.Integer)

    def impl(size, obj):
        kept = np.ones(size, np.bool_)
        for each in np.full(1, obj) if is_one else np.ravel(obj):
            if each < -size or each >= size:
                raise IndexError("index is out of bounds for the axis")
            kept[each] = False
        return np.nonzero(kept)[0]

    return impl


@overload(rows_to_insert)
def _overload_rows_to_insert(along, obj, values):
    is_one = not isinstance(obj, types.Array)
    several = isinstance(values, types.Array) and values.ndim == along.ndim

    def impl(along, obj, values):
        count = 1 if is_one else obj.size
        if several and count == 1:
            count = values.shape[0]
        return np.broadcast_to(values, (count,) + along.shape[1:]).copy()

    return impl


@overload(mask_places)
def _overload_mask_places(array, mask):
    count = mask.ndim

    def impl(array, mask):
        if mask.shape != array.shape[:count]:
            raise IndexError("the shape of the mask is not that of the array's leading axes")
        return np.nonzero(mask)

    return impl if 0 < count <= array.ndim else None


@overload(cyclic_places)
def _overload_cyclic_places(size, shape):
    def impl(size, shape):
        result = np.empty(shape, np.int64)
        flat = result.reshape(result.size)
        for k in range(flat.size):
            flat[k] = k % size
        return result

    return impl


@overload(nonzero_range)
def _overload_nonzero_range(filt):
    def impl(filt):
        first, last = len(filt), 0
        for k in range(len(filt)):
            if filt[k] != 0:
                first, last = min(first, k), k + 1
        return first, last

    return impl


@overload(before_axes_of)
def _overload_before_axes_of(a, b):
    ones = (1,) * (b.ndim if isinstance(b, types.Array) else 0)
    if not isinstance(a, types.Array):
        return lambda a, b: np.full(ones, a)
    if a.layout == "C":
        return lambda a, b: a.reshape(a.shape + ones)
    return lambda a, b: a.copy().reshape(a.shape + ones)
