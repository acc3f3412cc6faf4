"""Numba overloads of functions that join arrays of several ranks and numbers, and of functions of numbers.

np.vstack((v, m))       np.hstack((s, v))       np.column_stack((v, m))       np.atleast_2d(s)

In Numba the operands are a tuple of known length and types, so the implementations are generated for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def _kinds(tup: Any) -> tuple[Any, ...] | None:
    """The types of the operands if they are numbers and arrays of several ranks, which Numba does not join."""
    kinds = tup.types if isinstance(tup, types.BaseTuple) else ()
    if not kinds or not all(isinstance(each, (types.Array, types.Number)) for each in kinds):
        return None
    return tuple(kinds) if len({getattr(each, "ndim", 0) for each in kinds}) > 1 or not _is_array(kinds[0]) else None


def _is_array(kind: Any) -> bool:
    return isinstance(kind, types.Array)


def _joining(parameters: str, name: str, parts: list[str], axis: int) -> Any:
    """The function that concatenates these expressions."""
    text = f"def impl({parameters}):\n    return np.concatenate(({''.join(f'{each}, ' for each in parts)}), {axis})\n"
    space: dict[str, Any] = {"np": np}
    exec(text, space)  # the text has names and numbers alone
    return space["impl"]


def _flat(name: str, k: int, kind: Any) -> str:
    return f"np.ravel({name}[{k}])" if _is_array(kind) else f"np.array(({name}[{k}],))"


@overload(np.hstack)
def _hstack(tup):
    kinds = _kinds(tup)
    if kinds is None or max(getattr(each, "ndim", 0) for each in kinds) > 1:
        return None
    return _joining("tup", "tup", [_flat("tup", k, each) for k, each in enumerate(kinds)], 0)


@overload(np.stack)
def _stack(arrays, axis=0):
    kinds = _kinds(arrays)
    if kinds is None or any(_is_array(each) for each in kinds):
        return None

    def stack(arrays, axis=0):
        if not -1 <= axis <= 0:
            raise ValueError("axis is out of bounds for numbers")
        return np.array(arrays)

    return stack


@overload(np.vstack)
def _vstack(tup):
    kinds = _kinds(tup)
    if kinds is None or max(getattr(each, "ndim", 0) for each in kinds) > 2:
        return None
    parts = [
        f"tup[{k}]" if getattr(each, "ndim", 0) > 1 else f"{_flat('tup', k, each)}.reshape((1, -1))"
        for k, each in enumerate(kinds)
    ]
    return _joining("tup", "tup", parts, 0)


@overload(np.column_stack)
def _column_stack(tup):
    kinds = _kinds(tup)
    if kinds is None or max(getattr(each, "ndim", 0) for each in kinds) > 2:
        return None
    parts = [
        f"tup[{k}]" if getattr(each, "ndim", 0) > 1 else f"{_flat('tup', k, each)}.reshape((-1, 1))"
        for k, each in enumerate(kinds)
    ]
    return _joining("tup", "tup", parts, 1)


@overload(np.atleast_1d)
def _atleast_1d(x):
    return (lambda x: np.array((x,))) if isinstance(x, types.Number) else None


@overload(np.atleast_2d)
def _atleast_2d(x):
    return (lambda x: np.array((x,)).reshape((1, 1))) if isinstance(x, types.Number) else None


@overload(np.atleast_3d)
def _atleast_3d(x):
    return (lambda x: np.array((x,)).reshape((1, 1, 1))) if isinstance(x, types.Number) else None


@overload(np.heaviside)
def _heaviside(x1, x2):
    if isinstance(x1, types.Number) and isinstance(x2, types.Number):
        return lambda x1, x2: x1 if x1 != x1 else (0.0 if x1 < 0 else 1.0 if x1 > 0 else x2)
    return lambda x1, x2: np.where(x1 != x1, x1, np.where(x1 < 0, 0.0, np.where(x1 > 0, 1.0, x2)))
