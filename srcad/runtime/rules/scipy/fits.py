"""Fits in `scipy.optimize` that have more to them than a minimum: `curve_fit`, `nnls`, `lsq_linear`.

The parameters that `curve_fit` finds are a solution of least squares. Its covariance is given, but has no derivative.
Least squares under bounds that are linear have a closed form once it is known which bounds are active.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.optimize

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined, partial, refused, zero
from srcad.runtime.rulebook.theorems import NoRule, SolvedBy, Unsolved
from srcad.runtime.rules.scipy.constrained_optima import BOUNDED_LEAST_SQUARES, under_bounds

LinearFit = namedtuple("LinearFit", ["x", "fun", "cost", "success"])


def _run_curve_fit(function: Callable[..., Any], start: Any, method: str, given: dict[str, Any]) -> Any:
    """The parameters that SciPy finds, and the inverse of the product of the Jacobian with itself, in a row."""
    if method == "lm":
        found, inverse, told, message, kind = scipy.optimize.leastsq(function, start, full_output=True, **given)
        if kind not in (1, 2, 3, 4):
            raise Unsolved(str(message))
        inverse = np.full((len(found),) * 2, np.inf) if inverse is None else inverse
        return np.concatenate([found, np.ravel(inverse), [np.sum(told["fvec"] ** 2)]])
    solved = scipy.optimize.least_squares(function, start, method=method, **given)
    if not solved.success:
        raise Unsolved(str(solved.message))
    return np.concatenate([solved.x, np.ravel(np.linalg.pinv(solved.jac.T @ solved.jac)), [2.0 * solved.cost]])


def _as_it_is(function: Callable[..., Any], solution: Any) -> Any:
    return solution


def _run_fsolve(function: Callable[..., Any], start: Any, fprime: Any, given: dict[str, Any]) -> Any:
    found, _, kind, message = scipy.optimize.fsolve(function, start, fprime=fprime, full_output=True, **given)
    if kind != 1:
        raise Unsolved(str(message))
    return found


FSOLVE = SolvedBy("fsolve", _run_fsolve, "root", "np.ravel(np.asarray(function(x{args})))")
RUN_CURVE_FIT = SolvedBy("curve_fit", _run_curve_fit, None, "np.ravel(np.asarray(function(x{args})))")
CURVE_FIT = SolvedBy("curve_fit", _as_it_is, "least squares", "np.ravel(np.asarray(function(x{args})))")
NO_FULL_OUTPUT = NoRule("fsolve with `full_output` or `col_deriv`", "use `root`")
NO_START = NoRule("curve_fit without `p0`", "pass the parameters that it begins with")
NO_FIT_OPTION = NoRule("curve_fit with `full_output` or `nan_policy`", "leave it out")
NO_LINEAR_PROGRAM = NoRule(
    "linprog",
    "its solution is a corner: solve the equations that hold there with np.linalg.solve, or use `minimize`",
)


@define(scipy.optimize.curve_fit)
def curve_fit(
    f,
    xdata,
    ydata,
    p0=None,
    sigma=None,
    absolute_sigma=False,
    check_finite=None,
    bounds=None,
    method=None,
    jac=None,
    *,
    full_output=False,
    nan_policy=None,
    **kwargs,
):
    if p0 is None:
        NO_START()
    if full_output or nan_policy is not None:
        NO_FIT_OPTION()
    start = 1.0 * np.atleast_1d(np.asarray(p0))
    y = np.ravel(np.asarray(ydata))
    if sigma is not None and np.ndim(sigma) == 2:
        raise NotImplementedError("scipy.optimize.curve_fit has a derivative with a vector as `sigma`")
    weights = np.ones(y.shape[0]) if sigma is None else 1.0 / np.asarray(sigma)
    residuals = lambda p: weights * (np.ravel(np.asarray(f(xdata, *p))) - y)  # noqa: E731 - inlined
    n = start.shape[0]
    if bounds is None:
        held = RUN_CURVE_FIT(residuals, (), start, "lm" if method is None else method, kwargs)
        found = CURVE_FIT(residuals, (), held[:n].copy())
        rest = held[n:]
    else:
        lows, highs = bounds[0] + np.zeros(n), bounds[1] + np.zeros(n)
        given = {"method": "trf" if method is None else method, **kwargs}
        held = BOUNDED_LEAST_SQUARES(residuals, (), start, "2-point", lows, highs, given)
        found = under_bounds(lambda p: 0.5 * np.sum(residuals(p) ** 2), lows, highs, held)
        rest = held[3 * n :]
    freedom = 1.0 if absolute_sigma else rest[n * n] / (y.shape[0] - n)
    covariance = freedom * np.reshape(rest[: n * n].copy(), (n, n))
    return found, kernels.scipy.without_derivative(covariance, found)


@inlined
def _least_squares_with(a, b, free, bound):
    """The least squares solution in which some elements are free, and the others lie on a bound."""
    held = (1.0 - free) * bound
    rows = np.concatenate((a * free, np.diag(1.0 - free)))
    right = np.concatenate((b - np.dot(a, held), held))
    return np.linalg.lstsq(rows, right)[0]


@partial(kernels.scipy.without_derivative)
def without_derivative(y, value, of):
    return refused, refused


@define(scipy.optimize.fsolve)
def fsolve(
    func, x0, args=(), fprime=None, full_output=0, col_deriv=0, xtol=1.49012e-08, maxfev=0, band=None, epsfcn=None,
    factor=100, diag=None
):  # fmt: skip
    if full_output or col_deriv:
        NO_FULL_OUTPUT()
    given = args if isinstance(args, tuple) else (args,)
    options = {"xtol": xtol, "maxfev": maxfev, "band": band, "epsfcn": epsfcn, "factor": factor}
    return FSOLVE(func, given, 1.0 * np.atleast_1d(np.asarray(x0)), fprime, options)


zero(kernels.scipy.positive_set, kernels.scipy.active_bounds)


@define(scipy.optimize.nnls)
def nnls(A, b, *, maxiter=None, atol=None):
    x = _least_squares_with(A, b, kernels.scipy.positive_set(A, b), np.zeros(A.shape[1]))
    rest = np.dot(A, x) - b
    return x, np.sqrt(np.sum(rest * rest))


@define(scipy.optimize.lsq_linear)
def lsq_linear(A, b, bounds=None, **options):
    if bounds is None:
        x = np.linalg.lstsq(A, b)[0]
    else:
        lows, highs = bounds[0] + np.zeros(A.shape[1]), bounds[1] + np.zeros(A.shape[1])
        sides = kernels.scipy.active_bounds(A, b, lows, highs)
        bound = np.where(sides < 0.0, lows, np.where(sides > 0.0, highs, 0.0))
        x = _least_squares_with(A, b, np.where(sides == 0.0, 1.0, 0.0), bound)
    rest = np.dot(A, x) - b
    return LinearFit(x, rest, 0.5 * np.sum(rest * rest), True)


@define(scipy.optimize.linprog)
def linprog(c, A_ub=None, b_ub=None, A_eq=None, b_eq=None, bounds=None, method=None, **options):
    NO_LINEAR_PROGRAM()
    return c
