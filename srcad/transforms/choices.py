"""Which names are now one array, now another, of which one is written into, and what each can be where it is used.

    b = u if c else v       b is `u` or `v`
    w = b[1:]               w is `u[1:]` or `v[1:]`
    u, v = v, u             one is `u`, the other `v`: never both the same

A value is an array's own name, or a view that is taken anew where it is used (`Taken`). Names are followed together, so
that two buffers that trade places are never taken for one. `choose` rewrites what is found here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from srcad.errors import MayOverlap
from srcad.runtime import registry
from srcad.transforms.build import Block, inner_blocks, reads, stores_into, walk_statements, written
from srcad.transforms.cost_model import MOST_STATES
from srcad.transforms.moves import check_copy
from srcad.transforms.node_notes import notes_of
from srcad.transforms.primitive import primitive_of
from srcad.transforms.program import Program
from srcad.transforms.typing import differentiable
from srcad.transforms.views import OUT_OF_REACH, is_view


class CannotFollow(Exception):
    """What the names may be is not known, or is too much; the function stays as it is."""


@dataclass(frozen=True)
class Taken:
    """A view, by the number of the statement that takes it, of a value."""

    number: int
    base: Value


Value = str | Taken
State = tuple[Value | None, ...]  # for each chosen name, None before it is stored


@dataclass
class Choices:
    """What is known of the chosen names of one function.

    names     the chosen names; a state has their values in this order
    own       names for arrays that are made where a chosen name is stored, by the number of that statement
    before    number of a statement -> the states in which it runs
    """

    program: Program
    names: tuple[str, ...]
    own: dict[int, str]
    before: dict[int, set[State]] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, list[Value]]:
        """What each chosen name can ever be."""
        found: dict[str, dict[Value, None]] = {name: {} for name in self.names}
        for number in sorted(self.before):
            for state in sorted(self.before[number], key=str):
                for name, value in zip(self.names, state, strict=True):
                    if value is not None:
                        found[name][value] = None
        return {name: list(each) for name, each in found.items()}

    def stored(self, statement: gast.stmt, state: State) -> Value | None:
        """The value that a statement gives to a chosen name."""
        match statement:
            case gast.Assign(value=gast.Name(id=source)):
                return self.value(source, state)
        if notes_of(statement).is_stand_in:
            return None
        number, base = self.program.flow.spot(statement).number, view_of(self.program, statement)
        if base is None:
            return self.own[number]
        value = self.value(base, state)
        return None if value is None else Taken(number, value)

    def value(self, name: str, state: State) -> Value | None:
        """What a name of an array stands for."""
        if name in self.names:
            return state[self.names.index(name)]
        taken = self.program.flow.single(name)
        base = None if taken is None else view_of(self.program, taken)
        if taken is None or base is None:
            return name
        value = self.value(base, state)
        return None if value is None else Taken(self.program.flow.spot(taken).number, value)

    def run(self, block: Block, states: set[State]) -> set[State]:
        """The states behind a block; notes those before each statement."""
        flow = self.program.flow
        for statement in block:
            if len(states) > MOST_STATES:
                raise CannotFollow
            self.before.setdefault(flow.spot(statement).number, set()).update(states)
            if isinstance(statement, gast.If):
                states = self.inside(statement.body, states) | self.inside(statement.orelse, states)
            elif isinstance(statement, (gast.For, gast.While)):
                known: set[State] = set()
                while not states <= known:
                    known |= states
                    states = states | self.inside(statement.body, known)
            elif written(statement) in self.names:
                k = self.names.index(str(written(statement)))
                states = {(*state[:k], self.stored(statement, state), *state[k + 1 :]) for state in states}
        return states

    def inside(self, block: Block, states: set[State]) -> set[State]:
        """The states behind an inner block, without names that are stored in it only."""
        within = {id(statement) for statement in walk_statements(block)}
        stores = self.program.flow.stores
        ends = [all(id(store) in within for store in stores[name]) for name in self.names]
        behind = self.run(block, states)
        return {tuple(None if end else v for end, v in zip(ends, state, strict=True)) for state in behind}


def view_of(program: Program, statement: gast.stmt) -> str | None:
    """The array of which a statement certainly takes a view that can be written through."""
    name, value = written(statement), getattr(statement, "value", None)
    if name is None or value is None or isinstance(value, gast.Name):
        return None
    if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
        return program.roots.views.get(name) and str(value.value.id)
    primitive = primitive_of(value, program.unit.bindings)
    rule = registry.find(primitive) if isinstance(value, gast.Call) else None
    if rule is not None and rule.kind == "view" and primitive not in OUT_OF_REACH:
        return str(value.args[0].id)
    return None


def is_reference(program: Program, store: gast.stmt) -> bool:
    """Whether a statement gives a name an array that is there, or a view of one."""
    return isinstance(getattr(store, "value", None), gast.Name) or view_of(program, store) is not None


def chosen_groups(program: Program, insist: bool = False) -> list[set[str]]:
    """Names of arrays that cannot stay as they are, with all others that may be one of the same arrays.

    With `insist`, all names of arrays that are written into, and are one of several.
    """
    stores = {
        name: [store for store in found if isinstance(store, gast.Assign)]
        for name, found in program.flow.stores.items()
        if program.types.is_array(name) and differentiable(program.types.get(name))
    }
    linked = {
        name: {store.value.id for store in found if isinstance(store.value, gast.Name)}
        for name, found in stores.items()
        if any(isinstance(store.value, gast.Name) for store in found) or _is_one_of_views(program, name, found)
    }
    starts = [name for name in linked if insist and program.roots.is_written(name)]
    starts += [name for name in linked if _is_refused(program, name, stores[name])]
    starts += [base for name in stores for base in _refused_bases(program, name) if base in linked]
    groups: list[set[str]] = []
    for start in starts:
        if not any(start in group for group in groups):
            group, pending = set[str](), [start]
            while pending:
                name = pending.pop()
                if name not in group and name in linked:
                    group.add(name)
                    pending += [*linked[name], *(other for other in linked if program.roots.meet(name, other))]
            groups.append(group)
    return groups


def _is_one_of_views(program: Program, name: str, stores: list[gast.Assign]) -> bool:
    several = len(stores) > 1 and program.roots.is_written(name)
    return several and any(view_of(program, store) is not None for store in stores)


def _is_refused(program: Program, name: str, stores: list[gast.Assign]) -> bool:
    copies = [store for store in stores if isinstance(store.value, gast.Name)]
    return _is_one_of_views(program, name, stores) or any(_raises(check_copy, program, copy) for copy in copies)


def _refused_bases(program: Program, name: str) -> Iterator[str]:
    """What a view is taken of that cannot be followed, directly or not."""
    taken = program.flow.single(name)
    if taken is not None and name in program.roots.views and _raises(is_view, program, name, taken.value):
        base: str | None = program.roots.views[name]
        while base is not None:
            yield base
            base = program.roots.views.get(base)


def _raises(check: Callable[..., Any], *arguments: Any) -> bool:
    try:
        check(*arguments)
    except MayOverlap:
        return True
    return False


def follow(program: Program, names: tuple[str, ...], own: dict[int, str]) -> Choices:
    """What the chosen names are at each statement. Raises CannotFollow."""
    choices = Choices(program, names, own)
    choices.run(program.unit.tree.body, {(None,) * len(names)})
    for name, values in choices.values.items():
        for value in values:
            _check_lifetime(program, name, value, own)
    return choices


def _check_lifetime(program: Program, name: str, value: Value, own: dict[int, str]) -> None:
    """An array must be the same one for as long as a name may stand for it."""
    flow, numbered = program.flow, statements_of(program)
    around = [number for number, _ in flow.home(name) if number in flow.loops]
    made = {made: number for number, made in own.items()}
    while isinstance(value, Taken):
        _check_loops(program, numbered[value.number], around)
        value = value.base
    stores = [numbered[made[value]]] if value in made else flow.stores.get(value, [])
    for store in stores:
        _check_loops(program, store, around)


def _check_loops(program: Program, store: gast.stmt, around: list[int]) -> None:
    loops = [program.flow.spot(loop).number for loop in program.flow.spot(store).loops]
    if loops != around[: len(loops)]:
        raise CannotFollow


def statements_of(program: Program) -> dict[int, gast.stmt]:
    """All statements, by their numbers."""
    return {program.flow.spot(each).number: each for each in walk_statements(program.unit.tree.body)}


def uses_of(statement: gast.stmt) -> set[str]:
    """All names that a statement, or one inside of it, reads or writes into."""
    found: set[str] = set()
    for each in (statement, *(inner for block in inner_blocks(statement) for inner in walk_statements(block))):
        target = stores_into(each)
        found |= set(reads(each)) | ({target.value.id} if target is not None else set())
    return found


def stored_in(statement: gast.stmt) -> set[str | None]:
    """All names that a statement, or one inside of it, stores."""
    return {written(statement)} | {
        written(inner) for block in inner_blocks(statement) for inner in walk_statements(block)
    }
