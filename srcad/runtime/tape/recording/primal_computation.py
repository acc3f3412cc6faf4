"""The functions that compute recorded calls on arrays: NumPy's own without their dispatch, or faster equivalents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def computed_by(primitive: Any) -> Callable[..., Any]:
    """The function that computes a primitive on arrays.

    >>> computed_by(np.cumsum)(np.ones(3), 0).tolist(), computed_by(len) is len
    ([1.0, 2.0, 3.0], True)
    """
    return _SHORT.get(primitive) or getattr(primitive, "_implementation", primitive)


def _reduction(function: Any, ufunc: Any) -> Callable[..., Any]:
    """A NumPy reduction as a call of the ufunc's `reduce`, for arrays and NumPy scalars."""

    def reduce(a: Any, axis: Any = None, *rest: Any, **keywords: Any) -> Any:
        return function(a, axis, *rest, **keywords) if rest else ufunc.reduce(a, axis, **keywords)

    return reduce


def _mean(a: Any, axis: Any = None, *rest: Any, **keywords: Any) -> Any:
    """`np.mean`, with less overhead for float64 arrays."""
    if rest or keywords or type(a) is not np.ndarray or a.dtype.char != "d" or not a.size:
        return np.mean(a, axis, *rest, **keywords)
    total = np.add.reduce(a, axis)
    return total / (a.size // total.size)


def _accumulation(function: Any, ufunc: Any) -> Callable[..., Any]:
    """A NumPy accumulation as a call of the ufunc's `accumulate`, if an axis is given."""

    def accumulate(a: Any, axis: Any = None, *rest: Any, **keywords: Any) -> Any:
        if rest or keywords or type(a) is not np.ndarray or type(axis) is not int or a.dtype.kind not in "fc":
            return function(a, axis, *rest, **keywords)
        return ufunc.accumulate(a, axis)

    return accumulate


_SHORT: Mapping[Any, Callable[..., Any]] = {
    np.mean: _mean,
    np.sum: _reduction(np.sum, np.add),
    np.prod: _reduction(np.prod, np.multiply),
    np.max: _reduction(np.max, np.maximum),
    np.min: _reduction(np.min, np.minimum),
    np.cumsum: _accumulation(np.cumsum, np.add),
    np.cumprod: _accumulation(np.cumprod, np.multiply),
}
