"""Calls that are not inlined: recursive functions, and large helpers that are called many times.

    def power(x, n):                            def f(x):
        return 1.0 if n == 0 else               t1 = power(x, 3)
               x * power(x, n - 1)    ->        return t1

All other calls of a user's functions are inlined. A function that is found to call itself while it is being inlined is
lowered separately instead. The variables of enclosing functions that it reads, and captured arrays, become additional
parameters after its own.
"""

from __future__ import annotations

import builtins
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import gast

from srcad.errors import Place
from srcad.frontend.scope import Meaning, Method, Procedure
from srcad.refusals.large_functions import OTHER_FORM, REBOUND_NAME
from srcad.transforms.inference.attempts import Attempt
from srcad.transforms.inference.derivative_callees import DerivativeCall
from srcad.transforms.inference.subroutine_types import Subroutine, callee_of
from srcad.transforms.ir.build import Block, dotted_path, load, names_in, place_of, walk_statements, written
from srcad.transforms.ir.cost_model import MOST_INLINED_STATEMENTS
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.lowering.lowering_context import Draft
from srcad.transforms.lowering.structures.abstract_state import Structure
from srcad.transforms.normalise.callee_normalisation import normalised


@dataclass(eq=False)
class Frame:
    """A function that is being lowered: inlined into its caller, or separately as `callee`."""

    base: Hashable
    known: Mapping[str, Hashable]
    callee: Subroutine | None = None


class Recurs(Exception):
    """The function of a frame calls itself with other known values for some parameters."""

    def __init__(self, frame: Frame, differing: set[str]) -> None:
        self.frame, self.differing = frame, differing


@dataclass(eq=False)
class Outlined:
    """A function that was lowered separately; `captured` are the names that it reads from enclosing functions."""

    callee: Subroutine
    parameters: list[str]
    body: Block
    place: Place | None
    captured: tuple[str, ...] = ()


