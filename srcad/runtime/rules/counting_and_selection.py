"""Rules and definitions of counts by index, of selecting and inserting elements, of functions of neighbours."""

import math

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, tangent, zero


@adjoint(np.bincount)
def bincount(y, x, weights=None, minlength=0):
    d[weights] = d[y][x]


@tangent(np.bincount)
def bincount_tangent(y, x, weights=None, minlength=0):
    d[y] = np.bincount(x, d[weights], minlength)


@define(np.histogram)
def histogram(a, bins=10, range=None, density=None, weights=None):
    if isinstance(bins, (list, tuple)):
        bins = np.array(bins)
    if np.ndim(bins) == 1:
        edges = np.zeros(1) + bins
    else:
        low, high = (np.min(a), np.max(a)) if range is None else range
        if low == high:  # as in NumPy, if all values are equal
            low, high = low - 0.5, high + 0.5
        edges = np.linspace(low, high, bins + 1)
    last = len(edges) - 1
    values = np.ravel(a)
    inside = (values >= edges[0]) & (values <= edges[last])
    if np.ndim(bins) == 1:
        place = np.minimum(np.searchsorted(edges, values, side="right") - 1, last - 1)
    else:  # bins of one width: a quotient tells the bin, or, by rounding, the one beside it
        above = np.where(inside, values, edges[0]) - edges[0]
        place = np.minimum(kernels.whole_places(above / (edges[last] - edges[0]) * last), last - 1)
        place = place - (values < edges[place])
        place = place + ((values >= edges[place + 1]) & (place < last - 1))
    place = np.where(inside, place, last)  # what is in no bin is counted in one more
    if weights is None:
        count = np.bincount(place, None, last + 1)[:last]
    else:
        count = np.bincount(place, np.ravel(weights), last + 1)[:last]
    if density:
        return count / np.sum(count) / (1.0 * edges[1:] - edges[:-1]), edges
    return count, edges


@define(np.histogram2d)
def histogram2d(x, y, bins=10, range=None, density=None, weights=None):
    if isinstance(bins, (list, tuple)) and len(bins) != 2:
        bins = np.array(bins)
    found, edges = np.histogramdd((x, y), bins, range, density, weights)
    return found, edges[0], edges[1]


@define(np.histogramdd)
def histogramdd(sample, bins=10, range=None, density=None, weights=None):
    if not isinstance(sample, (list, tuple)):
        raise NotImplementedError("np.histogramdd of an array: pass its columns as a tuple")
    places, edges, sizes = [], [], []
    for k, values in enumerate(sample):
        wanted = bins[k] if isinstance(bins, (list, tuple)) else bins
        own = np.histogram(values, wanted, None if range is None else range[k])[1]
        last = len(own) - 1
        found = np.searchsorted(own, values, side="right") - 1
        places.append(np.where(values == own[last], last - 1, found))
        edges.append(own)
        sizes.append(last)
    inside = places[0] >= 0
    flat = 0 * places[0]
    for each, size in zip(places, sizes, strict=True):
        inside = inside & (each >= 0) & (each < size)
        flat = flat * size + each
    shape = tuple(sizes)
    count = np.bincount(flat[inside], None if weights is None else weights[inside], math.prod(shape))
    density_of = 1.0 * np.reshape(count, shape)
    if density:
        density_of = density_of / np.sum(density_of)
        for k, own in enumerate(edges):
            density_of = density_of / np.reshape(np.diff(1.0 * own), (-1,) + (1,) * (len(edges) - 1 - k))
    return density_of, edges


@define(np.choose)
def choose(a, choices):
    y = choices[0]
    a = np.asarray(a)
    if np.any((a < 0) | (a >= len(choices))):
        raise ValueError("invalid entry in choice array")
    for k, choice in enumerate(choices):
        y = np.where(a == k, choice, y)
    return y


@define(np.dstack)
def dstack(tup):
    parts = [
        np.expand_dims(x, 2) if np.ndim(x) == 2 else x if np.ndim(x) == 3 else np.expand_dims(np.expand_dims(x, 0), 2)
        for x in tup
    ]
    return np.concatenate(tuple(parts), axis=2)


@define(np.block)
def block(arrays):
    if not isinstance(arrays[0], list):
        return np.concatenate(tuple([np.atleast_1d(x) for x in arrays]), axis=-1)
    if isinstance(arrays[0][0], list):
        raise NotImplementedError("np.block of lists in lists of lists: join the blocks with np.concatenate")
    rows = [np.concatenate(tuple([np.atleast_2d(x) for x in row]), axis=-1) for row in arrays]
    return np.concatenate(tuple(rows), axis=-2)


