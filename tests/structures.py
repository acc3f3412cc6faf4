"""Arguments that are structures: their numbers in one vector, and structures moved along such a vector."""

import copy
import enum
import functools
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

# These hold no arguments.
_WHOLE = (type, enum.Enum, FunctionType, BuiltinFunctionType, MethodType)


def numbers(value: Any) -> np.ndarray:
    """All floats in a structure of lists, tuples, dictionaries and objects, in order, as one vector."""
    found: list[np.ndarray] = []
    mapped(value, lambda leaf: found.append(np.ravel(leaf)) or leaf)
    return np.concatenate(found) if found else np.zeros(0)


def like(value: Any, vector: np.ndarray) -> Any:
    """A structure of its own like this one, whose floats are those of the vector."""
    rest = iter(vector)

    def taken(leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray):
            return np.array([next(rest) for _ in range(leaf.size)], leaf.dtype).reshape(leaf.shape)
        return type(leaf)(next(rest))

    return mapped(value, taken)


def mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of a structure in which floats and arrays of floats are changed; everything else is as it was."""
    if isinstance(value, (float, np.floating)) or (isinstance(value, np.ndarray) and value.dtype.kind == "f"):
        return change(value)
    if isinstance(value, dict):
        return {key: mapped(part, change) for key, part in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(mapped(part, change) for part in value))
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(part, change) for part in value])
    if hasattr(value, "__dict__") and not isinstance(value, _WHOLE):
        made = copy.copy(value)
        for name, part in vars(value).items():
            object.__setattr__(made, name, mapped(part, change))
        return made
    return value


def part(given: dict[str, Any], path: str) -> Any:
    """The argument, or the attribute of an attribute of it, that a path names."""
    name, *attributes = path.split(".")
    return functools.reduce(getattr, attributes, given[name])


def with_part(given: dict[str, Any], path: str, value: Any) -> None:
    """Replace a part."""
    owner, _, last = path.rpartition(".")
    if owner:
        object.__setattr__(part(given, owner), last, value)
    else:
        given[path] = value
