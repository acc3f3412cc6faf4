"""`odeint` and implicit methods of `solve_ivp`: SciPy's values, and derivatives of collocation on SciPy's steps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import odeint, solve_ivp

import srcad
from srcad.errors import MissingRule, NoSolution
from tests.runtime.rules.test_scipy_initial_values import decay_by


def decay(rate, start, end):
    return odeint(lambda t, y: -rate * y, start, np.array([0.0, 0.5 * end, end]), tfirst=True)[2, 0]


POINT = (0.7, 2.0, 1.5)
EXACT = 2.0 * np.exp(-0.7 * 1.5)


def test_odeint_by_parameters_start_and_times_to_second_order():
    value, gradient = srcad.value_and_grad(decay, (0, 1, 2), jit=False)(*POINT)
    assert value == pytest.approx(decay(*POINT), rel=1e-14)
    assert gradient == pytest.approx((-1.5 * EXACT, EXACT / 2.0, -0.7 * EXACT), rel=1e-8)
    second = srcad.hessian(decay, (0, 1, 2), jit=False)(*POINT)
    assert second[0] == pytest.approx((2.25 * EXACT, -0.75 * EXACT, -EXACT + 1.05 * EXACT), rel=1e-8)
    assert second[2][2] == pytest.approx(0.49 * EXACT, rel=1e-8)
    assert srcad.jvp(decay, POINT, (0.3, -0.2, 0.1), jit=False)[1] == pytest.approx(
        0.3 * gradient[0] - 0.2 * gradient[1] + 0.1 * gradient[2], rel=1e-12
    )


@pytest.mark.nightly
def test_third_derivative_of_odeint():
    third = srcad.grad(srcad.grad(srcad.grad(decay)), jit=False)(*POINT)
    assert third == pytest.approx(-(1.5**3) * EXACT, rel=1e-7)


def kinetics(p, end, method, tolerance=1e-6):
    """Robertson's reactions, whose rates differ by nine powers of ten."""
    a, b, c = p

    def rates(t, y):
        return [-a * y[0] + c * y[1] * y[2], a * y[0] - c * y[1] * y[2] - b * y[1] ** 2, b * y[1] ** 2]

    found = solve_ivp(
        rates, (0.0, end), [1.0, 0.0, 0.0], method, np.array([0.0, 1.0, end]), rtol=tolerance, atol=1e-4 * tolerance
    )
    return found.y[0, 1] + 1e4 * found.y[1, 2] + found.y[2, -1]


@pytest.mark.nightly
@pytest.mark.parametrize(
    "method", ["LSODA", *(pytest.param(each, marks=pytest.mark.nightly) for each in ("Radau", "BDF"))]
)
def test_stiff_kinetics(method):
    p = np.array([0.04, 3e7, 1e4])
    value, (by_p, by_end) = srcad.value_and_grad(lambda p, t: kinetics(p, t, method), (0, 1), jit=False)(p, 20.0)
    assert value == pytest.approx(kinetics(p, 20.0, method), rel=1e-14)
    for k in range(3):
        step = 1e-3 * p * (np.arange(3) == k)
        slope = (kinetics(p + step, 20.0, "Radau", 1e-9) - kinetics(p - step, 20.0, "Radau", 1e-9)) / (2.0 * step[k])
        assert by_p[k] == pytest.approx(slope, rel=1e-4)
    slope = (kinetics(p, 20.01, "Radau", 1e-9) - kinetics(p, 19.99, "Radau", 1e-9)) / 0.02
    assert by_end == pytest.approx(slope, rel=1e-4)


@pytest.mark.nightly
def test_steps_of_the_solver_and_spans_that_go_back():
    def steps(k, start, end):
        found = solve_ivp(lambda t, y, k: -k * y * y, (0.0, end), [start], "BDF", args=(k,), rtol=1e-6, atol=1e-8)
        return found.y[0, -1] + found.t[3]

    value, gradient = srcad.value_and_grad(steps, (0, 1), jit=False)(*POINT)
    assert value == pytest.approx(steps(*POINT), rel=1e-14)
    last = 2.0 / (1.0 + 0.7 * 2.0 * 1.5)
    assert gradient == pytest.approx((-1.5 * last * last, last * last / 4.0), rel=1e-5)
    back = lambda k: decay_by(k, (1.0, 0.0), "Radau")  # noqa: E731
    assert srcad.grad(back, jit=False)(0.7) == pytest.approx(2.0 * np.exp(0.7), rel=1e-7)


@pytest.mark.nightly
def test_the_jacobian_of_the_user_has_no_influence_on_the_derivative():
    def oscillation(mu, start):
        found = solve_ivp(
            lambda t, y: [y[1], mu * (1.0 - y[0] ** 2) * y[1] - y[0]],
            (0.0, 1.0), start, "Radau", rtol=1e-6, atol=1e-8,
            jac=lambda t, y: np.array([[0.0, 1.0], [-2.0 * mu * y[0] * y[1] - 1.0, mu * (1.0 - y[0] ** 2)]]),
        )  # fmt: skip
        return found.y[0, -1]

    start = np.array([2.0, 0.0])
    slope = (oscillation(20.01, start) - oscillation(19.99, start)) / 0.02
    assert srcad.grad(oscillation, jit=False)(20.0, start) == pytest.approx(slope, rel=1e-3)


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_around_the_calls_of_scipy():
    assert srcad.grad(decay, (0, 1, 2))(*POINT) == pytest.approx((-1.5 * EXACT, EXACT / 2.0, -0.7 * EXACT), rel=1e-8)


def test_what_fails_or_is_not_covered_is_an_error():
    with pytest.raises(NoSolution, match="`odeint` found no solution") as caught:
        srcad.grad(lambda k: odeint(lambda y, t: k * y * y, 1.0, [0.0, 2.0])[1, 0], jit=False)(1.0)
    assert "test_scipy_collocation.py" in str(caught.value)
    with pytest.raises(MissingRule, match="full_output"):
        srcad.grad(lambda k: odeint(lambda y, t: k * y, 1.0, [0.0, 2.0], full_output=True)[0][1, 0], jit=False)(1.0)
