"""Derivatives of calls: the functions that generated code calls in place of the primal's functions.

    y = fib(x, n)          forward sweep       t = fib_forward(x, n, calls); y = t[0]
                           reverse sweep       t = fib_reverse(calls, at, y_bar); x_bar += t[0]

`fib_forward` appends its record to a list that all calls of `fib` share, `calls.fib`. The reverse sweep makes the calls
in the opposite order, so each call of `fib_reverse` finds its record at the position that the counter `at` has come
down to. So a function may call itself to any depth, and a loop of calls records nothing of its own. Nothing is removed
from the list: one trace serves many cotangents. Adjoints of arrays are passed as arguments and added to in place, those
of numbers are returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.errors import Place
from srcad.names import Names
from srcad.refusals.large_functions import TUPLE_ARGUMENT
from srcad.transforms.analysis.dataflow import fixed_point
from srcad.transforms.inference.subroutine_types import Specialised, Subroutine, results_of_calls
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    call,
    clone,
    const,
    effect,
    load,
    place_of,
    subscript,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.name_types import carries_derivatives, differentiable
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.unit import Unit


@dataclass(eq=False)
class Pair:
    """The forward and reverse function of one version of a callee, for derivatives of some results by some arguments.

    needs       positions of the arguments that are passed to the reverse function again
    fields      the record: name of each field, its variable, and an expression for an unused value
    functions   both, once they are made
    """

    version: Specialised
    wrt: tuple[int, ...]
    outs: tuple[int, ...]
    forward: str
    reverse: str
    needs: tuple[int, ...] = ()
    fields: list[tuple[str, str, gast.expr]] = field(default_factory=list)
    functions: list[gast.FunctionDef] = field(default_factory=list)
    bindings: Mapping[str, Any] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()

    @property
    def trace(self) -> str:
        """The name of the class of its records."""
        return self.forward.replace("_forward", "_trace", 1)

    @property
    def iteration(self) -> str:
        """The name of the function that runs and reverses one iteration of a checkpointed loop."""
        return self.forward.replace("_forward", "_iteration", 1)

    @property
    def list_name(self) -> str:
        """The name of the list of its records, among the lists of all pairs."""
        return self.forward.replace("_forward", "_list", 1)


# Makes the functions of a pair, given the pair and the callees; known only to `callee_pairs`.
MakePair = Callable[["Pair", "Callees"], tuple[int, ...]]
MakeTangent = Callable[[str, Specialised, tuple[int, ...], "Callees"], Unit]


class Callees:
    """The derivatives of calls that one derivative function needs."""

    def __init__(self, make_pair: MakePair, make_tangent: MakeTangent) -> None:
        self.make_pair, self.make_tangent = make_pair, make_tangent
        self.pairs: dict[tuple[Any, ...], Pair] = {}
        self.tangents: dict[tuple[Any, ...], Subroutine] = {}

    def pair(self, version: Specialised, wrt: tuple[int, ...], outs: tuple[int, ...]) -> Pair:
        """The pair for these derivatives; while it is being made, recursive calls get it as far as it is known."""
        key = version, wrt, outs
        if key not in self.pairs:
            number = len(self.pairs)
            name = version.wish
            made = self.pairs[key] = Pair(version, wrt, outs, f"_forward_{number}_{name}", f"_reverse_{number}_{name}")

            def needs(known: tuple[int, ...]) -> tuple[int, ...]:
                """What the function needs if its own recursive calls need what is known."""
                made.needs = known
                for later in list(self.pairs)[number + 1 :]:
                    del self.pairs[later]
                return self.make_pair(made, self)

            fixed_point(needs, made.needs)
        return self.pairs[key]

    @property
    def recording(self) -> list[Pair]:
        """The pairs that record anything."""
        return [pair for pair in self.pairs.values() if pair.fields]

    def begun(self) -> gast.expr:
        """The initial lists, each with one record that is never read, so that their types can be inferred."""
        if not self.recording:
            return const(None)
        return call(
            LISTS, *(_list(call(pair.trace, *(clone(each) for *_, each in pair.fields))) for pair in self.recording)
        )

    def lengths(self, lists: str) -> gast.expr:
        """The number of records on each list."""
        if not self.recording:
            return const(None)
        lengths = (call("len", attribute(load(lists), pair.list_name)) for pair in self.recording)
        return call("np.array", _list(*lengths))

    def tangent(self, version: Specialised, wrt: tuple[int, ...]) -> Subroutine:
        """The tangent function, in core form: its results, then the tangents of those that have one."""
        key = version, wrt
        if key not in self.tangents:
            name = f"_tangent_{len(self.tangents)}_{version.wish}"
            self.tangents[key] = made = Subroutine(name, f"{version.wish}_tangent")
            made.unit = self.make_tangent(name, version, wrt, self)
        return self.tangents[key]


@dataclass(frozen=True)
class Call:
    """One call of a callee's version in a core function.

    parts       position in the result of the call -> the name that holds that part
    """

    statement: gast.Assign
    version: Specialised
    parts: Mapping[int, str]

    @property
    def arguments(self) -> list[gast.expr]:
        """The arguments of the call."""
        return list(self.statement.value.args)

    def wrt(self, is_active: Callable[[str], bool]) -> tuple[int, ...]:
        """The positions of the arguments that carry derivatives."""
        found: list[int] = []
        for position, (argument, kind) in enumerate(zip(self.arguments, self.version.kinds, strict=True)):
            names = [node.id for node in walk(argument) if isinstance(node, gast.Name)]
            if not any(map(is_active, names)) or not carries_derivatives(kind):
                continue
            if not differentiable(kind):
                raise TUPLE_ARGUMENT.at(place_of(self.statement), function=self.version.wish)
            found.append(position)
        return tuple(found)


def calls_in(unit: Unit) -> dict[str, Call]:
    """The calls in a core function, by the names that hold their results."""
    versions = results_of_calls(unit)
    if not versions:
        return {}
    statements: dict[str, Any] = {}
    parts: dict[str, dict[int, str]] = {name: {} for name in versions}
    for statement in walk_statements(unit.tree.body):
        name = written(statement)
        value = getattr(statement, "value", None)
        if name in versions:
            statements[name] = statement
        match value:
            case gast.Subscript(value=gast.Name(id=whole), slice=gast.Constant(value=int() as position)) if (
                name and whole in versions
            ):
                parts[whole][position] = name
    return {name: Call(statements[name], versions[name], parts[name]) for name in statements}


class CallAdjoints:
    """Writes the adjoints of calls; `forward` maps ids of statements to their replacements in the forward sweep."""

    def __init__(self, calls: Mapping[str, Call], callees: Callees | None, names: Names) -> None:
        self.calls, self.callees = calls, callees
        self.forward: dict[int, gast.stmt] = {}
        self.trace = names.fresh("calls") if calls else ""
        self.cursor = names.fresh("at") if calls else ""

    def handles(self, name: str, value: gast.expr) -> bool:
        """Whether an assignment is a call, or takes a part of a call's result."""
        return name in self.calls or (
            isinstance(value, gast.Subscript) and getattr(value.value, "id", None) in self.calls
        )

    def of(self, name: str, adjoints: Any, place: Place | None) -> Block:
        """The reversed call, which takes the adjoints of all result parts and adds to those of the arguments."""
        if name not in self.calls:
            return []
        called, program, callees = self.calls[name], adjoints.program, self.callees
        assert callees is not None
        version, arguments = called.version, called.arguments
        wrt = called.wrt(program.is_active)
        outs = tuple(
            position
            for position, part in sorted(called.parts.items())
            if program.is_active(part) and differentiable(version.outcome[position])
        )
        if not wrt or not outs:
            return []
        pair = callees.pair(version, wrt, outs)
        statement = called.statement
        forward = call(pair.forward, *(clone(each) for each in arguments), load(self.trace))
        self.forward[id(statement)] = effect(assign(name, forward, place))
        adjoints.bindings[pair.forward] = adjoints.bindings[pair.reverse] = pair
        given = [clone(arguments[position]) for position in pair.needs]
        arrays = [position for position in wrt if isinstance(version.kinds[position], nb.Array)]
        numbers = [position for position in wrt if position not in arrays]
        given += [load(adjoints.bar(arguments[position].id)) for position in arrays]
        given += [load(self.trace), load(self.cursor)]
        given += [load(adjoints.bar(called.parts[position])) for position in outs]
        reverse = call(pair.reverse, *given)
        if not numbers:
            return [effect(at(gast.Expr(value=reverse), place))]
        found = adjoints.names.temporary()
        code: Block = [effect(assign(found, reverse, place))]
        for k, position in enumerate(numbers):
            code += adjoints.add(arguments[position].id, subscript(load(found), const(k)), place)
        return code

    @property
    def used(self) -> tuple[str, ...]:
        """The variable that holds the lists, if there are calls that record."""
        return (self.trace,) if self.forward else ()

    def lists(self, bindings: dict[str, Any]) -> tuple[gast.stmt, gast.stmt]:
        """The statements that make the lists and count their records; `module_assembly` fills in all lists."""
        bindings[LISTS] = self.callees
        bindings.setdefault("np", np)
        first, second = assign(self.trace, const(None)), assign(self.cursor, const(None))
        return note(first, begins_lists=True), note(second, counts_lists=self.trace)


