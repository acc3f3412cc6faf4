"""Array expressions: what the statements of one call compute, as a graph of values that never change.

    "argument"    an array of the caller's; `data` is its position
    "number"      a number of the caller's; `data` is its position
    "constant"    a number that is the same in each call; `data` is its value
    "map"         a function of elements at the same place of its operands, which are broadcast; `data` is the function
    "view"        elements of another array; `data` is a `View`
    "reshape"     the same elements, in the order of their indices, in another shape
    "update"      the first operand, with the second one at the elements of a `View` of it, `data`
    "reduce"      `data` is the function, as "sum", and the axes, which the result does not have
    "count"       the integers from 0 on

Equal expressions are one object. What is written into an array is another value of it (see `device_values`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from srcad.cuda.functions.index_maps import Shape, View, broadcast, moved_units, relation

Dtype = np.dtype[Any]


_LONG = 32  # along which an axis of several is reduced first


class Expression:
    """One value: see the module. `weak` is that of a number of Python's, which takes the dtype of what it meets."""

    __slots__ = ("data", "dtype", "inputs", "is_weak", "number", "op", "shape")

    def __init__(
        self, op: str, shape: Shape, dtype: Dtype, inputs: tuple[Expression, ...], data: Any, is_weak: bool, number: int
    ) -> None:
        self.op, self.shape, self.dtype, self.inputs = op, shape, dtype, inputs
        self.data, self.is_weak, self.number = data, is_weak, number

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    def __repr__(self) -> str:
        return f"<{self.op} {self.data if self.op != 'view' else ''} {self.dtype}{list(self.shape)}>"


class Graph:
    """The expressions of one call, each once."""

    def __init__(self) -> None:
        self._known: dict[Any, Expression] = {}

    def made(
        self,
        op: str,
        shape: Shape,
        dtype: Any,
        inputs: Sequence[Expression] = (),
        data: Any = None,
        is_weak: bool = False,
    ) -> Expression:
        """An expression, the one that is there if there is an equal one."""
        dtype, inputs = np.dtype(dtype), tuple(inputs)
        shown = (type(data), repr(data)) if op == "constant" else data
        key = op, shape, dtype, tuple([each.number for each in inputs]), shown, is_weak
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Expression(op, shape, dtype, inputs, data, is_weak, len(self._known))
        return found

    def constant(self, value: Any, dtype: Any = None) -> Expression:
        """A number; one of Python's has the dtype of what it meets, unless a dtype is given."""
        if dtype is not None:
            return self.made("constant", (), dtype, (), np.dtype(dtype).type(value))
        is_weak = type(value) in (bool, int, float)
        return self.made("constant", (), np.result_type(value), (), value, is_weak and not isinstance(value, bool))

    def view(self, of: Expression, view: View) -> Expression:
        """A view of an array."""
        if view.is_whole(of.shape):
            return of
        if of.op == "view":
            of, view = of.inputs[0], of.data.then(view)
            return self.view(of, view)
        if of.op == "constant":
            return self.made("view", view.shape, of.dtype, (of,), View(view.shape, ()))
        if of.op == "update" and (found := self._written(of, view)) is not None:
            return found
        return self.made("view", view.shape, of.dtype, (of,), view)

    def _written(self, of: Expression, view: View) -> Expression | None:
        """A view of an array that has been written into, if it is all of what was written, or none of it."""
        while of.op == "update":
            part = relation(of.data, view)
            if isinstance(part, View):
                return self.view(of.inputs[1], part)
            if part is None:
                return self.made("view", view.shape, of.dtype, (of,), view)
            of = of.inputs[0]
        return self.view(of, view)

    def broadcast(self, of: Expression, shape: Shape) -> Expression:
        """An array broadcast to a shape."""
        return of if of.shape == shape else self.view(of, broadcast(of.shape, shape))

    def map(self, function: Callable[..., Any], *operands: Expression) -> Expression:
        """A function applied element by element, with the dtype that NumPy gives the result."""
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        dtype = result_dtype(function, tuple([_sample(each) for each in operands]))
        is_weak = all(each.is_weak for each in operands) and function in WEAK
        return self.made("map", shape, dtype, operands, function, is_weak)

    def cast(self, of: Expression, dtype: Any) -> Expression:
        """The elements in another dtype."""
        dtype = np.dtype(dtype)
        if of.dtype == dtype and not of.is_weak:
            return of
        if of.op == "constant":
            return self.constant(of.data, dtype)
        if of.op == "view" and of.inputs[0].op == "constant":
            return self.view(self.constant(of.inputs[0].data, dtype), of.data)
        return self.made("map", of.shape, dtype, (of,), "cast")

    def reshape(self, of: Expression, shape: Shape) -> Expression:
        """The elements in another shape, with as many places."""
        if of.op == "reshape":
            of = of.inputs[0]
        if of.shape == shape:
            return of
        units = moved_units(of.shape, shape)
        return self.made("reshape", shape, of.dtype, (of,)) if units is None else self.view(of, units)

    def update(self, old: Expression, view: View, new: Expression) -> Expression:
        """The array `old` after `old[...] = new`, for the elements of a view."""
        value = self.broadcast(self.cast(new, old.dtype), view.shape)
        if view.is_whole(old.shape):
            return value
        if math.prod(view.shape) == 0 or value is self.view(old, view):
            return old
        if old.op == "update" and old.data == view:
            old = old.inputs[0]
        return self.made("update", old.shape, old.dtype, (old, value), view)

    def reduce(self, kind: str, of: Expression, axes: tuple[int, ...], dtype: Any) -> Expression:
        """A reduction over axes, without these in the result."""
        shape = tuple(extent for k, extent in enumerate(of.shape) if k not in axes)
        of = self.cast(of, dtype)
        if all(of.shape[k] == 1 for k in axes):
            return self.reshape(of, shape)
        if len(axes) > 1 and min(of.shape[axes[-1]], math.prod(of.shape[k] for k in axes[:-1])) >= _LONG:
            return self.reduce(kind, self.reduce(kind, of, axes[-1:], dtype), axes[:-1], dtype)
        return self.made("reduce", shape, dtype, (of,), (kind, axes))