@adjoint(np.linspace, ndim=(0, 0))
def linspace(y, start, stop, num=50, endpoint=True):
    t = kernels.weights(y.shape, endpoint)
    d[start] = np.sum(d[y] * (1.0 - t))
    d[stop] = np.sum(d[y] * t)


@tangent(np.linspace, ndim=(0, 0))
def linspace_tangent(y, start, stop, num=50, endpoint=True):
    t = kernels.weights(y.shape, endpoint)
    d[y] = (1.0 - t) * d[start] + t * d[stop]


@adjoint(np.linspace)
def linspace_of_arrays(y, start, stop, num=50, endpoint=True):
    t = kernels.parts_of_way(y.shape, endpoint)
    d[start] = kernels.unbroadcast(np.sum(d[y] * (1.0 - t), axis=0), start)
    d[stop] = kernels.unbroadcast(np.sum(d[y] * t, axis=0), stop)


@tangent(np.linspace)
def linspace_of_arrays_tangent(y, start, stop, num=50, endpoint=True):
    t = kernels.parts_of_way(y.shape, endpoint)
    d[y] = (1.0 - t) * d[start] + t * d[stop]


@define(np.logspace)
def logspace(start, stop, num=50, endpoint=True, base=10.0):
    if np.ndim(base) > 0:
        return base ** np.linspace(start + 0.0 * base, stop + 0.0 * base, num, endpoint)
    return base ** (np.linspace(start, stop, num) if endpoint else np.linspace(start, stop, num, endpoint))


@define(np.geomspace)
def geomspace(start, stop, num=50, endpoint=True):
    ratio = stop / start
    places = np.linspace(0.0, 1.0, num) if endpoint else np.linspace(0.0, 1.0, num, endpoint)
    return start * ratio ** (places if np.ndim(ratio) == 0 else np.reshape(places, (-1,) + (1,) * np.ndim(ratio)))


