"""Loop state: what a checkpointed loop reads, writes to, and carries from one iteration to the next.

Snapshots hold the loop-carried names and the written arrays, except arrays that the loop never reads. Where the loop
swaps arrays, each name takes over another name's array or gets a new one; anything that cannot be followed like this is
refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import gast

from srcad.refusals.loops import CHECKPOINTED_CARRIED_VALUE, CHECKPOINTED_EFFECTS
from srcad.refusals.memory import CHECKPOINTED_OVERLAP
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.liveness import Live, liveness
from srcad.transforms.analysis.ownership import are_apart, named, owner
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.inference.subroutine_types import Specialised, callee_of
from srcad.transforms.ir.build import dotted_path, names_in, place_of, stores_into, walk, walk_statements, written
from srcad.transforms.ir.side_effects import is_draw, reads
from srcad.transforms.storage.tbr import names_with_content
from srcad.transforms.sweeps.iteration_local_reversal import accesses


@dataclass(frozen=True)
class State:
    """The names that enter or leave one loop.

    inputs      names that the loop only reads
    works       arrays that it writes to, and that keep their names
    carried     loop-carried names; `ends` has the value of each at the end of an iteration
    results     those of the carried names that are live after the loop
    moved       carried arrays that take over, in each iteration, the array of another carried name
    written     carried arrays that are written to
    sinks       those of the `works` that the loop never reads
    views       definitions of views of written arrays, which are taken again
    """

    inputs: tuple[str, ...]
    works: tuple[str, ...]
    carried: tuple[str, ...]
    results: tuple[str, ...]
    ends: Mapping[str, gast.expr]
    moved: Mapping[str, str]
    written: frozenset[str]
    sinks: frozenset[str]
    views: tuple[gast.stmt, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names that are passed to the loop's functions, in order."""
        return (*self.inputs, *self.works, *self.carried)

    def renamed(self, name: Callable[[str], str]) -> State:
        """The same state with other names, without the parts that belong to the loop's code."""
        new = {each: name(each) for each in self.names}
        inputs, works, carried, results = (
            tuple(new[each] for each in names) for names in (self.inputs, self.works, self.carried, self.results)
        )
        moved = {new[each]: new[source] for each, source in self.moved.items()}
        sinks = frozenset(new[each] for each in self.sinks)
        return State(inputs, works, carried, results, {}, moved, frozenset(), sinks, ())


def state_of(program: Program, loop: gast.For, after: Live) -> State:
    """The state of a checkpointed loop; `after` has the names that are live after it."""
    return _Finder(program, loop, after).state()


