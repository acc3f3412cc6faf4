"""Definitions of interpolants that are polynomials between points: cubic splines, PCHIP, Akima's, `interp1d`.

An interpolant is a function of the values, of the points and of where it is evaluated. Derivatives follow from its
coefficients; at a point, they are those of the polynomial that begins there.

Carl de Boor, A Practical Guide to Splines, Springer 1978; F. N. Fritsch and J. Butland, A method for constructing local
monotone piecewise cubic interpolants, SIAM J. Sci. Stat. Comput. 5, 1984; H. Akima, J. ACM 17, 1970.
"""

from __future__ import annotations

import numpy as np
import scipy.interpolate

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear, tangent, zero
from srcad.runtime.rulebook.theorems import NoRule

NO_CONDITION = NoRule("CubicSpline with this `bc_type`", "pass a name, or a pair of names or of (order, value)")
NO_KIND = NoRule("interp1d of this kind", "pass linear, nearest, previous, next, zero, or use make_interp_spline")
NO_ORDER = NoRule("an antiderivative of an order other than 1", "call antiderivative() again")


@adjoint(kernels.scipy.tridiagonal_solve)
def tridiagonal_solve(y, lower, diagonal, upper, b):
    w = kernels.scipy.tridiagonal_solve(upper, diagonal, lower, d[y])
    d[b] = w
    d[diagonal] = -np.sum(w * y, axis=1)
    d[lower] = -np.sum(w[1:] * y[:-1], axis=1)
    d[upper] = -np.sum(w[:-1] * y[1:], axis=1)


@tangent(kernels.scipy.tridiagonal_solve)
def tridiagonal_solve_tangent(y, lower, diagonal, upper, b):
    none = np.zeros((1, y.shape[1]))
    d[y] = (
        kernels.scipy.tridiagonal_solve(lower, diagonal, upper, d[b])
        - kernels.scipy.tridiagonal_solve(lower, diagonal, upper, np.reshape(d[diagonal], (-1, 1)) * y)
        - kernels.scipy.tridiagonal_solve(
            lower, diagonal, upper, np.concatenate((none, np.reshape(d[lower], (-1, 1)) * y[:-1]))
        )
        - kernels.scipy.tridiagonal_solve(
            lower, diagonal, upper, np.concatenate((np.reshape(d[upper], (-1, 1)) * y[1:], none))
        )
    )


zero(kernels.scipy.power_factors)


@adjoint(kernels.scipy.with_trailing_axes, may_view=True)
def with_trailing_axes(y, v, of):
    d[v] = kernels.scipy.without_trailing_axes(d[y], v)


@adjoint(kernels.scipy.without_trailing_axes, may_view=True)
def without_trailing_axes(y, g, v):
    d[g] = kernels.scipy.with_trailing_axes(d[y], g)


@adjoint(kernels.scipy.points_in_place)
def points_in_place(r, y, of, axis, is_back):
    d[y] = kernels.scipy.points_in_place(d[r], of, axis, not is_back)


linear(kernels.scipy.with_trailing_axes, kernels.scipy.without_trailing_axes, kernels.scipy.points_in_place)


@inlined
def _beyond(extrapolate, usual):
    """What is beyond the points, as a number: nan, 0; the last polynomial, 1; the same again, 2."""
    if extrapolate is None:
        return usual
    if extrapolate == "periodic":
        return 2
    return 1 if extrapolate else 0


@inlined
class Polynomials:
    """Polynomials between the points x, by the coefficients of the powers of the distance from the point before."""

    def __init__(self, c, x, axis, extrapolate):
        self.c = c
        self.x = x
        self.axis = axis
        self.extrapolate = extrapolate

    def __call__(self, x, nu=0, extrapolate=None):
        """The values, or derivatives, at points."""
        factors = kernels.scipy.power_factors(self.c.shape[0], nu)
        c = self.c[: factors.shape[0]] * kernels.scipy.with_trailing_axes(factors, self.c)
        return _values(c, self.x, x, _beyond(extrapolate, self.extrapolate), self.axis)

    def derivative(self, nu=1):
        """The derivative of an order."""
        factors = kernels.scipy.power_factors(self.c.shape[0], nu)
        c = self.c[: factors.shape[0]] * kernels.scipy.with_trailing_axes(factors, self.c)
        return Polynomials(c, self.x, self.axis, self.extrapolate)

    def antiderivative(self, nu=1):
        """The antiderivative that is 0 at the first point."""
        if nu != 1:
            NO_ORDER()
        count = self.c.shape[0]
        higher = self.c / kernels.scipy.with_trailing_axes(np.arange(count, 0, -1.0), self.c)
        widths = kernels.scipy.with_trailing_axes(np.diff(self.x), self.c[0])
        areas = np.zeros_like(self.c[0])
        for j in range(count):
            areas = (areas + higher[j]) * widths
        before = np.concatenate((0.0 * areas[:1], np.cumsum(areas, axis=0)[:-1]))
        return Polynomials(np.concatenate((higher, before[None])), self.x, self.axis, self.extrapolate)

    def integrate(self, a, b, extrapolate=None):
        """The integral between two points."""
        whole = self.antiderivative()
        area = whole(b, 0, extrapolate) - whole(a, 0, extrapolate)
        if _beyond(extrapolate, self.extrapolate) == 2:
            first, period = self.x[0], self.x[-1] - self.x[0]
            periods = np.floor((b - first) / period) - np.floor((a - first) / period)
            area = area + periods * whole(self.x[-1], 0, True)
        return area


