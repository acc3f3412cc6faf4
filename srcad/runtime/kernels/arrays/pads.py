"""`np.pad` for the modes in which it is linear, and its adjoint."""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.refusals.numpy_calls import PAD_MODE

Shape = tuple[int, ...]


def unpad(g: Any, shape: Shape, pad_width: Any, mode: str = "constant") -> Any:
    """The adjoint of `np.pad`: the border is cut off, and copied border elements are added to their origin.

    >>> unpad(np.array([0.0, 1.0, 2.0, 0.0, 0.0]), (2,), (1, 2))
    array([1., 2.])
    >>> unpad(np.array([5.0, 1.0, 2.0, 30.0, 40.0]), (2,), (1, 2), "edge")
    array([ 6., 72.])
    """
    if mode == "constant":
        if isinstance(pad_width, int):
            starts: list[int] = [pad_width] * len(shape)
        else:
            starts = np.broadcast_to(pad_width, (len(shape), 2))[:, 0].tolist()
        return g[tuple([slice(start, start + size) for start, size in zip(starts, shape, strict=True)])]
    if mode in _BLENDING:
        return _unblended(g, shape, np.broadcast_to(pad_width, (len(shape), 2)), mode)
    _refuse_mode(mode)
    places = np.pad(np.arange(int(np.prod(shape))).reshape(shape), pad_width, mode)  # type: ignore[call-overload]
    bar = np.zeros(int(np.prod(shape)), g.dtype)
    np.add.at(bar, places.ravel(), np.ravel(g))
    return bar.reshape(shape)


def _unblended(g: Any, shape: Shape, widths: Any, mode: str) -> Any:
    """`unpad` for modes whose border is computed from the array, one axis after the other."""
    for axis in reversed(range(len(shape))):
        before, after = map(int, widths[axis])
        first, middle, last = np.split(np.moveaxis(g, axis, 0), (before, before + shape[axis]))
        bar = np.array(middle)
        if mode == "mean":
            bar += (first.sum(axis=0) + last.sum(axis=0)) / max(1, shape[axis])
        else:
            bar[0] += np.tensordot(np.arange(before) / max(1, before), first, 1)
            bar[-1] += np.tensordot(np.arange(after)[::-1] / max(1, after), last, 1)
        g = np.moveaxis(bar, 0, axis)
    return g


def padded(array: Any, pad_width: Any, mode: str = "constant") -> Any:
    """`np.pad` for the modes in which it is linear in the array. Raises NotDifferentiable for others.

    >>> padded(np.array([1.0, 2.0]), 1, "edge")
    array([1., 1., 2., 2.])
    """
    _refuse_mode(mode)
    return np.pad(array, pad_width, mode)  # type: ignore[call-overload]


def padded_by_statistic(array: Any, pad_width: Any, mode: str) -> Any:
    """`np.pad` with the largest, smallest or middle element along each axis.

    >>> padded_by_statistic(np.array([1.0, 4.0]), 1, "maximum")
    array([4., 1., 4., 4.])
    """
    return np.pad(array, pad_width, mode)  # type: ignore[call-overload]


def ends_of(pad_width: Any, ndim: int) -> Any:
    """The widths before and after each axis, as a matrix.

    >>> ends_of((1, 2), 2)
    array([[1, 2],
           [1, 2]])
    """
    return np.broadcast_to(pad_width, (ndim, 2))


def _refuse_mode(mode: str) -> None:
    if mode not in _COPYING + _BLENDING:
        raise PAD_MODE.error(mode=mode, modes=", ".join(_COPYING + _BLENDING))


_COPYING = ("constant", "edge", "reflect", "symmetric", "wrap")
_BLENDING = ("linear_ramp", "mean")
