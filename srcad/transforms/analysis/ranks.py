"""Ranks: which names of a function hold scalars, and how many dimensions arrays have, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.ir.array_functions import OF_SHAPE, STRONG
from srcad.transforms.ir.build import Block, dotted_path, is_range, names_in, walk_statements
from srcad.transforms.ir.code import Code, fact
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written


class Ranks:
    """The ranks of a function's names: `of` has the number of dimensions of arrays, and 0 for scalars."""

    def __init__(self, body: Block, parameters: Iterable[str], kinds: Mapping[str, nb.Type]) -> None:
        """`kinds` has the types of names, as far as known; others are found by what is stored in them."""
        self.of = {name: rank for name, kind in kinds.items() if (rank := _rank(kind)) is not None}
        self._find_numbers(body, frozenset(parameters))

    def copy(self) -> Ranks:
        """The same ranks, to which those of new names can be added."""
        found = copy(self)
        found.of = dict(self.of)
        return found

    def is_number(self, value: gast.expr | None) -> bool:
        """Whether the value of an expression is known to be a scalar."""
        match value:
            case gast.Constant():
                return isinstance(value.value, (int, float, complex))
            case gast.Name(id=name):
                return self.of.get(name) == 0
            case gast.BinOp(left=left, right=right):
                return self.is_number(left) and self.is_number(right)
            case gast.UnaryOp(operand=operand):
                return self.is_number(operand)
            case gast.IfExp(body=body, orelse=orelse):
                return self.is_number(body) and self.is_number(orelse)
            case gast.Compare(left=left, comparators=[right]):
                return self.is_number(left) and self.is_number(right)
            case gast.Call(func=function, args=args, keywords=[]):
                return _is_of_numbers(dotted_path(function) or "") and all(map(self.is_number, args))
            case gast.Subscript(value=gast.Name(id=name), slice=gast.Tuple(elts=parts)):
                return self.is_element(name, parts)
            case gast.Subscript(value=gast.Name(id=name), slice=part):
                return self.is_element(name, [part])
        return False

    def is_element(self, name: str, parts: list[gast.expr]) -> bool:
        """Whether a subscript of an array selects one element."""
        return self.of.get(name) == len(parts) and all(
            isinstance(constant(part), int)
            or (isinstance(part, (gast.Name, gast.BinOp)) and all(self.of.get(n) == 0 for n in names_in(part)))
            for part in parts
        )

    def allocated(self, value: gast.expr | None) -> int | None:
        """The rank of a new array, by the number of its extents; None for other expressions."""
        match value:
            case gast.Call(func=function, args=[shape, *_]) if dotted_path(function) in OF_SHAPE:
                if isinstance(shape, gast.Tuple):
                    return len(shape.elts) or None
                return 1 if self.is_number(shape) else None
        return None

    def _find_numbers(self, body: Block, parameters: frozenset[str]) -> None:
        """Add the names that only scalars, or one new array, are stored in."""
        stores: dict[str, list[gast.expr | None]] = {}
        for each in walk_statements(body):
            value = _FIRST if isinstance(each, gast.For) and is_range(each.iter) else getattr(each, "value", None)
            for name in all_written(each):
                stores.setdefault(name, []).append(value)
        pending = [name for name in stores if name not in self.of and name not in parameters]
        users: dict[str, list[str]] = {}
        for name in pending:
            for read in {read for value in stores[name] if value is not None for read in names_in(value)}:
                users.setdefault(read, []).append(name)
        unknown = set(pending)
        while pending:
            name = pending.pop()
            if name in unknown and (rank := self._stored(stores[name])) is not None:
                self.of[name] = rank
                unknown.discard(name)
                pending += users.get(name, ())

    def _stored(self, values: list[gast.expr | None]) -> int | None:
        """The rank of a name by the values that are stored in it; None where it is not known."""
        if all(map(self.is_number, values)):
            return 0
        return self.allocated(values[0]) if len(values) == 1 else None


_FIRST = gast.Constant(value=0, kind=None)  # what a loop over a range begins with, for example


@fact
def ranks_of(code: Code) -> Ranks:
    """The ranks of the names of a generated function."""
    return Ranks(code.body, code.parameters, code.kinds)


def _rank(kind: nb.Type) -> int | None:
    if isinstance(kind, nb.Array):
        return int(kind.ndim) or None  # an array without dimensions is neither
    return 0 if isinstance(kind, (nb.Number, nb.Boolean)) else None


def _is_of_numbers(path: str) -> bool:
    """Whether a function returns a scalar for scalars."""
    module, _, name = path.rpartition(".")
    is_ufunc = module == "np" and isinstance(getattr(np, name, None), np.ufunc)
    return is_ufunc or module == "math" or path in STRONG
