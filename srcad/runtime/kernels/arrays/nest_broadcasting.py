"""Broadcast the operands of fused loop nests to the shape of the nest, unless they have it already; and the adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable


@register_jitable
def common_extent(a: int, b: int) -> int:
    """The extent to which two extents broadcast. Raises ValueError if they do not.

    >>> common_extent(1, 4), common_extent(4, 4)
    (4, 4)
    """
    if b in (a, 1):
        return a
    if a == 1:
        return b
    raise ValueError("operands could not be broadcast together")


def expand(x: Any, shape: Any) -> Any:
    """The array itself if it has this shape, else a broadcast copy.

    >>> expand(np.array([1.0]), (3,))
    array([1., 1., 1.])
    """
    return x if x.shape == tuple(shape) else np.broadcast_to(x, shape).copy()


@overload(expand)
def _expand(x: Any, shape: Any) -> Any:
    if not isinstance(x, types.Array):
        return None
    if x.layout == "C":

        def contiguous(x: Any, shape: Any) -> Any:
            if x.shape == shape:
                return x
            return np.broadcast_to(x, shape).copy()

        return contiguous

    def strided(x: Any, shape: Any) -> Any:
        if x.shape == shape:
            return x
        # Indexing the last axis makes Numba forget the layout, so that both results have the same type.
        wide = np.empty((*shape, 1), x.dtype)
        wide[..., 0] = np.broadcast_to(x, shape)
        return wide[..., 0]

    def by_columns(x: Any, shape: Any) -> Any:
        if x.shape == shape:
            return x
        return np.asfortranarray(np.broadcast_to(x, shape))

    return by_columns if x.layout == "F" else strided


def expand_bar(x_bar: Any, shape: Any) -> Any:
    """The initial adjoint of the result of `expand`: the operand's own adjoint, or zeros if a copy was made."""
    return x_bar if x_bar.shape == tuple(shape) else np.zeros(shape, x_bar.dtype)


@overload(expand_bar)
def _expand_bar(x_bar: Any, shape: Any) -> Any:
    if not isinstance(x_bar, types.Array):
        return None
    if x_bar.layout == "C":

        def contiguous(x_bar: Any, shape: Any) -> Any:
            if x_bar.shape == shape:
                return x_bar
            return np.zeros(shape, x_bar.dtype)

        return contiguous

    def strided(x_bar: Any, shape: Any) -> Any:
        if x_bar.shape == shape:
            return x_bar
        return np.zeros((*shape, 1), x_bar.dtype)[..., 0]

    def by_columns(x_bar: Any, shape: Any) -> Any:
        if x_bar.shape == shape:
            return x_bar
        return np.zeros(shape[::-1], x_bar.dtype).T

    return by_columns if x_bar.layout == "F" else strided


@register_jitable
def unexpand(x_bar: Any, wide_bar: Any) -> None:
    """Add an adjoint that `expand_bar` started as zeros to that of the operand.

    >>> x_bar = np.zeros(1)
    >>> unexpand(x_bar, np.ones(3))
    >>> x_bar
    array([3.])
    """
    if x_bar.shape != wide_bar.shape:
        add_reduced(x_bar, wide_bar)


def add_reduced(x_bar: Any, wide_bar: Any) -> None:
    """`x_bar += wide_bar`, summed along the dimensions in which `x_bar` has length one. Equal ranks."""
    axes = tuple(axis for axis, extent in enumerate(x_bar.shape) if extent == 1)
    x_bar += np.sum(wide_bar, axis=axes, keepdims=True)


@overload(add_reduced)
def _add_reduced(x_bar: Any, wide_bar: Any) -> Any:
    if x_bar.ndim == 1:

        def row(x_bar: Any, wide_bar: Any) -> None:
            for i in range(wide_bar.shape[0]):
                x_bar[0] += wide_bar[i]

        return row

    def general(x_bar: Any, wide_bar: Any) -> None:
        for index in np.ndindex(wide_bar.shape):
            target = index
            for axis in range(x_bar.ndim):
                if x_bar.shape[axis] == 1:
                    target = tuple_setitem(target, axis, 0)
            x_bar[target] += wide_bar[index]

    return general
