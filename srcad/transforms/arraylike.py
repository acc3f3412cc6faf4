"""Lists and tuples where NumPy takes them for arrays: `np.mean([a, b])`, `np.dot(x, (u, v))`, `x - [1.0, 2.0]`.

In core form a tuple is a tuple, such as a shape. Which parameters of a function are arrays their names tell.
"""

from __future__ import annotations

import functools
import inspect
import operator
from typing import Any

import gast
import numpy as np

from srcad.transforms.build import dotted
from srcad.transforms.known import UNKNOWN
from srcad.transforms.memory import Structure
from srcad.transforms.respelled import Respelled

_ARRAYS = frozenset(
    ("A", "a", "b", "x", "y", "m", "v", "arr", "ary", "array", "x1", "x2", "xp", "fp", "weights", "values", "condition")
)
_ALL = (np.dot, np.inner, np.vdot, np.where, np.einsum)
_NOT = (np.array, np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.broadcast_arrays, np.meshgrid)
_JOINS = (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack)
_AUGMENTING = tuple(
    getattr(operator, name) for name in ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow")
)


class ArrayLike(Respelled):
    """Makes arrays of lists that are given for such."""

    def call(self, node: gast.Call) -> gast.expr:
        """What a call is worth."""
        meaning = self.meant(node.func)
        names = parameters(meaning) if _is_numpys(meaning) else ()
        joins = any(meaning is each for each in _JOINS)
        if names or joins:
            self.spread(node)
            if meaning is np.einsum:
                self.check_subscripts(node)
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
        """An array for a range that a function of NumPy's is given: Numba takes it for a number."""
        for each in node.args if _is_numpys(self.meant(node.func)) else ():
            if isinstance(each, gast.Call) and self.meant(each.func) is range:
                each.func = dotted("np.arange")

    def check_subscripts(self, node: gast.Call) -> None:
        """Refuse `np.einsum` with lists of axes behind the operands."""
        node.args = [self.part(each) for each in node.args]
        first, second = (*node.args, None, None)[:2]
        if isinstance(second, Structure) and not isinstance(self.constant(first), str):
            what = "np.einsum with lists of axes is not supported"
            self.refuse(what, "give the subscripts as a text: np.einsum('ij,j->i', a, b)")

    def joined(self, part: gast.expr) -> gast.expr:
        """A sequence of arrays, of which some are lists."""
        if not isinstance(part, Structure) or not isinstance(self.memory.cells[part.cell], dict):
            return part
        parts = self.parts(part)
        if not any(isinstance(each, Structure) for each in parts):
            return part
        return self.sequence(tuple, [self.as_array(each) for each in parts])

    def together(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr | None:
        """A list with an array: their elements, as NumPy has it; `*` may mean to repeat the list.

        A tuple with a shape, or another tuple that is known only at run time: both of them.
        """
        made: gast.expr | None = super().together(left, op, right)
        is_one = isinstance(left, Structure) != isinstance(right, Structure)
        sequence, other = (left, right) if isinstance(left, Structure) else (right, left)
        if made is not None or not is_one or isinstance(op, gast.Mult) or self.constant(other) is not UNKNOWN:
            return made
        if not sequence.cell.is_sequence or not isinstance(self.memory.cells[sequence.cell], dict):
            return None
        return gast.BinOp(left=self.beside(left, right), op=op, right=self.beside(right, left))


def _is_numpys(meaning: Any) -> bool:
    return isinstance(meaning, np.ufunc) or str(getattr(meaning, "__module__", "")).startswith("numpy")


def parameters(function: Any) -> tuple[str, ...]:
    """The names of positional parameters of a function of NumPy's that takes arrays; the last stands for all others.

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
    names = tuple(found)
    return (*names, "") if _ARRAYS & set(names) else ()
