"""Reverse control flow: blocks from last to first statement, branches as branches, loops as loops.

The result is a plan, a tree of steps in execution order. Each step has the number of the primal statement that it
reverses, so that `tbr` can determine when which primal values are needed, and make them available.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import gast

from srcad.runtime import kernels
from srcad.runtime.support.stage_timer import stage
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.adjoint_statements import StatementAdjoints
from srcad.transforms.adjoint.reverse_plan import Fork, Node, Plan, Replay, Step, Way, place_zeros
from srcad.transforms.analysis.ownership import swap_groups
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.view_adjoints import is_view
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    clone,
    inner_blocks,
    is_exit,
    load,
    place_of,
    subscript,
)
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.pass_names import FIRST_ASSIGNMENT
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.type_annotations import noted_as
from srcad.transforms.sweeps.independent_loop_schedule import Scheduler


class Reverser:
    """Builds the plan of a function's reverse sweep."""

    def __init__(
        self, program: Program, adjoints: Adjoints, counts: Mapping[int, str], undone: frozenset[int] = frozenset()
    ) -> None:
        """`counts` has the iteration counters of counted loops; `undone` has ids of stores that must have a step."""
        self.program, self.adjoints, self.counts, self.undone = program, adjoints, counts, undone
        self.statements = StatementAdjoints(program, adjoints)
        self.swaps = program.known(swap_groups)
        self.homes: dict[Way, list[str]] = {}
        for name in self._named():
            if program.is_active(name) and name not in adjoints.given and name not in adjoints.calls.calls:
                self.homes.setdefault(program.flow.home(name), []).append(name)

    def _named(self) -> list[str]:
        """All names, parameters first, then in the order of their first stores."""
        return list(dict.fromkeys([*self.program.unit.parameters, *self.program.flow.stores]))

    @stage("reverse_plan")
    def plan(self, seed: Block, spots: Sequence[gast.For] = ()) -> Plan:
        """The reverse sweep of the whole function; `seed` initialises the adjoints of the results.

        The first of `spots` for which a schedule exists gets iteration-local reversal.
        """
        body = self.program.unit.tree.body
        plan = self.block(body[:-1] if isinstance(body[-1], gast.Return) else body, ())
        end = self.program.flow.spot(body[-1]).number
        plan.last = end
        plan.nodes.insert(1, Step(end, [clone(each) for each in seed], body[-1]))
        scheduler = Scheduler(self.program, self.adjoints) if spots else None
        for loop in spots:
            assert scheduler is not None
            nodes = scheduler.scheduled(plan.nodes, loop)
            if nodes is not None and isinstance(nodes[0], Step):  # the zeros come first
                plan.nodes = nodes
                break
        return place_zeros(plan, self.program.unit.does(FIRST_ASSIGNMENT))

    def block(self, block: Block, way: Way) -> Plan:
        """The reversal of one block; adjoints of names that belong to the block start as zero."""
        flow = self.program.flow
        last = max((flow.last_inside[flow.spot(statement).number] for statement in block), default=-1)
        plan = Plan(way, last)
        plan.nodes.append(Step(last, self.zeros(way)))
        for statement in reversed(block):
            node = self.node(statement)
            if node is not None:
                plan.nodes.append(node)
        return plan if way == () else place_zeros(plan, self.program.unit.does(FIRST_ASSIGNMENT))

    def zeros(self, way: Way) -> Block:
        """The initial values for adjoints of a block's names: zero, or a view of the base's adjoint."""
        code: Block = []
        for name in self.homes.get(way, []):
            code.append(self.adjoints.begin(name, self.beginning(name)))
        return code

    def beginning(self, name: str) -> gast.expr:
        """The initial value of an adjoint."""
        base = self.program.aliases.views.get(name)
        value = self.program.flow.definition(name)
        if base is None or value is None or not is_view(self.program, name, value):
            return self.adjoints.zero(name)
        bar = load(self.adjoints.bar(base))
        if isinstance(value, gast.Subscript):
            return subscript(bar, clone(value.slice))
        viewed = clone(value)
        viewed.args[0] = bar
        if primitive_of(value, self.program.unit.bindings) is kernels.expand:
            viewed.func.attr = "expand_bar"
        return viewed

    def node(self, statement: gast.stmt) -> Node | None:
        """The reversal of one statement, or None where there is nothing to do."""
        number = self.program.flow.spot(statement).number
        way = self.program.flow.spot(statement).way
        if isinstance(statement, gast.If):
            if is_exit(statement):
                return None
            fork = Fork(number, statement, last=self.program.flow.last_inside[number])
            fork.arms = [self.block(block, (*way, (number, arm))) for arm, block in enumerate(inner_blocks(statement))]
            return fork if any(_acts(arm) for arm in fork.arms) else None
        if isinstance(statement, (gast.For, gast.While)):
            body = self.block(statement.body, (*way, (number, 0)))
            if not _acts(body):
                return None
            replay = Replay(number, statement, body, last=self.program.flow.last_inside[number])
            self.reverse_header(replay)
            replay.header = note(noted_as(statement, replay.header), distinct_arrays=self.apart(statement))
            return replay
        code = self.statements.of(statement)
        return Step(number, code, statement) if code or id(statement) in self.undone else None

    def apart(self, loop: gast.For | gast.While) -> tuple[frozenset[str], ...]:
        """Groups of arrays that do not alias while a loop runs, since they are permuted by a loop around it."""
        around = self.program.flow.spot(loop).loops
        groups = [group for each, group in self.swaps if each in around]
        active = [group for group in groups if all(map(self.program.is_active, group))]
        return (*groups, *(frozenset(map(self.adjoints.bar, group)) for group in active))

    def reverse_header(self, replay: Replay) -> None:
        """The reversed iteration: the same indices from last to first."""
        loop, place = replay.statement, place_of(replay.statement)
        names = self.adjoints.names
        total = self.counts.get(id(loop))
        if total is None:
            assert isinstance(loop, gast.For)
            start, stop, step = (clone(bound) for bound in loop.iter.args)
            width = constant(step)
            if width == 1:
                bounds = [_plus(stop, -1), _plus(start, -1), gast.UnaryOp(gast.USub(), gast.Constant(1, None))]
                replay.header = _for(loop.target.id, bounds, place)
                return
            if width == -1:
                replay.header = _for(loop.target.id, [_plus(stop, 1), _plus(start, 1), gast.Constant(1, None)], place)
                return
            count: gast.expr = call(self.adjoints.kernel("trip_count"), start, stop, step)
        else:
            count = load(total)
        counter = names.fresh(f"{loop.target.id}_at" if isinstance(loop, gast.For) else "step")
        bounds = [_plus(count, -1), _minus_one(), _minus_one()]
        replay.header = _for(counter, bounds, place)
        if isinstance(loop, gast.For):
            start, _, step = (clone(bound) for bound in loop.iter.args)
            offset = load(counter) if constant(step) == 1 else gast.BinOp(load(counter), gast.Mult(), step)
            index = offset if constant(start) == 0 else gast.BinOp(start, gast.Add(), offset)
            replay.first = [assign(loop.target.id, index, place)]


def _acts(plan: Plan) -> bool:
    """Whether a reversed block does anything except initialise adjoints."""
    return any(not (isinstance(node, Step) and node.statement is None) for node in plan.nodes)


def _for(index: str, bounds: list[gast.expr], place: object) -> gast.For:
    from srcad.transforms.ir.build import loop

    return loop(index, bounds, [], place)  # type: ignore[arg-type]


def _minus_one() -> gast.expr:
    return gast.UnaryOp(gast.USub(), gast.Constant(1, None))


def _plus(node: gast.expr, amount: int) -> gast.expr:
    """`node + amount`, with literals folded."""
    from srcad.transforms.ir.build import const

    value = constant(node)
    if isinstance(value, int):
        return const(value + amount)
    operation = gast.Add() if amount > 0 else gast.Sub()
    return gast.BinOp(node, operation, gast.Constant(abs(amount), None))
