"""Calls of solvers: functions handed to a library become functions without closures, and theorems give derivatives.

    sol = root(lambda x: x * x - c, 1.0)        becomes         t1 = called_root(start, c)
                                                                x = root_result(t1, c)

`called_root` hands  x -> called(x, c)  to SciPy: the variables that the lambda reads from the functions around it have
become parameters of `called` (closure conversion). Nothing is differentiated through the call. The rule of
`root_result` is the implicit function theorem: for  f(x, c) = 0,  f_x dx + f_c dc = 0,  with derivatives of f that
srcad generates, at the solution `x`, which varies with `c`. So the rule can be differentiated again.

The transformation of closures is that of Thomas Johnsson, Lambda lifting: transforming programs to recursive equations,
FPCA 1985.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.call_arguments import known
from srcad.frontend.calls_by_rule import Lowering, RuleBody, RuleCall, RuleResults, UsersRule, names_among
from srcad.frontend.derivative_functions import DerivedFunction, Described, procedure_for
from srcad.frontend.load_source import load as load_source
from srcad.frontend.scope import Method, Procedure, procedure_of
from srcad.frontend.wrappers import written
from srcad.refusals.solvers import SOLVER_OPTION, SOLVER_WRITES, UNKNOWN_FUNCTION
from srcad.runtime import kernels
from srcad.runtime.kernels.linear_algebra.regular import told
from srcad.runtime.rulebook.rule_result import RuleFunction
from srcad.runtime.rulebook.theorems import SolvedBy, Theorem
from srcad.transforms.inference.derivative_callees import DerivativeCall
from srcad.transforms.inference.solver_callees import Leaf, Part, SolverCall
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    clone,
    const,
    load,
    place_of,
    stores_into,
    subscript,
    walk_statements,
)
from srcad.transforms.lowering.anf import Flattener
from srcad.transforms.lowering.structure_passing import at_call, leaves_of
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure


def call_of_solver(
    lowering: Any, node: gast.Call, solver: SolvedBy, caller: Flattener, place: Place | None
) -> gast.expr:
    """The value of a call of a solver: `solver(function, args, *given)`."""
    return _SolverCall(lowering, solver, caller, _outside(place)).lowered(node)


def call_of_users_solver(
    lowering: Any, node: gast.Call, custom: Any, caller: Flattener, place: Place | None
) -> gast.expr:
    """The value of a call of what `srcad.implicit` gives."""
    return _UsersSolver(lowering, custom, caller, place).lowered(node)


def _outside(place: Place | None) -> Place | None:
    """The place in the user's file, where the call is in a definition of srcad's."""
    return None if place is None else place.shown()


def minus_solved(transposed, moved, where):  # type: ignore[no-untyped-def]
    """The solution y of `slope @ y + moved == 0`, a vector, given the transpose of the slope."""
    return -np.linalg.solve(np.transpose(kernels.regular(transposed, where)), kernels.as_row(moved))


def minus_solved_transposed(transposed, bar, where):  # type: ignore[no-untyped-def]
    """The same for the transpose of `slope`."""
    return -np.linalg.solve(kernels.regular(transposed, where), kernels.as_row(bar))


_OWNER = "owner"  # the parameter for an object that is called

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
    procedure = procedure_for(function, lowering.read, lowering.procedure)
    around, key = at_call(caller.memory, procedure.name)
    base = (*lowering.outline.base(procedure, {}, {}), ("closed", key))
    given: dict[str, Any] = {name: const(0.0) for name in leading} | args
    called, values = lowering.separate(procedure, base, given, {}, caller, place, around)
    leaves = [leaf for name in args for leaf in leaves_of(values[name], caller)]
    made = _Closed(called, leaves, lowering.outline.close(called))
    for statement in walk_statements(lowering.outline.finished[called].body):
        target = stores_into(statement)
        if target is not None and target.value.id in made.captured:
            raise SOLVER_WRITES.at(place_of(statement) or place, name=target.value.id)
    return made


class _Theorem(UsersRule):
    """A rule that is a theorem."""

    def origin(self, which: int) -> str:
        """What messages call it."""
        return f"the derivative of `{self.name}` by the implicit function theorem"


class _Implicit(RuleCall):
    """A value whose derivative the implicit function theorem gives. Its rule has no functions of the user's own."""

    residual: Any  # the function that vanishes at the solution: of the solution, then of the arguments

    def __init__(self, lowering: Lowering, name: str, caller: Flattener, place: Place | None) -> None:
        rule = _Theorem(_named(name), "theorem", (), False, (), _never)
        super().__init__(lowering, rule, caller, place)
        self.name = name
        self.captured: list[str] = []
        self.shapes: frozenset[str] = frozenset()  # variables of which the residual needs the shapes only

    @property
    def varying(self) -> list[tuple[str, gast.expr]]:
        """The arguments of the residual, and the variables that it reads from around it."""
        given = [each for each in self.arguments if not self.reads_shape_only(each[1])]
        held = {leaf.id for _, value in given for leaf in names_among(value, self.caller.memory)}
        return [*given, *((each, load(each)) for each in self.captured if each not in held)]

    def reads_shape_only(self, value: gast.expr) -> bool:
        """Whether the residual needs no more than the shape of a value."""
        return any(each.id in self.shapes for each in names_among(value, self.caller.memory))

    def results(self, outs: gast.expr, saved: gast.expr | None, leaves: list[gast.Name]) -> RuleResults:
        """The results of the call."""
        return _TheoremResults(self, outs, saved, leaves)

    def read_from_outside(self, body: Block) -> list[str]:
        """What the solver reads, but the residual does not, has no influence on the solution."""
        return []


