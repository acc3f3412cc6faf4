"""Execution tracing: run a core function on actual arguments, and record the types of names and the blocks reached."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np
from numba import typeof
from numba.core import errors
from numba.core.registry import cpu_target
from numba.core.types import Array, BaseTuple, Type, pyobject

from srcad.errors import Place, UnsupportedSyntax
from srcad.refusals.types_and_results import TYPE_CHANGES
from srcad.transforms.inference.subroutine_types import WATCHING, Subroutine
from srcad.transforms.inference.type_inference import as_written, callees_in, executable, place_of_line
from srcad.transforms.ir.build import (
    Block,
    call,
    const,
    inner_blocks,
    is_exit,
    load,
    place_of,
    rewrite,
    walk_statements,
    written,
)
from srcad.transforms.ir.name_types import carries_derivatives
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.unit import Unit

_PLACE = "__srcad_place__"
_NOTES = "__notes__"  # where `add_note` of Python 3.11 and later keeps them


@dataclass
class Watched:
    """What the runs have shown.

    types       the type of each name that got a value; None for objects that Numba has no type for
    reached     blocks that were run, as (number of the compound statement in source order, which of its blocks)
    result      the type of the result
    until       when to give up, by `time.monotonic`
    wanted      the names to record; None for all
    """

    types: dict[str, Type | None] = field(default_factory=dict)
    reached: set[tuple[int, int]] = field(default_factory=set)
    result: Type = pyobject
    until: float = math.inf
    seen: dict[str, set[Any]] = field(default_factory=dict)
    wanted: Collection[str] | None = None

    def store(self, name: str, value: Any) -> None:
        """Record the value that a name takes."""
        if self.until < math.inf and time.monotonic() > self.until:
            raise TakesTooLong
        if value is UNSET or (self.wanted is not None and name not in self.wanted):
            return
        key, seen = _key(value), self.seen.setdefault(name, set())
        if key in seen:
            return
        seen.add(key)
        kind = type_of(value)
        self.types[name] = joined(name, self.types[name], kind) if name in self.types else kind

    def enter(self, number: int, arm: int) -> None:
        """Record that a block is run."""
        self.reached.add((number, arm))


class TakesTooLong(Exception):
    """A run that only serves to explain an error takes too long."""


class Conflict(Exception):
    """A name has taken values whose types have nothing in common."""

    def __init__(self, name: str, one: Type | None, other: Type | None) -> None:
        super().__init__(name)
        self.name, self.kinds = name, sorted(map(_in_words, (one, other)))

    def as_error(self, unit: Unit) -> UnsupportedSyntax:
        """The error for the user, at the place where the name gets its value."""
        place = _last_place(unit, self.name)
        one, other = self.kinds
        return TYPE_CHANGES.at(place, name=as_written(f"'{self.name}'", place), one=one, other=other)


def _in_words(kind: Type | None) -> str:
    if kind is None:
        return "an object"
    if isinstance(kind, Array):
        return f"an array of {kind.dtype} with {kind.ndim} " + ("axis" if kind.ndim == 1 else "axes")
    return f"of type {kind}"


def _last_place(unit: Unit, name: str) -> Place | None:
    """Where a name gets its last value, followed through the copies that SSA form makes."""
    stores = {str(written(each)): each for each in walk_statements(unit.tree.body) if isinstance(each, gast.Assign)}
    statement, seen = stores.get(name), {name}
    while statement is not None and isinstance(statement.value, gast.Name) and statement.value.id not in seen:
        seen.add(statement.value.id)
        statement = stores.get(statement.value.id, statement)
    return None if statement is None else place_of(statement)


def watch(
    unit: Unit,
    samples: Sequence[tuple[Any, ...]],
    seconds: float = math.inf,
    wanted: Collection[str] | None = None,
) -> Watched:
    """Run the function once for each tuple of arguments, on copies; the state of random generators is restored.

    Raises TakesTooLong if that takes more than so many `seconds`.

    >>> from srcad.frontend.lower import lower
    >>> from srcad.frontend.load_source import load
    >>> def f(x):
    ...     y = x * 2.0
    ...     return y if x > 0.0 else -y
    >>> found = watch(lower(load(f)), [(1.0,)])
    >>> found.types["y"], found.result, len(found.reached)
    (float64, float64, 1)
    """
    watched = Watched(until=time.monotonic() + seconds, wanted=wanted)
    run = _Watching(unit, watched)
    instrumented = run.unit
    state = np.random.get_state()
    try:
        for sample in samples:
            run(own_copy(each) for each in sample[: len(unit.parameters)])
    except Exception as problem:  # the function's own exception, of any kind
        _note_place(problem, instrumented)
        raise
    finally:
        np.random.set_state(state)
    watched.result = watched.types.pop("return", None) or pyobject
    return watched


class _Watching:
    """A function that records what happens in its runs."""

    def __init__(self, unit: Unit, watched: Watched) -> None:
        self.watched, self.unit = watched, _instrumented(unit, watched)
        self.function = executable(self.unit)

    def __call__(self, given: Iterable[Any]) -> Any:
        arguments = tuple(given)
        for name, value in zip(self.unit.parameters, arguments, strict=False):
            self.watched.store(name, value)
        result = self.function(*arguments)
        self.watched.store("return", result)
        return result


@dataclass
class _WatchedCall(Watched):
    """What the runs of a subroutine have shown, of which a name may have taken values that have nothing in common."""

    conflict: Conflict | None = None

    def store(self, name: str, value: Any) -> None:
        """Record the value that a name takes, or that it fits no other."""
        try:
            super().store(name, value)
        except Conflict as problem:
            self.conflict = problem


class Calls:
    """What has happened in subroutines while their caller was watched, by the types of their arguments."""

    def __init__(self) -> None:
        self._known: dict[tuple[Subroutine, tuple[Type | None, ...]], _Watching] = {}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Record the calls in the block, in place of what was recorded before."""
        self._known.clear()
        before = WATCHING.set(self._run)
        try:
            yield
        finally:
            WATCHING.reset(before)

    def _run(self, subroutine: Subroutine, args: tuple[Any, ...]) -> Any:
        key = subroutine, tuple(map(type_of, args))
        if key not in self._known:
            self._known[key] = _Watching(subroutine.ssa, _WatchedCall())
        return self._known[key](args)

    def of(self, subroutine: Subroutine, kinds: tuple[Type, ...]) -> Watched | None:
        """What has happened in calls with arguments of these types, in any memory order; None if nothing is known."""
        found = Watched(dict(zip(subroutine.ssa.parameters, kinds, strict=True)))
        shown = [
            each.watched
            for (called, given), each in self._known.items()
            if called is subroutine and _fits(given, kinds)
        ]
        if not shown or any(each.conflict for each in shown if isinstance(each, _WatchedCall)):
            return None
        try:
            for each in shown:
                for name, kind in each.types.items():
                    found.types[name] = joined(name, found.types[name], kind) if name in found.types else kind
                found.reached |= each.reached
        except Conflict:
            return None
        found.result = found.types.pop("return", None) or pyobject
        return found


