"""A loop that adds to elements is cut at a box of them: there it stores what it adds elsewhere.

    for j in range(m + 2):                  if 1 <= i < n + 1:
        u[i, j] += row[j]                       u[i, 0] += row[0]
                                                for j in range(1, m + 1):
                                  becomes           u[i, j] = row[j]
                                                u[i, m + 1] += row[m + 1]
                                            else:
                                                for j in range(m + 2):
                                                    u[i, j] += row[j]

Only the innermost loop is cut, where the box is seen to lie within its range; loops around it test their indices.
"""

from __future__ import annotations

import gast

from srcad.transforms.affine import Form, infeasible
from srcad.transforms.boxes import Box, Visit, follow, limits_of
from srcad.transforms.build import (
    Block,
    branch,
    clone,
    const,
    inner_blocks,
    load,
    loop,
    place_of,
    position,
    walk_statements,
)
from srcad.transforms.gather import shifted
from srcad.transforms.reorder import ascending
from srcad.transforms.shapes import Shapes, natural_extents


def cut_out(around: gast.stmt, add: Visit, box: Box, total: gast.Assign, at: Shapes) -> bool:
    """Let what adds to a box and what is around it (`add`, in the statement `around`) store `total` in the box.

    False where the box cannot be told from the rest before the function runs; `at` is known before the visit.
    """
    known = [*at.facts, *natural_extents([*add.limits, *limits_of(box)])]
    if follow(limits_of(box), add.points(), known):
        add.block[position(add.block, add.users[0])] = total
        return True
    cutter = _Cutter(add, box, known)
    inner = add.loops[-1]
    if len(inner.body) > 1 or not cutter.is_orderly(inner):
        return False
    for block in _blocks([around]):
        if any(each is inner for each in block):
            at_ = position(block, inner)
            block[at_ : at_ + 1] = cutter.made(inner, total)
            return True
    return False


def _blocks(block: Block) -> list[Block]:
    """The blocks in a block, itself included."""
    return [block, *(inner for statement in walk_statements(block) for inner in inner_blocks(statement))]


class _Cutter:
    """Cuts loops; `ranges` has for each index its range in the box, as expressions and as forms."""

    def __init__(self, add: Visit, box: Box, known: list[Form]) -> None:
        self.add, self.known = add, known
        self.ranges: dict[str, tuple[tuple[gast.expr, gast.expr], tuple[Form, Form]]] = {}
        for loop_, place, side in zip(add.axes() or [], add.index, box, strict=True):
            shift = place - Form.of(loop_.target.id)
            apart = side.shift - shift
            if not apart.terms:
                low, high = (shifted(clone(each), apart.constant) for each in side.range)
                self.ranges[loop_.target.id] = (low, high), (side.low - shift, side.high - shift)

    def is_orderly(self, inner: gast.For) -> bool:
        """Whether the box's range lies within that of the loop, if it is empty as well."""
        if len(self.ranges) < len(self.add.loops):
            return False
        first, last = self.limits(inner)
        low, high = self.ranges[inner.target.id][1]
        given = [*self.known, *self.add.limits[:-2]]
        return all(infeasible([*given, each.scaled(-1) - 1]) for each in (low - first, high - low, last - high))

    def limits(self, inner: gast.For) -> tuple[Form, Form]:
        """The range of the innermost loop."""
        index = Form.of(inner.target.id)
        one, other = self.add.limits[-2:]
        lower, upper = (one, other) if one.coefficient(inner.target.id) == 1 else (other, one)
        return index - lower, upper + index + 1

    def made(self, inner: gast.For, total: gast.Assign) -> Block:
        """What takes the loop's place."""
        (start, stop), (first, last) = ascending(inner), self.limits(inner)
        (low, high), (least, most) = self.ranges[inner.target.id]
        (plain,) = inner.body
        parts = [
            *_part(inner, [start, low], least - first, plain),
            *_part(inner, [low, high], most - least, total),
            *_part(inner, [high, stop], last - most, plain),
        ]
        tests = [test for each in self.add.loops[:-1] for test in self.tests(each)]
        if not tests:
            return parts
        test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests)
        return [branch(test, parts, [inner], place_of(inner))]

    def tests(self, outer: gast.For) -> list[gast.expr]:
        """What tells whether an iteration of an outer loop is in the box, as far as that is not known."""
        index = Form.of(outer.target.id)
        (low, high), (least, most) = self.ranges[outer.target.id]
        given = [*self.known, *self.add.limits]
        is_above, is_below = (infeasible([*given, each.scaled(-1) - 1]) for each in (index - least, most - index - 1))
        if is_above and is_below:
            return []
        ends = [None if is_above else low, load(outer.target.id), None if is_below else high]
        left, *right = [each for each in ends if each is not None]
        ops = [gast.LtE()] * (not is_above) + [gast.Lt()] * (not is_below)
        return [gast.Compare(left=left, ops=ops, comparators=right)]


def _part(inner: gast.For, bounds: list[gast.expr], count: Form, statement: gast.stmt) -> Block:
    """Some iterations of a loop."""
    low, high = map(clone, bounds)
    if not count.terms and count.constant <= 0:
        return []
    if not count.terms and count.constant == 1:
        return [_At(inner.target.id, low).visit(clone(statement))]
    return [loop(inner.target.id, [low, high, const(1)], [clone(statement)], place_of(inner))]


class _At(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Puts the value of an index in its place, literals added up."""

    def __init__(self, index: str, value: gast.expr) -> None:
        self.index, self.value = index, value

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        match node:
            case gast.BinOp(
                left=gast.Name(id=name), op=gast.Add() | gast.Sub() as op, right=gast.Constant(value=int() as by)
            ):
                if name == self.index:
                    return shifted(clone(self.value), by if isinstance(op, gast.Add) else -by)
        return self.generic_visit(node)

    def visit_Name(self, node: gast.Name) -> gast.expr:
        return clone(self.value) if node.id == self.index else node
