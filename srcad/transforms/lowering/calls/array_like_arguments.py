"""Array-like arguments: lists and tuples as arrays in calls of NumPy and SciPy: `np.mean([a, b])`, `np.dot(x, (u, v))`.

In core form a tuple is a tuple, such as a shape. Which parameters of a function are arrays is recognised by their
names.
"""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Mapping
from string import ascii_letters
from typing import Any

import gast
import numpy as np
from numba import types as nb
from numba.np.numpy_support import as_dtype, from_dtype

from srcad.names import Names
from srcad.refusals.numpy_calls import EINSUM_LISTS
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    call,
    const,
    dotted,
    dotted_path,
    load,
    place_of,
    rewrite,
    written,
)
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.ir.primitive import operands, primitive_of
from srcad.transforms.lowering.calls.argument_dependent_calls import Respelled
from srcad.transforms.lowering.structures.abstract_state import Structure

_ARRAYS = frozenset(
    (
        *("A", "a", "b", "x", "y", "m", "v", "arr", "ary", "array", "x1", "x2", "xp", "fp", "weights", "values"),
        *("condition", "f", "val", "ar", "ar1", "ar2", "prepend", "append", "fill_value"),
        *("p", "u", "c", "c1", "c2", "a1", "a2", "seq_of_zeros"),  # coefficients and roots of polynomials
        *("X", "XA", "XB", "B", "E", "ab", "d", "e", "r", "z", "in1", "in2", "h", "sos", "signal", "divisor", "data"),
        *("input", "coordinates", "mean", "cov", "mu", "alpha", "q", "pk", "qk", "w", "scores", "compare"),
    )
)
_ALL = (np.dot, np.inner, np.vdot, np.where, np.einsum)
_NOT = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.broadcast_arrays, np.meshgrid)
_MOST_OPERANDS = 4  # of `np.einsum`, the text included
_JOINS = (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack)
_LEFT_OPEN = ("kernels.tuple_beside", "kernels.list_beside")
_AUGMENTING = tuple(
    getattr(operator, name) for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow")
)


