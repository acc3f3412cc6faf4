"""To-be-recorded (TBR) analysis: which primal values the reverse sweep keeps, recomputes, or restores from a record.

Names outside of all loops are still available. For each loop body a minimum cut (see `min_cut`) chooses what to record,
between what is available at the start of a reversed iteration and what its statements read. Elements of arrays that are
written may be read again if every store that could have overwritten them is undone at the same point of the reverse
sweep; whether it is cheaper to undo the stores or to record what was read is decided for each allocated array (the
to-be-recorded analysis of Hascoet, Naumann and Pascual, "To be recorded" analysis in reverse-mode automatic
differentiation, 2005).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import gast
from numba import types as nb

from srcad.runtime.support.stage_timer import stage
from srcad.transforms.adjoint.reverse_plan import Fork, Node, Plan, Replay, Step, inner_plans, reached, spot_of
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.array_functions import SECOND_SHAPE_ONLY, SHAPE_ATTRIBUTES, SHAPE_ONLY, last_part, last_parts
from srcad.transforms.ir.build import Block, load, names_in, stores_into, walk_statements
from srcad.transforms.ir.cost_model import GUESSED_ITERATIONS
from srcad.transforms.ir.pass_names import RECOMPUTATION
from srcad.transforms.storage.cut_weights import Costs
from srcad.transforms.storage.min_cut import cheapest_record
from srcad.transforms.storage.placement import Sites
from srcad.transforms.storage.recomputation import Recipes
from srcad.transforms.storage.tbr_result import Decisions
from srcad.transforms.storage.traces import rows

Way = tuple[tuple[int, int], ...]


class Decider:
    """Makes the decisions for one plan."""

    def __init__(
        self, program: Program, plan: Plan, undone: list[gast.stmt], bars: Mapping[str, str], pure: bool = False
    ) -> None:
        """`undone` has stores that must be undone in any case; their subscripts are needed too.

        `bars` has the adjoint of each name. A `pure` reverse sweep undoes no stores, so that it can run many times on
        one trace.
        """
        self.program, self.plan, self.undone, self.pure, self.bars = program, plan, undone, pure, bars
        spot = spot_of(plan)
        self.sites = Sites(program, spot)
        self.recipes = Recipes(program, spot, pure)
        self.requests: dict[str, int] = {}
        self.contents: list[tuple[gast.stmt, gast.expr]] = []
        self.refused: set[str] = set()

    @cached_property
    def costs(self) -> Costs:
        """The costs of recording and of recomputing, which only loops need."""
        return Costs(self.sites, self.recipes, self.plan, self.bars)

    @stage("tbr")
    def decide(self) -> Decisions:
        """All decisions."""
        self.collect(self.plan)
        self.recipes.wanted = {names_of(what) for _, what in self.contents}
        for store in self.undone:
            for name in names_in(stores_into(store)):
                self.request(name, self.program.flow.spot(store).number)
            self.contents += [(store, load(name)) for name in self.index_arrays(store)]
        self.refuse_dear_loads()
        decisions, pending = Decisions(), dict(self.requests)
        regions = sorted(self.sites.loops, reverse=True)
        depth = {number: len(self.sites.spots[number].loops) for number in regions}
        for number in sorted(regions, key=lambda each: -depth[each]):
            self.decide_region(number, pending, decisions)
        if self.pure:
            decisions.snapshots = [
                (statement, names_of(what))
                for statement, what in self.contents
                if self.recipes.stores_after(statement, what)
            ]
            return self.with_forms(decisions)
        reads = list(self.contents)
        for name in decisions.recomputed:
            reads += self.recipes.loads(name)
        undone = {id(store): store for store in self.undone} | {
            id(store): store for statement, what in reads for store in self.recipes.stores_after(statement, what)
        }
        decisions.undone = [store for store in walk_statements(self.program.unit.tree.body) if id(store) in undone]
        return self.with_forms(decisions)

    def with_forms(self, decisions: Decisions) -> Decisions:
        """Decide which arrays are copied."""
        decisions.rows = rows(self.sites, self.recipes, decisions)
        return decisions

    def collect(self, plan: Plan) -> None:
        """Collect what every step of a plan reads, and how late."""
        for node in plan.nodes:
            self.collect_node(node)

    def collect_node(self, node: Node) -> None:
        """Collect what one step, branch or loop reads, with everything nested in it."""
        for name in own_reads(node):
            self.request(name, reached(node))
        if isinstance(node, Step):
            self.contents += self.content_reads(node)
        for inner in inner_plans(node):
            self.collect(inner)

    def request(self, name: str, number: int) -> None:
        """Note that a name is needed when statement `number` is reversed, or the later one that computes it."""
        if self.sites.is_primal(name) and not self.sites.is_there(name):
            made = self.program.flow.single(name)
            number = number if made is None else max(number, self.program.flow.spot(made).number)
            position = self.sites.position(number, self.sites.site(name))
            self.requests[name] = max(self.requests.get(name, -1), position)

    def content_reads(self, step: Step) -> list[tuple[gast.stmt, gast.expr]]:
        """The arrays whose contents a step reads."""
        if step.statement is None:
            return []
        found = {
            name
            for statement in step.code
            for name in names_with_content(statement)
            if self.sites.is_primal(name)
            and self.program.types.is_array(name)
            and self.program.aliases.is_written(name)
        }
        return [(step.statement, load(name)) for name in sorted(found)]

    def index_arrays(self, store: gast.stmt) -> list[str]:
        """Index arrays of a store that are written somewhere: to undo the store, their contents are needed."""
        target = stores_into(store)
        assert target is not None
        aliases, types = self.program.aliases, self.program.types
        return sorted(name for name in names_in(target.slice) if types.is_array(name) and aliases.is_written(name))

    def decide_region(self, number: int, pending: dict[str, int], decisions: Decisions) -> None:
        """Choose between recording and recomputing in one loop body; adds its needs of outer bodies to `pending`."""
        wanted = [name for name in pending if self.sites.region(name) == number]
        operands: dict[str, list[str]] = {}
        outside: dict[str, list[str]] = {}
        late = {name: pending[name] for name in wanted}
        queue = list(wanted)
        while queue:
            name = queue.pop()
            recipe = self.usable_recipe(name, late[name])
            if recipe is None:
                operands.pop(name, None)
                continue
            reads = [read for read in dict.fromkeys(names_in(recipe)) if self.sites.is_primal(read)]
            inner = [read for read in reads if self.sites.region(read) == number and not self.sites.is_there(read)]
            operands[name] = inner
            outside[name] = [read for read in reads if read not in inner and not self.sites.is_there(read)]
            for read in inner:
                position = self.sites.position(late[name], self.sites.site(read))
                if position > late.get(read, -1):
                    late[read] = position
                    queue.append(read)
        recorded = cheapest_record(
            wanted,
            operands,
            {name: self.costs.record(name) for name in sorted(late)},
            {name: self.costs.compute(name) for name in operands},
        )
        decisions.recorded |= recorded
        self.keep(wanted, recorded, operands, outside, pending, decisions, late)

    def keep(
        self,
        wanted: list[str],
        recorded: frozenset[str],
        operands: dict[str, list[str]],
        outside: dict[str, list[str]],
        pending: dict[str, int],
        decisions: Decisions,
        late: dict[str, int],
    ) -> None:
        """Note what is recomputed, and what the recomputation reads from outer bodies."""

        def computed(names: Iterable[str]) -> list[str]:
            return [name for name in names if name not in recorded]

        for name in closure(computed(reversed(wanted)), lambda each: computed(operands[each])):
            recipe = self.recipes.recipe(name)
            assert recipe is not None
            decisions.recomputed[name] = recipe
            if (keeper := self.recipes.keeper(name)) is not None:
                decisions.kept[id(keeper)] = name
            for read in outside[name]:
                position = self.sites.position(late[name], self.sites.site(read))
                pending[read] = max(pending.get(read, -1), position)

    def usable_recipe(self, name: str, until: int) -> gast.expr | None:
        """The recipe of a name, if it is still valid where the name is needed."""
        recipe = self.recipes.recipe(name)
        if recipe is None or name in self.refused or self.is_only_recorded(name):
            return None
        if not self.recipes.is_unchanged(name, until):
            return None
        region = self.sites.region(name)
        for read in names_in(recipe):
            if self.sites.is_primal(read) and not self.sites.is_there(read):
                inner = self.sites.region(read)
                if inner != region and (inner is None or not self._encloses(inner, region)):
                    return None
        return recipe

    def is_only_recorded(self, name: str) -> bool:
        """Whether the name is a number, and recomputation of numbers is switched off."""
        return not self.program.unit.does(RECOMPUTATION) and isinstance(
            self.program.types.get(name), (nb.Number, nb.Boolean)
        )

    def _encloses(self, outer: int, inner: int | None) -> bool:
        return inner is not None and outer in {number for number, _ in self.sites.spots[inner].way}

    def refuse_dear_loads(self) -> None:
        """Refuse to recompute loads where undoing the stores after them costs more than recording the values."""
        program = self.program
        loads: dict[str, list[str]] = {}
        for name in self.reachable():
            for _, what in self.recipes.loads(name):
                for root in program.aliases.points_to(names_of(what)):
                    loads.setdefault(root, []).append(name)
        for root in sorted(loads):
            names = sorted(set(loads[root]))
            fixed = [read for read in self.contents if root in program.aliases.points_to(names_of(read[1]))]
            if fixed and not self.pure:
                continue
            stores: dict[int, gast.stmt] = {}
            for name in names:
                for statement, what in self.recipes.loads(name):
                    stores |= {id(store): store for store in self.recipes.stores_after(statement, what)}
            undo = sum(self.weight(store) for store in stores.values())
            record = sum(self.weight(program.flow.stores[name][0]) for name in names)
            if undo > record or (self.pure and stores):
                self.refused |= set(names)

    def weight(self, statement: gast.stmt) -> float:
        """A guess at how often a statement runs."""
        return float(GUESSED_ITERATIONS ** len(self.program.flow.spot(statement).loops))

    def reachable(self) -> list[str]:
        """The names that requests may lead to, through recipes."""

        def operands(name: str) -> list[str]:
            return [read for read in names_in(self.recipes.recipe(name)) if self.sites.is_primal(read)]

        return sorted(closure(self.requests, operands))


def own_reads(node: Node) -> list[str]:
    """The names read by a step, or by the header of a reversed branch or loop."""
    match node:
        case Step(code=code):
            return list(dict.fromkeys(name for statement in code for name in code_reads(statement)))
        case Fork(statement=statement):
            return list(dict.fromkeys(names_in(statement.test)))
        case Replay(header=header, first=first):
            assert header is not None
            inner = [name for statement in first for name in names_in(statement.value)]
            return list(dict.fromkeys([*names_in(header.iter), *inner]))
    return []


def code_reads(statement: gast.stmt) -> list[str]:
    """The names that a statement of the reverse sweep reads, including the subscripts of its target."""
    return list(names_in(statement))


def names_with_content(node: gast.AST) -> list[str]:
    """The names in an expression, except those of which only the shape or type is used."""
    if isinstance(node, gast.Attribute) and node.attr in SHAPE_ATTRIBUTES:
        return []
    if isinstance(node, gast.Call) and (called := last_part(node.func)) in _LIKE | _SECOND:
        rest = node.args[1:] if called in _LIKE else [*node.args[:1], *node.args[2:]]
        return [name for part in rest for name in names_with_content(part)]
    if isinstance(node, gast.Name):
        return [node.id] if not isinstance(node.ctx, gast.Store) else []
    return [name for child in gast.iter_child_nodes(node) for name in names_with_content(child)]


_LIKE, _SECOND = last_parts(SHAPE_ONLY), last_parts(SECOND_SHAPE_ONLY)


def names_of(node: gast.expr) -> str:
    """The name of a name or of a subscript's base."""
    return str(node.id if isinstance(node, gast.Name) else node.value.id)


__all__ = ["Block", "Decider", "Decisions", "Sites", "inner_plans", "own_reads"]
