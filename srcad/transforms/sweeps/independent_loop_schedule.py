"""Schedule for iteration-local reversal: which statements and steps run before the loop, and which after it.

    forwards    a, LOOP, g                      a, g1
    backwards   g, LOOP, a reversed             g1 reversed, LOOP and LOOP reversed, g2, g2 and a reversed

`g2` is what depends on the loop's results, `g1` the rest of what follows the loop. The schedule exists if the loop's
reversal needs nothing of `g2`. Statements and steps of the reverse sweep are only reordered where neither stores what
the other reads or stores; additions to the same adjoint commute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar

import gast

from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.reverse_plan import Late, Node, Replay, Spot, Step, inner_plans
from srcad.transforms.adjoint.zero_guards import added_to, assigned, passed_on, statements_of
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, stores_into, walk_statements, written
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import is_check, reads
from srcad.transforms.storage.tbr import names_with_content, own_reads
from srcad.transforms.sweeps.iteration_local_reversal import accesses

T = TypeVar("T")


class Scheduler:
    """Schedules for the loops of one plan. What a statement or a step accesses is found once for all loops."""

    def __init__(self, program: Program, adjoints: Adjoints) -> None:
        self.program = program
        self.primal = {bar: name for name, bar in adjoints.bars.items()}
        self.touched = cache(lambda statement: Touched.by(program, [statement]))
        self.parts = _once_for_each(_parts)
        self.needs = _once_for_each(self._needs)
        self.effects = _once_for_each(self._effects)

    def scheduled(self, nodes: list[Node], loop: gast.For) -> list[Node] | None:
        """The steps of a function's reverse sweep, with iteration-local reversal of a loop; None if impossible."""
        at = next((k for k, node in enumerate(nodes) if isinstance(node, Replay) and node.statement is loop), None)
        if at is None:
            return None
        before = [part for node in nodes[:at] for part in self.parts(node)]
        replay = nodes[at]
        assert isinstance(replay, Replay)
        waiting = self.late_statements(loop)
        order = _Order(self, [loop, *waiting])
        early: list[Node] = []
        behind: list[Node] = []
        for node in before:
            (behind if order.waits(node) else early).append(node)
        if order.waits(replay):
            return None
        spot = Spot(replay.number, loop, replay.body, replay.last)
        return [*early, spot, Late(replay.number, waiting, replay.last), *behind, *nodes[at + 1 :]]

    def late_statements(self, loop: gast.For) -> Block:
        """The statements after a loop that must stay after it.

        A statement that may leave the function may move before the loop, as may what relies on it; if it must stay, so
        must everything after it.
        """
        body = self.program.unit.tree.body
        found: Block = []
        done = self.touched(loop).copy()
        for statement in body[body.index(loop) + 1 :]:
            if isinstance(statement, gast.Return):
                break
            mine = self.touched(statement)
            depends = (
                not mine.names.isdisjoint(done.stored)
                or not mine.stored.isdisjoint(done.names | done.stored)  # a name that copies carry through a loop
                or not mine.roots.isdisjoint(done.stores)
                or not mine.stores.isdisjoint(done.roots)
            )
            if depends or done.has_effect or (done.has_checks and mine.has_effect and not is_check(statement)):
                found.append(statement)
                done.add(mine)
        return found

    def _needs(self, node: Node) -> tuple[set[str], set[str]]:
        """The primal names that a step reads, those of which only the shape is used included; the memory it reads."""
        names = set(_all_reads(node))
        names |= {self.primal[name] for name in names if name in self.primal and self._is_array(self.primal[name])}
        content = {
            name
            for statement in statements_of([node])
            for name in names_with_content(statement)
            if name not in self.primal
        }
        return names, {root for name in content for root in self.program.aliases.points_to(name)}

    def _is_array(self, name: str) -> bool:
        return self.program.types.is_array(name)

    def _effects(self, node: Node) -> tuple[set[str], set[str], set[str]]:
        """The adjoints, by their memory, and other names that a step reads, adds to, and stores."""
        read: set[str] = set()
        added: set[str] = set()
        stored: set[str] = set()
        for statement in statements_of([node]):
            if notes_of(statement).is_view:
                continue  # only names a part of an adjoint
            read |= self._keys(passed_on(statement))
            target = added_to(statement)
            added |= self._keys([target] if target else [])
            name = assigned(statement)
            stored |= self._keys([name] if name else [])
        return read, added, stored

    def _keys(self, names: Iterable[str]) -> set[str]:
        """Keys for the memory of adjoints: views of one array's adjoint have the same key."""
        found: set[str] = set()
        for name in names:
            primal = self.primal.get(name)
            roots = self.program.aliases.points_to(primal) if primal is not None else frozenset()
            found |= {f"adjoint of {root}" for root in roots} or {name}
        return found


