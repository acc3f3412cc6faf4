"""Splines on a regular grid as `scipy.ndimage` has them: weights, places, and the filter that finds coefficients.

Michael Unser, Splines: a perfect fit for signal and image processing, IEEE Signal Processing Magazine 16(6), 1999.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.ndimage
from numba.core import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.rows_along_axis import around
from srcad.runtime.kernels.scipy.elementwise import as_it_stands, elementwise

SHORT = 64  # elements: beyond, z ** (2 * SHORT) is less than the rounding error for all poles z


@as_it_stands
def transform_mode(mode):
    """The number of a mode of geometric transforms.

    >>> transform_mode("mirror")
    3
    """
    if mode == "constant":
        return 0
    if mode == "nearest":
        return 1
    if mode in ("reflect", "grid-mirror"):
        return 2
    if mode == "mirror":
        return 3
    if mode == "wrap":
        return 4
    if mode == "grid-wrap":
        return 5
    if mode == "grid-constant":
        return 6
    raise RuntimeError("boundary mode not supported")


@elementwise
def inside(x, size, mode):
    """The coordinate within the array that a coordinate stands for; -1 where the result is constant.

    >>> float(inside(-0.5, 4, 3)), float(inside(4.5, 4, 0))
    (0.5, -1.0)
    """
    if mode in (1, 6) or 0.0 <= x <= size - 1.0:
        return float(x)  # beyond the array, the coefficients are constant
    if mode == 0 or size <= 1:
        return -1.0 if mode == 0 else 0.0
    if mode == 4:
        period = size - 1.0
        return x + period * (np.trunc(-x / period) + 1.0) if x < 0.0 else x - period * np.trunc(x / period)
    if mode == 5:
        return x + size * (np.trunc((-1.0 - x) / size) + 1.0) if x < 0.0 else x - size * np.trunc(x / size)
    # Reflected about the last element, or about the end half an element after it.
    period = 2.0 * size - 2.0 if mode == 3 else 2.0 * size
    beyond = 0.0 if mode == 3 else 1.0
    if x < 0.0:
        y = x + period * np.trunc(-x / period)
        is_back = y <= 1.0 - size if mode == 3 else y < -size
        return y + period if is_back else -y - beyond
    y = x - period * np.trunc(x / period)
    return period - y - beyond if y >= size else y


@elementwise
def inside_slope(x, size, mode):
    """The slope of `inside` by the coordinate: -1 where it is reflected, 0 where it is constant, else 1."""
    if mode in (1, 6) or 0.0 <= x <= size - 1.0:
        return 1.0
    if mode == 0 or size <= 1:
        return 0.0
    if mode in (4, 5):
        return 1.0
    period = 2.0 * size - 2.0 if mode == 3 else 2.0 * size
    if x < 0.0:
        y = x + period * np.trunc(-x / period)
        is_back = y <= 1.0 - size if mode == 3 else y < -size
        return 1.0 if is_back else -1.0
    return -1.0 if x - period * np.trunc(x / period) >= size else 1.0


def uniform_spline(t: Any, order: int, derivative: int) -> Any:
    """The B-splines with integer knots that do not vanish at t, in [0, 1], along a new first axis; or derivatives.

    >>> uniform_spline(np.array([0.25]), 1, 0)
    array([[0.75],
           [0.25]])
    """
    degree = max(order - derivative, 0)
    found = np.zeros((order + 1, *t.shape), t.dtype)
    found[0] = 1.0 if derivative <= order else 0.0
    for n in range(1, degree + 1):
        for j in range(n, -1, -1):
            before = (t + n - j) * found[j - 1] if j else 0.0
            found[j] = (before + (1.0 - t + j) * found[j]) / n
    for n in range(degree + 1, order + 1):
        for j in range(n, 0, -1):
            found[j] = found[j - 1] - found[j]
        found[0] = -found[0]
    return found


def spline_places(x: Any, shape: tuple[int, ...], order: int, mode: int) -> Any:
    """Where the coefficients lie in the raveled array that the spline at coordinates x consists of.

    `x` has a row for each axis. What is constant lies after the last element.

    >>> spline_places(np.array([[0.5, 2.5]]), (3,), 1, 6)
    array([[0, 2],
           [1, 3]])
    """
    return _places(np.ascontiguousarray(x, np.float64), np.array(shape), order, mode)


@register_jitable
def _fold(k, size, mode):
    """The element that one beyond the ends stands for."""
    if 0 <= k < size:
        return k
    if mode == 6:
        return -1
    if size <= 1:
        return 0
    if mode == 5:
        return k % size
    if mode == 1:
        return 0 if k < 0 else size - 1
    if mode == 2:
        k = k % (2 * size)
        return 2 * size - 1 - k if k >= size else k
    k = k % (2 * size - 2)
    return 2 * size - 2 - k if k >= size else k


def _flat_places(x, shape, order, mode):
    ndim, count, taps = x.shape[0], x.shape[1], order + 1
    whole = 1
    for axis in range(ndim):
        whole *= shape[axis]
    found = np.zeros((taps**ndim, count), np.int64)
    for i in range(count):
        for tap in range(taps**ndim):
            rest, stride, place = tap, 1, 0
            for back in range(ndim):
                axis = ndim - 1 - back
                at = min(max(x[axis, i], -order - 2.0), shape[axis] + order + 2.0)
                first = int(np.floor(at + (0.5 if order % 2 == 0 else 0.0))) - order // 2
                k = -1 if mode == 0 and at <= -1.0 else _fold(first + rest % taps, shape[axis], mode)
                place = place + k * stride if k >= 0 and place >= 0 else -1
                rest //= taps
                stride *= shape[axis]
            found[tap, i] = place if place >= 0 else whole
    return found


_jitted_places = register_jitable(_flat_places)
_compiled: list[Any] = []


def _places(x: Any, shape: Any, order: int, mode: int) -> Any:
    """`_flat_places`, compiled by its first long call."""
    if x.shape[1] * (order + 1) ** x.shape[0] <= 2000:
        return _flat_places(x, shape, order, mode)
    if not _compiled:
        import numba  # already imported

        _compiled.append(numba.njit(_flat_places))
    return _compiled[0](x, shape, order, mode)


def spline_coefficients(a: Any, order: int, axis: int, mode: str) -> Any:
    """The coefficients of the spline that interpolates an array along an axis.

    >>> spline_coefficients(np.array([1.0, 1.0, 1.0]), 3, 0, "mirror")
    array([1., 1., 1.])
    """
    return scipy.ndimage.spline_filter1d(a, order, axis, np.float64, mode)


def spline_coefficients_transposed(g: Any, order: int, axis: int, mode: str) -> Any:
    """The adjoint of `spline_coefficients`.

    Of arrays that are reflected about their last elements, the filter is not symmetric: it is with the elements at the
    ends halved. On short arrays SciPy's filter has an error, and the adjoint is that of what it computes.
    """
    outer, size, inner = around(g.shape, axis)
    planes = np.reshape(g, (outer, size, inner))
    if size <= SHORT:
        matrix = scipy.ndimage.spline_filter1d(np.eye(size), order, 0, np.float64, mode)
        return np.reshape(np.matmul(matrix.T, planes), g.shape)
    halves = np.ones((size, 1))
    if mode in ("mirror", "constant", "wrap", "grid-constant"):
        halves[0] = halves[-1] = 0.5
    return np.reshape(halves * scipy.ndimage.spline_filter1d(planes / halves, order, 1, np.float64, mode), g.shape)


@overload(uniform_spline)
def _overload_uniform_spline(t, order, derivative):
    if not isinstance(t, types.Array) or t.ndim != 2:
        return None

    def impl(t, order, derivative):
        degree = max(order - derivative, 0)
        found = np.zeros((order + 1,) + t.shape, t.dtype)
        start = 1.0 if derivative <= order else 0.0
        for a in range(t.shape[0]):
            for i in range(t.shape[1]):
                x = t[a, i]
                found[0, a, i] = start
                for n in range(1, degree + 1):
                    for j in range(n, -1, -1):
                        before = (x + n - j) * found[j - 1, a, i] if j else 0.0
                        found[j, a, i] = (before + (1.0 - x + j) * found[j, a, i]) / n
                for n in range(degree + 1, order + 1):
                    for j in range(n, 0, -1):
                        found[j, a, i] = found[j - 1, a, i] - found[j, a, i]
                    found[0, a, i] = -found[0, a, i]
        return found

    return impl


@overload(spline_places)
def _overload_spline_places(x, shape, order, mode):
    return lambda x, shape, order, mode: _jitted_places(x, shape, order, mode)


@register_jitable
def _poles(order):
    """The poles of the filter of an order."""
    if order == 2:
        return np.array([np.sqrt(8.0) - 3.0])
    if order == 3:
        return np.array([np.sqrt(3.0) - 2.0])
    if order == 4:
        root, shift = np.sqrt(438976.0), np.sqrt(304.0)
        return np.array([np.sqrt(664.0 - root) + shift - 19.0, np.sqrt(664.0 + root) - shift - 19.0])
    root, shift = np.sqrt(4436.25), np.sqrt(26.25)
    return np.array([np.sqrt(67.5 - root) + shift - 6.5, np.sqrt(67.5 + root) - shift - 6.5])


@register_jitable
def _filter_line(c, z, kind):
    """One pole of the filter, in place; kind 0: reflected about elements, 1: about ends, 2: periodic."""
    n = c.shape[0]
    power, first = z, c[0]
    if kind == 0:
        last = z ** (n - 1)
        c[0] = first + last * c[n - 1]
        for i in range(1, n - 1):
            c[0] += (power + last * last / power) * c[i]
            power *= z
        c[0] /= 1.0 - last * last
    elif kind == 1:
        last = z**n
        c[0] = first + last * c[n - 1]
        for i in range(1, n):  # the last term has the c[0] that has been changed, as in SciPy
            c[0] += power * (c[i] + last * c[n - 1 - i])
            power *= z
        c[0] = c[0] * z / (1.0 - last * last) + first
    else:
        for i in range(1, n):
            c[0] += power * c[n - i]
            power *= z
        c[0] /= 1.0 - power
    for i in range(1, n):
        c[i] += z * c[i - 1]
    if kind == 0:
        c[n - 1] = (z * c[n - 2] + c[n - 1]) * z / (z * z - 1.0)
    elif kind == 1:
        c[n - 1] *= z / (z - 1.0)
    else:
        total, power = c[n - 1], z
        for i in range(n - 1):
            total += power * c[i]
            power *= z
        c[n - 1] = total * z / (power - 1.0)
    for i in range(n - 2, -1, -1):
        c[i] = z * (c[i + 1] - c[i])


@register_jitable
def _filtered(planes, order, kind):
    """All lines along the middle axis, filtered in place."""
    outer, size, inner = planes.shape
    if size < 2 or order < 2:
        return
    line, poles, gain = np.empty(size), _poles(order), 1.0
    for z in poles:
        gain *= (1.0 - z) * (1.0 - 1.0 / z)
    for i in range(outer):
        for j in range(inner):
            for k in range(size):
                line[k] = planes[i, k, j] * gain
            for z in poles:
                _filter_line(line, z, kind)
            for k in range(size):
                planes[i, k, j] = line[k]


@register_jitable
def _filter_kind(mode):
    return 2 if mode == "grid-wrap" else 1 if mode in ("nearest", "reflect", "grid-mirror") else 0


@overload(spline_coefficients)
def _overload_spline_coefficients(a, order, axis, mode):
    if not isinstance(a, types.Array) or not isinstance(a.dtype, types.Float):
        return None

    def impl(a, order, axis, mode):
        planes = np.ascontiguousarray(a).reshape(around(a.shape, axis)).astype(np.float64)
        _filtered(planes, order, _filter_kind(mode))
        return planes.reshape(a.shape)

    return impl


@overload(spline_coefficients_transposed)
def _overload_spline_coefficients_transposed(g, order, axis, mode):
    if not isinstance(g, types.Array) or not isinstance(g.dtype, types.Float):
        return None

    def impl(g, order, axis, mode):
        outer, size, inner = around(g.shape, axis)
        planes = np.ascontiguousarray(g).reshape((outer, size, inner)).astype(np.float64)
        kind = _filter_kind(mode)
        if size <= SHORT:
            matrix = np.eye(size).reshape((1, size, size))
            _filtered(matrix, order, kind)
            found = np.zeros(planes.shape)
            for i in range(outer):
                for k in range(size):
                    for m in range(size):
                        for j in range(inner):
                            found[i, m, j] += matrix[0, k, m] * planes[i, k, j]
            return found.reshape(g.shape)
        if kind == 0:
            planes[:, 0] *= 2.0
            planes[:, size - 1] *= 2.0
        _filtered(planes, order, kind)
        if kind == 0:
            planes[:, 0] *= 0.5
            planes[:, size - 1] *= 0.5
        return planes.reshape(g.shape)

    return impl
