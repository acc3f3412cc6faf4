"""Adjoints and tangents of scans: running sums, products and maxima. They are correct for zeros as well."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.rearrangements import take_along_adjoint
from srcad.runtime.kernels.arrays.rows_along_axis import from_rows, is_none, to_rows
from srcad.runtime.kernels.arrays.scalar import divides


def cumsum_adjoint(g: Any, shape: tuple[int, ...], axis: int | None = None) -> Any:
    """The adjoint of `np.cumsum`: for each element the sum over it and all later ones.

    >>> cumsum_adjoint(np.array([1.0, 2.0, 3.0]), (3,))
    array([6., 5., 3.])
    """
    if axis is None:
        return np.add.accumulate(g[::-1])[::-1].reshape(shape)
    back = (slice(None),) * (axis % g.ndim) + (slice(None, None, -1),)
    return np.add.accumulate(g[back], axis=axis)[back]


def cumprod_adjoint(g: Any, a: Any, axis: int | None = None) -> Any:
    """The adjoint of `np.cumprod`; computed by division only if that is safe.

    >>> cumprod_adjoint(np.array([1.0, 1.0, 1.0]), np.array([2.0, 0.0, 5.0]))
    array([ 1., 12.,  0.])
    """
    found = divided_cumprod_adjoint(g, a, axis)
    if found is not None:
        return found
    rows = to_rows(a, axis)
    return from_rows(_cumprod_adjoint(to_rows(g, axis), rows), a.shape, axis)


_LEAST = 1e-150  # the least product that may be divided by its factors, as in `divides`


def divided_cumprod_adjoint(g: Any, a: Any, axis: int | None = None) -> Any:
    """`cumprod_adjoint` computed by division; None if that is not safe.

    >>> divided_cumprod_adjoint(np.ones(2), np.array([2.0, 3.0])), divided_cumprod_adjoint(np.ones(1), np.zeros(1))
    (array([4., 2.]), None)
    """
    if a.ndim == 1 and a.size and a.dtype.char == "d":
        products = np.multiply.accumulate(a)
        sizes = np.absolute(products)
        if not sizes.item(sizes.argmin()) > _LEAST:
            return None
        sums = np.add.accumulate((g * products)[::-1])
        return sums[::-1] / a if abs(sums.item(-1)) < math.inf else None  # a term that is not finite is in the last sum
    products = np.multiply.accumulate(a.reshape(-1) if axis is None else a, axis=axis or 0)
    return cumsum_adjoint(g * products, a.shape, axis) / a if divides(products) else None


def cumprod_tangent(t: Any, a: Any, axis: int | None = None) -> Any:
    """The tangent of `np.cumprod`."""
    result = _cumprod_tangent(to_rows(t, axis), to_rows(a, axis))
    return np.reshape(result, -1) if axis is None else from_rows(result, a.shape, axis)


def cumprod_bend(g: Any, t: Any, a: Any, axis: int | None = None) -> Any:
    """The derivative of `cumprod_adjoint(g, a)` if a moves in the direction t."""
    return from_rows(_cumprod_bend(to_rows(g, axis), to_rows(t, axis), to_rows(a, axis)), a.shape, axis)


@register_jitable
def _cumprod_bend(g: Any, t: Any, rows: Any) -> Any:
    result = np.zeros_like(rows)
    for i in range(rows.shape[0]):
        before, moved = np.ones_like(rows[i]), np.zeros_like(rows[i])  # products of earlier elements; their tangents
        for k in range(1, rows.shape[1]):
            before[k] = before[k - 1] * rows[i, k - 1]
            moved[k] = moved[k - 1] * rows[i, k - 1] + before[k - 1] * t[i, k - 1]
        after, turned = np.zeros_like(rows[i]), np.zeros_like(rows[i])
        for k in range(rows.shape[1] - 1, -1, -1):
            after[k] = g[i, k]
            if k + 1 < rows.shape[1]:
                after[k] += after[k + 1] * rows[i, k + 1]
                turned[k] = turned[k + 1] * rows[i, k + 1] + after[k + 1] * t[i, k + 1]
            result[i, k] = moved[k] * after[k] + before[k] * turned[k]
    return result


@register_jitable
def _cumprod_adjoint(g: Any, rows: Any) -> Any:
    result = np.empty_like(rows)
    for i in range(rows.shape[0]):
        before, after = np.ones_like(rows[i]), rows[i] * 0
        for k in range(1, rows.shape[1]):
            before[k] = before[k - 1] * rows[i, k - 1]
        for k in range(rows.shape[1] - 1, -1, -1):
            after[k] = g[i, k] + (after[k + 1] * rows[i, k + 1] if k + 1 < rows.shape[1] else g[i, k] * 0)
            result[i, k] = before[k] * after[k]
    return result


@register_jitable
def _cumprod_tangent(t: Any, rows: Any) -> Any:
    result = np.empty_like(rows)
    for i in range(rows.shape[0]):
        product, slope = rows[i, :1].sum() * 0 + 1, rows[i, :1].sum() * 0
        for k in range(rows.shape[1]):
            slope = slope * rows[i, k] + product * t[i, k]
            product = product * rows[i, k]
            result[i, k] = slope
    return result


@overload(cumsum_adjoint)
def _overload_cumsum_adjoint(g, shape, axis=None):
    def impl(g, shape, axis=None):
        rows = to_rows(g, axis)
        result = np.empty_like(rows)
        for i in range(rows.shape[0]):
            total = rows[i, :0].sum()
            for k in range(rows.shape[1] - 1, -1, -1):
                total += rows[i, k]
                result[i, k] = total
        return from_rows(result, shape, axis)

    return impl


@overload(cumprod_adjoint)
def _overload_cumprod_adjoint(g, a, axis=None):
    def impl(g, a, axis=None):
        return from_rows(_cumprod_adjoint(to_rows(g, axis), to_rows(a, axis)), a.shape, axis)

    return impl


@overload(cumprod_bend)
def _overload_cumprod_bend(g, t, a, axis=None):
    def impl(g, t, a, axis=None):
        return from_rows(_cumprod_bend(to_rows(g, axis), to_rows(t, axis), to_rows(a, axis)), a.shape, axis)

    return impl


@overload(cumprod_tangent)
def _overload_cumprod_tangent(t, a, axis=None):
    if is_none(axis):
        return lambda t, a, axis=None: _cumprod_tangent(to_rows(t, axis), to_rows(a, axis)).reshape(a.size)
    return lambda t, a, axis=None: from_rows(_cumprod_tangent(to_rows(t, axis), to_rows(a, axis)), a.shape, axis)


def whole_turns(step: Any) -> Any:
    """The number of whole turns that `np.unwrap` takes off each step of an angle.

    >>> whole_turns(np.array([0.1, 6.2, -6.2, 3.2, 12.6]))
    array([ 0.,  1., -1.,  1.,  2.])
    """
    near = np.mod(step + np.pi, 2.0 * np.pi) - np.pi
    near = np.where((near == -np.pi) & (step > 0.0), np.pi, near)
    return np.where(np.abs(step) < np.pi, 0.0, np.round((step - near) / (2.0 * np.pi)))


@overload(whole_turns)
def _overload_whole_turns(step: Any) -> Any:
    return whole_turns


def leaders(a: Any, axis: int = 0) -> Any:
    """For each element the position of the running maximum along an axis; of equal ones the first.

    >>> leaders(np.array([1.0, 3.0, 2.0, 3.0, 4.0]))
    array([0, 1, 1, 1, 4])
    """
    return from_rows(_leaders(to_rows(a, axis)), a.shape, axis)


@register_jitable
def _leaders(rows: Any) -> Any:
    result = np.zeros(rows.shape, np.int64)
    for i in range(rows.shape[0]):
        for k in range(1, rows.shape[1]):
            known = result[i, k - 1]
            result[i, k] = k if rows[i, k] > rows[i, known] or rows[i, k] != rows[i, k] else known
    return result


def at_leaders(a: Any, places: Any, axis: int) -> Any:
    """The elements at these positions along an axis.

    >>> at_leaders(np.array([1.0, 3.0, 2.0]), np.array([0, 1, 1]), 0)
    array([1., 3., 3.])
    """
    return np.take_along_axis(a, places, axis)


def into_leaders(a: Any, places: Any, axis: int) -> Any:
    """The adjoint of `at_leaders`: sums of elements by their positions along an axis.

    >>> into_leaders(np.array([1.0, 3.0, 2.0]), np.array([0, 1, 1]), 0)
    array([1., 5., 0.])
    """
    if a.ndim == 1 and a.dtype == np.float64:
        return np.bincount(places, a, a.size)
    return take_along_adjoint(a, a.shape, places, axis)


@register_jitable
def _at_leaders(rows: Any, places: Any) -> Any:
    result = np.empty_like(rows)
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            result[i, k] = rows[i, places[i, k]]
    return result


@register_jitable
def _into_leaders(rows: Any, places: Any) -> Any:
    result = np.zeros_like(rows)
    for i in range(rows.shape[0]):
        for k in range(rows.shape[1]):
            result[i, places[i, k]] += rows[i, k]
    return result


@overload(leaders)
def _overload_leaders(a, axis=0):
    if a.ndim == 1:
        return lambda a, axis=0: _leaders(a.reshape(1, -1))[0]
    if a.ndim == 2:
        return lambda a, axis=0: _leaders(a) if axis in (1, -1) else _leaders(a.T).T
    return lambda a, axis=0: from_rows(_leaders(to_rows(a, axis)), a.shape, axis)


def _of_rows(work: Any) -> Any:
    """A function of rows, for arrays of any rank."""

    def overloaded(a, places, axis):
        if a.ndim == 1:
            return lambda a, places, axis: work(a.reshape(1, -1), places.reshape(1, -1))[0]
        if a.ndim == 2:
            return lambda a, places, axis: work(a, places) if axis in (1, -1) else work(a.T, places.T).T
        return lambda a, places, axis: from_rows(work(to_rows(a, axis), to_rows(places, axis)), a.shape, axis)

    return overloaded


overload(at_leaders)(_of_rows(_at_leaders))
overload(into_leaders)(_of_rows(_into_leaders))
