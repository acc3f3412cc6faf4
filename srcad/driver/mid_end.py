"""The passes before differentiation, run in the order of the table, on a function and on those that it calls."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from numba import types as nb

from srcad.driver.passes import OPTIMISE, Pass
from srcad.errors import MayOverlap, SrcadError
from srcad.runtime.support import stage_timer
from srcad.transforms.checkpointing.loop_outlining import Finished, outlined
from srcad.transforms.inference.retyping import retyped
from srcad.transforms.inference.type_inference import Types, types_of, without_unreached
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.alias_versioning import choose
from srcad.transforms.normalise.callee_specialisation import Library
from srcad.transforms.normalise.observed_types import Observation
from srcad.transforms.normalise.type_decided_branches import without_decided


@dataclass(frozen=True)
class State:
    """A function between two passes, and the settings of its derivation; a pass is given those that it names.

    unit            the function
    types           of its names, once they are known
    counts          the names of the trip counts of its loops, by id of the loop, once there are any
    kinds           the types of the parameters
    samples         arguments of a run, where types are observed and not inferred
    observed        what the run showed
    loops           whether array statements become loops
    assumes         whether arrays that may broadcast are taken not to
    insist          whether names that are now one array, now another are rewritten where that may be idle
    is_reversed     whether checkpointed loops become calls, which only a reverse sweep has use for
    is_again        whether the function has been through these passes before it was differentiated: once is enough
    in_place        whether the function may write into its parameters
    numbers         tell outlined loops of one derivation apart
    """

    unit: Unit
    kinds: tuple[nb.Type, ...]
    types: Types = None  # type: ignore[assignment]  # until they are inferred; no pass before that asks for them
    counts: Mapping[int, str] = field(default_factory=dict)
    observed: Observation | None = None
    loops: bool = True
    assumes: bool = False
    insist: bool = False
    is_reversed: bool = False
    is_again: bool = False
    in_place: bool = False
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def samples(self) -> Any:
        """Arguments of the run in which types were observed."""
        return None if self.observed is None else self.observed.samples

    @property
    def result(self) -> nb.Type | None:
        """The type of what the function returns, once it is known."""
        return getattr(self.types, "result", None)

    @property
    def known(self) -> Types:
        """The types, for passes that can do without."""
        return self.types


def passed(state: State, rows: Iterable[Pass] = OPTIMISE, after: str | None = None) -> State:
    """The state after these passes, or after the one of this name."""
    for row in rows:
        state = run(row, state)
        if row.name == after:
            break
    return state


def run(row: Pass, state: State) -> State:
    """The state after one pass, if it is to be run."""
    if not is_due(row, state, state.unit.without):
        return state
    with stage_timer.in_stage(row.name):
        function = loaded(row)
        return _with(state, function(**arguments(function, state)), row.retypes)


def is_due(row: Pass, state: Any, without: Collection[str]) -> bool:
    """Whether the driver runs a pass: it is a step of its own, for these settings, and not left out."""
    return bool(row.function) and row.name not in without and settings_hold(row, state)


def settings_hold(row: Pass, state: Any) -> bool:
    """Whether a pass is for these settings."""
    return all(
        not getattr(state, name[4:]) if name.startswith("not ") else bool(getattr(state, name)) for name in row.when
    )


@cache
def loaded(row: Pass) -> Callable[..., Any]:
    """The function of a row."""
    found: Callable[..., Any] = row.load()
    return found


def arguments(function: Callable[..., Any], state: Any) -> dict[str, Any]:
    """What the parameters of a pass ask for, by name; `state` is the whole."""
    return {name: state if name == "state" else getattr(state, name) for name in _parameters(function)}


@cache
def _parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    return tuple(inspect.signature(function).parameters)


def _with(state: State, found: Any, retypes: bool) -> State:
    """The state with what a pass has given: nothing, where it only checks; a unit; a unit with types, and counts."""
    match found:
        case None:
            return state
        case State():
            return found
        case (unit, types):
            return replace(state, unit=unit, types=types)
        case (unit, types, counts):
            return replace(state, unit=unit, types=types, counts=counts)
    return _retyped(state, found) if retypes else replace(state, unit=found)


def _retyped(state: State, unit: Unit) -> State:
    """What a pass has made of a unit, with the types of its names."""
    if unit is state.unit:
        return state
    known = retyped(state.unit, state.types, unit)
    if known is not None:
        return replace(state, unit=unit, types=known)
    unit, types = reached_types(unit, state.kinds)
    return replace(state, unit=unit, types=types)


def reached_types(unit: Unit, kinds: tuple[nb.Type, ...]) -> tuple[Unit, Types]:
    """Types from Numba's inference, and the unit without what it has found to be never reached."""
    types = types_of(unit, kinds)
    return without_unreached(unit, types), types


def infer_types(state: State) -> State:
    """Types from Numba's inference, else from what was observed; the unit then without what was not."""
    found = reached_types(state.unit, state.kinds) if state.observed is None else state.observed.types_of(state.unit)
    return replace(state, unit=found[0], types=found[1])


def specialise_callees(state: State) -> State:
    """Calls of functions that are not inlined become calls of their versions, which go through the passes as well."""
    unit, types = Library(finisher(state)).specialise(state.unit, state.types)
    return replace(state, unit=unit, types=types)


def drop_decided_branches(state: State) -> State:
    """The unit without branches that types decide; types of a run do not decide any."""
    if state.observed is not None:
        return state
    return replace(state, unit=without_decided(state.unit, state.types))


def outline_checkpointed_loops(state: State) -> State:
    """Checkpointed loops as calls; where the arrays of one cannot be told apart, all choices are made numbers."""
    finish, numbers = finisher(state), state.numbers
    try:
        unit, types = outlined(state.unit, state.types, finish, numbers)
    except MayOverlap as refused:
        if state.is_again or state.insist:
            raise
        try:
            unit, types = outlined(*choose(state.unit, state.types, insist=True), finish, numbers)
        except SrcadError:
            raise refused from None
    return replace(state, unit=unit, types=types)


def finisher(state: State) -> Callable[..., Finished]:
    """What takes a function that is called as far as this one gets before differentiation."""

    def finish(unit: Unit, types: Types, kinds: tuple[nb.Type, ...], in_place: bool = False) -> Finished:
        unit = replace(unit, without=state.unit.without)
        last = passed(replace(state, unit=unit, types=types, kinds=kinds, in_place=in_place, counts={}))
        return last.unit, last.types, last.counts

    return finish
