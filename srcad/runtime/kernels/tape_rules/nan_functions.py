"""Kernels for the tape's rules of functions that ignore nan, such as nanmean, nanvar and nanprod.

Like the rules in `tape_only`, they run on arrays and, through the functions that they call, on tensors; generated code
does not call them.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.kernels.arrays.axes import others
from srcad.runtime.kernels.arrays.scalar import divides
from srcad.runtime.kernels.arrays.scans import cumprod_adjoint, divided_cumprod_adjoint
from srcad.runtime.kernels.arrays.unbroadcast import restore
from srcad.runtime.support.fast_numpy import swift as np


def nanvar_adjoint(g: Any, a: Any, axis: Any, ddof: Any) -> Any:
    """Numbers minus their mean, times `g` divided by the divisor of `np.nanvar`; 0 for nan.

    >>> nanvar_adjoint(2.0, np.array([1.0, np.nan, 3.0]), None, 1).tolist()
    [-2.0, 0.0, 2.0]
    """
    if axis is None and type(a) is np.ndarray:
        total = np.sum(a)
        if total == total:  # there are no holes
            return (a - total / a.size) * (g / (a.size - ddof))
    return apart(a, axis) * (restore(g, a.shape, axis) * parts_of_spread(a, axis, ddof))


def nanmean_adjoint(g: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """The adjoint of `np.nanmean`: zero for nan.

    >>> nanmean_adjoint(2.0, np.array([1.0, np.nan]), None, False).tolist()
    [2.0, 0.0]
    """
    g = restore(g, a.shape, axis, keepdims)
    if axis is None and type(a) is np.ndarray:
        there = a == a
        return there * (g / np.count_nonzero(there))
    there = np.logical_not(np.isnan(a))
    return there * (g / np.sum(there, axis=axis, keepdims=True))


def nanprod_adjoint(g: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """The adjoint of `np.nanprod`: zero for nan.

    >>> nanprod_adjoint(2.0, np.array([1.0, np.nan, 3.0]), None, False).tolist()
    [6.0, 0.0, 2.0]
    """
    g = restore(g, a.shape, axis, keepdims)
    if type(a) is np.ndarray:
        product = np.multiply.reduce(a, axis=axis, keepdims=axis is not None)
        if divides(product):  # with a nan it is nan
            return g * product / a
    holes = np.isnan(a)
    return np.where(holes, 0.0, g * others(np.where(holes, 1.0, a), axis))


def nancumprod_adjoint(g: Any, a: Any, axis: Any) -> Any:
    """The adjoint of `np.nancumprod`: zero for nan.

    >>> nancumprod_adjoint(np.ones(3), np.array([1.0, np.nan, 3.0]), None).tolist()
    [5.0, 0.0, 1.0]
    """
    found = divided_cumprod_adjoint(g, a, axis) if type(a) is np.ndarray else None
    if found is not None:  # there are no holes
        return found
    holes = np.isnan(a)
    return np.where(holes, 0.0, cumprod_adjoint(g, np.where(holes, 1.0, a), axis))


def apart(a: Any, axis: Any = None) -> Any:
    """Numbers minus their mean; 0 for nan.

    >>> apart(np.array([1.0, np.nan, 3.0])).tolist()
    [-1.0, 0.0, 1.0]
    """
    there = np.logical_not(np.isnan(a))
    mean = np.sum(np.where(there, a, 0.0), axis=axis, keepdims=True) / np.sum(there, axis=axis, keepdims=True)
    return np.where(there, a - mean, 0.0)


def parts_of_spread(a: Any, axis: Any, ddof: Any) -> Any:
    """The weight of each square in `np.nanvar`."""
    return 1.0 / (np.sum(np.logical_not(np.isnan(a)), axis=axis, keepdims=True) - ddof)
