"""What later versions of Numba have themselves: indices that are several arrays, and arguments of sums.

    a[k, m], a[k], a[k, m] = v     of index arrays that are broadcast to each other, or of several dimensions
    np.sum(a, axis)                along an axis that is known only at run time; of a number
    np.cumsum(a, axis)

Nothing here is told to a Numba that has it. Elements that are out of range raise IndexError.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.typing import arraydecl, npydecl
from numba.extending import overload, register_jitable
from numba.np import arraymath, arrayobj

from srcad.runtime.kernels.arrays.rows_along_axis import from_rows, is_none, to_rows
from srcad.runtime.kernels.overloads import reductions

__all__ = ["reductions"]  # which sums along an axis that is known only at run time

HAS_INDEX_ARRAYS = hasattr(arrayobj, "SubspaceIndexer")
HAS_SUMS = not hasattr(arraydecl, "sum_expand")
HAS_AXIS_OF_CUMSUM = hasattr(arraymath, "_numpy_cumsum_axis")


def index_arrays(a: Any, index: Any) -> list[int] | None:
    """The numbers of dimensions of the parts of an index, 0 for an integer; None for other indices than are meant here.

    >>> k = types.Array(types.int64, 2, "C")
    >>> a = types.Array(types.float64, 3, "C")
    >>> index_arrays(a, k), index_arrays(a, types.Tuple((k, types.int64))), index_arrays(a, types.int64)
    ([2], [2, 0], None)
    """
    parts = list(index) if isinstance(index, types.BaseTuple) else [index]
    if not isinstance(a, types.Array) or len(parts) > a.ndim:
        return None
    dims = []
    for each in parts:
        is_array = isinstance(each, types.Array)
        if not isinstance(each.dtype if is_array else each, types.Integer):
            return None
        dims.append(each.ndim if is_array else 0)
    return dims if any(dims) else None


@register_jitable
def broadcast_length(known: int, length: int) -> int:
    """The length of a dimension that is one length in what is known so far, and another in a further array.

    >>> broadcast_length(1, 3), broadcast_length(3, 1)
    (3, 3)
    """
    if known != 1 and length not in (1, known):
        raise IndexError("shape mismatch: indexing arrays could not be broadcast together")
    return length if known == 1 else known


@register_jitable
def in_range(place: int, length: int) -> int:
    """An index, if an axis of this length has it.

    >>> in_range(-3, 3)
    -3
    """
    if place < -length or place >= length:
        raise IndexError("index is out of bounds")
    return place


@functools.cache
def function_of_elements(dims: tuple[int, ...], is_tuple: bool, value: str | None = None) -> Callable[..., Any]:
    """A function that takes the elements at index arrays of these numbers of dimensions.

    With a `value`, "number" or "array", it stores such a value there.

    >>> take = function_of_elements((2, 0), True)
    >>> take(np.arange(6.0).reshape(2, 3), (np.array([[0], [1]]), 2))
    array([[2.],
           [5.]])
    """
    n = max(dims)
    shape, at = ("".join(f"{letter}{q}, " for q in range(n)) for letter in "ni")
    lines = [f"k{j} = index[{j}]" if is_tuple else f"k{j} = index" for j in range(len(dims))]
    for q in range(n):
        parts = [f"k{j}.shape[{q - n + d}]" for j, d in enumerate(dims) if d and q >= n - d]
        lines += [f"n{q} = 1", *(f"n{q} = broadcast_length(n{q}, {each})" for each in parts)]
    whole = f"({shape}) + a.shape[{len(dims)}:]"
    if value is None:
        lines.append(f"found = np.empty({whole}, a.dtype)")
    elif value == "array":  # a copy, since it may be a part of the array that is written into
        lines.append(f"found = np.broadcast_to(value.copy(), {whole})")
    lines += [f"{'    ' * q}for i{q} in range(n{q}):" for q in range(n)]
    places = []
    for j, d in enumerate(dims):
        own = ", ".join(f"i{q} if k{j}.shape[{q - n + d}] != 1 else 0" for q in range(n - d, n))
        places.append(f"in_range(int(k{j}{f'[{own}]' if d else ''}), a.shape[{j}])")
    here, there = f"a[{', '.join(places)}]", f"found[{at}]" if value != "number" else "value"
    lines.append("    " * n + (f"{there} = {here}" if value is None else f"{here} = {there}"))
    head = "def function(a, index):" if value is None else "def function(a, index, value):"
    text = "\n    ".join([head, *lines, *(["return found"] if value is None else [])])
    space: dict[str, Any] = {"np": np, "in_range": in_range, "broadcast_length": broadcast_length}
    exec(text, space)
    function: Callable[..., Any] = space["function"]
    return function


def _taken(a, index):
    dims = index_arrays(a, index)
    return None if dims is None else function_of_elements(tuple(dims), isinstance(index, types.BaseTuple))


def _stored(a, index, value):
    dims = index_arrays(a, index)
    if dims is None or not isinstance(value, (types.Array, types.Number, types.Boolean)):
        return None
    form = "array" if isinstance(value, types.Array) else "number"
    return function_of_elements(tuple(dims), isinstance(index, types.BaseTuple), form)


def _sum(a, axis=None):
    if isinstance(a, types.Boolean):
        return lambda a, axis=None: np.int64(a)
    if isinstance(a, types.Number):
        return lambda a, axis=None: a
    if isinstance(a, types.Array) and is_none(axis):
        return lambda a, axis=None: np.sum(a)
    if not isinstance(a, types.Array) or not isinstance(axis, types.Integer):
        return None
    return lambda a, axis=None: np.sum(a, axis=axis, keepdims=False)


def _cumsum(a, axis=None):
    if not isinstance(a, types.Array) or not isinstance(axis, types.Integer):
        return None

    def along(a, axis=None):
        rows = to_rows(a, axis)
        first = np.cumsum(rows[:1])  # has the type of the result
        found = np.empty(rows.shape, first.dtype)
        for i in range(rows.shape[0]):
            found[i] = np.cumsum(rows[i])
        return from_rows(found, a.shape, axis)

    return along


def _declines(template: Any) -> Callable[..., Any]:
    """The typing of `np.sum` that leaves to `reductions` what Numba types and then cannot compile."""
    generic = template.generic

    def of_literal_axes(self: Any, args: Any, kws: Any) -> Any:
        axis = kws.get("axis", args[1] if len(args) > 1 else None)
        is_typed_right = axis is None or isinstance(axis, types.IntegerLiteral)
        return generic(self, args, kws) if is_typed_right and "keepdims" not in kws and len(args) < 3 else None

    return of_literal_axes


if not HAS_INDEX_ARRAYS:
    overload(operator.getitem)(_taken)
    overload(operator.setitem)(_stored)
if not HAS_SUMS:
    npydecl.Numpy_method_redirection.generic = _declines(npydecl.Numpy_method_redirection)
    overload(np.sum)(_sum)
if not HAS_AXIS_OF_CUMSUM:
    overload(np.cumsum)(_cumsum)
