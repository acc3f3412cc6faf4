"""Definitions of solvers of initial value problems in `scipy.integrate`: discretise, then differentiate.

SciPy runs first and chooses the steps. These are then taken as constants (as fractions of the span), and the method is
run again on them, in terms of what has rules. So the derivative is that of the numbers that SciPy computes, apart from
how the steps depend on the parameters, which changes the numbers by no more than the tolerance.

W. W. Hager, Runge-Kutta methods in optimal control and the transformed adjoint system, Numerische Mathematik 87, 2000.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import scipy.integrate
from scipy.integrate import DOP853, RK23, RK45

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule, SolvedBy, Unsolved
from srcad.runtime.rules.scipy.collocation import collocated, solution, step_times

IvpResult = namedtuple("IvpResult", ["t", "y", "success", "status"])


def _tableau(method: Any) -> tuple[Any, Any, Any]:
    """The weights of the stages, their times, and the polynomials that interpolate; the last stage is at the end."""
    count = len(method.B)
    weights = np.zeros((count + 1, count + 1))
    weights[: len(method.A), : method.A.shape[1]] = method.A
    weights[count, :count] = method.B
    return weights, np.append(method.C[:count], 1.0), np.asarray(method.P)


def _tableau_of_dop853() -> tuple[Any, Any, Any]:
    """The same for DOP853, whose interpolation takes three further stages.

    It is a nest of products with x and 1 - x in terms of F, which is linear in the slopes of the stages.
    """
    count, more = DOP853.n_stages, len(DOP853.C_EXTRA)
    size = count + 1 + more
    weights = np.zeros((size, size))
    weights[: len(DOP853.A), : DOP853.A.shape[1]] = DOP853.A
    weights[count, :count] = DOP853.B
    weights[count + 1 :, : DOP853.A_EXTRA.shape[1]] = DOP853.A_EXTRA
    ends = np.zeros((2, size))
    ends[0, 0] = ends[1, count] = 1.0
    change = weights[count]
    terms = np.vstack([change, ends[0] - change, 2 * change - ends[1] - ends[0], DOP853.D])
    found = np.zeros((len(terms) + 1, size))  # by the power of x
    for number, term in enumerate(terms[::-1]):
        found[0] += term
        shifted = np.vstack([np.zeros(size), found[:-1]])
        found = shifted if number % 2 == 0 else found - shifted
    return weights, np.concatenate([DOP853.C[:count], [1.0], DOP853.C_EXTRA]), found[1:].T


WEIGHTS_23, TIMES_23, POLYNOMIALS_23 = _tableau(RK23)
WEIGHTS_45, TIMES_45, POLYNOMIALS_45 = _tableau(RK45)
WEIGHTS_853, TIMES_853, POLYNOMIALS_853 = _tableau_of_dop853()


def _run_steps(function: Any, start: float, end: float, y0: Any, method: str, options: dict[str, Any]) -> Any:
    """The times that SciPy steps to, as fractions of the span."""
    found = scipy.integrate.solve_ivp(function, (start, end), y0, method=method, **options)
    if not found.success:
        raise Unsolved(str(found.message))
    return (found.t - start) / (end - start) if end != start else np.zeros(1)


def _run_implicit(function: Any, knots: Any, y0: Any, at_times: bool, method: str, options: dict[str, Any]) -> Any:
    """The equations of collocation on the steps, and SciPy's solution at the knots, or at its own steps."""
    times = knots[1:-1] if at_times else None
    found = scipy.integrate.solve_ivp(function, (knots[0], knots[-1]), y0, method=method, t_eval=times, **options)
    if not found.success:
        raise Unsolved(str(found.message))
    tolerances = {name: options[name] for name in ("rtol", "atol") if name in options}
    return collocated(function, knots, y0, found.y.T, found.t, tolerances)


