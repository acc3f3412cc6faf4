"""Definitions of `sorted`, `max`, `min` with a key, of `tolist`, `functools.reduce`, and of what `operator` makes.

Values are a list, tuple or array; ranks are numbers, or tuples of numbers. The rules inline them where they are called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def largest_by(values: Any, key: Callable[[Any], Any]) -> Any:
    """The first of the values whose rank is the largest.

    >>> largest_by([1.0, -3.0, 2.0], abs)
    -3.0
    """
    found = values[0]
    most = key(found)
    for k in range(1, len(values)):
        rank = key(values[k])
        if rank > most:
            found = values[k]
            most = rank
    return found


def smallest_by(values: Any, key: Callable[[Any], Any]) -> Any:
    """The first of the values whose rank is the smallest.

    >>> smallest_by([2.0, -3.0, 1.0], abs)
    1.0
    """
    found = values[0]
    least = key(found)
    for k in range(1, len(values)):
        rank = key(values[k])
        if rank < least:
            found = values[k]
            least = rank
    return found


def ranked_by(values: Any, key: Callable[[Any], Any], reverse: bool) -> list[Any]:
    """The values in the order of their ranks; those of equal rank keep their order.

    >>> ranked_by([3.0, -1.0, 2.0], abs, False)
    [-1.0, 2.0, 3.0]
    >>> ranked_by([(1, 2.0), (1, 1.0), (0, 5.0)], lambda pair: pair, True)
    [(1, 2.0), (1, 1.0), (0, 5.0)]
    """
    ranks = [key(values[k]) for k in range(len(values))]
    order = np.arange(len(values))
    if isinstance(ranks[0], tuple):
        for place in range(len(ranks[0]) - 1, -1, -1):
            column = np.array([rank[place] for rank in ranks])[order]
            order = order[np.argsort(0.0 - column if reverse else column, kind="stable")]
    else:
        column = np.array(ranks)
        order = np.argsort(0.0 - column if reverse else column, kind="stable")
    return [values[order[k]] for k in range(len(values))]


def numbers_of(array: Any) -> list[Any]:
    """The numbers in a vector, as its method `tolist` gives them.

    >>> numbers_of(np.array([1, 2]))
    [np.int64(1), np.int64(2)]
    """
    if np.ndim(array) != 1:
        raise NotImplementedError("the method `tolist` of an array that is no vector: call it for each row")
    return [array[k] for k in range(len(array))]


def folded(function: Callable[[Any, Any], Any], values: Any) -> Any:
    """The values combined by a function of two, from the left.

    >>> folded(lambda one, other: one - other, np.array([5.0, 2.0, 1.0]))
    np.float64(2.0)
    """
    total = values[0]
    for k in range(1, len(values)):
        total = function(total, values[k])
    return total


def itself(value: Any) -> Any:
    """The value.

    >>> itself(2.0)
    2.0
    """
    return value


def item_at(values: Any, key: Any) -> Any:
    """An element: `values.__getitem__`.

    >>> item_at([1.0, 2.0], 1)
    2.0
    """
    return values[key]


def item_of(key: Any, value: Any) -> Any:
    """An element: `operator.itemgetter(key)(value)`.

    >>> item_of(1, [1.0, 2.0])
    2.0
    """
    return value[key]


def entry_at(values: Any, key: Any, otherwise: Any = None) -> Any:
    """The value of a key, or another value: `values.get`.

    >>> entry_at({"a": 2.0}, "a")
    2.0
    """
    return values.get(key, otherwise)


def items_at(keys: Sequence[Any], value: Any) -> Any:
    """The elements at several keys: `operator.itemgetter(*keys)(value)`.

    >>> items_at((1, 0), [2.0, 3.0])
    (3.0, 2.0)
    """
    return tuple([value[key] for key in keys])


def attribute_at(path: Sequence[str], value: Any) -> Any:
    """An attribute of an attribute: `operator.attrgetter(".".join(path))(value)`.

    >>> attribute_at(("T", "shape"), np.ones((2, 3)))
    (3, 2)
    """
    for name in path:
        value = getattr(value, name)
    return value


def attributes_at(paths: Sequence[Sequence[str]], value: Any) -> Any:
    """Several attributes: `operator.attrgetter(...)` of several names.

    >>> attributes_at((("ndim",), ("size",)), np.ones(3))
    (1, 3)
    """
    return tuple([attribute_at(path, value) for path in paths])


BY_KEY = (
    *(largest_by, smallest_by, ranked_by, numbers_of, folded, itself),
    *(item_at, item_of, entry_at, items_at, attribute_at, attributes_at),
)
