"""Loop phis: loop-carried names, with the value before the loop and the value that an iteration leaves.

    x = first
    for l in range(n):
        ...
        x = last                Carried(loop, before=first, left=last)

Such names are accumulators, states, and views that advance.
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from srcad.transforms.analysis.statement_positions import Flow
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant


@dataclass(frozen=True)
class Carried:
    """A `for` loop, a name's value before it, the value stored at the end of its body, and the step of its index."""

    loop: gast.For
    before: gast.expr
    left: gast.expr
    step: int

    def holds_at(self, statement: gast.stmt, flow: Flow) -> bool:
        """Whether a statement is in the loop, where the name holds what the previous iteration has left."""
        return self.loop in flow.spot(statement).loops


def carried_by_loop(flow: Flow, name: str) -> Carried | None:
    """How a `for` loop carries a name; None where no loop does, or not in this simple form."""
    stores = flow.stores.get(name, [])
    if len(stores) != 2 or name in flow.parameters or not all(isinstance(each, gast.Assign) for each in stores):
        return None
    before, left = sorted(stores, key=lambda each: flow.spot(each).number)
    loop = (flow.spot(left).loops or (None,))[-1]
    if not isinstance(loop, gast.For):
        return None
    spot, step = flow.spot(loop), constant(loop.iter.args[2])
    if flow.spot(left).way != (*spot.way, (spot.number, 0)) or flow.spot(before).way != spot.way:
        return None
    if flow.spot(before).number > spot.number or type(step) is not int or step == 0:
        return None
    return Carried(loop, before.value, left.value, step)


def carried_views(flow: Flow, types: Types) -> dict[str, Carried]:
    """The loop-carried arrays whose values before the loop and at the end of its body are names."""
    candidates = (name for name, stores in flow.stores.items() if len(stores) == 2 and types.is_array(name))
    found = ((name, carried_by_loop(flow, name)) for name in candidates)
    return {
        name: carried
        for name, carried in found
        if carried and isinstance(carried.before, gast.Name) and isinstance(carried.left, gast.Name)
    }
