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
from numba.extending import typeof_impl

from srcad.errors import Place
from srcad.refusals.solvers import NOT_CONVERGED
from srcad.runtime.rulebook.rule import Rule
from srcad.runtime.rulebook.theorems import SolvedBy, Unsolved
from srcad.transforms.inference.subroutine_types import Subroutine


class Leaf(int):
    """The position of an argument of a call, in the form of what a solver is given."""


class SolverCall:
    """A call of a solver. Its arguments are the numbers and arrays in what the solver is given, then those of `of`.

    given   what the solver is given besides the function, with a `Leaf` for each argument of the call
    """

    def __init__(
        self, name: str, of: Subroutine, solver: SolvedBy, given: tuple[Any, ...], own: int, rest: int, place: Place | None = None
    ) -> None:
        """`own` arguments are for the solver, `rest` for the function, after those that the solver gives it."""
        self.__name__ = self.name = name
        self.of, self.solver, self.given, self.own, self.rest = of, solver, given, own, rest
        self.place = place
        self.__srcad_rule__ = Rule(self, "zero")

    def __repr__(self) -> str:
        return f"<call {self.name} of {self.solver!r} given {self.given!r}, {self.own} {self.rest} {self.of!r}>"

    def __call__(self, *args: Any) -> Any:
        """The solution. Raises NotConverged if there is none."""
        rest = args[self.own :]
        function: Callable[..., Any] = self.of

        def called(*own: Any) -> Any:
            return function(*own, *rest)

        try:
            found = self.solver.run(called, *(_filled(each, args) for each in self.given))
        except Unsolved as problem:
            raise NOT_CONVERGED.at(self.place, solver=self.solver.name, reason=problem.args[0]) from None
        return np.ascontiguousarray(found, dtype=np.float64) if self.solver.is_array else float(found)

    @cached_property
    def dispatcher(self) -> Dispatcher:
        """The call for compiled code: it runs in object mode."""
        names = ", ".join(f"a{k}" for k in range(self.own + self.rest))
        text = f"def {self.name}({names}):\n    with objmode(y=kind):\n        y = run({names})\n    return y\n"
        kind = nb.float64[::1] if self.solver.is_array else nb.float64
        namespace: dict[str, Any] = {"objmode": objmode, "kind": kind, "run": self}
        exec(text, namespace)
        return numba.njit(namespace[self.name])


def _filled(form: Any, args: Sequence[Any]) -> Any:
    """What a solver is given: a form with arguments in the place of leaves."""
    if isinstance(form, Leaf):
        return args[form]
    if isinstance(form, (tuple, list)):
        return type(form)(_filled(each, args) for each in form)
    if isinstance(form, dict):
        return {key: _filled(each, args) for key, each in form.items()}
    return form


@typeof_impl.register(SolverCall)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof(value: SolverCall, context: Any) -> nb.Dispatcher:
    return nb.Dispatcher(value.dispatcher)
