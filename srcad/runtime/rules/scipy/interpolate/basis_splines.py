"""Definitions of B-splines in `scipy.interpolate`, by de Boor's recursion.

The coefficients of a spline that interpolates solve a system whose matrix holds the basis splines at the points: those
are the spline whose coefficients are the unit matrix. So derivatives by values, points and knots follow.
"""

from __future__ import annotations

import numpy as np
import scipy.interpolate

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule

NO_CONDITION = NoRule(
    "make_interp_spline with this `bc_type`", "pass not-a-knot, natural or clamped, or use CubicSpline"
)


@inlined
def _spline(t, c, k, q, is_periodic):
    """The values at a vector of points, a row for each: de Boor's recursion on the coefficients that matter there."""
    if is_periodic:
        q = t[k] + np.mod(q - t[k], t[-k - 1] - t[k])
    last = c.shape[0] - 1
    i = np.minimum(np.maximum(np.searchsorted(t, q, side="right") - 1, k), last)
    a = c[np.arange(-k, 1)[:, None] + i]
    for r in range(1, k + 1):
        j = np.arange(r, k + 1)[:, None]
        low, high = np.take(t, j - k + i), np.take(t, j + 1 - r + i)
        share = ((q - low) / (high - low))[:, :, None]
        a = (1.0 - share) * a[:-1] + share * a[1:]
    return a[0]


@inlined
def _derived(t, c, k):
    """The coefficients of the derivative, whose knots are without the first and the last."""
    widths = t[k + 1 : -1] - t[1 : -k - 1]
    return kernels.ratio(k * (c[1:] - c[:-1]), widths[: c.shape[0] - 1, None])


@inlined
class Spline:
    """A B-spline: knots, coefficients, degree."""

    def __init__(self, t, c, k, extrapolate, axis):
        self.t = t
        self.c = c
        self.k = k
        self.extrapolate = extrapolate
        self.axis = axis

    def __call__(self, x, nu=0, extrapolate=None):
        """The values, or derivatives of an order, at points."""
        beyond = self.extrapolate if extrapolate is None else extrapolate
        points = 1.0 * np.asarray(x)
        q = np.ravel(points)
        c = np.reshape(self.c, (self.c.shape[0], -1))
        if nu == 0:
            y = _spline(self.t, c, self.k, q, beyond == "periodic")
        elif nu == 1:
            y = _spline(self.t[1:-1], _derived(self.t, c, self.k), self.k - 1, q, beyond == "periodic")
        elif nu == 2:
            first = _derived(self.t, c, self.k)
            second = _derived(self.t[1:-1], first, self.k - 1)
            y = _spline(self.t[2:-2], second, self.k - 2, q, beyond == "periodic")
        else:
            raise NotImplementedError("a derivative of a B-spline of an order above 2: call derivative() again")
        if beyond is False:
            outside = np.logical_or(q < self.t[self.k], q > self.t[-self.k - 1])
            y = np.where(outside[:, None], np.nan, y)
        y = np.reshape(y, np.shape(points) + self.c.shape[1:])
        return kernels.scipy.points_in_place(y, self.c, self.axis, False)

    def derivative(self, nu=1):
        """The derivative."""
        if nu != 1:
            raise NotImplementedError("a derivative of a B-spline of an order above 1: call derivative() again")
        c = np.reshape(_derived(self.t, np.reshape(self.c, (self.c.shape[0], -1)), self.k), (-1,) + self.c.shape[1:])
        return Spline(self.t[1:-1], c, self.k - 1, self.extrapolate, self.axis)


@define(scipy.interpolate.BSpline)
def b_spline(t, c, k, extrapolate=True, axis=0):
    return Spline(
        1.0 * np.asarray(t), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(c), axis, 0)), k, extrapolate, axis
    )


@inlined
def _knots(x, k, at_ends):
    """Knots for points: not at some points near the ends, or at all with conditions at the ends."""
    if at_ends:
        return np.concatenate((x[0] * np.ones(k), x, x[-1] * np.ones(k)))
    if k == 1:
        return np.concatenate((x[:1], x, x[-1:]))
    inner, less = x, (k + 1) // 2
    if k % 2 == 0:
        inner, less = 0.5 * (x[1:] + x[:-1]), k // 2
    return np.concatenate((x[0] * np.ones(k + 1), inner[less:-less], x[-1] * np.ones(k + 1)))


@define(scipy.interpolate.make_interp_spline)
def make_interp_spline(x, y, k=3, t=None, bc_type=None, axis=0, check_finite=True):
    points, values = 1.0 * np.asarray(x), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0))
    order = 0
    if bc_type == "natural":
        order = 2
    elif bc_type == "clamped":
        order = 1
    elif bc_type is not None and bc_type != "not-a-knot":
        NO_CONDITION()
    if k == 0:
        raise NotImplementedError("make_interp_spline of degree 0: use interp1d")
    knots = _knots(points, k, order > 0) if t is None else 1.0 * np.asarray(t)
    columns = np.reshape(values, (values.shape[0], -1))
    unit = np.eye(knots.shape[0] - k - 1)
    matrix, right = _spline(knots, unit, k, points, False), columns
    if order > 0:
        ends = np.stack((points[0], points[-1]))
        first = _derived(knots, unit, k)
        rows = _spline(knots[1:-1], first, k - 1, ends, False)
        if order == 2:
            rows = _spline(knots[2:-2], _derived(knots[1:-1], first, k - 1), k - 2, ends, False)
        matrix, right = np.concatenate((rows, matrix)), np.concatenate((np.zeros((2, columns.shape[1])), columns))
    c = np.reshape(np.linalg.solve(matrix, right), (-1,) + values.shape[1:])
    return Spline(knots, c, k, True, axis)


@define(scipy.interpolate.make_lsq_spline)
def make_lsq_spline(x, y, t, k=3, w=None, axis=0, check_finite=True, *, method="qr"):
    knots, values = 1.0 * np.asarray(t), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0))
    matrix = _spline(knots, np.eye(knots.shape[0] - k - 1), k, 1.0 * np.asarray(x), False)
    right = np.reshape(values, (values.shape[0], -1))
    if w is not None:
        matrix, right = matrix * np.reshape(w, (-1, 1)), right * np.reshape(w, (-1, 1))
    c = np.linalg.solve(np.transpose(matrix) @ matrix, np.transpose(matrix) @ right)
    return Spline(knots, np.reshape(c, (-1,) + values.shape[1:]), k, True, axis)