def _fits(given: Sequence[Type | None], kinds: Sequence[Type]) -> bool:
    """Whether arguments have these types, but for the order of the memory of arrays."""
    return all(
        (one.ndim, one.dtype) == (other.ndim, other.dtype)
        if isinstance(one, Array) and isinstance(other, Array)
        else one == other
        for one, other in zip(given, kinds, strict=True)
    )


def place_noted(problem: Exception) -> Place | None:
    """The line that was recorded on an exception."""
    return getattr(problem, _PLACE, None)


def set_place(problem: Exception, place: Place | None) -> None:
    """Record the line on an exception."""
    if place is not None:
        setattr(problem, _PLACE, place)
        add_note(problem, "\n".join([f"at {place}", *place.trail()]))


def add_note(problem: Exception, text: str) -> None:
    """Add a note to an exception. Python 3.10 does not print notes, but pytest and IPython do."""
    setattr(problem, _NOTES, [*getattr(problem, _NOTES, ()), text])


def _note_place(problem: Exception, unit: Unit) -> None:
    """Record which line of the user's code raised an exception."""
    units = {f"<core of {each.name}>": each for each in (unit, *callees_in(unit))}
    place, trace = None, problem.__traceback__
    while trace is not None:
        inner = units.get(trace.tb_frame.f_code.co_filename)
        place = place if inner is None else place_of_line(inner, trace.tb_lineno) or place
        trace = trace.tb_next
    set_place(problem, place)


