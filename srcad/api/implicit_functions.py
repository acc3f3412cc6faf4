"""`srcad.implicit`: solvers of the user's own, differentiated by the implicit function theorem."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from srcad.api.custom_rules import CustomRule
from srcad.errors import BadArgument
from srcad.frontend.load_source import name_of, signature_of


class ImplicitFunction(CustomRule):
    """What `srcad.implicit(residual)` makes of a solver. `starts`: its first argument says where it begins."""

    _decorator, _giving = "implicit", "srcad.implicit(residual)"

    def __init__(self, residual: Callable[..., Any], solver: Callable[..., Any]) -> None:
        super().__init__(solver)
        self.residual = residual
        needed, given = _count(residual), len(self.__signature__.parameters)
        if needed not in (given, given + 1):
            raise BadArgument(
                f"the residual `{name_of(residual)}` has {needed} parameters, and the solver `{self.__name__}` {given}",
                hint="write `residual(x, *parameters)`, and `solver(*parameters)` or `solver(start, *parameters)`",
            )
        self.starts = needed == given
        self._state("implicit", (residual,))


def _count(function: Callable[..., Any]) -> int:
    kinds = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    found = signature_of(function).parameters.values()
    if any(each.kind in kinds for each in found):
        raise BadArgument(
            f"the residual `{name_of(function)}` takes any number of arguments", hint="name its parameters"
        )
    return len(found)


def implicit(residual: Callable[..., Any]) -> Callable[[Callable[..., Any]], ImplicitFunction]:
    """Differentiate a solver by what its solution satisfies, `residual(x, *parameters) == 0`. Usable as a decorator.

    The solver gets the parameters, `solver(*parameters)`, or these after a starting point, `solver(start,
    *parameters)`, by which there is no derivative. It may do what it likes, and returns the solution `x`: a number, an
    array, or a tuple, list or dictionary of these. The residual has as many elements as `x`; it must be a function that
    srcad can differentiate and Numba can compile. Parameters may be numbers, arrays and structures of them.

    By the implicit function theorem the derivative is the solution of a linear system with the Jacobian of the
    residual, which srcad generates, at `x`. It is as exact as `x` is. Both modes and all orders of derivatives work.
    Raises NoSolution where the Jacobian is singular, and BadArgument if residual and solver do not fit.

    >>> import numpy as np, srcad
    >>> @srcad.implicit(lambda x, a: np.cos(x) - a * x)
    ... def fixed(a):
    ...     x = 1.0
    ...     for _ in range(20):
    ...         x = x - (np.cos(x) - a * x) / (-np.sin(x) - a)
    ...     return x
    >>> round(srcad.grad(fixed, jit=False)(1.0), 12), round(float(-fixed(1.0) / (1.0 + np.sin(fixed(1.0)))), 12)
    (-0.441610791705, -0.441610791705)

    Griewank and Walther, Evaluating Derivatives, 2nd edition, 2008, chapter 15.
    """

    def decorate(solver: Callable[..., Any]) -> ImplicitFunction:
        return ImplicitFunction(residual, solver)

    return decorate
