"""Parts of a reversed block to be skipped: `guard` says where only zeros would be passed on, this what else counts.

A part that puts back what a store has overwritten, or moves the cursor of a trace, is not skipped, or something is done
in its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import gast

from srcad.transforms.build import Block, augment, load, stored
from srcad.transforms.guard import stretch, tested
from srcad.transforms.plan import Node, Plan, Replay

if TYPE_CHECKING:
    from srcad.transforms.assemble import Assembler


class Skips:
    """The parts of one plan that its assembler may skip."""

    def __init__(self, by: Assembler) -> None:
        self.by, self.sites = by, by.sites

    def rest(self, plan: Plan, nodes: list[Node], before: list[Node]) -> list[str] | None:
        """Adjoints to be tested before the rest of a loop's body, where that is right and worth it."""
        by = self.by
        if not self.is_in_loop(plan) or self.is_put_back(nodes) or any(self.cursors(node, plan) for node in nodes[1:]):
            return None
        return tested(by.program, by.adjoints.bars, plan.way, nodes, before, by.dense)

    def stretch(self, plan: Plan, nodes: list[Node], before: list[Node]) -> tuple[int, list[str], list[str]] | None:
        """How many of these nodes are skipped where an adjoint is zero, which that is, and what is zero then."""
        by = self.by
        if not self.is_in_loop(plan):
            return None
        found = stretch(by.program, by.adjoints.bars, plan.way, nodes, before, by.dense)
        if found is None or self.is_put_back(nodes[: found[0]]):
            return None
        return None if any(self.cursors(node, plan) for node in nodes[: found[0]]) else found

    def is_in_loop(self, plan: Plan) -> bool:
        """Whether a block is the body of a loop."""
        return bool(plan.way) and plan.way[-1][0] in self.sites.loops

    def is_put_back(self, nodes: list[Node]) -> bool:
        """Whether nodes put back what stores have overwritten."""
        return any(name in self.by.old_site for node in nodes for name in self.by.needs(node))

    def cursors(self, node: Node, plan: Plan) -> list[str]:
        """Names below a node whose traces are read with a cursor that moves on in every iteration of a loop around."""
        around = {number for number, _ in plan.way}
        traces, flow = self.by.traces, self.by.program.flow
        return sorted(
            name
            for name in self.by.needs(node)
            if name in traces and traces[name].begin and flow.spot(traces[name].outermost).number in around
        )

    def instead(self, node: Node, plan: Plan, done: set[str], code: Block) -> Block | None:
        """What skipping a node and those behind it leaves to be done: cursors move on. None: it cannot be skipped."""
        moved = self.cursors(node, plan)
        if not moved:
            return []
        if not isinstance(node, Replay) or {*map(self.sites.site, moved)} != {(*plan.way, (node.number, 0))}:
            return None
        total = self.by.counts.get(id(node.statement))
        if total is None:
            return None
        self.by.provide(total, plan.way, done, code)
        return [augment(stored(self.by.traces[name].cursor), gast.Sub, load(total)) for name in moved]