@inlined
def _values(c, x, at, beyond, axis):
    """The values of piecewise polynomials."""
    q = 1.0 * np.asarray(at)
    if beyond == 2:
        q = x[0] + np.mod(q - x[0], x[-1] - x[0])
    i = np.minimum(np.maximum(np.searchsorted(x, q, side="right") - 1, 0), c.shape[1] - 1)
    t = kernels.scipy.with_trailing_axes(q - np.take(x, i), c[0])
    y = np.take(c[0], i, axis=0) + 0.0 * t
    for j in range(1, c.shape[0]):
        y = y * t + np.take(c[j], i, axis=0)
    if beyond == 0:
        outside = np.logical_or(q < x[0], q > x[-1])
        y = kernels.scipy.choose(kernels.scipy.with_trailing_axes(outside, c[0]), np.nan, y)
    return kernels.scipy.points_in_place(y, c[0], axis, False)


@inlined
def _step(x, q, kind):
    """Which of the values holds at each point, of a function that is constant between points."""
    if kind == "nearest":
        return np.searchsorted(0.5 * (x[1:] + x[:-1]), q, side="left")
    if kind == "nearest-up":
        return np.searchsorted(0.5 * (x[1:] + x[:-1]), q, side="right")
    if kind == "next":
        return np.minimum(np.searchsorted(x, q, side="left"), x.shape[0] - 1)
    return np.maximum(np.searchsorted(x, q, side="right") - 1, 0)


@inlined
def _with_slopes(x, y, slopes, axis, extrapolate):
    """The cubic polynomials with values and slopes at the points."""
    widths = kernels.scipy.with_trailing_axes(np.diff(x), y)
    rise = np.diff(y, axis=0) / widths
    bend = (slopes[:-1] + slopes[1:] - 2.0 * rise) / widths
    c = np.stack((bend / widths, (rise - slopes[:-1]) / widths - bend, slopes[:-1], y[:-1]))
    return Polynomials(c, x, axis, extrapolate)


@inlined
def _condition(bc_type, at_end):
    """The condition at one end, as a name or a pair of order and value."""
    if isinstance(bc_type, (tuple, list)):
        return bc_type[1] if at_end else bc_type[0]
    return bc_type


@inlined
def _end_row(condition, widths, rise, sign):
    """The row of the system at an end: two elements, and the right-hand side. Widths and rises are from that end on."""
    first, second = widths[0], widths[1] if widths.shape[0] > 1 else widths[0]
    if isinstance(condition, (tuple, list)):
        if condition[0] == 1:
            return 1.0, 0.0, condition[1] + 0.0 * rise[0]
        return 2.0 * first, first, 3.0 * rise[0] * first - sign * 0.5 * condition[1] * first**2
    if condition not in ("clamped", "natural", "not-a-knot"):
        NO_CONDITION()
    if condition == "clamped":
        return 1.0, 0.0, 0.0 * rise[0]
    if condition == "natural":
        return 2.0 * first, first, 3.0 * rise[0] * first
    both = first + second
    if widths.shape[0] == 1:  # two points: the line
        return 1.0, 0.0, 1.0 * rise[0]
    if widths.shape[0] == 2:  # three points: a parabola
        return 1.0, 1.0, 2.0 * rise[0]
    return second, both, ((first + 2.0 * both) * second * rise[0] + first**2 * rise[1]) / both


