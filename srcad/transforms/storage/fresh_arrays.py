"""Freshness of arrays: stores into an array that was allocated after what a statement read cannot overwrite that.

    for t in range(steps):
        new = np.zeros(n)
        for i in range(1, n - 1):
            new[i] = u[i] - old[i] * u[i - 1]       R reads u, S writes into new
        old = u
        u = new

`u` and `new` may alias: what S stores in one iteration, R reads in the next. But S writes into the array that its own
iteration allocated, and R reads an array of an earlier iteration; so nothing that R read is ever overwritten, and S
does not have to be undone. Schemes that allocate an array for each new state only record references.
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, inner_blocks, stores_into


class Newer:
    """Decides, for one function, which stores go into arrays that are newer than what is read."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def is_into_newer(self, statement: gast.stmt, what: gast.expr, store: gast.stmt) -> bool:
        """Whether a store always writes into an array newer than the one the statement read, or into an old one."""
        name = what.id if isinstance(what, gast.Name) else what.value.id
        target = stores_into(store)
        assert target is not None
        made = self._maker(target.value.id)
        if made is None or not self._is_current(target.value.id, store, made):
            return False
        return self._is_older(name, statement, made, set())

    def filled_in(self, store: gast.stmt, made: gast.Assign) -> gast.stmt | None:
        """The statement, in the block where an array is allocated, that contains a store into the latest such array.

        None if the store is elsewhere, or may be into another array.
        """
        target = stores_into(store)
        assert target is not None
        if not self._is_current(target.value.id, store, made):
            return None
        place = self._place(store, made)
        return next((each for each in self._block(made) if self.program.flow.spot(each).number == place), None)

    def _block(self, statement: gast.stmt) -> Block:
        """The block that contains a statement."""
        way = self.program.flow.spot(statement).way
        block: Block = self.program.unit.tree.body
        for number, arm in way:
            compound = next(each for each in block if self.program.flow.spot(each).number == number)
            block = inner_blocks(compound)[arm]
        return block

    def _maker(self, name: str) -> gast.Assign | None:
        """The only statement that allocates an array, if that is never a parameter."""
        roots = self.program.aliases.points_to(name)
        if len(roots) != 1:
            return None
        (root,) = roots
        made = self.program.flow.single(root)
        return made if made is not None and root not in self.program.unit.parameters else None

    def _is_current(self, name: str, where: gast.stmt, made: gast.Assign) -> bool:
        """Whether a name refers, at a statement, to the latest allocated array or to a view of it."""
        place, start = self._place(where, made), self._place(made, made)
        assert start is not None
        if place is None or place <= start:
            return False
        if name == made.targets[0].id:
            return True
        defined = self.program.flow.single(name)
        base = self._base(name)
        return defined is not None and base is not None and self._is_current(base, defined, made)

    def _is_older(self, name: str, where: gast.stmt, made: gast.Assign, seen: set[tuple[str, int]]) -> bool:
        """Whether a name refers, at a statement, to an array other than the one allocated last before it."""
        flow = self.program.flow
        place, start = self._place(where, made), self._place(made, made)
        assert start is not None
        if place is None or place < start or (name, place) in seen:
            return True  # the array is reallocated before it is written again
        seen.add((name, place))
        if name == made.targets[0].id:
            return False
        for each in flow.stores.get(name, []):
            at = self._place(each, made)
            if at is None or not start < at <= place:
                continue  # this definition is from before the allocation
            base = self._base_of(name, each)
            if base is None or not self._is_older(base, each, made, seen):
                return False
        return True

    def _place(self, statement: gast.stmt, made: gast.Assign) -> int | None:
        """The position, in the block of the allocation, of the statement or of what contains it; None outside."""
        flow = self.program.flow
        way, spot = flow.spot(made).way, flow.spot(statement)
        if spot.way[: len(way)] != way:
            return None
        return spot.way[len(way)][0] if len(spot.way) > len(way) else spot.number

    def _base(self, name: str) -> str | None:
        defined = self.program.flow.single(name)
        return None if defined is None else self._base_of(name, defined)

    def _base_of(self, name: str, defined: gast.stmt) -> str | None:
        """The array that a name is, or is a view of, where it is stored."""
        if isinstance(defined, gast.Assign) and isinstance(defined.value, gast.Name):
            return str(defined.value.id)
        return self.program.aliases.views.get(name)
