"""What a node keeps of a call: the values that its pullback reads, protected from changes, and shapes of the others.

y = x + a       the pullback reads no values: the node of a large sum keeps no array at all
y = x * a       the pullback reads both: if a is the caller's array, it is copied, since it may be changed later
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterable, Mapping
from typing import Any

import gast
import numpy as np

from srcad.runtime.rulebook.registry import variants
from srcad.runtime.rulebook.rule_template import Template
from srcad.runtime.support.array_snapshots import is_writable, shell_of
from srcad.runtime.support.nested_structures import map_leaves
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor, tensor_of
from srcad.runtime.tape.reverse.pullbacks import read_when_live

# Types of immutable values.
SCALARS = (float, int, complex, bool, np.float64, np.float32, np.int64, np.bool_, str, slice, type(None), type(...))
LARGE = 1024  # arrays of at least this many elements are worth a check before they are kept
_FACTS = {"shape", "ndim", "size", "dtype"}


class Keeping:
    """Whether nodes keep all values, those included that no pullback reads, so that these can be looked at."""

    everything = False


keeping = Keeping()


def retained(plan: Any, arguments: tuple[Any, ...], result: Any) -> tuple[tuple[Any, ...], Any]:
    """The arguments and the result of a call in the form that a node keeps."""
    if keeping.everything:
        return frozen(arguments), result
    if plan.composed:
        # An accumulator keeps the tangent of the result as long as the result itself.
        return frozen(arguments), result if active.accumulations else shell(result)
    if type(result) is not Tensor or not any(map(_is_large, (*arguments, result))):
        return (frozen(arguments) if plan.theirs or plan.nested else arguments), result
    # A pushforward may read values that the pullback does not.
    reads = None if active.accumulations else what_is_read(plan.primitive, len(arguments))
    if reads is None:
        return frozen(arguments), result
    held = [frozen(each) if place in reads else shell(each) for place, each in enumerate(arguments)]
    return tuple(held), result if -1 in reads else shell(result)


def _is_large(value: Any) -> bool:
    if type(value) is Tensor:
        value = value._value
    return type(value) is np.ndarray and value.size >= LARGE


_CONTENTS: Mapping[type, int] = {Tensor: 2, np.ndarray: 1, type: 0, **dict.fromkeys(SCALARS, 0)}


def contents(parts: Iterable[Any]) -> int:
    """What a list or tuple holds: 0 only immutable values, 1 arrays or lists, 2 or 3 tensors, 4 or more something else.

    Tensors that are nested more deeply count as something else.

    >>> [contents(each) for each in ((1, slice(None)), [np.ones(2)], [tensor_of(np.ones(2))], [[tensor_of(1.0)]])]
    [0, 1, 2, 5]
    """
    found = 0
    for part in parts:
        kind = type(part)
        if kind in _CONTENTS:
            found |= _CONTENTS[kind]
        elif kind is tuple or kind is list:
            inner = contents(part)
            found |= (inner if inner < 2 else 4) | (kind is list)
        elif not isinstance(part, (np.generic, np.dtype)):
            return 4
    return found


@functools.cache
def what_is_read(primitive: Any, count: int) -> frozenset[int] | None:
    """The positions of arguments whose elements a pullback reads, live or not; -1 for the result.

    >>> import operator
    >>> [sorted(what_is_read(each, 2)) for each in (operator.add, operator.mul, operator.truediv)]
    [[], [0, 1], [-1, 0, 1]]
    """
    found: set[int] = {*read_when_live(primitive, count)}
    for rule in variants(primitive):
        template = rule.partials or rule.adjoint
        if rule.kind == "zero" or template is None:
            continue
        read = _names_read(template)
        positions = rule.bind(tuple(range(count)), {}) if rule.fit.arity in (None, count) else {}
        found.update(place for name, place in positions.items() if name in read)
        found.update([-1] if template.parameters[0] in read else [])
    return frozenset(found)


def _names_read(template: Template) -> set[str]:
    """The names in a rule of which more than shape and dtype is read."""
    read: set[str] = set()
    pending: list[Any] = list(template.body)
    while pending:
        node = pending.pop()
        is_adjoint = isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name) and node.value.id == "d"
        if is_adjoint or (isinstance(node, gast.Attribute) and node.attr in _FACTS):
            continue
        if isinstance(node, gast.Name):
            read.add(node.id)
        pending.extend(gast.iter_child_nodes(node))
    return read


def is_inexact(tensor: Tensor) -> bool:
    """Whether the elements are real or complex floating-point numbers, which can have derivatives.

    >>> is_inexact(tensor_of(np.ones(2))), is_inexact(tensor_of(np.arange(2)))
    (True, False)
    """
    return type(tensor._value) is np.float64 or tensor._value.dtype.kind in "fc"


@functools.cache
def why_cut(dtype: np.dtype[Any]) -> str:
    """Why an operation without a derivative whose result has this dtype has none."""
    return "its derivative is zero everywhere" if dtype.kind in "fc" else f"its result has the dtype {dtype}"


def shell(value: Any) -> Any:
    """A value with the same identity, shape and dtype that takes no memory."""
    if type(value) is Tensor:
        if value._value.size < LARGE:
            return value
        tensor = tensor_of(shell_of(value._value.shape, value._value.dtype))
        tensor._identity = value._identity
        return tensor
    return shell_of(value.shape, value.dtype) if isinstance(value, np.ndarray) else frozen(value)


def frozen(argument: Any) -> Any:
    """The argument with arrays that others can write to copied, so that a node keeps the values of the call."""
    if isinstance(argument, np.ndarray):
        return _copied(argument) if is_writable(argument) else argument
    if type(argument) is list:
        return [each if type(each) is Tensor else frozen(each) for each in argument]
    if type(argument) is tuple:
        return tuple([each if type(each) is Tensor else frozen(each) for each in argument])
    return map_leaves(frozen, argument) if isinstance(argument, (list, tuple, dict)) else argument


# id of an array -> its last copy that is still in use. A reused id does no harm: copies are compared before use.
_copies: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def _copied(array: Any) -> Any:
    """A copy for reading; for a large array that has not changed since its last copy, that same copy."""
    if array.size < LARGE or array.dtype != np.float64 or not array.flags.c_contiguous:
        return array.copy()
    known = _copies.get(id(array))
    # Compared bit by bit, since 0.0 == -0.0 and nan != nan.
    if known is None or known.shape != array.shape or np.count_nonzero(known.view(np.int64) != array.view(np.int64)):
        known = _copies[id(array)] = array.copy()
    return known
