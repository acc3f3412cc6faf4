"""Structure parts: read and write elements, entries and attributes of structures."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

import gast

from srcad.refusals.structures import (
    ELEMENT_WRITE,
    FROZEN,
    FROZEN_ATTRIBUTE,
    IMMUTABLE,
    INDEX_OUT_OF_RANGE,
    NO_ATTRIBUTE,
    NO_SUCH_KEY,
    NOT_INDEXABLE,
    PROPERTY_WRITE,
    RUNTIME_INDEX,
    RUNTIME_KEY,
    SLICE_LENGTH,
    SLICE_WRITE,
)
from srcad.transforms.ir.build import assign, at, call, clone, const, dotted_path, load, subscript, walk
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.cost_model import MOST_INDEXED_PARTS
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.structures.abstract_state import Callee, Lost, Structure
from srcad.transforms.lowering.structures.array_methods import KEPT, PROPERTIES
from srcad.transforms.lowering.structures.chosen_functions import ChosenFunctions
from srcad.transforms.lowering.structures.iterator_objects import Iterator
from srcad.transforms.lowering.structures.structure_expressions import NeedsConstant


class Slots(ChosenFunctions):
    """Finds the part that an index, a key or an attribute refers to."""

    # Attributes

    def slot(self, base: Structure, name: str) -> gast.expr:
        """An attribute: of the object, else of its class."""
        contents, kind = self.contents(base), base.cell.type
        if base.cell.is_sequence and name in getattr(kind, "_fields", ()):
            return contents[kind._fields.index(name)]  # type: ignore[attr-defined]
        if not base.cell.is_container and name in contents:
            return self.not_lost(name, contents[name])
        found = inspect.getattr_static(kind, name, None)
        if isinstance(found, property) and isinstance(found.fget, FunctionType):
            return self.called(found.fget, [base])
        if isinstance(found, functools.cached_property) and isinstance(found.func, FunctionType):
            return self.computed_once(base, found)
        if isinstance(found, FunctionType):
            return self.bound_method(base, found)
        if found is None or kind in (list, tuple, dict) or inspect.isdatadescriptor(found) or callable(found):
            array = base.cell.is_sequence and name in {*KEPT, *PROPERTIES}
            hint = "make an array of it: np.asarray" if array else "set it before it is read"
            self.refuse(NO_ATTRIBUTE, what=base.cell.called, name=name, way=hint)
        assert self.outside is not None
        return self.part(self.outside.attribute(kind, name, self.place))

    def not_lost(self, name: str, value: Any) -> gast.expr:
        """An attribute's value. Refuses one that is not the same kind of thing on all paths."""
        if isinstance(value, Lost):
            if self.memory.loops:
                raise NeedsConstant
            self.refuse_lost(name, value)
        return value

    def computed_once(self, base: Structure, found: functools.cached_property[Any]) -> gast.expr:
        """The value of a `cached_property`, which becomes an attribute of an object that may be changed."""
        value = self.kept(self.part(self.called(found.func, [base])))
        if base.cell not in self.memory.frozen and found.attrname:
            self.contents(base)[found.attrname] = value
        return value

    def bound_method(self, base: Structure, function: FunctionType) -> Structure:
        """A bound method as a value: `functools.partial` of its function with the object as first argument."""
        assert self.outside is not None
        parts = {
            "func": self.part(load(self.outside.bind(function.__name__, function))),
            "args": self.memory.new(tuple, {0: base}),
            "keywords": self.memory.new(dict, {}),
        }
        return self.memory.new(functools.partial, parts)

    def called(self, function: Any, arguments: Sequence[gast.expr], keywords: Sequence[gast.keyword] = ()) -> gast.expr:
        """The value of a call of a user's function."""
        assert self.outside is not None
        name = load(self.outside.bind(getattr(function, "__name__", "method"), function))
        node = gast.Call(func=name, args=list(arguments), keywords=list(keywords))
        at(node, self.place)
        return self.call(node)

    # Elements

    def item(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """The part that an index refers to."""
        if notes_of(node).is_loop_element and base.cell.type is Iterator:
            return self.called(Iterator.next_in_loop, [base])
        if notes_of(node).is_loop_element:
            return self.chosen(self.parts(base), node.slice, is_inside=True)
        if not base.cell.is_sequence:
            return self.entry(base, node)
        parts = list(self.contents(base).values())
        index = node.slice if isinstance(node.slice, gast.Slice) else self.part(node.slice)
        if isinstance(index, Structure) and index.cell.type is slice:
            index = gast.Slice(**self.bounds(index))
        if isinstance(index, gast.Slice):
            bounds = slice(*(self.bound(each) for each in (index.lower, index.upper, index.step)))
            return self.memory.new(list if base.cell.type is list else tuple, dict(enumerate(parts[bounds])))
        return self.chosen(parts, index)

    def bound(self, node: gast.expr | None) -> Any:
        """A bound of a slice."""
        return None if node is None else self.key(node)

    def entry(self, base: Structure, node: gast.Subscript) -> gast.expr:
        """The value of a key; for an object the result of its `__getitem__`."""
        if not base.cell.is_mapping:
            method = inspect.getattr_static(base.cell.type, "__getitem__", None)
            if not isinstance(method, FunctionType):
                self.refuse(NOT_INDEXABLE, what=base.cell.called)
            return self.called(method, [base, _as_value(node.slice)])
        contents, part = self.contents(base), self.part(node.slice)
        if self.is_choice(contents, part) and (base.cell.missing is None or base.cell.role is Counter):
            return self.choice_by_key(contents, part, base.cell.role is Counter)
        key = self.key(part)
        if key not in contents and base.cell.missing is not None:
            return self.made_for_key(base, key)
        if key not in contents:
            known = ", ".join(map(repr, contents))
            self.refuse(NO_SUCH_KEY, key=key, known=f"its keys are {known}" if known else "it is empty")
        return contents[key]

    def made_for_key(self, base: Structure, key: Any) -> gast.expr:
        """The value that a dictionary makes for a key that it does not have; a Counter does not keep it."""
        path = dotted_path(base.cell.missing)
        if path in ("int", "float", "complex", "bool", "str") and path not in self.bindings:
            value: gast.expr = const(getattr(builtins, path)())
        else:
            value = self.kept(self.part(gast.Call(func=clone(base.cell.missing), args=[], keywords=[])))
        if base.cell.role is not Counter:
            self.put(base, key, value)
        return value

    def is_choice(self, contents: dict[Any, gast.expr], key: gast.expr) -> bool:
        """Whether a key is one of several, which is known only at run time: all are integers, or all are texts."""
        if self.constant(key) is not UNKNOWN or self.memory.loops or isinstance(key, (Structure, Callee)):
            return False
        is_few = 0 < len(contents) <= MOST_INDEXED_PARTS
        return is_few and any(all(isinstance(each, kind) for each in contents) for kind in (int, str))

    def choice_by_key(self, contents: dict[Any, gast.expr], key: gast.expr, is_count: bool = False) -> gast.expr:
        """The value of a key that is known only at run time; a Counter has 0 for those that it does not have."""
        result = self.names.temporary()
        error = call("KeyError", const("a key that is not in the dictionary"))
        rest: gast.stmt = gast.Raise(exc=error, cause=None)
        if is_count:
            rest = assign(result, const(0), self.place)
        self.each_key(contents, key, lambda each: assign(result, contents[each], self.place), rest)
        return self.value(load(result))

    def each_key(
        self, keys: Iterable[Any], key: gast.expr, act: Callable[[Any], gast.stmt], otherwise: gast.stmt
    ) -> None:
        """One branch for each key that a key may be."""
        rest = otherwise
        for each in reversed([*keys]):
            test = gast.Compare(left=clone(key), ops=[gast.Eq()], comparators=[const(each)])
            rest = gast.If(test=test, body=[act(each)], orelse=[rest])
        for node in walk(rest):
            if isinstance(node, gast.stmt):
                at(node, self.place)
        self.statement(rest)

    def key(self, node: gast.expr) -> Any:
        """The constant value of a key; an enclosing loop may be unrolled to make it constant."""
        known = self.constant(self.part(node))
        if known is UNKNOWN:
            if self.memory.loops:
                raise NeedsConstant
            self.refuse(RUNTIME_KEY)
        return known

    def chosen(self, parts: list[gast.expr], node: gast.expr, is_inside: bool = False) -> gast.expr:
        """The element at a position; one that is known only at run time is selected by branches.

        `is_inside` tells that the position is one of the elements. Numbers are read from an array where a loop around
        is not to be unrolled, or where there are more than branches may select.
        """
        index = self.part(node)
        known = self.constant(index)
        if known is UNKNOWN:
            is_long = len(parts) > MOST_INDEXED_PARTS or self.memory.tabled
            if is_long and not isinstance(index, Structure) and (table := self.table_of(parts)) is not None:
                return self.from_table(*table, index if is_inside else self.position_in(len(parts), index, check=True))
            if self.memory.loops:
                raise NeedsConstant
            return self.choice(parts, index)
        if not isinstance(known, int) or not -len(parts) <= known < len(parts):
            self.refuse(INDEX_OUT_OF_RANGE, index=known, count=len(parts))
        return parts[known]

    def table_of(self, parts: list[gast.expr]) -> tuple[str, type] | None:
        """An array of the parts and their class, where all are constant floats, or all integers; None for others."""
        values = [self.constant(each) for each in parts]
        kinds = {type(each) for each in values}
        is_one = kinds == {float} or (kinds == {int} and all(-(2**63) <= each < 2**63 for each in values))
        if self.outside is None or not is_one:
            return None
        return self.outside.constants(values), kinds.pop()

    def from_table(self, table: str, kind: type, position: gast.expr) -> gast.expr:
        """A number in an array of constants, as a number of Python."""
        self.memory.steady.add(table)
        element = self.held_in_atom(subscript(load(table), self.held_in_atom(position)))
        return self.held_in_atom(call(kind.__name__, element))

    def position_in(self, count: int, index: gast.expr, check: bool = False) -> gast.Name:
        """A position that may count from the end, as one from the start; with `check`, it must be one of an element."""
        position = self.names.temporary()
        negative = gast.Compare(left=clone(index), ops=[gast.Lt()], comparators=[const(0)])
        wrapped = gast.BinOp(left=clone(index), op=gast.Add(), right=const(count))
        self.decide(position, gast.IfExp(test=negative, body=wrapped, orelse=clone(index)))
        if check:
            inside = [gast.Compare(left=const(0), ops=[gast.LtE()], comparators=[load(position)])]
            inside.append(gast.Compare(left=load(position), ops=[gast.Lt()], comparators=[const(count)]))
            self.insist(gast.BoolOp(op=gast.And(), values=inside), "index out of range")
        return load(position)

    def insist(self, test: gast.expr, message: str, kind: str = "IndexError") -> None:
        """Raise an error unless the test holds."""
        raise NotImplementedError

    def choice(self, parts: list[gast.expr], index: gast.expr) -> gast.expr:
        """The element at a position that is known only at run time."""
        result = self.names.temporary()
        self.each_position(len(parts), index, lambda k: assign(result, parts[k], self.place))
        return self.value(load(result))

    def each_position(self, count: int, index: gast.expr, act: Callable[[int], gast.stmt]) -> None:
        """One branch for each possible position."""
        if not 0 < count <= MOST_INDEXED_PARTS or isinstance(index, Structure):
            self.refuse(RUNTIME_INDEX, count=count)
        position = self.position_in(count, index).id
        message = const("index out of range")
        rest: gast.stmt = gast.Raise(exc=gast.Call(func=load("IndexError"), args=[message], keywords=[]), cause=None)
        for k in reversed(range(count)):
            test = gast.Compare(left=load(position), ops=[gast.Eq()], comparators=[const(k)])
            rest = gast.If(test=test, body=[act(k)], orelse=[rest])
        for node in walk(rest):
            if isinstance(node, gast.stmt):
                at(node, self.place)
        self.statement(rest)

    def statement(self, statement: gast.stmt) -> None:
        """One statement."""
        raise NotImplementedError

    def list_of(self, array: gast.expr) -> Structure:
        """A new list of the elements of an array."""
        raise NotImplementedError

    # Stores

    def store(self, base: Structure, node: gast.Subscript, value: gast.expr) -> None:
        """`base[index] = value`."""
        if isinstance(node.slice, gast.Slice):
            self.put_slice(base, node.slice, value)
        elif base.cell.is_sequence:
            index = self.part(node.slice)
            known, count = self.constant(index), len(self.contents(base))
            if known is UNKNOWN:
                if self.memory.loops:
                    raise NeedsConstant
                self.each_position(
                    count, index, lambda k: assign(subscript(base, const(k), store=True), clone(value), self.place)
                )
                return
            if not isinstance(known, int) or not -count <= known < count:
                self.refuse(INDEX_OUT_OF_RANGE, index=known, count=count)
            self.put(base, known % count, value)
        elif base.cell.is_mapping:
            self.put_entry(base, self.part(node.slice), value)
        else:
            self.refuse(ELEMENT_WRITE, what=base.cell.called)

    def put_entry(self, base: Structure, key: gast.expr, value: gast.expr) -> None:
        """`base[key] = value` for a dictionary."""
        contents = self.contents(base)
        if not self.is_choice(contents, key):
            self.put(base, self.key(key), value)
            return
        more = "a key of a dictionary that is new to it and known only at run time: give it all its keys before"
        rest: gast.stmt = gast.Raise(exc=call("NotImplementedError", const(more)), cause=None)
        held = self.kept(value)

        def store(each: Any) -> gast.stmt:
            return assign(subscript(base, const(each), store=True), _again(held), self.place)

        self.each_key(contents, key, store, rest)

    def put_slice(self, base: Structure, where: gast.Slice, value: gast.expr) -> None:
        """`values[i:j] = others`, which may change the number of elements."""
        bounds = slice(*(self.bound(each) for each in (where.lower, where.upper, where.step)))
        if base.cell.type is not list or not isinstance(value, Structure) or not value.cell.is_sequence:
            self.refuse(SLICE_WRITE)
        contents, others = self.changeable(base), [self.kept(each) for each in self.contents(value).values()]
        parts = list(contents.values())
        try:
            parts[bounds] = others
        except (TypeError, ValueError) as problem:
            self.refuse(SLICE_LENGTH, problem=problem)
        contents.clear()
        contents.update(enumerate(parts))

    def put(self, base: Structure, key: Any, value: gast.expr) -> None:
        """Change one part."""
        contents, kind = self.changeable(base), base.cell.type
        if not base.cell.is_container:
            parameters = getattr(kind, "__dataclass_params__", None)
            descriptor = inspect.getattr_static(kind, key, None)
            if (
                getattr(parameters, "frozen", False)
                or inspect.getattr_static(kind, "__setattr__") is not object.__setattr__
            ):
                self.refuse(FROZEN_ATTRIBUTE, name=key, what=base.cell.called)
            if isinstance(descriptor, property):
                if not isinstance(descriptor.fset, FunctionType):
                    self.refuse(PROPERTY_WRITE, name=key)
                self.called(descriptor.fset, [base, value])
                return
        contents[key] = self.kept(value)

    def changeable(self, base: Structure) -> dict[Any, gast.expr]:
        """The parts of a structure, to be changed."""
        if not base.cell.is_mutable:
            self.refuse(IMMUTABLE, what=base.cell.called)
        reason = self.memory.frozen.get(base.cell)
        if reason is not None and self.memory.loops:
            raise NeedsConstant
        if reason is not None:
            self.refuse(FROZEN, what=base.cell.called, reason=reason)
        if base.cell in self.memory.arguments:
            self.memory.touched.add(base.cell)
        return self.contents(base)


def _again(part: gast.expr) -> gast.expr:
    return part if isinstance(part, (Structure, Callee)) else clone(part)


def _as_value(index: gast.expr) -> gast.expr:
    """What stands in brackets as an argument: slices as slice objects."""
    if isinstance(index, gast.Slice):
        bounds = [const(None) if each is None else each for each in (index.lower, index.upper, index.step)]
        return gast.Call(func=load("slice"), args=bounds, keywords=[])
    if isinstance(index, gast.Tuple):
        return gast.Tuple(elts=[_as_value(each) for each in index.elts], ctx=gast.Load())
    return index
