"""Initial value problems by implicit methods in `scipy.integrate`: `odeint`, and what `solve_ivp` calls for its own.

SciPy runs first: its values are the result, and its Radau method, with the same tolerances, chooses steps. On these
steps the solution satisfies the equations of a collocation method (Radau IIA of order 5, three stages), which are
differentiated by the implicit function theorem, step after step: Newton's method starts at their solution, with the
inverse of their Jacobian as a constant matrix. Each iteration makes one further order of derivatives exact, so that
three give derivatives up to the third order. A derivative differs from that of the exact solution by about the
tolerance, as the result does.

    z = z - inverse @ (z - h * A @ f(t + c * h, y + z))         and again, and again

E. Hairer and G. Wanner, Solving Ordinary Differential Equations II, Springer 1996, sections IV.5 and IV.8.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.integrate

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule, SolvedBy, Unsolved

_ROOT = 6.0**0.5
STAGES = np.array([(4.0 - _ROOT) / 10.0, (4.0 + _ROOT) / 10.0, 1.0])
WEIGHTS = np.array(
    [
        [(88.0 - 7.0 * _ROOT) / 360.0, (296.0 - 169.0 * _ROOT) / 1800.0, (-2.0 + 3.0 * _ROOT) / 225.0],
        [(296.0 + 169.0 * _ROOT) / 1800.0, (88.0 + 7.0 * _ROOT) / 360.0, (-2.0 - 3.0 * _ROOT) / 225.0],
        [(16.0 - _ROOT) / 36.0, (16.0 + _ROOT) / 36.0, 1.0 / 9.0],
    ]
)
_MOST_ITERATIONS = 12
_DIFFERENCE = np.finfo(float).eps ** (1.0 / 3.0)


def collocated(function: Callable[..., Any], knots: Any, y0: Any, values: Any, at: Any, tolerances: Any) -> Any:
    """The equations of all steps, solved, in one vector, for `solution`; `values` are SciPy's at the times `at`."""
    grid, dense = _grid(function, knots, y0, at, tolerances)
    starts, inverses, ends = [], [], [np.asarray(y0, float)]
    for low, high in itertools.pairwise(grid):
        guess = dense(low + STAGES * (high - low)).T - dense(low)
        z, inverse = _step(function, low, high - low, ends[-1], guess)
        starts.append(np.ravel(z))
        inverses.append(np.ravel(inverse))
        ends.append(ends[-1] + z[-1])
    places = np.array([np.argmin(np.abs(grid - time)) for time in at], int)
    apart = np.asarray(values) - np.array(ends)[places]
    parts = [_steps(grid, knots), starts, inverses, places, apart]
    flat = [np.ravel(np.asarray(each, float)) for each in parts]
    return np.concatenate([[len(grid) - 1.0, float(len(places))], *flat])


def _grid(function: Callable[..., Any], knots: Any, y0: Any, at: Any, tolerances: Any) -> Any:
    """The times of the steps, all knots among them, and an approximate solution as a function of time."""
    if knots[0] == knots[-1]:
        return np.array([knots[0]]), None
    found = scipy.integrate.solve_ivp(
        function, (knots[0], knots[-1]), y0, method="Radau", dense_output=True, **tolerances
    )
    if not found.success:
        raise Unsolved(str(found.message))
    grid = np.unique(np.concatenate([found.t, knots, at]))
    return (grid if knots[-1] > knots[0] else grid[::-1]), found.sol


def _step(function: Callable[..., Any], t: float, h: float, y: Any, z: Any) -> tuple[Any, Any]:
    """The solution of the equations of a step, and the inverse of their Jacobian there."""
    size = len(y)
    inverse = _inverse(function, t, h, y, z)
    before = np.inf
    for k in range(_MOST_ITERATIONS):
        slopes = np.array([function(t + c * h, y + each) for c, each in zip(STAGES, z, strict=True)]).reshape(3, size)
        change = (inverse @ np.ravel(z - h * (WEIGHTS @ slopes))).reshape(3, size)
        z = z - change
        length = np.max(np.abs(change) / (1e-6 + np.abs(y) + np.abs(z)), initial=0.0)
        if length < 1e-13 or (length < 1e-9 and length > 0.5 * before):
            return z, _inverse(function, t, h, y, z)
        if k == 3:
            inverse = _inverse(function, t, h, y, z)
        before = length
    raise Unsolved(f"the equations of the step at {t} could not be solved for the derivative")


def _inverse(function: Callable[..., Any], t: float, h: float, y: Any, z: Any) -> Any:
    """The inverse of the Jacobian of the equations of a step."""
    size = len(y)
    slopes = [_jacobian(function, t + c * h, y + each) for c, each in zip(STAGES, z, strict=True)]
    whole = np.eye(3 * size) - h * np.block([[WEIGHTS[s, j] * slopes[j] for j in range(3)] for s in range(3)])
    if not np.all(np.isfinite(whole)):
        raise Unsolved(f"the right-hand side is not finite near t = {t}")
    return np.linalg.inv(whole)


