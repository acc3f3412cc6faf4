"""The reverse sweep of a thread: regions from their last node to their first, each node by its adjoint.

    t = x[i]             t_bar = y_bar[i]; y_bar[i] = 0.0
    y[i] = t      ->     cuda.atomic.add(x_bar, i, t_bar)

A read adds to the cotangent of its element, by an atomic operation unless the element is the thread's own; a store
takes the cotangent of its element and leaves zero; an addition reads it. Barriers stay, in opposite order. The values
that these statements read are provided afterwards (`kept_values`); loops are finished then (`ReversedLoop`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

import gast

from srcad.cuda.adjoint_nodes import OperationAdjoints
from srcad.cuda.dead_values import counted_reads
from srcad.cuda.regions import Add, Assign, Barrier, Carried, If, Load, Loop, Region, Store, Thread
from srcad.errors import Place
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    call,
    clone,
    const,
    dotted_path,
    load,
    names_in,
    one_or_tuple,
    stored,
    subscript,
)
from srcad.transforms.ir.comments import with_line
from srcad.transforms.ir.node_notes import note, notes_of


@dataclass
class ReversedLoop:
    """A loop of the reverse sweep; its values are provided at the start of each iteration."""

    loop: Loop
    body: list[Any]


@dataclass
class ReversedIf:
    """A branch of the reverse sweep."""

    test: gast.expr
    then: list[Any]
    orelse: list[Any]


@dataclass
class ReverseSweep:
    """The statements of the sweep, and the names of cotangents.

    block   gast statements, `ReversedLoop` and `ReversedIf`
    starts  statements before both sweeps: cotangents of numbers among the arguments begin with zero
    bars    name of a value or an array -> name of its cotangent
    additions   id of a statement that adds to the cotangent of an element -> the read that it reverses
    clears      id of a statement that leaves zero in the cotangent of an element -> the array
    """

    block: list[Any]
    starts: Block
    bars: dict[str, str] = field(default_factory=dict)
    additions: dict[int, Load] = field(default_factory=dict)
    clears: dict[int, str] = field(default_factory=dict)


def reverse_sweep(thread: Thread, active: Collection[str], is_own: Callable[[Any], bool]) -> ReverseSweep:
    """The sweep; `is_own` says of a read whether no other thread adds to the cotangent of its element."""
    writer = _Writer(thread, active, is_own)
    block = writer.after([], thread.body)
    starts = [assign(writer.bar(name), writer.zero(name)) for name in thread.parameters if name in writer.numbers]
    return ReverseSweep(block, starts, writer.bars, writer.additions, writer.clears)


class _Writer:
    def __init__(self, thread: Thread, active: Collection[str], is_own: Callable[[Any], bool]) -> None:
        self.thread, self.active, self.is_own = thread, active, is_own
        self.operations = OperationAdjoints(thread, active)
        self.bars: dict[str, str] = {}
        self.contributed: set[str] = set()
        self.numbers = {name for name in thread.parameters if name in active and thread.is_real(name)}
        self.contributed |= self.numbers
        self.reads = counted_reads(thread.body)
        self.additions: dict[int, Load] = {}
        self.clears: dict[int, str] = {}
        self.sums: dict[str, str] = {}  # values that only add to what a loop carries -> its name

    def bar(self, name: str) -> str:
        """The name of a cotangent."""
        name = self.sums.get(name, name)
        if name not in self.bars:
            self.bars[name] = self.thread.names.fresh(f"{name}_bar")
        return self.bars[name]

    def zero(self, name: str) -> gast.expr:
        """The first value of the cotangent of a number, in its precision."""
        kind: Any = self.thread.kinds[name]
        return const(0.0) if kind.bitwidth == 64 else call(f"np.float{kind.bitwidth}", const(0.0))

    def add(self, target: gast.expr, contribution: gast.expr, place: Place | None) -> Block:
        """`target_bar += contribution`, if the target is a name that carries derivatives."""
        if not isinstance(target, gast.Name) or target.id not in self.active:
            return []
        self.contributed.add(target.id)
        operator: type[gast.operator] = gast.Add
        if isinstance(contribution, gast.UnaryOp) and isinstance(contribution.op, gast.USub):
            operator, contribution = gast.Sub, contribution.operand
        return [augment(stored(self.bar(target.id)), operator, contribution, place)]

    def node(self, node: Any) -> list[Any]:
        match node:
            case Assign(name=name) if self.is_due(name):
                first, found = self.operations.of(node, load(self.bar(name)))
                if name in self.sums:
                    found = [each for each in found if self.sums.get(each[0]) != self.sums[name]]
                pairs = [each for operand, amount in found for each in self.add(load(operand), amount, node.place)]
                return with_line([*first, *pairs], node.place)
            case Load(name=name, array=array) if self.is_due(name) and array in self.active:
                return with_line([self.gather(node)], node.place)
            case Store(array=array) if array in self.active:
                return with_line(self.store(node), node.place)
            case Add(array=array, value=value) if array in self.active:
                amount: gast.expr = self.element(node)
                amount = gast.UnaryOp(op=gast.USub(), operand=amount) if node.is_negative else amount
                return with_line(self.add(value, amount, node.place), node.place)
            case Barrier():
                return [_effect(call("cuda.syncthreads"))]
            case If():
                return self.branch(node)
            case Loop():
                return self.loop(node)
        return []

    def is_due(self, name: str) -> bool:
        """Whether something has been added to the cotangent of a value."""
        return name in self.active and name in self.contributed

    def element(self, node: Any, store: bool = False) -> gast.Subscript:
        """The cotangent of the element that a node reaches."""
        return subscript(load(self.bar(node.array)), _index(node), store)

    def gather(self, node: Load) -> gast.stmt:
        bar = load(self.bar(node.name))
        made: Any = _effect(call("cuda.atomic.add", load(self.bar(node.array)), _index(node), bar))
        if self.is_own(node):
            made = augment(self.element(node, store=True), gast.Add, bar, node.place)
        self.additions[id(made)] = node
        return made

    def store(self, node: Store) -> Block:
        """Take the cotangent of the element, and leave zero."""
        clear = assign(self.element(node, store=True), const(0.0), node.place)
        self.clears[id(clear)] = node.array
        return [*self.add(node.value, self.element(node), node.place), clear]

    def branch(self, node: If) -> list[Any]:
        due = [merge for merge in node.merges if self.is_due(merge.name) and merge.name not in self.sums]
        before = set(self.contributed)
        sides = []
        for side in ("then", "orelse"):
            self.contributed = set(before)
            first = [
                each for merge in due for each in self.add(getattr(merge, side), load(self.bar(merge.name)), node.place)
            ]
            sides.append((first, getattr(node, side), set(self.contributed)))
        blocks, reached = [], set(before)
        for first, region, known in sides:
            self.contributed = known
            block = self.after(first, region)
            reached |= self.contributed
            blocks.append(block)
        self.contributed = reached
        if all(_is_barrier(each) for block in blocks for each in block):
            return []
        return [ReversedIf(clone(node.test), *blocks)]

    def after(self, first: list[Any], region: Region) -> list[Any]:
        """Statements, then a region in reverse; cotangents of what the region defines begin before them."""
        block = [*first]
        for node in reversed(region.nodes):
            block += self.node(node)
        for name in _defined(region):
            if name in self.active and name in self.bars and name not in self.sums:
                place_zero(block, self.bars[name], self.zero(name))
        return block

    def loop(self, node: Loop) -> list[Any]:
        """A loop: what it carries has a cotangent that is carried from iteration to iteration, the other way."""
        for each in node.carried:
            if each.name in self.active and each.name not in self.sums:
                self.sums.update(dict.fromkeys(sum_chain(self.thread, each, self.reads), each.name))
        sums = [each for each in node.carried if each.name in self.sums]
        self.contributed |= set(self.sums)
        carried = [each for each in node.carried if each.name in self.active and each not in sums]
        outer = [each for each in sums if self.sums[each.name] == each.name]
        before = [assign(self.bar(each.name), self.bar_of_last(each), node.place) for each in (*carried, *outer)]
        start: list[Any] = []
        zeros = [assign(self.bar(each.name), self.zero(each.name)) for each in carried]
        own = {each.name for each in carried}
        late: list[Any] = []
        for each in carried:
            amount: gast.expr = load(self.bar(each.name))
            if isinstance(each.next, gast.Name) and each.next.id in own:
                taken = self.thread.names.fresh(f"{each.name}_next_bar")
                start.append(assign(taken, amount))
                late += self.add(each.next, load(taken), node.place)
            else:
                late_or_start = self.add(each.next, amount, node.place)
                start += late_or_start
        self.contributed |= own
        body = self.after([*start, *zeros, *late], node.body)
        for each in carried:
            _merge_zero(body, self.bar(each.name))
        has_work = bool(carried or sums) or not all(_is_barrier(each) for each in body)
        after = [
            each for one in (*carried, *outer) for each in self.add(one.first, load(self.bar(one.name)), node.place)
        ]
        return [*before, ReversedLoop(node, body), *after] if has_work else []

    def bar_of_last(self, each: Any) -> gast.expr:
        """What has been added to the cotangent of a value after a loop."""
        return load(self.bar(each.last)) if self.is_due(each.last) else self.zero(each.name)


def sum_chain(thread: Thread, carried: Carried, reads: Counter[str]) -> list[str]:
    """What a loop carries, and the values on the way to the next iteration, if nothing is done to it but to add.

    Their cotangents are then one and the same, in all iterations. Empty if that is not so.
    """
    uses = _uses_in_sum(thread, carried.next, frozenset((carried.name,)))
    return list(uses) if uses is not None and all(reads[name] == count for name, count in uses.items()) else []


def _uses_in_sum(thread: Thread, atom: Any, heads: frozenset[str]) -> Counter[str] | None:
    """How often each value on the way is read there, if an atom is one of the heads with something added to it."""
    if not isinstance(atom, gast.Name):
        return None
    own = Counter((atom.id,))
    if atom.id in heads:
        return own
    parts: list[Counter[str] | None] = []
    match thread.nodes.get(atom.id):
        case Assign(value=gast.BinOp(left=left, op=gast.Add(), right=right)):
            found = (_uses_in_sum(thread, each, heads) for each in (left, right))
            parts = [next((each for each in found if each is not None), None)]
        case Assign(value=gast.BinOp(left=left, op=gast.Sub())):
            parts = [_uses_in_sum(thread, left, heads)]
        case If(merges=merges):
            merge = next(each for each in merges if each.name == atom.id)
            parts = [_uses_in_sum(thread, each, heads) for each in (merge.then, merge.orelse)]
        case Loop(carried=carried):
            one = next((each for each in carried if each.last == atom.id), None)
            if one is not None:
                parts = [_uses_in_sum(thread, one.first, heads), _uses_in_sum(thread, one.next, heads | {one.name})]
    for each in parts:
        if each is None:
            return None
        own += each
    return own if parts else None


def place_zero(block: list[Any], bar: str, zero: gast.expr) -> None:
    """Begin a cotangent with zero before its first use in a block; a contribution there is assigned instead."""
    for position, item in enumerate(block):
        if bar not in names_of(item):
            continue
        match item:
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value) if name == bar and bar not in names_in(
                value
            ):
                value = value if isinstance(op, gast.Add) else gast.UnaryOp(op=gast.USub(), operand=value)
                made = assign(bar, value)
                block[position] = _with_notes(made, item)
            case gast.Assign(targets=[gast.Name(id=name)]) if name == bar:
                pass
            case _:
                block.insert(position, assign(bar, zero))
        return


def _merge_zero(block: list[Any], bar: str) -> None:
    """`bar = 0.0`, then a sum as the first use: the sum is assigned, if nothing between them reads it."""
    for position, item in enumerate(block):
        match item:
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name == bar and not list(names_in(value)):
                rest = block[position + 1 :]
                first = next((k for k, each in enumerate(rest) if bar in names_of(each)), None)
                if first is not None and isinstance(rest[first], gast.AugAssign):
                    zero = block.pop(position)
                    place_zero(rest, bar, zero.value)
                    block[position:] = rest
                return


def _with_notes(made: Any, item: Any) -> Any:
    notes = notes_of(item)
    return note(made, place=notes.place, is_placed=notes.is_placed, comment=notes.comment)


def names_of(item: Any) -> set[str]:
    """The names in an item of a block, read and stored."""
    return {node.id for tree in trees(item) for node in gast.walk(tree) if isinstance(node, gast.Name)}


def trees(item: Any) -> Iterator[gast.AST]:
    """The syntax trees in an item of a block."""
    match item:
        case ReversedLoop(body=body):
            for each in body:
                yield from trees(each)
        case ReversedIf(test=test, then=then, orelse=orelse):
            yield test
            for each in (*then, *orelse):
                yield from trees(each)
        case _:
            yield item


def _defined(region: Region) -> list[str]:
    """The values that the nodes of a region define, at the end of it."""
    found: list[str] = []
    for node in region.nodes:
        match node:
            case Assign(name=name) | Load(name=name):
                found.append(name)
            case If(merges=merges):
                found += [each.name for each in merges]
            case Loop(carried=carried):
                found += [each.last for each in carried]
    return found


def _index(node: Any) -> gast.expr:
    return one_or_tuple([clone(each) for each in node.index])


def _is_barrier(item: Any) -> bool:
    return isinstance(item, gast.Expr) and dotted_path(item.value.func) == "cuda.syncthreads"


def _effect(value: gast.expr) -> gast.stmt:
    return gast.Expr(value=value)
