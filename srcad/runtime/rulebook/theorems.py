"""`SolvedBy`: what a definition calls for a value that a library computes, and whose derivative a theorem gives.

    ROOT = SolvedBy("root", run_root, "root")

    @define(scipy.optimize.root)
    def root(fun, x0, args=(), method="hybr", ...):
        x = ROOT(fun, args, start, method, ...)

The library runs as it is, in Python; `run` calls it. Its value `x` satisfies `residual(x, *args) == 0`, and the
implicit function theorem gives the derivatives: iterations are never differentiated. What `fun` reads from around it
counts as its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

# What vanishes at the solution, in terms of the function f that the solver is given.
Theorem = Literal["root", "fixed point", "stationary point", "least squares"]


@dataclass(frozen=True, eq=False)
class SolvedBy:
    """A solver, by what its solution satisfies.

    name      the function of the library, for messages
    run       `run(function, *given)` calls the library, and returns the solution: an array, or a number
    theorem   what the solution satisfies; None: it has no derivative
    called    what the solver calls, an expression of `function` and the arguments of the user's function
    leading   the arguments that the solver gives to the function, of which the first is the unknown
    option    what the solver calls where it is given a further function, such as a derivative
    kind      what the solution is; "like the first": like the first argument that is given to `run`
    """

    __srcad_primitive__ = True

    name: str
    run: Callable[..., Any]
    theorem: Theorem | None
    called: str = "function(x{args})"
    leading: tuple[str, ...] = ("x",)
    option: str = "function({own}{args})"
    kind: Literal["vector", "number", "matrix", "like the first"] = "vector"

    @property
    def __name__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<solved by {self.run.__module__}.{self.run.__qualname__}, {self.theorem}, {self.called}>"

    def __call__(self, *args: Any) -> Any:
        """It is known to the compiler only."""
        raise TypeError(f"{self.name} is called by definitions only")


class Unsolved(Exception):
    """A solver found no solution; the argument says why."""


@dataclass(frozen=True, eq=False)
class NoRule:
    """What a definition calls for arguments that it has no derivative for: such a call is refused while compiling."""

    __srcad_primitive__ = True

    what: str
    way: str

    @property
    def __name__(self) -> str:
        return "no_rule"

    def __call__(self) -> Any:
        """It is known to the compiler only."""
        raise NotImplementedError(f"{self.what}: {self.way}")
