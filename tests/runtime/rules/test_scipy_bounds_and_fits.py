"""Minima under bounds and constraints, and fits of `scipy.optimize`, against differences with tight options."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize

import srcad
from srcad.errors import MissingRule, NoSolution
from tests.runtime.rules.test_scipy_optimize import POINT, differences

TIMES = np.linspace(0.0, 2.0, 12)
NOISE = 0.05 * np.sin(13.0 * TIMES)
RANDOM = np.random.default_rng(0)
MATRIX, RIGHT = RANDOM.normal(size=(8, 4)), RANDOM.normal(size=8)


def by_bounds_that_move(a, b):
    found = optimize.minimize(
        lambda x: (x[0] - a) ** 2 + (x[1] - b + 1) ** 2 + (x[0] * x[1] - a) ** 2 + x[2] ** 2 * a - b * x[2],
        [0.5, 2.5, 0.5],
        bounds=[(0, None), (b, 3.0), (None, None)],
        tol=1e-13,
    )
    return found.x @ np.array([1.0, 2.0, 3.0]) + found.fun


def by_bounds_with_arguments(a, b):
    found = optimize.minimize(
        lambda x, c: (x[0] - a) ** 2 + c * (x[1] - b) ** 2, [0.5, 0.5], args=(a,), bounds=[(0, 0.5), (0.0, 5.0)],
        jac=lambda x, c: np.array([2 * (x[0] - a), 2 * c * (x[1] - b)]), tol=1e-12,
    )  # fmt: skip
    return found.x @ np.array([1.0, 2.0]) + found.fun


def by_an_equation(a, b):
    rule = {"type": "eq", "fun": lambda x: x[0] * x[1] - a}
    found = optimize.minimize(
        lambda x: (x[0] - a) ** 2 + (x[1] - b) ** 2, [0.5, 0.5], method="SLSQP", constraints=rule, tol=1e-14
    )
    return found.x @ np.array([1.0, 2.0]) + found.fun


def by_several_constraints(a, b):
    rules = [
        {"type": "eq", "fun": lambda x, k: x[0] + x[1] - k, "args": (a,)},
        {"type": "ineq", "fun": lambda x: np.array([x[0] - x[2] * b, x[0] + 9.0])},
    ]
    found = optimize.minimize(
        lambda x: (x[0] - a) ** 2 + (x[1] - b) ** 2 + (x[2] - 3) ** 2, [0.5, 0.5, 0.5], method="SLSQP",
        constraints=rules, bounds=[(0, None)] * 3, tol=1e-13,
    )  # fmt: skip
    return found.x @ np.array([1.0, 2.0, 3.0]) + found.fun


def by_bounded_least_squares(a, b):
    y = np.exp(-2.0 * TIMES) + a * TIMES
    found = optimize.least_squares(
        lambda p: p[0] * np.exp(-p[1] * TIMES) + b * p[2] * TIMES - y, [0.5, 1.0, 0.1],
        bounds=([0, 0, 0], [0.9, np.inf, 5.0]), xtol=1e-15, ftol=1e-15, gtol=1e-15, jac="3-point",
    )  # fmt: skip
    return found.x @ np.array([1.0, 2.0, 3.0]) + found.cost


def by_nnls(a, b):
    x, rest = optimize.nnls(a * MATRIX + b * MATRIX[::-1], b * RIGHT + MATRIX[:, 0])
    return np.sum(x * np.arange(1, 5)) + rest


def by_lsq_linear(a, b):
    found = optimize.lsq_linear(a * MATRIX + b * MATRIX[::-1], b * RIGHT, (np.full(4, -0.05 * a), np.full(4, 0.3)))
    return np.sum(found.x * np.arange(1, 5)) + found.cost + np.sum(optimize.lsq_linear(a * MATRIX, RIGHT).x)


def by_fsolve(a, b):
    pair = optimize.fsolve(lambda v: [v[0] + 0.5 * v[1] - a, v[0] - v[1] ** 3 - b], [1.0, 1.0], xtol=1e-12)
    return pair @ np.array([1.0, 2.0]) + optimize.fsolve(lambda x, k: x**3 - k, 1.0, (b,), xtol=1e-12)[0]


PROGRAMS = [
    *(by_bounds_that_move, by_several_constraints, by_nnls, by_bounds_with_arguments, by_an_equation),
    *(by_bounded_least_squares, by_lsq_linear, by_fsolve),
]
OFTEN = (by_several_constraints, by_nnls)


@pytest.mark.parametrize(
    "f", [pytest.param(each, marks=() if each in OFTEN else pytest.mark.nightly) for each in PROGRAMS]
)
def test_solution_has_the_value_of_scipy_and_the_gradient_of_differences(f):
    value, gradient = srcad.value_and_grad(f, (0, 1), jit=False)(*POINT)
    assert value == pytest.approx(f(*POINT), rel=1e-10)
    np.testing.assert_allclose(gradient, differences(f, *POINT), rtol=5e-4, atol=1e-6)
    assert srcad.jvp(f, POINT, (0.3, -0.4), jit=False)[1] == pytest.approx(0.3 * gradient[0] - 0.4 * gradient[1])


def model(x, a, b, c):
    return a * np.exp(-b * x) + c


def fitted(a, b, sigma, **options):
    found, _ = optimize.curve_fit(model, TIMES, a * np.exp(-b * TIMES) + NOISE, (1.0, 1.0, 0.1), sigma, **options)
    return found @ np.array([1.0, 2.0, 3.0])


def exact(a, b, sigma):
    """The same by Newton's method for the stationary point."""
    y, p = a * np.exp(-b * TIMES) + NOISE, np.array([a, b, 0.0])
    w = 1.0 / sigma**2
    for _ in range(40):
        e = np.exp(-p[1] * TIMES)
        rest = p[0] * e + p[2] - y
        jacobian = np.stack([e, -p[0] * TIMES * e, np.ones_like(e)], 1)
        bend = np.zeros((3, 3))
        bend[0, 1] = bend[1, 0] = -np.sum(w * rest * TIMES * e)
        bend[1, 1] = np.sum(w * rest * p[0] * TIMES**2 * e)
        p = p - np.linalg.solve(jacobian.T @ (w[:, None] * jacobian) + bend, jacobian.T @ (w * rest))
    return p @ np.array([1.0, 2.0, 3.0])


