"""Solver calls: a function in core form is handed to a solver of a library, which runs in Python.

    x = root_of_f(start, a, c)          SciPy's `root` of  x -> f(x, a, c), begun at `start`

`f` has no closure: what the user's function reads from the functions around it has become parameters of `f`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numba
import numpy as np
from numba import objmode
from numba import types as nb
from numba.core.dispatcher import Dispatcher
from numba.extending import overload, typeof_impl

from srcad.errors import Place
from srcad.refusals.solvers import NOT_CONVERGED
from srcad.runtime.rulebook.rule import Rule
from srcad.runtime.rulebook.theorems import SolvedBy, Unsolved
from srcad.runtime.support.numba_refresh import refresh_if_compiling
from srcad.transforms.inference.derivative_callees import DerivativeCall
from srcad.transforms.inference.subroutine_types import MAKERS, Subroutine
from srcad.transforms.inference.type_inference import callees_in


class Leaf(int):
    """The position of an argument of a call, in the form of what a solver is given."""


class Part(int):
    """The number of a further function, in the form of what a solver is given."""


class SolverCall:
    """A call of a solver. Its arguments are the numbers and arrays in what the solver is given, then those of `of`.

    given   what the solver is given besides the function, with a `Leaf` for each argument of the call
    """

    def __init__(
        self,
        name: str,
        of: Subroutine,
        solver: SolvedBy,
        kind: str | int,
        given: tuple[Any, ...],
        own: int,
        rest: int,
        functions: Sequence[tuple[Subroutine, tuple[Leaf, ...]]] = (),
        place: Place | None = None,
    ) -> None:
        """`own` arguments are for the solver, `rest` for the function, after those that the solver gives it.

        `kind` is that of the solution: "number", "vector", "matrix", or the argument whose kind it has.
        """
        self.__name__ = self.name = name
        self.of, self.solver, self.given, self.own, self.rest = of, solver, given, own, rest
        self.kind, self.functions, self.place = kind, functions, place
        self.__srcad_rule__ = Rule(self, "zero")

    def __repr__(self) -> str:
        functions = [(*places, repr(each)) for each, places in self.functions]
        told = f"{self.solver!r} given {self.given!r}, {self.kind} {self.own} {self.rest}"
        return f"<call {self.name} of {told} {self.of!r} {functions}>"

    def __call__(self, *args: Any) -> Any:
        """The solution. Raises NotConverged if there is none."""
        called = bound(self.executable[0], args[self.own :])
        further = [
            bound(each, [args[at] for at in places])
            for each, (_, places) in zip(self.executable[1:], self.functions, strict=True)
        ]
        try:
            found = self.solver.run(called, *(_filled(each, args, further) for each in self.given))
        except Unsolved as problem:
            raise NOT_CONVERGED.at(self.place, solver=self.solver.name, reason=problem.args[0]) from None
        rank = np.ndim(args[self.kind]) if isinstance(self.kind, int) else _RANKS[self.kind]
        return np.ascontiguousarray(found, dtype=np.float64) if rank else float(found)

    @cached_property
    def executable(self) -> list[Callable[..., Any]]:
        """The functions that the solver gets, first the one that it solves for."""
        return [_runnable(each) for each in (self.of, *(each for each, _ in self.functions))]

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """The call for compiled code: it runs in object mode."""
        names = ", ".join(f"a{k}" for k in range(self.own + self.rest))
        ways = [_in_object_mode(self, names, rank) for rank in range(4)]
        if not isinstance(self.kind, int):
            return ways[_RANKS[self.kind]]
        chosen = _defined(f"lambda {names}: None", {})
        called = f"lambda {names}: way({names})"

        def way_for(kind: nb.Type) -> Any:
            """The call for a starting point of this type."""
            return _defined(called, {"way": ways[kind.ndim if isinstance(kind, nb.Array) else 0]})

        text = f"lambda {names}: way_for(a{self.kind})"
        made = {"way_for": way_for}
        overload(chosen)(_defined(text, made))
        refresh_if_compiling()
        return numba.njit(_defined(f"lambda {names}: chosen({names})", {"chosen": chosen}))


_RANKS = {"number": 0, "vector": 1, "matrix": 2}


def _in_object_mode(called: SolverCall, names: str, rank: int) -> Dispatcher:
    text = f"def {called.name}({names}):\n    with objmode(y=kind):\n        y = run({names})\n    return y\n"
    kind = nb.Array(nb.float64, rank, "C") if rank else nb.float64
    namespace: dict[str, Any] = {"objmode": objmode, "kind": kind, "run": called}
    exec(text, namespace)
    return numba.njit(namespace[called.name])


def _defined(text: str, namespace: dict[str, Any]) -> Any:
    return eval(text, namespace)


def _runnable(function: Subroutine) -> Callable[..., Any]:
    """A function in core form as one that Python can call."""
    units = (function.unit, *callees_in(function.unit))
    if any(isinstance(thing, DerivativeCall) for each in units for thing in each.bindings.values()):
        return MAKERS[0](function)
    return function


def bound(function: Callable[..., Any], rest: Sequence[Any]) -> Callable[..., Any]:
    """A function of its first arguments."""

    def called(*own: Any) -> Any:
        return function(*own, *rest)

    return called


def _filled(form: Any, args: Sequence[Any], functions: Sequence[Any]) -> Any:
    """What a solver is given: a form with arguments in the place of leaves, and functions in that of parts."""
    if isinstance(form, Part):
        return functions[form]
    if isinstance(form, Leaf):
        return args[form]
    if isinstance(form, (tuple, list)):
        return type(form)(_filled(each, args, functions) for each in form)
    if isinstance(form, dict):
        return {key: _filled(each, args, functions) for key, each in form.items()}
    return form


@typeof_impl.register(SolverCall)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof(value: SolverCall, context: Any) -> nb.Dispatcher:
    return nb.Dispatcher(value.dispatcher)
