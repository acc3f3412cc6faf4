"""Statement positions: each statement's order, enclosing branches and loops, and the stores of each name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import gast

from srcad.transforms.ir.build import Block, inner_blocks, names_in, walk_statements, written
from srcad.transforms.ir.side_effects import reads
from srcad.transforms.ir.unit import Unit


@dataclass(frozen=True)
class Spot:
    """The position of a statement: its number in source order, and the path to its block.

    `way` holds (number of the compound statement, which of its blocks) from the outside in; `loops` the loops among
    them.
    """

    number: int
    way: tuple[tuple[int, int], ...]
    loops: tuple[gast.For | gast.While, ...]


@dataclass(frozen=True)
class Flow:
    """The structured data flow of one core function in SSA form."""

    spots: dict[int, Spot]
    stores: dict[str, list[gast.stmt]]
    last_inside: dict[int, int] = field(default_factory=dict)
    parameters: tuple[str, ...] = ()
    _homes: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict, repr=False)

    @cached_property
    def loops(self) -> dict[int, gast.For | gast.While]:
        """The loops of the function, by number."""
        found = {id(loop): loop for spot in self.spots.values() for loop in spot.loops}
        return {self.spot(loop).number: loop for loop in found.values()}

    def spot(self, statement: gast.stmt) -> Spot:
        """The position of a statement."""
        return self.spots[id(statement)]

    def home(self, name: str) -> tuple[tuple[int, int], ...]:
        """The path to the block that a name belongs to: the innermost one with all of its stores inside."""
        found = self._homes.get(name)
        if found is None:
            found = self._homes[name] = self._home(name)
        return found

    def _home(self, name: str) -> tuple[tuple[int, int], ...]:
        ways = [self.spots[id(statement)].way for statement in self.stores.get(name, [])]
        for statement in self.stores.get(name, []):
            if isinstance(statement, gast.For):
                number = self.spots[id(statement)].number
                ways = [self.spots[id(statement)].way + ((number, 0),)]
        if not ways or name in self.parameters:
            return ()
        shared = ways[0]
        for way in ways[1:]:
            shared = shared[: _common(shared, way)]
        return shared

    def single(self, name: str) -> gast.Assign | None:
        """The only statement that stores a name, if that is an assignment (the reaching definition)."""
        stores = self.stores.get(name, [])
        if len(stores) == 1 and isinstance(stores[0], gast.Assign) and name not in self.parameters:
            return stores[0]
        return None

    def definition(self, name: str) -> gast.expr | None:
        """The expression that a name stands for, if it is stored once."""
        statement = self.single(name)
        return statement.value if statement is not None else None

    def is_index(self, name: str) -> bool:
        """Whether the name is the index of a `for` loop."""
        return any(isinstance(statement, gast.For) for statement in self.stores.get(name, []))

    def common_loops(self, one: Spot, other: Spot) -> tuple[gast.For | gast.While, ...]:
        """The loops around both."""
        count = 0
        for a, b in zip(one.loops, other.loops, strict=False):
            if a is not b:
                break
            count += 1
        return one.loops[:count]

    def exclusive(self, one: Spot, other: Spot) -> bool:
        """Whether the two are in different arms of the same `if`."""
        k = _common(one.way, other.way)
        if k == min(len(one.way), len(other.way)):
            return False
        return one.way[k][0] == other.way[k][0] and one.way[k][1] != other.way[k][1]


def _common(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def flow_of(unit: Unit) -> Flow:
    """The structured data flow of a unit's tree."""
    flow = Flow({}, {}, {}, unit.parameters)
    _visit(unit.tree.body, flow, (), (), 0)
    return flow


def _visit(
    block: Block,
    flow: Flow,
    way: tuple[tuple[int, int], ...],
    loops: tuple[gast.For | gast.While, ...],
    number: int,
) -> int:
    for statement in block:
        own = number
        flow.spots[id(statement)] = Spot(own, way, loops)
        name = written(statement)
        if name:
            flow.stores.setdefault(name, []).append(statement)
        number += 1
        inside = (*loops, statement) if isinstance(statement, (gast.For, gast.While)) else loops
        for arm, inner in enumerate(inner_blocks(statement)):
            number = _visit(inner, flow, (*way, (own, arm)), inside, number)
        flow.last_inside[own] = number - 1
    return number


def uses(block: Block) -> Iterator[tuple[gast.stmt, str]]:
    """Every read of a name (use), with the statement that reads it, nested statements included."""
    for statement in walk_statements(block):
        for name in reads(statement):
            yield statement, name


__all__ = ["Flow", "Spot", "flow_of", "names_in", "uses"]
