"""Builtin calls on structures, evaluated at compile time except for the numbers and arrays in them.

sum(terms)      list(zip(ws, bs))       len(layers)       sorted(p)       Point(x, y)       model(x)
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import gast
import numpy as np

from srcad.refusals.names_and_functions import PARTIAL_OF_UNKNOWN
from srcad.refusals.numpy_calls import EXTREME_OF_NOTHING, ISINSTANCE, STRICT_ZIP
from srcad.runtime.stop_gradient import stop_gradient
from srcad.transforms.ir.build import at, call, clone, const, load, place_of, subscript
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.calls.key_functions import MADE
from srcad.transforms.lowering.calls.starred_arguments import Starred
from srcad.transforms.lowering.structures.abstract_state import Callee, Chosen, Structure
from srcad.transforms.lowering.structures.array_methods import spell_method
from srcad.transforms.lowering.structures.collection_types import PatternSequence
from srcad.transforms.lowering.structures.container_methods import Parts
from srcad.transforms.lowering.structures.operator_overloading import BINARY

# Classes of which no number, text or array is an object.
_CONTAINERS = (list, tuple, dict, slice, PatternSequence, Mapping)
_CONSTANTS = (str, bytes, type(None), bool, int, float, complex)
_DECIDED = (*_CONSTANTS, *_CONTAINERS, set, frozenset)


class Containers(Starred):
    """Calls that involve structures."""

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        self.spread(node)
        function = node.func
        if isinstance(function, gast.Attribute) and not self.is_atom(function):
            receiver = self.part(function.value)
            if isinstance(text := self.constant(receiver), str):
                return self.of_text(text, function.attr, node)
            if not isinstance(receiver, Structure):
                return self.call(spell_method(self.as_name(receiver), function.attr, node, place_of(function)))
            return self.method(receiver, function.attr, node)
        if not isinstance(function, gast.Attribute):
            callee = self.callee(function)
            if isinstance(callee, Structure):
                return self.called_structure(callee, node)
            node.func = callee
        thing = self.meant(node.func)
        if thing is functools.partial:
            return self.partial(node)
        if thing is functools.reduce:
            return self.reduced(node)
        if (thing is map or thing is filter) and len(node.args) > 1:
            return self.mapped(node)
        if thing is stop_gradient and len(node.args) == 1:
            value = self.part(node.args[0])
            if isinstance(value, Structure) and (value.cell.is_sequence or value.cell.is_mapping):
                return self.of_each(node.func, value)
            node.args = [value]
        if thing is str and len(node.args) == 1 and (text := self.text_of(node)) is not None:
            return text
        is_ours = isinstance(thing, (type, BuiltinFunctionType, FunctionType))
        handler = _BUILTINS.get(thing) if is_ours else None
        if (thing is sorted or thing is max or thing is min) and node.keywords:
            return self.with_key(thing, node)
        if handler is not None:
            return self.builtin(handler, node)
        if isinstance(thing, type) and self.is_constructed(thing):
            return self.construct(thing, node)
        return super().call(node)

    def changed(self, node: gast.Call) -> gast.expr | None:
        """A call that is made for its effect; None where the effect is not known."""
        self.spread(node)
        function = node.func
        if isinstance(function, gast.Attribute) and not self.is_atom(function):
            receiver = self.part(function.value)
            return self.method(receiver, function.attr, node) if isinstance(receiver, Structure) else None
        if not isinstance(function, gast.Attribute):
            callee = self.callee(function)
            if isinstance(callee, Structure):
                return self.called_structure(callee, node)
            node.func = callee
        return self.first_of(node) or self.inline(node, self)

    def called_structure(self, function: Structure, node: gast.Call) -> gast.expr:
        """A call of a structure: an object or a partial."""
        if function.cell.type is functools.partial:
            return self.completed(function, node)
        if function.cell.type is Chosen:
            return self.called_chosen(function, node)
        if function.cell.type is np.vectorize:
            return self.mapped_over(self.contents(function)["pyfunc"], node)
        return self.method(function, "__call__", node)

    def of_each(self, function: gast.expr, value: gast.expr) -> gast.expr:
        """The value with each number and array in it replaced by what a function makes of it."""
        if isinstance(value, Structure):
            parts = {key: self.of_each(function, each) for key, each in self.contents(value).items()}
            return self.memory.new(value.cell.type, parts)
        if isinstance(value, Callee) or isinstance(self.constant(value), (str, bytes, type(None))):
            return value
        made = self.call(gast.Call(func=clone(function), args=[value], keywords=[]))
        return self.kept(self.held_in_atom(made))

    def partial(self, node: gast.Call) -> Structure:
        """`functools.partial`: a structure that can be called."""
        function, *arguments = (self.part(each) for each in node.args)
        if not isinstance(function, (Callee, Structure)):
            self.refuse(PARTIAL_OF_UNKNOWN)
        held = {keyword.arg: self.kept(self.part(keyword.value)) for keyword in node.keywords}
        parts = {
            "func": function,
            "args": self.sequence(tuple, [self.kept(each) for each in arguments]),
            "keywords": self.memory.new(dict, held),
        }
        return self.memory.new(functools.partial, parts)

    def completed(self, function: Structure, node: gast.Call) -> gast.expr:
        """A call of a `functools.partial`."""
        held = self.contents(function)
        keywords = dict(self.contents(held["keywords"]))
        for name in self.nested_parameters(held["func"])[: len(self.parts(held["args"])) + len(node.args)]:
            keywords.pop(name, None)  # it was a default
        keywords |= {keyword.arg: self.kept(self.part(keyword.value)) for keyword in node.keywords}
        node.func, node.args = held["func"], [*self.parts(held["args"]), *node.args]
        node.keywords = [gast.keyword(arg=key, value=value) for key, value in keywords.items()]
        return self.call(node)

    def nested_parameters(self, function: gast.expr) -> list[str]:
        """The parameters of a nested function, or of all that it may be; none for others."""
        every = (self.memory.alternatives(function) or (None, {}))[1].values()
        things: list[Any] = [self.meant(each.path) if isinstance(each, Callee) else None for each in every]
        names = [each.parameters if getattr(each, "scope", None) is not None else [] for each in things]
        return names[0] if names and all(each == names[0] for each in names) else []

    def builtin(self, handler: Callable[..., gast.expr | None], node: gast.Call) -> gast.expr:
        """A builtin function, if its arguments are structures."""
        node.args = [self.argument(each) for each in node.args]
        if self.meant(node.func) in _OF_ANY_ORDER:
            node.args = [self.in_any_order(each) for each in node.args]
        for keyword in node.keywords:
            keyword.value = self.part(keyword.value)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        made = handler(self, node.args, keywords)
        return super().call(node) if made is None else made

    def argument(self, node: gast.expr) -> gast.expr:
        """An argument of a builtin; a `range` of constants becomes a structure."""
        match node:
            case gast.Call(func=gast.Name(id="range"), args=arguments, keywords=[]):
                node.args = [self.part(each) for each in arguments]
                bounds = [self.constant(each) for each in node.args]
                if all(type(each) is int for each in bounds):
                    return self.memory.new(tuple, dict(enumerate(map(const, range(*bounds)))))
            case gast.GeneratorExp():
                node = gast.ListComp(elt=node.elt, generators=node.generators)
            case gast.Name(id=name) if name not in self.memory.names and self.meant(node) is not None:
                return node
        return self.part(node)

    # Builtins

    def length_of(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`len`."""
        (structure,) = arguments
        if not isinstance(structure, Structure):
            return None
        method = inspect.getattr_static(structure.cell.type, "__len__", None)
        if isinstance(method, FunctionType):
            return self.called(method, [structure])
        return const(len(self.parts(structure)))

    def magnitude(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`abs`."""
        method = self.method_for(arguments[0], "__abs__")
        return None if method is None else self.called(method, arguments)

    def listed(self, kind: type, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`list` and `tuple`."""
        parts = self.elements(arguments[0]) if arguments else []
        return None if parts is None else self.sequence(kind, parts)

    def made_set(self, kind: type, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`set` and `frozenset`."""
        return self.set_of(kind, self.known_elements(arguments[0]) if arguments else [])

    def dictionary_of_keys(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`dict.fromkeys`, with keys that are constants."""
        rows, value = arguments[0], (*arguments[1:], const(None))[0]
        parts = self.elements(rows)
        if parts is None:
            return None
        value = self.kept(value)
        return self.memory.new(dict, {self.key(each): value for each in parts})

    def dictionary_of(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`dict`."""
        held: dict[Any, gast.expr] = {}
        for each in arguments:
            self.update(held, each)
        return self.memory.new(dict, held | {key: self.kept(value) for key, value in keywords.items()})

    def zipped(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`zip` of structures."""
        columns = [self.elements(each) for each in arguments]
        is_strict = self.constant(keywords.get("strict", const(False))) is not False
        known = [each for each in columns if each is not None]
        if len(known) != len(columns):
            return None if not known or is_strict else self.zipped_with_arrays(arguments, columns)
        if is_strict and len({len(each) for each in known}) > 1:
            self.refuse(STRICT_ZIP)
        return self.sequence(tuple, [self.sequence(tuple, list(row)) for row in zip(*known, strict=False)])

    def zipped_with_arrays(self, arguments: Parts, columns: list[Parts | None]) -> gast.expr:
        """`zip` of structures and of arrays that are at least as long as the shortest of these."""
        count = min(len(each) for each in columns if each is not None)
        names = [self.as_name(each) if held is None else None for each, held in zip(arguments, columns, strict=True)]
        for name in [each for each in names if each is not None]:
            short = gast.Compare(left=call("len", clone(name)), ops=[gast.Lt()], comparators=[const(count)])
            what = "zip of a list and a shorter array: give both the same length"
            failure = gast.Raise(exc=call("NotImplementedError", const(what)), cause=None)
            check = at(gast.If(test=short, body=[at(failure, self.place)], orelse=[]), self.place)
            self.statement(check)
        rows = []
        for k in range(count):
            parts = [
                self.kept(self.part(subscript(clone(name), const(k)))) if held is None else held[k]
                for name, held in zip(names, columns, strict=True)
            ]
            rows.append(self.sequence(tuple, parts))
        return self.sequence(tuple, list(rows))

    def counted(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`enumerate` of a structure."""
        parts = self.elements(arguments[0])
        start = self.constant((*arguments[1:], *keywords.values(), const(0))[0])
        if parts is None or type(start) is not int:
            return None
        rows = [self.sequence(tuple, [const(start + k), each]) for k, each in enumerate(parts)]
        return self.sequence(tuple, list(rows))

    def backwards(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`reversed` of a structure."""
        parts = self.elements(arguments[0])
        return None if parts is None else self.sequence(tuple, parts[::-1])

    def ordered(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`sorted` of constants, such as dictionary keys, or of tuples that start with constants, such as items."""
        parts = self.elements(arguments[0])
        if parts is None:
            return None
        values = self.ranks(parts)
        if keywords or any(each is UNKNOWN for each in values):
            node = gast.Call(func=load("sorted"), args=arguments, keywords=[])
            node.keywords = [gast.keyword(arg=name, value=value) for name, value in keywords.items()]
            return self.with_key(sorted, node)
        return self.sequence(list, [parts[k] for k in sorted(range(len(parts)), key=values.__getitem__)])

    def ranks(self, parts: Parts) -> list[Any]:
        """The constants by which to sort the parts: these, or the first elements of tuples if no two are equal."""
        kinds = {each.cell.type if isinstance(each, Structure) else None for each in parts}
        if kinds not in ({tuple}, {list}):
            return [self.constant(each) for each in parts]
        rows = [self.parts(each) for each in parts]
        firsts = [self.constant(row[0]) if row else UNKNOWN for row in rows]
        return firsts if len({*firsts}) == len(firsts) else [UNKNOWN]

    def added(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`sum` of a structure: from the left, starting with 0 as in Python."""
        parts = self.elements(arguments[0])
        if parts is None:
            return None
        total = (*arguments[1:], *keywords.values(), const(0))[0]
        for each in parts:
            total = self.part(gast.BinOp(left=total, op=gast.Add(), right=each))
        return total

    def extreme(self, name: str, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`max` and `min` of one structure."""
        if len(arguments) != 1 or keywords or (parts := self.elements(arguments[0])) is None:
            return None
        if not parts:
            self.refuse(EXTREME_OF_NOTHING, function=name)
        return parts[0] if len(parts) == 1 else super().call(call(name, *parts))

    def decided(self, op: type[gast.boolop], arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`any` and `all` of a structure."""
        parts = self.elements(arguments[0])
        if parts is None:
            return None
        if len(parts) < 2:
            return const(op is gast.And) if not parts else super().call(call("bool", *parts))
        return super().call(call("bool", gast.BoolOp(op=op(), values=list(parts))))

    def is_kind(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`isinstance` of a structure."""
        structure, kinds = arguments
        choices = self.parts(kinds) if isinstance(kinds, Structure) else [kinds]
        classes = tuple(self.meant(each.path if isinstance(each, Callee) else each) for each in choices)
        if not all(isinstance(each, type) for each in classes):
            if not isinstance(structure, Structure):
                return None
            self.refuse(ISINSTANCE)
        if isinstance(structure, Structure):
            return const(issubclass(self.kind_of(structure), classes))
        if (kind := self.memory.shape_kind(structure)) is not None:
            return const(issubclass(kind, classes))
        if type(held := self.constant(structure)) in _CONSTANTS and all(each in _DECIDED for each in classes):
            return const(isinstance(held, classes))
        # A number, a text or an array, or an unknown container: that is decided where types are known.
        known = (slice,) if self.memory.may_be_container(structure) else _CONTAINERS
        return const(False) if all(each in known or _is_of_objects(each) for each in classes) else None

    def kind_of(self, structure: Structure) -> type:
        """The class of a structure in Python."""
        _, by = self.memory.views.get(structure.cell, (None, ""))
        kind: type = type(getattr({}, by)()) if by else structure.cell.kind
        return kind

    def class_of(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`type` of a structure."""
        if len(arguments) != 1 or keywords or not isinstance(arguments[0], Structure) or self.outside is None:
            return None
        kind = self.kind_of(arguments[0])
        return load(self.outside.bind(kind.__name__, kind))

    def compared(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """A comparison; of classes by identity."""
        if isinstance(op, (gast.Is, gast.IsNot, gast.Eq, gast.NotEq)):
            one, other = (self.meant(each) if isinstance(each, gast.Name) else None for each in (left, right))
            if isinstance(one, type) and isinstance(other, type):
                return const((one is other) == isinstance(op, (gast.Is, gast.Eq)))
        return super().compared(left, op, right)

    def is_callable(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`callable`: of functions and objects; numbers and arrays are not."""
        (part,) = arguments
        if not isinstance(part, Structure):
            thing = self.meant(part)
            is_nested = hasattr(thing, "tree") or hasattr(thing, "receiver")  # of the function, or a method
            return const(isinstance(part, Callee) or callable(thing) or is_nested)
        return const(
            part.cell.type in (functools.partial, Chosen)
            or any("__call__" in vars(each) for each in part.cell.type.__mro__)
        )

    def got(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`getattr` with a constant name."""
        base, name = arguments[0], self.key(arguments[1])
        if isinstance(base, Structure):
            return self.slot(base, name)
        if isinstance(base, Callee) and isinstance(self.meant(base.path), ModuleType):
            return self.part(gast.Attribute(value=base.path, attr=name, ctx=gast.Load()))
        return self.attribute_of(base, name) if len(arguments) == 2 and not isinstance(base, Callee) else None

    def as_array(self, part: gast.expr) -> gast.expr:
        """An array for a list or a tuple of numbers or arrays."""
        is_sequence = isinstance(part, Structure) and part.cell.type in (list, tuple)
        if not is_sequence or not isinstance(self.memory.cells[part.cell], dict):
            return part
        return self.held_in_atom(self.call(call("np.array", part)))

    def augmented(self, op: type[gast.operator], arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`lst += other` on a structure; lists, sets and dictionaries are changed in place, others are replaced."""
        base, other = arguments
        if not isinstance(base, Structure) and not isinstance(other, Structure):
            return None
        if isinstance(base, Structure) and base.cell.type is list and op is gast.Add:
            self.do_extend(base, other)
            return base
        if isinstance(base, Structure) and base.cell.is_mapping and op is gast.BitOr and base.cell.kind is not Counter:
            self.do_update(base, other)
            return base
        if isinstance(base, Structure) and base.cell.kind in (list, set):
            made = self.binary(base, op(), other)
            return self.taken_over(base, made, op) if isinstance(made, Structure) else made
        if (in_place := self.method_for(base, f"__i{BINARY[op]}__")) is not None:
            return self.called(in_place, [base, other])
        is_defined = isinstance(base, Structure) or self.method_for(other, f"__r{BINARY[op]}__") is not None
        return self.binary(base, op(), other) if is_defined else None


def _is_of_objects(kind: type) -> bool:
    """Whether instances of a class can be neither numbers, texts nor arrays."""
    plain = (int, float, complex, str, np.ndarray, np.generic)
    is_users = type(kind) is type and kind.__module__ != "builtins"
    return is_users and not issubclass(kind, plain) and not any(issubclass(each, kind) for each in plain)


def _fixed(function: Any, first: Any) -> Callable[..., gast.expr | None]:
    return lambda self, arguments, keywords: function(self, first, arguments, keywords)


# What these give does not depend on the order in which a set is visited.
_OF_ANY_ORDER = (len, sorted, sum, max, min, any, all, set, frozenset)
_BUILTINS: dict[Any, Callable[..., gast.expr | None]] = {
    len: Containers.length_of,
    abs: Containers.magnitude,
    list: _fixed(Containers.listed, list),
    tuple: _fixed(Containers.listed, tuple),
    dict: Containers.dictionary_of,
    dict.fromkeys: Containers.dictionary_of_keys,
    zip: Containers.zipped,
    enumerate: Containers.counted,
    reversed: Containers.backwards,
    sorted: Containers.ordered,
    sum: Containers.added,
    max: _fixed(Containers.extreme, "max"),
    min: _fixed(Containers.extreme, "min"),
    any: _fixed(Containers.decided, gast.Or),
    all: _fixed(Containers.decided, gast.And),
    isinstance: Containers.is_kind,
    type: Containers.class_of,
    **MADE,
    callable: Containers.is_callable,
    set: _fixed(Containers.made_set, set),
    frozenset: _fixed(Containers.made_set, frozenset),
    deque: Containers.deque_of,
    **{each: _fixed(Containers.dictionary_with, each) for each in (defaultdict, Counter, OrderedDict)},
    getattr: Containers.got,
    **{getattr(operator, f"i{name}"): _fixed(Containers.augmented, op) for op, name in BINARY.items()},
}
