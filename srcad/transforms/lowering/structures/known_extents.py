"""Extents that are known while lowering: arguments may be compile-time constants in their shapes.

    n = len(x)                for x with 3 rows, n is the constant 3
    for row in x[1:]          has two turns, and can be unrolled
    out = np.zeros((n, 2))    has a known shape, too

`Memory.extents` has the shape of a variable that holds an array, or that is such a shape (`Memory.shapes` tells which).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import gast
import numpy as np

from srcad.transforms.ir.build import dotted_path
from srcad.transforms.ir.constant_conditions import UNKNOWN

Extents = tuple[int, ...]
Sizes = Mapping[str, Extents]
_ConstantOf = Callable[[Any], Any]

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


def number_of(value: gast.expr, sizes: Sizes, constant_of: _ConstantOf) -> Any:
    """The number of rows, axes or elements that an operation gives, or one extent; UNKNOWN if it is none of these.

    >>> value = gast.parse("x.shape[1]").body[0].value
    >>> number_of(value, {"x": (3, 2)}, lambda node: node.value)
    2
    """
    match value:
        case gast.Call(func=gast.Name(id="len"), args=[gast.Name(id=name)], keywords=[]):
            return next(iter(sizes.get(name, ())), UNKNOWN)
        case gast.Attribute(value=gast.Name(id=name), attr="ndim" | "size" as attr) if name in sizes:
            return len(sizes[name]) if attr == "ndim" else int(np.prod(sizes[name], dtype=int))
        case gast.Subscript(value=gast.Attribute(value=gast.Name(id=name), attr="shape"), slice=index) if name in sizes:
            return _picked(sizes[name], constant_of(index))
    return UNKNOWN


def _picked(shape: Extents, index: Any) -> Any:
    return shape[index] if type(index) is int and -len(shape) <= index < len(shape) else UNKNOWN


def shape_of(value: gast.expr, sizes: Sizes, constant_of: _ConstantOf) -> Extents | None:
    """The shape of the array that an operation gives, or the shape that it reads from an array; None if unknown.

    >>> def shape(text):
    ...     return shape_of(gast.parse(text).body[0].value, {"x": (3, 2)}, lambda node: getattr(node, "value", UNKNOWN))
    >>> shape("x.T"), shape("x[1:]"), shape("x[0]"), shape("np.zeros((4, 1))"), shape("x @ x")
    ((2, 3), (2, 2), (2,), (4, 1), None)
    """
    match value:
        case gast.Name(id=name) | gast.Attribute(value=gast.Name(id=name), attr="shape"):
            return sizes.get(name)
        case gast.Attribute(value=gast.Name(id=name), attr="T") if name in sizes:
            return sizes[name][::-1]
        case gast.Subscript(value=gast.Name(id=name), slice=index) if sizes.get(name):
            return _selected(sizes[name], index, constant_of)
        case gast.Call(func=function, args=[gast.Name(id=name), *_], keywords=more) if dotted_path(function) in _LIKE:
            return sizes.get(name) if all(each.arg in _HARMLESS for each in more) else None
        case gast.Call(func=function, args=[given, *_]) if dotted_path(function) in _GIVEN:
            parts = given.elts if isinstance(given, gast.Tuple) else [given]
            found = tuple(constant_of(each) for each in parts)
            return found if all(type(each) is int and each >= 0 for each in found) else None
    return None


def _selected(shape: Extents, index: gast.expr, constant_of: _ConstantOf) -> Extents | None:
    """The shape of a row, or of some rows."""
    if not isinstance(index, gast.Slice):
        row = constant_of(index)
        return shape[1:] if type(row) is int and -shape[0] <= row < shape[0] else None
    ends = [None if each is None else constant_of(each) for each in (index.lower, index.upper, index.step)]
    if any(each is not None and type(each) is not int for each in ends) or ends[2] == 0:
        return None
    return (len(range(*slice(*ends).indices(shape[0]))), *shape[1:])