EQUATIONS = SolvedBy("solve_ivp", _run_implicit, None, "np.asarray(function(t, y{args}))", ("t", "y"))
STEPS = SolvedBy("solve_ivp", _run_steps, None, "np.asarray(function(t, y{args}))", ("t", "y"))
NO_EVENTS = NoRule("solve_ivp with events", "solve for the time of the event with a root finder, as the end")
NO_DENSE = NoRule("solve_ivp with `dense_output`", "name the times with `t_eval`")
NO_VECTORS = NoRule("solve_ivp with `vectorized`", "leave it out: it saves no time here")
NO_METHOD = NoRule("solve_ivp with this method", "use RK45, RK23, DOP853, Radau, BDF or LSODA")


@inlined
def _ended(fun, start, end, y0, args, fractions, weights, times, last):
    """The solution at the ends of all steps, and the slopes of the stages."""
    count, size = fractions.shape[0] - 1, y0.shape[0]
    stages = weights.shape[0]
    solution = np.zeros((count + 1, size))
    slopes = np.zeros((count, stages, size))
    solution[0] = y0
    for i in range(count):
        t = start + fractions[i] * (end - start)
        h = (fractions[i + 1] - fractions[i]) * (end - start)
        y = solution[i].copy()
        for s in range(stages):
            moved = np.zeros(size)
            for j in range(s):
                moved = moved + weights[s, j] * slopes[i, j]
            reached = y + h * moved
            slopes[i, s] = np.asarray(fun(t + times[s] * h, reached.copy(), *args))
            if s == last:
                solution[i + 1] = reached
    return solution, slopes


@inlined
def _between(solution, slopes, fractions, start, end, t_eval, polynomials):
    """The solution at given times, by the polynomials of the method."""
    found = np.zeros((t_eval.shape[0], solution.shape[1]))
    for k in range(t_eval.shape[0]):
        fraction = (t_eval[k] - start) / (end - start)
        i = 0
        while i < fractions.shape[0] - 2 and fractions[i + 1] < fraction - 1e-14:
            i += 1
        x = (fraction - fractions[i]) / (fractions[i + 1] - fractions[i])
        h = (fractions[i + 1] - fractions[i]) * (end - start)
        y = solution[i].copy()
        for s in range(polynomials.shape[0]):
            weight = 0.0
            power = x
            for p in range(polynomials.shape[1]):
                weight += polynomials[s, p] * power
                power = power * x
            y = y + h * weight * slopes[i, s]
        found[k] = y
    return found


@define(scipy.integrate.solve_ivp)
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None, vectorized=False, args=None, **options
):
    if events is not None:
        NO_EVENTS()
    if dense_output:
        NO_DENSE()
    if vectorized:
        NO_VECTORS()
    start, end = 1.0 * t_span[0], 1.0 * t_span[1]
    begin = 1.0 * np.asarray(y0)
    given = () if args is None else args
    if method in ("Radau", "BDF", "LSODA"):
        ends = np.array([start, end])
        if t_eval is None:
            equations = EQUATIONS(fun, given, ends, begin, False, method, options)
            reached = solution(fun, True, ends, begin, given, equations)
            return IvpResult(step_times(ends, equations, begin), np.transpose(reached), True, 0)
        times = 1.0 * np.asarray(t_eval)
        knots = np.concatenate((ends[:1], times, ends[1:]))
        equations = EQUATIONS(fun, given, knots, begin, True, method, options)
        return IvpResult(times, np.transpose(solution(fun, True, knots, begin, given, equations)), True, 0)
    fractions = STEPS(fun, given, start, end, begin, method, options)
    if method == "RK45":
        reached, slopes = _ended(fun, start, end, begin, given, fractions, WEIGHTS_45, TIMES_45, 6)
        polynomials = POLYNOMIALS_45
    elif method == "RK23":
        reached, slopes = _ended(fun, start, end, begin, given, fractions, WEIGHTS_23, TIMES_23, 3)
        polynomials = POLYNOMIALS_23
    elif method == "DOP853":
        reached, slopes = _ended(fun, start, end, begin, given, fractions, WEIGHTS_853, TIMES_853, 12)
        polynomials = POLYNOMIALS_853
    else:
        NO_METHOD()
    if t_eval is None:
        return IvpResult(start + fractions * (end - start), np.transpose(reached), True, 0)
    times = 1.0 * np.asarray(t_eval)
    return IvpResult(times, np.transpose(_between(reached, slopes, fractions, start, end, times, polynomials)), True, 0)