class CallTangents:
    """Writes the tangents of calls: one call returns the results and their tangents."""

    def __init__(self, calls: Mapping[str, Call], callees: Callees | None) -> None:
        self.calls, self.callees = calls, callees

    def is_active_call(self, statement: gast.stmt, program: Any) -> bool:
        """Whether the statement is a call with arguments that have tangents."""
        name = str(written(statement))
        return name in self.calls and bool(self.calls[name].wrt(program.is_active))

    def called(self, statement: Any, tangents: Any) -> gast.stmt:
        """The call of the tangent function that replaces the call."""
        assert self.callees is not None
        name = str(written(statement))
        called = self.calls[name]
        wrt = called.wrt(tangents.program.is_active)
        function = self.callees.tangent(called.version, wrt)
        tangents.bindings[function.name] = function
        dots = [tangents.of_atom(called.arguments[position]) for position in wrt]
        arguments = [clone(each) for each in called.arguments]
        return effect(assign(name, call(function.name, *arguments, *dots), place_of(statement)))

    def part(self, name: str, base: str, program: Any) -> gast.expr:
        """The tangent of a part of a call's result; tangents follow after all results, in the same order."""
        called = self.calls[base]
        position = next(position for position, part in called.parts.items() if part == name)
        before = sum(differentiable(kind) for kind in called.version.outcome[:position])
        return subscript(load(base), const(len(called.version.outcome) + before))


LISTS = "_lists_of_calls"


def _list(*elements: gast.expr) -> gast.List:
    return gast.List(elts=list(elements), ctx=gast.Load())
