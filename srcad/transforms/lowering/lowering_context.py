"""Draft of a unit: what lowering collects about a function and its helpers while it rewrites their bodies."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from srcad.names import Names
from srcad.runtime.rulebook.stand_ins import stand_in_for
from srcad.runtime.support.structured_arguments import attributes
from srcad.transforms.ir.array_functions import LIBRARY
from srcad.transforms.ir.build import dotted_path, effect, walk, walk_statements
from srcad.transforms.ir.canonical_names import MODULES, RESERVED
from srcad.transforms.ir.constant_conditions import Member
from srcad.transforms.ir.side_effects import is_draw
from srcad.transforms.ir.unit import Capture, Unit

_ALWAYS = ("np", "math", "operator")  # later stages may call functions of these


@dataclass
class Draft:
    """Grows while functions are lowered; `unit` makes the finished unit.

    names       maker of names, for the function and everything that is inlined into it
    bindings    free name -> object; internal ones (functions to inline) are dropped at the end
    hidden      captured arrays, in the order in which they were found
    frozen      captured numbers and strings that were written as literals
    sources     texts of all functions read
    changed     what effects change: a container, or an attribute of an object by its name; and where
    tables      arrays of constants, each by its own bytes: hidden parameters as captured arrays are
    """

    names: Names = field(default_factory=lambda: Names(RESERVED))
    bindings: dict[str, Any] = field(default_factory=lambda: dict(MODULES))
    hidden: list[Capture] = field(default_factory=list)
    frozen: list[tuple[Any, str, Any]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    changed: list[tuple[Any, str | None, Any]] = field(default_factory=list)
    tables: dict[Any, Any] = field(default_factory=dict)

    def bind(self, wish: str, thing: Any) -> str:
        """The free name that refers to this object; the same name each time.

        >>> draft = Draft()
        >>> draft.bind("f", len), draft.bind("f", abs), draft.bind("g", len)
        ('f', 'f_2', 'f')
        """
        for name, bound in self.bindings.items():
            if bound is thing:
                return name
        name = wish if wish == LIBRARY and thing is sys.modules.get(wish) else self.names.fresh(wish)
        self.bindings[name] = thing
        return name

    def capture(self, owner: Any, key: Any, wish: str) -> str:
        """The hidden parameter for a captured array; one for each place that holds it."""
        for capture in self.hidden:
            if same_owner(capture.owner, owner) and capture.key == key:
                return capture.parameter
        parameter = self.names.fresh(wish)
        self.hidden.append(Capture(parameter, owner, key))
        return parameter

    def constants(self, values: list[Any]) -> str:
        """The hidden parameter for an array of constants, all of them floats or all integers; the same each time.

        >>> draft = Draft()
        >>> draft.constants([0.5, 1.5]), draft.constants([1, 2]), draft.constants([0.5, 1.5])
        ('constants', 'constants_2', 'constants')
        """
        table = np.array(values, dtype=np.float64 if type(values[0]) is float else np.int64)
        key = table.dtype.char, table.tobytes()
        self.tables.setdefault(key, table)
        return self.capture(self.tables, key, "constants")

    def freeze(self, owner: Any, key: Any, value: Any) -> None:
        """Record that the value was written into the code as a literal."""
        if not any(same_owner(owner, other) and key == known for other, known, _ in self.frozen):
            self.frozen.append((owner, key, value))

    def note_changed(self, owner: Any, name: str | None, place: Any) -> None:
        """Record that an effect changes a container, or an attribute of an object."""
        self.changed.append((owner, name, place))

    def note_source(self, text: str) -> None:
        """Record the text of a function that went into the unit."""
        if text not in self.sources:
            self.sources.append(text)

    def unit(
        self,
        name: str,
        parameters: list[str],
        body: list[gast.stmt],
        options: Mapping[str, Any],
        called: Iterable[gast.stmt] = (),
    ) -> Unit:
        """The finished unit; names that the body does not read are not bound, except modules.

        `called` has the statements of called functions, whose names are bound too.
        """
        read = _names(body)
        hidden = tuple(capture for capture in self.hidden if capture.parameter in read)
        tree = function(name, [*parameters, *(capture.parameter for capture in hidden)], body)
        return Unit(
            name=name,
            tree=tree,
            bindings=self._bound(read | _names(called)),
            names=self.names,
            hidden=hidden,
            frozen=tuple(self.frozen),
            options=dict(options),
            sources=tuple(self.sources),
        )

    def callee(self, name: str, parameters: list[str], body: list[gast.stmt]) -> Unit:
        """A finished function that is called by others."""
        return Unit(name, function(name, parameters, body), self._bound(_names(body)), self.names)

    def _bound(self, read: set[str]) -> dict[str, Any]:
        return {name: thing for name, thing in self.bindings.items() if name in read or name in _ALWAYS}


def _names(body: Iterable[gast.stmt]) -> set[str]:
    return {node.id for statement in body for node in walk(statement) if isinstance(node, gast.Name)}


def function(name: str, parameters: list[str], body: list[gast.stmt]) -> gast.FunctionDef:
    """A function definition with plain parameters; statements that draw random numbers are effects, in their order."""
    for statement in walk_statements(body):
        value = getattr(statement, "value", None)
        if isinstance(value, gast.Call) and is_draw(dotted_path(value.func)):
            effect(statement)
    for node in (node for statement in body for node in walk(statement)):
        if isinstance(node, gast.Constant) and isinstance(node.value, Member):
            node.value = str(node.value)  # generated code only has texts
    return gast.FunctionDef(
        name=name,
        args=gast.arguments(
            args=[parameter(each) for each in parameters],
            posonlyargs=[],
            vararg=None,
            kwonlyargs=[],
            kw_defaults=[],
            kwarg=None,
            defaults=[],
        ),
        body=body,
        decorator_list=[],
        returns=None,
        type_comment=None,
        type_params=[],
    )


def parameter(name: str) -> gast.Name:
    """A parameter of a function definition."""
    return gast.Name(id=name, ctx=gast.Param(), annotation=None, type_comment=None)


def same_owner(one: Any, other: Any) -> bool:
    """Whether two owners are the same."""
    return one is other or (isinstance(one, _Within) and one == other)


def reader(owner: Any, key: Any) -> Callable[[], Any]:
    """A function that reads a captured name at each call, with as little overhead as possible."""
    if isinstance(owner, dict):
        return functools.partial(owner.__getitem__, key)
    return owner.reading(key) if isinstance(owner, _Within) else Capture(key, owner, key).read


# Instead of a key: the owner itself. None is a key that a dictionary may have.
_ITSELF: Any = object()


@dataclass(frozen=True, eq=False)
class _Within(Mapping[str, Any]):
    """The contents of an object that is looked up again at each reading.

    `owner` and `key` tell where the object is held; without a key, `owner` is the object itself.
    """

    owner: Any
    key: Any = _ITSELF

    @property
    def held(self) -> Any:
        """The object's current value."""
        return self.owner if self.key is _ITSELF else reader(self.owner, self.key)()

    @staticmethod
    def taken(held: Any, key: Any) -> Any:
        """The part of an object under a key."""
        raise NotImplementedError

    def __getitem__(self, key: Any) -> Any:
        return self.taken(self.held, key)

    def reading(self, key: Any) -> Callable[[], Any]:
        """A function that reads a part at each call."""
        taken = self.taken
        if self.key is _ITSELF:
            return functools.partial(taken, self.owner, key)
        held = reader(self.owner, self.key)
        return lambda: taken(held(), key)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return same_owner(self.owner, other.owner) and self.key == other.key

    def __hash__(self) -> int:
        return hash((type(self), self.key))


