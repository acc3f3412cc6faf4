"""Counted loops: checkpointed `while` loops become loops over a `range` that are left early.

while c:                          stop = kernels.while_limit(c)
    s_3 = s_2 * s_2               for turn in range(0, stop, 1):
    s_2 = s_3          becomes        s_3 = s_2 * s_2
    c_3 = s_3 < 9.0                   s_2 = s_3
    c = c_3                           c_3 = s_3 < 9.0
                                      c = c_3
                                      ends = not c
                                      if ends: break
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    call,
    clone,
    const,
    inner_blocks,
    load,
    loop,
    place_of,
    written,
)
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import primitive_of


class CountedLoops:
    """Converts the checkpointed `while` loops of blocks; the types of new names are added to `known`."""

    def __init__(self, names: Names, known: dict[str, Any], bindings: dict[str, Any]) -> None:
        self.names, self.known, self.bindings = names, known, bindings
        self.snapshots: dict[str, gast.expr] = {}  # of the tests that are marked

    def block(self, block: Block) -> Block:
        """A block without checkpointed `while` loops."""
        result: Block = []
        for statement in block:
            self.note_snapshots(statement)
            is_counted = isinstance(statement, gast.While) and notes_of(statement).checkpointed
            snapshots = self.snapshots.get(statement.test.id, const(0)) if is_counted else None
            for inner in inner_blocks(statement):
                inner[:] = self.block(inner)
            if snapshots is not None:
                result += self.counted(statement, snapshots)
            else:
                result.append(statement)
        return result

    def note_snapshots(self, statement: gast.stmt) -> None:
        """Note the number of snapshots that a test is marked with; copies of the test have the same."""
        name, value = written(statement), getattr(statement, "value", None)
        if name is None:
            return
        if isinstance(value, gast.Call) and primitive_of(value, self.bindings) is kernels.checkpointed_test:
            self.snapshots[name] = value.args[1]
        elif isinstance(value, gast.Name) and value.id in self.snapshots:
            self.snapshots[name] = self.snapshots[value.id]

    def counted(self, statement: gast.While, snapshots: gast.expr) -> Block:
        """The loop as one over a range, with what computes the range; with so many snapshots."""
        place, test = place_of(statement), statement.test.id
        start, stop, turn = (self.names.fresh(each) for each in ("start", "stop", "turn"))
        ends = self.names.fresh("ends")
        self.known |= {start: nb.int64, stop: nb.int64, turn: nb.int64, ends: nb.boolean}
        marked = call("kernels.checkpointed_start", const(0), clone(snapshots))
        leave = at(gast.If(test=load(ends), body=[at(gast.Break(), place)], orelse=[]), place)
        after = at(assign(ends, gast.UnaryOp(op=gast.Not(), operand=load(test)), place), place)
        repeated = loop(turn, [load(start), load(stop), const(1)], [*statement.body, after, leave], place)
        notes = notes_of(statement)
        note(repeated, checkpointed=True, snapshot_bytes=notes.snapshot_bytes, recovers=notes.recovers)
        note(repeated, on_disk=notes.on_disk)
        return [
            at(assign(start, marked, place), place),
            at(assign(stop, call("kernels.while_limit", load(test)), place), place),
            repeated,
        ]
