"""Sets, and the classes of `collections`: their making and their methods, where elements or keys are known.

seen = {0, 3}       queue = deque([a, b], maxlen=2)     groups = defaultdict(list)      Counter(words).most_common(1)

A deque is a list that may have a limit; a `defaultdict`, `Counter` or `OrderedDict` is a dictionary. The elements of a
set are constants, and they are visited in the order in which Python visits them, where that is certain (`set_order`).
"""

from __future__ import annotations

from abc import ABC
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import gast

from srcad.refusals.structures import OBJECTS_EQUAL, SET_ELEMENT
from srcad.transforms.ir.build import const, load
from srcad.transforms.ir.canonical_names import literal
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.structures.abstract_state import Callee, Cell, Structure
from srcad.transforms.lowering.structures.container_methods import Methods, Parts
from srcad.transforms.lowering.structures.structure_expressions import NeedsConstant

_OF_SETS: dict[type[gast.operator], Callable[[Any, Any], Any]] = {
    gast.BitOr: lambda one, other: one | other,
    gast.BitAnd: lambda one, other: one & other,
    gast.Sub: lambda one, other: one - other,
    gast.BitXor: lambda one, other: one ^ other,
}
_SET_RESULTS = {"union": gast.BitOr, "intersection": gast.BitAnd, "difference": gast.Sub}
_SET_TESTS: dict[Any, Callable[[Any, Any], bool]] = {
    "issubset": lambda one, other: one <= other,
    "issuperset": lambda one, other: one >= other,
    "isdisjoint": lambda one, other: one.isdisjoint(other),
    gast.LtE: lambda one, other: one <= other,
    gast.Lt: lambda one, other: one < other,
    gast.GtE: lambda one, other: one >= other,
    gast.Gt: lambda one, other: one > other,
    gast.Eq: lambda one, other: one == other,
    gast.NotEq: lambda one, other: one != other,
}


class PatternSequence(ABC):  # noqa: B024 - classes are registered as this one's
    """What the pattern of a sequence matches in a `match` statement; texts and arrays are not."""


for _kind in (list, tuple, deque, range):
    PatternSequence.register(_kind)


