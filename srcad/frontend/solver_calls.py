"""Calls of solvers: functions handed to a library become functions without closures, and theorems give derivatives.

    sol = root(lambda x: x * x - c, 1.0)        becomes         t1 = called_root(start, c)
                                                                x = root_result(t1, c)

`called_root` hands  x -> called(x, c)  to SciPy: the variables that the lambda reads from the functions around it have
become parameters of `called` (closure conversion). Nothing is differentiated through the call. The rule of
`root_result` is the implicit function theorem: for  f(x, c) = 0,  f_x dx + f_c dc = 0,  with derivatives of f that srcad
generates, at the solution `x`, which varies with `c`. So the rule can be differentiated again.

The transformation of closures is that of Thomas Johnsson, Lambda lifting: transforming programs to recursive equations,
FPCA 1985.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.call_arguments import known
from srcad.frontend.calls_by_rule import Lowering, UsersRule, _Body, _Call, _Results
from srcad.frontend.derivative_functions import Described, DerivedFunction
from srcad.frontend.load_source import load as load_source
from srcad.frontend.load_source import name_of
from srcad.frontend.scope import Method, Procedure, procedure_of
from srcad.frontend.wrappers import written
from srcad.refusals.solvers import SOLVER_OPTION, UNKNOWN_FUNCTION
from srcad.runtime import kernels
from srcad.runtime.kernels.linear_algebra.regular import told
from srcad.runtime.rulebook.rule_result import RuleFunction
from srcad.runtime.rulebook.theorems import SolvedBy, Theorem
from srcad.transforms.inference.derivative_callees import DerivativeCall
from srcad.transforms.inference.solver_callees import Leaf, SolverCall
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.ir.build import Block, assign, binary, call, const, load, place_of, subscript
from srcad.transforms.lowering.anf import Flattener
from srcad.transforms.lowering.structure_passing import at_call, leaves_of
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure


def call_of_solver(lowering: Any, node: gast.Call, solver: SolvedBy, caller: Flattener, place: Place | None) -> gast.expr:
    """The value of a call of a solver: `solver(function, args, *given)`."""
    return _SolverCall(lowering, solver, caller, _outside(place)).lowered(node)


def _outside(place: Place | None) -> Place | None:
    """The place in the user's file, where the call is in a definition of srcad's."""
    return None if place is None else place.in_users_file() or place


def minus_solved(transposed, moved, where):  # type: ignore[no-untyped-def]
    """The solution y of `slope @ y + moved == 0`, a vector, given the transpose of the slope."""
    return -np.linalg.solve(np.transpose(kernels.regular(transposed, where)), kernels.as_row(moved))


def minus_solved_transposed(transposed, bar, where):  # type: ignore[no-untyped-def]
    """The same for the transpose of `slope`."""
    return -np.linalg.solve(kernels.regular(transposed, where), kernels.as_row(bar))


_TRANSPOSED = """\
def transposed(x{args}):
    size = kernels.element_count(x)
    found = np.empty((size, size))
    for k in range(size):
        found[k] = kernels.as_row(along(kernels.unit_direction(x, k), x{args}))
    return found
"""


class _Closed:
    """A function without a closure: its further arguments, and the variables that it had read from around it."""

    def __init__(self, of: Subroutine, leaves: list[gast.expr], captured: list[str]) -> None:
        self.of, self.leaves, self.captured = of, leaves, captured

    @property
    def rest(self) -> list[gast.expr]:
        """The arguments after those that a solver gives."""
        return [*self.leaves, *map(load, self.captured)]


def closed(
    lowering: Any,
    function: Callable[..., Any],
    leading: Sequence[str],
    args: dict[str, gast.expr],
    caller: Any,
    place: Place | None,
) -> _Closed:
    """A function, lowered separately, whose captured variables are parameters after its own."""
    procedure = lowering.read(procedure_of(load_source(function)))
    around, key = at_call(caller.memory, procedure.name)
    base = (*lowering.outline.base(procedure, {}, {}), ("closed", key))
    given: dict[str, Any] = {name: const(0.0) for name in leading} | args
    called, values = lowering.separate(procedure, base, given, {}, caller, place, around)
    leaves = [leaf for name in args for leaf in leaves_of(values[name], caller)]
    return _Closed(called, leaves, lowering.outline.close(called))


class _Theorem(UsersRule):
    """A rule that is a theorem."""

    def origin(self, which: int) -> str:
        """What messages call it."""
        return f"the derivative of `{self.name}` by the implicit function theorem"


class _Implicit(_Call):
    """A value whose derivative the implicit function theorem gives. Its rule has no functions of the user's own."""

    residual: Any  # the function that vanishes at the solution: of the solution, then of the arguments

    def __init__(self, lowering: Lowering, name: str, caller: Flattener, place: Place | None) -> None:
        rule = _Theorem(_named(name), "theorem", (), False, (), _never)
        super().__init__(lowering, rule, caller, place)
        self.name = name
        self.captured: list[str] = []

    @property
    def varying(self) -> list[tuple[str, gast.expr]]:
        """The arguments of the residual, and the variables that it reads from around it."""
        held = {leaf.id for _, value in self.arguments for leaf in self.names(value)}
        return [*self.arguments, *((each, load(each)) for each in self.captured if each not in held)]

    def names(self, value: gast.expr) -> list[gast.Name]:
        """The variables in a value."""
        from srcad.frontend.calls_by_rule import _names

        return _names(value, self.caller.memory)

    def results(self, outs: gast.expr, saved: gast.expr | None, leaves: list[gast.Name]) -> _Results:
        """The results of the call."""
        return _TheoremResults(self, outs, saved, leaves)

    def read_from_outside(self, body: Block) -> list[str]:
        """What the solver reads, but the residual does not, has no influence on the solution."""
        return []


