"""Loop outlining: each checkpointed loop becomes a call, for which the reverse sweep keeps snapshots.

    for i in range(t1, n, 1):                     t2 = loop_4(0, n, 1, snapshots, k, w, s_2)
        w[i] = k * s_2          becomes           s_5 = t2[0]
        s_3 = s_2 + w[i]                          t3 = t2[1]
        s_2 = s_3                                 w[...] = t3
    s_4 = s_2                                     s_4 = s_5

The call is an operation on values, like all calls (see `callee_specialisation`). Its functions work in place, on
copies:

    advance      some of the iterations: the state before them -> the state after them; where the loop may be left
                 early, also how many iterations have run, and whether the loop has been left
    iteration    the body once, which is reversed; for a state of scalars, some of the iterations

The state consists of the loop-carried names and of the arrays that the loop writes. Two names for one array of the
state are refused, unless the loop swaps arrays that are initially different.

Primal-only loops: a checkpointed loop without derivatives runs all iterations, on copies of written arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.analysis.liveness import liveness
from srcad.transforms.analysis.program_facts import Program, analyse_forward
from srcad.transforms.checkpointing.counted_loops import CountedLoops
from srcad.transforms.checkpointing.loop_state import State, state_of
from srcad.transforms.checkpointing.reversible_steps import in_direction, recovered
from srcad.transforms.inference.subroutine_types import Kinds, Specialised, Subroutine, Summary
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    call,
    clone,
    const,
    effect,
    inner_blocks,
    is_exit,
    load,
    loop,
    place_of,
    rewrite_names,
    subscript,
    tuple_of,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code, Settings
from srcad.transforms.ir.cost_model import ITERATIONS_AT_ONCE
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.in_place_resolution import settle

if TYPE_CHECKING:
    pass


def alone(made: Checkpointed, names: Names, known: Mapping[str, Any]) -> tuple[Unit, Types]:
    """The function that runs the loop, and its types."""
    state, names, kinds = made.state, names.copy(), dict(known)
    bounds = [names.fresh(each) for each in ("first", "stop", "width", "snapshots")]
    kinds |= dict.fromkeys(bounds, nb.int64)
    own = {name: names.fresh(name) for name in (*state.works, *state.carried)}
    kinds |= {own[name]: known.get(name) for name in own}
    whole = names.temporary()
    kinds[whole] = nb.Tuple(made.advance.outcome)
    body: Block = [assign(own[name], begin(load(name), known.get(name))) for name in own]
    given = [load(own.get(name, name)) for name in state.names]
    body.append(effect(assign(whole, call(made.advance.name, *map(load, bounds[:3]), *given))))
    results = [subscript(load(whole), const(state.carried.index(name))) for name in state.results]
    body.append(gast.Return(value=tuple_of(*results, *(load(own[name]) for name in state.works))))
    unit = Unit(
        made.name,
        function(made.name, [*bounds, *state.names], body),
        {"np": np, "kernels": kernels, made.advance.name: made.advance},
        names,
    )
    return unit, Types(kinds, nb.Tuple(made.outcome))


def on_copies(made: Checkpointed) -> tuple[Unit, Types]:
    """The same function with the loop inside, for its tangent: what a call writes in place would have none."""
    state, advance = made.state, made.advance
    names, kinds = advance.unit.names.copy(), dict(advance.types.of)
    bounds, parameters = advance.unit.parameters[:3], advance.unit.parameters[3:]
    own = dict(zip(state.names, parameters, strict=True))
    given = {name: names.fresh(name) for name in (*state.works, *state.carried)}
    body: Block = []
    for name, parameter in given.items():
        kind = kinds[parameter] = kinds[own[name]]
        is_array = isinstance(kind, nb.Array)
        copied = call("kernels.copy_in_c_order", load(parameter)) if is_array else begin(load(parameter), kind)
        body.append(assign(own[name], copied))
    *loop_and_more, last = clone(advance.unit.tree).body
    ends = dict(zip(state.carried, last.value.elts, strict=False))
    results = [ends[name] for name in state.results]
    last.value = tuple_of(*results, *(load(own[name]) for name in state.works))
    snapshots = names.fresh("snapshots")
    kinds[snapshots] = nb.int64
    taken = [*bounds, snapshots, *(given.get(name, own[name]) for name in state.names)]
    tree = function(made.name, taken, [*body, *loop_and_more, last])
    bindings = {"np": np, "kernels": kernels, **advance.unit.bindings}
    return Unit(made.name, tree, bindings, names), Types(kinds, nb.Tuple(made.outcome))


def begin(value: gast.expr, kind: nb.Type | None) -> gast.expr:
    """The initial value for a name of the state: a copy, of the type that the name has in the loop."""
    if isinstance(kind, nb.Array):
        return call("kernels.snapshot", value)
    if isinstance(kind, (nb.Boolean, nb.Number)):
        spelled = {nb.boolean: "bool", nb.float64: "float", nb.complex128: "complex"}.get(kind)
        spelled = spelled or ("int" if isinstance(kind, nb.Integer) else f"np.{kind}")
        return call(spelled, value)
    return value


# The passes between this one and differentiation.
Finish = Callable[[Code], Code]


@dataclass(eq=False)
class Advance(Specialised):
    """Some iterations of a loop: it writes to its arguments in place, and returns the loop-carried names."""

    @property
    def outputs(self) -> tuple[str, ...]:
        """The parameters that it writes to for its caller."""
        return self.unit.parameters


@dataclass(eq=False)
class Checkpointed(Specialised):
    """A loop as a call.

    advance     its iterations in place, with the same parameters except the number of snapshots
    iteration   one iteration in place: returns what is carried, and the arrays that are written into
    at_once     the most iterations that `iteration` runs; if not 1, it takes first index, their number and the step
    most_bytes  the limit on the size of its record, if there is one
    in_files    how many of its snapshots are kept in files
    has_exit    it may be left before its last iteration
    undo        undoes iterations by the inverse of a reversible step, with the parameters of `advance`; if there is one
    recovered   the names of the state that it recovers, to the relative tolerance `rtol` (0: that of the dtype)
    """

    state: State = None  # type: ignore[assignment]  # given when it is made
    advance: Advance = None  # type: ignore[assignment]
    iteration: Code = None  # type: ignore[assignment]
    at_once: int = 1
    most_bytes: int | None = None
    in_files: int = 0
    has_exit: bool = False
    undo: Advance | None = None
    recovered: tuple[str, ...] = ()
    rtol: float = 0.0


def is_checkpointed(statement: gast.stmt) -> bool:
    """Whether this is a loop that is to be reversed from snapshots."""
    return isinstance(statement, (gast.For, gast.While)) and notes_of(statement).checkpointed


def outlined(code: Code, finish: Finish) -> Code:
    """Turn checkpointed loops into calls; `finish` has the passes that their functions go through."""
    unit, types = code.unit, code.types
    if not any(map(is_checkpointed, walk_statements(unit.tree.body))):
        return code
    tree = unit.copy_tree()
    bindings = {"np": np, "kernels": kernels, **unit.bindings}
    unit = unit.with_tree(tree, names=unit.names.copy(), bindings=bindings)
    kinds = dict(types.of)
    tree.body = CountedLoops(unit.names, kinds, bindings).block(tree.body)
    types = Types(kinds, types.result)
    outliner = _Outliner(analyse_forward(unit, types, []), finish, code.settings)
    tree.body = outliner.block(tree.body)
    known = Types(outliner.known, types.result)
    return settle(code.with_unit(unit.with_tree(tree, bindings=outliner.bindings), known))


@dataclass
class _Outliner:
    program: Program
    finish: Finish
    settings: Settings
    known: dict[str, Any] = field(init=False)
    bindings: dict[str, Any] = field(init=False)

    starts: dict[str, list[gast.expr]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.live = liveness(self.program.unit.tree.body).after
        self.known, self.bindings = dict(self.program.types.of), dict(self.program.unit.bindings)
        self.names = self.program.unit.names

    def block(self, block: Block, around: Mapping[str, str] | None = None) -> Block:
        """A block without checkpointed loops; `around` has the names that replace loop-carried ones in it."""
        result: Block = []
        renamed: dict[str, str] = dict(around or {})
        for statement in block:
            if renamed and not is_checkpointed(statement):  # the loop's functions have parameters of these names
                _rename_reads(statement, renamed)
            name = written(statement)
            if name and primitive_of(getattr(statement, "value", None), self.bindings) is kernels.checkpointed_start:
                self.starts[name] = statement.value.args
            if isinstance(statement, gast.For) and is_checkpointed(statement):
                result += self.loop(statement, renamed)
                continue
            for inner in inner_blocks(statement):
                inner[:] = self.block(inner, renamed)
            result.append(statement)
        return result

    def loop(self, statement: gast.For, renamed: dict[str, str]) -> Block:
        """The call and the stores of its results; `renamed` gets the names that replace loop-carried ones."""
        place = place_of(statement)
        state = state_of(self.program, statement, self.live[statement])
        version = self.version(statement, state)
        self.bindings[version.name] = version
        start, stop, width = statement.iter.args
        first, snapshots = self.starts.get(getattr(start, "id", ""), (start, const(0)))
        arguments = [*map(clone, (first, stop, width, snapshots)), *map(load, state.names)]
        for argument in arguments:
            rewrite_names(argument, lambda name: renamed.get(name, name))
        whole = self.names.temporary()
        self.known[whole] = nb.Tuple(version.outcome)
        code: Block = [effect(assign(whole, call(version.name, *arguments), place))]
        parts: list[str] = []
        for position, kind in enumerate(version.outcome):
            parts.append(self.names.temporary())
            self.known[parts[-1]] = kind
            code.append(assign(parts[-1], subscript(load(whole), const(position)), place))
        renamed.update(zip(state.results, parts, strict=False))
        everything = gast.Constant(value=..., kind=None)
        for name, part in zip(state.works, parts[len(state.results) :], strict=True):
            code.append(assign(subscript(load(name), clone(everything), store=True), load(part), place))
        return code

    def version(self, statement: gast.For, state: State) -> Checkpointed:
        """The loop as a function."""
        place = place_of(statement)
        wish = f"loop_{place.line}" if place else "loop"
        base = f"_{next(self.settings.numbers)}_{wish}"
        kinds = tuple(self.kind(name, state) for name in state.names)
        undo, names, tolerance = None, tuple[str, ...](), notes_of(statement).recovers
        if tolerance is not None:
            undone = in_direction(statement, True, self.bindings)
            statement = in_direction(statement, False, self.bindings)
            names = recovered(self.program, state, statement, undone)
            undo = self.advance(f"{base}_undo", f"{wish}_undo", undone, state, kinds)
        advance = self.advance(f"{base}_advance", f"{wish}_advance", statement, state, kinds)
        results = tuple(self.known[name] for name in state.results)
        summary = Summary(
            results,
            True,
            tuple(4 + len(state.inputs) + k for k in range(len(state.works))),
            (None,) * len(results),
            ((),) * len(results),
        )
        made = Checkpointed(base, Subroutine(base, wish), (*[nb.int64] * 4, *kinds), summary)
        made.state, made.advance, made.most_bytes = state, advance, notes_of(statement).snapshot_bytes
        made.in_files = notes_of(statement).on_disk
        made.has_exit, made.undo = _exit(statement) is not None, undo
        made.recovered, made.rtol = names, tolerance or 0.0
        is_small = undo is None and made.most_bytes is None and self.is_of_numbers(statement, state)
        made.at_once = ITERATIONS_AT_ONCE if is_small else 1
        iteration = self.iteration if made.at_once == 1 else self.iterations
        made.iteration = iteration(f"{base}_iteration", statement, state, kinds)
        made.unit, made.types = alone(made, self.names, self.known)
        made.subroutine.unit = made.unit
        return made

    def is_of_numbers(self, statement: gast.For, state: State) -> bool:
        """Whether the state and an iteration's values are scalars, so that the trace of some iterations is small."""
        for each in walk_statements(statement.body):
            function = getattr(getattr(each, "value", None), "func", None)
            is_call = isinstance(function, gast.Name) and isinstance(self.bindings.get(function.id), Specialised)
            if is_call or (inner_blocks(each) and not isinstance(each, gast.If)):
                return False
        names = [*state.works, *state.carried, *map(written, walk_statements(statement.body))]
        return all(isinstance(self.known.get(name), (nb.Number, nb.Boolean, nb.BaseTuple)) for name in names if name)

    def kind(self, name: str, state: State) -> Any:
        """The type of a parameter; written arrays are contiguous copies that the function owns."""
        kind = self.known.get(name)
        if name in state.works and isinstance(kind, nb.Array):
            return kind.copy(layout="C", readonly=False)
        return kind

    def advance(self, name: str, wish: str, statement: gast.For, state: State, kinds: Kinds) -> Advance:
        """The function that runs some iterations."""
        place = place_of(statement)
        names, known, bounds, begun = self.opened(("first", "stop", "width"), state, kinds)
        body, before, extra = [clone(each) for each in statement.body], list[gast.stmt](), list[str]()
        if (flag := _exit(statement)) is not None:
            ran, left = extra = [names.fresh("ran"), names.fresh("left")]
            known |= {ran: nb.int64, left: nb.boolean}
            before = [assign(ran, const(0), place), assign(left, const(False), place)]
            counted = assign(ran, binary(load(ran), gast.Add, const(1)), place)
            body[-1:] = [counted, assign(left, load(flag), place), body[-1]]
        repeated = loop(statement.target.id, [load(each) for each in bounds], body, place)
        all_kinds = (*[nb.int64] * 3, *kinds)
        given = [*state.carried, *extra]
        summary = Summary(tuple(known[each] for each in given), True)
        summary = replace(summary, same=(None,) * len(given), views=((),) * len(given))
        made = Advance(name, Subroutine(name, wish), all_kinds, summary)
        whole = [*before, *_around(repeated, state, begun, extra)]
        tree = function(name, [*bounds, *state.inputs, *state.works, *begun.values()], whole)
        unit = Unit(name, tree, self.bindings, names)
        done = self.finished(unit, Types(known, nb.Tuple(made.outcome)), all_kinds)
        made.unit, made.types, made.counts = done.unit, done.types, done.counts
        made.subroutine.unit = made.unit
        return made

    def finished(self, unit: Unit, types: Types, kinds: Kinds) -> Code:
        """A function of the loop, which may write into its parameters, after the passes before differentiation."""
        return self.finish(settle(Code(unit, types, kinds, settings=replace(self.settings, in_place=True))))

    def opened(
        self, wishes: tuple[str, ...], state: State, kinds: Kinds
    ) -> tuple[Names, dict[str, Any], list[str], dict[str, str]]:
        """Names and types for a function of integers and the state; new names for integers and carried names."""
        names = self.names.copy()
        integers = [names.fresh(each) for each in wishes]
        begun = {each: names.fresh(f"{each}_first") for each in state.carried}
        known = {**self.known, **dict.fromkeys(integers, nb.int64)}
        known |= {begun[each]: known.get(each) for each in state.carried}
        return names, known | dict(zip(state.names, kinds, strict=True)), integers, begun

    def iteration(self, name: str, statement: gast.For, state: State, kinds: Kinds) -> Code:
        """One iteration, as a function of the index and the state."""
        place = place_of(statement)
        known = dict(self.known) | dict(zip(state.names, kinds, strict=True))
        carried = set(state.carried)
        body = [clone(each) for each in (*state.views, *_without_exit(statement)) if written(each) not in carried]
        ends = [clone(state.ends[each]) for each in state.carried]
        body.append(at(gast.Return(value=tuple_of(*ends, *map(load, state.works))), place))
        index = statement.target.id
        unit = Unit(name, function(name, [index, *state.names], body), self.bindings, self.names.copy())
        outcome = (*(known.get(each) for each in state.carried), *(known[each] for each in state.works))
        return self.finished(unit, Types(known, nb.Tuple(outcome)), (nb.int64, *kinds))

    def iterations(self, name: str, statement: gast.For, state: State, kinds: Kinds) -> Code:
        """Some iterations on a state of scalars: a function of the first index, their number, the step, the state."""
        place = place_of(statement)
        wishes = ("first", "count", "width", "turn", "along")
        names, known, (first, count, width, turn, along), begun = self.opened(wishes, state, kinds)
        index = [
            assign(along, binary(load(turn), gast.Mult, load(width)), place),
            assign(statement.target.id, binary(load(first), gast.Add, load(along)), place),
        ]
        repeated = loop(turn, [const(0), load(count), const(1)], [*index, *map(clone, _without_exit(statement))], place)
        tree = function(name, [first, count, width, *state.inputs, *begun.values()], _around(repeated, state, begun))
        unit = Unit(name, tree, self.bindings, names)
        result = nb.Tuple([known[each] for each in state.carried])
        return self.finished(unit, Types(known, result), (*[nb.int64] * 3, *kinds))


