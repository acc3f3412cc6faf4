"""Alias cases: names that may refer to one of several arrays, of which one is written, with the possible arrays.

    b = u if c else v       b is `u` or `v`
    w = b[1:]               w is `u[1:]` or `v[1:]`
    u, v = v, u             one is `u`, the other `v`: never both the same

A value is an array's own name, or a view that is taken again where it is used (`Taken`). All such names are tracked
together as one state, so two buffers that are swapped are never assumed to be the same. `alias_versioning` rewrites the
function with these results.

It also finds the runs of statements that are to be versioned, one copy per case of the names used in them:

    for i in range(n):          uses `b`
        b[i] = x[i]
    s = b[0] * b[1]             so does this, and `b` is the same one: they are repeated together
    b = u                       stores `b`: ends the run

A view of such a name that is used after the run in which it is taken must be tracked as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from srcad.errors import MayOverlap
from srcad.runtime.rulebook import registry
from srcad.transforms.analysis.dataflow import Forward, closure
from srcad.transforms.analysis.ownership import check_copy
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.view_adjoints import OUT_OF_REACH, is_view
from srcad.transforms.ir.build import Block, inner_blocks, stores_into, walk_statements, written
from srcad.transforms.ir.cost_model import MOST_CASES, MOST_STATES
from srcad.transforms.ir.name_types import differentiable
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.side_effects import reads, stored_in


class CannotFollow(Exception):
    """The possible values of the names are unknown, or too many; the function is not rewritten."""


@dataclass(frozen=True)
class Taken:
    """A view of a value, identified by the number of the statement that takes it."""

    number: int
    base: Value


Value = str | Taken
State = tuple[Value | None, ...]  # for each tracked name, None before it is stored


@dataclass
class Choices:
    """The possible values of the tracked names of one function.

    names     the tracked names; a state has their values in this order
    own       names for arrays that are made where a tracked name is stored, by the number of that statement
    before    number of a statement -> the states in which it runs
    """

    program: Program
    names: tuple[str, ...]
    own: dict[int, str]
    before: dict[int, frozenset[State]] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, list[Value]]:
        """The values that each tracked name may have anywhere."""
        found: dict[str, dict[Value, None]] = {name: {} for name in self.names}
        for number in sorted(self.before):
            for state in sorted(self.before[number], key=str):
                for name, value in zip(self.names, state, strict=True):
                    if value is not None:
                        found[name][value] = None
        return {name: list(each) for name, each in found.items()}

    def stored(self, statement: gast.stmt, state: State) -> Value | None:
        """The value that a statement assigns to a tracked name."""
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
        """The value of an array name in a state."""
        if name in self.names:
            return state[self.names.index(name)]
        taken = self.program.flow.single(name)
        base = None if taken is None else view_of(self.program, taken)
        if taken is None or base is None:
            return name
        value = self.value(base, state)
        return None if value is None else Taken(self.program.flow.spot(taken).number, value)


class _Following(Forward[frozenset[State]]):
    """The states in which each statement may run."""

    def __init__(self, choices: Choices) -> None:
        self.choices = choices

    def join(self, one: frozenset[State], other: frozenset[State]) -> frozenset[State]:
        return one | other

    def transfer(self, statement: gast.stmt, state: frozenset[State]) -> frozenset[State]:
        if len(state) > MOST_STATES:
            raise CannotFollow
        choices, name = self.choices, written(statement)
        if name not in choices.names:
            return state
        k = choices.names.index(name)
        return frozenset((*each[:k], choices.stored(statement, each), *each[k + 1 :]) for each in state)

    def leave(self, block: Block, state: frozenset[State]) -> frozenset[State]:
        """The states without the names that are stored only in the block."""
        within = set(walk_statements(block))
        stores = self.choices.program.flow.stores
        ends = [within.issuperset(stores[name]) for name in self.choices.names]
        return frozenset(tuple(None if end else value for end, value in zip(ends, each, strict=True)) for each in state)


def view_of(program: Program, statement: gast.stmt) -> str | None:
    """The array of which a statement certainly takes a view that can be written through."""
    name, value = written(statement), getattr(statement, "value", None)
    if name is None or value is None or isinstance(value, gast.Name):
        return None
    if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Name):
        return program.aliases.views.get(name) and str(value.value.id)
    primitive = primitive_of(value, program.unit.bindings)
    rule = registry.find(primitive) if isinstance(value, gast.Call) else None
    if rule is not None and rule.kind == "view" and primitive not in OUT_OF_REACH:
        return str(value.args[0].id)
    return None


def is_reference(program: Program, store: gast.stmt) -> bool:
    """Whether a statement assigns an existing array, or a view of one."""
    return isinstance(getattr(store, "value", None), gast.Name) or view_of(program, store) is not None


def chosen_groups(program: Program, insist: bool = False) -> list[set[str]]:
    """Groups of array names that need case-splitting, each with all names that may alias them.

    With `insist`, also all names of written arrays that may refer to one of several arrays.
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
    starts = [name for name in linked if insist and program.aliases.is_written(name)]
    starts += [name for name in linked if _is_refused(program, name, stores[name])]
    starts += [base for name in stores for base in _refused_bases(program, name) if base in linked]

    def related(name: str) -> list[str]:
        return [other for other in linked if other in linked[name] or program.aliases.may_alias(name, other)]

    groups: list[set[str]] = []
    for start in starts:
        if not any(start in group for group in groups):
            groups.append(set(closure([start], related)))
    return groups


