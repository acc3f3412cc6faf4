"""Alias classes (points-to by union-find): which names of a generated function are numbers, or may share memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.ir.array_functions import ALLOCATING, SHAPE_ATTRIBUTES
from srcad.transforms.ir.build import Block, dotted_path, names_in, walk_statements, written
from srcad.transforms.ir.code import Code, fact
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written


class Groups:
    """Alias classes: names that may refer to the same array, joined by union-find over all assignments."""

    def __init__(self, body: Block, numbers: Collection[str] = ()) -> None:
        """`numbers` are names of scalars, which are in no class."""
        self.numbers = numbers
        self._up: dict[str, str] = {}
        for statement in walk_statements(body):
            name = written(statement)
            match statement:
                case gast.Assign(value=value) if name:
                    self._join(name, value)
                case gast.Assign(targets=[gast.Tuple(elts=targets)], value=gast.Tuple(elts=values)):
                    for target, value in zip(targets, values, strict=True):
                        self._join(target.id, value)
                case gast.Expr(
                    value=gast.Call(func=gast.Attribute(value=gast.Name(id=kept), attr="append"), args=[value])
                ):
                    self._join(str(kept), value)

    def _join(self, name: str, value: gast.expr) -> None:
        if name in self.numbers:
            return
        for base in _bases(value):
            if base in self.numbers:
                continue
            one, other = self.find(name), self.find(base)
            if one != other:
                self._up[one] = other

    def find(self, name: str) -> str:
        """The representative of a name's class."""
        while self._up.get(name, name) != name:
            name = self._up[name]
        return name


class Memories:
    """The arrays of one generated function, their alias classes, and its scalars."""

    def __init__(self, body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> None:
        """`kinds` has the types of names, as far as known; `ranks` has the rank of arrays, and 0 for scalars."""
        self.ranks = {name: rank for name, kind in kinds.items() if (rank := _rank(kind)) is not None}
        self._find_numbers(body, parameters)
        numbers = {name for name, rank in self.ranks.items() if rank == 0}
        self.known = Groups(body, numbers)
        given = list(parameters)
        for each in walk_statements(body):
            value = getattr(each, "value", None)
            is_part = isinstance(value, (gast.Attribute, gast.Call)) and not _is_new(value)
            if is_part and set(names_in(value)) & set(parameters):
                given += set(all_written(each)) - numbers  # a part of a trace, or what it holds
        self.foreign = frozenset(map(self.known.find, given))

    def find(self, name: str) -> str:
        """The representative of all names that may share memory with this one."""
        return self.known.find(name)

    def is_own(self, name: str) -> bool:
        """Whether an array is allocated by the function itself."""
        return self.find(name) not in self.foreign

    def may_share(self, one: str, other: str) -> bool:
        """Whether two arrays may share memory; the caller may have passed the same array twice."""
        first, second = self.find(one), self.find(other)
        return first == second or (first in self.foreign and second in self.foreign)

    def is_element(self, name: str, parts: list[gast.expr]) -> bool:
        """Whether a subscript of an array selects one element."""
        return self.ranks.get(name) == len(parts) and all(
            isinstance(constant(part), int)
            or (isinstance(part, (gast.Name, gast.BinOp)) and all(self.ranks.get(n) == 0 for n in names_in(part)))
            for part in parts
        )

    def _find_numbers(self, body: Block, parameters: tuple[str, ...]) -> None:
        """Add the names that only scalars are stored in to `ranks`."""
        stores: dict[str, list[gast.expr | None]] = {}
        for each in walk_statements(body):
            for name in all_written(each):
                stores.setdefault(name, []).append(getattr(each, "value", None))
            if isinstance(each, gast.For):
                self.ranks.setdefault(each.target.id, 0)
        unknown = [name for name in stores if name not in self.ranks and name not in parameters]
        while True:
            found = [name for name in unknown if all(self.is_number(value) for value in stores[name])]
            if not found:
                return
            self.ranks |= dict.fromkeys(found, 0)
            unknown = [name for name in unknown if name not in self.ranks]

    def is_number(self, value: gast.expr | None) -> bool:
        """Whether the value of an expression is known to be a scalar."""
        match value:
            case gast.Constant():
                return isinstance(value.value, (int, float, complex))
            case gast.Name(id=name):
                return self.ranks.get(name) == 0
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


@fact
def memories_of(code: Code) -> Memories:
    """The arrays of a function, their alias classes, and its scalars."""
    return Memories(code.body, code.parameters, code.kinds)


def _bases(value: gast.expr) -> Iterator[str]:
    """The names whose memory an expression may be a view of."""
    match value:
        case gast.Name(id=name):
            yield name
        case gast.Subscript(value=base):
            yield from _bases(base)
        case gast.Call(func=function, args=arguments):
            if dotted_path(function) not in ALLOCATING:
                for argument in arguments:
                    yield from _bases(argument)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            for element in elements:
                yield from _bases(element)


def _rank(kind: nb.Type) -> int | None:
    if isinstance(kind, nb.Array):
        return int(kind.ndim) or None  # an array without dimensions is neither
    return 0 if isinstance(kind, (nb.Number, nb.Boolean)) else None


def _is_of_numbers(path: str) -> bool:
    """Whether a function returns a scalar for scalars."""
    module, _, name = path.rpartition(".")
    return module == "math" or (module == "np" and isinstance(getattr(np, name, None), np.ufunc))


def _is_new(value: gast.expr) -> bool:
    """Whether the value is a new array, or a scalar."""
    if isinstance(value, gast.Attribute):
        return value.attr in SHAPE_ATTRIBUTES
    return isinstance(value, gast.Call) and dotted_path(value.func) in ALLOCATING
