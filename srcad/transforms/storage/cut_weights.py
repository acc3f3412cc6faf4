"""Storage costs: the cost of recording a value against that of computing it again, in multiplications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from srcad.transforms.adjoint.dense_adjoints import dense_of
from srcad.transforms.adjoint.reverse_plan import Plan, Replay, Spot, inner_plans
from srcad.transforms.adjoint.zero_guards import is_often_skipped
from srcad.transforms.ir.cost_model import (
    CACHED_TRACE_FACTOR,
    FRESH_MEMORY_FACTOR,
    GROWING_TRACE_FACTOR,
    SKIPPED_WORK_FACTOR,
)
from srcad.transforms.storage.placement import Sites
from srcad.transforms.storage.recomputation import Recipes
from srcad.transforms.storage.traces import is_grid


class Costs:
    """The costs of recording and recomputing the names of one program, under one plan."""

    def __init__(self, sites: Sites, recipes: Recipes, plan: Plan, bars: Mapping[str, str]) -> None:
        self.sites, self.recipes = sites, recipes
        dense = dense_of(sites.program, plan, bars)
        self.skipped = {
            number for number, body in _bodies(plan) if bars and is_often_skipped(sites.program, bars, body, dense)
        }

    def record(self, name: str) -> float:
        """The cost of recording a name."""
        cost = self.recipes.record_cost(name)
        cost *= 1.0 if is_grid(self.sites, self.sites.loops_around(self.sites.site(name))) else GROWING_TRACE_FACTOR
        return cost * (CACHED_TRACE_FACTOR if self._is_local(name) else FRESH_MEMORY_FACTOR)

    def compute(self, name: str) -> float:
        """The cost of computing a name again."""
        around = {number for number, _ in self.sites.site(name)}
        return self.recipes.compute_cost(name) * (SKIPPED_WORK_FACTOR if around & self.skipped else 1.0)

    def _is_local(self, name: str) -> bool:
        return self.sites.spot is not None and (self.sites.spot, 0) in self.sites.site(name)


def _bodies(plan: Plan) -> Iterator[tuple[int, Plan]]:
    """The number and body of each reversed loop."""
    for node in plan.nodes:
        if isinstance(node, (Replay, Spot)):
            yield node.number, node.body
        for inner in inner_plans(node):
            yield from _bodies(inner)
