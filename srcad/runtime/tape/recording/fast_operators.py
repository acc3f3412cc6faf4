"""Tier 1 of recording: fast paths for the commonest calls on tensors and variables.

The methods for `+ - * / **` compute and record the call themselves if the other operand is a tensor, a variable, a
float or an int. NumPy's protocol methods (`np.sin(x)`, `np.sum(x, axis=0)`) look up the generated function of tier 2
(`generated_recorders`) directly. All other calls go to `srcad.runtime.tape.recording.dispatch.apply`, tier 3, which
gives the same results.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.runtime.tape.active_recordings import active
from srcad.runtime.tape.recording.call_plans import Plan, plan_of
from srcad.runtime.tape.recording.dispatch import apply, recorded
from srcad.runtime.tape.recording.generated_recorders import written
from srcad.runtime.tape.recording.retention import LARGE
from srcad.runtime.tape.values.arithmetic import NO_KEYWORDS
from srcad.runtime.tape.values.tensor import Tensor, next_identity
from srcad.runtime.tape.values.tensor_protocols import Operand
from srcad.runtime.tape.values.variable import Variable
from srcad.runtime.tape.why_none import note_behind_cut

Method = Callable[[Any, Any], Any]

_new = object.__new__
_Array = np.ndarray
_double = np.dtype(np.float64)

_NOTHING: Any = object()
# If a tape follows an operand, the results of these have a derivative, and are no smaller than the operands.
_OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "truediv": operator.truediv,
    "pow": operator.pow,
}


def _straight(primitive: Callable[[Any, Any], Any]) -> Method:
    """The method for an operator whose left operand is the tensor."""
    known_plans: dict[type, Plan] = {}
    is_power = primitive is operator.pow

    def method(self: Tensor, other: Any) -> Any:
        kind = type(other)
        if kind is Variable:
            other, kind = other._read(), Tensor
        if kind is Tensor:
            value = primitive(self._value, other._value)
        elif kind is float or kind is int:
            held = self._value
            if type(held) is _Array and held.dtype is _double and not is_power:
                other, given = _doubles.get(other), other
                if other is None:
                    other = _as_double(given)
            value = primitive(held, other)
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
                        return recorded(primitive, (self, other if kind is Tensor else kind(other)), result)
                    plan = known_plans.get(kind) or _settled(known_plans, primitive, (self, other), kind)
                    entry = (plan, (self, other), result, NO_KEYWORDS)
                tape.entries.append(entry)
                known.add(identity)
            elif tape.cuts:
                note_behind_cut(tape, primitive, (self, other), (result,))
        return result

    return method


def _reflected(primitive: Callable[[Any, Any], Any]) -> Method:
    """The method for an operator whose right operand is the tensor, and whose left operand is not one."""
    known_plans: dict[type, Plan] = {}
    is_power = primitive is operator.pow

    def method(self: Tensor, other: Any) -> Any:
        kind = type(other)
        if kind is not float and kind is not int:
            return apply(primitive, (other, self))
        held = self._value
        if type(held) is _Array and held.dtype is _double and not is_power:
            other, given = _doubles.get(other), other
            if other is None:
                other = _as_double(given)
        value = primitive(other, held)
        result = _new(Tensor)
        result._value = value
        result._identity = identity = next_identity()
        entry = None
        for tape in active.tapes:
            if self._identity in tape.known:
                if entry is None:
                    if value.size >= LARGE:
                        return recorded(primitive, (kind(other), self), result)
                    plan = known_plans.get(kind) or _settled(known_plans, primitive, (other, self), kind)
                    entry = (plan, (other, self), result, NO_KEYWORDS)
                tape.entries.append(entry)
                tape.known.add(identity)
            elif tape.cuts:
                note_behind_cut(tape, primitive, (other, self), (result,))
        return result

    return method


# Numbers as arrays: with these, operators on float64 arrays take two thirds of the time, forwards and in reverse.
_doubles: dict[float, Any] = {}
_MOST = 256  # the most numbers in the cache
_EXACT = 2**53  # integers up to this one are exact in float64


def _as_double(number: float) -> Any:
    """A number as an array without axes, or the number itself if NumPy could treat the two differently."""
    if type(number) is int and abs(number) > _EXACT:
        return number
    made = np.array(number, np.float64)
    if number != 0 and len(_doubles) < _MOST:  # 0.0 == -0.0 as a key
        _doubles[number] = made
    return made


def _settled(known: dict[type, Plan], primitive: Any, operands: tuple[Any, Any], kind: type) -> Plan:
    """The plan for a tensor and a number of type `kind`, for which `operands` may hold an array."""
    arguments = tuple([each if type(each) is Tensor else kind(each) for each in operands])
    plan = plan_of(primitive, arguments, NO_KEYWORDS)
    plan.settle(arguments, NO_KEYWORDS)
    return known.setdefault(kind, plan)


def _reading(method: Method) -> Method:
    """The method for variables."""

    def of_variable(self: Variable, other: Any) -> Any:
        return method(self._read(), other)

    return of_variable


def _array_ufunc(
    self: Tensor | Variable, ufunc: Any, method: str, first: Any, second: Any = _NOTHING, *rest: Any, **keywords: Any
) -> Any:
    """NumPy's `__array_ufunc__`, with a fast path for kinds of calls that have a generated function."""
    if method == "__call__" and not keywords and not rest:
        if second is _NOTHING:
            function = written.get((ufunc, type(first)))
            return function(first) if function else apply(ufunc, (first,))
        function = written.get((ufunc, type(first), type(second)))
        return function(first, second) if function else apply(ufunc, (first, second))
    if method == "outer" and not keywords and not rest:
        return apply(ufunc.outer, (first, second))
    arguments = (first, *rest) if second is _NOTHING else (first, second, *rest)
    return Operand.__array_ufunc__(self, ufunc, method, *arguments, **keywords)


def _array_function(
    self: Tensor | Variable, function: Any, types: Any, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
) -> Any:
    """NumPy's `__array_function__`, with a fast path for kinds of calls that have a generated function."""
    if keywords:
        known = written.get((function, *map(type, arguments), *keywords, *map(type, keywords.values())))
        if known is not None:
            return known(*arguments, **keywords)
    elif len(arguments) == 1:
        known = written.get((function, type(arguments[0])))
        if known is not None:
            return known(arguments[0])
    elif len(arguments) == 2:
        first, second = arguments
        known = written.get((function, type(first), type(second)))
        if known is not None:
            return known(first, second)
    elif len(arguments) == 3:
        first, second, third = arguments
        known = written.get((function, type(first), type(second), type(third)))
        if known is not None:
            return known(first, second, third)
    else:
        known = written.get((function, *map(type, arguments)))
        if known is not None:
            return known(*arguments)
    return Operand.__array_function__(self, function, types, arguments, keywords)


def _bind() -> None:
    for name, primitive in _OPERATORS.items():
        for spelled, method in ((f"__{name}__", _straight(primitive)), (f"__r{name}__", _reflected(primitive))):
            method.__name__ = spelled
            setattr(Tensor, spelled, method)
            setattr(Variable, spelled, _reading(method))
    for kind in (Tensor, Variable):
        setattr(kind, "__array_ufunc__", _array_ufunc)  # noqa: B010 - overrides the method of Operand
        setattr(kind, "__array_function__", _array_function)  # noqa: B010


_bind()
