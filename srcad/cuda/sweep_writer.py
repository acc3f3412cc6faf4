"""Both sweeps as statements of Python: the forward sweep with its records, the reverse sweep with its values."""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb
from numba.np import numpy_support

from srcad.cuda.kept_values import KeptValues, direction
from srcad.cuda.regions import Add, Assign, Barrier, If, Load, Loop, Region, Store, Thread
from srcad.cuda.reversed_regions import ReversedIf, ReversedLoop
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    binary,
    branch,
    call,
    clone,
    const,
    dotted_path,
    load,
    loop,
    names_in,
    one_or_tuple,
    stored,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.primitive import constant


class SweepWriter:
    """Writes the statements of both sweeps.

    traces      code of a dtype ("f8") -> names of the array of records and of the number of those that are in use
    """

    def __init__(self, thread: Thread, kept: KeptValues, counting: SweepWriter | None = None) -> None:
        """`counting` for another writer makes this one count what that one records."""
        self.thread, self.kept, self.only_counts = thread, kept, counting is not None
        self.traces: dict[str, tuple[str, str]] = {} if counting is None else counting.traces
        self.lane = ""
        for names in kept.recorded.values():
            for name in names:
                self.trace_of(name)

    def trace_of(self, name: str) -> tuple[str, str]:
        """The trace for values of the type of a name."""
        kind: Any = self.thread.kinds[name]
        code = numpy_support.as_dtype(kind).str[1:] if not isinstance(kind, nb.Boolean) else "b1"
        if code not in self.traces:
            fresh = self.thread.names.fresh
            self.lane = self.lane or fresh("lane")
            self.traces[code] = fresh(f"trace_{code}"), fresh(f"at_{code}")
        return self.traces[code]

    # The forward sweep

    def forward(self) -> Block:
        """The forward sweep: what the reverse sweep reads of it."""
        keeps_shared = any(self.thread.own[name].is_shared for name in self.kept.stored if name in self.thread.own)
        return self.region(self.thread.body, self.kept.forward, self.kept.stored, keeps_shared)

    def region(self, region: Region, names: Any, arrays: Any, barriers: bool) -> Block:
        """A region, as far as it makes these names and stores into these arrays."""
        block: Block = []
        for node in region.nodes:
            block += self.node(node, names, arrays, barriers)
        return block

    def node(self, node: Any, names: Any, arrays: Any, barriers: bool) -> Block:
        """One node, if it makes one of the names or stores into one of the arrays."""
        match node:
            case Assign(name=name, value=value) if name in names:
                return [assign(name, clone(value), node.place)]
            case Load(name=name, array=array) if name in names:
                return [assign(name, subscript(load(array), _index(node)))]
            case Store(array=array, value=value) if array in arrays:
                return [assign(subscript(load(array), _index(node), store=True), clone(value))]
            case Add(array=array) if array in arrays:
                return [_addition(node)]
            case Barrier() if barriers:
                return [gast.Expr(value=call("cuda.syncthreads"))]
            case If():
                return self.branch(node, names, arrays, barriers)
            case Loop():
                return self.loop(node, names, arrays, barriers)
        return []

    def branch(self, node: If, names: Any, arrays: Any, barriers: bool) -> Block:
        """A branch of the forward sweep."""
        sides = []
        merges = [merge for merge in node.merges if merge.name in names]
        for side, region in (("then", node.then), ("orelse", node.orelse)):
            block = self.region(region, names, arrays, barriers)
            sides.append(block + [assign(merge.name, clone(getattr(merge, side))) for merge in merges])
        return made_branch(clone(node.test), *sides)

    def loop(self, node: Loop, names: Any, arrays: Any, barriers: bool) -> Block:
        """A loop of the forward sweep."""
        carried = [each for each in node.carried if each.name in names or each.last in names]
        recorded = self.kept.recorded.get(node, [])
        body = self.region(node.body, names, arrays, barriers)
        counts = node.count in names
        if not (carried or recorded or counts or body):
            return []
        early = (
            []
            if self.only_counts
            else [name for name in recorded if self.thread.regions[name] is not node.body and name != node.index]
        )
        body = [assign(name, self.zero(name)) for name in early] + body
        for name in recorded:
            body += self.record(name)
        body += [augment(stored(node.count), gast.Add, const(1))] if counts else []
        body += moves([(each.name, clone(each.next)) for each in carried if not _is_same(each)], self.thread)
        before = [assign(each.name, clone(each.first)) for each in carried]
        before += [assign(node.count, const(0))] if counts else []
        after = [assign(each.last, load(each.name)) for each in carried if each.last in names]
        if node.stopped is not None:
            body.append(branch(clone(node.stopped), [gast.Break()], []))
        if node.index is None:
            made: Any = gast.While(test=load(str(node.test)), body=body or [gast.Pass()], orelse=[])
        else:
            made = loop(node.index, _short([clone(each) for each in node.bounds]), body)
        return [*before, made, *after]

    def zero(self, name: str) -> gast.expr:
        """A value of the type of a name, to be recorded where the name has none."""
        kind = self.thread.kinds[name]
        return const(False if isinstance(kind, nb.Boolean) else 0.0 if isinstance(kind, nb.Float) else 0)

    def record(self, name: str) -> Block:
        """Record a value."""
        trace, at = self.trace_of(name)
        if self.only_counts:
            return [augment(stored(at), gast.Add, const(1))]
        target = subscript(load(trace), tuple_of(load(at), load(self.lane)), store=True)
        return [assign(target, load(name)), augment(stored(at), gast.Add, const(1))]

    def read_back(self, name: str) -> Block:
        """Read the value that was recorded last."""
        trace, at = self.trace_of(name)
        value = subscript(load(trace), tuple_of(load(at), load(self.lane)))
        return [augment(stored(at), gast.Sub, const(1)), assign(name, value)]

    # The reverse sweep

    def reverse(self, block: list[Any]) -> Block:
        """The statements of the reverse sweep."""
        made: Block = []
        for item in block:
            if isinstance(item, ReversedLoop):
                made += self.reversed_loop(item)
            elif isinstance(item, ReversedIf):
                made += made_branch(item.test, self.reverse(item.then), self.reverse(item.orelse))
            else:
                made.append(item)
        return made

    def reversed_loop(self, item: ReversedLoop) -> Block:
        """A loop from its last iteration to its first, with the values of each iteration at its start."""
        node, kept = item.loop, self.kept
        number = kept.numbered.get(node)
        first: Block = []
        if number is not None and node.index is not None:
            step = node.bounds[2]
            shift = load(number) if constant(step) == 1 else binary(load(number), gast.Mult, clone(step))
            first.append(assign(node.index, _sum(clone(node.bounds[0]), shift)))
        for name in reversed(kept.recorded.get(node, [])):
            first += self.read_back(name)
        first += [assign(c.name, clone(kept.closed[c.name])) for c in node.carried if c.name in kept.closed]
        first += self.replayed(node)
        body = [*first, *self.reverse(item.body)]
        if number is None:
            start, stop, _ = node.bounds
            last = [_minus_one(clone(stop)), _minus_one(clone(start)), const(-1)]
            return [loop(str(node.index), last, body)]
        before, count = self.count(node)
        return [*before, loop(number, [_minus_one(count), const(-1), const(-1)], body)]

    def replayed(self, node: Loop) -> Block:
        """What is computed again at the start of a reversed iteration."""
        arrays = {array for array, loop in self.kept.refilled.items() if loop is node}
        shared = any(self.thread.own[array].is_shared for array in arrays)
        names = {name for name in self.kept.replayed if self.thread.regions[name].loop is node}
        made: Block = []
        for inner in node.body.nodes:
            if not isinstance(inner, Loop):
                made += self.node(inner, names, arrays, shared)
        return made

    def count(self, node: Loop) -> tuple[Block, gast.expr]:
        """The number of iterations of a loop."""
        sign = direction(self.thread, node.bounds[2]) if node.is_counted else None
        if sign is None:
            return [], load(node.count)
        start, stop, step = (clone(each) for each in node.bounds)
        if constant(step) == 1:
            length = _difference(stop, start)
        else:
            length = binary(
                _minus_one(binary(_difference(stop, start), gast.Add, step), sign), gast.FloorDiv, clone(step)
            )
        return [assign(node.count, length)], load(node.count)


