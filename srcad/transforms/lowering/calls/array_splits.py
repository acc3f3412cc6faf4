"""Array splits: an array is cut into a list of slices, whose number is known at compile time.

u, v = np.split(x, [3])         becomes         u, v = x[:3], x[3:]
"""

from __future__ import annotations

from itertools import pairwise

import gast
import numpy as np

from srcad.refusals.numpy_calls import ARRAY_SPLIT, ARRAY_SPLIT_COUNT
from srcad.transforms.ir.build import at, attribute, binary, call, clone, const, load, subscript
from srcad.transforms.ir.cost_model import MOST_SPLIT_PIECES
from srcad.transforms.lowering.calls.mutating_calls import Effects
from srcad.transforms.lowering.structures.abstract_state import Structure


class Splits(Effects):
    """Lowers `np.split`, `np.array_split` and `np.vsplit`."""

    def branch(self, statement: gast.If) -> None:
        """A branch on an atom."""
        raise NotImplementedError

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        function = self.meant(node.func)
        if function is np.split or function is np.array_split or function is np.vsplit:
            self.spread(node)
            return self.split(node, function is not np.array_split)
        return super().call(node)

    def split(self, node: gast.Call, is_even: bool) -> gast.expr:
        """The pieces, as a list."""
        given = dict(zip(("ary", "indices_or_sections", "axis"), node.args, strict=False))
        given |= {each.arg: each.value for each in node.keywords}
        axis = self.constant(self.part(given.get("axis", const(0))))
        if not {"ary", "indices_or_sections"} <= given.keys() or type(axis) is not int:
            self.refuse(ARRAY_SPLIT)
        if axis < 0:
            return self.split_from_the_end(node, given, axis, is_even)
        array, places = self.as_name(self.part(given["ary"])), self.part(given["indices_or_sections"])
        count = self.constant(places)
        if isinstance(places, Structure):
            edges: list[gast.expr | None] = [None, *self.parts(places), None]
        elif type(count) is int and 0 < count <= MOST_SPLIT_PIECES:
            edges = [None, *self.even_edges(array, axis, count, is_even), None]
        else:
            self.refuse(ARRAY_SPLIT_COUNT)
        before = [gast.Slice(lower=None, upper=None, step=None)] * axis
        pieces = []
        for low, high in pairwise(edges):
            index: gast.expr = gast.Slice(lower=clone(low), upper=clone(high), step=None)
            index = gast.Tuple(elts=[*map(clone, before), index], ctx=gast.Load()) if before else index
            pieces.append(self.part(subscript(load(array.id), index)))
        return self.sequence(list, pieces)

    def split_from_the_end(self, node: gast.Call, given: dict[str, gast.expr], axis: int, is_even: bool) -> gast.expr:
        """The pieces along an axis that is counted from the last one: that axis is split as the first one."""
        turned = call("np.moveaxis", given["ary"], const(axis), const(0))
        pieces = self.split(
            gast.Call(func=node.func, args=[turned, given["indices_or_sections"]], keywords=[]), is_even
        )
        back = [self.part(call("np.moveaxis", each, const(0), const(axis))) for each in self.parts(pieces)]
        return self.sequence(list, back)

    def even_edges(self, array: gast.Name, axis: int, count: int, is_even: bool) -> list[gast.expr]:
        """The positions at which to cut into pieces of equal length, or of lengths that differ by one."""
        size = self.held_in_atom(self.core(subscript(attribute(load(array.id), "shape"), const(axis))))
        length = self.held_in_atom(binary(size, gast.FloorDiv, const(count)))
        rest = self.held_in_atom(binary(clone(size), gast.Mod, const(count)))
        if is_even:
            error = call("ValueError", const("array split does not result in an equal division"))
            failure = at(gast.Raise(exc=error, cause=None), self.place)
            uneven = gast.Compare(left=clone(rest), ops=[gast.NotEq()], comparators=[const(0)])
            self.branch(at(gast.If(test=uneven, body=[failure], orelse=[]), self.place))
        edges = []
        for k in range(1, count):
            own = self.held_in_atom(binary(const(k), gast.Mult, clone(length)))
            more = own if is_even else self.held_in_atom(call("min", const(k), clone(rest)))
            edges.append(own if is_even else self.held_in_atom(binary(own, gast.Add, more)))
        return edges