def _jacobian(function: Callable[..., Any], t: float, y: Any) -> Any:
    """The Jacobian of the right-hand side, by central differences: it only speeds up what is iterated."""
    columns = []
    for k in range(len(y)):
        step = _DIFFERENCE * max(abs(y[k]), 1e-3)
        up, down = y.copy(), y.copy()
        up[k] += step
        down[k] -= step
        columns.append((np.asarray(function(t, up)) - np.asarray(function(t, down))) / (up[k] - down[k]))
    return np.array(columns).T.reshape(len(y), len(y))


def _steps(grid: Any, knots: Any) -> list[list[float]]:
    """Of each step the interval between knots, and its ends as fractions of it."""
    found = []
    way = 1.0 if knots[-1] >= knots[0] else -1.0
    for low, high in itertools.pairwise(grid):
        place = int(np.searchsorted(way * np.asarray(knots), way * low, side="right")) - 1
        place = min(place, len(knots) - 2)
        start, span = knots[place], knots[place + 1] - knots[place]
        found.append([float(place), (low - start) / span, (high - start) / span])
    return found


@inlined
def solution(fun, is_time_first, knots, y0, args, found):
    """The solution at the places that are asked for."""
    steps, places, size = int(found[0]), int(found[1]), y0.shape[0]
    at_starts = 2 + 3 * steps
    at_inverses = at_starts + 3 * size * steps
    at_places = at_inverses + 9 * size * size * steps
    ends = np.zeros((steps + 1, size))
    ends[0] = y0
    for i in range(steps):
        place = int(found[2 + 3 * i])
        span = knots[place + 1] - knots[place]
        t = knots[place] + found[3 + 3 * i] * span
        h = (found[4 + 3 * i] - found[3 + 3 * i]) * span
        y = ends[i].copy()
        z = found[at_starts + 3 * size * i : at_starts + 3 * size * (i + 1)].copy()
        whole = found[at_inverses + 9 * size * size * i : at_inverses + 9 * size * size * (i + 1)]
        inverse = np.reshape(whole, (3 * size, 3 * size))
        for _ in range(3):
            slopes = np.zeros((3, size))
            for s in range(3):
                reached = y + z[s * size : (s + 1) * size]
                if is_time_first:
                    slopes[s] = np.asarray(fun(t + STAGES[s] * h, reached, *args))
                else:
                    slopes[s] = np.asarray(fun(reached, t + STAGES[s] * h, *args))
            z = z - np.dot(inverse, z - h * np.ravel(np.dot(WEIGHTS, slopes)))
        ends[i + 1] = y + z[2 * size :]
    chosen = np.zeros((places, size))
    for k in range(places):
        at = at_places + places + k * size
        chosen[k] = ends[int(found[at_places + k])] + found[at : at + size]
    return chosen


@inlined
def step_times(ends, found, y0):
    """The times at the places that are asked for, in one interval."""
    steps, places, size = int(found[0]), int(found[1]), y0.shape[0]
    at_places = 2 + 3 * steps + (3 * size + 9 * size * size) * steps
    times = np.zeros(places)
    for k in range(places):
        place = int(found[at_places + k])
        fraction = 0.0 if place == 0 else found[4 + 3 * (place - 1)]
        times[k] = ends[0] + fraction * (ends[1] - ends[0])
    return times


def _run_odeint(function: Callable[..., Any], knots: Any, y0: Any, options: dict[str, Any]) -> Any:
    given = {name: each for name, each in options.items() if each is not None}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scipy.integrate.ODEintWarning)  # an error says what it warns of
        values, told = scipy.integrate.odeint(function, y0, knots, tfirst=True, full_output=True, **given)
    if told["message"] != "Integration successful.":
        raise Unsolved(told["message"])
    tolerances = {name: given.get(name, 1.49012e-8) for name in ("rtol", "atol")}
    return collocated(function, knots, y0, values, knots, tolerances)


ODEINT = SolvedBy("odeint", _run_odeint, None, "np.asarray(function(y, t{args}))", ("t", "y"))
ODEINT_OF_TIME = SolvedBy("odeint", _run_odeint, None, "np.asarray(function(t, y{args}))", ("t", "y"))
NO_FULL_OUTPUT = NoRule("odeint with `full_output`", "leave it out: a solver that fails is an error")


@define(scipy.integrate.odeint)
def odeint(
    func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None, rtol=None, atol=None, tcrit=None,
    h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0, mxhnil=0, mxordn=12, mxords=5, printmessg=0, tfirst=False
):  # fmt: skip
    if full_output:
        NO_FULL_OUTPUT()
    given = args if isinstance(args, tuple) else (args,)
    knots = 1.0 * np.asarray(t)
    begin = 1.0 * np.atleast_1d(np.asarray(y0))
    options = {
        "rtol": rtol,
        "atol": atol,
        "tcrit": tcrit,
        "h0": h0,
        "hmax": hmax,
        "hmin": hmin,
        "mxstep": mxstep,
        "mxordn": mxordn,
        "mxords": mxords,
    }
    if tfirst:
        return solution(func, True, knots, begin, given, ODEINT_OF_TIME(func, given, knots, begin, options))
    return solution(func, False, knots, begin, given, ODEINT(func, given, knots, begin, options))