class Attributes(_Within):
    """The attributes of an object: `Attributes(globals(), "model")["rate"]` is `model.rate`."""

    @staticmethod
    def taken(held: Any, name: str) -> Any:
        """An attribute."""
        try:
            return getattr(held, name)
        except AttributeError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(dir(self.held))

    def __len__(self) -> int:
        return len(dir(self.held))


class Entries(_Within):
    """The values of a dictionary, by their keys."""

    @staticmethod
    def taken(held: Any, key: Any) -> Any:
        """A value."""
        return held[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)


class Layout(_Within):
    """The length of a list, the keys of a dictionary, the attributes of an object: `Layout(...)["layout"]`.

    For callable objects also the function that they call.
    """

    @staticmethod
    def taken(held: Any, name: str) -> Any:
        """The layout of an object."""
        if isinstance(held, (list, tuple)):
            return type(held), len(held)
        if isinstance(held, dict):
            return type(held), tuple(held)
        return type(held), tuple(attributes(held)), getattr(type(held), "__call__", None)  # noqa: B004 - which it is

    def __iter__(self) -> Iterator[str]:
        return iter(("layout",))

    def __len__(self) -> int:
        return 1


class Standing(_Within):
    """The attributes of what stands for an object of a library, and under "its class" the class of the object."""

    @staticmethod
    def taken(held: Any, name: str) -> Any:
        """An attribute."""
        if name == "its class":
            return type(held)
        stand_in = stand_in_for(held)
        if stand_in is None:
            raise KeyError(name)
        return stand_in.parts[name](held)

    def __iter__(self) -> Iterator[str]:
        found = stand_in_for(self.held)
        return iter(("its class", *(() if found is None else found.parts)))

    def __len__(self) -> int:
        return len([*self])


class Elements(_Within):
    """The elements of a tuple or list, by their positions as text."""

    @staticmethod
    def taken(held: Any, position: str) -> Any:
        """An element."""
        return held[int(position)]

    def __iter__(self) -> Iterator[str]:
        return map(str, range(len(self)))

    def __len__(self) -> int:
        return len(self.held)
