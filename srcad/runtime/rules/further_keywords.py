"""Definitions of calls with keywords that say in which type, over which elements or along which axis NumPy computes.

    np.nansum(x, where=mask)                np.sum(np.where(np.isnan(x), 0.0, x), where=mask)
    np.stack(parts, dtype=np.float32)       np.astype(np.stack(parts), np.float32)

Like those in `further_arguments`, each one is inlined only where one of the parameters in `given` is passed. Keywords
that change nothing in the result are dropped before (`transforms.lowering.calls.library_keywords`).
"""

import numpy as np

from srcad.runtime.rulebook.registry import define

# Reductions that leave out NaN


@define(np.nansum, given=("dtype", "initial", "where"))
def nansum_of_some(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    known = np.where(np.isnan(a), 0.0, a)
    return np.sum(known, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@define(np.nanprod, given=("dtype", "initial", "where"))
def nanprod_of_some(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    known = np.where(np.isnan(a), 1.0, a)
    return np.prod(known, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@define(np.nanmax, given=("initial", "where"))
def nanmax_of_some(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.nanmin, given=("initial", "where"))
def nanmin_of_some(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    return np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.nanmean, given=("dtype", "where"))
def nanmean_of_some(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    counted = np.logical_and(where, np.logical_not(np.isnan(a)))
    known = np.where(np.isnan(a), 0.0, a)
    return np.mean(known, axis=axis, dtype=dtype, keepdims=keepdims, where=counted)


@define(np.nanvar, given=("dtype", "where", "mean", "correction"))
def nanvar_of_some(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    counted = np.logical_and(where, np.logical_not(np.isnan(a)))
    known = np.where(np.isnan(a), 0.0, a)
    less = ddof if correction is None else correction
    return np.var(known, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=counted, mean=mean)


@define(np.nanstd, given=("dtype", "where", "mean", "correction"))
def nanstd_of_some(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    less = ddof if correction is None else correction
    return np.sqrt(
        np.nanvar(a, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=where, mean=mean, correction=less)
    )


# Methods of ufuncs


@define(np.add.reduce, given=("dtype", "keepdims", "initial", "where"))
def add_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return np.sum(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@define(np.multiply.reduce, given=("dtype", "keepdims", "initial", "where"))
def multiply_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    return np.prod(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@define(np.maximum.reduce, given=("dtype", "keepdims", "initial", "where"))
def maximum_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = array if dtype is None else np.astype(array, dtype)
    return np.max(a, axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.minimum.reduce, given=("dtype", "keepdims", "initial", "where"))
def minimum_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = array if dtype is None else np.astype(array, dtype)
    return np.min(a, axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.add.accumulate, given=("dtype",))
def add_accumulate_in_dtype(array, axis=0, dtype=None, out=None):
    return np.cumsum(array if dtype is None else np.astype(array, dtype), axis=axis)


@define(np.multiply.accumulate, given=("dtype",))
def multiply_accumulate_in_dtype(array, axis=0, dtype=None, out=None):
    return np.cumprod(array if dtype is None else np.astype(array, dtype), axis=axis)


# Sums and products along an axis


@define(np.nancumsum, given=("dtype",))
def nancumsum_in_dtype(a, axis=None, dtype=None, out=None):
    return np.nancumsum(a if dtype is None else np.astype(a, dtype), axis=axis)


@define(np.nancumprod, given=("dtype",))
def nancumprod_in_dtype(a, axis=None, dtype=None, out=None):
    return np.nancumprod(a if dtype is None else np.astype(a, dtype), axis=axis)


@define(np.cumulative_sum, given=("dtype",))
def cumulative_sum_in_dtype(x, *, axis=None, dtype=None, out=None, include_initial=False):
    y = x if dtype is None else np.astype(x, dtype)
    return np.cumulative_sum(y, axis=axis, include_initial=include_initial)


@define(np.cumulative_prod, given=("dtype",))
def cumulative_prod_in_dtype(x, *, axis=None, dtype=None, out=None, include_initial=False):
    y = x if dtype is None else np.astype(x, dtype)
    return np.cumulative_prod(y, axis=axis, include_initial=include_initial)


@define(np.linalg.trace, given=("dtype",))
def trace_in_dtype(x, *, offset=0, dtype=None):
    return np.linalg.trace(x if dtype is None else np.astype(x, dtype), offset=offset)


# Statistics


@define(np.corrcoef, given=("dtype",))
def corrcoef_in_dtype(x, y=None, rowvar=True, *, dtype=None):
    first = x if dtype is None else np.astype(x, dtype)
    return np.corrcoef(first, y if dtype is None or y is None else np.astype(y, dtype), rowvar)


# Places


@define(np.logspace, given=("dtype", "axis"))
def logspace_along(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    places = base ** np.linspace(start, stop, num, endpoint, axis=axis)
    return places if dtype is None else np.astype(places, dtype)


@define(np.geomspace, given=("dtype", "axis"))
def geomspace_along(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    ratio = stop / start
    way = np.linspace(0.0, 1.0, num) if endpoint else np.linspace(0.0, 1.0, num, endpoint)
    found = start * ratio ** np.reshape(way, (-1,) + (1,) * np.ndim(ratio))
    places = found if axis == 0 else np.moveaxis(found, 0, axis)
    return places if dtype is None else np.astype(places, dtype)


# Joined arrays


@define(np.concatenate, given=("dtype", "casting"))
def concatenate_in_dtype(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    y = np.concatenate(arrays, axis=axis)
    return y if dtype is None else np.astype(y, dtype)


@define(np.stack, given=("dtype", "casting"))
def stack_in_dtype(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    y = np.stack(arrays, axis=axis)
    return y if dtype is None else np.astype(y, dtype)


@define(np.vstack, given=("dtype", "casting"))
def vstack_in_dtype(tup, *, dtype=None, casting="same_kind"):
    y = np.vstack(tup)
    return y if dtype is None else np.astype(y, dtype)


@define(np.hstack, given=("dtype", "casting"))
def hstack_in_dtype(tup, *, dtype=None, casting="same_kind"):
    y = np.hstack(tup)
    return y if dtype is None else np.astype(y, dtype)


# Layout and copies


@define(np.asarray, np.asanyarray, given=("order",))
def asarray_in_order(a, dtype=None, order=None, *, device=None, like=None):
    y = np.asarray(a) if dtype is None else np.asarray(a, dtype)
    if np.ndim(y) > 0 and order == "C":
        y = np.ascontiguousarray(y)
    if np.ndim(y) > 0 and order == "F":
        y = np.asfortranarray(y)
    return y


# Elements


@define(np.clip, given=("min", "max"))
def clip_between(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    return np.clip(a, a_min if min is None else min, a_max if max is None else max)


@define(np.nan_to_num, given=("nan", "posinf", "neginf"))
def nan_to_numbers(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise NotImplementedError("np.nan_to_num with `copy=False` writes into its argument: assign the result")
    y = np.where(np.isnan(x), nan, x)
    if posinf is not None:
        y = np.where(y == np.inf, posinf, y)
    if neginf is not None:
        y = np.where(y == -np.inf, neginf, y)
    return np.nan_to_num(y)


@define(np.angle, given=("deg",))
def angle_in_degrees(z, deg=False):
    return np.angle(z) * (180.0 / np.pi) if deg else np.angle(z)


@define(np.choose, given=("mode",))
def choose_in_mode(a, choices, out=None, mode="raise"):
    if mode == "wrap":
        return np.choose(np.remainder(a, len(choices)), choices)
    return np.choose(np.minimum(np.maximum(a, 0), len(choices) - 1) if mode == "clip" else a, choices)


@define(np.interp, given=("period",))
def interp_periodic(x, xp, fp, left=None, right=None, period=None):
    if period is None:
        return np.interp(x, xp, fp, left, right)
    length = np.abs(period)
    places = np.mod(xp, length)
    order = np.argsort(places)
    first, values = places[order], fp[order]
    knots = np.concatenate((first[-1:] - length, first, first[:1] + length))
    return np.interp(np.mod(x, length), knots, np.concatenate((values[-1:], values, values[:1])))
