"""What a node keeps of a call: the values that its pullback reads, protected from changes, and shapes of the others.

    y = x + a       the pullback reads no values: the node of a large sum keeps no array at all
    y = x * a       the pullback reads both: if a is the caller's array, it is copied, since it may be changed later

Copies and empty shells of arrays are made here.
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
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape.active_recordings import active
from srcad.runtime.tape.values.tensor import Tensor, tensor_of

# Types of immutable values.
SCALARS = (float, int, complex, bool, np.float64, np.float32, np.int64, np.bool_, str, slice, type(None), type(...))
_PLAIN = frozenset(SCALARS)
_IMMUTABLE = frozenset((Tensor, *SCALARS))
LARGE = 1024  # arrays of at least this many elements are worth a check before they are kept
_NOTHING = bytes(64)  # the memory of shells, of which only shape and dtype are used
_FACTS = {"shape", "ndim", "size", "dtype"}


def kept(primitive: Any, arguments: tuple[Any, ...], result: Tensor) -> tuple[tuple[Any, ...], Tensor]:
    """The arguments and the result in the form that a node keeps."""
    if result._value.size < LARGE:
        theirs = False
        for argument in arguments:
            kind = type(argument)
            if kind is Tensor:
                if argument._value.size >= LARGE:
                    break
            elif kind is np.ndarray and argument.size < LARGE:
                theirs = True
            elif kind not in _IMMUTABLE and not (kind is tuple and is_plain(argument)):
                break
        else:
            if theirs:
                arguments = tuple([each.copy() if type(each) is np.ndarray else each for each in arguments])
            return arguments, result
    # A pushforward may read values that the pullback does not.
    reads = None if active.accumulations else what_is_read(primitive, len(arguments))
    if reads is None:
        return frozen(arguments), result
    held = []
    for place, each in enumerate(arguments):
        kind = type(each)
        if kind is Tensor and (place in reads or each._value.size < LARGE):
            held.append(each)
        elif kind is np.ndarray and place in reads and each.size < LARGE:
            held.append(each.copy())
        else:
            held.append(frozen(each) if place in reads else shell(each))
    return tuple(held), result if -1 in reads else shell(result)


def is_plain(parts: Iterable[Any]) -> bool:
    """Whether all values are immutable, including those nested in tuples.

    >>> is_plain((2, (slice(None), "text"))), is_plain([np.ones(2)])
    (True, False)
    """
    for part in parts:
        kind = type(part)
        if kind not in _PLAIN and not (kind is tuple and is_plain(part)):
            return False
    return True


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
    """The positions of arguments whose elements a pullback reads, -1 for the result.

    >>> import operator
    >>> [sorted(what_is_read(each, 2)) for each in (operator.add, operator.mul, operator.truediv)]
    [[], [0, 1], [-1, 1]]
    """
    found: set[int] = set()
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


def shell(value: Any) -> Any:
    """A value with the same identity, shape and dtype that takes no memory."""
    if type(value) is Tensor:
        if value._value.size < LARGE:
            return value
        tensor = tensor_of(_shell(value._value.shape, value._value.dtype))
        tensor._identity = value._identity
        return tensor
    return _shell(value.shape, value.dtype) if isinstance(value, np.ndarray) else frozen(value)


@functools.lru_cache(256)
def _shell(shape: tuple[int, ...], dtype: Any) -> Any:
    return np.ndarray(shape, dtype, _NOTHING, 0, (0,) * len(shape))


def frozen(argument: Any) -> Any:
    """The argument with arrays that others can write to copied, so that a node keeps the values of the call."""
    if isinstance(argument, np.ndarray):
        return _copied(argument) if _is_writable(argument) else argument
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


def unshared(parts: Any) -> Any:
    """A list or tuple with the arrays in it copied; other elements stay the same objects.

    >>> array = np.ones(1)
    >>> unshared([array, (2, 3)]), unshared([array])[0] is array
    ([array([1.]), (2, 3)], False)
    """
    kind = type(parts)
    if kind is not list and kind is not tuple:
        return parts.copy() if kind is np.ndarray else parts
    found = []
    for each in parts:
        if type(each) is np.ndarray:
            found.append(each.copy())
        else:
            found.append(unshared(each) if type(each) is list or type(each) is tuple else each)
    return found if kind is list else tuple(found)


def snapshot(structure: Any) -> Any:
    """The structure with arrays that others can write to copied; arrays that share memory share it in the copies too.

    >>> array = np.arange(3.0)
    >>> first, second, third = snapshot((array, array, array[1:]))
    >>> first is second, first is array, np.shares_memory(first, third)
    (True, False, True)
    """
    theirs = [each for each in flatten(structure) if isinstance(each, np.ndarray) and _is_writable(each)]
    made: dict[int, Any] = {}
    for place, array in enumerate(theirs):
        others = [*theirs[:place], *theirs[place + 1 :]]
        if any(other is not array and np.may_share_memory(other, array) for other in others):
            owner = _owner(array)
            copy = made.setdefault(id(owner), owner.copy(order="K"))
            made[id(array)] = _same_part(array, owner, copy)
        elif id(array) not in made:
            made[id(array)] = array.copy()
    return map_leaves(lambda leaf: made.get(id(leaf), leaf), structure) if made else structure


def snapshot_of_one(array: Any) -> Any:
    """`snapshot` for a single array."""
    return array.copy() if _is_writable(array) else array


def _owner(array: Any) -> Any:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _same_part(array: Any, owner: Any, copy: Any) -> Any:
    """The part of the copy that corresponds to the part `array` of its owner."""
    if array is owner:
        return copy
    offset = array.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
    return np.ndarray(array.shape, array.dtype, copy, offset, array.strides)


def _is_writable(array: Any) -> bool:
    """Whether anyone can write to the memory of an array, through it or through the array that it is a view of."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return True
        array = array.base
    return array is not None