def _exit(loop: gast.For) -> str | None:
    """The name of the flag with which an iteration leaves the loop early, if there is one."""
    return str(loop.body[-1].test.id) if loop.body and is_exit(loop.body[-1]) else None


def _without_exit(loop: gast.For) -> Block:
    """The body of the loop, without the statement that may leave it."""
    body: Block = loop.body
    return body if _exit(loop) is None else body[:-1]


def _around(repeated: gast.For, state: State, begun: Mapping[str, str], extra: Sequence[str] = ()) -> Block:
    """A loop, preceded by the initialisation of its state and followed by the return of its final state."""
    place = place_of(repeated)
    return [
        *(clone(each) for each in state.views),
        *(assign(each, load(begun[each]), place) for each in state.carried),
        repeated,
        at(gast.Return(value=tuple_of(*(load(each) for each in (*state.carried, *extra)))), place),
    ]


def _rename_reads(statement: gast.stmt, renamed: Mapping[str, str]) -> None:
    """Read the results of the call instead of the loop-carried names, in a statement or its header."""
    match statement:
        case gast.If(test=part) | gast.While(test=part) | gast.For(iter=part):
            rewrite_names(part, lambda name: renamed.get(name, name))
        case _:
            rewrite_names(statement, lambda name: renamed.get(name, name))