@inlined
def _spline_slopes(x, y, bc_type):
    """The slopes of the cubic spline at the points: a tridiagonal system, with a row for the condition at each end."""
    w = np.diff(x)
    columns = np.reshape(y, (y.shape[0], -1))
    rise = np.diff(columns, axis=0) / w[:, None]
    start = _end_row(_condition(bc_type, False), w, rise, 1.0)
    end = _end_row(_condition(bc_type, True), w[::-1], 1.0 * rise[::-1], -1.0)
    inner = 3.0 * (w[1:, None] * rise[:-1] + w[:-1, None] * rise[1:])
    diagonal = np.concatenate((np.full(1, start[0]), 2.0 * (w[:-1] + w[1:]), np.full(1, end[0])))
    upper = np.concatenate((np.full(1, start[1]), w[:-1]))
    lower = np.concatenate((w[1:], np.full(1, end[1])))
    right = np.concatenate((np.reshape(start[2], (1, -1)), inner, np.reshape(end[2], (1, -1))))
    return np.reshape(kernels.scipy.tridiagonal_solve(lower, diagonal, upper, right), y.shape)


@inlined
def _periodic_slopes(x, y):
    """The slopes of the periodic cubic spline: a cyclic system."""
    w = np.diff(x)
    columns = np.reshape(y, (y.shape[0], -1))
    rise = np.diff(columns, axis=0) / w[:, None]
    before, rise_before = np.roll(w, 1), np.roll(rise, 1, axis=0)
    matrix = np.diag(2.0 * (before + w)) + np.roll(np.diag(w), -1, axis=1) + np.roll(np.diag(before), 1, axis=1)
    right = 3.0 * (w[:, None] * rise_before + before[:, None] * rise)
    slopes = np.linalg.solve(matrix, right)
    return np.reshape(np.concatenate((slopes, slopes[:1])), y.shape)


@define(scipy.interpolate.CubicSpline)
def cubic_spline(x, y, axis=0, bc_type="not-a-knot", extrapolate=None):
    points, values = 1.0 * np.asarray(x), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0))
    if bc_type == "periodic":
        return _with_slopes(points, values, _periodic_slopes(points, values), axis, _beyond(extrapolate, 2))
    beyond = _beyond(extrapolate, 1)
    return _with_slopes(points, values, _spline_slopes(points, values, bc_type), axis, beyond)


@define(scipy.interpolate.CubicHermiteSpline)
def cubic_hermite_spline(x, y, dydx, axis=0, extrapolate=None):
    values, slopes = (
        np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0)),
        np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(dydx), axis, 0)),
    )
    return _with_slopes(1.0 * np.asarray(x), values, slopes, axis, _beyond(extrapolate, 1))


@inlined
def _pchip_end(first, second, rise, next_rise):
    """The slope at an end, by three points, that keeps the shape."""
    slope = ((2.0 * first + second) * rise - first * next_rise) / (first + second)
    is_steep = np.logical_and(np.sign(rise) != np.sign(next_rise), np.abs(slope) > 3.0 * np.abs(rise))
    slope = kernels.scipy.choose(is_steep, 3.0 * rise, slope)
    return kernels.scipy.choose(np.sign(slope) != np.sign(rise), 0.0, slope)


@inlined
def _pchip_slopes(x, y):
    """Harmonic means of the rises on both sides, 0 where these have different signs."""
    w = kernels.scipy.with_trailing_axes(np.diff(x), y)
    rise = np.diff(y, axis=0) / w
    if y.shape[0] == 2:
        return np.concatenate((rise, rise))
    one, other = 2.0 * w[1:] + w[:-1], w[1:] + 2.0 * w[:-1]
    is_flat = np.logical_or(np.sign(rise[1:]) != np.sign(rise[:-1]), rise[1:] * rise[:-1] == 0.0)
    before, after = np.where(is_flat, 1.0, rise[:-1]), np.where(is_flat, 1.0, rise[1:])
    inner = np.where(is_flat, 0.0, (one + other) / (one / before + other / after))
    start = _pchip_end(w[0], w[1], rise[0], rise[1])
    end = _pchip_end(w[-1], w[-2], rise[-1], rise[-2])
    return np.concatenate((np.reshape(start, (1,) + y.shape[1:]), inner, np.reshape(end, (1,) + y.shape[1:])))


@define(scipy.interpolate.PchipInterpolator)
def pchip_interpolator(x, y, axis=0, extrapolate=None):
    points, values = 1.0 * np.asarray(x), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0))
    beyond = _beyond(extrapolate, 1)
    return _with_slopes(points, values, _pchip_slopes(points, values), axis, beyond)


@define(scipy.interpolate.pchip_interpolate)
def pchip_interpolate(xi, yi, x, der=0, axis=0):
    return scipy.interpolate.PchipInterpolator(xi, yi, axis=axis)(x, der)


