"""Dependence test: may two subscripts access the same element, one statement running after the other?

Through views, each subscript becomes a region of its root array: for each dimension the linear forms of the first and
last index, or None for "anything". There is no dependence if the inequalities "same element, within the loop bounds, in
this order" have no solution (see `linear_forms`).
"""

from __future__ import annotations

from typing import TypeAlias

import gast

from srcad.transforms.analysis.affine.array_regions import Region, Regions, base_of
from srcad.transforms.analysis.affine.index_ranges import overlap
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.affine.linear_forms import Form, infeasible
from srcad.transforms.analysis.statement_positions import Spot
from srcad.transforms.ir.build import names_in

Loop: TypeAlias = gast.For | gast.While


class Meeting(Regions):
    """The dependence tests of one core function."""

    def may_meet(
        self,
        first: gast.stmt,
        early: gast.expr,
        second: gast.stmt,
        late: gast.expr,
        at_once: bool = False,
        least: int = 0,
    ) -> bool:
        """Whether `second`, running after `first`, may access through `late` what `first` accessed through `early`.

        `early` and `late` are subscripts, or names for whole arrays. `at_once` only considers the same iteration of all
        loops around both, `least` the same iteration of that many outer loops.
        """
        pairs = self._pairs(first, early, second, late)
        return any(self._may_follow(first, one, second, other, at_once, least) for one, other in pairs)

    def _pairs(
        self, first: gast.stmt, early: gast.expr, second: gast.stmt, late: gast.expr
    ) -> list[tuple[Region, Region]]:
        """The pairs of regions that two statements may access and that may share memory."""
        if not self.aliases.may_alias(base_of(early), base_of(late)):
            return []
        pairs = ((a, b) for a in self.regions(early, first) for b in self.regions(late, second))
        return [(a, b) for a, b in pairs if self.aliases.may_alias(a.root, b.root)]

    def _may_follow(
        self, first: gast.stmt, one: Region, second: gast.stmt, other: Region, at_once: bool, least: int
    ) -> bool:
        # Nothing that ran before an array was allocated can have accessed it.
        if self._runs_before_allocation(first, other.root):
            return False
        least = max(least, self._same_iterations(one.root, other.root), self._allocated_within(other.root))
        orders = self._orders(first, second, least, at_once)
        if one.root != other.root or one.ranges is None or other.ranges is None or len(one.ranges) != len(other.ranges):
            return bool(orders)
        return any(
            not infeasible(case + overlap(one.ranges, other.ranges, left, right)) for case, left, right in orders
        )

    def meets_now(self, statement: gast.stmt, one: gast.expr, other: gast.expr) -> bool:
        """Whether two subscripts or arrays may refer to the same element when a statement runs."""
        known = self.at(statement)
        return any(
            a.root != b.root
            or a.ranges is None
            or b.ranges is None
            or not infeasible(known + overlap(a.ranges, b.ranges))
            for a, b in self._pairs(statement, one, statement, other)
        )

    def meets_across(self, loop: gast.For, one: gast.stmt, what: gast.expr, other: gast.stmt, that: gast.expr) -> bool:
        """Whether two statements in an outermost loop may access the same element in different iterations."""
        if not self.aliases.may_alias(base_of(what), base_of(that)):
            return False
        first, second = self.region_at(what, one), self.region_at(that, other)
        if first.root == second.root and self._allocated_within(first.root):
            return False
        if first.root != second.root or first.ranges is None or second.ranges is None:
            return True
        a, b = self.flow.spot(one), self.flow.spot(other)
        left, right = self._symbols(a, b, 0)
        known = self._both(one, left, other, right) + overlap(first.ranges, second.ranges, left, right)
        orders = (self._advanced(loop, left, right), self._advanced(loop, right, left))
        return any(not infeasible(known + order) for order in orders)

    def meets_earlier(
        self, first: gast.For, one: gast.stmt, what: gast.expr, second: gast.For, other: gast.stmt, that: gast.expr
    ) -> bool:
        """Whether `other`, in an iteration of `second`, may access what `one` accesses in a later one of `first`."""
        if not self.aliases.may_alias(base_of(what), base_of(that)):
            return False
        early, late = self.region_at(what, one), self.region_at(that, other)
        if early.root != late.root or early.ranges is None or late.ranges is None:
            return True
        a, b = self.flow.spot(one), self.flow.spot(other)
        left, right = self._symbols(a, b, 0)
        index = Form.of(left[first.target.id]) - Form.of(right[second.target.id])
        is_later = index - 1 if step_of(first) > 0 else index.scaled(-1) - 1
        system = [*self._both(one, left, other, right), is_later]
        return not infeasible(system + overlap(early.ranges, late.ranges, left, right))

    def _allocation(self, root: str) -> Spot | None:
        """The position where a root is allocated, if it is allocated in one place."""
        statement = self.flow.single(root)
        if statement is None or root in self.aliases.views or self.aliases.of.get(root) != frozenset([root]):
            return None
        return self.flow.spot(statement)

    def _allocated_within(self, root: str) -> int:
        """The number of loops around the allocation of a root: each of their iterations has an array of its own."""
        spot = self._allocation(root)
        return 0 if spot is None else len(spot.loops)

    def _same_iterations(self, root: str, name: str) -> int:
        """The number of loops around a root's allocation in whose same iteration `name` later refers to it."""
        depth = self._allocated_within(root)
        names = [name] if name != root else []
        for each in names:  # grows: names whose value may be passed on to this name
            outer = sum(1 for number, _ in self.flow.home(each) if number in self.flow.loops)
            depth = min(depth, outer)  # an inner loop may carry the array from one iteration to the next
            if depth == 0:
                break
            values = [getattr(store, "value", None) for store in self.flow.stores.get(each, ())]
            handed = {read for value in values if value is not None for read in names_in(value)}
            names += sorted(read for read in handed - {root, *names} if self.aliases.may_alias(read, root))
        return depth

    def _runs_before_allocation(self, statement: gast.stmt, root: str) -> bool:
        """Whether a statement comes before the allocation of a root, in the same iteration of the loops around both."""
        spot = self._allocation(root)
        return spot is not None and self.flow.spot(statement).number < spot.number

    def _orders(
        self, first: gast.stmt, second: gast.stmt, least: int, at_once: bool
    ) -> list[tuple[list[Form], dict[str, str], dict[str, str]]]:
        """The ways in which `second` can run after `first`: inequalities, and the renamed symbols of either run.

        In each, the outer loops down to some depth, at least `least`, are in the same iteration, and the next one in a
        later.
        """
        a, b = self.flow.spot(first), self.flow.spot(second)
        common = self.flow.common_loops(a, b)
        cases = []
        for depth in range(len(common) if at_once else min(least, len(common)), len(common) + 1):
            if depth == len(common) and (a.number >= b.number or self.flow.exclusive(a, b)):
                continue
            left, right = self._symbols(a, b, depth)
            system = self._both(first, left, second, right)
            if depth < len(common):
                system += self._advanced(common[depth], left, right)
            cases.append((system, left, right))
        return cases

    def _symbols(self, a: Spot, b: Spot, depth: int) -> tuple[dict[str, str], dict[str, str]]:
        """The names that may differ between the two runs, if the first `depth` loops are in the same iteration."""
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
        """Whether a statement is a loop, or is in a loop, other than the given ones."""
        around = self.flow.spot(statement).loops
        around = (*around, statement) if isinstance(statement, (gast.For, gast.While)) else around
        return any(id(loop) not in shared for loop in around)

    def _both(self, one: gast.stmt, left: dict[str, str], other: gast.stmt, right: dict[str, str]) -> list[Form]:
        """What is known where two statements run, each with its symbols renamed."""
        return [form.renamed(names) for each, names in ((one, left), (other, right)) for form in self.at(each)]

    def _advanced(self, loop: Loop, left: dict[str, str], right: dict[str, str]) -> list[Form]:
        """The inequality that the loop is in a later iteration on the right-hand side."""
        if not isinstance(loop, gast.For):
            return []
        step = step_of(loop)
        before, after = Form.of(left[loop.target.id]), Form.of(right[loop.target.id])
        if not step:
            return []
        return [after - before - step] if step > 0 else [before - after + step]
