"""Extents of values: the shape of an array, by the expression that makes it.

    np.zeros((n, 3))        n and 3
    np.zeros_like(x)        those of x
    a @ b                   as many rows as a has, as many columns as b has
    np.sum(a, axis=0)       as many elements as a has columns

The rules are the same for all code. What a name in a shape stands for is left to `ssa_facts` and `point_facts`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

import gast

from srcad.transforms.analysis.affine.integer_facts import Integers
from srcad.transforms.ir.array_functions import LIKE, OF_SHAPE, REDUCING, SAME_SHAPE
from srcad.transforms.ir.build import attribute, binary, const, dotted_path, load, subscript
from srcad.transforms.ir.primitive import constant


@dataclass(frozen=True)
class Dimension:
    """An extent that is that of an array's dimension."""

    array: str
    axis: int


Extent: TypeAlias = Dimension | gast.expr
# As many rows as the right side has, which is the last argument.
_SOLVES = ("np.linalg.solve", "kernels.solve_transposed", "kernels.solve_factored", "kernels.solve_factored_transposed")


class Extents(Integers):
    """The rules, for integers that are known in some way."""

    @abstractmethod
    def held(self, name: str) -> tuple[Extent, ...] | None:
        """The extents that a tuple by name holds; None for what is no such tuple."""

    @abstractmethod
    def is_integer(self, node: gast.expr) -> bool:
        """Whether an expression is known to be an integer, and can be evaluated again."""

    def dimensions(self, array: str) -> tuple[Extent, ...] | None:
        """The extents of an array by name; None where its rank is not known."""
        rank = self.rank_of(array)
        return tuple(Dimension(array, axis) for axis in range(rank)) if rank else None

    def shape_in(self, shape: gast.expr) -> tuple[Extent, ...] | None:
        """The extents that a shape gives: a tuple, an array's shape, or an integer."""
        match shape:
            case gast.Attribute(value=gast.Name(id=array), attr="shape"):
                return self.dimensions(array)
            case gast.Tuple(elts=elements):
                return tuple(elements)
            case gast.Name(id=name) if (found := self.held(name)) is not None:
                return found
        return (shape,) if self.is_integer(shape) else None

    def extents_of(self, value: gast.expr, rank: int | None) -> tuple[Extent, ...] | None:
        """The extents of a new array, or of an array by another name; None where they are not known.

        `rank` is the rank of the value, if that is known.
        """
        match value:
            case gast.Name(id=name):
                return self.dimensions(name)
            case gast.Call(func=function) if dotted_path(function) in REDUCING:
                return self.reduced(value)
            case gast.BinOp(left=gast.Name(id=left), op=gast.MatMult(), right=gast.Name(id=right)):
                return self._product("np.dot", left, right)
            case gast.Call(func=function, args=[first, *rest], keywords=keywords):
                return self._of_call(dotted_path(function) or "", first, rest, bool(keywords), rank)
        return None

    def _of_call(
        self, path: str, first: gast.expr, rest: list[gast.expr], has_keywords: bool, rank: int | None
    ) -> tuple[Extent, ...] | None:
        if path in OF_SHAPE:
            return self.shape_in(first)
        if path in ("np.eye", "np.identity") and not has_keywords:
            columns = rest[0] if rest and path == "np.eye" else first
            return (first, columns) if self.is_integer(first) and self.is_integer(columns) else None
        if path == "kernels.lu_factors" and isinstance(first, gast.Name):
            return self._one_row_more(first.id)
        if path in _SOLVES and rest:
            first = rest[-1]
        if not isinstance(first, gast.Name):
            return None
        if path in LIKE:
            return self.dimensions(first.id)
        if path in SAME_SHAPE or path in _SOLVES:  # np.cumsum returns vectors
            return self.dimensions(first.id) if rank is not None and rank == self.rank_of(first.id) else None
        if path == "np.transpose" and not rest and not has_keywords:
            return (self.dimensions(first.id) or ())[::-1] or None
        if len(rest) == 1 and isinstance(rest[0], gast.Name) and not has_keywords:
            return self._product(path, first.id, rest[0].id)
        return None

    def _one_row_more(self, matrix: str) -> tuple[Extent, ...] | None:
        """The extents of the factors of a matrix, with a row that says how its rows were exchanged."""
        if self.rank_of(matrix) != 2:
            return None
        rows = subscript(attribute(load(matrix), "shape"), const(0))
        return binary(rows, gast.Add, const(1)), Dimension(matrix, 1)

    def _product(self, path: str, one: str, other: str) -> tuple[Extent, ...] | None:
        """The extents of a product of two matrices or vectors."""
        left, right = self.dimensions(one) or (), self.dimensions(other) or ()
        match path, len(left), len(right):
            case "np.outer", 1, 1:
                return *left, *right
            case "np.dot", 2, 1 | 2:
                return left[0], *right[1:]
            case "np.dot", 1, 2:
                return (right[1],)
            case "kernels.times_transpose", 2, 2:
                return left[0], right[0]
            case "kernels.transpose_times", 2, 1 | 2:
                return left[1], *right[1:]
        return None

    def reduced(self, value: gast.Call) -> tuple[Extent, ...] | None:
        """The extents of a reduction's result; one for a dimension that is reduced and kept."""
        cut = self.reduction(value)
        if cut is None:
            return None
        over, keeps = cut
        own = enumerate(self.dimensions(value.args[0].id) or ())
        return tuple(const(1) if axis in over else each for axis, each in own if keeps or axis not in over)

    def reduction(self, value: gast.Call) -> tuple[frozenset[int], bool] | None:
        """The dimensions, counted from the front, that a call like `np.sum(x, axis=1)` reduces, and if it keeps them.

        None where these are not literals, or there are other arguments.
        """
        given = {keyword.arg: keyword.value for keyword in value.keywords}
        if not 1 <= len(value.args) <= 2 or not set(given) <= {"axis", "keepdims"}:
            return None
        source = value.args[0]
        rank = self.rank_of(source.id) if isinstance(source, gast.Name) else None
        keeps = constant(given["keepdims"]) if "keepdims" in given else False
        over = _dimensions(value.args[1] if len(value.args) == 2 else given.get("axis"), rank or 0)
        return None if over is None or type(keeps) is not bool else (over, keeps)


def _dimensions(axis: gast.expr | None, rank: int) -> frozenset[int] | None:
    """The dimensions that an argument `axis` means: all, one or several different ones; None where not known."""
    if axis is None or (isinstance(axis, gast.Constant) and axis.value is None):
        return frozenset(range(rank)) if rank else None
    found = [constant(each) for each in (axis.elts if isinstance(axis, gast.Tuple) else [axis])]
    if not all(type(each) is int and -rank <= each < rank for each in found):
        return None
    over = frozenset(each % rank for each in found)
    return over if len(over) == len(found) else None