class _SolverCall(_Implicit):
    """A call of a solver of a library, which runs in Python."""

    def __init__(self, lowering: Lowering, solver: SolvedBy, caller: Flattener, place: Place | None) -> None:
        super().__init__(lowering, solver.name, caller, place)
        self.solver = solver

    def bind(self, node: gast.Call) -> None:
        """Evaluate the arguments."""
        function, args, *given = node.args
        held = self.caller.part(function)
        path = held.path if isinstance(held, Callee) else held
        meaning = known(path, self.caller.memory, self.draft.bindings)
        if meaning is None or not (callable(meaning.value) or isinstance(meaning.value, (Procedure, Method))):
            raise UNKNOWN_FUNCTION.at(self.place, solver=self.name)
        held = self.caller.part(args)
        parts = [*self.caller.memory.cells[held.cell].values()] if isinstance(held, Structure) else [held]
        self.arguments = [(f"a{k}", each) for k, each in enumerate(parts)]
        self.given = [self.caller.part(each) for each in given]
        self.function = called_by(self.solver, meaning.value, [name for name, _ in self.arguments])
        self.residual = vanishing(self.solver.theorem, self.function, [name for name, _ in self.arguments])

    def value(self) -> tuple[gast.expr, gast.expr | None]:
        """The call of the library."""
        function = closed(
            self.lowering, self.function, self.solver.leading, dict(self.arguments), self.caller, self.place
        )
        self.captured = function.captured
        own: list[gast.expr] = []
        form = tuple(self.form(each, own) for each in self.given)
        name = self.draft.names.fresh(f"called_{self.name}")
        rest = function.rest
        made = SolverCall(name, function.of, self.solver, form, len(own), len(rest), self.place)
        self.draft.bindings[name] = made
        result = self.draft.names.temporary()
        self.caller.emit(assign(result, call(name, *own, *rest), self.place))
        return load(result), None

    def form(self, value: gast.expr, own: list[gast.expr]) -> Any:
        """What the solver is given: what is known while compiling, with `Leaf`s for variables, which go into `own`."""
        if isinstance(value, Structure):
            held = self.caller.memory.cells[value.cell]
            if not isinstance(held, dict) or not (value.cell.is_sequence or value.cell.is_mapping):
                raise SOLVER_OPTION.at(self.place, solver=self.name, what=value.cell.called)
            parts = {key: self.form(each, own) for key, each in held.items()}
            return parts if value.cell.is_mapping else value.cell.type(parts.values())
        meaning = known(value, self.caller.memory, self.draft.bindings)
        if meaning is not None:
            return meaning.value
        if isinstance(value, Callee):
            raise SOLVER_OPTION.at(self.place, solver=self.name, what="function")
        own.append(self.caller.held_in_atom(value))
        return Leaf(len(own) - 1)


class _TheoremResults(_Results):
    """The result, and the functions that derivatives of it call."""

    call: _Implicit

    def backward(self) -> RuleFunction:
        """The adjoints of the arguments: the transposed system, then the adjoint of the residual."""
        body = _TheoremBody(self, f"{self.rule.name}_vjp")
        return body.pulled_by_theorem()

    def forward(self) -> RuleFunction:
        """The tangent of the solution: the tangent of the residual, then the system."""
        body = _TheoremBody(self, f"{self.rule.name}_jvp")
        return body.pushed_by_theorem()


