"""Arrays extended beyond their ends as `scipy.ndimage` does it, and correlations with weights along one axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.rows_along_axis import around
from srcad.runtime.kernels.scipy.convolutions import are_real


def _border_mode(mode):
    """The number of a mode."""
    if mode in ("reflect", "grid-mirror"):
        return 2
    if mode in ("constant", "grid-constant"):
        return 0
    if mode == "nearest":
        return 1
    if mode == "mirror":
        return 3
    if mode in ("wrap", "grid-wrap"):
        return 4
    raise ValueError("boundary mode not supported")


def _sources(size, before, after, mode):
    """The places that elements from `-before` to `size + after` are copied from; -1 for those that are constant."""
    found = np.empty(max(size + before + after, 0), np.int64)
    number = _jitted_mode(mode)
    for place in range(found.shape[0]):
        k = place - before
        if number == 0 or size == 0:
            k = k if 0 <= k < size else -1
        elif number == 1:
            k = min(max(k, 0), size - 1)
        elif number == 2:
            k = k % (2 * size)
            k = 2 * size - 1 - k if k >= size else k
        elif number == 3:
            period = max(2 * size - 2, 1)
            k = k % period
            k = period - k if k >= size else k
        else:
            k = k % size
        found[place] = k
    return found


_jitted_mode = register_jitable(_border_mode)
_jitted_sources = register_jitable(_sources)


def extended(a: Any, axis: int, before: int, after: int, mode: str, cval: Any) -> Any:
    """An array with more elements before and after an axis, which a mode of `scipy.ndimage` takes from the array.

    >>> extended(np.array([1.0, 2.0, 3.0]), 0, 2, 1, "reflect", 0.0)
    array([2., 1., 1., 2., 3., 3.])
    """
    outer, size, inner = around(a.shape, axis)
    planes, places = np.reshape(a, (outer, size, inner)), _sources(size, before, after, mode)
    found = np.full((outer, places.size, inner), cval, a.dtype)
    found[:, places >= 0] = planes[:, places[places >= 0]]
    return found.reshape(_with_extent(a.shape, axis, places.size))


def folded(g: Any, axis: int, size: int, before: int, after: int, mode: str) -> Any:
    """The adjoint of `extended`: elements before and after are added to those that they were copied from.

    >>> folded(np.array([1.0, 10.0, 100.0, 1000.0]), 0, 2, 1, 1, "reflect")
    array([  11., 1100.])
    """
    outer, longer, inner = around(g.shape, axis)
    planes, places = np.reshape(g, (outer, longer, inner)), _sources(size, before, after, mode)
    found = np.zeros((outer, size, inner), g.dtype)
    for k in np.flatnonzero(places >= 0):
        found[:, places[k]] += planes[:, k]
    return found.reshape(_with_extent(g.shape, axis, size))


def border(shape: tuple[int, ...], axis: int, before: int, after: int, mode: str) -> Any:
    """1 where `extended` has the constant, 0 elsewhere.

    >>> border((2,), 0, 1, 2, "constant")
    array([1., 0., 0., 1., 1.])
    """
    outer, size, inner = around(shape, axis)
    places = _sources(size, before, after, mode)
    found = np.zeros((outer, places.size, inner))
    found[:, places < 0] = 1.0
    return found.reshape(_with_extent(shape, axis, places.size))


def correlated_along(a: Any, w: Any, axis: int) -> Any:
    """The sums y[k] = sum over i of a[k + i] w[i] along an axis, for all places k at which w lies within a.

    >>> correlated_along(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0]), 0)
    array([21., 32.])
    """
    outer, longer, inner = around(a.shape, axis)
    size = max(longer - w.shape[0] + 1, 0)
    lines, found = np.reshape(a, (outer, longer * inner)), np.zeros((outer, size * inner), _dtype(a, w))
    for i in range(w.shape[0] if size else 0):
        found += lines[:, i * inner : (i + size) * inner] * w[i]
    return found.reshape(_with_extent(a.shape, axis, size))


def convolved_along(g: Any, w: Any, axis: int) -> Any:
    """The sums y[n] = sum over i of g[n - i] w[i] along an axis: the adjoint of `correlated_along`.

    >>> convolved_along(np.array([1.0, 2.0]), np.array([1.0, 10.0]), 0)
    array([ 1., 12., 20.])
    """
    outer, size, inner = around(g.shape, axis)
    longer = size + w.shape[0] - 1
    lines, found = np.reshape(g, (outer, size * inner)), np.zeros((outer, longer * inner), _dtype(g, w))
    for i in range(w.shape[0]):
        found[:, i * inner : (i + size) * inner] += lines * w[i]
    return found.reshape(_with_extent(g.shape, axis, longer))


def products_along(a: Any, g: Any, axis: int, count: int) -> Any:
    """The sums over all k, and over all other axes, of a[k + i] g[k], for i from 0 on: the adjoint by the weights.

    >>> products_along(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0]), 0, 2)
    array([21., 32.])
    """
    outer, longer, inner = around(a.shape, axis)
    size = g.shape[axis]
    one, other = np.reshape(a, (outer, longer * inner)), np.reshape(g, (outer, size * inner))
    sums = [np.sum(one[:, i * inner : (i + size) * inner] * other) for i in range(count)]
    return np.array(sums, np.result_type(a, g))


def _dtype(a: Any, w: Any) -> Any:
    """SciPy computes with doubles, and returns what the array holds."""
    return np.result_type(a, w) if np.iscomplexobj(w) else a.dtype


def _with_extent(shape: tuple[int, ...], axis: int, size: int) -> tuple[int, ...]:
    return tuple(size if k == axis % len(shape) else each for k, each in enumerate(shape))


def is_integral(a: Any) -> bool:
    """Whether an array holds integers, of which SciPy's result holds integers as well.

    >>> is_integral(np.array([1, 2])), is_integral(np.array([1.0]))
    (True, False)
    """
    return np.asarray(a).dtype.kind in "iub"


@overload(is_integral)
def _overload_is_integral(a):
    found = isinstance(getattr(a, "dtype", a), (types.Integer, types.Boolean))
    return lambda a: found


@overload(extended)
def _overload_extended(a, axis, before, after, mode, cval):
    if not isinstance(a, types.Array):
        return None

    def impl(a, axis, before, after, mode, cval):
        outer, size, inner = around(a.shape, axis)
        planes = np.ascontiguousarray(a).reshape((outer, size, inner))
        places = _jitted_sources(size, before, after, mode)
        found = np.empty((outer, places.shape[0], inner), a.dtype)
        for i in range(outer):
            for k in range(places.shape[0]):
                for j in range(inner):
                    found[i, k, j] = planes[i, places[k], j] if places[k] >= 0 else cval
        return found.reshape(tuple_setitem(a.shape, axis % a.ndim, places.shape[0]))

    return impl


@overload(folded)
def _overload_folded(g, axis, size, before, after, mode):
    if not isinstance(g, types.Array):
        return None

    def impl(g, axis, size, before, after, mode):
        outer, longer, inner = around(g.shape, axis)
        planes = np.ascontiguousarray(g).reshape((outer, longer, inner))
        places = _jitted_sources(size, before, after, mode)
        found = np.zeros((outer, size, inner), g.dtype)
        for i in range(outer):
            for k in range(longer):
                for j in range(inner):
                    if places[k] >= 0:
                        found[i, places[k], j] += planes[i, k, j]
        return found.reshape(tuple_setitem(g.shape, axis % g.ndim, size))

    return impl


@overload(border)
def _overload_border(shape, axis, before, after, mode):
    ndim = len(shape)

    def impl(shape, axis, before, after, mode):
        outer, size, inner = around(shape, axis)
        places = _jitted_sources(size, before, after, mode)
        found = np.zeros((outer, places.shape[0], inner))
        for k in range(places.shape[0]):
            if places[k] < 0:
                found[:, k] = 1.0
        return found.reshape(tuple_setitem(shape, axis % ndim, places.shape[0]))

    return impl


@overload(correlated_along)
def _overload_correlated_along(a, w, axis):
    if not are_real(a, w):
        return None

    def impl(a, w, axis):
        outer, longer, inner = around(a.shape, axis)
        size = max(longer - w.shape[0] + 1, 0)
        lines = np.ascontiguousarray(a).reshape((outer, longer * inner))
        found = np.zeros((outer, size * inner), a.dtype)
        for i in range(outer):
            for k in range(w.shape[0]):
                factor, shift = w[k], k * inner
                for j in range(size * inner):
                    found[i, j] += lines[i, j + shift] * factor
        return found.reshape(tuple_setitem(a.shape, axis % a.ndim, size))

    return impl


@overload(convolved_along)
def _overload_convolved_along(g, w, axis):
    if not are_real(g, w):
        return None

    def impl(g, w, axis):
        outer, size, inner = around(g.shape, axis)
        longer = size + w.shape[0] - 1
        lines = np.ascontiguousarray(g).reshape((outer, size * inner))
        found = np.zeros((outer, longer * inner), g.dtype)
        for i in range(outer):
            for k in range(w.shape[0]):
                factor, shift = w[k], k * inner
                for j in range(size * inner):
                    found[i, j + shift] += lines[i, j] * factor
        return found.reshape(tuple_setitem(g.shape, axis % g.ndim, longer))

    return impl


@overload(products_along)
def _overload_products_along(a, g, axis, count):
    if not are_real(a, g):
        return None

    def impl(a, g, axis, count):
        outer, longer, inner = around(a.shape, axis)
        width = g.shape[axis] * inner
        one = np.ascontiguousarray(a).reshape((outer, longer * inner))
        other = np.ascontiguousarray(g).reshape((outer, width))
        found = np.zeros(count, a.dtype)
        for k in range(count):
            shift, total = k * inner, 0.0
            for i in range(outer):
                for j in range(width):
                    total += one[i, j + shift] * other[i, j]
            found[k] = total
        return found

    return impl
