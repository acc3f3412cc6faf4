"""Operators on tensors and variables, NumPy's functions of one tensor, and its joins of tensors, the short way.

What `srcad.runtime.dispatch.apply` does for any call is done here for the calls of which there are most, without a look
at what cannot be. Everything else is handed on to it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from srcad.runtime.active import active
from srcad.runtime.arithmetic import NO_KEYWORDS
from srcad.runtime.dispatch import apply, checked, recorded
from srcad.runtime.explain import note_behind_cut
from srcad.runtime.keep import LARGE
from srcad.runtime.node import GeneralNode
from srcad.runtime.operand import Operand
from srcad.runtime.tensor import Tensor, next_identity, tensor_of
from srcad.runtime.variable import Variable

_JOINS = frozenset((np.concatenate, np.stack))

Method = Callable[[Any, Any], Any]

_new = object.__new__

# Where a tape follows an operand, their results have a derivative, and are no smaller than the operands.
_OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "pow": operator.pow,
}


def _straight(primitive: Callable[[Any, Any], Any]) -> Method:
    """The method of tensors that an operator calls if the tensor is its left operand."""

    def method(self: Tensor, other: Any) -> Any:
        kind = type(other)
        if kind is Variable:
            other, kind = other._read(), Tensor
        if kind is Tensor:
            value = primitive(self._value, other._value)
        elif kind is float or kind is int:
            value = primitive(self._value, other)
        else:
            return apply(primitive, (self, other))
        result = _new(Tensor)
        result._value = value
        result._identity = identity = next_identity()
        entry = None
        for tape in active.tapes:
            known = tape.known
            if self._identity in known or (kind is Tensor and other._identity in known):
                if entry is None:
                    if value.size >= LARGE:
                        return recorded(primitive, (self, other), NO_KEYWORDS, result, active.tapes)
                    entry = (primitive, (self, other), result)
                tape.entries.append(entry)
                known.add(identity)
            elif tape.cuts:
                note_behind_cut(tape, primitive, (self, other), (result,))
        return result

    return method


def _reflected(primitive: Callable[[Any, Any], Any]) -> Method:
    """The method that the operator calls if the tensor is its right operand, and the left one is no tensor."""

    def method(self: Tensor, other: Any) -> Any:
        if type(other) is not float and type(other) is not int:
            return apply(primitive, (other, self))
        value = primitive(other, self._value)
        result = _new(Tensor)
        result._value = value
        result._identity = identity = next_identity()
        entry = None
        for tape in active.tapes:
            if self._identity in tape.known:
                if entry is None:
                    if value.size >= LARGE:
                        return recorded(primitive, (other, self), NO_KEYWORDS, result, active.tapes)
                    entry = (primitive, (other, self), result)
                tape.entries.append(entry)
                tape.known.add(identity)
            elif tape.cuts:
                note_behind_cut(tape, primitive, (other, self), (result,))
        return result

    return method


def _reading(method: Method) -> Method:
    """The same method for variables."""

    def of_variable(self: Variable, other: Any) -> Any:
        return method(self._read(), other)

    return of_variable


def _array_ufunc(self: Tensor | Variable, ufunc: Any, method: str, *arguments: Any, **keywords: Any) -> Any:
    """NumPy's protocol; short for functions of one tensor that are known to have a rule."""
    if method != "__call__":
        return Operand.__array_ufunc__(self, ufunc, method, *arguments, **keywords)
    if len(arguments) != 1 or keywords or ufunc not in checked:
        return apply(ufunc, arguments, keywords)
    tensor = self._read()
    if tensor is not self:  # a variable
        arguments = (tensor,)
    value = ufunc(tensor._value)
    result = _new(Tensor)
    result._value = value
    result._identity = identity = next_identity()
    entry = None
    for tape in active.tapes:
        if tensor._identity in tape.known:
            if entry is None:
                if value.size >= LARGE:
                    return recorded(ufunc, arguments, NO_KEYWORDS, result, active.tapes)
                entry = (ufunc, arguments, result)
            tape.entries.append(entry)
            tape.known.add(identity)
        elif tape.cuts:
            note_behind_cut(tape, ufunc, arguments, (result,))
    return result


def _array_function(
    self: Tensor | Variable, function: Any, types: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """NumPy's protocol; short for tensors joined along an axis."""
    if function in checked and function not in _JOINS:
        return apply(function, arguments, keywords)
    axis = keywords.get("axis", 0)
    is_join = function in _JOINS and len(arguments) == 1 and len(keywords) == ("axis" in keywords)
    if not is_join or type(axis) is not int or type(arguments[0]) not in (list, tuple):
        return Operand.__array_function__(self, function, types, arguments, keywords)
    parts: Sequence[Any] = arguments[0]
    for part in parts:
        if type(part) is not Tensor:
            return Operand.__array_function__(self, function, types, arguments, keywords)
    result = tensor_of(function([part._value for part in parts], axis=axis))
    node = None
    for tape in active.tapes:
        if any(part._identity in tape.known for part in parts):
            if result._value.dtype.kind not in "fc":
                return Operand.__array_function__(self, function, types, arguments, keywords)
            node = node or GeneralNode(function, (tuple(parts), axis), NO_KEYWORDS, result)
            tape.entries.append(node)
            tape.known.add(result._identity)
        elif tape.cuts:
            note_behind_cut(tape, function, parts, (result,))
    return result


def _bind() -> None:
    for name, primitive in _OPERATORS.items():
        for spelled, method in ((f"__{name}__", _straight(primitive)), (f"__r{name}__", _reflected(primitive))):
            method.__name__ = spelled
            setattr(Tensor, spelled, method)
            setattr(Variable, spelled, _reading(method))
    for kind in (Tensor, Variable):
        setattr(kind, "__array_ufunc__", _array_ufunc)  # noqa: B010 - it overrides that of all operands
        setattr(kind, "__array_function__", _array_function)  # noqa: B010


_bind()
