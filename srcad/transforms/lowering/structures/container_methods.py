"""Member methods of tuples, lists, dictionaries and objects whose form is known.

layers.append((w, b))       for k, v in p.items(): ...       p.get("scale", 1.0)       model.loss(x)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

import gast

from srcad.refusals.structures import EXTENDED_BY_ARRAY, NO_SUCH_KEY, STRUCTURE_METHOD, UPDATE_FROM_UNKNOWN
from srcad.transforms.ir.build import assign, const, load, place_of
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.structures.abstract_state import Callee, Cell, Structure
from srcad.transforms.lowering.structures.constructors import Construction

Parts = list[gast.expr]


class Methods(Construction):
    """The methods of structures; each `do_` method gets the receiver and the evaluated arguments."""

    def sequence(self, kind: type, parts: Parts) -> Structure:
        """A new list or tuple."""
        return self.memory.new(kind, dict(enumerate(parts)))

    def update(self, held: dict[Any, gast.expr], other: gast.expr) -> None:
        """Add the entries of a dictionary, or pairs of key and value."""
        if not isinstance(other, Structure):
            self.refuse(UPDATE_FROM_UNKNOWN)
        if other.cell.is_mapping:
            held |= self.contents(other)
            return
        for pair in self.parts(other):
            key, value = self.parts(pair) if isinstance(pair, Structure) else (pair, pair)
            held[self.key(key)] = value

    def callee(self, node: gast.expr) -> gast.expr:
        """The path of a function, or an object that is called."""
        if isinstance(node, gast.Name) and self.memory.names.get(node.id) is None:
            return node
        part = self.part(node)
        return part.path if isinstance(part, Callee) else part

    def method(self, receiver: Structure, name: str, node: gast.Call) -> gast.expr:
        """A method of a structure."""
        cell, after = receiver.cell, notes_of(node.func).after_class
        if after is None and not cell.is_container and name in self.contents(receiver):
            node.func = self.callee(self.contents(receiver)[name])
            return self.call(node)
        found = inspect.getattr_static(cell.type, name, None) if after is None else behind(cell.type, after, name)
        if found is object.__init__:
            return const(None)
        if hasattr(type(found), "__srcad_custom__"):
            return self.called(found, [receiver, *node.args], node.keywords)
        found = getattr(found, "__wrapped_primal__", found)
        if isinstance(found, staticmethod):
            return self.called(found.__func__, node.args, node.keywords)
        if isinstance(found, FunctionType) and not (name.startswith("_") and hasattr(cell.type, "_fields")):
            return self.called(found, [receiver, *node.args], node.keywords)
        act = getattr(self, f"do_{name.strip('_')}", None)
        if act is None or name not in self.methods_of(cell):
            raise STRUCTURE_METHOD.at(place_of(node) or self.place, name=name, what=cell.called)
        arguments = [self.part(each) for each in node.args]
        made: gast.expr = act(receiver, *arguments, **{each.arg: self.part(each.value) for each in node.keywords})
        return made

    def methods_of(self, cell: Cell) -> tuple[str, ...]:
        """The names of the methods of a builtin container."""
        owner = list if cell.type is list else dict if cell.is_mapping else tuple if cell.is_sequence else None
        return _METHODS.get(owner, ())

    def do_append(self, base: Structure, value: gast.expr) -> gast.expr:
        """Append an element."""
        contents = self.changeable(base)
        contents[len(contents)] = self.kept(value)
        return const(None)

    def do_extend(self, base: Structure, other: gast.expr) -> gast.expr:
        """Append several elements."""
        if not isinstance(other, Structure):
            self.refuse(EXTENDED_BY_ARRAY)
        for each in self.parts(other):
            self.do_append(base, each)
        return const(None)

    def do_insert(self, base: Structure, position: gast.expr, value: gast.expr) -> gast.expr:
        """Insert an element."""
        return self.relisted(base, lambda parts: parts.insert(self.key(position), self.kept(value)))

    def do_pop(self, base: Structure, *where: gast.expr) -> gast.expr:
        """Remove the last element, one at a constant position, or the value of a key, and return it."""
        if base.cell.is_mapping:
            contents, key = self.changeable(base), self.key(where[0])
            return contents.pop(key, *where[1:]) if key in contents or len(where) > 1 else self.refuse_key(key)
        position = self.key(where[0]) if where else -1
        value = self.chosen(self.parts(base), const(position))
        self.relisted(base, lambda parts: parts.pop(position))
        return value

    def refuse_key(self, key: Any) -> gast.expr:
        """Raise for a key that is not there."""
        self.refuse(NO_SUCH_KEY, key=key, known="check the spelling")

    def do_reverse(self, base: Structure) -> gast.expr:
        """Reverse the list."""
        return self.relisted(base, lambda parts: parts.reverse())

    def do_clear(self, base: Structure) -> gast.expr:
        """Remove all elements."""
        self.changeable(base).clear()
        return const(None)

    def relisted(self, base: Structure, change: Callable[[Parts], Any]) -> gast.expr:
        """Change a list and renumber its elements."""
        contents = self.changeable(base)
        parts = list(contents.values())
        change(parts)
        contents.clear()
        contents.update(enumerate(parts))
        return const(None)

    def do_index(self, base: Structure, value: gast.expr, *bounds: gast.expr) -> gast.expr:
        """The position of the first element that equals a constant."""
        parts, key = self.constants_of(base), self.key(value)
        try:
            return const(parts.index(key, *map(self.key, bounds)))
        except ValueError:
            self.refuse(NO_SUCH_KEY, key=key, known=f"the elements are {', '.join(map(repr, parts))}")

    def do_count(self, base: Structure, value: gast.expr) -> gast.expr:
        """How many elements equal a constant."""
        return const(self.constants_of(base).count(self.key(value)))

    def do_remove(self, base: Structure, value: gast.expr) -> gast.expr:
        """Remove the first element that equals a constant."""
        place = self.constant(self.do_index(base, value))
        return self.relisted(base, lambda parts: parts.pop(place))

    def constants_of(self, base: Structure) -> list[Any]:
        """The elements of a sequence, all of which are constants."""
        return [self.key(each) for each in self.parts(base)]

    def do_copy(self, base: Structure) -> gast.expr:
        """A copy of the list or dictionary."""
        made = Structure(base.cell.alike())
        self.memory.cells[made.cell] = dict(self.contents(base))
        return made

    def do_keys(self, base: Structure) -> gast.expr:
        """The keys of a dictionary."""
        return self.view_of(base, "keys")

    def do_values(self, base: Structure) -> gast.expr:
        """The values of a dictionary."""
        values = self.view_of(base, "values")
        self.memory.behind[values.cell] = [base.cell]
        return values

    def do_items(self, base: Structure) -> gast.expr:
        """Pairs of key and value."""
        items = self.view_of(base, "items")
        self.memory.behind[items.cell] = [base.cell]
        return items

    def view_of(self, base: Structure, by: str) -> Structure:
        """A view of a dictionary, which shows its later changes."""
        view = self.sequence(tuple, self.shown(base, by))
        self.memory.views[view.cell] = base, by
        return view

    def shown(self, base: Structure, by: str) -> Parts:
        """What a view of a dictionary shows by now."""
        if by == "keys":
            return self.parts(base)
        contents = self.contents(base)
        if by == "values":
            return list(contents.values())
        return [self.sequence(tuple, [const(key), value]) for key, value in contents.items()]

    def do_get(self, base: Structure, key: gast.expr, otherwise: gast.expr | None = None) -> gast.expr:
        """The value of a key, or another value."""
        contents, other = self.contents(base), const(None) if otherwise is None else self.kept(otherwise)
        if not self.is_choice(contents, key):
            return contents.get(self.key(key), other)
        result = self.names.temporary()
        rest = assign(result, other, self.place)
        self.each_key(contents, key, lambda each: assign(result, contents[each], self.place), rest)
        return self.value(load(result))

    def do_setdefault(self, base: Structure, key: gast.expr, otherwise: gast.expr) -> gast.expr:
        """The value of a key, which is set if it is not there."""
        return self.changeable(base).setdefault(self.key(key), self.kept(otherwise))

    def do_update(self, base: Structure, *others: gast.expr, **values: gast.expr) -> gast.expr:
        """Add entries."""
        contents = self.changeable(base)
        for other in others:
            self.update(contents, other)
        contents |= {key: self.kept(value) for key, value in values.items()}
        return const(None)

    def do_asdict(self, base: Structure) -> gast.expr:
        """A named tuple as a dictionary."""
        fields = getattr(base.cell.type, "_fields", ())
        return self.memory.new(dict, dict(zip(fields, self.parts(base), strict=True)))

    def do_replace(self, base: Structure, **values: gast.expr) -> gast.expr:
        """A named tuple with other values."""
        fields = getattr(base.cell.type, "_fields", ())
        parts = {fields.index(name): self.kept(value) for name, value in values.items()}
        return self.memory.new(base.cell.type, self.contents(base) | parts)


_METHODS: dict[type | None, tuple[str, ...]] = {
    list: ("append", "extend", "insert", "pop", "reverse", "clear", "copy", "index", "count", "remove"),
    tuple: ("_asdict", "_replace", "index", "count"),
    dict: ("keys", "values", "items", "get", "pop", "setdefault", "update", "copy", "clear"),
}


def behind(kind: type, after: type, name: str) -> Any:
    """The attribute that `super()` in a method of the class `after` finds for an object of a class.

    >>> class A:
    ...     def f(self): return 1
    >>> class B(A):
    ...     def f(self): return 2
    >>> behind(B, B, "f") is vars(A)["f"]
    True
    """
    classes = kind.__mro__[kind.__mro__.index(after) + 1 :]
    return next((vars(each)[name] for each in classes if name in vars(each)), None)
