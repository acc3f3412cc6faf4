"""Tensors that leave the tapes that follow them, as plain arrays, and come back into what is recorded.

    np.sum([x, y])                  NumPy makes an array of the list        refused where it happens
    plot(x), np.allclose(x, 1)      the array is not used in what follows   free
    a = np.asarray(x); a * x        the array comes back                    refused where it comes back
    a = 2.0 * np.asarray(x); a * x  what is computed from it comes back     refused where it comes back

An array that was handed out is known by its memory, and so are its views. What is computed from it is found by the
source text: a conversion notes the expressions that are being evaluated, in all functions that are active. When a tape
records an operation with an argument that it does not follow, `value_flow` tells whether the argument's expression may
hold what was computed from one of these.
"""

from __future__ import annotations

import ast
import inspect
import os
import sys
import sysconfig
import types
import weakref
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from srcad.errors import PACKAGE, Place
from srcad.refusals.tapes import COMES_BACK, TENSORS_IN_LIST
from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.support.value_flow import (
    Source,
    ValueFlow,
    called_name,
    is_handed,
    is_operation,
    operands,
    parameter_names,
    parts,
    passed,
    source_of,
)

_NUMPY = os.path.dirname(np.__file__) + os.sep
_LIBRARIES = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "purelib", "platlib")})
_DEEPEST = 64  # the most frames of a stack that are looked at


def is_library(file: str) -> bool:
    """Whether a file belongs to an installed package or to Python.

    >>> is_library(os.__file__), is_library("model.py")
    (True, False)
    """
    return file.startswith(_LIBRARIES) or f"{os.sep}site-packages{os.sep}" in file or file.startswith("<frozen")


def _is_passed_through(frame: types.FrameType) -> bool:
    return frame.f_code.co_filename.startswith((_NUMPY, PACKAGE, "<srcad "))


def note_conversion(tapes: Sequence[Any], frame: types.FrameType | None, array: Any) -> None:
    """Note that this frame was given the array of a tensor that these tapes follow.

    Raises MissingRule if NumPy itself asked for it, but not for a comparison (`np.testing`) or a library (a plot).
    """
    asked, function = frame, None
    while tapes and frame is not None and frame.f_code.co_filename.startswith(_NUMPY):
        if frame.f_globals.get("__name__", "").startswith("numpy.testing"):
            return
        function, frame = frame, frame.f_back
    if function is not None and frame is not None and not is_library(frame.f_code.co_filename):
        name = ("np.linalg." if ".linalg" in function.f_globals["__name__"] else "np.") + function.f_code.co_name
        raise TENSORS_IN_LIST.error(function=name)
    for tape in tapes:
        tape.departures = tape.departures or Departures()
        tape.departures.note(asked, array)


def note_number(tape: Any, identity: int, how: str, frame: types.FrameType | None) -> None:
    """Note that a tensor that a tape follows became a plain number or array by a method.

    `numpy()` says that a constant is meant. The others are NumPy's and Python's, which code that was written for arrays
    calls for any value; functions in C, such as `math.sin`, ask for a number by the one that is meant for `float(x)`.
    """
    tape.conversions[identity] = how
    if how != "numpy()":
        tape.departures = tape.departures or Departures()
        tape.departures.note(frame)


def check_return(
    tapes: Sequence[Any], primitive: Any, values: Sequence[Any], named: Mapping[str, Any] = MappingProxyType({})
) -> None:
    """Raise GradientCut if an argument of an operation comes from a tensor that has left one of these tapes.

    `primitive` is None if the values are not the arguments of a call in the source.
    """
    for tape in tapes:
        if tape.departures is not None:
            name = None if primitive is None else getattr(primitive, "__name__", "")
            tape.departures.check(sys._getframe(1), name, values, named, tape.known)


class Step:
    """A function that is active, at one of its instructions; equal to others at the same instruction."""

    __slots__ = ("code", "instruction", "line", "names")

    def __init__(self, frame: types.FrameType) -> None:
        self.code, self.instruction, self.line = frame.f_code, frame.f_lasti, frame.f_lineno or 1
        self.names = frame.f_globals

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Step) and self.code is other.code and self.instruction == other.instruction

    def __hash__(self) -> int:
        return hash((self.code, self.instruction))

    def source(self) -> Source | None:
        """The source of its file."""
        return source_of(self.code, self.names)

    def expressions(self, source: Source) -> list[Any]:
        """The expressions that are being evaluated."""
        return source.at(self.code, self.instruction, self.line)

    def place(self, source: Source | None) -> Place:
        """Its place in the source."""
        found = self.expressions(source) if source is not None else []
        text = source.lines[self.line - 1] if source is not None and self.line <= len(source.lines) else ""
        node = found[0] if len(found) == 1 and found[0].lineno == self.line == found[0].end_lineno else None
        start, end = (len(text) - len(text.lstrip()), len(text)) if node is None else _columns(text, node)
        return Place(self.code.co_filename, self.line, start, end, text)


