"""Subscripts for parallel loops: which part of an array one iteration accesses, by linear forms of the loop's index.

With `j = i + 1`, the elements `a[2 * i, k]` and `a[2 * j - 1, k]` are at 2 i and 2 i + 1 along the first dimension,
which no other iteration accesses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import gast
from numba import types as nb

from srcad.transforms.analysis.linear_forms import Form, infeasible
from srcad.transforms.ir.build import const, walk, walk_statements, written
from srcad.transforms.ir.cost_model import DEEPEST_INDEX
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written

Interval = tuple[Form, Form]


class Indices:
    """The subscripts in the body of one loop."""

    def __init__(self, loop: gast.For, kinds: Mapping[str, nb.Type]) -> None:
        """`kinds` has the types of names, as far as they are known."""
        self.index, self.kinds = loop.target.id, kinds
        self.inner = {each.target.id: each for each in walk_statements(loop.body) if isinstance(each, gast.For)}
        self.stores = Counter(name for each in walk_statements(loop.body) for name in all_written(each))
        self.values = {
            name: each.value
            for each in walk_statements(loop.body)
            if isinstance(each, gast.Assign) and (name := written(each)) and self.stores[name] == 1
        }
        self.known = self._limits(loop.iter.args)

    def _limits(self, bounds: list[gast.expr]) -> list[Form]:
        """The bounds of the loop's index, as forms that are not negative."""
        start: gast.expr = gast.Constant(value=0, kind=None) if len(bounds) == 1 else bounds[0]
        step = constant(bounds[2]) if len(bounds) == 3 else 1
        first, last = self.form(start), self.form(bounds[0] if len(bounds) == 1 else bounds[1])
        if not isinstance(step, int) or step == 0:
            return []
        index, known = Form.of(self.index), []
        if first is not None:
            known.append((index - first).scaled(1 if step > 0 else -1))
        if last is not None:
            known.append(last - index - 1 if step > 0 else index - last - 1)
        return known

    def form(self, node: gast.expr, depth: int = 0) -> Form | None:
        """The linear form of an integer expression over the loop's index and loop-invariant names."""
        value = constant(node)
        if isinstance(value, int) and not isinstance(value, bool):
            return Form.number(value)
        match node:
            case gast.Name(id=name) if name == self.index or self._is_counter(name):
                return Form.of(name)
            case gast.Name(id=name) if name in self.values and depth < DEEPEST_INDEX:
                return self.form(self.values[name], depth + 1)
            case gast.Name(id=name) if not self.stores[name] and isinstance(self.kinds.get(name), nb.Integer):
                return Form.of(name)
            case gast.Subscript(value=gast.Attribute(value=gast.Name(id=name), attr="shape"), slice=axis):
                at = constant(axis)
                return Form.of(f"{name}.shape[{at}]") if isinstance(at, int) and not self.stores[name] else None
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                inner = self.form(operand, depth + 1)
                return None if inner is None else inner.scaled(-1)
            case gast.BinOp(left=left, op=op, right=right):
                return _combined(self.form(left, depth + 1), op, self.form(right, depth + 1))
        return None

    def distance(self, accesses: list[gast.Subscript]) -> int | None:
        """The dependence distance: how many iterations apart two may access the same element of an array, at most.

        0 where each iteration has its own elements; None where nothing is known.
        """
        columns = [self._parts(each) for each in accesses if not self.stores[self.index]]
        found = [self._along([column[axis] for column in columns]) for axis in range(min(map(len, columns), default=0))]
        return min((each for each in found if each is not None), default=None)

    def _along(self, parts: list[gast.expr]) -> int | None:
        """The same, for the indices in one dimension."""
        intervals = [self._interval(part) for part in parts]
        sure = [each for each in intervals if each is not None]
        if len(sure) < len(intervals):
            return None
        edges = [edge for each in sure for edge in each]
        pace = edges[0].coefficient(self.index)
        offsets = [edge - edges[0] for edge in edges]
        if pace == 0 or any(offset.terms for offset in offsets):
            return None
        if not all(self._is_natural(low) and self._is_natural(high + 1) for low, high in sure):
            return None
        numbers = [offset.constant for offset in offsets]
        return (max(numbers) - min(numbers)) // abs(pace)

    def _interval(self, part: gast.expr) -> Interval | None:
        if isinstance(part, gast.Slice):
            if part.lower is None or part.upper is None or not _is_forwards(part.step):
                return None
            low, high = self._swept(self.form(part.lower)), self._swept(self.form(part.upper))
            return None if low is None or high is None else (low[0], high[1] - 1)
        return self._swept(self.form(part))

    def _swept(self, point: Form | None) -> Interval | None:
        """The range of an index over the inner loops: with the first and last value of each of their counters."""
        if point is None:
            return None
        low = high = point
        for name, coefficient in point.terms:
            if name in self.inner:
                first, stop = map(constant, _bounds(self.inner[name]))
                if first is None or stop is None:
                    return None
                ends = [first, max(first, stop - 1)]
                low += (Form.number(ends[coefficient < 0]) - Form.of(name)).scaled(coefficient)
                high += (Form.number(ends[coefficient > 0]) - Form.of(name)).scaled(coefficient)
        return low, high

    def _is_counter(self, name: str) -> bool:
        """Whether a name is the counter of one inner loop, and stored by nothing else."""
        loop = self.inner.get(name)
        return loop is not None and self.stores[name] == 1 and len(_bounds(loop)) == 2

    def _parts(self, node: gast.Subscript) -> list[gast.expr]:
        """The indices into the leading dimensions, as far as each belongs to a known dimension."""
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        found = []
        for part in parts:
            if isinstance(part, gast.Constant) and part.value is None:
                continue
            if not (isinstance(part, gast.Slice) or self._is_number(part)):
                break  # an ellipsis or array, which may span any number of dimensions
            found.append(part)
        return found

    def _is_number(self, part: gast.expr) -> bool:
        """Whether an index is known to be an integer."""
        if self.form(part) is not None:
            return True
        inside = [each for each in walk(part) if isinstance(each, gast.expr)]
        return all(
            isinstance(self.kinds.get(each.id), nb.Integer)
            if isinstance(each, gast.Name)
            else isinstance(each, (gast.BinOp, gast.UnaryOp)) or isinstance(constant(each), int)
            for each in inside
        )

    def _is_natural(self, form: Form) -> bool:
        """Whether a form is proved not to be negative in any iteration, since negative indices count from the end."""
        symbols = {symbol for each in (form, *self.known) for symbol, _ in each.terms}
        sizes = [Form.of(symbol) for symbol in sorted(symbols) if ".shape[" in symbol]
        return infeasible([*self.known, *sizes, form.scaled(-1) - 1])


def _combined(left: Form | None, op: gast.operator, right: Form | None) -> Form | None:
    if left is None or right is None:
        return None
    match op:
        case gast.Add():
            return left + right
        case gast.Sub():
            return left - right
        case gast.Mult() if not right.terms:
            return left.scaled(right.constant)
        case gast.Mult() if not left.terms:
            return right.scaled(left.constant)
    return None


def _bounds(loop: gast.For) -> list[gast.expr]:
    """The start and stop of a loop with step 1 or -1, as a loop that counts up; empty for others."""
    start, stop, step = (loop.iter.args + [None, None])[:3]
    if stop is None:
        start, stop = gast.Constant(value=0, kind=None), start
    match constant(step) if step is not None else 1:
        case 1:
            return [start, stop]
        case -1 if isinstance(constant(start), int) and isinstance(constant(stop), int):
            return [const(constant(stop) + 1), const(constant(start) + 1)]
    return []


def _is_forwards(step: gast.expr | None) -> bool:
    width = 1 if step is None else constant(step)
    return isinstance(width, int) and width > 0
