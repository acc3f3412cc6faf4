"""Constructors: named tuples, dataclasses and plain classes with an `__init__` are instantiated at compile time."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Sequence
from types import FunctionType
from typing import Any

import gast

from srcad.refusals.structures import (
    CUSTOM_CONSTRUCTION,
    DEFAULT_FACTORY,
    DEFAULT_TYPE,
    MISSING_FIELD,
    NO_CONSTRUCTOR_ARGUMENTS,
    NO_SUCH_FIELD,
    TOO_MANY_FIELDS,
)
from srcad.runtime.support.labelled_kinds import module_of
from srcad.transforms.ir.canonical_names import literal
from srcad.transforms.ir.primitive import is_atom
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure
from srcad.transforms.lowering.structures.operator_overloading import Overloads, is_generated

_LIBRARIES = frozenset({"numpy", "builtins", "numba", "srcad", "scipy", "itertools"})


class Construction(Overloads):
    """Calls of classes."""

    def is_constructed(self, kind: type) -> bool:
        """Whether a call of this class makes a structure."""
        if issubclass(kind, tuple):
            return hasattr(kind, "_fields")
        if hasattr(kind, "__srcad_inlined__"):
            return True  # a class of our own, of definitions
        if module_of(kind).partition(".")[0] in _LIBRARIES or issubclass(kind, (BaseException, list, dict, int, float)):
            return False
        return type(kind).__call__ is type.__call__  # so are abstract classes

    def construct(self, kind: type, node: gast.Call) -> gast.expr:
        """The structure that a call of the class makes."""
        if issubclass(kind, tuple):
            if kind.__new__ is not _generated_new(kind):
                self.refuse(CUSTOM_CONSTRUCTION, type=kind.__name__)
            defaults = getattr(kind, "_field_defaults", {})
            held = self.fields(kind, kind._fields, defaults, node)  # type: ignore[attr-defined]
            return self.memory.new(kind, dict(enumerate(held.values())))
        sets = kind.__setattr__ is object.__setattr__ or dataclasses.is_dataclass(kind)
        if kind.__new__ is not object.__new__ or not sets:
            self.refuse(CUSTOM_CONSTRUCTION, type=kind.__name__)
        begin = inspect.getattr_static(kind, "__init__", None)
        if dataclasses.is_dataclass(kind) and isinstance(begin, FunctionType) and is_generated(begin):
            return self.dataclass(kind, node)
        made = self.memory.new(kind, {})
        if isinstance(begin, FunctionType):
            self.called(begin, [made, *node.args], node.keywords)
        elif node.args or node.keywords:
            self.refuse(NO_CONSTRUCTOR_ARGUMENTS, type=kind.__name__)
        return made

    def dataclass(self, kind: Any, node: gast.Call) -> gast.expr:
        """The object that the generated `__init__` of a dataclass makes."""
        parameters = [*inspect.signature(kind.__init__).parameters.values()][1:]  # `InitVar`s are no fields
        only_named = [each.name for each in parameters if each.kind is inspect.Parameter.KEYWORD_ONLY]
        names = [each.name for each in parameters if each.name not in only_named]
        defaults: dict[str, Any] = {}
        passed = {*names[: len(node.args)], *(each.arg for each in node.keywords)}
        for each in kind.__dataclass_fields__.values():
            if each.default is not dataclasses.MISSING:
                defaults[each.name] = each.default
            elif each.default_factory in (list, dict):
                defaults[each.name] = self.memory.new(each.default_factory, {})
            elif isinstance(each.default_factory, (FunctionType, type)) and each.name not in passed:
                defaults[each.name] = self.made_by_factory(each.default_factory)
            elif each.default_factory is not dataclasses.MISSING and each.name not in passed:
                self.refuse(DEFAULT_FACTORY, name=each.name)
        given = self.fields(kind, names, defaults, node, only_named)
        fields = {each.name: each for each in dataclasses.fields(kind)}
        held = {
            name: given[name] if name in given else self.default(name, defaults)
            for name, each in fields.items()
            if each.init or name in defaults
        }
        made = self.memory.new(kind, held)
        after = inspect.getattr_static(kind, "__post_init__", None)
        if isinstance(after, FunctionType):
            handed = [name for name in kind.__dataclass_fields__ if name in given and name not in fields]
            self.called(after, [made, *(given[name] for name in handed)])
        return made

    def made_by_factory(self, factory: Any) -> gast.expr:
        """What the `default_factory` of a field makes."""
        return self.kept(self.part(self.called(factory, [])))

    def fields(
        self, kind: type, names: Any, defaults: dict[str, Any], node: gast.Call, only_named: Sequence[str] = ()
    ) -> dict[str, gast.expr]:
        """The value of each field, in the order in which the class has them; some may only be given by their names."""
        if len(node.args) > len(names):
            self.refuse(TOO_MANY_FIELDS, type=kind.__name__, count=len(names), given=len(node.args))
        given = {name: self.kept(self.part(each)) for name, each in zip(names, node.args, strict=False)}
        for keyword in node.keywords:
            if keyword.arg not in (*names, *only_named) or keyword.arg in given:
                self.refuse(NO_SUCH_FIELD, type=kind.__name__, name=keyword.arg)
            given[keyword.arg] = self.kept(self.part(keyword.value))
        every = [*names, *only_named]
        return {name: given[name] if name in given else self.default(name, defaults) for name in every}

    def default(self, name: str, defaults: dict[str, Any]) -> gast.expr:
        """The value of a field that is not given."""
        if name not in defaults:
            self.refuse(MISSING_FIELD, name=name)
        value = defaults[name]
        if isinstance(value, (Structure, Callee)) or (isinstance(value, gast.expr) and is_atom(value)):
            return value
        known = literal(value)
        if known is None:
            self.refuse(DEFAULT_TYPE, name=name, type=type(value).__name__)
        return self.part(known)


def _generated_new(kind: Any) -> Any:
    """The class's `__new__`, if `collections.namedtuple` generated it."""
    found = inspect.getattr_static(kind, "__new__", None)
    function = getattr(found, "__func__", found)
    code = getattr(function, "__code__", None)
    own = code is not None and code.co_filename.startswith("<") and code.co_varnames[:1] == ("_cls",)
    return kind.__new__ if own else None
