"""Consumed iterators: refuse writes to elements that an iterator, expanded before the loop, has yet to reach.

    for v in d.values():
        d["b"] = v * v          is refused where the loop has yet to reach d["b"]

A list that is looped over is not such an iterator: its elements are read in each iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gast

from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.structures.abstract_state import Cell, Memory, Structure, same


@dataclass(frozen=True)
class Unread:
    """The contents of a structure at the start of a loop; with `by_turn`, each iteration reads one part of it."""

    contents: Any
    by_turn: bool


def read_ahead(statement: gast.For | gast.While, memory: Memory) -> dict[Cell, Unread]:
    """The structures that the iterators of a loop read, with their current contents."""
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
    """Whether iterations after the first `turns` would read something else if they read it only then."""
    for cell, unread in ahead.items():
        before, now = unread.contents, memory.cells[cell]
        if isinstance(before, dict) and isinstance(now, dict):
            later = list(before)[turns if unread.by_turn else 0 :]
            if before.keys() != now.keys() or not all(same(before[key], now[key]) for key in later):
                return True
        elif before is not now:
            return True
    return False