class Outline:
    """The state of lowering that concerns calls that are not inlined."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.frames: list[Frame] = []
        self.made: dict[tuple[Hashable, Any, Any], Subroutine] = {}
        self.finished: dict[Subroutine, Outlined] = {}
        self.variable: dict[Hashable, set[str]] = {}
        self.recursive: set[Hashable] = set()
        self.closed: dict[Subroutine, list[str]] = {}
        self._inlined: Counter[Hashable] = Counter()
        self._held: list[Procedure] = []  # keeps the scopes alive whose `id` is part of a key

    def base(self, procedure: Procedure, statics: Mapping[str, Meaning], given: Mapping[str, Any]) -> Hashable:
        """The key of a function: itself, and the functions and captured objects among its arguments, nothing else.

        With captured objects in the key, a layer that calls a layer of its own class does not count as recursive.
        """
        self._held.append(procedure)
        keys = {name: _key(meaning.value) for name, meaning in statics.items()}
        captured = {name: ("captured", each.cell.origin) for name, each in given.items() if _is_captured(each)}
        told = {name: key for name, key in keys.items() if key[0] != "value"} | captured
        return identity_of(procedure), *sorted(told.items())

    def known(self, statics: Mapping[str, Meaning], base: Hashable) -> dict[str, Hashable]:
        """The keys of the known arguments, without floats and complex numbers, which may differ from call to call."""
        variable = self.variable.get(base, set())
        return {
            name: _key(meaning.value)
            for name, meaning in statics.items()
            if name not in variable and not isinstance(meaning.value, (float, complex))
        }

    def is_outlined(self, base: Hashable, known: Mapping[str, Hashable]) -> bool:
        """Whether a call is not inlined. Raises Recurs if this is discovered while the function is being inlined."""
        for frame in reversed(self.frames):
            if frame.base == base:
                if frame.callee is None and frame is not self.frames[0]:
                    raise Recurs(frame, differing(frame.known, known))
                self.recursive.add(base)
                break
        return base in self.recursive or self._inlined[base] > MOST_INLINED_STATEMENTS

    def note_inlined(self, base: Hashable, body: Block) -> None:
        """Count the statements that have replaced a call."""
        self._inlined[base] += sum(1 for _ in walk_statements(body))

    def callee(
        self, base: Hashable, known: Mapping[str, Hashable], forms: Mapping[str, Hashable], place: Place | None
    ) -> Subroutine | None:
        """The separately lowered function for these known arguments and forms of structures, finished or not."""
        found = self.made.get(_what(base, known, forms))
        if found is None:
            for frame in reversed(self.frames):
                if frame.base == base and frame.callee is not None:
                    other = differing(frame.known, known)
                    if not other:
                        raise OTHER_FORM.at(place, function=frame.callee.wish)
                    raise Recurs(frame, other)
        return found

    def generalise(self, base: Hashable, known: Mapping[str, Hashable]) -> bool:
        """Whether there is a version of the function for fewer known arguments; the others then become variable."""
        for other, fewer, _ in list(self.made):
            if other == base and len(fewer) < len(known) and set(fewer) <= set(known.items()):
                self.variable.setdefault(base, set()).update(known.keys() - dict(fewer).keys())
                return True
        return False

    def begin(self, name: str, base: Hashable, known: Mapping[str, Hashable], forms: Mapping[str, Hashable]) -> Frame:
        """Begin to lower a function separately."""
        callee = Subroutine(self.draft.names.fresh(name), name, normalised)
        self.draft.bindings[callee.name] = callee
        self.made[_what(base, known, forms)] = callee
        frame = Frame(base, known, callee)
        self.frames.append(frame)
        return frame

    def forget(self, count: int) -> None:
        """Drop the functions made after the first `count`: they may call a function that is to be lowered again."""
        for key in list(self.made)[count:]:
            callee = self.made.pop(key)
            self.finished.pop(callee, None)
            self.draft.bindings.pop(callee.name, None)

    def close(self, callee: Subroutine) -> list[str]:
        """Make the variables that a function reads from around it parameters after its own; their names."""
        if callee not in self.closed:
            outlined = self.finished[callee]
            self.closed[callee] = self._free(callee, frozenset())
            outlined.parameters = [*outlined.parameters, *self.closed[callee]]
        return self.closed[callee]

    def _free(self, callee: Subroutine, around: frozenset[Subroutine]) -> list[str]:
        """The variables that a function, or one that it calls, reads from around it."""
        outlined = self.finished[callee]
        own = stored_in(outlined.body) | set(outlined.parameters)
        read = [name for each in outlined.body for name in _read(each)]
        for inner in _calls(outlined.body, self.draft.bindings):
            if inner in self.finished and inner not in {*around, callee}:
                read += self._free(inner, around | {callee})
        known = self.draft.bindings
        return [name for name in dict.fromkeys(read) if name not in own and name not in known and not is_builtin(name)]

    def finish(self, body: Block, parameters: list[str]) -> Block:
        """Pass captured names to the functions that read them, transitively, and give each function its unit."""
        bodies: dict[Subroutine | None, Block] = {
            None: body,
            **{each.callee: each.body for each in self.finished.values()},
        }
        stored = {key: stored_in(each) for key, each in bodies.items()}
        variables = {*parameters, *(capture.parameter for capture in self.draft.hidden)}.union(
            *stored.values(), *(each.parameters for each in self.finished.values())
        )
        self._refuse_rebinding(stored, parameters)
        for outlined in self.finished.values():
            own = stored[outlined.callee] | set(outlined.parameters)
            read = dict.fromkeys(name for each in outlined.body for name in _read(each))
            outlined.captured = tuple(name for name in read if name in variables and name not in own)
        changed = True
        while changed:
            changed = False
            for outlined in self.finished.values():
                own = stored[outlined.callee] | set(outlined.parameters)
                more = [
                    name for each in _calls(outlined.body, self.draft.bindings) for name in self.finished[each].captured
                ]
                wider = tuple(dict.fromkeys([*outlined.captured, *(name for name in more if name not in own)]))
                changed = changed or wider != outlined.captured
                outlined.captured = wider
        for each in bodies.values():
            self._pass_captured(each)
        for outlined in self.finished.values():
            outlined.callee.unit = self.draft.callee(
                outlined.callee.name, [*outlined.parameters, *outlined.captured], outlined.body
            )
        return [statement for outlined in self.finished.values() for statement in outlined.body]

    def _pass_captured(self, body: Block) -> None:
        for statement in walk_statements(body):
            callee = _lowered(statement, self.draft.bindings)
            if callee is not None:
                statement.value.args += [load(name) for name in self.finished[callee].captured]
            result = _rule_result(statement, self.draft.bindings)
            for function in () if result is None else result.functions:
                for name in self.finished[function.lowered].captured:
                    place = result.capture(function)
                    assert place == len(statement.value.args)
                    statement.value.args.append(load(name))

    def _refuse_rebinding(self, stored: Mapping[Any, frozenset[str]], parameters: list[str]) -> None:
        for outlined in self.finished.values():
            others = set(parameters).union(*(names for key, names in stored.items() if key is not outlined.callee))
            for statement in walk_statements(outlined.body):
                name = written(statement)
                if name in others:
                    raise REBOUND_NAME.at(place_of(statement), name=name, function=outlined.callee.wish)


def is_builtin(name: str) -> bool:
    """Whether Python itself has a function of this name."""
    return hasattr(builtins, name)


def _what(base: Hashable, known: Mapping[str, Hashable], forms: Mapping[str, Hashable]) -> Any:
    return base, tuple(sorted(known.items())), tuple(sorted(forms.items()))


def identity_of(procedure: Procedure) -> tuple[Hashable, ...]:
    """The key of a procedure; for a nested one, the call of the enclosing function is part of it."""
    return (*procedure.identity, None if procedure.scope is None else id(procedure.scope))


def differing(one: Mapping[str, Hashable], other: Mapping[str, Hashable]) -> set[str]:
    """The names that do not have the same known value in both."""
    return {name for name in {*one, *other} if one.get(name) is None or one.get(name) != other.get(name)}


def _key(value: Any) -> tuple[Any, ...]:
    if isinstance(value, Procedure):
        return ("function", *identity_of(value))
    if isinstance(value, Method):
        return "method", _key(value.function), id(value.receiver.value)
    if callable(value):
        return "callable", id(value)
    return "value", type(value).__name__, repr(value)


def _is_captured(given: Any) -> bool:
    return isinstance(given, Structure) and given.cell.origin is not None


def _read(statement: gast.stmt) -> list[str]:
    return list(names_in(statement))


def _calls(body: Block, bindings: Mapping[str, Any]) -> list[Subroutine]:
    found: list[Subroutine] = []
    for statement in walk_statements(body):
        callee, result = _lowered(statement, bindings), _rule_result(statement, bindings)
        found += [] if callee is None else [callee]
        found += [] if result is None else [function.lowered for function in result.functions]
    return found


def _lowered(statement: gast.stmt, bindings: Mapping[str, Any]) -> Subroutine | None:
    """The separately lowered function that a statement calls, or calls a derivative of."""
    value = getattr(statement, "value", None)
    attempt = bindings.get(dotted_path(value.func) or "") if isinstance(value, gast.Call) else None
    if isinstance(attempt, Attempt):
        return attempt.of
    callee = callee_of(value, bindings)
    if isinstance(callee, DerivativeCall):
        return callee.of
    return callee if isinstance(callee, Subroutine) else None


def _rule_result(statement: gast.stmt, bindings: Mapping[str, Any]) -> Any:
    """The result of a function with a rule of the user's own that a statement makes, or None."""
    value = getattr(statement, "value", None)
    found = bindings.get(dotted_path(value.func) or "") if isinstance(value, gast.Call) else None
    return found if hasattr(type(found), "__srcad_result__") else None
