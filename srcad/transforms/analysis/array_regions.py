"""Array regions: the part of an array that a subscript accesses, through views, as index ranges in linear forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import gast

from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.analysis.linear_forms import Form, infeasible
from srcad.transforms.analysis.loop_phis import Carried, carried_views
from srcad.transforms.analysis.statement_positions import Flow
from srcad.transforms.analysis.symbolic_shapes import Sizes, combined, index_parts
from srcad.transforms.ir.cost_model import DEEPEST_FORM
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.unit import Unit

Range: TypeAlias = tuple[Form, Form] | None


@dataclass(frozen=True)
class Region:
    """Part of an array: one range for each dimension of `root`; None stands for all of it."""

    root: str
    ranges: tuple[Range, ...] | None


class Regions:
    """The regions, sizes and linear forms of one core function."""

    def __init__(self, unit: Unit, flow: Flow, types: Types, aliases: Aliases) -> None:
        self.flow, self.types, self.aliases = flow, types, aliases
        self.sizes = Sizes(unit, flow, types, self.form)
        self._carried = carried_views(flow, types)
        self._apart: dict[tuple[int, ...], tuple[dict[str, str], dict[str, str]]] = {}

    def limits(self, loop: gast.For) -> list[tuple[Form, bool]]:
        """The linear bounds of a loop index; the flag marks upper bounds."""
        start, stop, step = loop.iter.args
        width = constant(step)
        if not isinstance(width, int) or width == 0:
            return []
        found = []
        first, last = self.form(start), self.form(stop)
        if first is not None:
            found.append((first, width < 0))
        if last is not None:
            found.append((last - 1, True) if width > 0 else (last + 1, False))
        return found

    def form(self, node: gast.expr | None) -> Form | None:
        """The linear form of an integer atom."""
        value = constant(node)
        if isinstance(value, int) and not isinstance(value, bool):
            return Form.number(value)
        if isinstance(node, gast.Name):
            return self._form_of_name(node.id, 0)
        return None

    def _form_of_name(self, name: str, depth: int) -> Form:
        value = self.flow.definition(name)
        opaque = Form.of(name)
        if depth > DEEPEST_FORM:
            return opaque
        match value:
            case gast.Name(id=other):
                return self._form_of_name(other, depth + 1)
            case gast.Constant(value=int() as number) if not isinstance(number, bool):
                return Form.number(number)
            case gast.BinOp(left=left, op=op, right=right):
                a, b = self._operand(left, depth), self._operand(right, depth)
                return combined(a, op, b) or opaque
            case gast.Subscript(value=gast.Name(id=shape), slice=gast.Constant(value=int() as axis)):
                found = self.flow.definition(shape)
                if isinstance(found, gast.Attribute) and found.attr == "shape" and isinstance(found.value, gast.Name):
                    return self.size(found.value.id, axis)
            case gast.Attribute(value=gast.Name(id=array), attr="size") if self.types.rank(array) == 1:
                return self.size(array, 0)
        return opaque

    def _operand(self, node: gast.expr, depth: int) -> Form | None:
        if isinstance(node, gast.Name):
            return self._form_of_name(node.id, depth + 1)
        return self.form(node)

    def size(self, array: str, axis: int) -> Form:
        """The linear form of `array.shape[axis]`."""
        return self.sizes.size(array, axis)

    def regions(self, node: gast.expr, at: gast.stmt) -> list[Region]:
        """The regions of root arrays that a subscript, or a whole array, may access at a statement."""
        carried = self._carried.get(base_of(node))
        left = self._left(carried) if carried is not None and carried.holds_at(at, self.flow) else None
        if carried is None or left is None:
            return [self.region(node)]
        if isinstance(node, gast.Name):
            return [*self.regions(carried.before, carried.loop), left]
        index = list(index_parts(node))
        before = gast.Subscript(value=carried.before, slice=node.slice, ctx=gast.Load())
        return [*self.regions(before, carried.loop), self._selected(carried.left.id, left, index, ())]

    def _left(self, carried: Carried) -> Region | None:
        """The view left by the previous iteration, in terms of this iteration; None where it depends on other names."""
        region, index = self._whole(carried.left.id), carried.loop.target.id
        if (
            region.ranges is None
            or carried.left.id not in self.aliases.views
            or self._is_stored_in(carried, region.root)
        ):
            return None
        forms = [form for ends in region.ranges if ends is not None for form in ends]
        symbols = {symbol.split(".")[0] for form in forms for symbol in form.symbols}
        if any(symbol != index and self._is_stored_in(carried, symbol) for symbol in symbols):
            return None
        return Region(
            region.root,
            tuple(
                ends and (_stepped_back(ends[0], index, carried.step), _stepped_back(ends[1], index, carried.step))
                for ends in region.ranges
            ),
        )

    def _is_stored_in(self, carried: Carried, name: str) -> bool:
        return any(carried.loop in self.flow.spot(store).loops for store in self.flow.stores.get(name, ()))

    def region(self, node: gast.expr, known: Sequence[Form] = ()) -> Region:
        """The region of its root that a subscript, or a whole array, accesses; `known` forms are not negative."""
        if isinstance(node, gast.Name):
            return self._whole(node.id)
        index = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        outer = self._whole(node.value.id)
        return self._selected(node.value.id, outer, list(index), known)

    def _whole(self, name: str) -> Region:
        value = self.flow.definition(name)
        if isinstance(value, gast.Subscript) and name in self.aliases.views:
            return self.region(value)
        rank = self.types.rank(name)
        if name in self.aliases.views or rank is None or len(self.aliases.points_to(name)) != 1:
            return Region(name, None)
        ranges = tuple((Form(), self.size(name, axis) - 1) for axis in range(rank))
        return Region(name, ranges)

    def _selected(self, array: str, outer: Region, index: list[gast.expr], known: Sequence[Form]) -> Region:
        """The part of a region that an index selects."""
        if outer.ranges is None or any(constant(part) is ... for part in index):
            return outer
        if any(map(self.types.is_opaque, index)):
            return Region(outer.root, None)
        kept = self._kept_dimensions(array, outer)
        if kept is None:
            return Region(outer.root, None)
        ranges = list(outer.ranges)
        position = 0
        for part in index:
            if isinstance(part, gast.Constant) and part.value is None:
                continue
            if position >= len(kept):
                return Region(outer.root, None)
            axis = kept[position]
            inner = self._range(part, self.size(array, position) if outer.root == array else None, known)
            whole = isinstance(part, gast.Slice) and part.lower is part.upper is part.step is None
            outer_range = ranges[axis]
            if not whole:
                ranges[axis] = _shifted(inner, outer_range)
            position += 1
        return Region(outer.root, tuple(ranges))

    def _kept_dimensions(self, array: str, outer: Region) -> list[int] | None:
        """The dimensions of the root that correspond to the dimensions of a view."""
        value = self.flow.definition(array)
        if array == outer.root:
            return list(range(len(outer.ranges or ())))
        if not isinstance(value, gast.Subscript):
            return None
        inner = self._kept_dimensions(value.value.id, outer)
        index = value.slice.elts if isinstance(value.slice, gast.Tuple) else [value.slice]
        if inner is None or any(constant(part) is ... or _is_none(part) for part in index):
            return None
        if any(map(self.types.is_opaque, index)):
            return None
        if any(isinstance(part, gast.Slice) and part.step is not None and constant(part.step) != 1 for part in index):
            return None
        padded = [*index, *[gast.Slice(None, None, None)] * (len(inner) - len(index))]
        return [axis for axis, part in zip(inner, padded, strict=True) if isinstance(part, gast.Slice)]

    def _range(self, part: gast.expr, size: Form | None, known: Sequence[Form]) -> Range:
        if isinstance(part, gast.Slice):
            step = constant(part.step) if part.step is not None else 1
            low = self._edge(part.lower, size, Form(), known)
            high = self._edge(part.upper, size, size, known)
            if low is None or high is None or not isinstance(step, int) or step < 1:
                return None
            return low, high - 1
        point = self._edge(part, size, None, known)
        return None if point is None else (point, point)

    def _edge(
        self, node: gast.expr | None, size: Form | None, default: Form | None, known: Sequence[Form]
    ) -> Form | None:
        """An index or a slice bound, counted from the front; None where its sign is not known."""
        if node is None:
            return default
        value = constant(node)
        if isinstance(value, int) and value < 0:
            return None if size is None else size + value
        form = self.form(node)
        if form is None or (isinstance(node, gast.Name) and not self.is_natural(form, known)):
            return None
        return form

    def is_natural(self, form: Form, known: Sequence[Form] = ()) -> bool:
        """Whether a form is proved not to be negative, given the bounds of its loop indices."""
        system: list[Form] = []
        pending, seen = [symbol for symbol, _ in form.terms], set()
        while pending:
            symbol = pending.pop()
            if symbol in seen:
                continue
            seen.add(symbol)
            if ".shape[" in symbol:
                system.append(Form.of(symbol))
            for statement in self.flow.stores.get(symbol, []):
                if isinstance(statement, gast.For):
                    for limit, upper in self.limits(statement):
                        system.append(limit - Form.of(symbol) if upper else Form.of(symbol) - limit)
                        pending += [other for other, _ in limit.terms]
        return infeasible([*system, *known, form.scaled(-1) - 1])


def _is_none(part: gast.expr) -> bool:
    return isinstance(part, gast.Constant) and part.value is None


def base_of(node: gast.expr) -> str:
    """The name of a subscript's array, or of the array itself."""
    return str(node.id if isinstance(node, gast.Name) else node.value.id)


def _stepped_back(form: Form, index: str, step: int) -> Form:
    """The form's value in the previous iteration."""
    return form - form.coefficient(index) * step


def _shifted(inner: Range, outer: Range) -> Range:
    if inner is None or outer is None:
        return None
    return inner[0] + outer[0], inner[1] + outer[0]
