"""The stages between typing and differentiation, which functions that are called go through as well."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from numba import types as nb

from srcad.errors import MayOverlap, SrcadError
from srcad.transforms.checkpointing.loop_outlining import Finished, outlined
from srcad.transforms.inference.retyping import retyped
from srcad.transforms.inference.type_inference import Types, types_of, without_unreached
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.alias_versioning import choose
from srcad.transforms.normalise.list_aliasing import refuse_shared
from srcad.transforms.normalise.messages import with_plain_messages
from srcad.transforms.normalise.prepare_for_differentiation import ready
from srcad.transforms.normalise.view_write_checks import refuse_hidden_views
from srcad.transforms.optimise.copy_hoisting import with_early_copies
from srcad.transforms.optimise.cse_and_licm import tidy
from srcad.transforms.optimise.elementwise_fusion import fuse
from srcad.transforms.optimise.scalar_expansion import with_tables
from srcad.transforms.parallel.ordered_reductions import with_folds_apart


@dataclass(frozen=True)
class Stage:
    """What a stage hands on: the unit, its types once they are known, and the names of the trip counts of its loops."""

    name: str
    unit: Unit
    facts: Types | None = None
    counts: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Middle:
    """The stages, as they are done in one derivation.

    loops           whether array statements become loops
    assumes         whether arrays that may broadcast are taken not to
    insist          whether names that are now one array, now another are rewritten where that may be idle
    is_reversed     whether checkpointed loops become calls, which only a reverse sweep has use for
    without         optional passes that are left out
    is_again        whether functions have been through these stages before they were differentiated: once is enough
    """

    loops: bool
    assumes: bool
    insist: bool
    is_reversed: bool
    without: frozenset[str]
    is_again: bool = False
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def stages(self, unit: Unit, facts: Types, types: tuple[nb.Type, ...], in_place: bool = False) -> Iterator[Stage]:
        """One stage after the other; a function that works `in_place` may write into its parameters."""
        unit = replace(unit, without=self.without)
        if not self.is_again:
            refuse_shared(unit, facts)
            unit, facts = choose(unit, facts, self.insist)
            refuse_hidden_views(unit, facts)
            yield Stage("choose", unit, facts)
        if self.is_reversed:
            unit, facts = self.outlined(unit, facts)
        if self.loops:
            unit, facts = self.typed(unit, facts, fuse(unit, facts, self.assumes), types)
            unit = with_plain_messages(unit, facts)
            yield Stage("fuse", unit, facts)
        if not self.is_again:
            unit = with_early_copies(unit, facts)
            unit = tidy(unit, facts)
            if self.loops:
                unit, facts = self.typed(unit, facts, with_tables(unit, facts), types)
            unit, facts = with_folds_apart(unit, facts)
            yield Stage("tidy", unit, facts)
        unit, facts, counts = ready(unit, facts, in_place)
        yield Stage("ready", unit, facts, counts)

    def typed(self, before: Unit, facts: Types, after: Unit, types: tuple[nb.Type, ...]) -> tuple[Unit, Types]:
        """What a stage has made of a unit, with the types of its names."""
        if after is before:
            return before, facts
        known = retyped(before, facts, after)
        return (after, known) if known is not None else reached_types(after, types)

    def outlined(self, unit: Unit, facts: Types) -> tuple[Unit, Types]:
        """Checkpointed loops as calls; where the arrays of one cannot be told apart, all choices are made numbers."""
        try:
            return outlined(unit, facts, self.finish, self.numbers)
        except MayOverlap as refused:
            if self.is_again or self.insist:
                raise
            try:
                return outlined(*choose(unit, facts, insist=True), self.finish, self.numbers)
            except SrcadError:
                raise refused from None

    def finish(self, unit: Unit, facts: Types, kinds: tuple[nb.Type, ...], in_place: bool = False) -> Finished:
        """A function as it is before differentiation."""
        *_, last = self.stages(unit, facts, kinds, in_place)
        assert last.facts is not None
        return last.unit, last.facts, last.counts


def reached_types(unit: Unit, types: tuple[nb.Type, ...]) -> tuple[Unit, Types]:
    """Types from Numba's inference, and the unit without what it has found to be never reached."""
    facts = types_of(unit, types)
    return without_unreached(unit, facts), facts
