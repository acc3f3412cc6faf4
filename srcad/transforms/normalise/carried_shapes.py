"""Shapes of loop-carried arrays, saved after the loop for the adjoints that start there.

    for j in range(n):                                  for j in range(n):
        row = x                                             row = x
        for i in range(m):                                  for i in range(m):
            s += row[0] * w[i]          becomes                 s += row[0] * w[i]
            row = a[:, i]                                       row = a[:, i]
                                                            t = row.shape
                                                            t2 = t[0]

In the reverse sweep the adjoint of `row` starts as zeros in the shape that `row` has after the inner loop. If that loop
is inside another one, the array itself is no longer available. Does not apply where all arrays that the name may hold
are known to have the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.analysis.dependence_test import Meeting
from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.statement_positions import Flow, flow_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    const,
    load,
    place_of,
    rewrite,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.name_types import Types, differentiable
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.unit import Unit


def with_shapes_behind(unit: Unit, types: Types, names: Names, known: dict[str, Any]) -> None:
    """Add the statements that save such shapes; the types of their names are added to `known`."""
    flow = flow_of(unit)
    wanted: dict[gast.stmt, list[str]] = {}
    noted = shapes_behind(unit, flow)
    carried = [name for name in flow.stores if name not in noted and _may_change_shape(name, flow, types)]
    if not carried:
        return
    aliases = aliases_of_unit(unit, types)
    program = Program(unit, types, flow, aliases, Meeting(unit, flow, types, aliases), frozenset())
    for name in carried:
        loop: Any = program.carrier(name)
        if loop is not None and flow.spot(loop).loops and not keeps_shape(name, flow, types, program.meeting.size):
            wanted.setdefault(loop, []).append(name)

    def with_extents(statement: gast.stmt) -> Block:
        result = [statement]
        for name in wanted.get(statement, ()):
            rank = types.rank(name) or 0
            shape = names.temporary()
            known[shape] = nb.UniTuple(nb.int64, rank)
            result.append(assign(shape, attribute(load(name), "shape"), place_of(statement)))
            for axis in range(rank):
                extent = names.temporary()
                known[extent] = nb.int64
                made = assign(extent, subscript(load(shape), const(axis)), place_of(statement))
                result.append(note(made, is_extent_after_loop=True))
        return result

    if wanted:
        unit.tree.body = rewrite(unit.tree.body, with_extents)


def _may_change_shape(name: str, flow: Flow, types: Types) -> bool:
    """Whether a name may hold several float arrays, and belongs to a loop."""
    kind = types.get(name)
    if not isinstance(kind, nb.Array) or not differentiable(kind) or not kind.ndim:
        return False
    stores = flow.stores[name]
    return len(stores) > 1 and all(flow.spot(store).loops for store in stores) and name not in flow.parameters


def keeps_shape(name: str, flow: Flow, types: Types, size: Callable[[str, int], Form]) -> bool:
    """Whether all values of a loop-carried array are known to have the same shape."""
    sources: list[Any] = [getattr(store.value, "id", None) for store in flow.stores.get(name, [])]
    if None in sources:
        return False
    return all(size(source, axis) == size(name, axis) for source in sources for axis in range(types.rank(name) or 0))


def shapes_behind(unit: Unit, flow: Flow) -> dict[str, list[str]]:
    """The names of the saved extents, by the name of the array."""

    def found() -> Iterator[tuple[str, str]]:
        for statement in walk_statements(unit.tree.body):
            if notes_of(statement).is_extent_after_loop:
                shape: Any = flow.definition(statement.value.value.id)
                yield shape.value.id, statement.targets[0].id

    extents: dict[str, list[str]] = {}
    for name, extent in found():
        extents.setdefault(name, []).append(extent)
    return extents
