"""May two subscripts reach the same element, one statement running after the other?

A subscript becomes, through views, a region of its root: for each dimension the linear forms of its first and last
index, or None for "anything". Two regions meet unless the inequalities "same element, within the loop bounds, in this
order" have no solution (see `linear_forms`).
"""

from __future__ import annotations

from typing import TypeAlias

import gast

from srcad.transforms.analysis.array_regions import Range, Region, Regions, base_of
from srcad.transforms.analysis.linear_forms import Form, infeasible
from srcad.transforms.analysis.statement_positions import Spot
from srcad.transforms.ir.build import names_in
from srcad.transforms.ir.primitive import constant

Loop: TypeAlias = gast.For | gast.While


class Meeting(Regions):
    """Answers the question for one core function."""

    def may_meet(
        self,
        first: gast.stmt,
        early: gast.expr,
        second: gast.stmt,
        late: gast.expr,
        at_once: bool = False,
        least: int = 0,
    ) -> bool:
        """Whether `second`, running after `first`, may reach through `late` what `first` reached through `early`.

        `early` and `late` are subscripts, or names for whole arrays. `at_once` asks for the same iteration of all loops
        around both only, `least` for the same iteration of that many outer ones.
        """
        pairs = self._pairs(first, early, second, late)
        return any(self._may_follow(first, one, second, other, at_once, least) for one, other in pairs)

    def _pairs(
        self, first: gast.stmt, early: gast.expr, second: gast.stmt, late: gast.expr
    ) -> list[tuple[Region, Region]]:
        """What two statements may reach, where that may be in one memory."""
        if not self.roots.meet(base_of(early), base_of(late)):
            return []
        pairs = ((a, b) for a in self.regions(early, first) for b in self.regions(late, second))
        return [(a, b) for a, b in pairs if self.roots.meet(a.root, b.root)]

    def _may_follow(
        self, first: gast.stmt, one: Region, second: gast.stmt, other: Region, at_once: bool, least: int
    ) -> bool:
        # Nothing that ran before an array was made can have reached it.
        if self._runs_before_allocation(first, other.root):
            return False
        least = max(least, self._same_iterations(one.root, other.root), self._allocated_within(other.root))
        orders = self._orders(first, second, least, at_once)
        if one.root != other.root or one.ranges is None or other.ranges is None or len(one.ranges) != len(other.ranges):
            return bool(orders)
        return any(
            not infeasible(case + _same_element(one.ranges, other.ranges, left, right)) for case, left, right in orders
        )

    def meets_now(self, statement: gast.stmt, one: gast.expr, other: gast.expr) -> bool:
        """Whether two subscripts or arrays may reach one element, when a statement runs."""
        known = self.bounds(self.flow.spot(statement), {})
        return any(
            a.root != b.root
            or a.ranges is None
            or b.ranges is None
            or not infeasible(known + _same_element(a.ranges, b.ranges, {}, {}))
            for a, b in self._pairs(statement, one, statement, other)
        )

    def meets_across(self, loop: gast.For, one: gast.stmt, what: gast.expr, other: gast.stmt, that: gast.expr) -> bool:
        """Whether two statements in a loop that stands in no other may reach one element in different iterations."""
        if not self.roots.meet(base_of(what), base_of(that)):
            return False
        first, second = self.region(what), self.region(that)
        if first.root == second.root and self._allocated_within(first.root):
            return False
        if first.root != second.root or first.ranges is None or second.ranges is None:
            return True
        a, b = self.flow.spot(one), self.flow.spot(other)
        left, right = self._symbols(a, b, 0)
        known = self.bounds(a, left) + self.bounds(b, right) + _same_element(first.ranges, second.ranges, left, right)
        orders = (self._advanced(loop, left, right), self._advanced(loop, right, left))
        return any(not infeasible(known + order) for order in orders)

    def meets_earlier(
        self, first: gast.For, one: gast.stmt, what: gast.expr, second: gast.For, other: gast.stmt, that: gast.expr
    ) -> bool:
        """Whether `other`, in an iteration of the loop `second`, may reach what `one` reaches in a later of `first`."""
        if not self.roots.meet(base_of(what), base_of(that)):
            return False
        early, late = self.region(what), self.region(that)
        if early.root != late.root or early.ranges is None or late.ranges is None:
            return True
        a, b = self.flow.spot(one), self.flow.spot(other)
        left, right = self._symbols(a, b, 0)
        index = Form.of(left[first.target.id]) - Form.of(right[second.target.id])
        is_later = index - 1 if (constant(first.iter.args[2]) or 0) > 0 else index.scaled(-1) - 1
        system = self.bounds(a, left) + self.bounds(b, right) + [is_later]
        return not infeasible(system + _same_element(early.ranges, late.ranges, left, right))

    def _allocation(self, root: str) -> Spot | None:
        """Where a root is allocated, if that is one place."""
        statement = self.flow.single(root)
        if statement is None or root in self.roots.views or self.roots.of.get(root) != frozenset([root]):
            return None
        return self.flow.spot(statement)

    def _allocated_within(self, root: str) -> int:
        """How many loops stand around the allocation of a root: each of their iterations has memory of its own."""
        spot = self._allocation(root)
        return 0 if spot is None else len(spot.loops)

    def _same_iterations(self, root: str, name: str) -> int:
        """How many loops around the allocation of a root are in the same iteration when `name` is that array later."""
        depth = self._allocated_within(root)
        names = [name] if name != root else []
        for each in names:  # grows: what may be handed on to the name
            outer = sum(1 for number, _ in self.flow.home(each) if number in self.flow.loops)
            depth = min(depth, outer)  # a loop further in may carry the array from an iteration to the next
            if depth == 0:
                break
            values = [getattr(store, "value", None) for store in self.flow.stores.get(each, ())]
            handed = {read for value in values if value is not None for read in names_in(value)}
            names += sorted(read for read in handed - {root, *names} if self.roots.meet(read, root))
        return depth

    def _runs_before_allocation(self, statement: gast.stmt, root: str) -> bool:
        """Whether a statement comes before a root is allocated, in the same iteration of the loops around both."""
        spot = self._allocation(root)
        return spot is not None and self.flow.spot(statement).number < spot.number

    def _orders(
        self, first: gast.stmt, second: gast.stmt, least: int, at_once: bool
    ) -> list[tuple[list[Form], dict[str, str], dict[str, str]]]:
        """The ways in which `second` runs after `first`: inequalities, and the symbols of either run.

        In each, the outer loops up to some depth, `least` or more, are in the same iteration, the next one in a later.
        """
        a, b = self.flow.spot(first), self.flow.spot(second)
        common = self.flow.common_loops(a, b)
        cases = []
        for depth in range(len(common) if at_once else min(least, len(common)), len(common) + 1):
            if depth == len(common) and (a.number >= b.number or self.flow.exclusive(a, b)):
                continue
            left, right = self._symbols(a, b, depth)
            system = self.bounds(a, left) + self.bounds(b, right)
            if depth < len(common):
                system += self._advanced(common[depth], left, right)
            cases.append((system, left, right))
        return cases

    def _symbols(self, a: Spot, b: Spot, depth: int) -> tuple[dict[str, str], dict[str, str]]:
        """Names that may differ between the two runs, when the first `depth` loops are in the same iteration."""
        shared = tuple(id(loop) for loop in a.loops[:depth])
        key = (len(self.flow.stores), *shared)
        if key not in self._apart:
            varying = [
                symbol
                for name, stores in self.flow.stores.items()
                if any(self._varies(statement, shared) for statement in stores)
                for symbol in (name, *(f"{name}.shape[{axis}]" for axis in range(self.types.rank(name) or 0)))
            ]
            left, right = ({symbol: symbol + mark for symbol in varying} for mark in ("'", '"'))
            self._apart[key] = left, right
        return self._apart[key]

    def _varies(self, statement: gast.stmt, shared: tuple[int, ...]) -> bool:
        """Whether a statement stands in a loop other than these, or is one."""
        around = self.flow.spot(statement).loops
        around = (*around, statement) if isinstance(statement, (gast.For, gast.While)) else around
        return any(id(loop) not in shared for loop in around)

    def bounds(self, spot: Spot, symbols: dict[str, str]) -> list[Form]:
        """Inequalities for the loop indices around a statement, and sizes being non-negative."""
        system: list[Form] = []
        for loop in spot.loops:
            if isinstance(loop, gast.For):
                index = Form.of(loop.target.id)
                system += [form - index if upper else index - form for form, upper in self.limits(loop)]
        sizes = {symbol for form in system for symbol, _ in form.terms if ".shape[" in symbol}
        return [form.renamed(symbols) for form in system] + [Form.of(symbol) for symbol in sorted(sizes)]

    def _advanced(self, loop: Loop, left: dict[str, str], right: dict[str, str]) -> list[Form]:
        """The loop is in a later iteration on the right."""
        if not isinstance(loop, gast.For):
            return []
        width = constant(loop.iter.args[2])
        before, after = Form.of(left[loop.target.id]), Form.of(right[loop.target.id])
        if not isinstance(width, int):
            return []
        return [after - before - width] if width > 0 else [before - after + width]


def _same_element(
    one: tuple[Range, ...], other: tuple[Range, ...], left: dict[str, str], right: dict[str, str]
) -> list[Form]:
    """In every dimension neither range lies wholly before the other."""
    system: list[Form] = []
    for a, b in zip(one, other, strict=True):
        if a is not None and b is not None:
            system.append(b[1].renamed(right) - a[0].renamed(left))
            system.append(a[1].renamed(left) - b[0].renamed(right))
    return system
