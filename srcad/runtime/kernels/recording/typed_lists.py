"""Operations on lists whose length is known only at run time, as core form has them before types are inferred.

`srcad.transforms.normalise.list_arrays` replaces the lists by arrays of their elements' type with spare capacity;
`longer` and `longer_rows` extend it. A list consists of the first `count` elements; elements after these are unused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.array_add_and_copy import copy_to


def new_list(room: int) -> list[Any]:
    """An empty list; `room` is the number of elements that it is expected to have."""
    return []


def listed(array: Any) -> list[Any]:
    """A list of the elements of an array."""
    return list(array)


def repeated(value: Any, times: int) -> list[Any]:
    """A list with one element repeated several times."""
    return [value] * times


def appended(values: list[Any], count: int, value: Any) -> list[Any]:
    """The list with one more element after the first `count`.

    >>> appended([1.0, 2.0, 3.0], 2, 5.0)
    [1.0, 2.0, 5.0]
    """
    del values[count:]
    values.append(value)
    return values


def filled(values: list[Any], count: int, value: Any) -> list[Any]:
    """`appended`, when there is room for the element."""
    return appended(values, count, value)


def replaced(values: list[Any], position: int, value: Any) -> list[Any]:
    """The list with another element at a position."""
    values[position] = value
    return values


def removed(values: list[Any], count: int, position: int) -> list[Any]:
    """The list without one of the first `count` elements.

    >>> removed([1.0, 2.0, 3.0], 3, 0)
    [2.0, 3.0]
    """
    del values[count:]
    del values[position]
    return values


def shifted(values: list[Any], count: int, position: int) -> list[Any]:
    """The list with those of the first `count` elements from `position` on moved back by one.

    >>> shifted([1.0, 2.0, 3.0, 9.0], 3, 1)
    [1.0, 2.0, 2.0, 3.0]
    """
    values[position + 1 :] = values[position:count]
    return values


def element(values: list[Any], position: int) -> Any:
    """One element."""
    return values[position]


def elements(values: list[Any], count: int) -> Any:
    """The first `count` elements as a new array."""
    return np.array(values[:count]) if count else np.empty(0)


@overload(elements, strict=False)
def _elements(values: Any, count: Any) -> Any:
    """For Numba's type inference only: lists are never compiled."""
    if not isinstance(values, types.List):
        return None
    kind = values.dtype
    if not isinstance(kind, types.Array):
        return lambda values, count: np.empty(count, kind)
    shape, number = (0,) * (kind.ndim + 1), kind.dtype
    return lambda values, count: np.empty(shape, number)


@register_jitable
def longer(values: Any) -> Any:
    """An array with twice the capacity, at least 8, that begins with the same elements.

    >>> longer(np.array([1.0, 2.0]))
    array([1., 2., 0., 0., 0., 0., 0., 0.])
    """
    found = np.zeros(max(8, 2 * values.shape[0]), values.dtype)
    copy_to(found[: values.shape[0]], values)
    return found


@register_jitable
def longer_bar(bar: Any, values: Any) -> Any:
    """The adjoint of `values`, from that of `longer(values)` or `longer_rows(values, row)`."""
    found = np.zeros(values.shape, bar.dtype)
    if values.size > 0:
        copy_to(found, bar[: values.shape[0]])
    return found


@register_jitable
def longer_rows(values: Any, row: Any) -> Any:
    """A capacity for twice as many arrays, at least 4, of the shape of `row`.

    >>> longer_rows(np.empty((0, 0)), np.ones(3)).shape
    (4, 3)
    """
    found = np.zeros((max(4, 2 * values.shape[0]), *row.shape), values.dtype)
    if values.shape[0] > 0:
        copy_to(found[: values.shape[0]], values)
    return found
