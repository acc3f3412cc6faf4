"""Numba overloads of functions that work along an axis: `diff`, `sort`, `argsort`, `take`, `repeat`, `tile`, `pad`.

An array is seen as one of three dimensions, of which the axis is the middle one. Calls that Numba supports are left to
it: an overload that returns None passes the call on. The adjoints beside them are kernels of `arrays`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.element_moves import diff_adjoint, repeat_adjoint, take_adjoint, tile_adjoint
from srcad.runtime.kernels.arrays.fourier import constant
from srcad.runtime.kernels.arrays.pads import padded, unpad
from srcad.runtime.kernels.arrays.rows_along_axis import around, from_rows, is_none, to_rows
from srcad.runtime.kernels.arrays.sorting import sorted_places


def _is_array_along(a: Any, axis: Any) -> bool:
    return isinstance(a, types.Array) and a.ndim > 0 and isinstance(axis, (types.Integer, int))


@overload(np.diff)
def _diff(a, n=1, axis=-1):
    if not _is_array_along(a, axis) or a.ndim == 1:
        return None

    def impl(a, n=1, axis=-1):
        rows = to_rows(a, axis)
        for _ in range(n):
            rows = rows[:, 1:] - rows[:, :-1]
        length = max(0, a.shape[axis] - n)
        return from_rows(rows, tuple_setitem(a.shape, axis % a.ndim, length), axis)

    return impl


@overload(diff_adjoint)
def _diff_adjoint(g, n=1, axis=-1):
    if g.ndim == 1:
        return None

    def impl(g, n=1, axis=-1):
        rows = to_rows(g, axis)
        for _ in range(n):
            longer = np.zeros((rows.shape[0], rows.shape[1] + 1), g.dtype)
            for i in range(rows.shape[0]):
                for k in range(rows.shape[1]):
                    longer[i, k] -= rows[i, k]
                    longer[i, k + 1] += rows[i, k]
            rows = longer
        return from_rows(rows, tuple_setitem(g.shape, axis % g.ndim, g.shape[axis] + n), axis)

    return impl


@overload(np.sort)
def _sort(a, axis=-1):
    if not isinstance(a, types.Array) or (a.ndim == 1 and isinstance(axis, int)) or isinstance(a.dtype, types.Complex):
        return None
    if is_none(axis):
        return lambda a, axis=-1: np.sort(a.copy().reshape(a.size))
    if a.ndim == 1:
        return lambda a, axis=-1: np.sort(a)
    if not _is_array_along(a, axis):
        return None

    def impl(a, axis=-1):
        rows = to_rows(a, axis).copy()
        for i in range(rows.shape[0]):
            rows[i] = np.sort(rows[i])
        return from_rows(rows, a.shape, axis)

    return impl


@overload(np.argsort)
def _argsort(a, axis=-1, kind="quicksort"):
    if not isinstance(a, types.Array) or not (isinstance(axis, (types.Integer, int)) or is_none(axis)):
        return None
    known, name = constant(kind)
    if not known or name not in (None, "quicksort", "mergesort", "stable", "heapsort"):
        return None
    if is_none(axis):
        return lambda a, axis=-1, kind="quicksort": np.argsort(a.copy().reshape(a.size), kind="mergesort")
    if a.ndim == 1:
        if isinstance(axis, int) and name in ("quicksort", "mergesort"):
            return None
        return lambda a, axis=-1, kind="quicksort": np.argsort(a, kind="mergesort")

    def impl(a, axis=-1, kind="quicksort"):
        rows = to_rows(a, axis)
        order = np.empty(rows.shape, np.int64)
        for i in range(rows.shape[0]):
            order[i] = sorted_places(rows[i])
        return from_rows(order, a.shape, axis)

    return impl


@register_jitable
def _place(index, n):
    if index < -n or index >= n:
        raise IndexError("index is out of bounds for the axis")
    return index + n if index < 0 else index


@overload(np.take)
def _take(a, indices, axis=None):
    if not _is_array_along(a, axis):
        return None
    if isinstance(indices, types.Integer):
        smaller = (0,) * (a.ndim - 1)

        def one(a, indices, axis=None):
            outer, n, inner = around(a.shape, axis)
            planes, k = np.ascontiguousarray(a).reshape((outer, n, inner)), _place(indices, n)
            shape, j = smaller, 0
            for i in range(a.ndim):
                if i != axis % a.ndim:
                    shape = tuple_setitem(shape, j, a.shape[i])
                    j += 1
            return planes[:, k].copy().reshape(shape)

        return one if a.ndim > 1 else None
    if not isinstance(indices, types.Array) or not isinstance(indices.dtype, types.Integer):
        return None
    whole = (0,) * (a.ndim - 1 + indices.ndim)

    def several(a, indices, axis=None):
        outer, n, inner = around(a.shape, axis)
        planes, places = np.ascontiguousarray(a).reshape((outer, n, inner)), np.ravel(indices)
        found = np.empty((outer, places.size, inner), a.dtype)
        for j in range(places.size):
            found[:, j] = planes[:, _place(places[j], n)]
        return found.reshape(_taken_shape(whole, a.shape, indices.shape, axis % a.ndim))

    return several


@register_jitable
def _taken_shape(shape, old, places, axis):
    """The shape of an array with the axes `places` instead of one axis."""
    j = 0
    for i in range(len(old)):
        if i == axis:
            for each in places:
                shape = tuple_setitem(shape, j, each)
                j += 1
        else:
            shape = tuple_setitem(shape, j, old[i])
            j += 1
    return shape


@overload(take_adjoint)
def _take_adjoint(g, shape, indices, axis=None):
    if is_none(axis) or not isinstance(indices, (types.Integer, types.Array)):
        return None
    dtype, is_one = g.dtype if isinstance(g, types.Array) else g, isinstance(indices, types.Integer)

    def impl(g, shape, indices, axis=None):
        result = np.zeros(shape, dtype)
        outer, n, inner = around(shape, axis)
        planes = result.reshape((outer, n, inner))
        places = np.full(1, indices) if is_one else np.ravel(indices)
        values = np.asarray(g).copy().reshape((outer, places.size, inner))
        for i in range(outer):
            for j in range(places.size):
                k = _place(places[j], n)
                for p in range(inner):
                    planes[i, k, p] += values[i, j, p]
        return result

    return impl


def _copies(n: Any, repeats: Any) -> Any:
    """How often each of n elements is repeated. Only in compiled code."""
    raise NotImplementedError


@overload(_copies)
def _overload_copies(n, repeats):
    if isinstance(repeats, types.Integer):
        return lambda n, repeats: np.full(n, repeats)

    def impl(n, repeats):
        given = np.asarray(repeats)
        counts = np.full(n, given[0]) if given.size == 1 else given
        if counts.size != n:
            raise ValueError("operands could not be broadcast together")
        for each in counts:
            if each < 0:
                raise ValueError("counts must not be negative")
        return counts

    return impl


@overload(np.repeat)
def _repeat(a, repeats, axis=None):
    if not _is_array_along(a, axis):
        return None

    def impl(a, repeats, axis=None):
        outer, n, inner = around(a.shape, axis)
        counts = _copies(n, repeats)
        total = np.sum(counts)
        planes = np.ascontiguousarray(a).reshape((outer, n, inner))
        found = np.empty((outer, total, inner), a.dtype)
        j = 0
        for k in range(n):
            for _ in range(counts[k]):
                found[:, j] = planes[:, k]
                j += 1
        return found.reshape(tuple_setitem(a.shape, axis % a.ndim, total))

    return impl


@overload(repeat_adjoint)
def _repeat_adjoint(g, shape, repeats, axis=None):
    is_one, is_flat = isinstance(repeats, types.Integer), is_none(axis)
    if is_flat and is_one:
        return None

    def impl(g, shape, repeats, axis=None):
        result = np.zeros(shape, g.dtype)
        outer, n, inner = (1, result.size, 1) if is_flat else around(shape, axis)
        counts = _copies(n, repeats)
        values = np.ascontiguousarray(g).reshape((outer, np.sum(counts), inner))
        planes = result.reshape((outer, n, inner))
        j = 0
        for k in range(n):
            for _ in range(counts[k]):
                for i in range(outer):
                    for p in range(inner):
                        planes[i, k, p] += values[i, j, p]
                j += 1
        return result

    return impl


def _counts_kind(reps: Any) -> int | None:
    """How many numbers of copies there are; None for other kinds of arguments."""
    if isinstance(reps, types.Integer):
        return 1
    return len(reps) if isinstance(reps, types.UniTuple) and isinstance(reps.dtype, types.Integer) else None


@overload(np.tile)
def _tile(A, reps):  # noqa: N803  # named as NumPy names it
    count = _counts_kind(reps)
    if not isinstance(A, types.Array) or count is None or (A.ndim == 1 and isinstance(reps, types.Integer)):
        return None
    ndim, lead = max(A.ndim, count), max(0, count - A.ndim)
    ones, is_one, own = (1,) * ndim, isinstance(reps, types.Integer), A.ndim

    def impl(A, reps):  # noqa: N803
        shape = ones
        for k in range(own):
            shape = tuple_setitem(shape, lead + k, A.shape[k])
        whole = np.ascontiguousarray(A).reshape(shape)
        for k in range(count):
            axis = ndim - count + k
            whole = _tiled_along(whole, reps if is_one else reps[k], axis)
        return whole

    return impl


@register_jitable
def _tiled_along(a, count, axis):
    outer, n, inner = around(a.shape, axis)
    planes = a.reshape((outer, 1, n * inner))
    found = np.empty((outer, count, n * inner), a.dtype)
    found[...] = planes
    return found.reshape(tuple_setitem(a.shape, axis, n * count))


@overload(tile_adjoint)
def _tile_adjoint(g, shape, reps):
    count = _counts_kind(reps)
    if count is None or (len(shape) == 1 and isinstance(reps, types.Integer)):
        return None
    ndim, lead, own, is_one = g.ndim, max(0, count - len(shape)), len(shape), isinstance(reps, types.Integer)

    def impl(g, shape, reps):
        whole = np.ascontiguousarray(g)
        for k in range(count):
            axis = ndim - count + k
            outer, _, inner = around(whole.shape, axis)
            copies = reps if is_one else reps[k]
            short = shape[axis - lead] if 0 <= axis - lead < own else 1
            parts = whole.reshape((outer, copies, short * inner))
            there = np.zeros((outer, short * inner), g.dtype)
            for j in range(copies):
                there += parts[:, j]
            whole = there.reshape(tuple_setitem(whole.shape, axis, short))
        return whole.reshape(shape)

    return impl


@overload(np.linspace)
def _linspace(start, stop, num=50, endpoint=True):
    if isinstance(endpoint, bool) or any(isinstance(each, types.Array) for each in (start, stop)):
        return None

    def impl(start, stop, num=50, endpoint=True):
        return start + (stop - start) * (np.arange(num) / max(1, num - 1 if endpoint else num))

    return impl


# The border of `np.pad`, one axis after the other: each element is a copy of one inside, or a constant.


@register_jitable
def _source(k, n, mode):
    """The position that the border element at k (less than 0, or at least n) is copied from."""
    if mode == 1:  # edge
        return 0 if k < 0 else n - 1
    if mode == 4:  # wrap
        return k % n
    if mode == 2:  # reflect
        period = max(1, 2 * (n - 1))
        k = k % period
        return period - k if k >= n else k
    k = k % (2 * n)  # symmetric
    return 2 * n - 1 - k if k >= n else k


_MODES = {"constant": 0, "edge": 1, "reflect": 2, "symmetric": 3, "wrap": 4}


def _widths(pad_width: Any, ndim: int) -> Any:
    """A function that gives the widths before and after an axis."""
    if isinstance(pad_width, types.Integer):
        return register_jitable(lambda pad_width, axis: (pad_width, pad_width))
    if isinstance(pad_width, types.UniTuple) and isinstance(pad_width.dtype, types.Integer) and len(pad_width) == 2:
        return register_jitable(lambda pad_width, axis: (pad_width[0], pad_width[1]))
    if (
        isinstance(pad_width, types.UniTuple)
        and isinstance(pad_width.dtype, types.UniTuple)
        and len(pad_width.dtype) == 2
    ):
        if len(pad_width) == ndim:
            return register_jitable(lambda pad_width, axis: (pad_width[axis][0], pad_width[axis][1]))
        if len(pad_width) == 1:
            return register_jitable(lambda pad_width, axis: (pad_width[0][0], pad_width[0][1]))
    return None


def _padding(array: Any, pad_width: Any, mode: Any) -> tuple[Any, int | None]:
    known, name = constant(mode)
    widths = _widths(pad_width, array.ndim) if isinstance(array, types.Array) and array.ndim else None
    return widths, _MODES.get(name) if known else None


@register_jitable
def _bordered(a, before, after, axis, mode, value):
    outer, n, inner = around(a.shape, axis)
    planes = np.ascontiguousarray(a).reshape((outer, n, inner))
    found = np.empty((outer, before + n + after, inner), a.dtype)
    if mode and n == 0 and before + after > 0:
        raise ValueError("can't extend an empty axis")
    for k in range(found.shape[1]):
        if before <= k < before + n:
            found[:, k] = planes[:, k - before]
        elif mode == 0:
            found[:, k] = value
        else:
            found[:, k] = planes[:, _source(k - before, n, mode)]
    return found.reshape(tuple_setitem(a.shape, axis, found.shape[1]))


@overload(np.pad, prefer_literal=True)
def _pad(array, pad_width, mode="constant", constant_values=0):
    widths, kind = _padding(array, pad_width, mode)
    if widths is None or kind is None or isinstance(constant_values, types.BaseTuple):
        return None
    ndim = array.ndim

    def impl(array, pad_width, mode="constant", constant_values=0):
        whole = np.ascontiguousarray(array)
        for axis in range(ndim):
            before, after = widths(pad_width, axis)
            whole = _bordered(whole, before, after, axis, kind, constant_values)
        return whole

    return impl


@overload(padded, prefer_literal=True)
def _padded(array, pad_width, mode="constant"):
    widths, kind = _padding(array, pad_width, mode)
    if widths is None or kind is None:
        return None
    ndim = array.ndim

    def impl(array, pad_width, mode="constant"):
        whole = np.ascontiguousarray(array)
        for axis in range(ndim):
            before, after = widths(pad_width, axis)
            whole = _bordered(whole, before, after, axis, kind, 0)
        return whole

    return impl


@overload(unpad, prefer_literal=True)
def _unpad(g, shape, pad_width, mode="constant"):
    widths, kind = _padding(g, pad_width, mode)
    if widths is None or kind is None:
        return None
    ndim = g.ndim

    def impl(g, shape, pad_width, mode="constant"):
        whole = np.ascontiguousarray(g)
        for reverse in range(ndim):
            axis = ndim - 1 - reverse
            before, _ = widths(pad_width, axis)
            n = shape[axis]
            outer, width, inner = around(whole.shape, axis)
            planes = whole.reshape((outer, width, inner))
            found = planes[:, before : before + n].copy()
            if kind:
                for k in range(width):
                    if not before <= k < before + n:
                        found[:, _source(k - before, n, kind)] += planes[:, k]
            whole = found.reshape(tuple_setitem(whole.shape, axis, n))
        return whole

    return impl


@overload(np.flip)
def _flip(m, axis=None):
    if not isinstance(m, types.Array) or not isinstance(axis, types.UniTuple):
        return None

    def impl(m, axis=None):
        whole = np.swapaxes(m, 0, 0)
        for each in axis:
            whole = np.flip(whole, each)
        return whole

    return impl


@overload(np.moveaxis)
def _moveaxis(a, source, destination):
    if isinstance(source, types.Integer) and isinstance(destination, types.Integer):
        return lambda a, source, destination: np.moveaxis(a, (source,), (destination,))
    if not isinstance(a, types.Array) or not isinstance(source, types.UniTuple):
        return None
    if not isinstance(destination, types.UniTuple) or len(source) != len(destination):
        return None
    ndim, blank = a.ndim, (-1,) * a.ndim

    def impl(a, source, destination):
        order, used = blank, 0
        for k in range(len(source)):
            order = tuple_setitem(order, destination[k] % ndim, source[k] % ndim)
            used |= 1 << (source[k] % ndim)
        j = 0
        for k in range(ndim):
            if order[k] < 0:
                while used & (1 << j):
                    j += 1
                order = tuple_setitem(order, k, j)
                j += 1
        return np.transpose(a, order)

    return impl


@overload(np.expand_dims)
def _expand_dims(a, axis):
    if not isinstance(a, types.Array) or not isinstance(axis, types.UniTuple) or a.layout != "C":
        return None
    ndim = a.ndim + len(axis)
    ones = (-1,) * ndim

    def impl(a, axis):
        shape = ones
        for each in axis:
            shape = tuple_setitem(shape, each % ndim, 1)
        j = 0
        for k in range(ndim):
            if shape[k] < 0:
                shape = tuple_setitem(shape, k, a.shape[j])
                j += 1
        return a.reshape(shape)

    return impl
