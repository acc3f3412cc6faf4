"""What interpolants of `scipy.interpolate` are computed with: tridiagonal systems, factors of derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload

from srcad.runtime.kernels.scipy.elementwise import as_it_stands


def tridiagonal_solve(lower: Any, diagonal: Any, upper: Any, b: Any) -> Any:
    """The solution of a tridiagonal system for the columns of a matrix.

    >>> tridiagonal_solve(np.array([1.0]), np.array([1.0, 1.0]), np.array([0.0]), np.array([[1.0], [3.0]]))
    array([[1.],
           [2.]])
    """
    bands = np.zeros((3, diagonal.shape[0]))
    bands[0, 1:], bands[1], bands[2, :-1] = upper, diagonal, lower
    return scipy.linalg.solve_banded((1, 1), bands, b, check_finite=False)


@as_it_stands
def power_factors(count, nu):
    """By what the derivative of order nu multiplies the coefficients of so many powers, the highest first.

    >>> power_factors(4, 1), power_factors(2, 3)
    (array([3., 2., 1.]), array([0.]))
    """
    found = np.zeros(max(count - nu, 1))
    for place in range(count - nu):
        found[place] = 1.0
        for n in range(nu):
            found[place] *= count - 1 - place - n
    return found


def with_trailing_axes(v: Any, of: Any) -> Any:
    """An array with an axis of extent 1 at its end for each axis of another array but its first.

    >>> with_trailing_axes(np.ones(2), np.ones((2, 3, 4))).shape
    (2, 1, 1)
    """
    count = of.ndim - 1
    return np.reshape(v, np.shape(v) + (1,) * count) if count else v


def without_trailing_axes(g: Any, v: Any) -> Any:
    """The adjoint of `with_trailing_axes`: without these axes."""
    return np.reshape(g, np.shape(v)) if np.ndim(g) > np.ndim(v) else g


def points_in_place(y: Any, of: Any, axis: int, is_back: bool) -> Any:
    """Results whose axes of points come first, with these where the axis of the given values was; or back."""
    ndim = of.ndim
    first, count = axis % max(ndim, 1), np.ndim(y) - ndim + 1
    if first == 0:
        return y
    front, places = tuple(range(count)), tuple(range(first, first + count))
    return np.ascontiguousarray(np.moveaxis(y, places, front) if is_back else np.moveaxis(y, front, places))


@overload(with_trailing_axes)
def _overload_with_trailing_axes(v, of):
    if of.ndim == 1:
        return lambda v, of: v
    ones = (1,) * (of.ndim - 1)
    if not isinstance(v, types.Array):
        return lambda v, of: np.full(ones, v)
    return lambda v, of: np.ascontiguousarray(v).reshape(v.shape + ones)


@overload(without_trailing_axes)
def _overload_without_trailing_axes(g, v):
    if not isinstance(g, types.Array) or g.ndim == getattr(v, "ndim", 0):
        return lambda g, v: g
    return lambda g, v: np.ascontiguousarray(g).reshape(v.shape)


@overload(points_in_place)
def _overload_points_in_place(y, of, axis, is_back):
    if of.ndim == 1:
        return lambda y, of, axis, is_back: y
    ndim, order = of.ndim, tuple(range(y.ndim))
    count = y.ndim - ndim + 1

    def impl(y, of, axis, is_back):
        first, permutation = axis % ndim, order
        for k in range(len(order)):
            place = k
            if k < first:
                place = count + k
            elif k < first + count:
                place = k - first
            if is_back:
                permutation = tuple_setitem(permutation, place, k)
            else:
                permutation = tuple_setitem(permutation, k, place)
        return np.ascontiguousarray(np.transpose(y, permutation))

    return impl


@overload(tridiagonal_solve)
def _overload_tridiagonal_solve(lower, diagonal, upper, b):
    def impl(lower, diagonal, upper, b):
        # Elimination with exchanges of rows, by which a second diagonal above fills.
        n = diagonal.shape[0]
        below, middle, above, second = lower.copy(), diagonal.copy(), upper.copy(), np.zeros(n)
        found = b.copy()
        for i in range(n - 1):
            if abs(below[i]) > abs(middle[i]):
                middle[i], below[i] = below[i], middle[i]
                above[i], middle[i + 1] = middle[i + 1], above[i]
                if i < n - 2:
                    second[i] = above[i + 1]
                    above[i + 1] = 0.0
                for j in range(b.shape[1]):
                    found[i, j], found[i + 1, j] = found[i + 1, j], found[i, j]
            if middle[i] == 0.0:
                raise np.linalg.LinAlgError("singular matrix")
            factor = below[i] / middle[i]
            middle[i + 1] -= factor * above[i]
            if i < n - 2:
                above[i + 1] -= factor * second[i]
            for j in range(b.shape[1]):
                found[i + 1, j] -= factor * found[i, j]
        if middle[n - 1] == 0.0:
            raise np.linalg.LinAlgError("singular matrix")
        for i in range(n - 1, -1, -1):
            for j in range(b.shape[1]):
                total = found[i, j]
                if i < n - 1:
                    total -= above[i] * found[i + 1, j]
                if i < n - 2:
                    total -= second[i] * found[i + 2, j]
                found[i, j] = total / middle[i]
        return found

    return impl