class _UsersSolver(_Implicit):
    """A call of a solver of the user's own, `srcad.implicit(residual)(solver)`: its value is that of the solver."""

    def __init__(self, lowering: Lowering, custom: Any, caller: Flattener, place: Place | None) -> None:
        super().__init__(lowering, custom.__name__, caller, place)
        self.custom = custom
        self.flat: _Flat | None = None

    def bind(self, node: gast.Call) -> None:
        """Evaluate the arguments."""
        self.rule = self.custom.rule_at(self.place)
        self.draft.freeze(self.custom.state, "rule", self.rule)
        super().bind(node)
        self.every = [value for _, value in self.arguments]
        taken = self.every[1:] if self.custom.starts else self.every
        self.arguments = [(f"a{k}", each) for k, each in enumerate(taken)]

    def value(self) -> tuple[gast.expr, gast.expr | None]:
        """The solution, as one number or array: the parts of a tuple, a list or a dictionary follow each other."""
        solution = self.caller.part(self.called(self.rule.function, [clone(each) for each in self.every]))
        names = [name for name, _ in self.arguments]
        if isinstance(solution, Structure):
            flat = _Flat(solution, self)
            self.residual, solution = flat.residual(self.custom.residual, names), flat.value
            self.arguments = [*self.arguments, *flat.likes]
            self.shapes = frozenset(each.id for _, each in flat.likes if isinstance(each, gast.Name))
            self.flat = flat
        else:
            self.residual = written(
                _ONE_PART.format(args=_listed(self.arguments)), "called", {"function": self.custom.residual, "np": np}
            )
        self.rule = _Theorem(_named(self.name), "theorem", (), False, (), _never)
        self.captured = closed(
            self.lowering, self.residual, ["x"], dict(self.arguments), self.caller, self.place
        ).captured
        return self.caller.held_in_atom(solution), None

    def lowered(self, node: gast.Call) -> gast.expr:
        """The solution in its own form."""
        found = super().lowered(node)
        if self.flat is None:
            return found
        name = self.draft.bind("parts", self.lowering.read(procedure_of(load_source(self.flat.apart()))))
        likes = [clone(each) for _, each in self.flat.likes]
        return self.caller.part(gast.Call(func=load(name), args=[found, *likes], keywords=[]))


_ONE_PART = """\
def called(x{args}):
    r = function(x{args})
    if isinstance(r, (tuple, list)):
        return np.asarray(r)
    return r
"""

_PARTS = """\
def called(x{args}{likes}):
{lines}
    r = function({parts}{args})
    if isinstance(r, dict):
        r = list(r.values())
    if isinstance(r, (tuple, list)):
        return np.concatenate([kernels.as_row(each) for each in r])
    return kernels.as_row(r)
"""


