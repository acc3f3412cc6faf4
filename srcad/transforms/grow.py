"""Lists that grow in a loop whose number of turns is known only at run time: arrays of floats with a count.

    values = []                         list = np.empty(n * 1 + 0)
    for i in range(n):                  count = 0
        values.append(f(i))     ->      for i in range(n):
                                            list[count] = float(f(i))
                                            count = count + 1

They can be indexed, looped over, and given to NumPy, also while they grow. They grow in that loop alone.
"""

from __future__ import annotations

import gast
import numpy as np

from srcad.transforms.build import Block, assign, call, clone, const, load, subscript
from srcad.transforms.comprehend import Comprehensions
from srcad.transforms.known import UNKNOWN
from srcad.transforms.memory import PLAIN, Callee, Cell, Grown, Packed, Structure


class Growing(Comprehensions):
    """Structures of which the number of elements is known only at run time."""

    def grown(self, base: gast.expr) -> Grown | None:
        """What a list that grows is, at run time."""
        held = self.memory.cells.get(base.cell) if isinstance(base, Structure) else None
        return held if isinstance(held, Grown) else None

    # A loop in which lists grow

    def begin_growth(self, loop: gast.For) -> dict[Grown, list[gast.expr]]:
        """The lists that the loop appends to, with the elements that they have before it."""
        found: dict[Grown, list[gast.expr]] = {}
        for node in gast.walk(loop):
            match node:
                case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr="append")):
                    cell = self.list_of_numbers(name)
                    if cell is not None:
                        elements = list(self.changeable(Structure(cell)).values())
                        grown = Grown(self.names.fresh("list"), self.names.fresh("count"), loop)
                        self.memory.cells[cell] = grown
                        self.memory.names |= {grown.array: PLAIN, grown.count: PLAIN}
                        found[grown] = elements
        return found

    def list_of_numbers(self, name: str) -> Cell | None:
        """The list that a variable holds, if its elements are no structures."""
        held = self.memory.names.get(name)
        if not isinstance(held, Structure) or held.cell.type is not list:
            return None
        contents = self.memory.cells[held.cell]
        is_plain = isinstance(contents, dict) and not any(isinstance(e, (Structure, Callee)) for e in contents.values())
        return held.cell if is_plain and held.cell not in self.memory.frozen else None

    def finish_growth(self, loop: gast.For, found: dict[Grown, list[gast.expr]]) -> Block:
        """The statements that make room before the loop."""
        outer, self.made = self.made, []
        bounds = [clone(each) for each in loop.iter.args]
        bounds = [const(0), *bounds] if len(bounds) == 1 else bounds
        turns = self.held_in_atom(call("kernels.trip_count", *bounds, *([const(1)] if len(bounds) == 2 else [])))
        for grown, elements in found.items():
            times = gast.BinOp(left=turns, op=gast.Mult(), right=const(self.memory.growth.get(grown, 0)))
            size = gast.BinOp(left=self.held_in_atom(times), op=gast.Add(), right=const(len(elements)))
            self.emit(assign(grown.array, call("np.empty", self.held_in_atom(size)), self.place))
            for position, value in enumerate(elements):
                self.set(grown, const(position), value)
            self.emit(assign(grown.count, const(len(elements)), self.place))
        made, self.made = self.made, outer
        return made

    def set(self, grown: Grown, position: gast.expr, value: gast.expr) -> None:
        """Store one element."""
        if isinstance(value, (Structure, Callee)):
            self.refuse("a list that grows in a loop holds numbers", "fill an array with one more axis")
        number = self.held_in_atom(call("float", self.held_in_atom(value)))
        self.emit(assign(subscript(load(grown.array), position, store=True), number, self.place))

    # What such a list can do

    def do_append(self, base: Structure, value: gast.expr) -> gast.expr:
        """One more element."""
        grown = self.grown(base)
        if grown is None:
            return super().do_append(base, value)
        if not self.memory.nest or self.memory.nest[-1] is not grown.loop:
            self.refuse(
                "appending to a list in more than one loop is not supported, if the number of turns is known only at "
                "run time",
                "make an array with np.empty and fill it",
            )
        self.memory.growth[grown] = self.memory.growth.get(grown, 0) + 1
        self.set(grown, load(grown.count), value)
        self.let(grown.count, gast.BinOp(left=load(grown.count), op=gast.Add(), right=const(1)))
        return const(None)

    def item(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """An element."""
        grown = self.grown(base)
        if grown is None:
            return super().item(base, node)
        if getattr(node, "iterates", False):
            position: gast.expr = self.held_in_atom(self.part(node.slice))
        else:
            position = self.position(grown, node.slice)
        return subscript(load(grown.array), position)

    def store(self, base: Structure, node: gast.Subscript, value: gast.expr) -> None:
        """`base[index] = value`."""
        grown = self.grown(base)
        if grown is None:
            super().store(base, node, value)
        else:
            self.set(grown, self.position(grown, node.slice), value)

    def position(self, grown: Grown | Packed, node: gast.expr) -> gast.expr:
        """Where an element is; an index that is out of range raises IndexError, as it does in Python."""
        if isinstance(node, gast.Slice):
            self.refuse(
                "a slice of a list that grows in a loop, or of a long one, is not supported", "slice np.array of it"
            )
        index = self.held_in_atom(self.part(node))
        known = self.constant(index)
        if known is UNKNOWN:
            negative = gast.Compare(left=clone(index), ops=[gast.Lt()], comparators=[const(0)])
            position = self.names.temporary()
            wrapped = gast.BinOp(left=clone(index), op=gast.Add(), right=load(grown.count))
            self.decide(position, gast.IfExp(test=negative, body=wrapped, orelse=clone(index)))
            place: gast.expr = load(position)
        else:
            wrapped = gast.BinOp(left=load(grown.count), op=gast.Sub(), right=const(-known if known < 0 else 0))
            place = self.held_in_atom(wrapped) if known < 0 else const(known)
        inside = [gast.Compare(left=const(0), ops=[gast.LtE()], comparators=[clone(place)])]
        inside.append(gast.Compare(left=clone(place), ops=[gast.Lt()], comparators=[load(grown.count)]))
        error = gast.Raise(
            exc=gast.Call(func=load("IndexError"), args=[const("list index out of range")], keywords=[]), cause=None
        )
        error.place = self.place
        test = gast.UnaryOp(op=gast.Not(), operand=gast.BoolOp(op=gast.And(), values=inside))
        check = gast.If(test=test, body=[error], orelse=[])
        check.place = self.place
        self.statement(check)
        return place

    def view(self, grown: Grown) -> gast.Name:
        """The elements as an array."""
        elements = gast.Slice(lower=None, upper=load(grown.count), step=None)
        return self.as_name(self.held_in_atom(subscript(load(grown.array), elements)))

    def call(self, node: gast.Call) -> gast.expr:
        """A call; `np.array` of such a list is a copy of its elements."""
        alone = not node.keywords and len(node.args) == 1 and not isinstance(node.args[0], (gast.List, gast.Tuple))
        if alone and any(self.meant(node.func) is each for each in (np.array, np.asarray)):
            node.args = [self.part(node.args[0])]
            grown = self.grown(node.args[0])
            if grown is not None:
                return super().call(call("np.copy", self.view(grown)))
        return super().call(node)

    def argument(self, node: gast.expr) -> gast.expr:
        """An argument of a builtin."""
        part = super().argument(node)
        grown = self.grown(part)
        return part if grown is None else self.view(grown)

    def expanded(self, structure: Structure) -> gast.expr:
        """A tuple of atoms, or an array."""
        grown = self.grown(structure)
        return super().expanded(structure) if grown is None else self.view(grown)
