"""Memory bound: keep the size of traces within a limit, by checkpointing the outermost loops that record values.

The function is differentiated to find these loops, and again with them checkpointed, until no others are found. They
get equal parts of the limit; how many snapshots a loop may keep is computed at run time, from the size of its state.
"""

from __future__ import annotations

import gast

from srcad.errors import Place
from srcad.refusals.loops import UNBOUNDED_TRACE
from srcad.transforms.checkpointing.loop_outlining import Checkpointed, is_checkpointed
from srcad.transforms.inference.subroutine_types import callee_of
from srcad.transforms.ir.build import is_loop, outermost, place_of, walk_statements
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.unit import Unit


def bounded(unit: Unit, places: set[Place | None], most: int) -> Unit | None:
    """The lowered function with the loops at these places marked as checkpointed; None if there are none."""
    tree = unit.copy_tree()
    marked = [each for _, each in outermost(tree.body, is_loop) if is_checkpointed(each) or _may_be(each, places)]
    for each in marked:
        note(each, checkpointed=True, snapshot_bytes=most // len(marked))
    return unit.with_tree(tree) if marked else None


def recording(made: Made) -> list[gast.stmt]:
    """The outermost loops that record in each iteration, and calls outside of loops that record."""
    if made.sweeps is None:
        return []
    by = made.sweeps.by
    flow, calls = by.program.flow, by.adjoints.calls
    found = [trace.outermost for trace in by.traces.values() if not flow.spot(trace.outermost).loops]
    for statement in walk_statements(by.program.unit.tree.body):
        if id(statement) in calls.forward and calls.callees is not None and calls.callees.recording:
            loops = flow.spot(statement).loops
            callee = callee_of(getattr(statement, "value", None), by.program.unit.bindings)
            if loops or not isinstance(callee, Checkpointed):
                found.append(loops[0] if loops else statement)
    return found


def refuse_unbounded(unit: Unit, made: Made) -> None:
    """Refuse loops in the user's code, and calls, that still record."""
    loops = {place_of(each) for each in walk_statements(unit.tree.body) if isinstance(each, (gast.For, gast.While))}
    for statement in recording(made):
        if not is_loop(statement) or place_of(statement) in loops:
            what = "loop" if is_loop(statement) else "function, which calls itself or is large,"
            raise UNBOUNDED_TRACE.at(place_of(statement), what=what)


def _may_be(loop: gast.stmt, places: set[Place | None]) -> bool:
    """Whether a loop at one of these places can be checkpointed."""
    return isinstance(loop, (gast.For, gast.While)) and place_of(loop) in places
