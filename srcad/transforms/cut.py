"""A loop that adds to elements goes round a box of them, in which another loop stores what it would have added.

    for j in range(m + 2):                  skip = m if 1 <= i < n + 1 else 0
        u[i, j] += row[j]                   for at in range(m + 2 - skip):
                                                j = at + skip if 1 <= at else at
                                  becomes       u[i, j] += row[j]
                                            for j in range(1, 1 + skip):
                                                u[i, j] = row[j]

Only the innermost loop is cut, where the box is seen to lie within its range; loops around it test their indices.
"""

from __future__ import annotations

import gast

from srcad.names import Names
from srcad.transforms.affine import Form, infeasible
from srcad.transforms.boxes import Box, Visit, follow, limits_of
from srcad.transforms.build import (
    Block,
    assign,
    binary,
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
from srcad.transforms.primitive import constant
from srcad.transforms.reorder import ascending
from srcad.transforms.shapes import Shapes, natural_extents


def cut_out(around: gast.stmt, add: Visit, box: Box, total: gast.Assign, at: Shapes, names: Names) -> bool:
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
            block[at_ : at_ + 1] = cutter.made(inner, total, names)
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

    def made(self, inner: gast.For, total: gast.Assign, names: Names) -> Block:
        """What takes the loop's place."""
        place, index, (start, stop) = place_of(inner), inner.target.id, ascending(inner)
        (low, high), (least, most) = self.ranges[index]
        skip, at = names.fresh("skip"), names.fresh("at")
        length = most - least
        base = constant(low)
        width = shifted(clone(high), -base) if isinstance(base, int) else binary(clone(high), gast.Sub, clone(low))
        width = width if length.terms else const(length.constant)
        tests = [test for each in self.add.loops[:-1] for test in self.tests(each)]
        if tests:
            test = tests[0] if len(tests) == 1 else gast.BoolOp(op=gast.And(), values=tests)
            width = gast.IfExp(test=test, body=width, orelse=const(0))
        is_behind = gast.Compare(left=clone(low), ops=[gast.LtE()], comparators=[load(at)])
        behind = gast.IfExp(test=is_behind, body=_plus(load(at), load(skip)), orelse=load(at))
        around = [clone(start), binary(clone(stop), gast.Sub, load(skip)), const(1)]
        within = [clone(low), shifted(load(skip), base) if isinstance(base, int) else _plus(low, load(skip)), const(1)]
        return [
            assign(skip, width, place),
            loop(at, around, [assign(index, behind, place), *inner.body], place),
            loop(index, within, [total], place),
        ]

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


def _plus(left: gast.expr, right: gast.expr) -> gast.expr:
    return binary(clone(left), gast.Add, right)
