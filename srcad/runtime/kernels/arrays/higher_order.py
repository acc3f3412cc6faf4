"""Kernels for the definitions of NumPy functions that call other functions (`np.vectorize`, `np.apply_along_axis`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.extending import register_jitable


def mapped_over(pyfunc: Callable[..., Any], *arrays: Any) -> Any:
    """The function applied to each element, as `np.vectorize` does."""
    return np.vectorize(pyfunc)(*arrays)


@register_jitable
def axes_moved(values: Any, first: int, place: int) -> Any:
    """The axes from `first` on, of which there are zero, one or two, moved to begin at `place`.

    >>> axes_moved(np.zeros((2, 3, 5)), 2, 0).shape
    (5, 2, 3)
    """
    count = values.ndim - first
    if count == 0:
        return values.copy()
    found = np.moveaxis(values, first, place)
    if count == 2:
        found = np.moveaxis(found, first + 1, place + 1)
    return found.copy()


@register_jitable
def axes_moved_back(values: Any, like: Any, first: int, place: int) -> Any:
    """The inverse of `axes_moved`, for values in the shape of `like`."""
    count = like.ndim - first
    if count == 0:
        return values.copy()
    found = values
    if count == 2:
        found = np.moveaxis(found, place + 1, first + 1)
    return np.moveaxis(found, place, first).copy()