def _is_one_of_views(program: Program, name: str, stores: list[gast.Assign]) -> bool:
    several = len(stores) > 1 and program.aliases.is_written(name)
    return several and any(view_of(program, store) is not None for store in stores)


def _is_refused(program: Program, name: str, stores: list[gast.Assign]) -> bool:
    copies = [store for store in stores if isinstance(store.value, gast.Name)]
    return _is_one_of_views(program, name, stores) or any(_raises(check_copy, program, copy) for copy in copies)


def _refused_bases(program: Program, name: str) -> Iterator[str]:
    """The arrays, direct or indirect, under a view that cannot be followed."""
    taken = program.flow.single(name)
    if taken is not None and name in program.aliases.views and _raises(is_view, program, name, taken.value):
        base: str | None = program.aliases.views[name]
        while base is not None:
            yield base
            base = program.aliases.views.get(base)


def _raises(check: Callable[..., Any], *arguments: Any) -> bool:
    try:
        check(*arguments)
    except MayOverlap:
        return True
    return False


def follow(program: Program, names: tuple[str, ...], own: dict[int, str]) -> Choices:
    """The possible values of the names at each statement. Raises CannotFollow."""
    choices = Choices(program, names, own)
    found = _Following(choices).solve(program.unit.tree.body, frozenset([(None,) * len(names)]))
    choices.before = {program.flow.spot(statement).number: states for statement, states in found.before.items()}
    for name, values in choices.values.items():
        for value in values:
            _check_lifetime(program, name, value, own)
    return choices


def _check_lifetime(program: Program, name: str, value: Value, own: dict[int, str]) -> None:
    """Refuse values that could refer to different arrays while the name is live."""
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
    """All statements, by number."""
    return {program.flow.spot(each).number: each for each in walk_statements(program.unit.tree.body)}


def uses_of(statement: gast.stmt) -> set[str]:
    """All names that a statement, including nested ones, reads or writes into."""
    found: set[str] = set()
    for each in (statement, *(inner for block in inner_blocks(statement) for inner in walk_statements(block))):
        target = stores_into(each)
        found |= set(reads(each)) | ({target.value.id} if target is not None else set())
    return found


Case = dict[str, Value | None]  # None for a name that has no value on some path, and is not used there