def _once_for_each(function: Callable[[Node], T]) -> Callable[[Node], T]:
    """A function of nodes that is evaluated once for each, by identity."""
    known: dict[int, tuple[Node, T]] = {}  # nodes as well, so that they stay

    def found(node: Node) -> T:
        if id(node) not in known:
            known[id(node)] = node, function(node)
        return known[id(node)][1]

    return found


def _parts(node: Node) -> list[Node]:
    """Split a step that only adds to scalar adjoints into one step per sum, since these may be scheduled separately."""
    if not isinstance(node, Step) or node.statement is None or stores_into(node.statement) is not None:
        return [node]
    if not all(isinstance(each, gast.AugAssign) and isinstance(each.target, gast.Name) for each in node.code):
        return [node]
    return [Step(node.number, [each], node.statement) for each in node.code]


@dataclass
class Touched:
    """The names read and stored by statements, the arrays accessed and stored into, and whether they have an effect.

    Checks inside of loops and branches are told apart: nothing outside of these relies on them.
    """

    names: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    roots: set[str] = field(default_factory=set)
    stores: set[str] = field(default_factory=set)
    has_effect: bool = False
    has_checks: bool = False

    @staticmethod
    def by(program: Program, block: Block) -> Touched:
        """What the statements of a block access."""
        found = Touched()
        for statement in walk_statements(block):
            found.names.update(reads(statement))
            name = written(statement)
            found.stored.update([name] if name else [])
            for kind, _, what in accesses(program, statement):
                base = what.id if isinstance(what, gast.Name) else what.value.id
                reached = program.aliases.of.get(base, frozenset([base]))
                found.roots |= reached
                found.stores |= reached if kind != "read" else set()
            for read in reads(statement):
                found.roots |= program.aliases.points_to(read)
            if is_check(statement) and not any(statement is each for each in block):
                found.has_checks = True
                continue
            found.has_effect |= not isinstance(
                statement, (gast.Assign, gast.AugAssign, gast.If, gast.For, gast.While, gast.Pass, gast.Break)
            )
        return found

    def copy(self) -> Touched:
        """The same in sets of its own."""
        found = Touched()
        found.add(self)
        return found

    def add(self, other: Touched) -> None:
        """Add what other statements access."""
        self.names |= other.names
        self.stored |= other.stored
        self.roots |= other.roots
        self.stores |= other.stores
        self.has_effect |= other.has_effect
        self.has_checks |= other.has_checks


class _Order:
    """Decides which steps of the reverse sweep must run after the late statements; to be asked in the sweep's order."""

    def __init__(self, by: Scheduler, late: Block) -> None:
        self.by, self.loop = by, late[0]
        self.names = set[str]().union(*(by.touched(each).stored for each in late))
        self.memory = set[str]().union(*(by.touched(each).stores for each in late))
        self.read: set[str] = set()
        self.changed: set[str] = set()

    def waits(self, node: Node) -> bool:
        """Whether a step must run late: it needs late statements, or conflicts with steps that run late themselves."""
        read, added, stored = self.by.effects(node)
        is_own = isinstance(node, Replay) and node.statement is self.loop
        if (
            (self.needs_late(node) and not is_own)
            or not (self.changed.isdisjoint(read) and self.changed.isdisjoint(stored))
            or not (self.read.isdisjoint(added) and self.read.isdisjoint(stored))
        ):
            self.read |= read | stored
            self.changed |= added | stored
            return True
        return False

    def needs_late(self, node: Node) -> bool:
        """Whether a step reads a primal value, or the shape of an array, that only the late statements provide."""
        names, memory = self.by.needs(node)
        return not (names.isdisjoint(self.names) and memory.isdisjoint(self.memory))


def _all_reads(node: Node) -> Iterator[str]:
    own = set()
    if isinstance(node, Replay):
        own = {written(each) for each in (node.header, *node.first) if each is not None}
    yield from own_reads(node)
    for plan in inner_plans(node):
        for inner in plan.nodes:
            yield from (name for name in _all_reads(inner) if name not in own)