class _Flat:
    """A solution that is a tuple, a list or a dictionary as one vector; its parts say which shapes there are."""

    def __init__(self, solution: Structure, called: _Implicit) -> None:
        caller = called.caller
        self.held = caller.memory.cells[solution.cell]
        self.cell = solution.cell
        parts = [caller.held_in_atom(each) for each in self.held.values()]
        self.likes = [(f"l{k}", each) for k, each in enumerate(parts)]
        rows = [caller.held_in_atom(call("kernels.as_row", clone(each))) for each in parts]
        self.value = caller.held_in_atom(call("np.concatenate", gast.Tuple(elts=rows, ctx=gast.Load())))

    def taken(self) -> tuple[str, list[str]]:
        """Statements that take the parts from a vector `x`, and the names of the parts."""
        lines, names, before = [], [], "0"
        for k, (like, _) in enumerate(self.likes):
            lines += [
                f"    e{k} = {before} + kernels.element_count({like})",
                f"    p{k} = kernels.shaped_like(x[{before}:e{k}], {like})",
            ]
            names.append(f"p{k}")
            before = f"e{k}"
        return "\n".join(lines), names

    def form(self, names: list[str]) -> str:
        """An expression for the solution in its own form."""
        if self.cell.is_mapping:
            return "{" + ", ".join(f"{key!r}: {name}" for key, name in zip(self.held, names, strict=True)) + "}"
        return f"[{', '.join(names)}]" if issubclass(self.cell.type, list) else f"({', '.join(names)},)"

    def apart(self) -> Callable[..., Any]:
        """A function that gives the solution its own form."""
        lines, names = self.taken()
        likes = ", ".join(name for name, _ in self.likes)
        text = f"def parts(x, {likes}):\n{lines}\n    return {self.form(names)}\n"
        return written(text, "parts", {"kernels": kernels})

    def residual(self, function: Any, arguments: list[str]) -> Callable[..., Any]:
        """The residual as a vector, of the solution as a vector."""
        lines, names = self.taken()
        args = "".join(f", {name}" for name in arguments)
        likes = "".join(f", {name}" for name, _ in self.likes)
        text = _PARTS.format(args=args, likes=likes, lines=lines, parts=self.form(names))
        return written(text, "called", {"function": function, "np": np, "kernels": kernels})


