"""Definitions of medians, quantiles and other functions of sorted elements."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, zero


@define(np.median)
def median(a, axis=None, *, keepdims=False):
    if axis is None:
        t = np.sort(np.ravel(a))
        y = 0.5 * t[(t.size - 1) // 2] + 0.5 * t[t.size // 2]  # also for booleans
        y = y + np.where(t[-1] == t[-1], 0.0, t[-1])  # NaN comes last
        return np.reshape(y, (1,) * np.ndim(a)) if keepdims else y
    if isinstance(axis, tuple):
        raise NotImplementedError("np.median along several axes: bring the array into a shape with one")
    t = np.sort(a, axis=axis)
    y = 0.5 * np.take(t, (a.shape[axis] - 1) // 2, axis=axis) + 0.5 * np.take(t, a.shape[axis] // 2, axis=axis)
    last = np.take(t, a.shape[axis] - 1, axis=axis)
    y = y + np.where(last == last, 0.0, last)
    return np.expand_dims(y, axis) if keepdims else y


@define(np.quantile)
def quantile(a, q):
    t = np.sort(np.ravel(a))
    place = np.multiply(q, t.size - 1)
    below = np.searchsorted(np.arange(t.size), place, side="right") - 1  # for one probability as for several
    above = np.minimum(below + 1, t.size - 1)
    y = t[below] + (place - below) * (t[above] - t[below])
    return y + np.where(t[-1] == t[-1], 0.0, t[-1])  # NaN comes last


@define(np.percentile)
def percentile(a, q):
    return np.quantile(a, np.divide(q, 100.0))


@define(np.quantile, given=("axis", "method", "keepdims"))
def quantile_along(a, q, axis=None, *, method="linear", keepdims=False):
    if isinstance(axis, tuple):
        raise NotImplementedError("np.quantile along several axes: bring the array into a shape with one")
    t = np.sort(np.ravel(a)) if axis is None else np.moveaxis(np.sort(a, axis=axis), axis, 0)
    place = np.multiply(q, t.shape[0] - 1)
    below = np.searchsorted(np.arange(t.shape[0]), place, side="right") - 1  # for one probability as for several
    above = np.minimum(below + 1, t.shape[0] - 1)
    if method == "linear":
        part = place - below
    elif method == "lower":
        part = 0.0 * place
    elif method == "higher":
        part = np.ceil(place) - below
    elif method == "midpoint":
        part = 0.5 * (np.ceil(place) - below)
    elif method == "nearest":
        part = np.rint(place) - below
    else:
        raise NotImplementedError(
            "np.quantile with other methods than 'linear', 'lower', 'higher', 'midpoint', 'nearest'"
        )
    if np.ndim(q) == 0 or np.ndim(t) == 1:
        y = t[below] + part * (t[above] - t[below])
    else:
        first, second = np.moveaxis(t[below], 0, -1), np.moveaxis(t[above], 0, -1)
        y = np.moveaxis(first + part * (second - first), -1, 0)
    y = y + np.where(t[-1] == t[-1], 0.0, t[-1])
    if keepdims and axis is None:
        return np.reshape(y, np.shape(q) + (1,) * np.ndim(a))
    if keepdims:
        return np.expand_dims(y, axis) if np.ndim(q) == 0 or axis < 0 else np.expand_dims(y, axis + 1)
    return y


@define(np.percentile, given=("axis", "method", "keepdims"))
def percentile_along(a, q, axis=None, *, method="linear", keepdims=False):
    return np.quantile(a, np.divide(q, 100.0), axis, method=method, keepdims=keepdims)


@define(np.nanmedian)
def nanmedian(a, axis=None, *, keepdims=False):
    if axis is None and not keepdims:
        flat = np.ravel(a)
        return np.median(flat[np.nonzero(np.isfinite(flat) | np.isinf(flat))[0]])
    return np.nanquantile(a, 0.5, axis, keepdims=keepdims)


@define(np.nanquantile)
def nanquantile(a, q, axis=None, *, method="linear", keepdims=False):
    if axis is None:
        if keepdims:
            raise NotImplementedError("np.nanquantile of all elements with `keepdims`: reshape the result")
        flat = np.ravel(a)
        known = flat[np.nonzero(np.isfinite(flat) | np.isinf(flat))[0]]
        return np.quantile(known, q) if method == "linear" else np.quantile(known, q, method=method)
    if method != "linear":
        raise NotImplementedError("np.nanquantile along an axis with other methods than 'linear'")
    if np.ndim(q) != 0:
        raise NotImplementedError("np.nanquantile along an axis for several probabilities: call it for each")
    t = np.moveaxis(np.sort(a, axis=axis), axis, -1)  # NaN comes last
    place = q * (np.sum(np.where(np.isnan(t), 0.0, 1.0), axis=-1, keepdims=True) - 1.0)
    below = kernels.whole_places(place)
    low = np.take_along_axis(t, below, -1)
    high = np.take_along_axis(t, np.minimum(below + 1, kernels.whole_places(np.ceil(place))), -1)
    y = low + (place - below) * (high - low)
    return np.moveaxis(y, -1, axis) if keepdims else np.sum(y, axis=-1)


@define(np.nanpercentile)
def nanpercentile(a, q, axis=None, *, method="linear", keepdims=False):
    return np.nanquantile(a, np.divide(q, 100.0), axis, method=method, keepdims=keepdims)


@define(np.partition)
def partition(a, kth, axis=-1):
    if axis is None:
        return np.ravel(a)[np.argpartition(np.ravel(a), kth)]
    return np.take_along_axis(a, np.argpartition(a, kth, axis), axis)


@define(np.unique, np.unique_values)
def unique(ar, *, return_index=False, return_inverse=False, return_counts=False, axis=None):
    if axis is not None:
        raise NotImplementedError("np.unique along an axis has no derivative rule")
    flat = np.ravel(ar)
    places = kernels.first_places(flat)
    if not (return_index or return_inverse or return_counts):
        return flat[places]
    parts = [flat[places]]
    if return_index:
        parts.append(places)
    if return_inverse:
        parts.append(np.searchsorted(flat[places], ar))
    if return_counts:
        parts.append(np.bincount(np.searchsorted(flat[places], flat)))
    return tuple(parts)


@define(np.take_along_axis)
def take_along_axis(arr, indices, axis=-1):
    if axis is None:
        return np.ravel(arr)[indices]
    rows, chosen = np.moveaxis(arr, axis, -1), np.moveaxis(indices, axis, -1)
    places = kernels.places_in_rows(rows.shape, chosen)
    return np.moveaxis(np.reshape(np.ravel(rows)[np.ravel(places)], chosen.shape), -1, axis)


zero(np.lexsort, np.argpartition, np.nanargmax, np.nanargmin)
zero(kernels.first_places, kernels.places_in_rows, kernels.whole_places)
