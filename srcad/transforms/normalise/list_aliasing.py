"""List aliasing: arrays in a list are copies, so writes to the array, or to the copy, are refused.

values.append(v)
v[0] = 1.0          Python would find this in `values`, too
"""

from __future__ import annotations

import gast

from srcad.refusals.memory import LIST_ELEMENT_WRITE, WRITE_AFTER_APPEND
from srcad.refusals.records import RECORDS_GATHERED
from srcad.transforms.analysis.affine.dependence_test import Meeting
from srcad.transforms.analysis.aliases import Aliases, aliases_of_unit
from srcad.transforms.analysis.statement_positions import flow_of
from srcad.transforms.ir.build import names_in, place_of, stores_into, walk, walk_statements, written
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of


def refuse_shared(code: Code) -> Code:
    """Refuse writes to arrays while they are in a list, since the copy in the list would not change."""
    unit, types = code.unit, code.types
    everything = list(walk_statements(unit.tree.body))
    picked = [each for each in everything if notes_of(each).accesses_records and _by_array(each, types)]
    kept = [each for each in everything if notes_of(each).puts_into_list]
    elements = [str(written(each)) for each in everything if notes_of(each).copies_list_element]
    if not kept and not elements and not picked:
        return code
    flow = flow_of(unit)
    aliases = aliases_of_unit(unit, types)
    for each in picked:
        _refuse_gathering(each, types, aliases)
    meeting = Meeting(unit, flow, types, aliases)
    for store in everything:
        target = stores_into(store)
        if target is None:
            continue
        for each in kept:
            value = each.value
            if isinstance(value, gast.Name) and meeting.may_meet(each, value, store, target):
                raise WRITE_AFTER_APPEND.at(place_of(store))
        if any(aliases.may_alias(target.value.id, name) for name in elements):
            raise LIST_ELEMENT_WRITE.at(place_of(store))
    return code


def _by_array(statement: gast.stmt, types: Types) -> list[str]:
    """The arrays that index several records at once."""
    parts = (node for each in (statement.targets[0], statement.value) for node in walk(each))
    indices = (part.slice for part in parts if isinstance(part, gast.Subscript))
    return [name for index in indices for name in names_in(index) if types.is_array(name)]


def _refuse_gathering(statement: gast.stmt, types: Types, aliases: Aliases) -> None:
    """Refuse gathering records by an index array where the copy is written, or the records change."""
    value = statement.value
    is_read = stores_into(statement) is None and isinstance(value, gast.Subscript)
    names = [value.value.id, *_by_array(statement, types), str(written(statement))] if is_read else []
    if not is_read or any(aliases.is_written(name) for name in names):
        raise RECORDS_GATHERED.at(place_of(statement))
