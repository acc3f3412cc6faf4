"""What is behind an iterator that lowering has gone through before the loop: it must stay, up to its turn.

    for v in d.values():
        d["b"] = v * v          is refused where the loop has yet to reach d["b"]

A list that is looped over is no such iterator: its elements are read turn by turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.structures.abstract_state import Cell, Memory, Structure, same


@dataclass(frozen=True)
class Unread:
    """What was in a structure when a loop began; by turn: each turn reads one part of it."""

    contents: Any
    by_turn: bool


def read_ahead(statement: gast.For | gast.While, memory: Memory) -> dict[Cell, Unread]:
    """What the iterators of a loop go through, and what is in it now."""
    found: dict[Cell, Unread] = {}
    parts = [memory.names.get(name) for name in notes_of(statement).looped_over]
    todo = [(each.cell, True) for each in parts if isinstance(each, Structure)]
    for cell, is_direct in todo:
        for source in memory.behind.get(cell, []):
            held = memory.cells[source]
            found[source] = Unread(dict(held) if isinstance(held, dict) else held, is_direct and source.is_mapping)
            todo.append((source, False))
    return found


def is_changed(ahead: dict[Cell, Unread], memory: Memory, turns: int) -> bool:
    """Whether, after so many turns, those to come would read something else if they read it only then."""
    for cell, unread in ahead.items():
        before, now = unread.contents, memory.cells[cell]
        if isinstance(before, dict) and isinstance(now, dict):
            later = list(before)[turns if unread.by_turn else 0 :]
            if before.keys() != now.keys() or not all(same(before[key], now[key]) for key in later):
                return True
        elif before is not now:
            return True
    return False
