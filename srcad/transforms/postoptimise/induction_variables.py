"""Induction variables: an integer that a loop advances is recomputed in the reverse loop instead of being recorded.

    p = d                                           p = d
    for c in range(d):                              for c in range(d):
        p_trace[c] = p                                  p_3 = p
        p_3 = p                                         for r in range(c + 1, d):
        for r in range(c + 1, d):                           q[r] += w[p_3]
            q[r] += w[p_3]                                  p_3 = p_3 + 1
            p_3 = p_3 + 1                               p = p_3
        p = p_3                         becomes     p = d
    for c in range(d):                              for c in range(d):
        p = p_trace[c]                                  p_3 = p
        for r in range(c + 1, d):                       for r in range(c + 1, d):
            p_3 = p + (r - (c + 1))                         w_bar[p_3] += q_bar[r]
            w_bar[p_3] += q_bar[r]                          p_3 = p_3 + 1
                                                        p = p + max(d - (c + 1), 0)

LLVM then sees that indices start at a length and grow, so none is negative (counted from the end). Applies where the
forward loop and the reverse loop, which runs in forward order, have the same header, made of names that are assigned
once, and where the integer's growth per iteration depends on such names and the loop's index only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TypeAlias

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import is_counted, step_of
from srcad.transforms.analysis.liveness import live_before
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    call,
    clone,
    const,
    dotted_path,
    index_value,
    inner_blocks,
    load,
    names_in,
    walk,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.loop_order import ascending

State: TypeAlias = dict[str, tuple[str, list[gast.expr]]]
"""Integers after some statements, each as the name of an integer before them and the terms added to it."""


@dataclass
class _Run:
    """An integer recorded at the start of each iteration: its start value, growth per iteration, recording store."""

    header: str
    index: str
    first: gast.expr
    growth: list[gast.expr]
    record: gast.stmt


def with_running_indices(code: Code) -> Code:
    """Recompute recorded integers that are induction variables."""
    return code.with_body(_Runner(code).run(code.body))


class _Runner:
    def __init__(self, code: Code) -> None:
        body = code.body
        self.kinds = code.kinds
        self.stores = store_counts(code)
        top = {name for each in body for name in all_written(each)} | set(code.parameters)
        self.fixed = {name for name in top if self.stores[name] == 1}
        self.mentions = Counter(node.id for each in body for node in walk(each) if isinstance(node, gast.Name))
        self.traces = {name for each in walk_statements(body) for name in _trace_made(each) if self.stores[name] == 1}
        self.runs: dict[str, _Run] = {}
        self.gone: set[str] = set()

    def run(self, body: Block) -> Block:
        """The rewritten statements of the function."""
        self.find(body)
        if self.runs:
            self.replace(body, frozenset())
        return self.without_records(body) if self.gone else body

    def find(self, block: Block) -> None:
        """Find the loops that record an induction variable."""
        for k, statement in enumerate(block):
            for inner in inner_blocks(statement):
                self.find(inner)
            if isinstance(statement, gast.For) and is_counted(statement) and not is_parallel(statement):
                for each in statement.body:
                    match each:
                        case gast.Assign(
                            targets=[gast.Subscript(value=gast.Name(id=trace), slice=index)], value=gast.Name(id=name)
                        ) if trace in self.traces and _last(index) == statement.target.id:
                            self.note(trace, name, statement, each, block[:k])

    def note(self, trace: str, name: str, loop: gast.For, record: gast.stmt, before: Block) -> None:
        """Note a recorded integer, if its start value and its growth per iteration are known."""
        if not isinstance(self.kinds.get(name), nb.Integer) or trace in self.runs:
            return
        at = next(k for k, each in enumerate(loop.body) if each is record)
        header = [name for bound in loop.iter.args for name in names_in(bound)]
        if name in stored_in(loop.body[:at]) or not self.are_fixed(header) or _has_exit(loop.body):
            return
        first = next((each for each in reversed(before) if name in stored_in([each])), None)
        match first:
            case gast.Assign(targets=[gast.Name(id=target)], value=value) if target == name:
                pass
            case _:
                return
        self.fixed.add(loop.target.id)
        behind = self.behind(loop.body, {name: (name, [])})
        self.fixed.discard(loop.target.id)
        if self.is_integer(value) and behind.get(name, ("", []))[0] == name:
            self.runs[trace] = _Run(_header(loop), loop.target.id, value, behind[name][1], record)

    def are_fixed(self, names: list[str]) -> bool:
        """Whether names keep one value while the function runs."""
        return self.fixed.issuperset(names)

    def is_integer(self, node: gast.expr) -> bool:
        """Whether an expression consists of integers that do not change."""
        match node:
            case gast.Constant(value=value):
                return isinstance(value, int) and not isinstance(value, bool)
            case gast.Name(id=name):
                return name in self.fixed and isinstance(self.kinds.get(name), nb.Integer)
            case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult(), right=right):
                return self.is_integer(left) and self.is_integer(right)
        return False

    def behind(self, block: Block, state: State) -> State:
        """The symbolic values of integers after the statements, as far as known; `state` has those before."""
        for statement in block:
            stored = stored_in([statement])
            match _unguarded(statement, frozenset(state)):
                case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=other)) if other in state:
                    state = {**state, name: state[other]}
                case gast.Assign(
                    targets=[gast.Name(id=name)],
                    value=gast.BinOp(left=gast.Name(id=other), op=gast.Add(), right=more),
                ) if other in state and self.is_integer(more):
                    state = {**state, name: (state[other][0], [*state[other][1], more])}
                case gast.For() as loop if is_counted(loop) and step_of(loop) == 1:
                    state = self.behind_loop(loop, state)
                case _:
                    state = {name: each for name, each in state.items() if name not in stored}
        return state

    def behind_loop(self, loop: gast.For, state: State) -> State:
        """The values of integers after a loop: growth per iteration times trip count."""
        stored = stored_in([loop])
        turned = self.behind(loop.body, {name: (name, []) for name in state})
        start, stop = ascending(loop)
        are_known = self.is_integer(start) and self.is_integer(stop)
        result: State = {}
        for name, (base, terms) in state.items():
            own, growth = turned.get(name, ("", []))
            steps = [constant(each) for each in growth]
            if name not in stored:
                result[name] = base, terms
            elif own == name and are_known and all(isinstance(each, int) for each in steps):
                result[name] = base, [*terms, _times(_trips(start, stop), sum(steps))]
        return result

    def replace(self, block: Block, after: AbstractSet[str]) -> None:
        """Recompute the recorded integers in the loops of a block; `after` has its live-out names."""
        for at in range(len(block) - 1, -1, -1):
            statement = block[at]
            head = after | live_before([statement], frozenset()) if not isinstance(statement, gast.If) else after
            for inner in inner_blocks(statement):
                self.replace(inner, head)
            if isinstance(statement, gast.For) and is_counted(statement):
                for k, each in enumerate(statement.body):
                    run, name = self.read(each, statement)
                    if run and name not in head | _others(statement.body, k) | live_before(statement.body[:k]):
                        block.insert(at, self.along(statement, each, run, name, head))
                        break
            after = live_before([statement], after)

    def read(self, statement: gast.stmt, loop: gast.For) -> tuple[_Run | None, str]:
        """The recorded integer that a statement reads for this iteration, and the name it is assigned to."""
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=name)], value=gast.Subscript(value=gast.Name(id=trace), slice=index)
            ) if _last(index) == loop.target.id:
                run = self.runs.get(trace)
                if run is not None and run.header == _header(loop) and self.mentions[trace] == 3:
                    return run, name
        return None, ""

    def along(self, loop: gast.For, read: gast.Assign, run: _Run, name: str, after: AbstractSet[str]) -> gast.stmt:
        """Update the integer in the loop; returns the statement that initialises it before the loop.

        Nested loops get an induction variable too, unless its name is in `after`, live after the loop.
        """
        self.gone.add(read.value.value.id)
        loop.body = [each for each in loop.body if each is not read]
        _count_inside(loop.body, name, after | {name})
        for growth in run.growth:
            more = clone(growth)
            for node in walk(more):
                if isinstance(node, gast.Name) and node.id == run.index:
                    node.id = loop.target.id
            loop.body.append(assign(name, binary(load(name), gast.Add, more)))
        return assign(name, clone(run.first))

    def without_records(self, block: Block) -> Block:
        """The block without the traces that are no longer read."""
        records = {id(self.runs[trace].record) for trace in self.gone}
        for statement in block:
            for inner in inner_blocks(statement):
                inner[:] = self.without_records(inner)
        return [each for each in block if id(each) not in records and not self.gone & set(all_written(each))]


def _count_inside(block: Block, base: str, after: AbstractSet[str]) -> None:
    """In nested loops, replace `q = base + (r - start)` by an increment of q per iteration."""
    for at in range(len(block) - 1, -1, -1):
        statement = block[at]
        for inner in inner_blocks(statement):
            _count_inside(inner, base, after | live_before([statement], frozenset()))
        if isinstance(statement, gast.For) and is_counted(statement) and step_of(statement) == 1:
            for k, each in enumerate(statement.body):
                name = _offset(each, statement, base)
                if name and name not in after | _others(statement.body, k) | {base}:
                    del statement.body[k]
                    statement.body.append(assign(name, binary(load(name), gast.Add, const(1))))
                    block.insert(at, assign(name, load(base)))
                    break
        after = live_before([statement], after)


def _others(block: Block, k: int) -> frozenset[str]:
    """The names that statements of a block store, other than the k-th."""
    return stored_in([*block[:k], *block[k + 1 :]])


def _offset(statement: gast.stmt, loop: gast.For, base: str) -> str:
    """The name that a statement assigns `base` plus the iteration's number to, or ""."""
    start = ascending(loop)[0]
    match statement:
        case gast.Assign(
            targets=[gast.Name(id=name)], value=gast.BinOp(left=gast.Name(id=first), op=gast.Add(), right=count)
        ) if first == base:
            index = load(loop.target.id)
            plain = index if constant(start) == 0 else binary(index, gast.Sub, clone(start))
            return name if gast.dump(count) == gast.dump(plain) else ""
    return ""


