"""Definitions of solvers of `scipy.optimize`: SciPy runs, and what its solution satisfies gives the derivatives.

The parameters are SciPy's. What a solver is told beyond the function, such as where to begin, has no influence on the
derivative: it says which solution is found.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np
import scipy.optimize

from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.theorems import NoRule, SolvedBy, Unsolved
from srcad.runtime.rules.scipy import fits
from srcad.runtime.rules.scipy.constrained_optima import (
    BOUNDED,
    BOUNDED_LEAST_SQUARES,
    CONSTRAINED,
    under_bounds,
    under_constraints,
)
from srcad.runtime.rules.scipy.written_out import define_by_text

__all__ = ["fits"]

RootResult = namedtuple("RootResult", ["x", "fun", "success"])
ScalarRoot = namedtuple("ScalarRoot", ["root", "converged"])
Minimum = namedtuple("Minimum", ["x", "fun", "success"])
LeastSquares = namedtuple("LeastSquares", ["x", "fun", "cost", "success"])

_VECTOR = "np.ravel(np.asarray(function(x{args})))"
_SECOND = "np.asarray(function({own}{args})[1])"
_FIRST = "np.ravel(np.asarray(function(x{args})[0]))"


def _run_root(function: Any, start: Any, method: str, jac: Any, tol: Any, options: Any) -> Any:
    return _solution(scipy.optimize.root(function, start, method=method, jac=jac, tol=tol, options=options))


def _solution(found: Any) -> Any:
    if not found.success:
        raise Unsolved(str(found.message))
    return found.x


def _run_scalar(function: Any, options: dict[str, Any]) -> float:
    try:
        found = scipy.optimize.root_scalar(function, **options)
    except (RuntimeError, ValueError) as problem:
        raise Unsolved(str(problem)) from None
    if not found.converged:
        raise Unsolved(f"the method stopped: {found.flag}")
    return float(found.root)


def _bracketing(name: str) -> SolvedBy:
    method = getattr(scipy.optimize, name)

    def run(function: Any, a: float, b: float, options: dict[str, Any]) -> float:
        try:
            return float(method(function, a, b, **options))
        except (RuntimeError, ValueError) as problem:
            raise Unsolved(str(problem)) from None

    run.__qualname__ = f"run_{name}"
    return SolvedBy(name, run, "root", kind="number")


def _run_newton(function: Any, start: Any, fprime: Any, fprime2: Any, x1: Any, options: dict[str, Any]) -> Any:
    try:
        found = scipy.optimize.newton(function, start, fprime, fprime2=fprime2, x1=x1, **options)
    except RuntimeError as problem:
        raise Unsolved(str(problem)) from None
    return found


def _run_fixed_point(function: Any, start: Any, xtol: float, maxiter: int, method: str) -> Any:
    try:
        return scipy.optimize.fixed_point(function, start, xtol=xtol, maxiter=maxiter, method=method)
    except RuntimeError as problem:
        raise Unsolved(str(problem)) from None


def _run_minimize(function: Any, start: Any, method: Any, jac: Any, hess: Any, tol: Any, options: Any) -> Any:
    found = scipy.optimize.minimize(function, start, method=method, jac=jac, hess=hess, tol=tol, options=options)
    return _solution(found)


def _run_minimize_scalar(function: Any, bracket: Any, bounds: Any, method: Any, tol: Any, options: Any) -> float:
    found = scipy.optimize.minimize_scalar(function, bracket, bounds, method=method, tol=tol, options=options)
    if not found.success:
        raise Unsolved(str(found.message))
    if bounds is not None and min(abs(found.x - each) for each in bounds) <= 1e-4 * abs(bounds[1] - bounds[0]):
        raise Unsolved(f"the minimum, {found.x}, lies on a bound, and not where the derivative vanishes")
    return float(found.x)


def _run_least_squares(function: Any, start: Any, jac: Any, options: dict[str, Any]) -> Any:
    return _solution(scipy.optimize.least_squares(function, start, jac, **options))


ROOT = SolvedBy("root", _run_root, "root", _VECTOR)
ROOT_OF_PAIR = SolvedBy("root", _run_root, "root", _FIRST, option=_SECOND)
ROOT_SCALAR = SolvedBy("root_scalar", _run_scalar, "root", kind="number")
NEWTON = SolvedBy("newton", _run_newton, "root", kind="like the first")
FIXED_POINT = SolvedBy("fixed_point", _run_fixed_point, "fixed point", kind="like the first")
MINIMIZE = SolvedBy("minimize", _run_minimize, "stationary point")
MINIMIZE_PAIR = SolvedBy("minimize", _run_minimize, "stationary point", "function(x{args})[0]", option=_SECOND)
MINIMIZE_SCALAR = SolvedBy("minimize_scalar", _run_minimize_scalar, "stationary point", kind="number")
LEAST_SQUARES = SolvedBy("least_squares", _run_least_squares, "least squares", _VECTOR)

NO_FULL_OUTPUT = NoRule("a root with `full_output`", "leave it out, or use root_scalar")
NO_CONSTRAINT_OBJECT = NoRule("LinearConstraint and NonlinearConstraint", "pass dictionaries with `type` and `fun`")
NO_PAIR = NoRule("`minimize` with `jac=True` and bounds or constraints", "pass functions for both")
NO_ARGUMENTS = NoRule("`minimize` with `args`, `jac` and constraints", "pass functions that capture the arguments")
NO_HESSIAN_PRODUCT = NoRule("`minimize` with `hessp`", "pass `hess`")
NO_HESSIAN_OF_PAIR = NoRule("`minimize` with `jac=True` and `hess`", "pass functions for both")
NO_LOSS = NoRule("`least_squares` with a loss other than linear", "minimize the sum of losses with `minimize`")
NO_KEYWORDS = NoRule("`least_squares` with `kwargs`", "pass `args`, or a function that captures them")


@define(scipy.optimize.root)
def root(fun, x0, args=(), method="hybr", jac=None, tol=None, callback=None, options=None):
    args = args if isinstance(args, tuple) else (args,)
    start = np.ravel(np.asarray(x0))
    if jac is True:
        x = ROOT_OF_PAIR(fun, args, start, method, fun, tol, options)
        return RootResult(x, fun(np.copy(x), *args)[0], True)
    x = ROOT(fun, args, start, method, None if jac is False else jac, tol, options)
    return RootResult(x, fun(np.copy(x), *args), True)


@define(scipy.optimize.root_scalar)
def root_scalar(
    f,
    args=(),
    method=None,
    bracket=None,
    fprime=None,
    fprime2=None,
    x0=None,
    x1=None,
    xtol=None,
    rtol=None,
    maxiter=None,
    options=None,
):
    args = args if isinstance(args, tuple) else (args,)
    given = {
        "method": method,
        "bracket": bracket,
        "fprime": fprime,
        "fprime2": fprime2,
        "x0": x0,
        "x1": x1,
        "xtol": xtol,
        "rtol": rtol,
        "maxiter": maxiter,
        "options": options,
    }
    return ScalarRoot(ROOT_SCALAR(f, args, given), True)


_BRACKETING = ("brentq", "brenth", "bisect", "ridder", "toms748")


def _define_bracketing(name: str) -> None:
    """Define a solver between two numbers; SciPy's have the same parameters, but for `k` of `toms748`."""
    own = ["k"] if name == "toms748" else []
    options = [*own, "xtol", "rtol", "maxiter"]
    head = f"f, a, b, args=(), {'k=1, ' * len(own)}xtol=2e-12, rtol=8.881784197001252e-16, maxiter=100"
    lines = [
        "if full_output:",
        "    NO_FULL_OUTPUT()",
        "args = args if isinstance(args, tuple) else (args,)",
        f"return SOLVED(f, args, a, b, {{{', '.join(f'{each!r}: {each}' for each in options)}}})",
    ]
    space = {"NO_FULL_OUTPUT": NO_FULL_OUTPUT, "SOLVED": _bracketing(name)}
    primitive = getattr(scipy.optimize, name)
    define_by_text(primitive, f"scipy.optimize.{name}", f"{head}, full_output=False, disp=True", lines, space)


