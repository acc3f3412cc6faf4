"""Sweep construction: plan the reverse sweep, decide what to record, and repeat until the undone stores are known.

Sweep assembly: write the forward sweep with its records, and the reverse sweep with its reads, as statements.

Parts of a reversed block may be skipped where adjoints are zero: `zero_guards` finds where only zeros would be
propagated, this module checks everything else.

A part that restores an overwritten value is not skipped; neither is one that moves the cursor of a trace, unless the
skipped path can move the cursor as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.runtime.support.stage_timer import stage
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.adjoint.dense_adjoints import dense_of
from srcad.transforms.adjoint.reverse_plan import Fork, Late, Node, Plan, Replay, Spot, Step, Way, inner_plans, spot_of
from srcad.transforms.adjoint.zero_guards import is_worth_a_test, stretch, tested, where_nonzero
from srcad.transforms.analysis.aliases import is_basic
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.analysis.sweep_boundary import boundary, completion
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    augment,
    binary,
    branch,
    call,
    clone,
    const,
    header_of,
    inner_blocks,
    load,
    names_in,
    place_of,
    stored,
    stores_into,
    walk_statements,
    written,
)
from srcad.transforms.ir.comments import commented, with_line
from srcad.transforms.ir.node_notes import note
from srcad.transforms.ir.type_annotations import note_kinds
from srcad.transforms.normalise.prepare_for_differentiation import element_type
from srcad.transforms.storage.placement import Sites
from srcad.transforms.storage.shape_only_traces import without_known
from srcad.transforms.storage.tbr import Decider, own_reads
from srcad.transforms.storage.tbr_result import Decisions
from srcad.transforms.storage.traces import Trace, Traces, is_made_ahead, iteration_numbers
from srcad.transforms.sweeps.iteration_local_reversal import Independence, candidates, tails
from srcad.transforms.sweeps.reverse_control_flow import Reverser

if TYPE_CHECKING:
    pass


class Skips:
    """Decides which parts of a plan may be skipped."""

    def __init__(self, by: Assembler) -> None:
        self.by, self.sites = by, by.sites

    def rest(self, plan: Plan, nodes: list[Node], before: list[Node]) -> list[str] | None:
        """The adjoints to be tested before the rest of a loop's body, where that is correct and worthwhile."""
        by = self.by
        if not self.is_in_loop(plan) or not is_worth_a_test(nodes):
            return None
        if self.is_put_back(nodes) or any(self.cursors(node, plan) for node in nodes[1:]):
            return None
        return tested(by.program, by.adjoints.bars, plan.way, nodes, before, by.dense)

    def stretch(self, plan: Plan, nodes: list[Node], before: list[Node]) -> tuple[int, list[str], list[str]] | None:
        """How many of these nodes to skip where an adjoint is zero, which adjoints, and which names are then zero."""
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
        """Whether nodes restore values that stores have overwritten."""
        return any(name in self.by.old_site for node in nodes for name in self.by.needs(node))

    def cursors(self, node: Node, plan: Plan) -> list[str]:
        """The names below a node whose traces are read with a cursor that an enclosing loop advances."""
        around = {number for number, _ in plan.way}
        traces, flow = self.by.traces, self.by.program.flow
        return sorted(
            name
            for name in self.by.needs(node)
            if name in traces and traces[name].begin and flow.spot(traces[name].outermost).number in around
        )

    def instead(self, node: Node, plan: Plan, done: set[str], code: Block) -> Block | None:
        """The statements that advance the cursors if a node and those after it are skipped; None if impossible."""
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


_GUARD = "not zero: "  # marks, among names, adjoints that have been tested


@dataclass(frozen=True)
class Sweeps:
    """Both sweeps of a function.

    forward     the primal with its records, without the return
    result      the primal's result
    reverse     the reverse sweep; adjoints of parameters are in the names that `Adjoints.bar` gives
    blanks      variables of traces, with statements that make empty ones
    by          the assembler that made them, with the reasons for its decisions
    """

    forward: Block
    result: gast.expr
    reverse: Block
    blanks: dict[str, gast.stmt]
    by: Assembler


