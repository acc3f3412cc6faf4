"""Array arithmetic in loops, element by element: no temporary arrays for what rules of derivatives compute.

    w = c * off             becomes     w = np.empty(off.shape[0])
                                        for k in range(off.shape[0]):
                                            w[k] = c * off[k]

    a_bar += c * b                      for k in range(...): a_bar[k] += c * b[k]

A part of `stored_calls`, which names the arrays in arguments of calls first. Applies to sums, differences, products and
quotients of numbers and arrays of doubles, all of one shape.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts, is_full
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.array_functions import STRONG
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    augment,
    binary,
    call,
    clone,
    dotted_path,
    load,
    loop,
    names_in,
    one_or_tuple,
    place_of,
    subscript,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.optimise.loop_nests import INDICES

_OPERATORS = gast.Add, gast.Sub, gast.Mult, gast.Div
_Extents = tuple[gast.expr, ...]


class Arithmetic:
    """Arithmetic on arrays of one function; `kinds` has the types of its names, to which others are added."""

    def __init__(self, code: Code, kinds: dict[str, nb.Type], names: Any) -> None:
        self.kinds, self.names = kinds, names
        self.aliases, self.ranks = aliases_of(code), ranks_of(code).copy()

    def extents(self, node: gast.expr, facts: Facts) -> _Extents | None:
        """The extents of an array that is computed, as expressions; None for anything else."""
        arrays = self._arrays(node) if isinstance(node, (gast.BinOp, gast.UnaryOp, gast.Call)) else None
        if not arrays:
            return None
        forms = [facts.forms_of(each) for each in arrays]
        if forms[0] is None or any(each != forms[0] for each in forms):
            return None
        return tuple(map(clone, facts.parts(arrays[0]) or ())) or None

    def stored(self, statement: Any, extents: _Extents) -> Block:
        """The statements that compute an array, which a name is assigned, in new memory."""
        target = statement.targets[0].id
        made = at(assign(target, call("np.empty", one_or_tuple([*map(clone, extents)]))), place_of(statement))
        indices = self._indices(len(extents))
        store = assign(
            subscript(load(target), one_or_tuple([*map(load, indices)]), store=True),
            self._element(statement.value, indices),
            place_of(statement),
        )
        return [made, self._nest(store, indices, extents, statement)]

    def added(self, statement: Any, facts: Facts) -> gast.stmt | None:
        """The loops for an array that is added to another one, or subtracted; None where it stays."""
        match statement:
            case gast.AugAssign(target=gast.Name(id=name), op=gast.Add() | gast.Sub(), value=value):
                noted = notes_of(statement)
                extents = self.extents(value, facts) if noted.whole and not noted.becomes_call else None
            case _:
                return None
        own = facts.forms_of(load(name)) if extents is not None and self._is_double(load(name)) else None
        arrays = self._arrays(value) or ()
        if extents is None or own is None or own != [facts.form(each) for each in extents]:
            return None
        if any(base != name and self.aliases.may_alias(name, base) for base in map(_base, arrays)):
            return None
        indices = self._indices(len(extents))
        target = subscript(load(name), one_or_tuple([*map(load, indices)]), store=True)
        total = augment(target, type(statement.op), self._element(value, indices), place_of(statement))
        return self._nest(total, indices, extents, statement)

    def _indices(self, count: int) -> list[str]:
        found = [self.names.fresh(each) for each in INDICES[:count]]
        self.kinds.update(dict.fromkeys(found, nb.int64))
        return found

    def _nest(self, inner: gast.stmt, indices: list[str], extents: _Extents, statement: gast.stmt) -> gast.stmt:
        note(inner, comment=notes_of(statement).comment)
        for index, extent in zip(reversed(indices), reversed(extents), strict=True):
            inner = loop(index, [clone(extent)], [inner], place_of(statement))
        return inner

    def _arrays(self, node: gast.expr) -> list[gast.expr] | None:
        """The array operands of an arithmetic expression; None if it has anything but arrays and numbers."""
        match node:
            case gast.BinOp(left=left, op=op, right=right) if isinstance(op, _OPERATORS):
                operands = [left, right]
            case gast.Call(func=function, args=[left, right], keywords=[]) if dotted_path(function) in STRONG:
                operands = [left, right]
            case gast.UnaryOp(op=gast.USub(), operand=operand):
                operands = [operand]
            case _:
                if self._is_number(node):
                    return []
                return [node] if self._is_double(node) else None
        found: list[gast.expr] = []
        for each in operands:
            arrays = self._arrays(each)
            if arrays is None:
                return None
            found += arrays
        return found

    def _is_number(self, node: gast.expr) -> bool:
        """Whether an expression is a real number that no store into an array changes."""
        of_arrays = any(isinstance(self.kinds.get(each), nb.Array) for each in names_in(node))
        are_real = all(isinstance(self.kinds.get(each), (nb.Float, nb.Integer)) for each in names_in(node))
        return are_real and not of_arrays and self.ranks.is_number(node)

    def _is_double(self, node: gast.expr) -> bool:
        """Whether this is an array of doubles, by a name, or rows of one."""
        if not isinstance(node, gast.Name) and not (
            isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name)
        ):
            return False
        kind: Any = self.kinds.get(_base(node))
        parts = index_parts(node) if isinstance(node, gast.Subscript) else []
        is_array = type(kind) is nb.Array and kind.dtype == nb.float64
        return is_array and kind.ndim > sum(not is_full(each) for each in parts)

    def _element(self, node: gast.expr, indices: list[str]) -> gast.expr:
        """An array expression for one element."""
        match node:
            case gast.BinOp(left=left, op=op, right=right) if not self._is_number(node):
                return binary(self._element(left, indices), type(op), self._element(right, indices))
            case gast.UnaryOp(op=op, operand=operand) if not self._is_number(node):
                return gast.UnaryOp(op=op, operand=self._element(operand, indices))
            case gast.Call(func=function, args=args) if not self._is_number(node):
                inner = [self._element(each, indices) for each in args]
                return gast.Call(func=function, args=inner, keywords=[])
        if self._is_number(node):
            return clone(node)
        own = iter([load(each) for each in indices])
        given = index_parts(node) if isinstance(node, gast.Subscript) else []
        parts = [next(own) if is_full(each) else clone(each) for each in given]
        return subscript(load(_base(node)), one_or_tuple([*parts, *own]))


def _base(node: gast.expr) -> str:
    return str(getattr(node.value if isinstance(node, gast.Subscript) else node, "id", ""))
