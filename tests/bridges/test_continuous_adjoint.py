"""Initial value problems by the continuous adjoint, against differences and against the discrete adjoint."""

import numpy as np
import pytest
import scipy.integrate

import srcad
from srcad.bridges.scipy import continuous_adjoint
from srcad.errors import BadArgument, MissingRule, NoSolution

START, TIMES, RATES = np.array([1.0, 0.5]), np.array([0.1, 0.6, 1.5]), np.array([0.8, 0.5, 0.6])


def prey(t, y, p):
    return np.array([p[0] * y[0] - p[1] * y[0] * y[1] * np.cos(0.3 * t), -p[2] * y[1] + 0.1 * y[0] * y[1]])


def chain(t, y, rate):
    return [-rate * y[0], rate * y[0] - y[1]]


def last(y):
    return np.sum(np.sin(y)) + y[1, 0] * y[-1, 1]


solve = continuous_adjoint(prey, "DOP853", rtol=1e-9, atol=1e-11, jit=False)
stiff = continuous_adjoint(chain, "Radau", rtol=1e-7, atol=1e-9, jit=False)


def loss(y0, times, p):
    return last(solve(y0, times, p))


def test_derivatives_by_start_times_and_parameters_are_differences():
    args = [START, TIMES, RATES]
    bars = srcad.grad(loss, wrt=(0, 1, 2), jit=False)(*args)
    for k, bar in enumerate(bars):
        step = 1e-5 * np.cos(np.arange(1.0, 1.0 + args[k].size))
        there, back = (loss(*[x + sign * step if j == k else x for j, x in enumerate(args)]) for sign in (1.0, -1.0))
        assert np.sum(bar * step) == pytest.approx((there - back) / 2.0, rel=1e-5)


def test_the_discrete_adjoint_agrees_up_to_the_tolerance():
    def discrete(y0, p):
        how = {"t_eval": TIMES, "args": (p,), "rtol": 1e-9, "atol": 1e-11}
        return last(np.transpose(scipy.integrate.solve_ivp(prey, (TIMES[0], TIMES[-1]), y0, **how).y))

    found = srcad.grad(loss, wrt=(0, 2), jit=False)(START, TIMES, RATES)
    expected = srcad.grad(discrete, wrt=(0, 1), jit=False)(START, RATES)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-7)


def test_a_number_as_parameter_and_times_that_decrease():
    def backwards(rate):
        return np.sum(stiff(np.array([1.0, 0.0]), np.array([1.0, 0.5, 0.0]), rate) ** 2)

    expected = (backwards(0.7 + 1e-5) - backwards(0.7 - 1e-5)) / 2e-5
    assert srcad.grad(backwards, jit=False)(0.7) == pytest.approx(expected, rel=1e-5)
    assert srcad.jvp(backwards, (0.7,), (1.0,), jit=False)[1] == pytest.approx(expected, rel=1e-5)


def test_what_has_no_derivative_or_solution_is_refused():
    def explodes(t, y, p):
        return p * y * y

    with pytest.raises(MissingRule):
        srcad.hessian(loss, wrt=2, jit=False)(START, TIMES, RATES)
    with pytest.raises(BadArgument, match="times are not those of a solution"):
        solve(START, np.array([0.0, 1.0, 1.0]), RATES)
    with pytest.raises(NoSolution, match="has not reached the end"), np.errstate(all="ignore"):
        continuous_adjoint(explodes, jit=False)(np.ones(1), np.array([0.0, 2.0]), 1.0)