class Assembler:
    """Writes both sweeps of one plan, according to the storage decisions."""

    def __init__(
        self, program: Program, adjoints: Adjoints, counts: Mapping[int, str], plan: Plan, decisions: Decisions
    ) -> None:
        self.program, self.adjoints, self.counts, self.plan, self.decisions = program, adjoints, counts, plan, decisions
        self.spot, self.dense = spot_of(plan), dense_of(program, plan, adjoints.bars)
        self.late = {id(each) for node in plan.nodes if isinstance(node, Late) for each in node.statements}
        self.sites = Sites(program, self.spot)
        numbers, shapes = dict(iteration_numbers(program, counts, plan)), without_known(self.sites, plan, decisions)
        traces = Traces(program, self.sites, adjoints, numbers, shapes, decisions.rows)
        self.old, self.old_site = dict[int, str](), dict[str, Way]()
        self.traces, self._needs = dict[str, Trace](), dict[int, set[str]]()
        self.skips = Skips(self)
        for store in decisions.undone:
            self.add_old(store, traces)
        for name in sorted(decisions.recorded):
            self.traces[name] = traces.trace(name, program.types.get(name), self.sites.site(name))

    def add_old(self, store: gast.stmt, traces: Traces) -> None:
        """Add a name, and in a loop a trace, for the value that a store overwrites."""
        target = stores_into(store)
        assert target is not None
        name = self.adjoints.names.fresh(f"{target.value.id}_old")
        self.old[id(store)] = name
        self.old_site[name] = self.program.flow.spot(store).way
        if self.sites.loops_around(self.old_site[name]):
            kind = element_type(target, dict(self.program.types.of))
            self.traces[name] = traces.trace(name, kind, self.old_site[name])

    @stage("sweep_assembly")
    def sweeps(self) -> Sweeps:
        """Both sweeps."""
        body = self.program.unit.tree.body
        result = body[-1].value if isinstance(body[-1], gast.Return) else gast.Constant(value=None, kind=None)
        first = body[:-1] if isinstance(body[-1], gast.Return) else body
        forward = self.forward([each for each in first if each is not self.spot and id(each) not in self.late], ())
        reverse = [boundary(), *self.reverse(self.plan)]
        blanks = {str(written(made)): made for trace in self.traces.values() for made in trace.blank}
        return Sweeps(forward, clone(result), reverse, blanks, self)

    def forward(self, block: Block, way: Way) -> Block:
        """The primal block with its records."""
        code = self.room_inside(way)
        for name, trace in self.traces.items():
            if self.program.carrier(name) is not None and self.sites.site(name) == way:
                code += commented(trace.save, "overwritten below, needed in reverse")
        for statement in block:
            code += self.made(statement)
            code += self.room_before(statement)
            code += self.saved_before(statement)
            code.append(self.forward_statement(statement, way))
            code += self.saved_after(statement, way)
        return code

    def made(self, loop: gast.stmt, ahead: bool = False) -> Block:
        """The statements that allocate a loop's traces; with `ahead`, those that can move out of an outer loop."""
        code: Block = []
        for trace in self.traces.values():
            if trace.outermost is loop:
                is_ahead = is_made_ahead(trace, self.sites)
                code += trace.make[:1] if ahead and is_ahead else trace.make[is_ahead:] if not ahead else []
        return [note(clone(each), scratch=ahead) for each in code]

    def room_inside(self, way: Way) -> Block:
        """The test at the start of an iteration that lets traces grow, if a block is the body of their loop.

        All have one length, since they begin and grow together, so one test will do.
        """
        alone = [trace for trace in self.traces.values() if trace.room and trace.around is None]
        tests = [clone(each) for trace in alone if self.body_of(trace.outermost) == way for each in trace.room]
        if tests and not isinstance(tests[0].body[0], gast.Raise):
            tests[0].body = [each for test in tests for each in test.body]
        return tests[:1]

    def room_before(self, loop: gast.stmt) -> Block:
        """The statements before a loop that let traces grow for all of its iterations."""
        some = [trace for trace in self.traces.values() if trace.around is loop and not trace.place]
        return [clone(each) for trace in some for each in trace.room]

    def in_strips(self, loop: gast.While, made: Any) -> Any:
        """What has been made of a loop, in strips of iterations for which its traces have room.

        In compiled code, an array that is reassigned in a loop costs several times what the loop itself does.
        """
        growing: dict[str, Trace] = {}
        tests: dict[str, Any] = {}
        for trace in self.traces.values():
            if trace.around is loop and trace.place:
                test = clone(trace.room[0])
                if trace.place in tests:  # both have one length, since they grow together
                    tests[trace.place].body += test.body
                else:
                    growing[trace.place], tests[trace.place] = trace, test
        if not growing:
            return made
        room = self.adjoints.names.fresh("room")
        rooms = [
            binary(attribute(load(str(written(trace.make[0]))), "size"), gast.Sub, load(place))
            for place, trace in growing.items()
        ]
        is_left = gast.Compare(left=load(room), ops=[gast.Gt()], comparators=[const(0)])
        strip = clone(made)
        strip.test = gast.BoolOp(op=gast.And(), values=[strip.test, is_left])
        strip.body = [augment(stored(room), gast.Sub, const(1)), *made.body]
        left = assign(room, rooms[0] if len(rooms) == 1 else call("min", *rooms))
        made.body = [*tests.values(), *commented([left], "iterations before traces have to grow"), strip]
        return made

    def body_of(self, loop: gast.stmt) -> Way:
        """The way to the body of a loop."""
        spot = self.program.flow.spot(loop)
        return (*spot.way, (spot.number, 0))

    def forward_statement(self, statement: gast.stmt, way: Way) -> gast.stmt:
        """A primal statement; a compound one with the records inside."""
        number = self.program.flow.spot(statement).number
        blocks = inner_blocks(statement)
        if not blocks or (isinstance(statement, gast.If) and isinstance(statement.body[0], gast.Break)):
            copied = clone(self.adjoints.calls.forward.get(id(statement), statement))
            return note(copied, undone_by=self.old[id(statement)]) if id(statement) in self.old else copied
        arms = [self.forward(inner, (*way, (number, arm))) for arm, inner in enumerate(blocks)]
        shallow = header_of(statement)
        shallow.body = arms[0] or [gast.Pass()]
        if isinstance(statement, gast.If):
            shallow.orelse = arms[1]
        return self.in_strips(statement, shallow) if isinstance(statement, gast.While) else shallow

    def saved_before(self, statement: gast.stmt) -> Block:
        """Save the value that an undone store overwrites."""
        name, target = self.old.get(id(statement)), stores_into(statement)
        if name is None or target is None:
            return []
        read = clone(target)
        read.ctx = gast.Load()
        kind = element_type(target, dict(self.program.types.of))
        if isinstance(kind, nb.Array) and is_basic(target.slice, self.program.types):
            read = call("np.copy", read)
        code = [assign(name, read, place_of(statement))]
        if name in self.traces:
            code += commented(self.traces[name].save, "overwritten here, needed in reverse")
        return code

    def saved_after(self, statement: gast.stmt, way: Way) -> Block:
        """Save names that a statement stores."""
        code: Block = []
        stored = {written(inner) for inner in walk_statements([statement])}
        for name, trace in self.traces.items():
            is_here = self.program.carrier(name) is None and self.sites.site(name) == way
            if is_here and trace.is_complete(name in stored, statement):
                code += commented(trace.save, "needed in reverse")
        return code

    def reverse(self, plan: Plan) -> Block:
        """A reversed block; values are made available before the first step that reads them."""
        return self.reverse_nodes(plan, plan.nodes, set())

    def reverse_nodes(self, plan: Plan, nodes: list[Node], done: set[str]) -> Block:
        """Part of a reversed block; where only zeros would be propagated, the rest of it or a part is skipped."""
        code: Block = []
        k = 0
        while k < len(nodes):
            node = nodes[k]
            bars = self.skips.rest(plan, nodes[k:], nodes[:k]) if k else None
            if bars is not None and not set(bars) <= {mark.removeprefix(_GUARD) for mark in done}:
                otherwise = self.skips.instead(node, plan, done, code)
                if otherwise is not None:
                    done.update(_GUARD + bar for bar in bars)
                    code.append(where_nonzero(bars, self.reverse_nodes(plan, nodes[k:], done), otherwise))
                    return code
            some = self.skips.stretch(plan, nodes[k:], nodes[:k]) if k else None
            if some is not None:
                count, bars, zeros = some
                inner = self.reverse_nodes(plan, nodes[k : k + count], set(done))
                code.append(where_nonzero(bars, inner, [assign(each, const(0.0)) for each in zeros]))
                k += count
                continue
            known = len(code)
            for name in sorted(self.needs(node)):
                self.provide(name, plan.way, done, code)
            with_line(code[known:], _place(node))
            if isinstance(node, Replay):
                started = (trace.begin for trace in self.traces.values() if trace.outermost is node.statement)
                code += [clone(statement) for begin in started for statement in begin]
            code += self.reverse_node(node)
            k += 1
        return code

    def reverse_node(self, node: Node) -> Block:
        """One step of the plan as statements."""
        match node:
            case Step(code=code, statement=statement):
                made = [clone(each) for each in code] + self.restored(statement)
                return with_line(made, _place(node))
            case Fork(statement=statement, arms=arms):
                body, orelse = (self.reverse(arm) for arm in arms)
                return with_line([branch(clone(statement.test), body, orelse, place_of(statement))], _place(node))
            case Replay(header=header, body=body, first=first):
                loop = clone(header)
                loop.body = [clone(each) for each in first] + self.reverse(body) or [gast.Pass()]
                at(loop, place_of(node.statement))
                return with_line([loop], _place(node))
            case Spot(statement=statement, body=body):
                return self.on_the_spot(statement, body)
            case Late(statements=statements):
                return [*self.forward(statements, ()), completion()]
        raise AssertionError(node)

    def on_the_spot(self, statement: gast.For, body: Plan) -> Block:
        """Iteration-local reversal: a loop in which each iteration runs and is reversed right after."""
        last = tails(self.program, statement)
        own = [each for each in statement.body if each not in last]
        loop = header_of(statement)
        loop.body = [*self.forward(own, body.way), boundary(), *self.reverse(body), *map(clone, last)]
        inner = (each for each in walk_statements(statement.body) if isinstance(each, (gast.For, gast.While)))
        return [*(made for each in inner for made in self.made(each, ahead=True)), loop]

    def restored(self, statement: gast.stmt | None) -> Block:
        """Restore the value that a store overwrote."""
        if statement is None or id(statement) not in self.old:
            return []
        old = self.old[id(statement)]
        restored = assign(clone(stores_into(statement)), load(old), place_of(statement))
        return [note(restored, puts_back=old)]

    def needs(self, node: Node) -> set[str]:
        """The primal names that a node reads, with all names that recomputing them reads."""
        if id(node) not in self._needs:
            pending = list(own_reads(node))
            for plan in inner_plans(node):
                for inner in plan.nodes:
                    pending += self.needs(inner)
            if isinstance(node, Step) and id(node.statement) in self.old:
                pending += [self.old[id(node.statement)], *names_in(stores_into(node.statement))]
                pending += [name for store, name in self.decisions.kept.items() if store == id(node.statement)]
            self._needs[id(node)] = set(closure(filter(self.is_primal, pending), self.operands))
        return self._needs[id(node)]

    def operands(self, name: str) -> list[str]:
        """The primal names that a name is recomputed from."""
        return list(filter(self.is_primal, names_in(self.decisions.recomputed.get(name))))

    def is_primal(self, name: str) -> bool:
        """Whether a name is one of the primal, or holds what an undone store overwrote."""
        return self.sites.is_primal(name) or name in self.old_site

    def provide(self, name: str, way: Way, done: set[str], code: Block) -> None:
        """Make a value available, after the values that it is recomputed from."""
        if name in done or (self.old_site.get(name) or self.sites.site(name)) != way:
            return
        done.add(name)
        if name in self.decisions.recomputed:
            recipe = self.decisions.recomputed[name]
            for read in names_in(recipe):
                if self.sites.is_primal(read):
                    self.provide(read, way, done, code)
            stores = self.program.flow.stores.get(name, [])
            code.append(assign(name, clone(recipe), place_of(stores[0]) if stores else None))
        elif name in self.traces:
            code += [clone(statement) for statement in self.traces[name].read]


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


def _place(node: Node) -> Place | None:
    """Where in the user's source the statement is that a node reverses."""
    statement = getattr(node, "statement", None)
    return None if statement is None else place_of(statement)


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
