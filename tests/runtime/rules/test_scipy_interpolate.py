"""Interpolants of `scipy.interpolate`: values as SciPy's, derivatives by values, points and places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import interpolate

import srcad
from srcad.errors import MissingRule

X = np.array([0.0, 0.4, 1.1, 1.9, 2.2, 3.0])
Y = np.array([0.3, -0.7, 1.2, 0.4, 1.1, -0.2])
Q = np.array([0.1, 0.5, 1.2, 2.3, 2.9])
BEYOND = np.array([-0.3, 1.0, 3.4])
Y2 = np.stack((Y, Y[::-1] ** 2))


def cubic_splines(x, y, q):
    free = interpolate.CubicSpline(x, y)
    total = np.sum(free(q) ** 2) + np.sum(free(q, 1)) + free.integrate(0.2, q[3]) + free.derivative(2)(q[0])
    mixed = interpolate.CubicSpline(x, y, bc_type=((1, 0.3), (2, -0.4)))
    cyclic = interpolate.CubicSpline(x, (y - y[0]) * (y - y[5]), bc_type="periodic")
    return total + np.sum(np.sin(mixed(BEYOND))) + np.sum(cyclic(BEYOND) * q[:3])


def ends_of_cubic_splines(x, y, q):
    one = interpolate.CubicSpline(x, y, bc_type=("natural", "clamped"))(q)
    other = interpolate.CubicSpline(x, y, bc_type=("not-a-knot", "natural"))(q)
    total = np.sum(one**2) + np.sum(other**3)
    few = interpolate.CubicSpline(x[:3], y[:3])(q) + interpolate.CubicSpline(x[:2], y[:2], bc_type="natural")(q)
    return total + np.sum(few**2)


def shape_preserving(x, y, q):
    monotone = interpolate.PchipInterpolator(x, y)
    akima = interpolate.Akima1DInterpolator(x, y, method="makima", extrapolate=True)
    return np.sum(np.sin(monotone(q))) + np.sum(akima(q) ** 2) + np.sum(akima(BEYOND)) + monotone.antiderivative()(q[1])


def between_points(x, y, q):
    line = interpolate.interp1d(x[::-1], y)
    filled = interpolate.interp1d(x, y, "previous", bounds_error=False, fill_value=(0.5, q[0]))
    return np.sum(line(q) ** 2) + np.sum(filled(BEYOND) ** 3) + np.sum(interpolate.interp1d(x, y, "nearest")(q) ** 2)


def basis_splines(x, y, q):
    cubic, even = interpolate.make_interp_spline(x, y), interpolate.make_interp_spline(x, y, 2)
    held = interpolate.make_interp_spline(x, y, bc_type="clamped")
    knots = np.array([0.0, 0.0, 0.0, 0.0, 1.5, 3.0, 3.0, 3.0, 3.0])
    fitted = interpolate.make_lsq_spline(X, y, knots, w=1.0 + y * y)
    own = interpolate.BSpline(knots, y[:5], 3)
    total = np.sum(cubic(q) ** 2) + np.sum(cubic(q, 2)) + np.sum(even(BEYOND)) + np.sum(np.sin(held(q)))
    return total + np.sum(fitted(q) ** 2) + np.sum(own(q)) + own.derivative()(q[1])


def several_values(x, y, q):
    y2 = np.stack((y, y[::-1] ** 2))
    spline = interpolate.CubicSpline(x, y2, axis=1)(q)
    total = np.sum(spline[0] * spline[1]) + np.sum(interpolate.make_interp_spline(x, y2, axis=1)(q)[0] ** 2)
    return total + np.sum(interpolate.interp1d(x, y2)(np.reshape(q[:4], (2, 2)))[1] ** 2)


def grids(x, y, q):
    values = y[:, None] * np.array([1.0, -0.4, 2.0])
    grid = interpolate.RegularGridInterpolator((x, np.array([0.0, 1.0, 2.5])), values, bounds_error=False)
    places = np.stack((q, 0.5 * q), axis=-1)
    inside = grid((q, 0.7 * q)) + grid(places, "nearest")
    return np.sum(inside**2) + np.sum(interpolate.interpn((X, X), y[:, None] + y, places))


PROGRAMS = [
    *(cubic_splines, ends_of_cubic_splines, shape_preserving, between_points, basis_splines, several_values, grids),
]


def along(f: Any, direction: Any, h: float = 1e-3) -> Any:
    """The derivative along a direction, by central differences that are extrapolated once."""
    parts = np.split(direction, [6, 12])

    def there(step: float) -> Any:
        return f(*[one + step * part for one, part in zip((X, Y, Q), parts, strict=True)])

    coarse, fine = ((there(step) - there(-step)) / (2.0 * step) for step in (h, 0.5 * h))
    return (4.0 * fine - coarse) / 3.0


def pchip(x, y, q):
    return np.sum(np.sin(interpolate.PchipInterpolator(x, y)(q)))


# Each takes seconds to derive.
AT_NIGHT = [pytest.param(each, marks=pytest.mark.nightly) for each in PROGRAMS]


@pytest.mark.parametrize("f", [pchip, *AT_NIGHT], ids=lambda f: f.__name__)
def test_derivatives_are_differences(f):
    value, bars = srcad.value_and_grad(f, (0, 1, 2), jit=False)(X, Y, Q)
    assert value == pytest.approx(f(X, Y, Q), rel=1e-12)
    for seed in range(2):
        direction = np.random.default_rng(seed).normal(size=17)
        assert np.concatenate(bars) @ direction == pytest.approx(along(f, direction), rel=1e-6, abs=1e-7)


@pytest.mark.nightly
def test_second_derivatives_and_tangents():
    direction = np.cos(np.arange(17.0))
    gradient = srcad.grad(pchip, (0, 1, 2), jit=False)
    parts = np.split(direction, [6, 12])
    twice = np.concatenate(srcad.hvp(pchip, (0, 1, 2), jit=False)(X, Y, Q, *parts))
    expected = along(lambda *args: np.concatenate(gradient(*args)), direction, 1e-4)
    np.testing.assert_allclose(twice, expected, rtol=1e-5, atol=1e-6)
    tangent = srcad.jvp(pchip, (X, Y, Q), tuple(parts), jit=False)[1]
    assert tangent == pytest.approx(np.concatenate(gradient(X, Y, Q)) @ direction, rel=1e-11)


@pytest.mark.nightly
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_tangents_and_second_derivatives_of_all(f):
    direction = np.cos(np.arange(17.0))
    parts = np.split(direction, [6, 12])
    gradient = srcad.grad(f, (0, 1, 2), jit=False)
    tangent = srcad.jvp(f, (X, Y, Q), tuple(parts), jit=False)[1]
    assert tangent == pytest.approx(np.concatenate(gradient(X, Y, Q)) @ direction, rel=1e-10)
    twice = np.concatenate(srcad.hvp(f, (0, 1, 2), jit=False)(X, Y, Q, *parts))
    expected = along(lambda *args: np.concatenate(gradient(*args)), direction, 1e-4)
    np.testing.assert_allclose(twice, expected, rtol=1e-5, atol=2e-5)


def spline_fit(values, x, targets):
    """The squared error of a natural spline through few points, and its roughness."""
    spline = interpolate.CubicSpline(np.array([0.0, 0.8, 1.7, 3.0]), values, bc_type="natural")
    return np.sum((spline(x) - targets) ** 2) + 0.01 * np.sum(spline(x, 2) ** 2)


@pytest.mark.nightly
@pytest.mark.compiled
def test_spline_fit_compiled(recwarn):
    x, targets = np.linspace(0.1, 2.9, 9), np.sin(np.linspace(0.1, 2.9, 9))
    found = srcad.grad(spline_fit, (0, 1))(Y[:4], x, targets)
    assert not [each for each in recwarn if issubclass(each.category, srcad.PerformanceWarning)]
    for one, other in zip(found, srcad.grad(spline_fit, (0, 1), jit=False)(Y[:4], x, targets), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_what_has_no_definition_is_refused_with_a_way_out():
    kind = lambda y: interpolate.UnivariateSpline(X, y)(0.5)  # noqa: E731
    with pytest.raises(MissingRule, match="a smoothing spline") as problem:
        srcad.grad(kind, jit=False)(Y)
    assert "s=0" in problem.value.hint
    with pytest.raises(ValueError, match="outside the interpolation range"):
        srcad.grad(lambda y: interpolate.interp1d(X, y)(5.0), jit=False)(Y)