def _columns(text: str, node: Any) -> tuple[int, int]:
    encoded = text.encode()
    start, end = (len(encoded[:at].decode(errors="ignore")) for at in (node.col_offset, node.end_col_offset))
    return start, end


def _stack(frame: types.FrameType | None) -> tuple[Step, ...]:
    """The active functions, the innermost first, without those of NumPy and srcad."""
    steps: list[Step] = []
    while frame is not None and len(steps) < _DEEPEST:
        if not _is_passed_through(frame):
            steps.append(Step(frame))
        frame = frame.f_back
    return tuple(steps)


def _users(stack: Sequence[Step]) -> Step:
    """The innermost function that is not a library's."""
    return next((step for step in stack if not is_library(step.code.co_filename)), stack[0])


class Departures:
    """The conversions of tensors that one tape followed, and what is known to come from them."""

    def __init__(self) -> None:
        self._owners: dict[int, tuple[weakref.ref[Any], Step]] = {}
        self._stacks: dict[tuple[Step, ...], None] = {}
        self._fields: set[str] = set()
        self._seeds: dict[Source, dict[Any, Step]] = {}
        self._written: dict[Source, dict[Any, Step]] = {}  # arguments into which the functions called have stored
        self._flows: dict[Source, tuple[tuple[int, int, int], ValueFlow]] = {}
        self._without_source: dict[str, Step] = {}
        self._verdicts: dict[Any, list[Any]] = {}

    def note(self, frame: types.FrameType | None, array: Any = None) -> None:
        """A tensor is converted in this frame; `array` is what is handed out, if it is an array of its own."""
        stack = _stack(frame)
        if array is not None and stack:
            owner = _owner(array)
            self._owners[id(owner)] = weakref.ref(owner), _users(stack)
        if stack not in self._stacks:
            self._stacks[stack] = None
            self._verdicts.clear()
            self._find_seeds(stack)

    def _find_seeds(self, stack: Sequence[Step]) -> None:
        """The expressions that hold the array, or what functions compute from it, and return or store in arguments."""
        origin, is_value, stored, callee = _users(stack), True, set[str](), stack[0].code
        for step in stack:
            source = step.source()
            if source is None:
                if step is not stack[0]:
                    return
                self._without_source[step.code.co_filename] = origin
                callee = step.code
                continue  # it may be the value of an `eval`
            expressions = step.expressions(source)
            if is_value:
                known = self._seeds.setdefault(source, {})
                known.update((each, origin) for each in expressions if each not in known)
            given = [each for node in expressions for each, name in passed(node, callee) if name in stored]
            self._written.setdefault(source, {}).update(dict.fromkeys(given, origin))
            if is_library(step.code.co_filename) or not expressions or step.code.co_name.startswith("<"):
                continue  # what a library computes may depend on it
            flow, scope = self._flow(source), source.scope(expressions[0])
            is_value = flow.is_returned(scope)
            stored, callee = flow.changed(scope) & parameter_names(scope), step.code
            if not is_value and not stored:
                return
            if is_value and step.code.co_flags & inspect.CO_GENERATOR:
                self._fields.add(f"{step.code.co_name}()")  # who asks for an item need not be who called it

    def _flow(self, source: Source) -> ValueFlow:
        seeds, written = self._seeds.get(source, {}), self._written.get(source, {})
        known = len(seeds), len(written), len(self._fields)
        if self._flows.get(source, (None,))[0] != known:
            self._flows[source] = known, ValueFlow(source, seeds, self._fields, written)
        return self._flows[source][1]

    def check(
        self,
        frame: types.FrameType | None,
        name: str | None,
        values: Sequence[Any],
        named: Mapping[str, Any],
        known: Collection[int],
    ) -> None:
        """Raise GradientCut if an argument of an operation comes from a tensor that has left the tape.

        name    of the operation, None if the arguments are not those of a call in the source
        known   the identities that the tape follows: arguments that have one of these come from no conversion
        """
        places = [place for place, each in enumerate(values) if _may_carry(each, known)]
        keywords = [keyword for keyword, each in named.items() if _may_carry(each, known)]
        if not places and not keywords:
            return
        carried = flatten(([values[place] for place in places], [named[keyword] for keyword in keywords]))
        arrays = [each for each in carried if type(each) is np.ndarray]
        for owner in map(_owner, arrays):
            reference, step = self._owners.get(id(owner), (None, None))
            if reference is not None and step is not None and reference() is owner:
                raise _refusal(_stack(frame), step)
        stack = _stack(frame)
        key = stack, name, len(values), *places, *keywords
        if key not in self._verdicts:
            self._verdicts[key] = self._reached(stack, name, len(values), places, keywords)
        reached = [each for each in self._verdicts[key] if not _is_followed(each, frame, known)]
        if reached:
            raise _refusal(stack, self._conversion(stack, reached[0]))
        if arrays and stack and (unseen := self._without_source.get(stack[0].code.co_filename)) is not None:
            raise _refusal(stack, unseen)

    def _reached(
        self, stack: Sequence[Step], name: str | None, count: int, places: Sequence[int], keywords: Sequence[str]
    ) -> list[Any]:
        """The expressions of these arguments that may hold what has left the tape."""
        source = stack[0].source() if stack else None
        if source is None:
            return []
        flow, found = self._flow(source), []
        nodes = stack[0].expressions(source)  # several before Python 3.11: those that may be this operation, if any
        for node in [each for each in nodes if is_operation(each, name)] or nodes:
            names = flow.names(source.scope(node), self._parameters(stack))
            given = _arguments(node, name, count, places, keywords)
            found += [each for each in given if flow.reaches(each, names)]
        return found

    def _conversion(self, stack: Sequence[Step], node: Any) -> Step:
        """The conversion that reaches an expression; the first of all if it is reached through other functions."""
        source = stack[0].source()
        if source is None:
            return _users(next(iter(self._stacks)))
        seeds, written = self._seeds.get(source, {}), self._written.get(source, {})
        for step in dict.fromkeys([*seeds.values(), *written.values()]):
            of_step = ([each for each, origin in of.items() if origin == step] for of in (seeds, written))
            flow = ValueFlow(source, next(of_step), set(), next(of_step))
            if flow.reaches(node, flow.names(source.scope(node))):
                return step
        return _users(next(iter(self._stacks)))

    def _parameters(self, stack: Sequence[Step]) -> set[str]:
        """The parameters of the innermost function that may hold what has left the tape."""
        callee, *callers = stack
        if not callers or (is_library(callers[0].code.co_filename) and not is_library(callee.code.co_filename)):
            return set()
        source = callers[0].source()
        found: set[str] = set()
        if source is None:
            return found
        flow = self._flow(source)
        for node in callers[0].expressions(source):
            reached = flow.names(source.scope(node), self._parameters(callers))
            found |= {name for each, name in passed(node, callee.code) if flow.reaches(each, reached)}
            if is_handed(node, callee.code) and any(flow.reaches(each, reached) for each in parts(node)):
                found.update(callee.code.co_varnames[: callee.code.co_argcount])
        return found


