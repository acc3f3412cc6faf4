"""Definitions of interpolation on rectilinear grids in `scipy.interpolate`: weights of the corners of a cell."""

from __future__ import annotations

import numpy as np
import scipy.interpolate

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule

NO_METHOD = NoRule("RegularGridInterpolator with this method", "pass linear or nearest, or use splines axis by axis")
_BEYOND = "One of the requested xi is out of bounds"


@inlined
def _ascending(axis):
    """The points of an axis from the lowest to the highest."""
    grid = 1.0 * np.asarray(axis)
    return np.where(grid[0] > grid[-1], grid[::-1], grid)


@inlined
def _place(axis, i):
    """Where the value of the i-th of the ascending points of an axis is."""
    return np.where(axis[0] > axis[-1], axis.shape[0] - 1 - i, i)


@inlined
def _cell(axis, q):
    """The interval of each point on an axis, and how far in it the point lies."""
    grid = _ascending(axis)
    i = np.minimum(np.maximum(np.searchsorted(grid, q, side="right") - 1, 0), grid.shape[0] - 2)
    low, high = np.take(grid, i), np.take(grid, i + 1)
    return i, (q - low) / (high - low)


@inlined
def _on_grid(points, values, q, method, bounds_error, fill_value):
    """The values at the rows of a matrix of points."""
    outside = np.zeros(q.shape[0]) > 1.0
    where = np.zeros(q.shape[0], np.int64)[None, :]
    weights = np.ones(q.shape[0])[None, :]
    cells = 1
    for k in range(len(points)):
        cells *= values.shape[k]
    flat = np.reshape(values, (cells, -1))
    for k in range(len(points)):
        axis = 1.0 * np.asarray(points[k])
        lowest, highest = np.minimum(axis[0], axis[-1]), np.maximum(axis[0], axis[-1])
        outside = np.logical_or(outside, np.logical_or(q[:, k] < lowest, q[:, k] > highest))
        i, t = _cell(axis, q[:, k])
        first = where * axis.shape[0]
        if method == "nearest":
            where = first + _place(axis, i + (t > 0.5))
        else:
            both = np.stack((first + _place(axis, i), first + _place(axis, i + 1)))
            where = np.reshape(both, (-1, q.shape[0]))
            weights = np.reshape(np.stack((weights * (1.0 - t), weights * t)), (-1, q.shape[0]))
    if bounds_error and np.any(outside):
        raise ValueError(_BEYOND)
    y = np.sum(weights[:, :, None] * np.take(flat, where, axis=0), axis=0)
    return y if fill_value is None else np.where(outside[:, None], fill_value, y)


@inlined
class Grid:
    """Values on a rectilinear grid."""

    def __init__(self, points, values, method, bounds_error, fill_value):
        self.grid = points
        self.values = values
        self.method = method
        self.bounds_error = bounds_error
        self.fill_value = fill_value

    def __call__(self, xi, method=None):
        """The values at points, whose coordinates lie along the last axis, or are arrays in a tuple."""
        name = self.method if method is None else method
        if name not in ("linear", "nearest"):
            NO_METHOD()
        places = np.stack(xi, axis=-1) if isinstance(xi, tuple) else np.asarray(xi)
        q = np.reshape(places, (-1, len(self.grid)))
        y = _on_grid(self.grid, self.values, q, name, self.bounds_error, self.fill_value)
        rest = self.values.shape[len(self.grid) :]
        if np.ndim(places) == 1:
            return np.reshape(y, (-1,) + rest)
        return np.reshape(y, places.shape[:-1] + rest)


@define(scipy.interpolate.RegularGridInterpolator)
def regular_grid_interpolator(
    points, values, method="linear", bounds_error=True, fill_value=np.nan, *, solver=None, solver_args=None
):
    return Grid(points, 1.0 * np.asarray(values), method, bounds_error, fill_value)


@define(scipy.interpolate.interpn)
def interpn(points, values, xi, method="linear", bounds_error=True, fill_value=np.nan):
    return Grid(points, 1.0 * np.asarray(values), method, bounds_error, fill_value)(xi)
