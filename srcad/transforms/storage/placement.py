"""Placement: the block in whose reversal each primal value is made available."""

from __future__ import annotations

from typing import Any, TypeAlias

import gast

from srcad.transforms.analysis.program_facts import Program

Way = tuple[tuple[int, int], ...]
Loop: TypeAlias = gast.For | gast.While


class Sites:
    """The placement of each primal name in the reverse sweep."""

    def __init__(self, program: Program, spot: gast.For | None = None) -> None:
        """`spot` is a loop of the outermost block whose iterations are each reversed right after they run."""
        self.program = program
        self.spot = None if spot is None else program.flow.spot(spot).number
        self.loops = program.flow.loops
        self.spots = {spot.number: spot for spot in program.flow.spots.values()}
        self.parameters = frozenset(program.unit.parameters)
        self._sites: dict[str, Way] = {}
        self._regions: dict[str, int | None] = {}

    def is_primal(self, name: str) -> bool:
        """Whether a name in generated code is a name of the primal."""
        return name in self.program.flow.stores or name in self.parameters

    def site(self, name: str) -> Way:
        """The path to the block in whose reversal the name's value is made available."""
        if name not in self._sites:
            carrier = self.program.carrier(name)
            if carrier is not None:
                spot = self.program.flow.spot(carrier)
                self._sites[name] = (*spot.way, (spot.number, 0))
            else:
                self._sites[name] = self.program.flow.home(name)
        return self._sites[name]

    def region(self, name: str) -> int | None:
        """The number of the innermost loop around a name's placement; None where no later iteration changes it.

        That is the case outside of all loops, and in a loop whose iterations are reversed right after they run.
        """
        if name not in self._regions:
            found = next((number for number, _ in reversed(self.site(name)) if number in self.loops), None)
            self._regions[name] = None if found == self.spot else found
        return self._regions[name]

    def loops_around(self, site: Way) -> tuple[Any, ...]:
        """The loops, outermost first, for whose iterations values placed in this block are recorded."""
        return tuple(self.loops[number] for number, _ in site if number in self.loops and number != self.spot)

    def is_there(self, name: str) -> bool:
        """Whether the value is still available when the reverse sweep needs it."""
        return self.program.flow.is_index(name) or self.region(name) is None

    def is_known(self, bound: gast.expr) -> bool:
        """Whether an atom has its value before the loops around it start."""
        return not isinstance(bound, gast.Name) or self.region(bound.id) is None

    def position(self, number: int, site: Way) -> int:
        """The last statement that has run when, seen from the block at `site`, statement `number` is being reversed."""
        spot = self.spots.get(number)
        if spot is None or len(spot.way) <= len(site):
            return number
        return self.program.flow.last_inside[spot.way[len(site)][0]]
