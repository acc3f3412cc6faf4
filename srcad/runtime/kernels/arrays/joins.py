"""Adjoints of `np.concatenate` and other functions that join arrays: the part that belongs to each operand.

In Numba the operands are a tuple of known length and types, so the overloads are generated with one statement each.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

Pieces = tuple[Any, ...]


def unconcatenate(g: Any, arrays: Any, axis: int | None = 0) -> Pieces:
    """The parts of an adjoint that belong to the operands of `np.concatenate`.

    >>> [each.tolist() for each in unconcatenate(np.arange(5.0), (np.zeros(2), np.zeros(3)))]
    [[0.0, 1.0], [2.0, 3.0, 4.0]]
    """
    if axis is None:
        return _unjoin(g, arrays, 0, math.prod)
    before = (slice(None),) * (axis % g.ndim)
    pieces, end = [], 0
    for each in arrays:
        start, end = end, end + _shape(each)[axis]
        pieces.append(g[before + (slice(start, end),)])
    return tuple(pieces)


def unstack(g: Any, arrays: Any, axis: int = 0) -> Pieces:
    """The parts of an adjoint that belong to the operands of `np.stack`.

    >>> [each.tolist() for each in unstack(np.arange(4.0).reshape(2, 2), (np.zeros(2), np.zeros(2)), 1)]
    [[0.0, 2.0], [1.0, 3.0]]
    """
    before = (slice(None),) * (axis % g.ndim)
    return tuple([g[before + (k,)] for k in range(len(arrays))])


def unvstack(g: Any, arrays: Any) -> Pieces:
    """The parts of an adjoint that belong to the operands of `np.vstack`."""
    return _unjoin(g, arrays, 0, lambda shape: 1 if len(shape) < 2 else shape[0])


def unhstack(g: Any, arrays: Any) -> Pieces:
    """The parts of an adjoint that belong to the operands of `np.hstack`."""
    axis = 0 if g.ndim == 1 else 1
    return _unjoin(g, arrays, axis, lambda shape: shape[axis] if shape else 1)


def uncolumn_stack(g: Any, arrays: Any) -> Pieces:
    """The parts of an adjoint that belong to the operands of `np.column_stack`."""
    return _unjoin(g, arrays, 1, lambda shape: 1 if len(shape) < 2 else shape[1])


def unarray(g: Any, entries: Any) -> Any:
    """The adjoints of the argument of `np.array`: an array, or nested tuples and lists of numbers.

    >>> unarray(np.array([1.0, 2.0]), (3.0, 4.0))
    (np.float64(1.0), np.float64(2.0))
    """
    if isinstance(entries, (tuple, list)):
        return tuple(unarray(g[k], each) for k, each in enumerate(entries))
    return g if np.ndim(g) == np.ndim(entries) else np.sum(g)  # an array made of a number may have a dimension


def _unjoin(g: Any, arrays: Any, axis: int, length: Callable[[tuple[int, ...]], int]) -> Pieces:
    """The parts along an axis, in the shapes of the operands; `length` gives the length of an operand's part."""
    before = (slice(None),) * axis
    pieces, end = [], 0
    for each in arrays:
        shape = _shape(each)
        start, end = end, end + length(shape)
        pieces.append(g[before + (slice(start, end),)].reshape(shape))
    return tuple(pieces)


def _shape(each: Any) -> tuple[int, ...]:
    return each.shape if type(each) is np.ndarray else np.shape(each)


@register_jitable
def _length(array: Any, axis: int) -> int:
    return array.shape[axis]  # type: ignore[no-any-return]


@register_jitable
def _rows_when_stacked(array: Any, axis: int) -> int:
    return 1 if array.ndim < 2 else array.shape[0]


@register_jitable
def _columns_when_stacked(array: Any, axis: int) -> int:
    return 1 if array.ndim < 2 else array.shape[1]


@register_jitable
def _size(array: Any, axis: int) -> int:
    return array.size  # type: ignore[no-any-return]