def _instrumented(unit: Unit, watched: Watched) -> Unit:
    tree = unit.copy_tree()
    numbers = {id(statement): number for number, statement in enumerate(walk_statements(tree.body))}
    names = unit.names.copy()
    store, enter, unset = names.fresh("store"), names.fresh("enter"), names.fresh("unset")

    def stored(name: str) -> gast.stmt:
        return gast.Expr(value=call(store, const(name), load(name)))

    def instrumented(statement: Any) -> Block:
        if isinstance(statement, gast.Expr):  # output, which belongs to the actual run
            return [gast.Pass()]
        if notes_of(statement).unset:
            statement.value = load(unset)
        name = written(statement)
        for arm, inner in enumerate(inner_blocks(statement)):
            if inner and not is_exit(statement):
                entered = gast.Expr(value=call(enter, const(numbers[id(statement)]), const(arm)))
                inner[:0] = [entered, stored(str(name))] if isinstance(statement, gast.For) else [entered]
        return [statement, stored(name)] if name and isinstance(statement, gast.Assign) else [statement]

    tree.body = rewrite(tree.body, instrumented)
    bound = {store: watched.store, enter: watched.enter, unset: UNSET}
    return unit.with_tree(tree, bindings={**unit.bindings, **bound}, names=names)


class _Unset:
    """The value of a name that has none yet: it can be copied, but not used."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise UnboundLocalError("a variable is read before it has a value")

    def __bool__(self) -> bool:
        raise UnboundLocalError("a variable is read before it has a value")


UNSET = _Unset()


def type_of(value: Any) -> Type | None:
    """Numba's type of a value, or None if there is none."""
    try:
        kind = typeof(value)
    except (ValueError, errors.NumbaError):
        return None
    return None if getattr(kind, "dtype", None) == pyobject else kind


def _key(value: Any) -> Any:
    """A key that is equal for values of the same type, and quick to compute."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.ndim, value.flags.num
    if isinstance(value, (tuple, list)):
        return type(value), *map(_key, value)
    return type(value)


def joined(name: str, one: Type | None, other: Type | None) -> Type | None:
    """The common type of values of two types; None where that can only be an object.

    >>> from numba import types
    >>> joined("x", types.int64, types.float64), joined("x", types.unicode_type, types.int64)
    (float64, None)
    """
    if one == other:
        return one
    if one is None or other is None:
        if carries_derivatives(one if other is None else other) and not isinstance(one or other, BaseTuple):
            raise Conflict(name, one, other)
        return None  # where derivatives would pass through tuples of several lengths is refused later
    if isinstance(one, Array) and isinstance(other, Array) and (one.ndim, one.dtype) == (other.ndim, other.dtype):
        layout = one.layout if one.layout == other.layout else "A"
        return Array(one.dtype, one.ndim, layout, readonly=not (one.mutable and other.mutable))
    if not isinstance(one, Array) and not isinstance(other, Array):
        unified: Type | None = cpu_target.typing_context.unify_types(one, other)
        if unified is not None and unified != pyobject:
            return unified
        are_tuples = isinstance(one, BaseTuple) and isinstance(other, BaseTuple)
        if are_tuples or not (carries_derivatives(one) or carries_derivatives(other)):
            return None
    raise Conflict(name, one, other)


def own_copy(value: Any) -> Any:
    """A copy of an array, in the same memory order, or of a random generator; other arguments unchanged."""
    if isinstance(value, (np.random.Generator, np.random.RandomState)):
        return copy.deepcopy(value)
    return value.copy(order="K") if isinstance(value, np.ndarray) else value
