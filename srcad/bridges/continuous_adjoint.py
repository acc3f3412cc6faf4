"""Initial value problems, differentiated by the continuous adjoint: the adjoint equation is solved backwards in time.

For dy/dt = f(t, y, p) and a function of y at some times, a(t), its derivative by y(t), satisfies da/dt = -a df/dy and
grows at each of these times by the derivative by y there; the derivative by p is the integral of a df/dp. Memory does
not grow with the number of steps, and the two solutions have steps of their own: the derivative is that of the exact
solution up to the tolerance, not that of the computed numbers.

L. S. Pontryagin et al., The Mathematical Theory of Optimal Processes, Wiley 1962; Y. Cao, S. Li, L. Petzold and
R. Serban, Adjoint sensitivity analysis for differential-algebraic equations, SIAM J. Sci. Comput. 24(3), 2003.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from srcad.api.compiled_function import function_of
from srcad.api.custom_rules import custom_vjp
from srcad.api.grad_vjp_jvp import vjp
from srcad.errors import BadArgument, NoSolution
from srcad.runtime.stop_gradient import stop_gradient


def continuous_adjoint(
    f: Callable[..., Any], method: str = "RK45", *, rtol: float = 1e-8, atol: float = 1e-10, jit: bool = True
) -> Callable[..., Any]:
    """A function `solve(y0, times, p)` that solves dy/dt = f(t, y, p), and is differentiated by the continuous adjoint.

    f       the right-hand side: of the time, of `y`, a vector, and of `p`; it returns a vector or a list
    method  of `scipy.integrate.solve_ivp`, for both directions
    rtol, atol  the tolerances, for both directions
    jit     False runs the derivatives of `f` as plain Python

    `solve` takes the vector `y0` at `times[0]`, times that increase or decrease, and `p`, a number or an array of
    floats. It returns `y` at the times, of shape (len(times), len(y0)), and has derivatives by all three,
    in reverse mode, once. The error of the derivatives is about the tolerance. It is larger where solutions converge
    much as time goes on, since the solution is kept at the times only, and is solved again backwards between them.

    >>> from srcad import grad
    >>> def decay(t, y, rate):
    ...     return -rate * y
    >>> solve = continuous_adjoint(decay, jit=False)
    >>> def last(rate):
    ...     return solve(np.array([2.0]), np.array([0.0, 1.0]), rate)[1, 0]
    >>> print(round(grad(last, jit=False)(0.5), 6), round(-2.0 * np.exp(-0.5), 6))
    -1.213061 -1.213061

    Raises NoSolution if SciPy reports that it has not reached the end.
    """
    run, how = function_of(f, jit), {"method": method, "rtol": rtol, "atol": atol}

    def slope(t: float, y: Any, p: Any) -> Any:
        return np.asarray(run(t, np.array(y), p), np.float64)

    def solve(y0: Any, times: Any, p: Any) -> Any:
        _check_times(times)
        start = np.array(y0, np.float64)
        return _solved(lambda t, y: slope(t, y, p), start, (times[0], times[-1]), times, how).T

    def forward(y0: Any, times: Any, p: Any) -> tuple[Any, Any]:
        found = solve(stop_gradient(y0), stop_gradient(times), stop_gradient(p))  # the rule says how it depends on them
        return found, (found, times, p)

    def backward(kept: Any, bars: Any) -> tuple[Any, Any, Any]:
        found, times, p = kept
        by_start, by_times, by_p = pulled_back(found, times, p, bars)
        return by_start, by_times, by_p

    def pulled_back(found: Any, times: Any, p: Any, bars: Any) -> tuple[Any, Any, Any]:
        slopes = [slope(t, y, p) for t, y in zip(times, found, strict=True)]
        return _pulled_back(functools.partial(_pulled, f, p, jit), slopes, (found, times, np.shape(p)), bars, how)

    solver = custom_vjp(solve)
    solver.defvjp(forward, backward)
    made: Callable[..., Any] = solver
    return made


def _pulled(f: Callable[..., Any], p: Any, jit: bool, t: float, state: Any) -> Any:
    """The right-hand side of the equations for the solution, its adjoint, and the derivative by the parameters."""
    size = (len(state) - np.size(p)) // 2
    value, pullback = vjp(f, t, np.array(state[:size]), p, wrt=(1, 2), jit=jit)
    by_y, by_p = pullback(_like(value, -state[size : 2 * size]))
    return np.concatenate((np.asarray(value, np.float64), np.asarray(by_y), np.ravel(by_p)))


def _pulled_back(
    pulled: Callable[..., Any], slopes: list[Any], known: tuple[Any, Any, Any], bars: Any, how: dict[str, Any]
) -> tuple[Any, Any, Any]:
    """The derivatives by the start, the times and the parameters, from those by the solution at the times."""
    found, times, shape = known
    size, last = found.shape[1], len(times) - 1
    a, by_p, by_times = np.array(bars[last]), np.zeros(int(np.prod(shape))), np.zeros(len(times))
    for k in range(last, 0, -1):
        by_times[k] = bars[k] @ slopes[k]
        state = np.concatenate((found[k], a, by_p))
        state = _solved(pulled, state, (times[k], times[k - 1]), None, how)[:, -1]
        a, by_p = state[size : 2 * size], state[2 * size :]
        if k == 1:
            by_times[0] = -a @ slopes[0]
        a = a + bars[k - 1]
    return a, by_times, np.reshape(by_p, shape)[()]


def _check_times(times: Any) -> None:
    """Raise BadArgument unless these are times of which each is later than the one before, or each earlier."""
    steps = np.diff(times)
    if np.ndim(times) != 1 or len(times) < 2 or not (np.all(steps > 0.0) or np.all(steps < 0.0)):
        raise BadArgument(
            "the times are not those of a solution",
            hint="give a vector of two times or more, which increase or decrease",
        )


def _solved(slope: Callable[..., Any], start: Any, span: Any, times: Any, how: dict[str, Any]) -> Any:
    """The solution, of which each column is at one time."""
    from scipy.integrate import solve_ivp

    found = solve_ivp(slope, span, start, t_eval=times, **how)
    if not found.success:
        raise NoSolution(f"solve_ivp has not reached the end: {found.message}")
    return found.y


def _like(value: Any, vector: Any) -> Any:
    """The vector in the form of what the right-hand side returns: an array, a list or a tuple."""
    return vector if isinstance(value, np.ndarray) else type(value)(vector.tolist())