class ArrayLike(Respelled):
    """Turns lists into arrays where functions expect arrays."""

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        meaning = self.meant(node.func)
        names = parameters(meaning) if _takes_arrays(meaning) else ()
        joins = any(meaning is each for each in _JOINS)
        if names or joins:
            self.spread(node)
            if meaning is np.einsum:
                self.read_subscripts(node)
            for place, each in enumerate(node.args):
                if joins and place == 0:
                    node.args[0] = self.joined(self.part(each))
                elif names and (names[min(place, len(names) - 1)] in _ARRAYS):
                    node.args[place] = self.as_array(self.part(each))
            for keyword in node.keywords:
                if keyword.arg in _ARRAYS and keyword.arg in names:
                    keyword.value = self.as_array(self.part(keyword.value))
        if any(meaning is each for each in _AUGMENTING):
            node.args = [self.part(each) for each in node.args]
            if isinstance(node.args[1], Structure) and not isinstance(node.args[0], Structure):
                node.args[1] = self.beside(node.args[1], node.args[0])
        return super().call(node)

    def arrange(self, node: gast.Call) -> None:
        """Turn a range that is passed to a NumPy function into an array; Numba would take it for a number."""
        for each in node.args if _is_numpys(self.meant(node.func)) else ():
            if isinstance(each, gast.Call) and self.meant(each.func) is range:
                each.func = dotted("np.arange")

    def read_subscripts(self, node: gast.Call) -> None:
        """`np.einsum` with lists of axes after the operands, or of many operands, as one of two with a text."""
        node.args = [self.part(each) for each in node.args]
        if len(node.args) > 1 and not isinstance(self.constant(node.args[0]), str) and _is_list(node.args[1]):
            node.args = self.with_letters(node.args)
        text = self.constant(node.args[0]) if node.args else None
        while isinstance(text, str) and len(node.args) > _MOST_OPERANDS:
            first, rest = _first_two(text)
            found = self.core(call("np.einsum", const(first), *(self.as_array(each) for each in node.args[1:3])))
            node.args, text = [const(rest), self.held_in_atom(found), *node.args[3:]], rest

    def with_letters(self, args: list[gast.expr]) -> list[gast.expr]:
        """The arguments of `np.einsum` with a text in place of lists of axes."""
        terms = []
        for each in [*args[1::2], *([args[-1]] if len(args) % 2 else [])]:
            axes = [self.constant(part) for part in self.parts(each)] if _is_list(each) else [None]
            if not all(axis is ... or (type(axis) is int and 0 <= axis < len(ascii_letters)) for axis in axes):
                self.refuse(EINSUM_LISTS)
            terms.append("".join(ascii_letters[axis] if isinstance(axis, int) else "..." for axis in axes))
        count = len(args) // 2
        return [const("->".join([",".join(terms[:count]), *terms[count:]])), *args[: 2 * count : 2]]

    def joined(self, part: gast.expr) -> gast.expr:
        """A sequence of arrays, with lists in it turned into arrays."""
        if not isinstance(part, Structure) or not isinstance(self.memory.cells[part.cell], dict):
            return part
        parts = self.parts(part)
        if not any(isinstance(each, Structure) for each in parts):
            return part
        return self.sequence(tuple, [self.as_array(each) for each in parts])

    def together(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr | None:
        """An operator on a list and an array, elementwise as in NumPy; `*` may also repeat the list.

        For a tuple with a shape, or another tuple known only at run time: their concatenation.
        """
        made: gast.expr | None = super().together(left, op, right)
        is_one = isinstance(left, Structure) != isinstance(right, Structure)
        sequence, other = (left, right) if isinstance(left, Structure) else (right, left)
        if made is not None or not is_one or isinstance(op, gast.Mult) or self.constant(other) is not UNKNOWN:
            return made
        if not sequence.cell.is_sequence or not isinstance(self.memory.cells[sequence.cell], dict):
            return None
        return gast.BinOp(left=self.beside(left, right), op=op, right=self.beside(right, left))


def _is_list(part: gast.expr) -> bool:
    return isinstance(part, Structure) and part.cell.is_sequence


def _first_two(subscripts: str) -> tuple[str, str]:
    """The subscripts for the product of the first two operands, and for that with all others.

    >>> _first_two("ij,jk,kl,l->i"), _first_two("...i,ij,j,j")
    (('ij,jk->ik', 'ik,kl,l->i'), ('...i,ij->...j', '...j,j,j->...'))
    """
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    if not arrow:
        letters = left.replace(",", "").replace(".", "")
        once = sorted(each for each in set(letters) if letters.count(each) == 1)
        right = ("..." if "..." in left else "") + "".join(once)
    one, other, *rest = left.split(",")
    later = "".join(rest) + right
    kept = "".join(dict.fromkeys(each for each in one + other if each in later and each != "."))
    kept = f"...{kept}" if "..." in one + other else kept
    return f"{one},{other}->{kept}", f"{','.join([kept, *rest])}->{right}"


def _is_numpys(meaning: Any) -> bool:
    return isinstance(meaning, np.ufunc) or str(getattr(meaning, "__module__", "")).startswith("numpy")


def _takes_arrays(meaning: Any) -> bool:
    return _is_numpys(meaning) or str(getattr(meaning, "__module__", "")).startswith("scipy.")


def parameters(function: Any) -> tuple[str, ...]:
    """The names of the positional parameters of a function that takes arrays; the last stands for all others.

    >>> parameters(np.hypot), parameters(np.mean)[:2], parameters(np.zeros)
    (('x',), ('a', 'axis'), ())
    """
    if any(function is each for each in _NOT):
        return ()
    if isinstance(function, np.ufunc) or any(function is each for each in _ALL):
        return ("x",)
    return _named(function) if hasattr(function, "__name__") and not isinstance(function, type) else ()


@functools.cache
def _named(function: Any) -> tuple[str, ...]:
    try:
        found = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return ()
    is_of_counts = str(getattr(function, "__module__", "")).startswith("scipy.stats.")  # `k` is a number elsewhere
    names = tuple("x" if is_of_counts and each == "k" else each for each in found)
    return (*names, "") if _ARRAYS & set(names) else ()


def with_operands(block: Block, kinds: dict[str, nb.Type], names: Names, bindings: Mapping[str, Any]) -> Block:
    """The statements, with the operands that were left open resolved to tuples or arrays, once types are known.

        t1 = kernels.tuple_beside((1,), s)      becomes     t1 = (1,) or t1 = np.array((1,))
        y = x + s                                           t2 = np.array(s); y = x + t2

    Later passes treat an operand that is not an array as a number. The types of new names are added here.
    """

    def resolved(statement: gast.stmt) -> Block:
        kind = kinds.get(str(written(statement))) if isinstance(statement, gast.Assign) else None
        if isinstance(kind, (nb.Array, nb.BaseTuple)):
            statement.value = _as_known(statement.value, kind)
        before = _arrays_before(statement, kinds, names, bindings) if isinstance(kind, nb.Array) else []
        return [*before, statement]

    return rewrite(block, resolved)


def _as_known(value: gast.expr, kind: nb.Type) -> gast.expr:
    """Resolve a tuple or list that was left open."""
    match value:
        case gast.Call(func=function, args=[parts, _]) if dotted_path(function) in _LEFT_OPEN:
            is_new = isinstance(kind, nb.Array) and isinstance(parts, gast.Tuple)
            return at(call("np.array", parts), place_of(value)) if is_new else parts
    return value


def _arrays_before(
    statement: gast.Assign, kinds: dict[str, nb.Type], names: Names, bindings: Mapping[str, Any]
) -> Block:
    """Arrays for the tuples among the operands of an elementwise operation, which then reads the arrays."""
    is_elementwise = isinstance(statement.value, (gast.BinOp, gast.Compare))
    if not is_elementwise and not isinstance(primitive_of(statement.value, bindings), np.ufunc):
        return []
    made: Block = []
    for operand in operands(statement.value)[0]:
        kind = kinds.get(operand.id) if isinstance(operand, gast.Name) else None
        if isinstance(kind, nb.BaseTuple) and (dtype := _joint(kind)) is not None:
            name = names.temporary()
            kinds[name] = nb.Array(dtype, 1, "C")
            made.append(assign(name, call("np.array", load(operand.id)), place_of(statement)))
            operand.id = name
    return made


def _joint(kind: nb.BaseTuple) -> nb.Type | None:
    """The dtype of an array made from a tuple of numbers."""
    parts = [nb.unliteral(each) for each in kind]
    if not all(isinstance(each, (nb.Number, nb.Boolean)) for each in parts):
        return None
    found: nb.Type = from_dtype(np.result_type(*map(as_dtype, parts))) if parts else nb.float64
    return found
