"""Nested structures of lists, tuples, named tuples and dictionaries: taken apart into leaves and put together again.

    {"b": x, "a": (y, [z])}     has the leaves     y, z, x      (dictionaries in the order of their sorted keys)

Anything else is a leaf, `None` and arrays included.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure, from left to right; a leaf alone is a list of itself.

    >>> flatten({"b": 1, "a": (2, [3, None])})
    [2, 3, None, 1]
    """
    return list(_leaves(structure))


def pack_as(structure: Any, leaves: Sequence[Any]) -> Any:
    """The same structure with other leaves, given in the order of `flatten`.

    >>> pack_as({"b": 1, "a": (2, [3])}, ["x", "y", "z"])
    {'b': 'z', 'a': ('x', ['y'])}
    """
    return _rebuilt(structure, iter(leaves))


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """The same structure with a function applied to every leaf.

    >>> map_leaves(lambda leaf: leaf + 1, [1, (2, 3)])
    [2, (3, 4)]
    """
    return pack_as(structure, [function(leaf) for leaf in _leaves(structure)])


def _leaves(structure: Any) -> Iterator[Any]:
    if isinstance(structure, (list, tuple)):
        for part in structure:
            yield from _leaves(part)
    elif isinstance(structure, Mapping):
        for key in _sorted_keys(structure):
            yield from _leaves(structure[key])
    else:
        yield structure


def _rebuilt(structure: Any, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, (list, tuple)):
        parts = [_rebuilt(part, leaves) for part in structure]
        if hasattr(structure, "_fields"):
            return type(structure)(*parts)
        return type(structure)(parts)
    if isinstance(structure, Mapping):
        by_key = {key: _rebuilt(structure[key], leaves) for key in _sorted_keys(structure)}
        in_order = {key: by_key[key] for key in structure}
        if type(structure) is dict:
            return in_order
        if hasattr(structure, "default_factory"):
            return type(structure)(structure.default_factory, in_order)  # type: ignore[call-arg]
        return type(structure)(in_order)  # type: ignore[call-arg]
    return next(leaves)


def _sorted_keys(structure: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(structure)
    except TypeError:  # keys of several types have no order but their own
        return list(structure)
