"""Definitions of grids, of joins written in brackets, and of sets as sorted vectors; windows and Bessel functions."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, partial, zero

# Joins and grids


@define(kernels.joined_rows)
def joined_rows(parts):
    return np.hstack(parts) if np.ndim(parts[0]) < 2 else np.concatenate(parts)


@define(kernels.joined_columns)
def joined_columns(parts):
    return np.column_stack(parts) if np.ndim(parts[0]) < 3 else np.concatenate(parts, axis=-1)


@define(np.meshgrid)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    count = len(xi)
    found = []
    for k, x in enumerate(xi):
        axis = 1 - k if indexing == "xy" and count > 1 and k < 2 else k
        found.append(np.reshape(np.ravel(x), (1,) * axis + (-1,) + (1,) * (count - 1 - axis)))
    if sparse or count < 2:
        return tuple([np.copy(each) for each in found])
    return tuple([np.copy(each) for each in np.broadcast_arrays(*found)])


@define(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    places = [np.astype(np.arange(length), dtype) for length in shape]
    return function(*np.meshgrid(*places, indexing="ij"), **kwargs)


@define(np.unstack)
def unstack(x, *, axis=0):
    return np.moveaxis(x, axis, 0)  # an array in place of NumPy's tuple: how many parts there are, the shape tells


@define(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    y = a
    for axis in axes if isinstance(axes, (list, tuple)) else (axes,):
        reduced = func(y, axis)
        y = np.expand_dims(reduced, axis) if np.ndim(reduced) < np.ndim(y) else reduced
    return y


@define(kernels.padded_by_statistic)
def padded_by_statistic(array, pad_width, mode):
    y, widths = array, kernels.ends_of(pad_width, np.ndim(array))
    for axis in range(np.ndim(array)):
        rows = np.moveaxis(y, axis, 0)
        if mode == "maximum":
            edge = np.max(rows, axis=0, keepdims=True)
        elif mode == "minimum":
            edge = np.min(rows, axis=0, keepdims=True)
        else:
            edge = np.median(rows, axis=0, keepdims=True)
        before, after = np.repeat(edge, widths[axis, 0], axis=0), np.repeat(edge, widths[axis, 1], axis=0)
        y = np.moveaxis(np.concatenate((before, rows, after)), 0, axis)
    return y


# Sets


@define(np.union1d)
def union1d(ar1, ar2):
    return np.unique(np.concatenate((np.ravel(ar1), np.ravel(ar2))))


@define(np.intersect1d)
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    # Of equal elements, that of the first array is taken.
    if return_indices:
        raise NotImplementedError("np.intersect1d with `return_indices` has no derivative rule: use np.isin")
    values = np.sort(np.ravel(ar1)) if assume_unique else np.unique(ar1)
    return values[np.isin(values, ar2)]


@define(np.setdiff1d)
def setdiff1d(ar1, ar2, assume_unique=False):
    values = np.ravel(ar1) if assume_unique else np.unique(ar1)
    return values[np.logical_not(np.isin(values, ar2))]


@define(np.setxor1d)
def setxor1d(ar1, ar2, assume_unique=False):
    return np.unique(np.concatenate((np.setdiff1d(ar1, ar2), np.setdiff1d(ar2, ar1))))


@define(np.sort_complex)
def sort_complex(a):
    if np.iscomplexobj(a):
        return np.sort(a)
    return kernels.as_complex(np.sort(a))


zero(np.isin, np.iscomplexobj, kernels.ends_of)


# Bessel functions and windows


@define(np.i0)
def i0(x):
    return kernels.bessel_i(0, x)


@partial(kernels.bessel_i)
def bessel_i(y, n, x):
    return None, 0.5 * (kernels.bessel_i(abs(n - 1), x) + kernels.bessel_i(n + 1, x))


@define(np.kaiser)
def kaiser(M, beta):
    middle = 0.5 * (M - 1.0)
    away = (np.arange(M) - middle) / np.maximum(middle, 0.5)
    return np.i0(beta * np.sqrt(1.0 - away * away)) / np.i0(beta)
