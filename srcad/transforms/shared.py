"""Arrays that are in a list are copies there: what is written into them, or into the copies, is refused.

values.append(v)
v[0] = 1.0          Python would find this in `values`, too
"""

from __future__ import annotations

import gast

from srcad.errors import NotDifferentiable
from srcad.transforms.alias import roots_of
from srcad.transforms.build import place_of, stores_into, walk_statements, written
from srcad.transforms.flow import flow_of
from srcad.transforms.meet import Meeting
from srcad.transforms.typing import Types
from srcad.transforms.unit import Unit


def refuse_shared(unit: Unit, types: Types) -> None:
    """Refuse arrays that are written into while they are in a list, whose copy would not see it."""
    everything = list(walk_statements(unit.tree.body))
    kept = [each for each in everything if getattr(each, "is_kept", False)]
    elements = [str(written(each)) for each in everything if getattr(each, "is_element", False)]
    if not kept and not elements:
        return
    flow = flow_of(unit)
    roots = roots_of(unit, flow, types)
    meeting = Meeting(unit, flow, types, roots)
    for store in everything:
        target = stores_into(store)
        if target is None:
            continue
        for each in kept:
            value = each.value
            if isinstance(value, gast.Name) and meeting.may_meet(each, value, store, target):
                raise NotDifferentiable(
                    "an array that is in a list by now is written into here",
                    at=place_of(store),
                    hint="append a copy: `values.append(v.copy())`",
                )
        if any(roots.meet(target.value.id, name) for name in elements):
            raise NotDifferentiable(
                "an array that was read from a list is written into",
                at=place_of(store),
                hint="keep one array with one more axis, or write into a copy of the element",
            )