for _name in _BRACKETING:
    _define_bracketing(_name)


@define(scipy.optimize.newton)
def newton(
    func,
    x0,
    fprime=None,
    args=(),
    tol=1.48e-08,
    maxiter=50,
    fprime2=None,
    x1=None,
    rtol=0.0,
    full_output=False,
    disp=True,
):
    if full_output:
        NO_FULL_OUTPUT()
    args = args if isinstance(args, tuple) else (args,)
    given = {"tol": tol, "maxiter": maxiter, "rtol": rtol}
    return NEWTON(func, args, x0, fprime, fprime2, x1, given)


@define(scipy.optimize.fixed_point)
def fixed_point(func, x0, args=(), xtol=1e-08, maxiter=500, method="del2"):
    args = args if isinstance(args, tuple) else (args,)
    return FIXED_POINT(func, args, x0, xtol, maxiter, method)


@inlined
class Box:
    """Bounds, as `scipy.optimize.Bounds` has them."""

    def __init__(self, lb, ub):
        self.lb = lb
        self.ub = ub


@define(scipy.optimize.Bounds)
def bounds_of(lb=-np.inf, ub=np.inf, keep_feasible=False):
    return Box(np.asarray(lb), np.asarray(ub))


@define(scipy.optimize.LinearConstraint)
def linear_constraint(A, lb=-np.inf, ub=np.inf, keep_feasible=False):
    return NO_CONSTRAINT_OBJECT()


@define(scipy.optimize.NonlinearConstraint)
def nonlinear_constraint(fun, lb, ub, jac="2-point", hess=None, keep_feasible=False, finite_diff_rel_step=None):
    return NO_CONSTRAINT_OBJECT()


