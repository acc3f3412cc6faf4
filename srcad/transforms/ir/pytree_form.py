"""Pytree form: the class and keys of structured data, and the form below each key; numbers and arrays are leaves.

>>> Form(dict, ("w", "b"), (LEAF, Form(tuple, (0,), (LEAF,)))).leaves
2
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Union

import numpy as np

from srcad.runtime.support.record_fields import Layout, put_together


@dataclass(frozen=True)
class Leaf:
    """A number or an array, known at run time."""


LEAF = Leaf()


@dataclass(frozen=True, eq=False)
class Fixed:
    """An object that is known at compile time: a text, None, a function."""

    value: Any


class Added(Fixed):
    """A constant that is no leaf of the argument: what its class says, such as the places of columns."""


Part = Union["Form", Leaf, Fixed]


@dataclass(frozen=True)
class Form:
    """A structure: its class, its keys (positions, keys or attributes) in order, and the parts below them."""

    type: type
    keys: tuple[Any, ...]
    parts: tuple[Part, ...]

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return sum(each.leaves if isinstance(each, Form) else each is LEAF for each in self.parts)

    def made(self, parts: list[Any]) -> Any:
        """The data with these parts."""
        return assembled(self.type, self.keys, parts)

    def names(self, wish: str, fresh: Callable[[str], str]) -> Iterator[str]:
        """A name for each leaf, from the path that leads to it.

        >>> list(Form(dict, ("w", "b"), (LEAF, LEAF)).names("p", lambda wish: wish))
        ['p_w', 'p_b']
        """
        for key, part in zip(self.keys, self.parts, strict=True):
            path = f"{wish}_{''.join(each if each.isalnum() else '_' for each in str(key))}"
            if isinstance(part, Form):
                yield from part.names(path, fresh)
            elif part is LEAF:
                yield fresh(path)


@dataclass(frozen=True)
class RecordForm(Form):
    """The form of records."""

    layout: Layout

    @classmethod
    def of(cls, layout: Layout) -> RecordForm:
        """The form of records of this layout."""
        return cls(layout.kind, layout.names, (LEAF,) * len(layout.names), layout)

    def made(self, parts: list[Any]) -> Any:
        """The records."""
        return put_together(self.layout, parts)

    def taken(self, value: Any) -> tuple[Any, ...]:
        """The arrays of records."""
        if getattr(value, "dtype", None) is None or value.dtype.names != self.layout.names:
            raise LookupError(f"no records with the fields {', '.join(self.layout.names)}")
        rows = np.atleast_1d(np.asarray(value))
        return tuple(np.array(rows[name], order="C") for name in self.layout.names)


@dataclass(frozen=True)
class ListForm(Form):
    """The form of a list whose length is known only at run time: an array, or one array per element of its tuples."""

    @classmethod
    def of(cls, width: int) -> ListForm:
        """The form of a list of tuples of this many numbers or arrays; 0 for a list without tuples."""
        return cls(list, tuple(range(max(1, width))), (LEAF,) * max(1, width)) if width else _PLAIN_LIST

    @property
    def has_tuples(self) -> bool:
        """Whether it holds tuples."""
        return self is not _PLAIN_LIST

    def made(self, parts: list[Any]) -> Any:
        """The list."""
        return list(zip(*parts, strict=True)) if self.has_tuples else list(parts[0])

    def taken(self, value: Any) -> tuple[Any, ...]:
        """The arrays of a list."""
        if not isinstance(value, (list, tuple, np.ndarray)):
            raise TypeError("no list")
        return tuple(np.array(part) for part in zip(*value, strict=True)) if self.has_tuples else (np.array(value),)


_PLAIN_LIST = ListForm(list, (0,), (LEAF,))


def built(part: Part, leaves: Iterator[Any]) -> Any:
    """The data of a form, with these leaves.

    >>> built(Form(dict, ("w", "b"), (LEAF, Fixed("text"))), iter([1.0]))
    {'w': 1.0, 'b': 'text'}
    """
    if not isinstance(part, Form):
        return next(leaves) if part is LEAF else part.value  # type: ignore[union-attr]
    return part.made([built(each, leaves) for each in part.parts])


def assembled(kind: Any, keys: tuple[Any, ...], parts: list[Any]) -> Any:
    """A structure of a class; objects are made without their `__init__`."""
    if issubclass(kind, tuple):
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if issubclass(kind, list):
        return kind(parts)
    if issubclass(kind, dict):
        return dict(zip(keys, parts, strict=True))
    if kind is functools.partial:
        function, arguments, keywords = parts
        return functools.partial(_no_function if function is None else function, *arguments, **keywords)
    made = SimpleNamespace() if kind is SimpleNamespace else object.__new__(kind)
    for key, value in zip(keys, parts, strict=True):
        object.__setattr__(made, key, value)
    return made


def _no_function(*args: Any, **kwargs: Any) -> None:
    """The function of a functools.partial in a gradient: its arguments have derivatives, the function has none."""


def from_tuples(part: Part, value: Any) -> Any:
    """The data of a form, from its parts as nested tuples.

    >>> from_tuples(Form(dict, ("w", "b"), (LEAF, Form(list, (0,), (LEAF,)))), (1.0, (2.0,)))
    {'w': 1.0, 'b': [2.0]}
    """
    if not isinstance(part, Form):
        return value if part is LEAF else part.value  # type: ignore[union-attr]
    return part.made([from_tuples(p, v) for p, v in zip(part.parts, value, strict=True)])


def to_tuples(part: Part, value: Any) -> Any:
    """The parts of data of this form as nested tuples; raises LookupError or AttributeError for another form.

    >>> to_tuples(Form(dict, ("w", "b"), (LEAF, LEAF)), {"b": 2.0, "w": 1.0})
    (1.0, 2.0)
    """
    if not isinstance(part, Form):
        return value if part is LEAF else 0
    if isinstance(part, (RecordForm, ListForm)):
        return part.taken(value)
    if issubclass(part.type, (tuple, list, dict)):
        if len(value) != len(part.keys):
            raise LookupError(f"{len(value)} parts instead of {len(part.keys)}")
        return tuple(to_tuples(below, value[key]) for key, below in zip(part.keys, part.parts, strict=True))
    return tuple(to_tuples(below, getattr(value, key)) for key, below in zip(part.keys, part.parts, strict=True))