class _Finder:
    def __init__(self, program: Program, loop: gast.For, after: Live) -> None:
        self.program, self.loop, self.after = program, loop, after
        self.aliases, self.types = program.aliases, program.types
        self.inside = list(walk_statements(loop.body))
        self.stored = {name for each in self.inside if (name := written(each))}
        self.refuse_effects()
        head = liveness([loop], after).heads[loop]
        self.carried = tuple(sorted((self.stored & (head | after)) - {loop.target.id}))
        self.ends = {name: self.end(name) for name in self.carried}
        targets = [target.value.id for each in self.inside if (target := stores_into(each)) is not None]
        self.changed = frozenset(root for name in targets for root in self.reached(name))

    def state(self) -> State:
        """The state; raises where something cannot be followed."""
        views, inputs = self.entering()
        used = {name for each in (*self.inside, *views) for name in names_with_content(each)}
        arrays = [name for name in inputs if self.is_array(name) and name in used]  # of others it reads the shape
        works = tuple(name for name in arrays if self.reached(name) & self.changed)
        written_arrays = frozenset(
            name for name in self.carried if self.is_array(name) and self.reached(name) & self.aliases.written
        )
        moved = {name: self.owner(name) for name in self.carried if self.is_array(name)}
        moved = {name: source for name, source in moved.items() if source in self.carried}
        self.check_apart(arrays)
        self.check_ends(written_arrays, moved)
        self.check_behind(written_arrays)
        return State(
            tuple(name for name in inputs if name not in works),
            works,
            self.carried,
            tuple(name for name in self.carried if name in self.after),
            self.ends,
            moved,
            written_arrays,
            frozenset(name for name in works if not self.is_read(name)),
            tuple(views),
        )

    def entering(self) -> tuple[list[gast.stmt], list[str]]:
        """The views that the loop's functions take again themselves, and the names that are passed to them."""
        variables = {*self.program.unit.parameters, *self.program.flow.stores} - self.stored - {self.loop.target.id}

        def view(name: str) -> gast.Assign | None:
            """The statement that takes a view of memory that the loop changes."""
            is_changed = name in self.aliases.views and self.reached(name) & self.changed
            return self.program.flow.single(name) if is_changed else None

        def entering(names: Iterable[str]) -> list[str]:
            return [name for name in names if name in variables]

        used = (name for each in self.inside for name in reads(each))
        found = closure(entering(used), lambda name: entering(names_in(getattr(view(name), "value", None))))
        views = {name: taken for name in found if (taken := view(name)) is not None}
        inputs = [name for name in found if name not in views]
        ordered = sorted(views.values(), key=lambda each: self.program.flow.spot(each).number)
        for each in ordered:
            if self.stored & set(names_in(each.value)):
                self.overlap(str(written(each)), str(next(iter(self.stored & set(names_in(each.value))))))
        return ordered, inputs

    def end(self, name: str) -> gast.expr:
        """The value of a loop-carried name at the end of an iteration."""
        found = [each for each in self.inside if written(each) == name]
        if len(found) != 1 or found[0] not in self.loop.body:
            raise CHECKPOINTED_CARRIED_VALUE.at(place_of(found[0]), name=name)
        return found[0].value

    def owner(self, name: str) -> str:
        """The name whose array a loop-carried name takes over, or ""."""
        value = self.ends[name]
        return owner(self.program, value.id) if isinstance(value, gast.Name) else ""

    def is_array(self, name: str) -> bool:
        return self.types.is_array(name)

    def reached(self, name: str) -> frozenset[str]:
        return self.aliases.of.get(name, frozenset([name]))

    def is_read(self, name: str) -> bool:
        """Whether the loop reads the contents of an array of the state."""
        mine = self.reached(name)
        scaled = (each for each in self.inside if isinstance(each, gast.AugAssign) and not _is_sum(each))
        if any(self.reached(each.target.value.id) & mine for each in scaled):
            return True
        return any(
            kind == "read" and self.reached(what.id if isinstance(what, gast.Name) else what.value.id) & mine
            for each in self.inside
            for kind, _, what in accesses(self.program, each)
        )

    # Refused loops

    def refuse_effects(self) -> None:
        """Refuse loops whose iterations cannot be repeated with the same result."""
        for statement in _with_callees(self.inside, self.program.unit.bindings):
            if any(_is_impure(node) for node in walk(statement)):
                raise CHECKPOINTED_EFFECTS.at(place_of(statement))

    def overlap(self, one: str, other: str) -> None:
        one, other = named(one, other, place_of(self.loop))
        raise CHECKPOINTED_OVERLAP.at(place_of(self.loop), one=one, other=other)

    def check_apart(self, inputs: list[str]) -> None:
        """Refuse two names that enter the loop, or are carried by it, and may refer to the same written array."""
        arrays = [*inputs, *(name for name in self.carried if self.is_array(name))]
        for k, one in enumerate(arrays):
            for other in arrays[k + 1 :]:
                both_carried = one in self.carried and other in self.carried
                shared = self.reached(one) & self.reached(other)
                if not shared & (self.aliases.written if both_carried else self.changed):
                    continue
                if not both_carried or not self.begin_apart(one, other):
                    self.overlap(one, other)

    def begin_apart(self, one: str, other: str) -> bool:
        """Whether two loop-carried names are initially different arrays."""
        first, second = self.start(one), self.start(other)
        return not self.reached(first) & self.reached(second) or are_apart(self.program, first, second)

    def start(self, name: str) -> str:
        """The name that a loop-carried name is initialised from."""
        inside = {id(each) for each in self.inside}
        stores = [each for each in self.program.flow.stores[name] if id(each) not in inside]
        is_copy = len(stores) == 1 and isinstance(getattr(stores[0], "value", None), gast.Name)
        return stores[0].value.id if is_copy else name

    def check_ends(self, written_arrays: frozenset[str], moved: Mapping[str, str]) -> None:
        """Refuse written arrays that have more than one name at the end of an iteration."""
        taken: dict[str, str] = {}
        for name in sorted(written_arrays):
            source = moved.get(name)
            sources = [source] if source is not None else self.own_ends(name)
            for each in sources:
                if each in taken:
                    self.overlap(name, taken[each])
                taken[each] = name

    def own_ends(self, name: str) -> list[str]:
        """The new arrays that a name may get in an iteration, and the name itself where it may keep its array."""
        value, start = self.ends[name], self.start(name)
        found = self.reached(value.id) if isinstance(value, gast.Name) else frozenset()
        new = found & (self.stored - {*self.carried})
        others = sorted(found - new - (self.reached(start) if start != name else {name}))
        if others or not found:
            self.overlap(name, others[0] if others else name)
        return sorted(new) + ([name] if found - new else [])

    def check_behind(self, written_arrays: frozenset[str]) -> None:
        """Refuse arrays that the loop passes from name to name and that have other names after it."""
        if not written_arrays:
            return
        passed = frozenset(root for name in written_arrays for root in self.reached(name))
        for name in sorted(self.after - {*self.carried}):
            if self.is_array(name) and self.reached(name) & passed:
                self.overlap(name, sorted(written_arrays)[0])


def _with_callees(statements: list[gast.stmt], bindings: Mapping[str, object]) -> Iterator[gast.stmt]:
    """The statements, and those of the functions that they call."""

    def called(block: Iterable[gast.stmt], meant: Mapping[str, object]) -> list[Specialised]:
        callees = (callee_of(getattr(statement, "value", None), meant) for statement in block)
        return [each for each in callees if isinstance(each, Specialised) and each.unit is not None]

    callees = closure(
        called(statements, bindings), lambda each: called(walk_statements(each.unit.tree.body), each.unit.bindings)
    )
    for statement in (*statements, *(each for callee in callees for each in walk_statements(callee.unit.tree.body))):
        if not isinstance(statement, (gast.If, gast.For, gast.While)):
            yield statement


def _is_sum(statement: gast.AugAssign) -> bool:
    return isinstance(statement.op, (gast.Add, gast.Sub))


def _is_impure(node: gast.AST) -> bool:
    match node:
        case gast.Call(func=gast.Name(id="print")):
            return True
        case gast.Call(func=function):
            return dotted_path(function) == "kernels.effect" or is_draw(dotted_path(function))
    return False