def made_branch(test: gast.expr, then: Block, orelse: Block) -> Block:
    """A branch without empty sides."""
    if not then and not orelse:
        return []
    if not then:
        return [branch(gast.UnaryOp(op=gast.Not(), operand=test), orelse, [])]
    return [branch(test, then, orelse)]


def joined(block: Block) -> Block:
    """The block with neighbouring branches on the same name as one, and one barrier in place of several.

    if c: a = 1                 if c:
    if c: b = a         ->          a = 1; b = a
    """
    made: Block = []
    for statement in block:
        last = made[-1] if made else None
        if _is_barrier(statement) and _is_barrier(last):
            continue
        for field in ("body", "orelse"):
            if getattr(statement, field, None):
                setattr(statement, field, joined(getattr(statement, field)))
        if isinstance(statement, gast.If) and isinstance(last, gast.If) and _same_test(last, statement):
            made[-1] = made_branch(last.test, last.body + statement.body, last.orelse + statement.orelse)[0]
        else:
            made.append(statement)
    return made


def _is_barrier(statement: Any) -> bool:
    return isinstance(statement, gast.Expr) and dotted_path(statement.value.func) == "cuda.syncthreads"


def _same_test(one: gast.If, other: gast.If) -> bool:
    if not isinstance(one.test, gast.Name) or not isinstance(other.test, gast.Name) or one.test.id != other.test.id:
        return False
    return all(
        node.id != one.test.id or isinstance(node.ctx, gast.Load)
        for statement in (*one.body, *one.orelse)
        for node in gast.walk(statement)
        if isinstance(node, gast.Name)
    )