@inlined
def _ends(bounds, start):
    if bounds is None:
        return np.full(start.shape[0], -np.inf), np.full(start.shape[0], np.inf)
    if isinstance(bounds, Box):
        return bounds.lb + np.zeros(start.shape[0]), bounds.ub + np.zeros(start.shape[0])
    lows = np.array([-np.inf if each[0] is None else 1.0 * each[0] for each in bounds])
    return lows, np.array([np.inf if each[1] is None else 1.0 * each[1] for each in bounds])


@inlined
def _row(constraint, x):
    if "args" in constraint:
        return np.atleast_1d(np.asarray(constraint["fun"](x, *constraint["args"])))
    return np.atleast_1d(np.asarray(constraint["fun"](x)))


@inlined
def _kinds(constraint, x):
    return np.full(_row(constraint, x).shape[0], 1.0 if constraint["type"] == "eq" else 0.0)


@inlined
def _within(fun, start, args, bounds, constraints, given):
    """The minimum under bounds and constraints."""
    if given["jac"] is True:
        NO_PAIR()
    lows, highs = _ends(bounds, start)
    objective = lambda x: fun(x, *args)  # noqa: E731 - inlined
    if len(constraints) == 0:
        return under_bounds(objective, lows, highs, BOUNDED(fun, args, start, lows, highs, given))
    if given["jac"] is not None and len(args) > 0:
        NO_ARGUMENTS()
    every = lambda x: np.concatenate([_row(each, x) for each in constraints])  # noqa: E731
    are_equations = np.concatenate([_kinds(each, start) for each in constraints])
    found = CONSTRAINED(objective, (), start, lows, highs, every, are_equations, given)
    return under_constraints(objective, every, lows, highs, found)


@define(scipy.optimize.minimize)
def minimize(
    fun,
    x0,
    args=(),
    method=None,
    jac=None,
    hess=None,
    hessp=None,
    bounds=None,
    constraints=(),
    tol=None,
    callback=None,
    options=None,
):
    if hessp is not None:
        NO_HESSIAN_PRODUCT()
    args = args if isinstance(args, tuple) else (args,)
    start = np.ravel(np.asarray(x0))
    each_constraint = constraints if isinstance(constraints, (tuple, list)) else (constraints,)
    if bounds is not None or len(each_constraint) > 0:
        given = {"method": method, "jac": jac, "hess": hess, "tol": tol, "options": options}
        x = _within(fun, start, args, bounds, each_constraint, given)
        return Minimum(x, fun(np.copy(x), *args), True)
    if jac is True:
        if hess is not None:
            raise NotImplementedError(
                "scipy.optimize.minimize has a derivative with `jac=True` where there is no `hess`"
            )
        x = MINIMIZE_PAIR(fun, args, start, method, fun, None, tol, options)
        return Minimum(x, fun(np.copy(x), *args)[0], True)
    x = MINIMIZE(fun, args, start, method, jac, hess, tol, options)
    return Minimum(x, fun(np.copy(x), *args), True)


@define(scipy.optimize.minimize_scalar)
def minimize_scalar(fun, bracket=None, bounds=None, args=(), method=None, tol=None, options=None):
    args = args if isinstance(args, tuple) else (args,)
    x = MINIMIZE_SCALAR(fun, args, bracket, bounds, method, tol, options)
    return Minimum(x, fun(x, *args), True)


@define(scipy.optimize.least_squares)
def least_squares(
    fun,
    x0,
    jac="2-point",
    bounds=None,
    method="trf",
    ftol=1e-8,
    xtol=1e-8,
    gtol=1e-8,
    x_scale=None,
    loss="linear",
    f_scale=1.0,
    diff_step=None,
    tr_solver=None,
    tr_options=None,
    jac_sparsity=None,
    max_nfev=None,
    verbose=0,
    args=(),
    kwargs=None,
):
    if loss != "linear":
        NO_LOSS()
    if kwargs is not None:
        NO_KEYWORDS()
    args = args if isinstance(args, tuple) else (args,)
    given = {"method": method, "ftol": ftol, "xtol": xtol, "gtol": gtol, "max_nfev": max_nfev, "diff_step": diff_step}
    if x_scale is not None:
        given["x_scale"] = x_scale
    start = np.ravel(np.asarray(x0))
    if bounds is None:
        x = LEAST_SQUARES(fun, args, start, jac, given)
    else:
        ends = (bounds.lb, bounds.ub) if isinstance(bounds, Box) else bounds
        lows, highs = ends[0] + np.zeros(start.shape[0]), ends[1] + np.zeros(start.shape[0])
        found = BOUNDED_LEAST_SQUARES(fun, args, start, jac, lows, highs, given)
        cost = lambda x: 0.5 * np.sum(np.ravel(np.asarray(fun(x, *args))) ** 2)  # noqa: E731 - inlined
        x = under_bounds(cost, lows, highs, found)
    residuals = np.ravel(np.asarray(fun(np.copy(x), *args)))
    return LeastSquares(x, residuals, 0.5 * np.sum(residuals * residuals), True)