def _owner(array: Any) -> Any:
    """The array whose memory an array uses."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _may_carry(value: Any, known: Collection[int]) -> bool:
    """Whether a value is a floating-point number or array, or a list with one, that a tape does not follow."""
    if isinstance(value, (list, tuple)):
        return any(_may_carry(each, known) for each in value)
    if isinstance(value, (float, complex, np.inexact)):
        return True
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind in ("f", "c") and getattr(value, "_identity", None) not in known


def _is_followed(node: Any, frame: types.FrameType | None, known: Collection[int]) -> bool:
    """Whether an expression is the name of a tensor that the tape follows."""
    while frame is not None and _is_passed_through(frame):
        frame = frame.f_back
    if frame is None or not isinstance(node, ast.Name):
        return False
    value = frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    return getattr(value, "_identity", None) in known


def _arguments(
    node: Any, name: str | None, count: int, places: Sequence[int], keywords: Sequence[str]
) -> Sequence[Any]:
    """The expressions of arguments of an operation; all there are if it cannot be told which these are."""
    is_same = not isinstance(node, ast.Call) or called_name(node) == name
    given = operands(node, count) if is_same and name is not None else None
    if given is None:
        return parts(node)
    named = [each.value for each in getattr(node, "keywords", ()) if each.arg is None or each.arg in keywords]
    return [*(given[place] for place in places), *named]


def _refusal(stack: Sequence[Step], origin: Step) -> Exception:
    at = stack[0].place(stack[0].source()) if stack else None
    return COMES_BACK.at(at, origin=f"{origin.code.co_filename}:{origin.line}")