@define(np.logaddexp.reduce)
def logaddexp_reduce(array, axis=0):
    top = np.max(array, axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    rest = np.log(np.sum(np.exp(array - top), axis=axis, keepdims=True)) + top
    return np.sum(rest, axis=axis)


@define(np.nanvar)
def nanvar(a, axis=None, *, ddof=0, keepdims=False):
    known = np.where(np.isnan(a), 0.0, 1.0)
    values = np.where(np.isnan(a), 0.0, a)
    count = np.sum(known, axis=axis, keepdims=True)
    apart = (values - np.sum(values, axis=axis, keepdims=True) / count) * known
    freedom = np.sum(known, axis=axis, keepdims=keepdims) - ddof
    total = np.sum(kernels.squared_modulus(apart), axis=axis, keepdims=keepdims)
    return total / np.where(freedom > 0.0, freedom, np.nan)


@define(np.nanstd)
def nanstd(a, axis=None, *, ddof=0, keepdims=False):
    return kernels.root(np.nanvar(a, axis, ddof=ddof, keepdims=keepdims))


zero(kernels.whole_turns, kernels.weights, kernels.parts_of_way)


@define(np.unwrap)
def unwrap(p, discont=None, axis=-1, *, period=2.0 * np.pi):
    if discont is not None:
        raise NotImplementedError("np.unwrap with `discont` has no derivative rule")
    along = np.moveaxis(p, axis, -1) * (2.0 * np.pi / period)
    turns = kernels.whole_turns(along[..., 1:] - along[..., :-1])
    rest = along[..., 1:] - 2.0 * np.pi * np.cumsum(turns, axis=-1)
    return np.moveaxis(np.concatenate((along[..., :1], rest), axis=-1) * (period / (2.0 * np.pi)), -1, axis)


@define(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    y = np.diff(np.ravel(ary))
    y = y if to_begin is None else np.append(to_begin, y)
    return y if to_end is None else np.append(y, to_end)


zero(kernels.leaders)


@define(np.maximum.accumulate)
def maximum_accumulate(array, axis=0):
    return kernels.at_leaders(array, kernels.leaders(array, axis), axis)


@define(np.minimum.accumulate)
def minimum_accumulate(array, axis=0):
    # Of unsigned integers and truth values there are no negative ones.
    return kernels.at_leaders(array, kernels.leaders(-1.0 * array, axis), axis)


@adjoint(kernels.at_leaders)
def at_leaders(y, a, places, axis):
    d[a] = kernels.into_leaders(d[y], places, axis)


@tangent(kernels.at_leaders)
def at_leaders_tangent(y, a, places, axis):
    d[y] = kernels.at_leaders(d[a], places, axis)


@adjoint(kernels.into_leaders)
def into_leaders(y, a, places, axis):
    d[a] = kernels.at_leaders(d[y], places, axis)


@tangent(kernels.into_leaders)
def into_leaders_tangent(y, a, places, axis):
    d[y] = kernels.into_leaders(d[a], places, axis)


@adjoint(np.arange)
def arange(y, stop):
    d[stop] = 0.0


@tangent(np.arange)
def arange_tangent(y, stop):
    d[y] = np.zeros(y.size)


@adjoint(np.arange, arity=2)
def arange_from(y, start, stop):
    d[start] = np.sum(d[y])


@tangent(np.arange, arity=2)
def arange_from_tangent(y, start, stop):
    d[y] = np.full(y.size, d[start])


@adjoint(np.arange, arity=3)
def arange_in_steps(y, start, stop, step):
    d[start] = np.sum(d[y])
    d[step] = np.sum(d[y] * np.arange(y.size))


@tangent(np.arange, arity=3)
def arange_in_steps_tangent(y, start, stop, step):
    d[y] = np.full(y.size, d[start]) + d[step] * np.arange(y.size)


@define(np.gradient)
def gradient(f, *spacings, axis=None, edge_order=1):
    if isinstance(axis, tuple):
        return [
            kernels.gradient_along(
                f, 1.0 if not spacings else spacings[k] if len(spacings) > 1 else spacings[0], each, edge_order
            )
            for k, each in enumerate(axis)
        ]
    if axis is None:
        if np.ndim(f) == 1:
            slopes = kernels.gradient_along(f, spacings[0] if spacings else 1.0, None, edge_order)
        else:  # an array in place of NumPy's tuple: how many parts there are, types tell
            first = kernels.gradient_along(f, spacings[0] if spacings else 1.0, 0, edge_order)
            slopes = np.zeros((np.ndim(f),) + np.shape(f), first.dtype)
            slopes[0] = first
            for k in range(1, np.ndim(f)):
                spacing = 1.0 if not spacings else spacings[k] if len(spacings) > 1 else spacings[0]
                slopes[k] = kernels.gradient_along(f, spacing, k, edge_order)
        return slopes
    return kernels.gradient_along(f, spacings[0] if spacings else 1.0, axis, edge_order)


@define(kernels.gradient_along)
def gradient_along(f, spacing, axis=None, edge_order=1):
    if isinstance(spacing, (list, tuple)):
        spacing = np.array(spacing)
    if np.ndim(spacing) == 0 and edge_order == 1:
        if axis is None:
            return kernels.central_differences(f, spacing)
        return np.moveaxis(kernels.central_differences(np.moveaxis(f, axis, 0), spacing), 0, axis)
    along = f if axis is None else np.moveaxis(f, axis, -1)
    gaps = kernels.widths(spacing, np.ones(along.shape[-1] - 1, along.dtype))
    before, after = gaps[:-1], gaps[1:]
    # Derivatives of the parabola through three neighbours.
    left = (along[..., 1:-1] - along[..., :-2]) / before
    right = (along[..., 2:] - along[..., 1:-1]) / after
    bend = (right - left) / (before + after)
    middle = left + before * bend
    first = (along[..., 1:2] - along[..., :1]) / gaps[:1]
    last = (along[..., -1:] - along[..., -2:-1]) / gaps[-1:]
    if edge_order == 2:
        first = first - gaps[:1] * bend[..., :1]
        last = last + gaps[-1:] * bend[..., -1:]
    slopes = np.concatenate((first, middle, last), axis=-1)
    return slopes if axis is None else np.moveaxis(slopes, -1, axis)


@adjoint(kernels.widths, ndim=(1, 1))
def widths(y, spacing, ones):
    d[spacing] = kernels.diff_adjoint(d[y])


@adjoint(kernels.widths, ndim=(0, 1))
def widths_of_one(y, spacing, ones):
    d[spacing] = np.sum(d[y] * ones)


@tangent(kernels.widths, ndim=(1, 1))
def widths_tangent(y, spacing, ones):
    d[y] = kernels.widths(d[spacing], ones)


@tangent(kernels.widths, ndim=(0, 1))
def widths_of_one_tangent(y, spacing, ones):
    d[y] = d[spacing] * ones


@define(kernels.central_differences)
def central_differences(f, spacing):
    middle = (f[2:] - f[:-2]) / (2.0 * spacing)
    return np.concatenate(((f[1:2] - f[0:1]) / spacing, middle, (f[-1:] - f[-2:-1]) / spacing))
