"""Windows that slide along an axis, and the adjoint: each element gets what is in all windows that it is in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable


def windows_along(x: Any, size: int, axis: int) -> Any:
    """A window of `size` elements from each place along an axis on, as a new last axis: a view.

    >>> windows_along(np.arange(4.0), 3, 0)
    array([[0., 1., 2.],
           [1., 2., 3.]])
    """
    return np.lib.stride_tricks.sliding_window_view(x, size, axis)


@overload(windows_along)
def _overload_windows_along(x, size, axis):
    if not isinstance(x, types.Array):
        return None
    return lambda x, size, axis: np.lib.stride_tricks.sliding_window_view(x, size, axis)


@register_jitable
def sums_of_windows(g: Any, like: Any, axis: int) -> Any:
    """The adjoint of `windows_along` for an array of the shape of `like`.

    >>> sums_of_windows(np.ones((2, 3)), np.zeros(4), 0)
    array([1., 2., 2., 1.])
    """
    place = axis % like.ndim
    before, after = 1, 1
    for k in range(like.ndim):
        if k < place:
            before *= like.shape[k]
        if k > place:
            after *= like.shape[k]
    count, size = g.shape[place], g.shape[-1]
    total = np.zeros((before, like.shape[place], after), g.dtype)
    parts = np.ascontiguousarray(g).reshape((before, count, after, size))
    for k in range(size):
        total[:, k : k + count] += parts[:, :, :, k]
    return total.reshape(like.shape)