def test_parameters_of_a_fit_by_its_data():
    sigma = 0.1 + 0.2 * TIMES
    of_data = lambda a, b, s: fitted(a, b, s)  # noqa: E731, PLW0108 - `fitted` takes options
    gradient = srcad.grad(of_data, (0, 1, 2), jit=False)(1.3, 0.7, sigma)
    np.testing.assert_allclose(gradient[:2], differences(lambda a, b: exact(a, b, sigma), 1.3, 0.7), rtol=1e-5)
    step = 1e-4 * np.cos(TIMES)
    slope = (exact(1.3, 0.7, sigma + step) - exact(1.3, 0.7, sigma - step)) / 2.0
    assert np.sum(gradient[2] * step) == pytest.approx(slope, rel=1e-5)


@pytest.mark.nightly
def test_fit_under_bounds():
    bounded = lambda a, b: fitted(a, b, None, bounds=([0, 0, 0], [9.0, 9.0, 9.0]), ftol=1e-14, gtol=1e-14)  # noqa: E731
    value, gradient = srcad.value_and_grad(bounded, (0, 1), jit=False)(*POINT)
    assert value == pytest.approx(bounded(*POINT), rel=1e-12)
    np.testing.assert_allclose(gradient, differences(bounded, *POINT), rtol=1e-4)


def test_covariance_has_no_derivative():
    f = lambda a: optimize.curve_fit(model, TIMES, a * np.exp(-TIMES) + NOISE, (1.0, 1.0, 0.1))[1][0, 0]  # noqa: E731
    with pytest.raises(MissingRule, match="without_derivative"):
        srcad.grad(f, jit=False)(1.3)


@pytest.mark.nightly
def test_covariance_is_a_constant_where_it_is_taken_for_one():
    both = lambda a: optimize.curve_fit(model, TIMES, a * np.exp(-TIMES) + NOISE, (1.0, 1.0, 0.1))  # noqa: E731
    stopped = lambda a: both(a)[0][0] * srcad.stop_gradient(both(a)[1][0, 0])  # noqa: E731
    assert srcad.value_and_grad(stopped, jit=False)(1.3)[0] == pytest.approx(stopped(1.3), rel=1e-12)


def refusal(f, *args, error=NoSolution):
    with pytest.raises(error) as caught:
        srcad.grad(f, jit=False)(*args)
    return str(caught.value)


def test_bounds_that_are_not_needed_are_refused():
    kink = lambda a: optimize.minimize(lambda x: (x[0] - a) ** 2, [1.5], bounds=[(1.3, None)]).x[0]  # noqa: E731
    assert "without being needed" in refusal(kink, 1.3)
    assert "not needed" in refusal(lambda a: optimize.nnls(np.eye(2), np.array([a, 0.0]))[0][0], 1.0)


@pytest.mark.nightly
def test_fits_that_stop_or_have_no_start_are_refused():
    few = {"maxiter": 1}
    stopped = lambda a: optimize.minimize(lambda x: np.cosh(x[0] - a), [9.0], bounds=[(0, 99)], options=few).x[0]  # noqa: E731
    assert "found no solution" in refusal(stopped, 1.3)
    start = lambda a: optimize.curve_fit(model, TIMES, a * TIMES)[0][0]  # noqa: E731
    assert "without `p0`" in refusal(start, 1.3, error=MissingRule)
