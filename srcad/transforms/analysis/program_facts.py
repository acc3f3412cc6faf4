"""Program facts: all analyses of one core function that differentiation uses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from srcad.runtime.support.stage_timer import stage
from srcad.transforms.analysis.activity import active_names, varied_names
from srcad.transforms.analysis.affine.dependence_test import Meeting
from srcad.transforms.analysis.aliases import Aliases, aliases_of_unit
from srcad.transforms.analysis.statement_positions import Flow, flow_of
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.unit import Unit

Fact = TypeVar("Fact")


@dataclass(frozen=True)
class Program:
    """A unit with its analyses; `active` has the names and roots that carry derivatives."""

    unit: Unit
    types: Types
    flow: Flow
    aliases: Aliases
    meeting: Meeting
    active: frozenset[str]
    _known: dict[Callable[[Program], Any], Any] = field(default_factory=dict, repr=False, compare=False)

    def known(self, fact: Callable[[Program], Fact]) -> Fact:
        """What a function says of this program; it is asked once."""
        if fact not in self._known:
            self._known[fact] = fact(self)
        return cast(Fact, self._known[fact])

    def is_active(self, name: str) -> bool:
        """Whether a name carries derivatives, itself or through the memory that it refers to."""
        is_memory = self.types.is_array(name) or self.types.get(name) is None  # a tuple of arrays is not
        return name in self.active or (is_memory and bool(self.aliases.points_to(name) & self.active))

    def carrier(self, name: str) -> object | None:
        """The loop that carries a name: the outermost loop around one of its stores but not around all of them."""
        if name in self.flow.parameters:
            return None
        stores = self.flow.stores.get(name, [])
        if len(stores) == 1 and self.flow.is_index(name):
            return None
        outer = self.loops_at_home(name)
        for statement in stores:
            loops = self.flow.spot(statement).loops
            if len(loops) > outer:
                return loops[outer]
        return None

    def loops_at_home(self, name: str) -> int:
        """The number of loops around the block that a name belongs to."""
        return sum(1 for number, _ in self.flow.home(name) if number in self.flow.loops)


@stage("program_facts")
def analyse(unit: Unit, types: Types, independent: Iterable[str], dependent: Iterable[str]) -> Program:
    """The analyses of a unit, for derivatives of `dependent` with respect to `independent`."""
    flow = flow_of(unit)
    aliases = aliases_of_unit(unit, types)
    sources = [root for name in independent for root in (name, *aliases.points_to(name))]
    active = active_names(unit, types, aliases, sources, dependent)
    return Program(unit, types, flow, aliases, Meeting(unit, flow, types, aliases), active)


@stage("program_facts")
def analyse_forward(
    unit: Unit, types: Types, independent: Iterable[str], dependent: Iterable[str] | None = None
) -> Program:
    """The analyses for forward mode: a name is active if it depends on an independent input.

    With functions that have a rule of the user's own, it also has to influence `dependent`: how their values are
    computed, which is not differentiated, may use functions without a rule.
    """
    flow = flow_of(unit)
    aliases = aliases_of_unit(unit, types)
    if dependent is not None and any(hasattr(type(each), "__srcad_result__") for each in unit.bindings.values()):
        varied = active_names(unit, types, aliases, independent, dependent)
    else:
        varied = varied_names(unit, types, aliases, independent)
    return Program(unit, types, flow, aliases, Meeting(unit, flow, types, aliases), varied)
