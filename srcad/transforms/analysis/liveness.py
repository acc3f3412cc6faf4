"""Liveness: the names whose values may be read later (Aho, Lam, Sethi, Ullman, Compilers, 2006, section 9.2.5).

And its mirror image, definite assignment: the names that every path has stored.
"""

from __future__ import annotations

from typing import TypeAlias

import gast

from srcad.transforms.analysis.dataflow import Backward, Forward, Solution
from srcad.transforms.ir.build import Block
from srcad.transforms.ir.code import Code, fact
from srcad.transforms.ir.side_effects import all_written, reads, stored_in

Live: TypeAlias = frozenset[str]


def liveness(block: Block, after: Live = frozenset()) -> Solution[Live]:
    """The names that are live at each point of a block, given those that are live after it."""
    return _Liveness().solve(block, after)


@fact
def liveness_of(code: Code) -> Solution[Live]:
    """The names that are live at each point of a function."""
    return liveness(code.body)


def live_before(block: Block, after: Live = frozenset()) -> Live:
    """The live-in names of a block, given those live after it; by itself, what it reads before storing it."""
    return liveness(block, after).start


def carried_names(body: Block) -> Live:
    """The loop-carried names: those that an iteration stores, and may read before it stores them."""
    return stored_in(body) & live_before(body)


def stored_certainly(block: Block) -> frozenset[str]:
    """The names that every path to the end of a block stores."""
    return _StoredCertainly().solve(block, frozenset()).end or frozenset()


class _Liveness(Backward[Live]):
    bottom = frozenset()

    def __init__(self) -> None:
        self.effects: dict[gast.stmt, tuple[Live, Live]] = {}  # what each statement reads and stores

    def join(self, one: Live, other: Live) -> Live:
        return one | other

    def transfer(self, statement: gast.stmt, state: Live) -> Live:
        effects = self.effects.get(statement)
        if effects is None:
            effects = self.effects[statement] = _effects(statement)
        return (state - effects[1]) | effects[0]

    def bind(self, loop: gast.For, state: Live) -> Live:
        return state - {loop.target.id}


def _effects(statement: gast.stmt) -> tuple[Live, Live]:
    """The names that a simple statement, or the header of a compound one, reads, and those that it stores."""
    is_stored = isinstance(statement, gast.Assign)
    return frozenset(reads(statement)), frozenset(all_written(statement) if is_stored else ())


class _StoredCertainly(Forward[frozenset[str]]):
    def join(self, one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
        return one & other

    def transfer(self, statement: gast.stmt, state: frozenset[str]) -> frozenset[str]:
        return state if isinstance(statement, gast.For) else state.union(all_written(statement))
