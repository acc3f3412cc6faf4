"""Array regions: the part of an array that a subscript accesses, through views, as index ranges in linear forms."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import gast

from srcad.transforms.analysis.affine.index_ranges import Range, Ranges
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.ssa_facts import Definitions
from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.analysis.loop_phis import Carried, carried_views
from srcad.transforms.analysis.statement_positions import Flow, Spot
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.unit import Unit


@dataclass(frozen=True)
class Region:
    """Part of an array: one range for each dimension of `root`; None stands for all of it."""

    root: str
    ranges: Ranges | None


class Regions(Definitions):
    """The regions of arrays that the subscripts of one core function select."""

    def __init__(self, unit: Unit, flow: Flow, types: Types, aliases: Aliases) -> None:
        super().__init__(unit, flow, types)
        self.aliases = aliases
        self._views_of_loops = carried_views(flow, types)
        self._apart: dict[tuple[int, ...], tuple[dict[str, str], dict[str, str]]] = {}
        self._found: dict[tuple[int, Spot], tuple[gast.expr, Region]] = {}  # by the identity of the expression

    def regions(self, node: gast.expr, at: gast.stmt) -> list[Region]:
        """The regions of root arrays that a subscript, or a whole array, may access at a statement."""
        carried = self._views_of_loops.get(base_of(node))
        left = self._left(carried) if carried is not None and carried.holds_at(at, self.flow) else None
        if carried is None or left is None:
            return [self.region_at(node, at)]
        if isinstance(node, gast.Name):
            return [*self.regions(carried.before, carried.loop), left]
        index = list(index_parts(node))
        before = gast.Subscript(value=carried.before, slice=node.slice, ctx=gast.Load())
        return [*self.regions(before, carried.loop), self._selected(carried.left.id, left, index, self.at(at))]

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

    def region_at(self, node: gast.expr, at: gast.stmt) -> Region:
        """The region that a subscript, or a whole array, accesses at a statement."""
        key = id(node), self.flow.spot(at)
        if key not in self._found:
            self._found[key] = node, self.region(node, self.at(at))
        return self._found[key][1]

    def region(self, node: gast.expr, known: Sequence[Form] = ()) -> Region:
        """The region of its root that a subscript, or a whole array, accesses; `known` forms are not negative."""
        if isinstance(node, gast.Name):
            return self._whole(node.id)
        index = index_parts(node)
        outer = self._whole(node.value.id)
        return self._selected(node.value.id, outer, list(index), known)

    def _whole(self, name: str) -> Region:
        value = self.flow.definition(name)
        statement = self.flow.single(name)
        if statement is not None and isinstance(value, gast.Subscript) and name in self.aliases.views:
            return self.region(value, self.at(statement))
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
        index = index_parts(value)
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
        if form is None or (isinstance(node, gast.Name) and not self.is_nonnegative(form, known)):
            return None
        return form


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