@functools.cache
def _taking_apart(count: int, ranks: tuple[int, ...], axis: int, length: Any, reshapes: bool) -> Callable[..., Any]:
    """`def impl(g, arrays, axis=0)` that returns the parts, generated for this number of operands."""
    lines, end, before = [], "0", ":, " * axis
    for k in range(count):
        lines.append(f"    end{k} = {end} + {1 if ranks[k] == 0 else f'length(arrays[{k}], {axis})'}")
        piece = f"g[{before}{end}:end{k}]"
        if ranks[k] == 0:
            piece = f"np.sum({piece})"
        elif reshapes:
            piece = f"np.ascontiguousarray({piece}).reshape(arrays[{k}].shape)"
        lines.append(f"    piece{k} = {piece}")
        end = f"end{k}"
    pieces = "".join(f"piece{k}, " for k in range(count))
    return _made(["def impl(g, arrays, axis=0):", *lines, f"    return ({pieces})"], {"length": length})


def _made(lines: list[str], names: dict[str, Any]) -> Callable[..., Any]:
    space: dict[str, Any] = {"np": np, **names}
    exec("\n".join(lines), space)
    made: Callable[..., Any] = space["impl"]
    return made


def _ranks(arrays: Any) -> tuple[int, ...] | None:
    kinds = arrays.types if isinstance(arrays, types.BaseTuple) else ()
    if not kinds or not all(isinstance(kind, (types.Array, types.Number)) for kind in kinds):
        return None
    return tuple(getattr(kind, "ndim", 0) for kind in kinds)


def _literal(axis: Any, default: int | None = 0) -> Any:
    """The value of a literal axis; `...` if it is not known at compile time."""
    if isinstance(axis, types.Omitted):
        axis = axis.value
    if isinstance(axis, types.NoneType):
        return None
    return axis if axis is None or isinstance(axis, int) else getattr(axis, "literal_value", ...)


@overload(unconcatenate, prefer_literal=True)
def _overload_unconcatenate(g, arrays, axis=0):
    ranks, where = _ranks(arrays), _literal(axis)
    if ranks is None or where is ...:
        return None
    if where is None:
        return _taking_apart(len(ranks), ranks, 0, _size, True)
    return _taking_apart(len(ranks), ranks, where % g.ndim, _length, False)


@overload(unstack, prefer_literal=True)
def _overload_unstack(g, arrays, axis=0):
    ranks, where = _ranks(arrays), _literal(axis)
    if ranks is None or where is ... or where is None:
        return None
    before = ":, " * (where % g.ndim)
    pieces = "".join(f"g[{before}{k}, ...], " for k in range(len(ranks)))
    return _made(["def impl(g, arrays, axis=0):", f"    return ({pieces})"], {})


@overload(unvstack)
def _overload_unvstack(g, arrays):
    ranks = _ranks(arrays)
    if ranks is None:
        return None
    impl = register_jitable(_taking_apart(len(ranks), ranks, 0, _rows_when_stacked, True))
    return lambda g, arrays: impl(g, arrays)


@overload(unhstack)
def _overload_unhstack(g, arrays):
    ranks = _ranks(arrays)
    if ranks is None:
        return None
    impl = register_jitable(_taking_apart(len(ranks), ranks, 0 if g.ndim == 1 else 1, _length, True))
    return lambda g, arrays: impl(g, arrays)


@overload(uncolumn_stack)
def _overload_uncolumn_stack(g, arrays):
    ranks = _ranks(arrays)
    if ranks is None:
        return None
    impl = register_jitable(_taking_apart(len(ranks), ranks, 1, _columns_when_stacked, True))
    return lambda g, arrays: impl(g, arrays)


@overload(unarray)
def _overload_unarray(g, entries):
    if not isinstance(entries, types.BaseTuple):
        return lambda g, entries: g
    pieces = "".join(f"unarray(g[{k}], entries[{k}]), " for k in range(len(entries.types)))
    return _made(["def impl(g, entries):", f"    return ({pieces})"], {"unarray": unarray})
