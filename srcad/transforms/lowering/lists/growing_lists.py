"""Growing lists: lists whose length is known only at run time, such as those that a loop appends to.

    values = []                         list = kernels.new_list(16)
                                        count = 0
    while c:                            while c:
        values.append(f(i))     ->          list = kernels.appended(list, count, f(i))
                                            count = count + 1

They can be indexed, looped over, popped, and passed to NumPy, also while they grow. For lists of tuples there is one
such list per element of the tuple. `list_arrays` turns them into arrays once types are known.
"""

from __future__ import annotations

import gast

from srcad.refusals.long_lists import LONG_LIST_SLICE, MIXED_LIST, TUPLES_AS_ARRAY
from srcad.transforms.ir.build import Block, assign, at, call, clone, const, load, walk, walk_statements
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.cost_model import FIRST_LIST_ROOM
from srcad.transforms.lowering.lists.comprehensions import Comprehensions
from srcad.transforms.lowering.structures.abstract_state import PLAIN, Callee, Cell, Grown, Packed, Structure

_GROWING = frozenset({"append", "extend", "insert", "pop", "clear"})


class Growing(Comprehensions):
    """Structures whose number of elements is known only at run time."""

    def grown(self, base: gast.expr) -> Grown | None:
        """The run-time representation of a growing list, or None."""
        held = self.memory.cells.get(base.cell) if isinstance(base, Structure) else None
        return held if isinstance(held, Grown) else None

    # Conversion to growing lists

    def new_grown(self, loop: gast.stmt | None) -> Grown:
        """The variables for a growing list."""
        grown = Grown(self.names.fresh("list"), self.names.fresh("count"), loop)
        self.memory.names[grown.count] = PLAIN
        return grown

    def begin_growth(self, loop: gast.stmt, inner: bool = False) -> dict[Grown, list[gast.expr]]:
        """The lists whose length the loop changes, with the elements that they have before it.

        With `inner`, only those that a `while` inside the loop changes.
        """
        found: dict[Grown, list[gast.expr]] = {}
        blocks = [each for each in walk(loop) if isinstance(each, gast.While)] if inner else [loop]
        rebound = _rebound(loop)
        for node in (node for block in blocks for node in walk(block)):
            match node:
                case gast.Call(func=gast.Attribute(value=gast.Name(id=name), attr=method)) if method in _GROWING:
                    pass
                case gast.Call(func=gast.Attribute(attr="iadd"), args=[gast.Name(id=name), _]):
                    pass
                case _:
                    continue
            cell = self.plain_list(self.memory.names.get(name))
            if cell is not None and name not in rebound:
                self.grow(cell, loop, found)
        return found

    def grow(self, cell: Cell, loop: gast.stmt | None, found: dict[Grown, list[gast.expr]]) -> Grown:
        """From here on, treat a list as one of unknown length."""
        elements = list(self.changeable(Structure(cell)).values())
        known = self.memory.lists.get(cell)
        grown = self.new_grown(loop) if known is None else Grown(known.array, known.count, loop)
        self.memory.lists[cell] = self.memory.cells[cell] = grown
        if elements:
            self.shape_of(grown, elements[0])
        found[grown] = elements
        return grown

    def grow_all(self, cells: list[Cell], loop: gast.stmt, found: dict[Grown, list[gast.expr]]) -> bool:
        """Treat those of these lists that allow it as lists of unknown length; returns whether there are any."""
        lists = [cell for cell in cells if self.plain_list(Structure(cell)) is not None]
        for cell in lists:
            self.grow(cell, loop, found)
        return bool(lists)

    def grow_now(self, base: Structure) -> Grown | None:
        """The list, treated as one of unknown length from here on; None where that is impossible."""
        if self.grown(base) is None and self.plain_list(base) is not None:
            found: dict[Grown, list[gast.expr]] = {}
            self.grow(base.cell, None, found)
            for grown, elements in found.items():
                self.fill(grown, elements, const(max(FIRST_LIST_ROOM, len(elements))))
        return self.grown(base)

    def plain_list(self, held: object) -> Cell | None:
        """The list, if its elements could be elements of arrays; else None."""
        if not isinstance(held, Structure) or held.cell.type is not list or held.cell in self.memory.frozen:
            return None
        if held.cell.limit is not None:
            return None
        contents = self.memory.cells.get(held.cell)
        if not isinstance(contents, dict) or len({self.width(each) for each in contents.values()} | {-2}) > 2:
            return None
        return None if any(self.width(each) == -1 for each in contents.values()) else held.cell

    def width(self, value: gast.expr) -> int:
        """The number of values in an element that is a tuple; -2 for a single value, -1 for anything else."""
        if isinstance(value, Structure) and issubclass(value.cell.type, tuple):
            held = self.memory.cells[value.cell]
            plain = isinstance(held, dict) and not any(isinstance(v, (Structure, Callee)) for v in held.values())
            return len(held) if plain else -1
        is_text = isinstance(value, gast.Constant) and isinstance(value.value, (str, bytes, type(None)))
        return -1 if is_text or isinstance(value, (Structure, Callee)) else -2

    def finish_growth(self, loop: gast.stmt, body: Block, found: dict[Grown, list[gast.expr]]) -> Block:
        """The statements that make the lists before the loop, with enough room where the need is known."""
        outer, self.made = self.made, []
        turns = self.turns_of(loop) if isinstance(loop, gast.For) else None
        for grown, elements in found.items():
            often = self.memory.growth.get(grown, 0)
            if turns is None or often < 0:
                self.fill(grown, elements, const(max(FIRST_LIST_ROOM, len(elements))))
                _make_room(body, self.parts_of(grown))
                continue
            times = gast.BinOp(left=clone(turns), op=gast.Mult(), right=const(often))
            size = gast.BinOp(left=self.held_in_atom(times), op=gast.Add(), right=const(len(elements)))
            self.fill(grown, elements, self.held_in_atom(size))
        made, self.made = self.made, outer
        return made

    def turns_of(self, loop: gast.For) -> gast.expr:
        """The trip count of a loop."""
        bounds = [clone(each) for each in loop.iter.args]
        bounds = [const(0), *bounds] if len(bounds) == 1 else bounds
        return self.held_in_atom(call("kernels.trip_count", *bounds, *([const(1)] if len(bounds) == 2 else [])))

    def fill(self, grown: Grown, elements: list[gast.expr], room: gast.expr) -> None:
        """Emit the statements that make the list."""
        if elements:
            self.shape_of(grown, elements[0])
        self.memory.forms.setdefault(grown, [])
        for name in self.parts_of(grown):
            self.memory.names[name] = PLAIN
            self.emit(assign(name, call("kernels.new_list", clone(room)), self.place))
        for position, value in enumerate(elements):
            self.set("appended", grown, const(position), value)
        self.emit(assign(grown.count, const(len(elements)), self.place))

    # Elements of growing lists

    def shape_of(self, grown: Grown, value: gast.expr) -> None:
        """Record the form of the elements, which is that of the first one."""
        forms = self.memory.forms
        width = self.width(value)
        if grown not in forms and width >= 0:
            forms[grown] = [self.names.fresh(f"{grown.array}_{k}") for k in range(width)]
        known = len(forms[grown]) if forms.setdefault(grown, []) else -2
        kind = value.cell.type if width >= 0 else tuple
        if width != known or width == 0 or self.memory.rows.setdefault(grown, kind) is not kind:
            self.refuse(MIXED_LIST)

    def parts_of(self, grown: Grown) -> list[str]:
        """The variables for it: one, or one for each element of its tuples."""
        return self.memory.forms.get(grown) or [grown.array]

    def set(self, how: str, grown: Grown, position: gast.expr, value: gast.expr) -> None:
        """Store one element."""
        self.shape_of(grown, value)
        parts = [value] if self.width(value) == -2 else self.parts(value)
        for name, part in zip(self.parts_of(grown), parts, strict=True):
            self.memory.names[name] = PLAIN
            made = call(f"kernels.{how}", load(name), clone(position), self.held_in_atom(part))
            self.emit(assign(name, made, self.place))

    def get(self, grown: Grown, position: gast.expr) -> gast.expr:
        """Read one element."""
        names = self.parts_of(grown)
        values = [self.held_in_atom(call("kernels.element", load(name), clone(position))) for name in names]
        if not self.memory.forms.get(grown):
            return values[0]
        made: Structure = self.memory.new(self.memory.rows.get(grown, tuple), dict(enumerate(values)))
        return made

    def position(self, grown: Grown | Packed, node: gast.expr) -> gast.expr:
        """The position of an element; an index out of range raises IndexError, as in Python."""
        if isinstance(node, gast.Slice):
            self.refuse(LONG_LIST_SLICE)
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
        self.insist(gast.BoolOp(op=gast.And(), values=inside), "list index out of range")
        return place

    def unpacked(self, base: Structure, length: int) -> list[gast.expr]:
        """The elements, whose number must be `length`."""
        grown = self.grown(base)
        if grown is None:
            return self.parts(base)
        is_right = gast.Compare(left=load(grown.count), ops=[gast.Eq()], comparators=[const(length)])
        self.insist(is_right, f"too many or not enough values to unpack (expected {length})", "ValueError")
        return [self.get(grown, const(k)) for k in range(length)]

    def columns(self, grown: Grown) -> list[Structure]:
        """For each element of the tuples in a list, a list of its values."""
        self.insist(self.is_not_empty(grown), "not enough values to unpack", "ValueError")
        return [self.list_of(call("kernels.elements", load(name), load(grown.count))) for name in self.parts_of(grown)]

    def list_of(self, array: gast.expr) -> Structure:
        """A new list of the elements of an array."""
        made = self.new_grown(None)
        name = self.as_name(self.held_in_atom(array))
        self.memory.forms.setdefault(made, [])
        self.memory.names[made.array] = PLAIN
        self.emit(assign(made.array, call("kernels.listed", load(name.id)), self.place))
        self.let(made.count, call("len", load(name.id)))
        structure: Structure = self.memory.new(list, {})
        self.memory.cells[structure.cell] = made
        return structure

    def insist(self, test: gast.expr, message: str, kind: str = "IndexError") -> None:
        """Raise an error unless the test holds."""
        error = gast.Raise(exc=gast.Call(func=load(kind), args=[const(message)], keywords=[]), cause=None)
        at(error, self.place)
        check = gast.If(test=gast.UnaryOp(op=gast.Not(), operand=test), body=[error], orelse=[])
        at(check, self.place)
        self.statement(check)

    def do_insert(self, base: Structure, position: gast.expr, value: gast.expr) -> gast.expr:
        """Insert an element at a position, which is clipped to the list."""
        grown = self.grown(base)
        if grown is None:
            return super().do_insert(base, position, value)
        value = value if isinstance(value, Structure) else self.held_in_atom(value)
        before = self.kept(load(grown.count))
        where: gast.expr = self.held_in_atom(position)
        if self.constant(where) != 0:
            negative = gast.Compare(left=clone(where), ops=[gast.Lt()], comparators=[const(0)])
            wrapped = gast.BinOp(left=clone(where), op=gast.Add(), right=clone(before))
            wish = self.names.temporary()
            self.decide(wish, gast.IfExp(test=negative, body=wrapped, orelse=where))
            where = self.held_in_atom(call("max", self.held_in_atom(call("min", load(wish), clone(before))), const(0)))
        self.do_append(base, value)
        for name in self.parts_of(grown):
            self.emit(assign(name, call("kernels.shifted", load(name), clone(before), clone(where)), self.place))
        self.set("replaced", grown, where, value)
        return const(None)

    def view(self, grown: Grown) -> gast.Name:
        """The elements as a separate array."""
        if self.memory.forms.get(grown):
            self.refuse(TUPLES_AS_ARRAY)
        return self.as_name(self.held_in_atom(call("kernels.elements", load(grown.array), load(grown.count))))

    def is_not_empty(self, grown: Grown) -> gast.expr:
        """Whether the list has an element."""
        return gast.Compare(left=load(grown.count), ops=[gast.Gt()], comparators=[const(0)])


def _make_room(body: Block, names: list[str]) -> None:
    """Turn stores without a capacity check into appends with one."""
    for statement in walk_statements(body):
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=gast.Attribute(attr="filled"))) if (
                name in names
            ):
                statement.value.func.attr = "appended"


def _rebound(loop: gast.stmt) -> set[str]:
    """The names to which a loop assigns other lists."""
    found = set()
    for node in walk(loop):
        match node:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(args=[gast.Name(id=same), _])) if (
                name == same
            ):
                pass
            case gast.Assign(targets=[gast.Name(id=name)]):
                found.add(name)
    return found