class _SolverCall(_Implicit):
    """A call of a solver of a library, which runs in Python."""

    def __init__(self, lowering: Lowering, solver: SolvedBy, caller: Flattener, place: Place | None) -> None:
        super().__init__(lowering, solver.name, caller, place)
        self.solver = solver

    def bind(self, node: gast.Call) -> None:
        """Evaluate the arguments."""
        function, args, *given = node.args
        chosen = self.caller.part(function)
        handed = self.handed(chosen)
        if handed is None:
            raise UNKNOWN_FUNCTION.at(self.place, solver=self.name)
        held = self.caller.part(args)
        parts = [*self.caller.memory.cells[held.cell].values()] if isinstance(held, Structure) else [held]
        self.arguments = [(f"a{k}", each) for k, each in enumerate(parts)]
        self.passed = [name for name, _ in self.arguments]
        if isinstance(handed, Structure):
            self.arguments.append((_OWNER, handed))
        self.given = [self.caller.part(each) for each in given]
        names = [name for name, _ in self.arguments]
        self.function = written_call(self.solver.called, self.solver.leading, handed, self.passed, names)
        self.residual = vanishing(self.solver.theorem, self.function, names)

    def handed(self, value: gast.expr) -> Any:
        """The function that a value is: known while compiling, or a `Structure` that can be called; None for others."""
        if isinstance(value, Structure):
            called = inspect.getattr_static(value.cell.type, "__call__", None)
            is_called = value.cell.type is functools.partial or isinstance(called, FunctionType)
            return value if is_called else None
        path = value.path if isinstance(value, Callee) else value
        meaning = known(path, self.caller.memory, self.draft.bindings)
        found = None if meaning is None else meaning.value
        return found if callable(found) or isinstance(found, (Procedure, Method)) else None

    def value(self) -> tuple[gast.expr, gast.expr | None]:
        """The call of the library."""
        function = closed(
            self.lowering, self.function, self.solver.leading, dict(self.arguments), self.caller, self.place
        )
        self.captured = function.captured
        own: list[gast.expr] = []
        self.functions: list[tuple[Subroutine, tuple[Leaf, ...]]] = []
        form = tuple(self.form(each, own) for each in self.given)
        name = self.draft.names.fresh(f"called_{self.name}")
        rest = function.rest
        kind: str | int = self.solver.kind
        if kind == "like the first":
            kind = form[0] if isinstance(form[0], Leaf) else "number"
        made = SolverCall(name, function.of, self.solver, kind, form, len(own), len(rest), self.functions, self.place)
        self.draft.bindings[name] = made
        result = self.draft.names.temporary()
        self.caller.emit(assign(result, call(name, *own, *rest), self.place))
        return load(result), None

    def lowered(self, node: gast.Call) -> gast.expr:
        """Emit the statements of the call, and return its value."""
        if self.solver.theorem is not None:
            return super().lowered(node)
        self.bind(node)
        return self.value()[0]

    def form(self, value: gast.expr, own: list[gast.expr]) -> Any:
        """What the solver is given: what is known while compiling, with `Leaf`s for variables, which go into `own`."""
        handed = self.handed(value)
        if handed is not None:
            return self.option(handed, own)
        if isinstance(value, Structure):
            held = self.caller.memory.cells[value.cell]
            if not isinstance(held, dict) or not (value.cell.is_sequence or value.cell.is_mapping):
                raise SOLVER_OPTION.at(self.place, solver=self.name, what=value.cell.called)
            parts = {key: self.form(each, own) for key, each in held.items()}
            return parts if value.cell.is_mapping else value.cell.type(parts.values())
        meaning = known(value.path if isinstance(value, Callee) else value, self.caller.memory, self.draft.bindings)
        if meaning is not None:
            return meaning.value
        if isinstance(value, Callee):
            raise SOLVER_OPTION.at(self.place, solver=self.name, what="function")
        own.append(self.caller.held_in_atom(value))
        return Leaf(len(own) - 1)

    def option(self, function: Any, own: list[gast.expr]) -> Part:
        """A further function that the solver is given, such as a derivative; it has the arguments of the first."""
        arguments = dict(self.arguments)
        if isinstance(function, Structure):
            arguments[_OWNER] = function
        called = written_call(self.solver.option, self.solver.leading, function, self.passed, [*arguments])
        made = closed(self.lowering, called, self.solver.leading, arguments, self.caller, self.place)
        places = tuple(Leaf(len(own) + k) for k in range(len(made.rest)))
        own += made.rest
        self.functions.append((made.of, places))
        return Part(len(self.functions) - 1)


class _TheoremResults(RuleResults):
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


class _TheoremBody(RuleBody):
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
        transposed = written(
            _TRANSPOSED.format(args=args), "transposed", {"along": along, "np": np, "kernels": kernels}
        )
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
        back = {inner: outer for outer, inner in self.known.items() if outer not in self.called.shapes}
        return made, [back.get(each.id, "") if isinstance(each, gast.Name) else "" for each in made.rest]

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
            return (
                []
                if transform == "grad"
                else [self.flattener.held_in_atom(call("kernels.zero_like", load(self.value)))]
            )
        name = self.draft.names.fresh(f"{made.of.name}_{transform}")
        self.draft.bindings[name] = DerivativeCall(name, made.of, transform, wrt, order, frozenset(wrt))
        whole = self.flattener.held_in_atom(call(name, *args))
        return [self.flattener.held_in_atom(subscript(whole, const(k))) for k in range(count)]


def written_call(
    text: str, leading: Sequence[str], function: Any, passed: Sequence[str], names: Sequence[str]
) -> Callable[..., Any]:
    """A function of `leading` and `names` whose value is an expression of a call with the arguments `passed`.

    A function that is a `Structure` is the value of the parameter `_OWNER`.
    """
    args, rest = ("".join(f", {name}" for name in each) for each in (names, passed))
    body = text.format(args=rest, own=", ".join(leading))
    is_passed = isinstance(function, Structure)
    first = f"    function = {_OWNER}\n" if is_passed else ""
    made = f"def called({', '.join(leading)}{args}):\n{first}    return {body}\n"
    return written(made, "called", {"np": np} if is_passed else {"function": function, "np": np})


def vanishing(theorem: Theorem | None, function: Callable[..., Any], names: Sequence[str]) -> Any:
    """The function that vanishes at a solution."""
    if theorem in (None, "root"):  # without a theorem, the result has no derivative
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
