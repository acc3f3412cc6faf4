"""Initial value problems of `scipy.integrate`: the solver's own steps, differentiated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import srcad
from srcad.errors import MissingRule, NoSolution


def forced(k, start, end, method):
    """An oscillator, at times between the steps: the right-hand side is a closure and returns a list."""
    found = solve_ivp(
        lambda t, y: [y[1], -k * y[0] + 0.1 * np.sin(t) * y[1]],
        (0.0, end),
        [start, 0.5],
        method,
        np.linspace(0.0, end, 5),
        rtol=1e-9,
        atol=1e-11,
    )
    return np.sum(found.y[0] ** 2) + found.y[1, 3] + found.t[1]


POINT = np.array([1.3, 0.7, 3.0])


def differences(f, h=2e-3):
    """Central differences, extrapolated once."""
    slopes = [
        [(f(*(POINT + step * unit)) - f(*(POINT - step * unit))) / (2 * step) for step in (h, h / 2)]
        for unit in np.eye(len(POINT))
    ]
    return [(4 * fine - coarse) / 3 for coarse, fine in slopes]


@pytest.mark.parametrize("method", ["RK45", "DOP853", pytest.param("RK23", marks=pytest.mark.nightly)])
def test_values_are_those_of_scipy_and_gradients_those_of_differences(method):
    f = lambda k, start, end: forced(k, start, end, method)  # noqa: E731 - as users write it
    value, gradient = srcad.value_and_grad(f, (0, 1, 2), jit=False)(*POINT)
    assert value == pytest.approx(f(*POINT), rel=1e-12)
    np.testing.assert_allclose(gradient, differences(f), rtol=1e-6)


def decay_by(rate, span, method):
    return solve_ivp(lambda t, y: -rate * y, span, [2.0], method, rtol=1e-9, atol=1e-11).y[0, -1]


def decay(rate, start):
    found = solve_ivp(lambda t, y, k: -k * y, (0.0, 1.0), np.array([start]), args=(rate,), rtol=1e-10, atol=1e-12)
    return found.y[0, -1]


def test_derivatives_of_a_decay_are_those_of_the_exponential():
    exact = 2.0 * np.exp(-0.7)
    assert srcad.grad(decay, (0, 1), jit=False)(0.7, 2.0) == pytest.approx((-exact, exact / 2.0), rel=1e-9)
    assert srcad.hessian(decay, (0, 1), jit=False)(0.7, 2.0) == (
        pytest.approx((exact, -exact / 2.0), rel=1e-8),
        pytest.approx((-exact / 2.0, 0.0), rel=1e-8, abs=1e-9),
    )
    assert srcad.jvp(decay, (0.7, 2.0), (1.0, 0.0), jit=False)[1] == pytest.approx(-exact, rel=1e-9)


def test_compiled_around_the_call_of_scipy():
    exact = 2.0 * np.exp(-0.7)
    assert srcad.grad(decay)(0.7, 2.0) == pytest.approx(-exact, rel=1e-9)


def test_what_is_not_covered_is_refused():
    event = lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], events=lambda t, y: y[0] - 0.5).y[0, -1]  # noqa: E731
    with pytest.raises(MissingRule, match="with events"):
        srcad.grad(event, jit=False)(1.0)
    with pytest.raises(MissingRule, match="dense_output"):
        srcad.grad(lambda k: solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], dense_output=True).y[0, -1])(1.0)


def test_a_solution_that_ends_early_is_refused():
    with pytest.raises(NoSolution, match="step size"):
        srcad.grad(lambda k: solve_ivp(lambda t, y: k * y * y, (0.0, 2.0), [1.0]).y[0, -1], jit=False)(1.0)
