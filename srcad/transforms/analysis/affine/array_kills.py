"""Array kill (must-write) analysis: is everything that a statement reads stored before, in the same loop iteration?

If that holds for every read of an array, the array is privatisable: no iteration reads what another left in it. Stores
that run on every path are collected as boxes, one range of indices per dimension, as linear forms (see `linear_forms`).
An `if` contributes what both of its arms store, a loop what its body stores over all of its indices; a read inside a
loop also finds what earlier iterations of that loop have stored. Stores whose subscripts are not linear contribute
nothing.

    for k in range(n):
        c[k] = ...                  stores c[0 .. n-1], and, seen from iteration k, c[0 .. k-1]
"""

from __future__ import annotations

from typing import TypeAlias

import gast

from srcad.transforms.analysis.affine.dependence_test import Meeting
from srcad.transforms.analysis.affine.index_ranges import within
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.linear_forms import Form, is_nonnegative
from srcad.transforms.ir.build import Block, inner_blocks, is_exit, walk_statements, written
from srcad.transforms.ir.cost_model import MOST_BOXES
from srcad.transforms.ir.primitive import constant

Box: TypeAlias = tuple[tuple[Form, Form], ...]


class Cover:
    """Answers the question for reads in a loop's body; with `adds`, elements that are added to count as stored."""

    def __init__(self, meeting: Meeting, adds: bool = False) -> None:
        self.meeting, self.adds = meeting, adds

    def is_stored_before(self, loop: gast.For, statement: gast.stmt, what: gast.expr) -> bool:
        """Whether all elements of a subscript, or of a whole array, were stored earlier in the same iteration.

        An element that is read is one of the array's, as the statement would raise an exception otherwise.
        """
        known = [*self.meeting.at(statement)]
        region = self.meeting.region(what, known)
        base = what.id if isinstance(what, gast.Name) else what.value.id
        if self.meeting.aliases.of.get(base) != frozenset([region.root]):
            return False
        rank = self.meeting.types.rank(region.root) or 0
        ranges = region.ranges or (None,) * rank
        sizes = [self.meeting.size(region.root, axis) for axis in range(rank)]
        wanted = [each or (Form(), size - 1) for each, size in zip(ranges, sizes, strict=True)]
        for (first, last), size in zip(wanted, sizes, strict=True):
            known += [first, size - 1 - last] if first == last else []
        return any(
            all(within(known, part, whole) for part, whole in zip(wanted, box, strict=True))
            for box in _merged(self._before(loop.body, statement, region.root))
        )

    def _before(self, block: Block, statement: gast.stmt, root: str) -> list[Box]:
        """The elements certainly stored when a statement in the block, or nested in it, runs."""
        found: list[Box] = []
        for each in block:
            if each is statement:
                break
            if self._is_inside(statement, each):
                for inner in inner_blocks(each):
                    if any(self._is_inside(statement, below) or below is statement for below in inner):
                        found += self._before(inner, statement, root)
                if isinstance(each, gast.For):
                    found += self._of_earlier_iterations(each, root)
                break
            found += self._certain(each, root)
        return found

    def _is_inside(self, statement: gast.stmt, outer: gast.stmt) -> bool:
        flow = self.meeting.flow
        first = flow.spot(outer).number
        return first < flow.spot(statement).number <= flow.last_inside[first]

    def certain(self, statement: gast.stmt, root: str) -> list[Box]:
        """The elements that a statement stores whenever it runs."""
        return _merged(self._certain(statement, root))

    def _certain(self, statement: gast.stmt, root: str) -> list[Box]:
        match statement:
            case gast.Assign(targets=[gast.Subscript() as target]):
                box = self._box(statement, target, root)
                return [] if box is None else [box]
            case gast.AugAssign(target=gast.Subscript() as target) if self.adds:
                box = self._box(statement, target, root)
                return [] if box is None else [box]
            case gast.If(body=body, orelse=orelse) if not is_exit(statement):
                arms = [self._all_certain(block, root) for block in (body, orelse)]
                return [box for box in arms[0] if box in arms[1]]
            case gast.For(body=body) if not is_exit(body[-1]):
                ends = self.meeting.bounds(statement).every
                if ends is not None:
                    return self._repeated(statement, self._all_certain(body, root), *ends)
        return []

    def _all_certain(self, block: Block, root: str) -> list[Box]:
        return _merged([box for statement in block for box in self._certain(statement, root)])

    def _of_earlier_iterations(self, loop: gast.For, root: str) -> list[Box]:
        bounds, index = self.meeting.bounds(loop), Form.of(loop.target.id)
        if bounds.every is None:
            return []
        low, high = bounds.every
        low, high = (low, index - 1) if bounds.step == 1 else (index + 1, high)
        return self._repeated(loop, self._all_certain(loop.body, root), low, high, at_all=False)

    def _repeated(self, loop: gast.For, boxes: list[Box], low: Form, high: Form, at_all: bool = True) -> list[Box]:
        """The union of boxes over iterations `low` to `high`; with `at_all`, there may be no such iterations."""
        index = loop.target.id
        inner = {written(statement) for statement in walk_statements(loop.body)}
        is_run = at_all and is_nonnegative(high - low, self.meeting.at(loop))
        found = []
        for box in boxes:
            wide = [axis for axis, sides in enumerate(box) if any(side.coefficient(index) for side in sides)]
            symbols = {symbol for sides in box for side in sides for symbol, _ in side.terms}
            if symbols & inner or len(wide) > 1 or not (wide or is_run):
                continue
            swept = list(box)
            for axis in wide:
                first, last = box[axis]
                sign = first.coefficient(index)
                if sign != last.coefficient(index) or abs(sign) != 1:
                    break
                if first != last and not (is_run and is_nonnegative(last - first, self.meeting.at(loop))):
                    break  # empty ranges move, and leave nothing behind
                ends = (low, high) if sign == 1 else (high, low)
                swept[axis] = first.replaced(index, ends[0]), last.replaced(index, ends[1])
            else:
                found.append(tuple(swept))
        return found

    def _box(self, statement: gast.stmt, target: gast.Subscript, root: str) -> Box | None:
        """The exact elements of the root that a store writes; None where they are not known."""
        if not self._is_exact(target):
            return None
        region = self.meeting.region(target, self.meeting.at(statement))
        if region.root != root or region.ranges is None or None in region.ranges:
            return None
        if self.meeting.aliases.of.get(target.value.id) != frozenset([root]):
            return None
        return tuple(each for each in region.ranges if each is not None)

    def _is_exact(self, node: gast.Subscript) -> bool:
        """Whether a subscript selects its whole region: no slice steps, in it or in a view that it is taken from."""
        parts = index_parts(node)
        if any(isinstance(part, gast.Slice) and part.step is not None and constant(part.step) != 1 for part in parts):
            return False
        if node.value.id not in self.meeting.aliases.views:
            return True
        value = self.meeting.flow.definition(node.value.id)
        return isinstance(value, gast.Subscript) and self._is_exact(value)


def _merged(boxes: list[Box]) -> list[Box]:
    """The boxes, with the unions of adjacent ones."""
    found = list(dict.fromkeys(boxes))
    at = 0
    while at < len(found) and len(found) < MOST_BOXES:
        for other in list(found):
            for one, two in ((found[at], other), (other, found[at])):
                joined = _joined(one, two)
                if joined is not None and joined not in found:
                    found.append(joined)
        at += 1
    return found


def _joined(one: Box, other: Box) -> Box | None:
    apart = [axis for axis, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
    if len(apart) != 1 or one[apart[0]][1] + 1 != other[apart[0]][0]:
        return None
    joined = list(one)
    joined[apart[0]] = one[apart[0]][0], other[apart[0]][1]
    return tuple(joined)