class Collections(Methods):
    """Containers other than plain tuples, lists and dictionaries."""

    def elements(self, node: gast.expr) -> Parts | None:
        """The elements that a loop over a structure visits; None for an array."""
        raise NotImplementedError

    # Sets

    def set_of(self, kind: type, elements: Parts) -> Structure:
        """A set of constants."""
        return self.as_set(kind, [self.element_of_set(each) for each in elements])

    def element_of_set(self, node: gast.expr) -> Any:
        """The constant that is, or might be, an element of a set; an enclosing loop may be unrolled to make it one."""
        known = self.constant(self.part(node))
        if known is UNKNOWN:
            if self.memory.loops:
                raise NeedsConstant
            self.refuse(SET_ELEMENT)
        return known

    def keys_of(self, node: gast.expr) -> Any:
        """The elements of a set, or of what is made one, as a set of constants."""
        return {self.element_of_set(each) for each in self.known_elements(self.in_any_order(node))}

    def in_any_order(self, part: gast.expr) -> gast.expr:
        """The elements of a set, for what does not depend on their order; other parts as they are."""
        return self.sequence(tuple, self.parts(part, in_order=False)) if _is_set(part) else part

    def known_elements(self, node: gast.expr) -> Parts:
        """The elements of a structure, or the letters of a text."""
        text = self.constant(node)
        parts = [const(each) for each in text] if isinstance(text, str) else self.elements(node)
        if parts is None:
            self.refuse(SET_ELEMENT)
        return parts

    def as_set(self, kind: type, keys: Any) -> Structure:
        """A set with these elements."""
        return self.memory.new(kind, {key: literal(key) or const(key) for key in keys})

    def keys_as_set(self, part: gast.expr) -> gast.expr:
        """The keys of a dictionary as a set, which they are for operators; other parts as they are."""
        base, by = self.memory.views.get(part.cell, (None, "")) if isinstance(part, Structure) else (None, "")
        return part if base is None or by != "keys" else self.as_set(set, self.contents(base))

    def binary(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr:
        """`left op right`."""
        left, right = self.keys_as_set(left), self.keys_as_set(right)
        if _is_set(left) and _is_set(right) and type(op) in _OF_SETS:
            return self.as_set(left.cell.type, _OF_SETS[type(op)](self.keys_of(left), self.keys_of(right)))
        return super().binary(left, op, right)

    def compared(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """A comparison."""
        if type(op) in _SET_TESTS:
            left, right = self.keys_as_set(left), self.keys_as_set(right)
            if any(isinstance(each, Structure) and each.cell in self.memory.views for each in (left, right)):
                self.refuse(OBJECTS_EQUAL)
        if _is_set(left) and _is_set(right) and type(op) in _SET_TESTS:
            return const(_SET_TESTS[type(op)](self.keys_of(left), self.keys_of(right)))
        return super().compared(left, op, right)

    def taken_over(self, base: Structure, made: Structure, op: type[gast.operator]) -> Structure:
        """A list or set with the contents of what `op` has made of it: all its names see them."""
        held, contents = dict(self.contents(made)), self.changeable(base)
        contents.clear()
        contents.update(held)
        if op in (gast.Sub, gast.BitXor):
            self.memory.thinned.add(base.cell)
        return base

    def methods_of(self, cell: Cell) -> tuple[str, ...]:
        """The names of the methods of a builtin container."""
        if cell.is_set:
            return (*_SET_RESULTS, *_SET_METHODS)
        return (*super().methods_of(cell), *_MORE.get(cell.kind, ()))

    def method(self, receiver: Structure, name: str, node: gast.Call) -> gast.expr:
        """A method of a structure."""
        if receiver.cell.is_set and name in _SET_RESULTS:
            keys = self.keys_of(receiver)
            for each in node.args:
                keys = _OF_SETS[_SET_RESULTS[name]](keys, self.keys_of(self.part(each)))
            return self.as_set(receiver.cell.type, keys)
        if receiver.cell.is_set and name in _SET_TESTS and len(node.args) == 1:
            return const(_SET_TESTS[name](self.keys_of(receiver), self.keys_of(self.part(node.args[0]))))
        return super().method(receiver, name, node)

    def do_add(self, base: Structure, value: gast.expr) -> gast.expr:
        """Add an element to a set."""
        key = self.element_of_set(value)
        self.changeable(base).setdefault(key, literal(key) or const(key))
        return const(None)

    def do_discard(self, base: Structure, value: gast.expr) -> gast.expr:
        """Remove an element of a set, if it is there."""
        self.memory.thinned.add(base.cell)
        self.changeable(base).pop(self.element_of_set(value), None)
        return const(None)

    def do_remove(self, base: Structure, value: gast.expr) -> gast.expr:
        """Remove an element of a set, or the first element of a list that is equal to a constant."""
        key = self.element_of_set(value)
        if base.cell.is_set:
            if key not in self.contents(base):
                self.refuse_key(key)
            return self.do_discard(base, value)
        known = [self.element_of_set(each) for each in self.parts(base)]
        return self.relisted(base, lambda parts: parts.pop(known.index(key))) if key in known else self.refuse_key(key)

    def do_update(self, base: Structure, *others: gast.expr, **values: gast.expr) -> gast.expr:
        """Add entries or elements; a Counter adds counts."""
        if base.cell.is_set:
            for part in [part for each in others for part in self.known_elements(self.in_any_order(each))]:
                self.do_add(base, part)
            return const(None)
        if base.cell.kind is not Counter:
            return super().do_update(base, *others, **values)
        for each in [*others, self.memory.new(dict, values)]:
            if isinstance(each, Structure) and each.cell.is_mapping:
                counts = dict(self.contents(each))
            else:
                found = Counter(map(self.key, self.known_elements(each)))
                counts = {key: const(count) for key, count in found.items()}
            for key, count in counts.items():
                old = self.contents(base).get(key, const(0))
                self.put(base, key, self.part(gast.BinOp(left=old, op=gast.Add(), right=count)))
        return const(None)

    # collections.deque

    def deque_of(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`collections.deque`."""
        limit = self.key((*arguments[1:], *keywords.values(), const(None))[0])
        parts = self.elements(arguments[0]) if arguments else []
        if parts is None:
            return None
        made = Structure(Cell(list, role=deque, limit=limit))
        kept = [self.kept(each) for each in parts]
        self.memory.cells[made.cell] = dict(enumerate(kept[-limit:] if limit else kept if limit is None else []))
        return made

    def do_append(self, base: Structure, value: gast.expr) -> gast.expr:
        """Append an element; a deque at its limit loses the first one."""
        super().do_append(base, value)
        return self.within_limit(base, 0)

    def do_appendleft(self, base: Structure, value: gast.expr) -> gast.expr:
        """Insert an element at the start; a deque at its limit loses the last one."""
        self.do_insert(base, const(0), value)
        return self.within_limit(base, -1)

    def within_limit(self, base: Structure, end: int) -> gast.expr:
        """Remove an element at one end if there are too many."""
        if base.cell.limit is not None and len(self.contents(base)) > base.cell.limit:
            self.relisted(base, lambda parts: parts.pop(end))
        return const(None)

    def do_extendleft(self, base: Structure, other: gast.expr) -> gast.expr:
        """Insert several elements at the start, one by one."""
        for each in self.known_elements(other):
            self.do_appendleft(base, each)
        return const(None)

    def do_popleft(self, base: Structure) -> gast.expr:
        """Remove the first element and return it."""
        return self.do_pop(base, const(0))

    def do_rotate(self, base: Structure, *steps: gast.expr) -> gast.expr:
        """Move the elements to the right."""
        count = self.key(steps[0]) if steps else 1

        def turn(parts: Parts) -> None:
            place = -count % len(parts) if parts else 0
            parts[:] = parts[place:] + parts[:place]

        return self.relisted(base, turn)

    # Dictionaries

    def dictionary_with(self, role: type, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`defaultdict`, `Counter` and `OrderedDict`."""
        missing: gast.expr | None = None
        if role is defaultdict and arguments:
            first, *arguments = arguments
            missing = first if self.constant(first) is not None else None
        elif role is Counter:
            missing = load("int")
        made = Structure(Cell(dict, role=role, missing=missing.path if isinstance(missing, Callee) else missing))
        self.memory.cells[made.cell] = {}
        if role is Counter or arguments or keywords:
            self.do_update(made, *arguments, **keywords)
        return made

    def slot(self, base: Structure, name: str) -> gast.expr:
        """An attribute of a structure."""
        if base.cell.role is deque and name == "maxlen":
            return const(base.cell.limit)
        if (name == "get" and base.cell.is_mapping) or (name == "__getitem__" and not base.cell.is_set):
            return self.bound_access(name, base)
        return super().slot(base, name)

    def bound_access(self, name: str, base: gast.expr) -> gast.expr:
        """`values.get` or `values.__getitem__` as a value."""
        raise NotImplementedError

    def do_most_common(self, base: Structure, *count: gast.expr) -> gast.expr:
        """The keys of a Counter with their counts, the most frequent first."""
        known = {key: self.key(each) for key, each in self.contents(base).items()}
        rows = Counter(known).most_common(*map(self.key, count))
        pairs = [self.sequence(tuple, [literal(key) or const(key), const(times)]) for key, times in rows]
        return self.sequence(list, list(pairs))

    def do_elements(self, base: Structure) -> gast.expr:
        """The keys of a Counter, each as often as it was counted."""
        known = {key: self.key(each) for key, each in self.contents(base).items()}
        return self.sequence(tuple, [literal(key) or const(key) for key in Counter(known).elements()])

    def do_popitem(self, base: Structure, last: gast.expr | None = None) -> gast.expr:
        """Remove the last entry, or the first one of an OrderedDict, and return it."""
        contents = self.changeable(base)
        if not contents:
            self.refuse_key("popitem")
        key = list(contents)[-1 if last is None or self.key(last) else 0]
        return self.sequence(tuple, [literal(key) or const(key), contents.pop(key)])

    def do_move_to_end(self, base: Structure, key: gast.expr, last: gast.expr | None = None) -> gast.expr:
        """Move an entry of an OrderedDict to an end."""
        contents, known = self.changeable(base), self.key(key)
        if known not in contents:
            self.refuse_key(known)
        moved = {known: contents.pop(known)}
        entries = {**contents, **moved} if last is None or self.key(last) else {**moved, **contents}
        contents.clear()
        contents.update(entries)
        return const(None)


def _is_set(part: Any) -> bool:
    return isinstance(part, Structure) and part.cell.is_set


_SET_METHODS = ("add", "discard", "remove", "update", "clear", "copy", "issubset", "issuperset", "isdisjoint")
_MORE: dict[Any, tuple[str, ...]] = {
    deque: ("appendleft", "extendleft", "popleft", "rotate"),
    Counter: ("most_common", "elements"),
    OrderedDict: ("popitem", "move_to_end"),
    dict: ("popitem",),
    defaultdict: ("popitem",),
}