@inlined
def _akima_slopes(x, y, method):
    """Means of the rises on both sides, each weighted by how the rises change on the other side."""
    rise = np.diff(y, axis=0) / kernels.scipy.with_trailing_axes(np.diff(x), y)
    if y.shape[0] == 2:
        return np.concatenate((rise, rise))
    before, after = 2.0 * rise[:1] - rise[1:2], 2.0 * rise[-1:] - rise[-2:-1]
    m = np.concatenate((2.0 * before - rise[:1], before, rise, after, 2.0 * after - rise[-1:]))
    change = np.abs(np.diff(m, axis=0))
    if method == "makima":
        change = change + 0.5 * np.abs(m[1:] + m[:-1])
    one, other = change[2:], change[:-2]
    total = one + other
    is_even = total <= 1e-9 * np.max(total)
    share = np.where(is_even, 0.0, other / np.where(is_even, 1.0, total))
    return np.where(is_even, 0.5 * (m[3:] + m[:-3]), m[1:-2] + share * (m[2:-1] - m[1:-2]))


@define(scipy.interpolate.Akima1DInterpolator)
def akima_interpolator(x, y, axis=0, *, method="akima", extrapolate=None):
    points, values = 1.0 * np.asarray(x), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0))
    beyond = _beyond(extrapolate, 0)
    return _with_slopes(points, values, _akima_slopes(points, values, method), axis, beyond)


@inlined
class Steps:
    """The value at the nearest point, or at the one before or after; or the line between points."""

    def __init__(self, x, y, axis, kind, fill_value, bounds_error, spline=None):
        self.x = x
        self.y = y
        self.axis = axis
        self.kind = kind
        self.fill_value = fill_value
        self.bounds_error = bounds_error
        self.spline = spline

    def __call__(self, x):
        """The values at points."""
        q = 1.0 * np.asarray(x)
        below, above = q < self.x[0], q > self.x[-1]
        if self.bounds_error and np.any(np.logical_or(below, above)):
            raise ValueError("A value in x_new is outside the interpolation range.")
        if self.kind == "linear":
            c = np.stack(
                (np.diff(self.y, axis=0) / kernels.scipy.with_trailing_axes(np.diff(self.x), self.y), self.y[:-1])
            )
            y = _values(c, self.x, q, 1, self.axis)
        elif self.kind == "spline":
            y = kernels.scipy.points_in_place(self.spline(q), self.y, self.axis, False)
        elif self.kind not in ("previous", "zero", "nearest", "nearest-up", "next"):
            NO_KIND()
        else:
            y = np.take(self.y, _step(self.x, q, self.kind), axis=0)
            y = kernels.scipy.points_in_place(y, self.y, self.axis, False)
        low, high = self.fill_value, self.fill_value
        if isinstance(self.fill_value, tuple):
            low, high = self.fill_value[0], self.fill_value[1]
        below, above = kernels.scipy.with_trailing_axes(below, self.y), kernels.scipy.with_trailing_axes(above, self.y)
        below = kernels.scipy.points_in_place(below, self.y, self.axis, False)
        above = kernels.scipy.points_in_place(above, self.y, self.axis, False)
        if isinstance(self.fill_value, str):
            if self.kind == "previous":  # there is none before the first point
                return kernels.scipy.choose(below, np.nan, y)
            return kernels.scipy.choose(above, np.nan, y) if self.kind == "next" else y
        return kernels.scipy.choose(below, low, kernels.scipy.choose(above, high, y))


@define(scipy.interpolate.interp1d)
def interp1d(x, y, kind="linear", axis=-1, copy=True, bounds_error=None, fill_value=np.nan, assume_sorted=False):
    points, values = 1.0 * np.asarray(x), np.ascontiguousarray(np.moveaxis(1.0 * np.asarray(y), axis, 0))
    if not assume_sorted:
        order = np.argsort(points)
        points, values = points[order], values[order]
    if kind in ("linear", "slinear"):
        name = "linear"
    elif kind in ("previous", "zero", "nearest", "nearest-up", "next"):
        name = kind
    elif kind not in ("quadratic", "cubic") and not isinstance(kind, int):
        NO_KIND()
    else:
        name = "spline"
    spline = None
    if name == "spline":
        degree = 2 if kind == "quadratic" else 3 if kind == "cubic" else kind
        spline = scipy.interpolate.make_interp_spline(points, values, degree)
    is_strict = bounds_error
    if bounds_error is None:
        is_strict = not isinstance(fill_value, str)
    return Steps(points, values, axis, name, fill_value, is_strict, spline)
