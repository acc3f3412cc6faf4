"""Definitions of calls with keywords that say in which type, over which elements or along which axis NumPy computes.

    np.nansum(x, where=mask)                np.sum(np.where(np.isnan(x), 0.0, x), where=mask)
    np.stack(parts, dtype=np.float32)       np.astype(np.stack(parts), np.float32)

Like those in `further_arguments`, each one is inlined only where one of the parameters in `given` is passed. Keywords
that change nothing in the result are dropped before (`transforms.lowering.calls.library_keywords`).
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define
from srcad.runtime.rulebook.theorems import NoRule
from srcad.runtime.rules.further_arguments import in_dtype

NO_OUT = NoRule("an array for the result, `out`, with these keywords", "assign the result")

# Reductions that leave out NaN


@define(np.nansum, given=("dtype", "initial", "where", "out"))
def nansum_of_some(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    total = np.sum(np.where(np.logical_and(where, ~np.isnan(a)), a, 0.0), axis=axis, dtype=dtype, keepdims=keepdims)
    return total if initial is None else total + initial


@define(np.nanprod, given=("dtype", "initial", "where", "out"))
def nanprod_of_some(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    product = np.prod(np.where(np.logical_and(where, ~np.isnan(a)), a, 1.0), axis=axis, dtype=dtype, keepdims=keepdims)
    return product if initial is None else product * initial


@define(np.nanmax, given=("initial", "where", "out"))
def nanmax_of_some(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    return np.max(np.where(np.isnan(a), -np.inf, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.nanmin, given=("initial", "where", "out"))
def nanmin_of_some(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    return np.min(np.where(np.isnan(a), np.inf, a), axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.nanmean, given=("dtype", "where", "out"))
def nanmean_of_some(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    if out is not None:
        NO_OUT()
    counted = np.logical_and(where, ~np.isnan(a))
    known = np.where(np.isnan(a), 0.0, a)
    return np.mean(known, axis=axis, dtype=dtype, keepdims=keepdims, where=counted)


@define(np.nanvar, given=("dtype", "where", "mean", "correction", "out"))
def nanvar_of_some(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    if out is not None:
        NO_OUT()
    counted = np.logical_and(where, ~np.isnan(a))
    known = np.where(np.isnan(a), 0.0, a)
    less = ddof if correction is None else correction
    if mean is None:
        return np.var(known, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=counted)
    return np.var(known, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=counted, mean=mean)


@define(np.nanstd, given=("dtype", "where", "mean", "correction", "out"))
def nanstd_of_some(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    if out is not None:
        NO_OUT()
    counted = np.logical_and(where, ~np.isnan(a))
    known = np.where(np.isnan(a), 0.0, a)
    less = ddof if correction is None else correction
    if mean is None:
        return kernels.root(np.var(known, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=counted))
    return kernels.root(np.var(known, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=counted, mean=mean))


# Methods of ufuncs


@define(np.add.reduce, given=("dtype", "keepdims", "initial", "where", "out"))
def add_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    return np.sum(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@define(np.multiply.reduce, given=("dtype", "keepdims", "initial", "where", "out"))
def multiply_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    return np.prod(array, axis=axis, dtype=dtype, keepdims=keepdims, initial=initial, where=where)


@define(np.maximum.reduce, given=("dtype", "keepdims", "initial", "where", "out"))
def maximum_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    a = in_dtype(array, dtype)
    return np.max(a, axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.minimum.reduce, given=("dtype", "keepdims", "initial", "where", "out"))
def minimum_reduce_of_some(array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        NO_OUT()
    a = in_dtype(array, dtype)
    return np.min(a, axis=axis, keepdims=keepdims, initial=initial, where=where)


@define(np.add.accumulate, given=("dtype", "out"))
def add_accumulate_in_dtype(array, axis=0, dtype=None, out=None):
    if out is not None:
        NO_OUT()
    return np.cumsum(in_dtype(array, dtype), axis=axis)


@define(np.multiply.accumulate, given=("dtype", "out"))
def multiply_accumulate_in_dtype(array, axis=0, dtype=None, out=None):
    if out is not None:
        NO_OUT()
    return np.cumprod(in_dtype(array, dtype), axis=axis)


# Sums and products along an axis


@define(np.nancumsum, given=("dtype", "out"))
def nancumsum_in_dtype(a, axis=None, dtype=None, out=None):
    if out is not None:
        NO_OUT()
    return np.nancumsum(in_dtype(a, dtype), axis=axis)


@define(np.nancumprod, given=("dtype", "out"))
def nancumprod_in_dtype(a, axis=None, dtype=None, out=None):
    if out is not None:
        NO_OUT()
    return np.nancumprod(in_dtype(a, dtype), axis=axis)


@define(np.cumulative_sum, given=("dtype", "out"))
def cumulative_sum_in_dtype(x, *, axis=None, dtype=None, out=None, include_initial=False):
    if out is not None:
        NO_OUT()
    y = in_dtype(x, dtype)
    return np.cumulative_sum(y, axis=axis, include_initial=include_initial)


@define(np.cumulative_prod, given=("dtype", "out"))
def cumulative_prod_in_dtype(x, *, axis=None, dtype=None, out=None, include_initial=False):
    if out is not None:
        NO_OUT()
    y = in_dtype(x, dtype)
    return np.cumulative_prod(y, axis=axis, include_initial=include_initial)


@define(np.linalg.trace, given=("dtype",))
def trace_in_dtype(x, *, offset=0, dtype=None):
    return np.linalg.trace(in_dtype(x, dtype), offset=offset)


# Statistics


@define(np.corrcoef, given=("dtype",))
def corrcoef_in_dtype(x, y=None, rowvar=True, *, dtype=None):
    first = in_dtype(x, dtype)
    return np.corrcoef(first, y if dtype is None or y is None else np.astype(y, dtype), rowvar)


# Places


@define(np.logspace, given=("dtype", "axis"))
def logspace_along(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    if np.ndim(base) > 0:
        places = base ** np.linspace(start + 0.0 * base, stop + 0.0 * base, num, endpoint)
        return in_dtype(places if axis == 0 else np.moveaxis(places, 0, axis), dtype)
    places = base ** np.linspace(start, stop, num, endpoint, axis=axis)
    return in_dtype(places, dtype)


@define(np.geomspace, given=("dtype", "axis"))
def geomspace_along(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    ratio = stop / start
    way = np.linspace(0.0, 1.0, num) if endpoint else np.linspace(0.0, 1.0, num, endpoint)
    found = start * ratio ** np.reshape(way, (-1,) + (1,) * np.ndim(ratio))
    places = found if axis == 0 else np.moveaxis(found, 0, axis)
    return in_dtype(places, dtype)


# Joined arrays


@define(np.concatenate, given=("dtype", "casting", "out"))
def concatenate_in_dtype(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if out is not None:
        NO_OUT()
    y = np.concatenate(arrays, axis=axis)
    return in_dtype(y, dtype)


@define(np.stack, given=("dtype", "casting", "out"))
def stack_in_dtype(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    if out is not None:
        NO_OUT()
    y = np.stack(arrays, axis=axis)
    return in_dtype(y, dtype)


@define(np.vstack, given=("dtype", "casting"))
def vstack_in_dtype(tup, *, dtype=None, casting="same_kind"):
    y = np.vstack(tup)
    return in_dtype(y, dtype)


@define(np.hstack, given=("dtype", "casting"))
def hstack_in_dtype(tup, *, dtype=None, casting="same_kind"):
    y = np.hstack(tup)
    return in_dtype(y, dtype)


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


@define(np.clip, given=("min", "max", "out"))
def clip_between(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    if out is not None:
        NO_OUT()
    return np.clip(a, a_min if min is None else min, a_max if max is None else max)


@define(np.nan_to_num, given=("nan", "posinf", "neginf"))
def nan_to_numbers(x, copy=True, nan=0.0, posinf=None, neginf=None):
    if not copy:
        raise NotImplementedError("np.nan_to_num with `copy=False` writes into its argument: assign the result")
    y = np.where(np.isnan(x), nan, np.nan_to_num(x))
    if posinf is not None:
        y = np.where(x == np.inf, posinf, y)
    if neginf is not None:
        y = np.where(x == -np.inf, neginf, y)
    return y


@define(np.angle, given=("deg",))
def angle_in_degrees(z, deg=False):
    return np.angle(z) * (180.0 / np.pi) if deg else np.angle(z)


@define(np.choose, given=("mode", "out"))
def choose_in_mode(a, choices, out=None, mode="raise"):
    if out is not None:
        NO_OUT()
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
