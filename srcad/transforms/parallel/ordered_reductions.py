"""Ordered reductions (loop fission): loop-carried operations of a parallel loop move to a serial loop after it.

    for i in prange(n):             for i in prange(n):
        t = f(x[i])                     t = f(x[i])
        p = p * t       becomes         t_each[i] = t
                                    for i_2 in range(n):
                                        t_2 = t_each[i_2]
                                        p = p * t_2

Products, extremes, table lookups by index and the like get the same bits as in a serial loop, including ties, and their
operands are computed, and reversed, in parallel. Sums stay in the parallel loop: partial sums are added later. Does not
apply where the serial part may raise, or the parallel part would contain nothing expensive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.analysis.affine.accesses import distance
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import Aliases, aliases_of_unit
from srcad.transforms.analysis.dataflow import fixed_point
from srcad.transforms.analysis.liveness import carried_names, live_before
from srcad.transforms.analysis.statement_positions import Flow, flow_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    is_exit,
    load,
    mentions,
    names_in,
    outermost,
    place_of,
    position,
    rewrite_names,
    stores_into,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.ir.build import loop as for_loop
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import is_check, is_draw, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.ir.unit import Unit
from srcad.transforms.loop_analysis.loop_carried_values import passed_on


def with_folds_apart(code: Code) -> Code:
    """Split such loops in two."""
    unit, types = code.unit, code.types
    if not any(map(is_parallel, walk_statements(code.body))):
        return code
    unit = unit.with_tree(unit.copy_tree(), names=unit.names.copy(), bindings={**unit.bindings, "kernels": kernels})
    known = dict(types.of)
    flow = flow_of(unit)
    _Splitter(unit, known, flow, aliases_of_unit(unit, types)).split(unit.tree.body)
    return code.with_unit(unit, Types(known, types.result))


class _Splitter:
    def __init__(self, unit: Unit, known: dict[str, nb.Type], flow: Flow, aliases: Aliases) -> None:
        self.names: Names = unit.names
        self.known, self.flow, self.aliases = known, flow, aliases
        self.everywhere = mentions(unit.tree.body)

    def split(self, body: Block) -> None:
        """Split the parallel loops of a function."""
        for block, loop in reversed(list(outermost(body, is_parallel))):
            if _is_plain(loop):
                at = position(block, loop)
                block[at : at + 1] = _Loop(loop, self).split()


class _Loop:
    """One loop: its loop-carried values, and the values that the serial loop needs from the parallel one."""

    def __init__(self, loop: gast.For, around: _Splitter) -> None:
        self.loop, self.names, self.known, self.aliases = loop, around.names, around.known, around.aliases
        self.definition = around.flow.definition
        self.body: Block = loop.body
        self.stored = {id(each): stored_in([each]) for each in self.body}
        inside = mentions([loop])
        self.outlive = {name for name, count in around.everywhere.items() if count > inside[name]}

    def split(self) -> Block:
        """The two loops, or the loop unchanged where nothing is gained."""
        behind = fixed_point(self.closer, self.passed_on())
        ahead = [each for each in self.body if id(each) not in behind]
        if not behind or not any(map(_is_costly, walk_statements(ahead))):
            return [self.loop]
        fold = [each for each in self.body if id(each) in behind]
        if any(isinstance(each, _RAISING) or is_check(each) for each in walk_statements(fold)):
            return [self.loop]  # it would now raise later than the statements of the parallel loop
        crossing = sorted(set(mentions(fold)) & stored_in(ahead))
        makers = [self.maker(name, ahead, fold) for name in crossing]
        if None in makers:
            return [self.loop]
        return self.written_out(ahead, fold, dict(zip(crossing, makers, strict=True)))

    def passed_on(self) -> set[int]:
        """The statements with loop-carried values other than sums."""
        stored = stored_in(self.body)
        found = carried_names(self.body)
        apart = {name for name in found if passed_on(self.body, name) is None} | (stored - found) & self.outlive
        seeds = {id(each) for each in self.body if self.stored[id(each)] & apart}
        return seeds | self.stores_in_order()

    def stores_in_order(self) -> set[int]:
        """The statements with an array of which two iterations may store the same element."""
        targets = [each for each in map(stores_into, walk_statements(self.body)) if each is not None]
        found: set[int] = set()
        for base in sorted({each.value.id for each in targets}):
            touching = [
                each for each in self.body if any(self.aliases.may_alias(base, name) for name in _mentioned(each))
            ]
            names = {name for each in touching for name in _mentioned(each) if self.aliases.may_alias(base, name)}
            nodes = [node for each in touching for node in walk(each)]
            parts = [node for node in nodes if isinstance(node, gast.Subscript)]
            accesses = [part for part in parts if getattr(part.value, "id", None) == base]
            if names != {base} or mentions(touching)[base] != len(accesses) or base in stored_in(self.body):
                continue
            if not _is_only_added_to(base, touching) and distance(self.loop, accesses, Facts.at_start(self.known)) != 0:
                found |= {id(each) for each in touching}
        return found

    def closer(self, behind: set[int]) -> set[int]:
        """These statements, with those that depend on them directly, or make arrays that they read."""
        fold = [each for each in self.body if id(each) in behind]
        stored, read = stored_in(fold), set(mentions(fold))
        arrays = {name for name in read if self.known.get(name) is None or self.is_array(name)}
        changed = {each.value.id for each in map(stores_into, walk_statements(fold)) if each is not None}
        return behind | {
            id(each)
            for each in self.body
            if id(each) not in behind
            and (
                stored & {*_mentioned(each)}
                or arrays & self.stored[id(each)]
                or self.meet(changed, _mentioned(each))
                or self.meet(arrays, (s.value.id for s in map(stores_into, walk_statements([each])) if s))
            )
        }

    def meet(self, some: set[str], others: Iterator[str]) -> bool:
        """Whether any array of one set may share memory with any of the other."""
        return any(self.aliases.may_alias(one, other) for other in others for one in some)

    def is_array(self, name: str) -> bool:
        """Whether a name may refer to memory."""
        return not isinstance(self.known.get(name), (nb.Number, nb.Boolean))

    def maker(self, name: str, ahead: Block, fold: Block) -> gast.stmt | None:
        """The last statement that gives a number its value in each iteration, if all reads of it come later."""
        makers = [each for each in ahead if name in self.stored[id(each)]]
        first = min(self.body.index(each) for each in fold if name in _mentioned(each))
        is_made = name not in live_before(self.body) and self.body.index(makers[-1]) < first
        return makers[-1] if is_made and self.known.get(name) in _KEPT else None

    def written_out(self, ahead: Block, fold: Block, crossing: dict[str, Any]) -> Block:
        """Both loops, and the arrays between them."""
        place, index = place_of(self.loop), self.loop.target.id
        start, stop = self.loop.iter.args[:2]
        other = self.names.fresh(index)
        self.known[other] = self.known[index]
        code, count = self.counted(start, stop)
        first, second = self.number(index, start), self.number(other, start)
        one, two = [*first[0], *ahead], [*second[0]]
        renamed = {index: other}
        for name, maker in crossing.items():
            again = self.names.fresh(name)
            self.known[again], renamed[name] = self.known[name], again
            if sum(name in self.stored[id(each)] for each in ahead) == 1 and self.is_at_hand(maker):
                read = assign(again, clone(maker.value), place_of(maker))
                rewrite_names(read.value, lambda each: renamed.get(each, each) if each == index else each)
                two.append(read)
                continue
            each_one = self.names.fresh(f"{name}_each")
            kind = self.known[name]
            self.known[each_one] = nb.Array(kind, 1, "C")
            dtype = {} if kind == nb.float64 else {"dtype": _dtype(kind)}
            code.append(assign(each_one, call("np.empty", clone(count), **dtype), place))
            at = next(k for k, each in enumerate(one) if each is maker) + 1
            one.insert(at, assign(subscript(load(each_one), clone(first[1]), store=True), load(name), place_of(maker)))
            two.append(assign(again, subscript(load(each_one), clone(second[1])), place_of(maker)))
        kept = [clone(each) for each in fold]
        for each in kept:
            rewrite_names(each, lambda name: renamed.get(name, name))
        bounds = [clone(each) for each in self.loop.iter.args]
        behind = for_loop(other, bounds, [*two, *kept], place)
        self.loop.body = one
        return [*code, self.loop, behind]

    def counted(self, start: gast.expr, stop: gast.expr) -> tuple[Block, gast.expr]:
        """The trip count, with the statements that compute it."""
        if constant(start) == 0 and isinstance(stop, gast.Name) and self.is_extent(stop.id):
            return [], stop
        count = self.names.temporary()
        self.known[count] = nb.int64
        return [assign(count, call("kernels.trip_count", clone(start), clone(stop), const(1)))], load(count)

    def is_extent(self, name: str) -> bool:
        """Whether a number is the extent of an array, which is not negative."""
        match self.definition(name):
            case gast.Subscript(value=gast.Attribute(attr="shape")):
                return True
            case gast.Subscript(value=gast.Name(id=shape)):
                return isinstance(self.definition(shape), gast.Attribute)
        return False

    def number(self, index: str, start: gast.expr) -> tuple[Block, gast.expr]:
        """The number of the iteration, with the statements that compute it."""
        if constant(start) == 0:
            return [], load(index)
        name = self.names.temporary()
        self.known[name] = nb.int64
        return [assign(name, binary(load(index), gast.Sub, clone(start)))], load(name)

    def is_at_hand(self, statement: gast.stmt) -> bool:
        """Whether a value is an element of an array that the loop does not write, at an index it does not compute."""
        match statement:
            case gast.Assign(value=gast.Subscript(value=gast.Name(id=base), slice=places)):
                index = {*names_in(places)} - {self.loop.target.id}
                changed = {each.value.id for each in map(stores_into, walk_statements(self.body)) if each is not None}
                return not self.meet(changed, iter([base])) and not ({base, *index} & stored_in(self.body))
        return False


_RAISING = (gast.Raise, gast.Assert)
_KEPT = (nb.float64, nb.float32, nb.int64, nb.boolean)


def _dtype(kind: nb.Type) -> gast.expr:
    return dotted("np.bool_" if kind == nb.boolean else f"np.{kind}")


def _is_plain(loop: gast.For) -> bool:
    """Whether a loop with step one runs to its end, and only computes, stores and raises."""
    known = (gast.Assign, gast.AugAssign, gast.If, gast.For, gast.While, gast.Pass, gast.Break, *_RAISING)
    inside = list(walk_statements(loop.body))
    bounds = {name for bound in loop.iter.args for name in names_in(bound)}
    return (
        step_of(loop) == 1
        and not is_exit(loop.body[-1])
        and all((isinstance(each, known) and not notes_of(each).effect) or is_check(each) for each in inside)
        and not bounds & stored_in(loop.body)
        and not any(is_draw(dotted_path(node.func)) for node in walk(loop) if isinstance(node, gast.Call))
    )


def _mentioned(statement: gast.stmt) -> Iterator[str]:
    return iter(mentions([statement]))


def _is_only_added_to(base: str, statements: Block) -> bool:
    found = 0
    for each in walk_statements(statements):
        match each:
            case gast.AugAssign(target=gast.Subscript(value=gast.Name(id=name)), op=gast.Add() | gast.Sub()):
                found += name == base
    return found == mentions(statements)[base]


def _is_costly(statement: gast.stmt) -> bool:
    """Whether a statement costs more than storing its result and reading it again."""
    if isinstance(statement, (gast.For, gast.While)):
        return True
    nodes = walk(statement)
    return any(isinstance(node, gast.BinOp) and isinstance(node.op, (gast.Pow, gast.MatMult)) for node in nodes) or any(
        not (dotted_path(node.func) or "").startswith(("kernels.", "len", "np.shape"))
        for node in nodes
        if isinstance(node, gast.Call)
    )