class _TheoremBody(_Body):
    """A function of the rule. The variables that the residual reads from around it keep their names, as parameters."""

    called: _Implicit

    def __init__(self, results: _TheoremResults, wish: str) -> None:
        super().__init__(results, wish)
        self.memory, _ = at_call(results.memory, wish)
        self.flattener.memory = self.memory
        self.value = self.parameter("value", ("result", 0))
        for name in self.called.captured:
            self.known[name] = name
            self.parameters.append(name)
            self.passed.append(("argument", self.results.place(name)))
        self.args = [(name, self.received(value)) for name, value in self.called.arguments]

    def system(self) -> gast.expr:
        """The transpose of the Jacobian of the residual by the solution, a matrix."""
        args = _listed(self.called.arguments)
        along = DerivedFunction(Described("tangent", self.called.residual, (0,), False))
        transposed = written(_TRANSPOSED.format(args=args), "transposed", {"along": along, "np": np, "kernels": kernels})
        return self.flattener.held_in_atom(
            self.flattener.part(self.calling(transposed, [value for _, value in self.args]))
        )

    def calling(self, function: Any, args: list[gast.expr]) -> gast.Call:
        """A call at the solution."""
        name = self.draft.bind("transposed", self.lowering.read(procedure_of(load_source(function))))
        return gast.Call(func=load(name), args=[load(self.value), *args], keywords=[])

    def solved(self, way: Callable[..., Any], slope: gast.expr, right: gast.expr) -> gast.expr:
        """The solution of a linear system."""
        name = self.draft.bind(way.__name__, self.lowering.read(procedure_of(load_source(way))))
        where = const(told(self.called.name, self.called.place))
        made = gast.Call(func=load(name), args=[slope, right, where], keywords=[])
        return self.flattener.held_in_atom(self.flattener.part(made))

    def residual(self, function: Any, first: Sequence[str]) -> tuple[_Closed, list[str]]:
        """A function without a closure, and the variables of the caller that its arguments are."""
        made = closed(self.lowering, function, first, dict(self.args), self.flattener, self.called.place)
        back = {inner: outer for outer, inner in self.known.items()}
        return made, [back[each.id] if isinstance(each, gast.Name) else "" for each in made.rest]

    def pushed_by_theorem(self) -> RuleFunction:
        """The tangent."""
        made, names = self.residual(self.called.residual, ["x"])
        wrt = tuple(1 + k for k, name in enumerate(names) if name)
        slope = self.system()
        dots = [load(self.dot(name)) for name in names if name]
        moved = self.derivative(made, "tangent", wrt, [*dots, load(self.value), *made.rest], 1)[0]
        found = self.solved(minus_solved, slope, moved)
        return self.function([self.flattener.held_in_atom(call("kernels.shaped_like", found, load(self.value)))], [])

    def pulled_by_theorem(self) -> RuleFunction:
        """The adjoints."""
        bar = self.parameter("bar", ("bar", 0))
        weighted = written(
            f"def weighted(w, x{_listed(self.args)}):\n"
            f"    return kernels.inner(kernels.as_row(function(x{_listed(self.args)})), w)\n",
            "weighted",
            {"function": self.called.residual, "kernels": kernels},
        )
        made, names = self.residual(weighted, ["w", "x"])
        wrt = tuple(2 + k for k, name in enumerate(names) if name)
        weight = self.solved(minus_solved_transposed, self.system(), load(bar))
        found = self.derivative(made, "grad", wrt, [weight, load(self.value), *made.rest], 0)
        totals: dict[str, gast.expr] = {}
        for name, each in zip([name for name in names if name], found, strict=True):
            totals[name] = self.sum(totals[name], each) if name in totals else each
        return self.function([*totals.values()], [self.results.place(name) for name in totals])

    def derivative(
        self, made: _Closed, transform: str, wrt: tuple[int, ...], args: list[gast.expr], order: int
    ) -> list[gast.expr]:
        """A derivative of a function by some of its arguments; integers have none."""
        count = len(wrt) if transform == "grad" else 1
        if not wrt:
            return [] if transform == "grad" else [self.flattener.held_in_atom(call("kernels.zero_like", load(self.value)))]
        name = self.draft.names.fresh(f"{made.of.name}_{transform}")
        self.draft.bindings[name] = DerivativeCall(name, made.of, transform, wrt, order, frozenset(wrt))
        whole = self.flattener.held_in_atom(call(name, *args))
        return [self.flattener.held_in_atom(subscript(whole, const(k))) for k in range(count)]


def called_by(solver: SolvedBy, function: Any, names: Sequence[str]) -> Callable[..., Any]:
    """The function that a solver calls: of what it gives, then of the arguments of the user's function."""
    own = ", ".join([*solver.leading, *names])
    text = solver.called.format(args="".join(f", {name}" for name in names))
    return written(f"def called({own}):\n    return {text}\n", "called", {"function": function, "np": np})


def vanishing(theorem: Theorem | None, function: Callable[..., Any], names: Sequence[str]) -> Any:
    """The function that vanishes at a solution."""
    if theorem in (None, "root"):
        return function
    args = "".join(f", {name}" for name in names)
    if theorem == "fixed point":
        return written(f"def moved(x{args}):\n    return function(x{args}) - x\n", "moved", {"function": function})
    if theorem == "least squares":
        text = f"def cost(x{args}):\n    r = function(x{args})\n    return 0.5 * np.sum(r * r)\n"
        function = written(text, "cost", {"function": function, "np": np})
    return DerivedFunction(Described("grad", function, (0,), False))


def _listed(args: Sequence[tuple[str, gast.expr]]) -> str:
    return "".join(f", {name}" for name, _ in args)


def _named(name: str) -> Callable[..., Any]:
    """A function of this name, for messages."""

    def solver() -> None:
        """It is never called."""

    solver.__name__ = name
    return solver


def _never(function: Any, wrt: tuple[int, ...]) -> Any:
    raise NotImplementedError  # the rule has both directions
