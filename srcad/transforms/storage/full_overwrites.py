"""Full overwrites (kills): a statement that overwrites a whole array ends the life of its earlier contents.

    for t in range(n):
        p += v              X
        s += f(p)           S
        p += w              Y

The reverse sweep reads what S read once Y has been undone. X, in the next iteration, changed only what Y had stored, so
X need not be undone for S. Leapfrog and splitting schemes, which advance one array in several steps, therefore record
it once.
"""

from __future__ import annotations

from functools import lru_cache

import gast

from srcad.transforms.analysis.array_kills import Cover, within
from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import stores_into, walk_statements


class Renewals:
    """The statements of one function that overwrite whole arrays."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.cover = Cover(program, adds=True)
        self.of = lru_cache(maxsize=None)(self._of)

    def stand_between(self, statement: gast.stmt, what: gast.expr, store: gast.stmt) -> bool:
        """Whether every path from a statement to a store first overwrites the whole array that `what` refers to."""
        base = what.id if isinstance(what, gast.Name) else what.value.id
        roots = self.program.aliases.points_to(base)
        return len(roots) == 1 and any(self._is_between(statement, each, store) for each in self.of(*roots))

    def _is_between(self, statement: gast.stmt, renewal: gast.stmt, store: gast.stmt) -> bool:
        at = self.program.flow.spot(renewal)
        first, last = self._place(statement, at.way), self._place(store, at.way)
        if first is None or first >= at.number:
            return False
        return last is None or not first <= last <= at.number

    def _place(self, statement: gast.stmt, way: tuple[tuple[int, int], ...]) -> int | None:
        """The position of a statement, or of what contains it, in the block at the end of `way`; None outside."""
        spot = self.program.flow.spot(statement)
        if spot.way[: len(way)] != way:
            return None
        return spot.way[len(way)][0] if len(spot.way) > len(way) else spot.number

    def _of(self, root: str) -> list[gast.stmt]:
        """The statements that overwrite all elements of an array whenever they run (must-kill)."""
        return [each for each in walk_statements(self.program.unit.tree.body) if self._renews(each, root)]

    def _renews(self, statement: gast.stmt, root: str) -> bool:
        targets = [target for each in walk_statements([statement]) if (target := stores_into(each)) is not None]
        if not any(root in self.program.aliases.points_to(target.value.id) for target in targets):
            return False
        sizes = [self.program.meeting.size(root, axis) for axis in range(self.program.types.rank(root) or 0)]
        whole = tuple((Form(), size - 1) for size in sizes)
        known = self.cover.conditions.at(statement)
        return any(
            all(within(known, part, side) for part, side in zip(whole, box, strict=True))
            for box in self.cover.certain(statement, root)
        )
