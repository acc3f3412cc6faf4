"""Extents that are known while lowering: arguments may be compile-time constants in their shapes.

    n = len(x)                for x with 3 rows, n is the constant 3
    for row in x[1:]          has two turns, and can be unrolled
    out = np.zeros((n, 2))    has a known shape, too

`Memory.extents` has the shape of a variable that holds an array, or that is such a shape (`Memory.shapes` tells which).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import gast
import numpy as np

from srcad.transforms.ir.build import dotted_path
from srcad.transforms.ir.constant_conditions import UNKNOWN

Extents = tuple[int, ...]

# Functions whose result has the shape of their first argument, and those that are given a shape.
_LIKE = frozenset(
    f"np.{name}"
    for name in (
        *("array", "asarray", "ascontiguousarray", "asfortranarray", "copy", "abs", "absolute", "exp", "log", "sqrt"),
        *("sin", "cos", "tanh", "zeros_like", "ones_like", "empty_like", "full_like"),
    )
)
_GIVEN = frozenset({"np.zeros", "np.ones", "np.empty", "np.full"})
_HARMLESS = frozenset({"dtype", "copy", "order"})


@dataclass(frozen=True)
class Sizes:
    """The shapes of arrays, and the values of variables that hold shapes; `constant` gives the constant of an atom.

    >>> sizes = Sizes({"x": (3, 2)}, {"t": (3, 2)}, lambda node: getattr(node, "value", UNKNOWN))
    >>> def asked(text):
    ...     value = gast.parse(text).body[0].value
    ...     return sizes.number(value), sizes.shape(value)
    >>> asked("t[1]")[0], asked("len(x)")[0], asked("x[1:]")[1], asked("x.T")[1], asked("np.zeros((4, 1))")[1]
    (2, 3, (2, 2), (2, 3), (4, 1))
    """

    arrays: Mapping[str, Extents]
    tuples: Mapping[str, Extents]
    constant: Callable[[Any], Any]

    def number(self, value: gast.expr) -> Any:
        """The number of rows, axes or elements that an operation gives, or one extent; else UNKNOWN."""
        arrays = self.arrays
        match value:
            case gast.Call(func=gast.Name(id="len"), args=[gast.Name(id=name)], keywords=[]):
                return len(self.tuples[name]) if name in self.tuples else next(iter(arrays.get(name, ())), UNKNOWN)
            case gast.Attribute(value=gast.Name(id=name), attr="ndim") if name in arrays:
                return len(arrays[name])
            case gast.Attribute(value=gast.Name(id=name), attr="size") if name in arrays:
                return int(np.prod(arrays[name], dtype=int))
            case gast.Subscript(value=of, slice=index) if not isinstance(index, gast.Slice):
                shape, place = self._values(of), self.constant(index)
                if shape is not None and type(place) is int and -len(shape) <= place < len(shape):
                    return shape[place]
        return UNKNOWN

    def _values(self, of: gast.expr) -> Extents | None:
        """The values of a shape."""
        match of:
            case gast.Name(id=name):
                return self.tuples.get(name)
            case gast.Attribute(value=gast.Name(id=name), attr="shape"):
                return self.arrays.get(name)
        return None

    def shape(self, value: gast.expr) -> Extents | None:
        """The shape of the array that an operation gives, or the shape that it reads from one; None if unknown."""
        arrays = self.arrays
        match value:
            case gast.Name(id=name) if name in arrays:
                return arrays[name]
            case gast.Name() | gast.Attribute(attr="shape"):
                return self._values(value)
            case gast.Attribute(value=gast.Name(id=name), attr="T") if name in arrays:
                return arrays[name][::-1]
            case gast.Subscript(value=gast.Name(id=name), slice=index) if arrays.get(name):
                rows = self._rows(arrays[name][0], index)
                return None if rows is None else (*rows, *arrays[name][1:])
            case gast.Call(func=function, args=[gast.Name(id=name), *_], keywords=more) if _is_like(function, more):
                return arrays.get(name)
            case gast.Call(func=function, args=[given, *_]) if dotted_path(function) in _GIVEN:
                parts = given.elts if isinstance(given, gast.Tuple) else [given]
                found = tuple(self.constant(each) for each in parts)
                return found if all(type(each) is int and each >= 0 for each in found) else None
        return None

    def _rows(self, count: int, index: gast.expr) -> Extents | None:
        """The number of rows that a slice selects, nothing for a single row; None if that is unknown."""
        if not isinstance(index, gast.Slice):
            row = self.constant(index)
            return () if type(row) is int and -count <= row < count else None
        ends = [None if each is None else self.constant(each) for each in (index.lower, index.upper, index.step)]
        if any(each is not None and type(each) is not int for each in ends) or ends[2] == 0:
            return None
        return (len(range(*slice(*ends).indices(count))),)


def _is_like(function: gast.expr, keywords: list[gast.keyword]) -> bool:
    return dotted_path(function) in _LIKE and all(each.arg in _HARMLESS for each in keywords)
