"""Kernels along axes, for rules of reductions and sorting: shares in an extremum, leave-one-out products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import add_to
from srcad.runtime.kernels.arrays.rows_along_axis import Axis, from_rows, is_none, literal_dimension, to_rows
from srcad.runtime.kernels.arrays.scalar import divides
from srcad.runtime.kernels.arrays.sorting import sorted_places
from srcad.runtime.kernels.arrays.unbroadcast import reduced_size, restore


def shares(y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The share of each element in a maximum or minimum `y`: elements that are equal to it have equal shares.

    >>> shares(3.0, np.array([3.0, 1.0, 3.0]))
    array([0.5, 0. , 0.5])
    """
    equal = a == (y if axis is None else restore(y, a.shape, axis, keepdims))
    if axis is None or (a.ndim == 1 and axis != ()):
        count = np.count_nonzero(equal)
        return equal.astype(a.dtype) if count == 1 else equal / a.dtype.type(count)
    flat = y.reshape(-1)
    size = flat.dot(flat)
    if size == size and np.count_nonzero(equal) == y.size:  # no ties
        return equal.astype(a.dtype)
    return equal / np.add.reduce(equal, axis=axis, keepdims=True, dtype=a.dtype)


def extremum_adjoint(g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> Any:
    """The adjoint of an array from that of its maxima or minima `y`: elements that are equal to one share its adjoint.

    >>> extremum_adjoint(np.array([4.0]), np.array([3.0]), np.array([[3.0, 1.0, 3.0]]), 1)
    array([[2., 0., 2.]])
    """
    return restore(g, a.shape, axis, keepdims) * shares(y, a, axis, keepdims)


def add_extremum(total: Any, g: Any, y: Any, a: Any, axis: Axis = None, keepdims: bool = False) -> None:
    """Add the adjoint of an array from that of its maxima or minima to an array, in place.

    >>> total = np.ones((1, 3))
    >>> add_extremum(total, np.array([4.0]), np.array([3.0]), np.array([[3.0, 1.0, 3.0]]), 1)
    >>> total
    array([[3., 1., 3.]])
    """
    total += extremum_adjoint(g, y, a, axis, keepdims)


def centred(a: Any, axis: Axis = None) -> Any:
    """Each element minus the mean.

    >>> centred(np.array([1.0, 5.0]))
    array([-2.,  2.])
    """
    if axis is None:
        return a - np.add.reduce(a, None) / a.size
    return a - np.add.reduce(a, axis=axis, keepdims=True) / reduced_size(a.shape, axis)


def others(a: Any, axis: Axis = None) -> Any:
    """For each element the product of all the others along the axis; computed by division only if that is safe.

    >>> others(np.array([2.0, 0.0, 5.0]))
    array([ 0., 10.,  0.])
    """
    product = np.multiply.reduce(a, axis=axis, keepdims=True)
    if divides(product):
        return product / a
    rows = to_rows(a, axis)
    before, after = np.ones_like(rows), np.ones_like(rows)
    before[:, 1:] = np.cumprod(rows[:, :-1], axis=1)
    after[:, :-1] = np.cumprod(rows[:, :0:-1], axis=1)[:, ::-1]
    return from_rows(before * after, a.shape, axis)


def others_adjoint(g: Any, a: Any, axis: Axis = None) -> Any:
    """The adjoint of `others`. Its Jacobian is symmetric, so this is its tangent as well.

    >>> others_adjoint(np.array([1.0, 0.0]), np.array([3.0, 5.0]))
    array([0., 1.])
    """
    rows, weights = to_rows(a, axis), to_rows(g, axis)
    # Products of the elements before and after, and their derivatives in the direction of the weights.
    p, q = _running(rows, weights)
    r, s = (each[:, ::-1] for each in _running(rows[:, ::-1], weights[:, ::-1]))
    return from_rows(q * r + p * s, a.shape, axis)


def _running(rows: Any, weights: Any) -> tuple[Any, Any]:
    p, q = np.ones_like(rows), np.zeros_like(rows)
    for k in range(1, rows.shape[1]):
        p[:, k] = p[:, k - 1] * rows[:, k - 1]
        q[:, k] = q[:, k - 1] * rows[:, k - 1] + p[:, k - 1] * weights[:, k - 1]
    return p, q


def sort_adjoint(g: Any, a: Any, axis: int | None = -1) -> Any:
    """The adjoint of `np.sort`: the adjoints of sorted elements moved back to their original positions.

    >>> sort_adjoint(np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.1, 0.2]))
    array([3., 1., 2.])
    """
    if axis is None:
        return np.reshape(sort_adjoint(g, np.reshape(a, -1)), a.shape)
    result = np.empty_like(g)
    if a.ndim == 1:
        result[a.argsort(kind="stable")] = g
        return result
    np.put_along_axis(result, np.argsort(a, axis=axis, kind="stable"), g, axis)
    return result


def sort_tangent(t: Any, a: Any, axis: int | None = -1) -> Any:
    """The tangent of `np.sort`: values in the order that sorts `a`.

    >>> sort_tangent(np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.1, 0.2]))
    array([2., 3., 1.])
    """
    if axis is None:
        return sort_tangent(np.reshape(t, -1), np.reshape(a, -1))
    return np.take_along_axis(t, np.argsort(a, axis=axis, kind="stable"), axis)


@overload(shares, prefer_literal=True)
def _overload_shares(y, a, axis=None, keepdims=False):
    dtype = a.dtype
    over = literal_dimension(axis, a.ndim)
    if a.ndim == 2 and over is not None:
        return _shares_of_rows if over == 1 else _shares_of_columns
    if is_none(axis) and not isinstance(y, types.Array):
        return _shares_of_vector if a.ndim == 1 else _shares_of_all

    def impl(y, a, axis=None, keepdims=False):
        equal = (a == restore(y, a.shape, axis)).astype(dtype)
        return equal / np.sum(equal, axis=axis, keepdims=True)

    return impl


@overload(extremum_adjoint, prefer_literal=True)
def _overload_extremum_adjoint(g, y, a, axis=None, keepdims=False):
    def general(g, y, a, axis=None, keepdims=False):
        return restore(g, a.shape, axis, keepdims) * shares(y, a, axis, keepdims)

    def rows(g, y, a, axis=None, keepdims=False):
        result = np.zeros(a.shape, a.dtype)
        _add_to_rows(result, g, y, a)
        return result

    return rows if a.ndim == 2 and _is_of_rows(g, y, a, axis) else general


@overload(add_extremum, prefer_literal=True)
def _overload_add_extremum(total, g, y, a, axis=None, keepdims=False):
    def general(total, g, y, a, axis=None, keepdims=False):
        add_to(total, extremum_adjoint(g, y, a, axis, keepdims))

    def rows(total, g, y, a, axis=None, keepdims=False):
        if total.shape != a.shape:
            raise ValueError("operands could not be broadcast together")
        _add_to_rows(total, g, y, a)

    def all_rows(total, g, y, a, axis=None, keepdims=False):
        if total.shape != a.shape:
            raise ValueError("operands could not be broadcast together")
        shape = (y.size, a.shape[a.ndim - 1])
        _add_to_rows(total.reshape(shape), g, y, a.reshape(shape))

    if not _is_of_rows(g, y, a, axis) or not isinstance(total, types.Array) or total.ndim != a.ndim:
        return general
    if a.ndim == 2:
        return rows
    return all_rows if a.layout == total.layout == "C" else general


def _is_of_rows(g: Any, y: Any, a: Any, axis: Any) -> bool:
    """Whether these are extremes along the last axis of an array of floats."""
    if not all(isinstance(each, types.Array) for each in (g, y, a)) or a.ndim < 2:
        return False
    return isinstance(a.dtype, types.Float) and literal_dimension(axis, a.ndim) == a.ndim - 1


@register_jitable
def _add_to_rows(total: Any, g: Any, y: Any, a: Any) -> None:
    for i in range(a.shape[0]):
        top = y.flat[i]
        count = 0
        for j in range(a.shape[1]):
            count += a[i, j] == top
        given = g.flat[i]
        if count == 0 or given - given != 0.0:  # a NaN is equal to nothing; what is not finite times 0 is NaN
            for j in range(a.shape[1]):
                total[i, j] += given * np.divide(a[i, j] == top, count)
        else:
            share = given * np.divide(1.0, count)
            for j in range(a.shape[1]):
                total[i, j] += share if a[i, j] == top else 0.0


def _shares_of_rows(y, a, axis=None, keepdims=False):
    result = np.empty(a.shape, a.dtype)
    for i in range(a.shape[0]):
        top = y.flat[i]
        count = 0.0
        for j in range(a.shape[1]):
            count += a[i, j] == top
        for j in range(a.shape[1]):
            result[i, j] = np.divide(a[i, j] == top, count)
    return result


def _shares_of_columns(y, a, axis=None, keepdims=False):
    counts = np.zeros(a.shape[1])
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            counts[j] += a[i, j] == y.flat[j]
    result = np.empty(a.shape, a.dtype)
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            result[i, j] = np.divide(a[i, j] == y.flat[j], counts[j])
    return result


def _shares_of_vector(y, a, axis=None, keepdims=False):
    count = 0.0
    for each in a:
        count += each == y
    result = np.empty(a.shape[0], a.dtype)
    for i in range(a.shape[0]):
        result[i] = np.divide(a[i] == y, count)
    return result


def _shares_of_all(y, a, axis=None, keepdims=False):
    count = 0.0
    for each in a.flat:
        count += each == y
    result = np.zeros(a.shape, a.dtype)
    for index, each in np.ndenumerate(a):
        result[index] = (each == y) / count
    return result


@overload(others)
def _overload_others(a, axis=None):
    def impl(a, axis=None):
        rows = to_rows(a, axis)
        return from_rows(_others(rows), a.shape, axis)

    return impl


@register_jitable
def _others(rows: Any) -> Any:
    result = np.ones_like(rows)
    for i in range(rows.shape[0]):
        product = result.dtype.type(1)
        for k in range(rows.shape[1]):
            result[i, k] = product
            product *= rows[i, k]
        product = result.dtype.type(1)
        for k in range(rows.shape[1] - 1, -1, -1):
            result[i, k] *= product
            product *= rows[i, k]
    return result


@overload(others_adjoint)
def _overload_others_adjoint(g, a, axis=None):
    running = register_jitable(_running)

    def impl(g, a, axis=None):
        rows, weights = to_rows(a, axis), to_rows(g, axis)
        p, q = running(rows, weights)
        r, s = running(rows[:, ::-1], weights[:, ::-1])
        return from_rows(q * r[:, ::-1] + p * s[:, ::-1], a.shape, axis)

    return impl


@overload(sort_adjoint)
def _overload_sort_adjoint(g, a, axis=-1):
    def impl(g, a, axis=-1):
        keys, values = to_rows(a, axis), to_rows(g, axis)
        result = np.empty_like(values)
        for i in range(keys.shape[0]):
            order = sorted_places(keys[i])
            for j in range(order.size):
                result[i, order[j]] = values[i, j]
        return from_rows(result, a.shape, axis)

    return impl


@overload(sort_tangent)
def _overload_sort_tangent(t, a, axis=-1):
    if is_none(axis):
        return lambda t, a, axis=-1: t.ravel()[sorted_places(a.ravel())]

    def impl(t, a, axis=-1):
        keys, values = to_rows(a, axis), to_rows(t, axis)
        result = np.empty_like(values)
        for i in range(keys.shape[0]):
            order = sorted_places(keys[i])
            for j in range(order.size):
                result[i, j] = values[i, order[j]]
        return from_rows(result, a.shape, axis)

    return impl
