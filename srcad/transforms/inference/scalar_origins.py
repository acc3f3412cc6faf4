"""Scalar origins: which numbers are objects of Python and which are NumPy's, as far as it can be told from a function.

    n = len(x)              Python's int
    k = where[i]            NumPy's int64, which is no `int`
    large = x[i] > 1.0      NumPy's bool, which is not `True`, and of which two add up to one
    large = bool(large)     Python's bool

Numba has one type for both. They differ in identity, in `isinstance`, in the sum of two booleans, in negative powers of
integers and in what an integer beyond 64 bits becomes.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from functools import cached_property

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.ir.build import dotted_path, walk_statements, written
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.unit import Unit


class Origin(enum.Enum):
    """Whose object a number is."""

    PYTHON = enum.auto()
    NUMPY = enum.auto()
    ARGUMENT = enum.auto()  # the caller's: Python's in most programs
    UNKNOWN = enum.auto()


_MAKING = ("bool", "int", "float", "complex", "len", "isinstance", "callable", "any", "all", "hash", "ord")
_KEEPING = ("abs", "min", "max")
_OF_ARRAYS = ("shape", "size", "ndim", "nbytes", "itemsize", "strides")
_ROUNDS = 4  # after so many, what still changes is not known
_OF_OBJECTS = (gast.Is, gast.IsNot, gast.In, gast.NotIn)


class Origins:
    """The origins of the numbers of a unit whose names have these types; found when first asked for."""

    def __init__(self, unit: Unit, types: Types) -> None:
        self.unit, self.types = unit, types

    def of(self, node: gast.expr) -> Origin:
        """The origin of the value of an expression in core form."""
        return _value(node, self._named, self) or Origin.UNKNOWN

    @cached_property
    def stores(self) -> dict[str, list[gast.stmt]]:
        """The statements that give a value to a name, in order."""
        found: dict[str, list[gast.stmt]] = {}
        for statement in walk_statements(self.unit.tree.body):
            if (name := written(statement)) is not None:
                found.setdefault(name, []).append(statement)
        return found

    @cached_property
    def _named(self) -> dict[str, Origin | None]:
        """The origins of all names; those that depend on each other are found together, from none on."""
        known: dict[str, Origin | None] = dict.fromkeys(self.unit.parameters, Origin.ARGUMENT)
        settled, rounds = False, 0
        while not settled:
            settled, rounds = True, rounds + 1
            for name, stores in self.stores.items():
                if known.get(name) is Origin.UNKNOWN:
                    continue
                origins = [_stored(each, known, self) for each in stores]
                new = _joined([*origins, Origin.ARGUMENT] if name in self.unit.parameters else origins)
                if new is not known.get(name):
                    settled = False
                    known[name] = new if rounds < _ROUNDS else Origin.UNKNOWN
        return known


def _stored(statement: gast.stmt, known: Mapping[str, Origin | None], about: Origins) -> Origin | None:
    """The origin of what a statement gives to a name; loops of core form count."""
    return Origin.PYTHON if isinstance(statement, gast.For) else _value(statement.value, known, about)


def _value(node: gast.expr, known: Mapping[str, Origin | None], about: Origins) -> Origin | None:
    """The origin of an expression over names of known origins; None if nothing is known of its names yet."""
    match node:
        case gast.Constant() | gast.UnaryOp(op=gast.Not()):
            return Origin.PYTHON
        case gast.Name(id=name):
            return known.get(name) if name in known or name in about.stores else _of_object(about, name)
        case gast.UnaryOp(operand=operand):
            return _value(operand, known, about)
        case gast.BinOp(left=left, right=right):
            return _computed([_value(each, known, about) for each in (left, right)])
        case gast.Compare(left=left, ops=[op], comparators=[right]):
            both = [_value(each, known, about) for each in (left, right)]
            return Origin.PYTHON if isinstance(op, _OF_OBJECTS) else _computed(both)
        case gast.Attribute(attr=attr) if attr in _OF_ARRAYS:
            return Origin.PYTHON
        case gast.Subscript(value=gast.Name(id=base)):
            return _element(base, about)
        case gast.Call(func=function, args=args):
            return _returned(dotted_path(function) or "", [_value(each, known, about) for each in args], about)
    return Origin.UNKNOWN


def _of_object(about: Origins, name: str) -> Origin:
    """The origin of a global name."""
    value = about.unit.bindings.get(name)
    if isinstance(value, np.generic):
        return Origin.NUMPY
    return Origin.PYTHON if type(value) in (bool, int, float, complex) else Origin.UNKNOWN


def _element(base: str, about: Origins) -> Origin:
    """The origin of an element of an array, or of a shape."""
    if isinstance(about.types.get(base), nb.Array):
        return Origin.NUMPY
    values = [getattr(each, "value", None) for each in about.stores.get(base, [])]
    is_shape = values and all(isinstance(each, gast.Attribute) and each.attr in _OF_ARRAYS for each in values)
    return Origin.PYTHON if is_shape else Origin.UNKNOWN


def _returned(path: str, of: list[Origin | None], about: Origins) -> Origin | None:
    """The origin of what a function returns."""
    module, _, name = path.rpartition(".")
    if not module and name not in about.unit.bindings:
        return _joined(of) if name in _KEEPING else Origin.PYTHON if name in _MAKING else Origin.UNKNOWN
    if module == "math":
        return Origin.PYTHON
    if module == "operator" and len(of) == 2:
        return _computed(of)
    function = getattr(np, name, None) if about.unit.bindings.get(module) is np else None
    is_scalar = isinstance(function, type) and issubclass(function, np.generic)
    return Origin.NUMPY if is_scalar or isinstance(function, np.ufunc) else Origin.UNKNOWN


def _joined(origins: Iterable[Origin | None]) -> Origin | None:
    """The origin of a value that has one of these."""
    found = {each for each in origins if each is not None}
    return (found.pop() if len(found) == 1 else Origin.UNKNOWN) if found else None


def _computed(origins: Iterable[Origin | None]) -> Origin | None:
    """The origin of a value that is computed from these."""
    found = {each for each in origins if each is not None}
    if Origin.NUMPY in found:
        return Origin.NUMPY
    return Origin.ARGUMENT if found == {Origin.PYTHON, Origin.ARGUMENT} else _joined(found)
