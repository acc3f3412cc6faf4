"""Packed lists: long list arguments become arrays, which can be read with any index.

    def f(values, i):  ... values[i]              def f(count, values, i):  ... values[i]
    def f(layers, i):  ... layers[i]       ->     ... values[starts[i]:starts[i + 1]]

Such lists can be indexed, looped over, passed to `len` and to NumPy functions that make one array from them and, if
they hold floats, written to by element. Arrays in them can be written to like others, since their elements are views.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.refusals.long_lists import LONG_LIST_WRITE, UNEVEN_LIST
from srcad.transforms.ir.array_functions import returns_new
from srcad.transforms.ir.build import (
    assign,
    at,
    binary,
    call,
    clone,
    const,
    dotted_path,
    load,
    place_of,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.pytree_form import Form, Part
from srcad.transforms.lowering.lists.growing_list_operations import Stacks
from srcad.transforms.lowering.structures.abstract_state import Packed, Structure
from srcad.transforms.lowering.structures.list_packing import Column

_STACKS = (np.array, np.asarray, np.stack)
_READING = (  # functions that treat tuples like lists
    *(*_STACKS, np.vstack, np.hstack, np.column_stack, np.concatenate, np.sum, np.mean, np.max, np.min, np.prod),
    *(sum, max, min, sorted, list),
)


class LongLists(Stacks):
    """Structures whose elements are stored in arrays."""

    def long(self, base: gast.expr) -> Packed | None:
        """The run-time representation of a long list, or None."""
        held = self.memory.cells.get(base.cell) if isinstance(base, Structure) else None
        return held if isinstance(held, Packed) else None

    def item(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """An element."""
        long = self.long(base)
        if long is None:
            return super().item(base, node)
        if notes_of(node).is_loop_element:
            position: gast.expr = self.held_in_atom(self.part(node.slice))
        else:
            position = self.position(long, node.slice)
        leaves = [self.leaf(column, arrays, position) for column, arrays in _columns(long)]
        return self.made_of(long.layout.element, leaves)

    def made_of(self, part: Part, leaves: list[gast.expr]) -> gast.expr:
        """An element, made from its numbers and arrays, of which it takes those it needs."""
        if not isinstance(part, Form):
            return leaves.pop(0)
        held = {key: self.made_of(each, leaves) for key, each in zip(part.keys, part.parts, strict=True)}
        made: Structure = self.memory.new(part.type, held, "it is an element of a list of more than 64")
        return made

    def leaf(self, column: Column, arrays: list[str], position: gast.expr) -> gast.expr:
        """One leaf of an element."""
        if column.even:
            return self.as_name(self.held_in_atom(subscript(load(arrays[0]), clone(position))))
        first = self.as_name(self.held_in_atom(subscript(load(arrays[1]), clone(position))))
        following = self.held_in_atom(binary(clone(position), gast.Add, const(1)))
        last = self.as_name(self.held_in_atom(subscript(load(arrays[1]), following)))
        piece = self.as_name(
            self.held_in_atom(subscript(load(arrays[0]), gast.Slice(lower=first, upper=last, step=None)))
        )
        if column.rank == 1:
            return piece
        shape = [
            self.held_in_atom(subscript(load(arrays[2]), tuple_of(clone(position), const(k))))
            for k in range(column.rank)
        ]
        return self.as_name(self.held_in_atom(call("np.reshape", piece, tuple_of(*shape))))

    def store(self, base: Structure, node: gast.Subscript, value: gast.expr) -> None:
        """`base[index] = value`."""
        long = self.long(base)
        if long is None:
            super().store(base, node, value)
            return
        reason = self.memory.frozen.get(base.cell)
        if not long.is_numbers or isinstance(value, Structure) or reason is not None:
            self.refuse(LONG_LIST_WRITE)
        if base.cell in self.memory.arguments:
            self.memory.touched.add(base.cell)
        number = self.held_in_atom(call("float", self.held_in_atom(value)))
        place = self.position(long, node.slice)
        self.emit(assign(subscript(load(long.arrays[0]), place, store=True), number, self.place))

    def call(self, node: gast.Call) -> gast.expr:
        """A call: `len`, and functions that make one array from the elements."""
        meaning = self.meant(node.func)
        if any(meaning is each for each in _READING):
            node.args = [self.as_list_of(each) for each in node.args]
        if any(meaning is each for each in (*_STACKS, np.vstack)):
            node.args = [_with_rows(each) for each in node.args]
        alone = not node.keywords and len(node.args) == 1 and not isinstance(node.args[0], gast.Starred)
        if alone and (meaning is len or any(meaning is each for each in _STACKS)):
            node.args = [self.part(node.args[0])]
            long = self.long(node.args[0])
            if long is not None:
                return load(long.count) if meaning is len else super().call(call("np.copy", self.stacked(long)))
        return self.apart(super().call(node))

    def apart(self, made: gast.expr) -> gast.expr:
        """A call, with a copy of the elements where the result may be a view of them: in Python it never is one."""
        if isinstance(made, gast.Call) and not returns_new(dotted_path(made.func)):
            held = self.memory.cells.values()
            packed = {name for each in held if isinstance(each, Packed) for name in each.arrays}
            made.args = [
                self.held_in_atom(call("np.copy", each)) if getattr(each, "id", None) in packed else each
                for each in made.args
            ]
        return made

    def as_list_of(self, node: gast.expr) -> gast.expr:
        """`tuple(...)` as `list(...)`, whose length may be unknown."""
        match node:
            case gast.Call(func=function, args=[gast.GeneratorExp(elt=element, generators=generators)], keywords=[]):
                return gast.ListComp(elt=element, generators=generators) if self.meant(function) is tuple else node
            case gast.Call(func=function, args=[row], keywords=[]) if self.meant(function) is tuple:
                return at(call("list", row), place_of(node))
        return node

    def argument(self, node: gast.expr) -> gast.expr:
        """An argument of a builtin."""
        part = super().argument(node)
        long = self.long(part)
        return part if long is None else self.stacked(long)

    def expanded(self, structure: Structure) -> gast.expr:
        """A tuple of atoms, or an array."""
        long = self.long(structure)
        return super().expanded(structure) if long is None else self.stacked(long)

    def stacked(self, long: Packed) -> gast.Name:
        """All elements as one array, which must not be written to."""
        column = long.layout.columns[0]
        if isinstance(long.layout.element, Form) or not column.even:
            self.refuse(UNEVEN_LIST)
        return load(long.arrays[0])


def _with_rows(node: gast.expr) -> gast.expr:
    """`[[f(u, v) for v in x] for u in y]` as an argument of `np.array`, with an array for each row, of any length."""
    if isinstance(node, gast.ListComp) and isinstance(node.elt, gast.ListComp):
        node.elt = at(call("np.array", _with_rows(node.elt)), place_of(node.elt))
    return node


def _columns(long: Packed) -> list[tuple[Column, list[str]]]:
    found: list[tuple[Column, list[Any]]] = long.layout.by_column([long.count, *long.arrays])
    return found
