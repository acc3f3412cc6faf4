"""Constructors: named tuples, dataclasses and plain classes with an `__init__` are instantiated at compile time."""

from __future__ import annotations

import dataclasses
import inspect
from types import FunctionType
from typing import Any

import gast

from srcad.transforms.ir.canonical_names import literal
from srcad.transforms.lowering.structures.abstract_state import Structure
from srcad.transforms.lowering.structures.operator_methods import Overloads

_LIBRARIES = frozenset({"numpy", "builtins", "numba", "srcad", "scipy", "itertools"})


class Construction(Overloads):
    """Calls of classes."""

    def is_constructed(self, kind: type) -> bool:
        """Whether a call of this class makes a structure."""
        if issubclass(kind, tuple):
            return hasattr(kind, "_fields")
        if kind.__module__.partition(".")[0] in _LIBRARIES or issubclass(kind, (BaseException, list, dict, int, float)):
            return False
        return type(kind) is type

    def construct(self, kind: type, node: gast.Call) -> gast.expr:
        """The structure that a call of the class makes."""
        if issubclass(kind, tuple):
            if kind.__new__ is not _generated_new(kind):
                self.refuse(f"the class `{kind.__name__}` makes its objects in a way of its own", "use a dataclass")
            defaults = getattr(kind, "_field_defaults", {})
            held = self.fields(kind, kind._fields, defaults, node)  # type: ignore[attr-defined]
            return self.memory.new(kind, dict(enumerate(held.values())))
        sets = kind.__setattr__ is object.__setattr__ or dataclasses.is_dataclass(kind)
        if kind.__new__ is not object.__new__ or not sets:
            self.refuse(f"the class `{kind.__name__}` makes its objects in a way of its own", "use a dataclass")
        begin = inspect.getattr_static(kind, "__init__", None)
        if dataclasses.is_dataclass(kind) and _is_generated(begin):
            return self.dataclass(kind, node)
        made = self.memory.new(kind, {})
        if isinstance(begin, FunctionType):
            self.called(begin, [made, *node.args], node.keywords)
        elif node.args or node.keywords:
            self.refuse(f"`{kind.__name__}` takes no arguments", "check the class")
        return made

    def dataclass(self, kind: Any, node: gast.Call) -> gast.expr:
        """The object that the generated `__init__` of a dataclass makes."""
        fields = [each for each in dataclasses.fields(kind) if each.init]
        defaults: dict[str, Any] = {}
        for each in dataclasses.fields(kind):
            if each.default is not dataclasses.MISSING:
                defaults[each.name] = each.default
            elif each.default_factory in (list, dict):
                defaults[each.name] = self.memory.new(each.default_factory, {})
            elif each.default_factory is not dataclasses.MISSING:
                self.refuse(
                    f"the default of `{each.name}`, made by a function, is not supported", "give the value itself"
                )
        given = self.fields(kind, [each.name for each in fields], defaults, node)
        held = {
            each.name: given[each.name] if each.init else self.default(each.name, defaults)
            for each in dataclasses.fields(kind)
            if each.init or each.name in defaults
        }
        made = self.memory.new(kind, held)
        after = inspect.getattr_static(kind, "__post_init__", None)
        if isinstance(after, FunctionType):
            self.called(after, [made])
        return made

    def fields(self, kind: type, names: Any, defaults: dict[str, Any], node: gast.Call) -> dict[str, gast.expr]:
        """The value of each field, in the order in which the class has them."""
        if len(node.args) > len(names):
            self.refuse(f"`{kind.__name__}` takes {len(names)} values, {len(node.args)} are given", "leave some out")
        given = {name: self.kept(self.part(each)) for name, each in zip(names, node.args, strict=False)}
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in given:
                self.refuse(f"`{kind.__name__}` cannot be given `{keyword.arg}`", "give each field one value")
            given[keyword.arg] = self.kept(self.part(keyword.value))
        return {name: given[name] if name in given else self.default(name, defaults) for name in names}

    def default(self, name: str, defaults: dict[str, Any]) -> gast.expr:
        """The value of a field that is not given."""
        if name not in defaults:
            self.refuse(f"the field `{name}` is not given", "give each field one value")
        value = defaults[name]
        if isinstance(value, Structure):
            return value
        known = literal(value)
        if known is None:
            self.refuse(f"the default of `{name}` is of type {type(value).__name__}", "give the value itself")
        return self.part(known)


def _is_generated(function: Any) -> bool:
    return isinstance(function, FunctionType) and function.__code__.co_filename == "<string>"


def _generated_new(kind: Any) -> Any:
    """The class's `__new__`, if `collections.namedtuple` generated it."""
    found = inspect.getattr_static(kind, "__new__", None)
    function = getattr(found, "__func__", found)
    own = _is_generated(function) and function.__code__.co_varnames[:1] == ("_cls",)
    return kind.__new__ if own else None