class Runs:
    """The runs of statements of one function that are to be versioned, by the number of their first statement."""

    def __init__(self, choices: Choices) -> None:
        self.choices, self.program = choices, choices.program
        self.chosen = set(choices.names)
        self.found: dict[int, Block] = {}
        self.statements = statements_of(self.program)
        self.places: dict[str, set[int]] = {}  # numbers of the statements that read or store a name
        body = self.program.unit.tree.body
        for statement in walk_statements(body):
            for name in {written(statement), *reads(statement)} - {None}:
                self.places.setdefault(str(name), set()).add(self.number(statement))
        self.find(body)

    def number(self, statement: gast.stmt) -> int:
        """The statement's number in source order."""
        return self.program.flow.spot(statement).number

    def find(self, block: Block) -> None:
        """Find the longest runs that use tracked names without storing any."""
        run: Block = []
        for statement in [*block, None]:
            if statement is not None and self.uses_chosen(statement):
                run.append(statement)
                continue
            if run and statement is not None and _is_plain(statement) and written(statement) not in self.chosen:
                run.append(statement)  # removed again if nothing after it uses a tracked name
                continue
            self.close(run)
            run = []
            for inner in inner_blocks(statement) if statement is not None else []:
                self.find(inner)

    def uses_chosen(self, statement: gast.stmt) -> bool:
        """Whether a statement uses tracked names and stores none."""
        if isinstance(statement, gast.Return) or stored_in([statement]) & self.chosen:
            return False
        return bool(uses_of(statement) & self.chosen)

    def close(self, run: Block) -> None:
        """Record a run, trimmed to the statements that must be in it, or split into parts."""
        while run and not uses_of(run[0]) & self.chosen:
            run.pop(0)
        needed = set(self.chosen)
        for statement in run:
            needed |= {str(written(statement))} if uses_of(statement) & needed and self.makes(statement) else set()
        while run and not uses_of(run[-1]) & needed:
            run.pop()
        own = self.own_names(run)
        for k, statement in enumerate(run):
            if self.makes(statement) and not uses_of(statement) & self.chosen and written(statement) not in own:
                self.close(run[:k])  # allocates one array that all cases use, so it is not repeated
                self.close(run[k + 1 :])
                return
        if run and len(self.cases(run)) > MOST_CASES:
            for statement in run:
                if self.uses_chosen(statement):
                    self.found[self.number(statement)] = [statement]
        elif run:
            self.found[self.number(run[0])] = run

    def own_names(self, run: Block) -> set[str]:
        """The names that a run stores, and nothing outside of it uses."""
        numbers = set(map(self.number, walk_statements(run)))
        stored = {written(inner) for inner in walk_statements(run)} - {None}
        return {str(name) for name in stored if self.places[str(name)] <= numbers}

    def carried_names(self, run: Block) -> list[str]:
        """The names that a loop in a versioned run carries, and that are stored or read outside of the run as well.

        Raises CannotFollow where such a name is stored after the run.
        """
        if len(self.cases(run)) < 2:
            return []
        flow, around = self.program.flow, len(self.program.flow.spot(run[0]).loops)
        inside = [inner for inner in walk_statements(run) if len(flow.spot(inner).loops) > around]
        names = {written(inner) for inner in inside} - {None} - self.own_names(run)
        if any(written(statement) in names for statement in self.behind(run)):
            raise CannotFollow
        return sorted(map(str, names))

    def behind(self, run: Block) -> list[gast.stmt]:
        """The statements after a run, in source order."""
        last = self.program.flow.last_inside[self.number(run[-1])]
        return [statement for number, statement in self.statements.items() if number > last]

    def is_given(self, name: str, run: Block) -> bool:
        """Whether a name has a value at the start of a run."""
        first = self.number(run[0])
        return any(self.number(store) < first for store in self.program.flow.stores[name])

    def makes(self, statement: gast.stmt) -> bool:
        """Whether the statement makes an array."""
        return self.program.types.is_array(str(written(statement)))

    def cases(self, run: Block) -> list[Case]:
        """The possible combinations of values of the tracked names that a run uses.

        Where none of them has a value, the run uses none, and any version does that takes no view of an array.
        """
        found = self._combined(run)
        takes_views = any(isinstance(value, Taken) for case in found for value in case.values())
        return [case for case in found if takes_views or any(case.values())]

    def cases_of(self, statement: gast.stmt) -> list[Case]:
        """The same for a statement that uses all of its names: these have values then."""
        return [case for case in self._combined([statement]) if None not in case.values()]

    def _combined(self, run: Block) -> list[Case]:
        used = sorted(set().union(*map(uses_of, run)) & self.chosen)
        states = sorted(self.choices.before.get(self.number(run[0]), ()), key=str)
        every = dict.fromkeys(tuple(self.choices.value(name, state) for name in used) for state in states)
        return [dict(zip(used, values, strict=True)) for values in every]

    def partial(self) -> bool:
        """Whether a run is to be versioned for names of which some have no value."""
        return any(None in case.values() for run in self.found.values() for case in self.cases(run))

    def escaping_views(self) -> set[str]:
        """The views of tracked names that are used outside of the run that takes them."""
        home = {self.number(inner): first for first, run in self.found.items() for inner in walk_statements(run)}
        program, found = self.program, set[str]()
        for name, base in program.aliases.views.items():
            if name in self.chosen or not program.types.is_array(name):
                continue
            if base in self.chosen or base in found:
                homes = {home.get(number, -1) for number in self.places[name]}
                if len(homes) > 1 or -1 in homes or self.is_handed(name):
                    found.add(name)
        for name in found:
            if any(not is_reference(program, store) for store in program.flow.stores[name]):
                raise CannotFollow
        return found

    def is_handed(self, name: str) -> bool:
        """Whether a tracked name may be assigned from this one."""
        stores = [store for chosen in self.chosen for store in self.program.flow.stores[chosen]]
        return any(isinstance(store.value, gast.Name) and store.value.id == name for store in stores)


def _is_plain(statement: gast.stmt) -> bool:
    return not inner_blocks(statement) and not isinstance(statement, gast.Return)