# Operators of Python on two of its numbers give one of its numbers.
WEAK = frozenset({np.add, np.subtract, np.multiply, np.true_divide, np.power, np.negative, np.positive, np.absolute})


def _sample(of: Expression) -> Any:
    """Something of the dtype of an expression, by which NumPy tells that of results."""
    if of.is_weak:
        return {"b": bool, "i": int, "f": float}[of.dtype.kind]
    return of.dtype, bool(of.shape)


@functools.cache
def result_dtype(function: Any, samples: tuple[Any, ...]) -> Dtype:
    """The dtype of a function of elements: of types of Python's, or of dtypes and whether they are of arrays."""
    values = [
        each(1) if isinstance(each, type) else np.ones(1 if each[1] else (), each[0])[... if each[1] else ()]
        for each in samples
    ]
    with np.errstate(all="ignore"):
        return np.asarray(function(*values)).dtype


def reachable(roots: Iterable[Expression], stop: Callable[[Expression], bool] = lambda each: False) -> list[Expression]:
    """The expressions that roots are made of, operands first; not what is below one that `stop` names.

    >>> graph = Graph()
    >>> one = graph.constant(1.0)
    >>> len(reachable([graph.map(np.add, one, one)]))
    2
    """
    found: dict[int, Expression] = {}
    pending = [(each, False) for each in reversed(list(roots))]
    while pending:
        each, is_done = pending.pop()
        if is_done:
            found[each.number] = each
        elif each.number not in found:
            pending.append((each, True))
            if not stop(each):
                pending += [(operand, False) for operand in each.inputs if operand.number not in found]
    return list(found.values())
