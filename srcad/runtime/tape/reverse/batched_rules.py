"""Batched versions of rules that are not elementwise: `g`, the adjoint of `y`, has a leading axis for the cotangents.

Each function takes `g`, the result `y`, the names of the wanted inputs, and the inputs by the names in the primitive's
rule. It returns adjoints by name, or None for a call that it does not cover. All values are real.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.kernels.arrays.scatter import is_basic

Along = Callable[..., "dict[str, Any] | None"]
Names = Collection[str]
ALONG: dict[Any, Along] = {}


def _along(*primitives: Any) -> Callable[[Along], Along]:
    def enter(function: Along) -> Along:
        ALONG.update(dict.fromkeys(primitives, function))
        return function

    return enter


@_along(operator.matmul, np.matmul, np.dot)
def product(g: Any, y: Any, wanted: Names, a: Any, b: Any) -> dict[str, Any] | None:
    """Products of vectors and matrices."""
    ranks = (np.ndim(a), np.ndim(b))
    if ranks == (1, 1):
        rows = {"a": lambda: g[:, None] * b, "b": lambda: g[:, None] * a}
    elif ranks == (2, 1):
        rows = {"a": lambda: g[:, :, None] * b, "b": lambda: g @ a}
    elif ranks == (1, 2):
        rows = {"a": lambda: g @ np.transpose(b), "b": lambda: np.reshape(a, (-1, 1)) * g[:, None, :]}
    elif ranks == (2, 2):
        rows = {"a": lambda: g @ np.transpose(b), "b": lambda: np.transpose(a) @ g}
    else:
        return None
    return {name: rows[name]() for name in wanted}


def _shifted(axis: Any, rank: int) -> tuple[int, ...]:
    """The axes, shifted by the leading axis for cotangents."""
    if axis is None or not rank:
        return tuple(range(1, rank + 1))
    return tuple([each % rank + 1 for each in (axis if isinstance(axis, (tuple, list)) else (axis,))])


def _restored(g: Any, a: Any, axis: Any) -> Any:
    """The adjoint of a reduction's result with unit dimensions in place of the reduced axes."""
    axes = _shifted(axis, a.ndim)
    return g.reshape(len(g), *[1 if k + 1 in axes else size for k, size in enumerate(a.shape)])


@_along(np.sum)
def total(g: Any, y: Any, wanted: Names, a: Any, axis: Any = None, keepdims: bool = False) -> dict[str, Any]:
    """Sum: the adjoint is broadcast to every element."""
    return {"a": np.broadcast_to(_restored(g, a, axis), (len(g), *a.shape))}


@_along(np.mean)
def mean(g: Any, y: Any, wanted: Names, a: Any, axis: Any = None, keepdims: bool = False) -> dict[str, Any] | None:
    """Mean: as for the sum, divided by the number of elements."""
    count = kernels.reduced_size(a.shape, axis) if a.ndim else 1
    return total(g / count, y, wanted, a, axis)


@_along(np.max, np.min)
def extremum(g: Any, y: Any, wanted: Names, a: Any, axis: Any = None, keepdims: bool = False) -> dict[str, Any]:
    """Maximum and minimum: elements that are equal to the result share its adjoint."""
    shares = kernels.shares(y, a, axis, keepdims) if a.ndim else 1.0
    return {"a": _restored(g, a, axis) * shares}


@_along(np.reshape, np.ravel, np.squeeze, np.expand_dims)
def reshaped(g: Any, y: Any, wanted: Names, a: Any, **rest: Any) -> dict[str, Any]:
    """The adjoint reshaped."""
    return {"a": g.reshape(len(g), *a.shape)}


@_along(np.copy, np.asarray, np.ascontiguousarray, np.asfortranarray)
def copied(g: Any, y: Any, wanted: Names, a: Any, **rest: Any) -> dict[str, Any]:
    """The adjoint unchanged."""
    return {"a": g}


@_along(np.astype)
def converted(g: Any, y: Any, wanted: Names, x: Any, dtype: Any) -> dict[str, Any]:
    """The adjoint unchanged; the caller converts its dtype."""
    return {"x": g}


@_along(np.broadcast_to)
def repeated(g: Any, y: Any, wanted: Names, array: Any, shape: Any) -> dict[str, Any]:
    """The adjoint unchanged; the caller, who knows the array's shape, sums over the broadcast axes."""
    return {"array": g}


@_along(np.transpose)
def transposed(g: Any, y: Any, wanted: Names, a: Any, axes: Any = None) -> dict[str, Any]:
    """The adjoint with its axes permuted back."""
    order = range(a.ndim)[::-1] if axes is None else [each % a.ndim for each in axes]
    return {"a": np.transpose(g, (0, *[1 + k for k in sorted(range(a.ndim), key=list(order).__getitem__)]))}


@_along(np.swapaxes)
def swapped(g: Any, y: Any, wanted: Names, a: Any, axis1: int, axis2: int) -> dict[str, Any]:
    """The adjoint with the two axes swapped back."""
    return {"a": np.swapaxes(g, axis1 % a.ndim + 1, axis2 % a.ndim + 1)}


@_along(operator.getitem)
def item(g: Any, y: Any, wanted: Names, a: Any, index: Any) -> dict[str, Any] | None:
    """Zeros with the adjoint added at the index. It is basic, or a single index array or mask."""
    is_array = isinstance(index, (np.ndarray, list))
    if not is_array and not is_basic(index):
        return None
    bar = np.zeros((len(g), *a.shape), g.dtype)
    where = (slice(None), *(index if isinstance(index, tuple) else (index,)))
    if is_array:
        np.add.at(bar, where, g)
    else:
        bar[where] = g
    return {"a": bar}


@_along(np.concatenate)
def concatenated(g: Any, y: Any, wanted: Names, arrays: Any, axis: int | None = 0) -> dict[str, Any] | None:
    """The part of the adjoint that belongs to each operand."""
    if axis is None:
        return None
    before = (slice(None),) * (axis % y.ndim + 1)
    pieces, end = [], 0
    for each in arrays:
        start, end = end, end + np.shape(each)[axis]
        pieces.append(g[before + (slice(start, end),)])
    return {"arrays": pieces}


@_along(np.stack)
def stacked(g: Any, y: Any, wanted: Names, arrays: Any, axis: int = 0) -> dict[str, Any]:
    """The layer of the adjoint that belongs to each operand."""
    before = (slice(None),) * (axis % y.ndim + 1)
    return {"arrays": [g[before + (k,)] for k in range(len(arrays))]}


@_along(np.cumsum)
def summed_up(g: Any, y: Any, wanted: Names, a: Any, axis: int | None = None) -> dict[str, Any]:
    """Cumulative sums from the other end."""
    where = 1 if axis is None or not a.ndim else axis % a.ndim + 1
    back = np.flip(np.cumsum(np.flip(g, where), where), where)
    return {"a": back.reshape(len(g), *a.shape)}
