"""Which values are the same in all threads of a block, or of the whole grid.

A value that a loop makes is the same in two threads only while both are in the same iteration. Threads of a block
are, up to the next barrier, if the loop has a barrier that each iteration reaches; threads of different blocks never
are.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.cuda.dead_values import atoms
from srcad.cuda.regions import Add, Assign, Barrier, If, Load, Loop, Region, Store, Thread, walk
from srcad.transforms.ir.build import names_in


class Uniform:
    """The answers for one thread."""

    def __init__(self, thread: Thread) -> None:
        self.thread = thread
        self.written = {node.array for node in walk(thread.body) if isinstance(node, (Store, Add))}
        self.in_blocks = self._varying(
            {name for name, what in thread.launch.items() if _differs(what, ("thread", "grid"))}
        )
        self.in_grids = self._varying(
            {name for name, what in thread.launch.items() if _differs(what, ("thread", "grid", "block"))}
        )

    def in_block(self, node: gast.expr) -> bool:
        """Whether a condition is the same in all threads of a block."""
        return not self.in_blocks.intersection(names_in(node))

    def is_same(self, name: str, within_block: bool, in_step: bool) -> bool:
        """Whether a value is the same in two threads, at different times or (`in_step`) between the same barriers."""
        if name in self.thread.launch or name not in self.thread.kinds:
            return False
        if name in (self.in_blocks if within_block else self.in_grids):
            return False
        region: Region | None = self.thread.regions.get(name)
        while region is not None:
            if isinstance(region.owner, Loop) and not (in_step and _has_barrier(region.owner.body)):
                return False
            region = region.parent
        return True

    def _varying(self, found: set[str]) -> set[str]:
        """The names that depend on these."""
        while True:
            before = len(found)
            for node in walk(self.thread.body):
                found |= self._made_varying(node, found)
            if len(found) == before:
                return found

    def _made_varying(self, node: Any, varying: set[str]) -> set[str]:
        def differ(*parts: Any) -> bool:
            return any(not varying.isdisjoint(names_in(each)) for each in parts)

        match node:
            case Assign(name=name, value=value) if differ(value):
                return {name}
            case Load(name=name, array=array, index=index):
                is_fixed = array not in self.written and array not in self.thread.own
                return set() if is_fixed and not differ(*index) else {name}
            case If(test=test, merges=merges):
                return {each.name for each in merges if differ(test, each.then, each.orelse)}
            case Loop(carried=carried):
                found = {each.name for each in carried if differ(each.first, each.next)}
                if node.index is not None and differ(node.bounds[0], node.bounds[2]):
                    found.add(node.index)
                ends = differ(*atoms(node))
                found |= {each.last for each in carried if ends or each.name in found | varying}
                return found | ({node.count} if ends else set())
        return set()


def _differs(meaning: str, places: tuple[str, ...]) -> bool:
    return meaning.rpartition("_")[0] in places


def _has_barrier(region: Region) -> bool:
    """Whether every iteration of a loop comes to a barrier."""
    return any(isinstance(node, Barrier) for node in region.nodes)