def _unguarded(statement: gast.stmt, names: frozenset[str]) -> gast.stmt:
    """The loop alone, where `if start < stop` guards a loop over that range and stores none of `names` otherwise."""
    match statement:
        case gast.If(test=gast.Compare(left=left, ops=[gast.Lt()], comparators=[right]), body=body, orelse=[]):
            loops = [each for each in body if isinstance(each, gast.For)]
            others = [each for each in body if not isinstance(each, gast.For)]
            is_alone = len(loops) == 1 and is_counted(loops[0]) and not stored_in(others) & names
            if is_alone and [gast.dump(left), gast.dump(right)] == [gast.dump(each) for each in ascending(loops[0])]:
                return loops[0]
    return statement


def _has_exit(block: Block) -> bool:
    return any(isinstance(each, (gast.Break, gast.Continue, gast.Return)) for each in walk_statements(block))


def _trace_made(statement: gast.stmt) -> Iterator[str]:
    """The name of an int64 array that a statement allocates: a trace of integers."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function, args=[_, kind], keywords=[])):
            if dotted_path(function) == "np.empty" and dotted_path(kind) == "np.int64":
                yield name


def _header(loop: gast.For) -> str:
    return " ".join(gast.dump(each) for each in [*ascending(loop), const(step_of(loop))])


def _last(index: gast.expr) -> str:
    value = index_value(index)
    last = value.elts[-1] if isinstance(value, gast.Tuple) and value.elts else value
    return str(getattr(last, "id", ""))


def _trips(start: gast.expr, stop: gast.expr) -> gast.expr:
    length = stop if constant(start) == 0 else binary(clone(stop), gast.Sub, clone(start))
    return call("max", clone(length), const(0))


def _times(trips: gast.expr, step: int) -> gast.expr:
    return trips if step == 1 else binary(trips, gast.Mult, const(step))
