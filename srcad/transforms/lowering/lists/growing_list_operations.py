"""Growing-list operations: methods, operators and elements of lists whose length is known only at run time.

while todo: node = todo.pop()       values[-1]       values[2:]       for v in values: ...       [0.0] * n
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np

from srcad.refusals.long_lists import LIST_SORT, LONG_LIST_SLICE_WRITE, LONG_LISTS_EQUAL
from srcad.transforms.ir.build import assign, at, binary, call, clone, const, load, subscript
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.cost_model import MOST_REPEATED_PARTS
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.desugaring.desugar import desugar
from srcad.transforms.lowering.lists.growing_lists import Growing
from srcad.transforms.lowering.structures.abstract_state import Grown, Structure


class Stacks(Growing):
    """Methods, operators and elements of such lists."""

    takes_arrays = False  # whether the builtin whose arguments are evaluated takes arrays

    # Methods

    def do_append(self, base: Structure, value: gast.expr) -> gast.expr:
        """Append an element."""
        grown = self.grown(base)
        if grown is None:
            return super().do_append(base, value)
        growth = self.memory.growth
        is_direct = bool(self.memory.nest) and self.memory.nest[-1] is grown.loop
        growth[grown] = growth.get(grown, 0) + 1 if is_direct and growth.get(grown, 0) >= 0 else -1
        self.memory.resized[grown] = self.memory.resized.get(grown, 0) + 1
        has_room = is_direct and isinstance(grown.loop, gast.For)
        self.set("filled" if has_room else "appended", grown, load(grown.count), value)
        self.let(grown.count, binary(load(grown.count), gast.Add, const(1)))
        return const(None)

    def do_extend(self, base: Structure, other: gast.expr) -> gast.expr:
        """Append several elements."""
        is_known = isinstance(other, Structure) and self.grown(other) is None
        if is_known or self.grow_now(base) is None:
            return super().do_extend(base, other)
        source, each = self.names.temporary(), self.names.temporary()
        if isinstance(other, Structure):
            self.memory.bind(source, self.copied_list(other))
        else:
            self.let(source, self.held_in_atom(other))
        append = gast.Attribute(value=base, attr="append", ctx=gast.Load())
        body = gast.Expr(value=gast.Call(func=append, args=[load(each)], keywords=[]))
        loop = gast.For(
            target=gast.Name(id=each, ctx=gast.Store(), annotation=None, type_comment=None),
            iter=load(source),
            body=[body],
            orelse=[],
            type_comment=None,
        )
        at(body, self.place)
        at(loop, self.place)
        for statement in desugar([loop], self.names):
            self.statement(statement)
        return const(None)

    def do_pop(self, base: Structure, *where: gast.expr) -> gast.expr:
        """Remove the last element, or the one at a position, and return it."""
        grown = self.grown(base)
        if grown is None:
            return super().do_pop(base, *where)
        self.memory.resized[grown] = self.memory.resized.get(grown, 0) + 1
        last = not where or self.constant(where[0]) == -1
        if last:
            self.insist(self.is_not_empty(grown), "pop from empty list")
            position = self.held_in_atom(binary(load(grown.count), gast.Sub, const(1)))
        else:
            position = self.position(grown, where[0])
        value = self.get(grown, position)
        if not last:
            for name in self.parts_of(grown):
                self.emit(assign(name, call("kernels.removed", load(name), load(grown.count), position), self.place))
        self.let(grown.count, binary(load(grown.count), gast.Sub, const(1)))
        return value

    def do_clear(self, base: Structure) -> gast.expr:
        """Remove all elements."""
        grown = self.grown(base)
        if grown is None:
            return super().do_clear(base)
        self.memory.resized[grown] = self.memory.resized.get(grown, 0) + 1
        self.let(grown.count, const(0))
        return const(None)

    def do_reverse(self, base: Structure) -> gast.expr:
        """Reverse the list."""
        grown = self.grown(base)
        if grown is None:
            return super().do_reverse(base)
        for name in self.parts_of(grown):
            array = self.as_name(self.held_in_atom(call("kernels.elements", load(name), load(grown.count))))
            self.emit(assign(name, self.backwards_of(array), self.place))
        return const(None)

    def do_sort(self, base: Structure, **how: gast.expr) -> gast.expr:
        """Sort the list."""
        grown = self.grown(base)
        if grown is None or how:
            self.refuse(LIST_SORT)
        self.emit(assign(grown.array, call("kernels.listed", self.in_order(grown)), self.place))
        return const(None)

    def in_order(self, grown: Grown) -> gast.Name:
        """A sorted array of the elements."""
        return self.as_name(self.held_in_atom(call("np.sort", self.view(grown))))

    def backwards_of(self, array: gast.Name) -> gast.Call:
        """A list of the elements of an array, from last to first."""
        whole = gast.Slice(lower=None, upper=None, step=const(-1))
        return call("kernels.listed", self.held_in_atom(subscript(array, whole)))

    def do_copy(self, base: Structure) -> gast.expr:
        """A copy of the list."""
        return super().do_copy(base) if self.grown(base) is None else self.copied_list(base)

    def copied_list(self, base: Structure, piece: gast.Slice | None = None) -> Structure:
        """A list with the same elements, or with those in a slice."""
        grown = self.grown(base)
        assert grown is not None
        made = self.new_grown(None)
        if self.memory.forms.get(grown):
            self.memory.forms[made] = [self.names.fresh(each) for each in self.memory.forms[grown]]
            self.memory.rows[made] = self.memory.rows[grown]
        sources = zip(self.parts_of(made), self.parts_of(grown), strict=True)
        length = None
        for new, old in sources:
            part = self.as_name(self.held_in_atom(call("kernels.elements", load(old), load(grown.count))))
            if piece is not None:
                part = self.as_name(self.held_in_atom(subscript(load(part.id), self.index(clone(piece)))))
            self.emit(assign(new, call("kernels.listed", load(part.id)), self.place))
            length = length or self.held_in_atom(call("len", load(part.id)))
        self.let(made.count, length)
        return self.as_list(made)

    def as_list(self, grown: Grown) -> Structure:
        """A new structure for this list."""
        structure: Structure = self.memory.new(list, {})
        self.memory.cells[structure.cell] = grown
        return structure

    # Elements

    def item(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """An element."""
        grown = self.grown(base)
        if grown is None:
            return super().item(base, node)
        if notes_of(node).is_loop_element:
            return self.get(grown, self.held_in_atom(self.part(node.slice)))
        if isinstance(node.slice, gast.Slice):
            return self.copied_list(base, node.slice)
        return self.get(grown, self.position(grown, node.slice))

    def index(self, node: gast.expr) -> gast.expr:
        """An index; a growing list becomes an array of indices."""
        if isinstance(node, (gast.Slice, gast.Tuple)):
            return super().index(node)
        part = self.part(node)
        grown = self.grown(part)
        return super().index(part) if grown is None else self.view(grown)

    def store(self, base: Structure, node: gast.Subscript, value: gast.expr) -> None:
        """`base[index] = value`."""
        grown = self.grown(base)
        if grown is None:
            super().store(base, node, value)
        elif isinstance(node.slice, gast.Slice):
            self.refuse(LONG_LIST_SLICE_WRITE)
        else:
            self.set("replaced", grown, self.position(grown, node.slice), value)

    # Operators and calls

    def together(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr | None:
        """The concatenation of two lists, or a repeated list, where a length is known only at run time."""
        structure, times = (left, right) if isinstance(left, Structure) else (right, left)
        is_repeated = isinstance(op, gast.Mult) and not isinstance(times, Structure)
        parts = self.memory.cells.get(structure.cell) if isinstance(structure, Structure) else None
        if is_repeated and isinstance(parts, dict) and structure.cell.type is list and len(parts) == 1:
            often = self.memory.constant(times)
            if often is UNKNOWN or (type(often) is int and often > MOST_REPEATED_PARTS):
                return self.repeated(parts[0], times)
        is_sum = isinstance(op, gast.Add) and (self.grown(left) is not None or self.grown(right) is not None)
        if is_sum and isinstance(left, Structure) and left.cell.type is list:
            known = self.grown(left) is None
            both: Structure = self.memory.new(list, self.contents(left)) if known else self.copied_list(left)
            self.do_extend(both, right)
            return both
        return super().together(left, op, right)

    def repeated(self, value: gast.expr, times: gast.expr) -> Structure | None:
        """`[value] * times`."""
        if self.width(value) != -2:
            return None
        grown = self.new_grown(None)
        count = self.held_in_atom(call("max", self.held_in_atom(times), const(0)))
        self.shape_of(grown, value)
        made = call("kernels.repeated", self.held_in_atom(value), clone(count))
        self.emit(assign(grown.array, made, self.place))
        self.let(grown.count, count)
        return self.as_list(grown)

    def truth_of(self, structure: Structure) -> gast.expr:
        """Whether a structure is not empty."""
        grown = self.grown(structure)
        if grown is not None:
            return self.held_in_atom(self.is_not_empty(grown))
        return self.truth_of_object(structure)

    def negated(self, operand: gast.expr) -> gast.expr:
        """`not operand`."""
        grown = self.grown(operand)
        if grown is not None:
            return gast.Compare(left=load(grown.count), ops=[gast.Eq()], comparators=[const(0)])
        return super().negated(operand)

    def call(self, node: gast.Call) -> gast.expr:
        """A call; `np.array` of such a list is a copy of its elements."""
        alone = not node.keywords and len(node.args) == 1 and not isinstance(node.args[0], (gast.List, gast.Tuple))
        meaning = self.meant(node.func)
        if alone and any(
            meaning is each for each in (np.array, np.asarray, np.stack, np.vstack, len, list, bool, sorted)
        ):
            if isinstance(node.args[0], (gast.Starred, gast.GeneratorExp)):
                return super().call(node)
            node.args = [self.argument_of(node.args[0])]
            if meaning is list and (rows := self.rows_of(node.args[0])) is not None:
                return self.core(rows)
            grown = self.grown(node.args[0])
            if grown is not None:
                return self.made_of_list(meaning, node.args[0], grown)
            if meaning is list and self.memory.shape_kind(node.args[0]) is not None:
                return self.extents(node.args[0], list)
            if meaning in (list, sorted) and isinstance(node.args[0], gast.Name):
                return self.list_of(node.args[0] if meaning is list else call("np.sort", node.args[0]))
        if meaning is np.stack and (axis := _axis_of(node)) is not None:
            node.args[0] = self.part(node.args[0])
            if self.grown(node.args[0]) is not None:
                rows = gast.Call(func=node.func, args=[node.args[0]], keywords=[])
                return self.core(call("np.copy", call("np.moveaxis", rows, const(0), axis)))
        if meaning is zip and alone and isinstance(node.args[0], gast.Starred):
            node.args[0].value = self.part(node.args[0].value)
            grown = self.grown(node.args[0].value)
            if grown is not None and self.memory.forms.get(grown):
                return self.sequence(tuple, self.columns(grown))
        return super().call(node)

    def argument_of(self, node: gast.expr) -> gast.expr:
        """The argument, evaluated unless a builtin handles it lazily."""
        lazy = (range, zip, enumerate, reversed)
        is_lazy = isinstance(node, gast.Call) and any(self.meant(node.func) is each for each in lazy)
        return node if is_lazy else self.part(node)

    def made_of_list(self, meaning: Any, base: gast.expr, grown: Grown) -> gast.expr:
        """The value of a function applied to one list."""
        if meaning is len:
            return self.kept(load(grown.count))
        if meaning is bool:
            return self.is_not_empty(grown)
        if meaning is list and isinstance(base, Structure):
            return self.copied_list(base)
        if meaning is sorted:
            made = self.new_grown(None)
            array = self.in_order(grown)
            self.emit(assign(made.array, call("kernels.listed", array), self.place))
            self.let(made.count, call("len", load(array.id)))
            return self.as_list(made)
        return self.view(grown)

    def builtin(self, handler: Any, node: gast.Call) -> gast.expr:
        """A builtin function; some take an array for such a list."""
        outer, self.takes_arrays = self.takes_arrays, self.meant(node.func) in _OF_NUMBERS
        made = super().builtin(handler, node)
        self.takes_arrays = outer
        return made

    def argument(self, node: gast.expr) -> gast.expr:
        """An argument of a builtin."""
        takes_arrays = self.takes_arrays
        part = super().argument(node)
        grown = self.grown(part)
        return self.view(grown) if grown is not None and takes_arrays else part

    def equal(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """Refuse `==` on such lists, which would compare arrays."""
        if self.grown(left) is not None or self.grown(right) is not None:
            self.refuse(LONG_LISTS_EQUAL)
        return super().equal(left, op, right)

    def expanded(self, structure: Structure) -> gast.expr:
        """A tuple of atoms, or an array."""
        grown = self.grown(structure)
        return super().expanded(structure) if grown is None else self.view(grown)


_OF_NUMBERS = (sum, max, min, any, all)


def _axis_of(node: gast.Call) -> gast.expr | None:
    """The axis of a call of `np.stack` of one expression, if it has one and nothing else."""
    given = [*node.args[1:], *(each.value for each in node.keywords if each.arg == "axis")]
    is_one = node.args and not isinstance(node.args[0], (gast.Starred, gast.GeneratorExp, gast.List, gast.Tuple))
    return given[0] if is_one and len(given) == 1 and len(node.args) + len(node.keywords) == 2 else None
