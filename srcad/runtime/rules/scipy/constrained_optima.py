"""Minima under bounds and constraints: the conditions of Karush, Kuhn and Tucker, differentiated.

SciPy runs first. What holds with equality at its solution (the active set) goes on to hold near it, as long as no
multiplier vanishes: then the solution is a stationary point of the Lagrange function

    f(x) - sum over active constraints of multiplier * constraint(x)

by x and the multipliers together, to which the implicit function theorem applies. A solution at which a constraint
holds with equality by chance, without a multiplier, has no derivative, and is refused.

A. V. Fiacco, Introduction to Sensitivity and Stability Analysis in Nonlinear Programming, Academic Press 1983.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from srcad.runtime.rulebook.registry import inlined
from srcad.runtime.rulebook.theorems import SolvedBy, Unsolved

_NEAR = 1e-5  # how far from a bound, relative to what is of its order, a solution may lie that is on it
_DIFFERENCE = np.finfo(float).eps ** (1.0 / 3.0)


def active_set(function: Callable[..., Any], x: Any, lows: Any, highs: Any, constraint: Any, is_equation: Any) -> Any:
    """The solution, its multipliers, and which bounds and constraints are active (-1 low, 1 high, 0 not), in a row."""
    slope = _slopes(function, x)
    slopes = _slopes(constraint, x) if len(is_equation) else np.zeros((0, len(x)))
    apart = np.minimum(np.abs(x - lows), np.abs(highs - x))
    near = apart <= _NEAR * (1.0 + np.abs(x))
    sides = np.where(near, np.where(np.abs(x - lows) <= np.abs(highs - x), -1.0, 1.0), 0.0)
    values = np.ravel(np.asarray(constraint(x), float)) if len(is_equation) else np.zeros(0)
    tight = is_equation | (np.abs(values) <= _NEAR)
    rows = np.concatenate([np.eye(len(x))[sides != 0.0], slopes[tight]])
    found = np.linalg.lstsq(rows.T, np.ravel(slope), rcond=None)[0]
    rest = np.max(np.abs(np.ravel(slope) - found @ rows), initial=0.0)
    size = 1.0 + abs(float(np.ravel(function(x))[0]))
    if rest > 1e-3 * max(size, np.max(np.abs(slope), initial=0.0)):
        raise Unsolved(f"the point {x} does not satisfy the conditions of a minimum: a slope of {rest:.2g} remains")
    of_bounds, of_constraints = np.zeros(len(x)), np.zeros(len(is_equation))
    of_bounds[sides != 0.0] = found[: np.sum(sides != 0.0)]
    of_constraints[tight] = found[np.sum(sides != 0.0) :]
    # At a lower bound the function grows with x, at an upper one it falls; a constraint is held up by a positive one.
    signed = np.concatenate([-sides * of_bounds, of_constraints])
    may_leave = np.concatenate([sides != 0.0, tight & ~is_equation])
    if np.any(may_leave & (np.abs(signed) <= 1e-5 * size)):
        raise Unsolved(f"at {x} a bound or a constraint holds with equality without being needed: the slopes differ")
    if np.any(may_leave & (signed < 0.0)):
        raise Unsolved(f"the point {x} is no minimum: it would leave a bound or a constraint")
    return np.concatenate([x, of_bounds, of_constraints, sides, tight.astype(float)])


def _slopes(function: Callable[..., Any], x: Any) -> Any:
    """The derivatives of a function, by central differences, as rows."""
    columns = []
    for k in range(len(x)):
        step = _DIFFERENCE * max(1.0, abs(x[k])) * (np.arange(len(x)) == k)
        up, down = np.ravel(function(x + step)), np.ravel(function(x - step))
        columns.append((np.asarray(up, float) - np.asarray(down, float)) / (2.0 * step[k]))
    return np.array(columns).T


def _nothing(x: Any) -> Any:
    return np.zeros(0)


def _run_bounded(function: Callable[..., Any], start: Any, lows: Any, highs: Any, given: dict[str, Any]) -> Any:
    bounds = scipy.optimize.Bounds(lows, highs)
    found = scipy.optimize.minimize(function, start, bounds=bounds, **given)
    if not found.success:
        raise Unsolved(str(found.message))
    return active_set(function, found.x, lows, highs, _nothing, np.zeros(0, bool))


def _run_constrained(
    function: Callable[..., Any],
    start: Any,
    lows: Any,
    highs: Any,
    constraint: Callable[..., Any],
    are_equations: Any,
    given: dict[str, Any],
) -> Any:
    is_equation = are_equations == 1.0
    constraints = [
        {"type": kind, "fun": lambda x, rows=rows: constraint(x)[rows]}
        for kind, rows in (("eq", is_equation), ("ineq", ~is_equation))
        if np.any(rows)
    ]
    bounds = scipy.optimize.Bounds(lows, highs) if np.any(np.isfinite(lows) | np.isfinite(highs)) else None
    found = scipy.optimize.minimize(function, start, bounds=bounds, constraints=constraints, **given)
    if not found.success:
        raise Unsolved(str(found.message))
    return active_set(function, found.x, lows, highs, constraint, is_equation)


def _run_bounded_least_squares(
    function: Callable[..., Any], start: Any, jac: Any, lows: Any, highs: Any, given: dict[str, Any]
) -> Any:
    """What `active_set` gives, then the inverse of the product of the Jacobian with itself, and the sum of squares."""
    found = scipy.optimize.least_squares(function, start, jac, bounds=(lows, highs), **given)
    if not found.success:
        raise Unsolved(str(found.message))

    def cost(x: Any) -> float:
        residuals = np.ravel(function(x))
        return 0.5 * float(residuals @ residuals)

    active = active_set(cost, found.x, lows, highs, _nothing, np.zeros(0, bool))
    return np.concatenate([active, np.ravel(np.linalg.pinv(found.jac.T @ found.jac)), [2.0 * found.cost]])


def _as_it_is(function: Callable[..., Any], solution: Any) -> Any:
    return solution


BOUNDED = SolvedBy("minimize", _run_bounded, None)
CONSTRAINED = SolvedBy("minimize", _run_constrained, None, "function(x{args})", option="function({own})")
BOUNDED_LEAST_SQUARES = SolvedBy(
    "least_squares", _run_bounded_least_squares, None, "np.ravel(np.asarray(function(x{args})))"
)
CONDITIONS = SolvedBy("minimize", _as_it_is, "stationary point")


@inlined
def under_bounds(objective, lows, highs, found):
    """The solution of a problem with bounds, of which SciPy's solution and its active set are known."""
    n = lows.shape[0]
    sides = found[2 * n : 3 * n]
    bound = np.where(sides < 0.0, lows, np.where(sides > 0.0, highs, 0.0))

    def lagrangian(v):
        x, multipliers = v[:n].copy(), v[n:]
        held = np.where(sides == 0.0, 0.5 * multipliers, v[:n] - bound)
        return objective(x) - np.sum(multipliers * held)

    return CONDITIONS(lagrangian, (), found[: 2 * n].copy())[:n]


@inlined
def under_constraints(objective, constraint, lows, highs, found):
    """The same with constraints, of which `constraint` gives the values."""
    n = lows.shape[0]
    count = (found.shape[0] - 3 * n) // 2
    sides, tight = found[2 * n + count : 3 * n + count], found[3 * n + count :]
    bound = np.where(sides < 0.0, lows, np.where(sides > 0.0, highs, 0.0))

    def lagrangian(v):
        x, multipliers = v[:n].copy(), v[n:]
        held = np.where(sides == 0.0, 0.5 * multipliers[:n], v[:n] - bound)
        values = np.where(tight == 0.0, 0.5 * multipliers[n:], constraint(v[:n].copy()))
        return objective(x) - np.sum(multipliers[:n] * held) - np.sum(multipliers[n:] * values)

    return CONDITIONS(lagrangian, (), found[: 2 * n + count].copy())[:n]
