"""Higher-order calls: `map`, `filter`, `reduce`, and starred targets, where arguments are known.

map(f, values)      functools.reduce(f, values)      first, *rest = values
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.refusals.numpy_calls import REDUCE, TOO_FEW_VALUES
from srcad.transforms.ir.build import at, call, const, dotted_path, load, stored, subscript
from srcad.transforms.ir.canonical_names import RESERVED, root_name
from srcad.transforms.ir.cost_model import MOST_UNROLLED_TURNS
from srcad.transforms.ir.primitive import look_up
from srcad.transforms.lowering.structures.abstract_state import Lost, Structure
from srcad.transforms.lowering.structures.collection_types import Collections
from srcad.transforms.lowering.structures.container_methods import Parts


class Functional(Collections):
    """Calls that are replaced by what they compute."""

    def meant(self, node: gast.expr) -> Any:
        """The object that a path refers to, or None."""
        path, root = dotted_path(node), root_name(node)
        return look_up(path, self.bindings) if path and (root in self.bindings or root in RESERVED) else None

    def elements(self, node: gast.expr) -> Parts | None:
        """The elements that a loop over a structure visits; None for an array whose length is not a constant."""
        if isinstance(node, Structure):
            return self.parts(node)
        extent = self.memory.extents.get(node.id, ()) if isinstance(node, gast.Name) else ()
        if not extent or extent[0] > MOST_UNROLLED_TURNS:
            return None
        return [self.kept(self.part(subscript(load(node.id), const(k)))) for k in range(extent[0])]

    def mapped(self, node: gast.Call) -> gast.expr:
        """`map` and `filter`, as a list."""
        function, *rows = node.args
        name = self.names.temporary()
        rows = [rows[0]] if len(rows) == 1 else [gast.Call(func=load("zip"), args=rows, keywords=[])]
        is_map = self.meant(node.func) is map
        value = gast.Call(func=function, args=[load(name)], keywords=[])
        if is_map and len(node.args) > 2:
            value.args = [gast.Starred(value=load(name), ctx=gast.Load())]
        each = gast.comprehension(target=stored(name), iter=rows[0], ifs=[] if is_map else [value], is_async=0)
        return self.part(gast.ListComp(elt=value if is_map else load(name), generators=[each]))

    def reduced(self, node: gast.Call) -> gast.expr:
        """`functools.reduce` of a structure."""
        function, row, *start = node.args
        if isinstance(row, gast.GeneratorExp):
            row = gast.ListComp(elt=row.elt, generators=row.generators)
        function, row, *start = (self.part(each) for each in (function, row, *start))
        if isinstance(row, Structure) and self.is_grown(row):
            parts = None
        else:
            parts = self.elements(row)
        if parts is None and not start:
            return self.combined(function, row)
        if parts is None or not [*start, *parts]:
            self.refuse(REDUCE)
        total, *rest = [*start, *parts]
        for each in rest:
            total = self.kept(self.part(gast.Call(func=function, args=[total, each], keywords=[])))
        return total

    def is_grown(self, value: Structure) -> bool:
        """Whether this is a list whose length is known only at run time."""
        return value.cell.is_sequence and not isinstance(self.memory.cells[value.cell], (dict, Lost))

    def combined(self, function: gast.expr, row: gast.expr) -> gast.expr:
        """`functools.reduce` of an array or of a list of unknown length."""
        raise NotImplementedError

    def with_rest(self, targets: Parts, node: gast.expr) -> list[tuple[gast.expr, gast.expr]]:
        """`first, *rest = value`: each target with its value; what no other target takes is a list."""
        value = self.part(node)
        before = next(k for k, each in enumerate(targets) if isinstance(each, gast.Starred))
        names = [each.value if isinstance(each, gast.Starred) else each for each in targets]
        if isinstance(value, Structure) and value.cell.type is list and not self.is_known(value):
            value = self.expanded(value)
        if not isinstance(value, Structure):
            return list(zip(names, self.ends_and_rest(value, before, len(targets) - before - 1), strict=True))
        parts = [self.kept(each) for each in self.parts(value)]
        last = len(parts) - (len(targets) - before - 1)
        if last < before:
            self.refuse(TOO_FEW_VALUES, values=len(parts), targets=len(targets) - 1)
        values = [*parts[:before], self.sequence(list, parts[before:last]), *parts[last:]]
        return list(zip(names, values, strict=True))

    def is_known(self, value: Structure) -> bool:
        """Whether the elements of a list are known individually."""
        return isinstance(self.memory.cells[value.cell], dict)

    def ends_and_rest(self, value: gast.expr, before: int, after: int) -> Parts:
        """The first and last elements of an array, and a list of the others in between."""
        array = self.as_name(value)
        is_shape = self.memory.shape_kind(array) is not None
        message = f"expected at least {before + after} values to unpack"
        self.insist_on_length(array, before + after, "ValueError", message, gast.Lt)
        rest = gast.Slice(lower=const(before), upper=const(-after) if after else None, step=None)
        ends = [*range(before), *range(-after, 0)]
        elements = [self.held_in_atom(self.core(subscript(load(array.id), const(k)))) for k in ends]
        others = self.core(subscript(load(array.id), rest))
        elements.insert(before, self.extents(others, list) if is_shape else self.list_of(others))
        return elements

    def insist_on_length(
        self, array: gast.Name, length: int, error: str, message: str, wrong: type[gast.cmpop] = gast.NotEq
    ) -> None:
        """Raise if an array has another length, or is shorter; tuples are checked once types are known."""
        failure = gast.Raise(exc=call(error, const(message)), cause=None)
        test = gast.Compare(left=call("len", load(array.id)), ops=[wrong()], comparators=[const(length)])
        self.statement(at(gast.If(test=test, body=[at(failure, self.place)], orelse=[]), self.place))
