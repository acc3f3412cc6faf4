"""Flatten nested structures of lists, tuples, deques and dictionaries into leaves, and rebuild them.

    {"b": x, "a": (y, [z])}     has the leaves     y, z, x      (dictionaries in the order of their sorted keys)

Everything else is a leaf, including `None` and arrays.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from srcad.errors import BadArgument

_SEQUENCES = (list, tuple, collections.deque)
_nested: dict[type, bool] = {}  # type -> whether it is nested: a cache, since the check is slow


def flatten(structure: Any) -> list[Any]:
    """The leaves of a structure, from left to right; for a leaf, a list of that leaf.

    >>> flatten({"b": 1, "a": (2, [3, None])})
    [2, 3, None, 1]
    """
    if not is_nested(structure):
        return [structure]
    found: list[Any] = []
    _collect(structure, found)
    return found


def is_nested(value: Any) -> bool:
    """Whether a value is a list, tuple, deque or mapping.

    >>> is_nested([]), is_nested(None)
    (True, False)
    """
    kind = type(value)
    known = _nested.get(kind)
    if known is None:
        known = _nested[kind] = issubclass(kind, (*_SEQUENCES, Mapping))
    return known


def flatten_up_to(structure: Any, other: Any) -> list[Any]:
    """The parts of `other` at the positions of the leaves of `structure`.

    Raises ValueError if the two do not match.

    >>> flatten_up_to([1, {"a": 2}], ["x", {"a": ["y", "z"]}])
    ['x', ['y', 'z']]
    """
    if isinstance(structure, _SEQUENCES):
        if not isinstance(other, _SEQUENCES) or len(other) != len(structure):
            raise BadArgument(
                f"{other!r} does not have the structure of {len(structure)} parts", hint="give one value for each part"
            )
        return [leaf for pair in zip(structure, other, strict=True) for leaf in flatten_up_to(*pair)]
    if isinstance(structure, Mapping):
        if not isinstance(other, Mapping) or set(other) != set(structure):
            raise BadArgument(f"{other!r} does not have the keys {list(structure)}")
        return [leaf for key in _sorted_keys(structure) for leaf in flatten_up_to(structure[key], other[key])]
    return [other]


def pack_as(structure: Any, leaves: Sequence[Any]) -> Any:
    """The structure with other leaves, given in the order of `flatten`.

    >>> pack_as({"b": 1, "a": (2, [3])}, ["x", "y", "z"])
    {'b': 'z', 'a': ('x', ['y'])}
    """
    return _rebuilt(structure, iter(leaves)) if is_nested(structure) else leaves[0]


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """The structure with a function applied to every leaf.

    >>> map_leaves(lambda leaf: leaf + 1, [1, (2, 3)])
    [2, (3, 4)]
    """
    if not is_nested(structure):
        return function(structure)
    if isinstance(structure, _SEQUENCES):
        return _like(structure, [map_leaves(function, part) for part in structure])
    return pack_as(structure, [function(leaf) for leaf in flatten(structure)])


def _collect(structure: Any, found: list[Any]) -> None:
    in_order = structure if isinstance(structure, _SEQUENCES) else [structure[k] for k in _sorted_keys(structure)]
    for part in in_order:
        if is_nested(part):
            _collect(part, found)
        else:
            found.append(part)


def _like(structure: Any, parts: list[Any]) -> Any:
    """A list, tuple or deque of the same type."""
    kind = type(structure)
    return parts if kind is list else kind(*parts) if hasattr(structure, "_fields") else kind(parts)


def _rebuilt(structure: Any, leaves: Iterator[Any]) -> Any:
    if not is_nested(structure):
        return next(leaves)
    if isinstance(structure, _SEQUENCES):
        return _like(structure, [_rebuilt(part, leaves) for part in structure])
    by_key = {key: _rebuilt(structure[key], leaves) for key in _sorted_keys(structure)}
    in_order = {key: by_key[key] for key in structure}
    if type(structure) is dict:
        return in_order
    if hasattr(structure, "default_factory"):
        return type(structure)(structure.default_factory, in_order)
    return type(structure)(in_order)


def _sorted_keys(structure: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(structure)
    except TypeError:  # keys of several types cannot be sorted
        return list(structure)
