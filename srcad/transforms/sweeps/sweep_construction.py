"""Sweep construction: plan the reverse sweep, decide what to record, and repeat until the undone stores are known."""

from __future__ import annotations

from collections.abc import Mapping

import gast

from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.reverse_plan import spot_of
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, stores_into
from srcad.transforms.ir.type_annotations import note_kinds
from srcad.transforms.storage.tbr import Decider
from srcad.transforms.sweeps.iteration_local_reversal import Independence, candidates
from srcad.transforms.sweeps.reverse_control_flow import Reverser
from srcad.transforms.sweeps.sweep_assembly import Assembler, Sweeps


def sweeps(program: Program, adjoints: Adjoints, counts: Mapping[int, str], seed: Block) -> Sweeps:
    """The forward and reverse sweep of a program; `seed` starts the reverse sweep."""
    undone: list[gast.stmt] = []
    spots = candidates(program)
    while True:
        reverser = Reverser(program, adjoints, counts, frozenset(id(store) for store in undone))
        plan = reverser.plan(seed, spots)
        decisions = Decider(program, plan, undone, adjoints.bars).decide()
        spot = spot_of(plan)
        if spot is not None and _is_spoilt(program, spot, decisions.undone):
            undone, spots = [], [each for each in spots if each is not spot]
        elif len(decisions.undone) == len(undone):
            both = Assembler(program, adjoints, counts, plan, decisions).sweeps()
            note_kinds([*both.forward, *both.reverse], program.types.of, adjoints.bars)
            return both
        else:
            undone = decisions.undone


def _is_spoilt(program: Program, spot: gast.For, undone: list[gast.stmt]) -> bool:
    """Whether undoing some stores would change the results of a loop with iteration-local reversal."""
    flow, independence = program.flow, Independence(program, spot)
    first = flow.spot(spot).number
    for store in undone:
        if spot in flow.spot(store).loops:
            target = stores_into(store)
            assert target is not None
            if not all(independence.is_private(root) for root in independence.roots(target)):
                return True
        elif flow.spot(store).number > first:
            return True
    return False