def moves(pairs: list[tuple[str, gast.expr]], thread: Thread) -> Block:
    """Assignments that happen at once: `a, b = b, a + b`."""
    targets = [name for name, _ in pairs]
    if any(set(names_in(value)) & set(targets[:k]) for k, (_, value) in enumerate(pairs)):
        names = gast.Tuple(elts=[stored(name) for name in targets], ctx=gast.Store())
        return [assign(names, tuple_of(*(value for _, value in pairs)))]
    return [assign(name, value) for name, value in pairs]


def _addition(node: Add) -> gast.stmt:
    operator = gast.Sub if node.is_negative else gast.Add
    if not node.is_atomic:
        return augment(subscript(load(node.array), _index(node), store=True), operator, clone(node.value))
    return gast.Expr(value=call("cuda.atomic.add", load(node.array), _index(node), clone(node.value)))


def _index(node: Any) -> gast.expr:
    return one_or_tuple([clone(each) for each in node.index])


def _is_same(each: Any) -> bool:
    return isinstance(each.next, gast.Name) and each.next.id == each.name


def _short(bounds: list[gast.expr]) -> list[gast.expr]:
    start, stop, step = bounds
    if constant(step) != 1:
        return bounds
    return [stop] if constant(start) == 0 and not isinstance(constant(start), bool) else [start, stop]


def _minus_one(node: gast.expr, sign: int = 1) -> gast.expr:
    value = constant(node)
    if isinstance(value, int):
        return const(value - sign)
    return binary(node, gast.Sub if sign > 0 else gast.Add, const(1))


def _sum(one: gast.expr, two: gast.expr) -> gast.expr:
    return two if constant(one) == 0 else binary(one, gast.Add, two)


def _difference(one: gast.expr, two: gast.expr) -> gast.expr:
    return one if constant(two) == 0 else binary(one, gast.Sub, two)
