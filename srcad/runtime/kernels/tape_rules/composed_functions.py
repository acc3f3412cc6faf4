"""Kernels for the tape's rules of composed functions such as interp, quantile, average and norms.

They run on arrays and, through the functions that they call, on tensors. Generated code does not call them: the
compiler inlines the definitions of such functions.
"""

from __future__ import annotations

from typing import Any

from srcad.runtime.kernels.arrays.axes import shares
from srcad.runtime.kernels.arrays.rearrangements import running_most
from srcad.runtime.kernels.arrays.scalar import ratio
from srcad.runtime.kernels.arrays.scans import into_leaders
from srcad.runtime.kernels.arrays.scatter import scatter
from srcad.runtime.kernels.arrays.unbroadcast import _as_tuple, reduced_size, restore, unbroadcast
from srcad.runtime.support.constant_arrays import VECTORS
from srcad.runtime.support.fast_numpy import swift as np

_NOTHING = np.zeros(1)


def pair(one: Any, other: Any) -> Any:
    """Two numbers or arrays stacked into one array.

    >>> pair(1.0, 2.0).tolist()
    [1.0, 2.0]
    """
    if isinstance(one, float) and isinstance(other, float):
        return np.array((one, other))
    if type(one) is np.ndarray and type(other) is np.ndarray:
        found = np.empty((2, *one.shape), one.dtype)
        found[0], found[1] = one, other
        return found
    return np.stack((one, other))


def to_pair(one: Any, other: Any, size: int, k: Any) -> Any:
    """Zeros with two numbers added at two places; or with two arrays of numbers.

    >>> to_pair(1.0, 2.0, 3, np.array([2, 0])).tolist()
    [2.0, 0.0, 1.0]
    """
    if not isinstance(one, float) or not isinstance(other, float):
        return scatter(pair(one, other), (size,), np.stack(k) if isinstance(k, tuple) else k)
    found = np.zeros(size)
    found[k[0]] = one
    found[k[1]] += other
    return found


def next_point(x: Any, xp: Any) -> Any:
    """The index of the point at the right end of the interval of `np.interp` in which each `x` lies.

    >>> next_point(np.array([-1.0, 0.5, 1.0, 9.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [1, 1, 2, 2]
    """
    return np.minimum(np.maximum(np.searchsorted(xp, x, side="right"), 1), len(xp) - 1)


def interp_slope(x: Any, xp: Any, fp: Any) -> Any:
    """The derivative of `np.interp` at each `x`: 0 outside, and between points at the same place.

    >>> interp_slope(np.array([-1.0, 0.5, 1.0, 9.0]), np.array([0.0, 1.0, 2.0]), np.array([0.0, 3.0, 4.0])).tolist()
    [0.0, 3.0, 1.0, 0.0]
    """
    if not (type(fp) is type(xp) is np.ndarray and fp.dtype.kind == xp.dtype.kind == "f"):
        xp, fp = np.multiply(1.0, xp), np.multiply(1.0, fp)  # see the definition
    if type(x) is type(xp) is type(fp) is np.ndarray and x.size and xp.size > 1 and _is_inside(x, xp):
        run = xp[1:] - xp[:-1]
        if run.item(run.argmin()) > 0.0:
            return ((fp[1:] - fp[:-1]) / run).take(xp[1:-1].searchsorted(x, "right"))
    slopes = np.concatenate((_NOTHING, ratio(np.diff(fp), np.diff(xp)), _NOTHING))
    return slopes[np.searchsorted(xp, x, side="right") - np.equal(x, xp[-1])]


def _is_inside(x: Any, xp: Any) -> bool:
    return bool(x.item(x.argmin()) >= xp[0] and x.item(x.argmax()) <= xp[-1])


def piece_part(x: Any, xp: Any, k: Any) -> Any:
    """The position of each `x` between its two points, from 0 to 1; 1 if the two coincide."""
    t = ratio(x - xp[k - 1], xp[k] - xp[k - 1])
    t = np.maximum(t, 1.0 * (x >= xp[k]))
    return np.minimum(np.maximum(t, 0.0), 1.0)


def _inside(v: Any, x: Any, xp: Any, left: Any, right: Any) -> Any:
    """The values, with zeros where `left` or `right` is used instead."""
    if left is not None:
        v = np.where(x < xp[0], 0.0, v)
    if right is not None:
        v = np.where(x > xp[-1], 0.0, v)
    return v


def of_points(v: Any, x: Any, xp: Any, left: Any = None, right: Any = None) -> Any:
    """`np.interp` of values `v` at the points.

    >>> of_points(np.array([0.0, 3.0, 4.0]), np.array([0.5, 9.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [1.5, 4.0]
    """
    k = next_point(x, xp)
    t = piece_part(x, xp, k)
    return _inside((1.0 - t) * v[k - 1] + t * v[k], x, xp, left, right)


def to_points(g: Any, x: Any, xp: Any, left: Any = None, right: Any = None) -> Any:
    """The adjoint of `of_points`.

    >>> to_points(np.array([1.0, 10.0]), np.array([0.5, 9.0]), np.array([0.0, 1.0, 2.0])).tolist()
    [0.5, 0.5, 10.0]
    """
    k = next_point(x, xp)
    t = piece_part(x, xp, k)
    g = _inside(g, x, xp, left, right)
    return scatter(pair(g * (1.0 - t), g * t), xp.shape, np.stack((k - 1, k)))


def most_so_far_adjoint(g: Any, a: Any, y: Any, axis: int) -> Any:
    """The adjoint of `np.maximum.accumulate` or `np.minimum.accumulate`, whose result is `y`.

    >>> a = np.array([1.0, 3.0, 2.0, 4.0])
    >>> most_so_far_adjoint(np.ones(4), a, np.maximum.accumulate(a), 0).tolist()
    [1.0, 2.0, 0.0, 1.0]
    """
    if type(g) is not np.ndarray or g.ndim > 1 or not g.size or y[-1] != y[-1]:
        return into_leaders(g, running_most(a, y, axis), axis)
    is_new = np.empty(g.size, np.bool_)
    is_new[0] = True
    np.not_equal(y[1:], y[:-1], is_new[1:])
    places = is_new.nonzero()[0]
    found = np.zeros(g.size, g.dtype)
    found[places] = np.add.reduceat(g, places)
    return found


def ptp_adjoint(g: Any, a: Any, axis: Any, keepdims: bool) -> Any:
    """The adjoint of `np.ptp`: it goes to the greatest and the least elements, equal ones share it.

    >>> ptp_adjoint(2.0, np.array([3.0, 1.0, 1.0, 2.0]), None, False).tolist()
    [2.0, -1.0, -1.0, 0.0]
    """
    if type(a) is np.ndarray and a.ndim == 1 and axis is None and not keepdims:
        first, last = a.argmax(), a.argmin()
        if np.count_nonzero(a == a[first]) == np.count_nonzero(a == a[last]) == 1 and first != last:
            found = np.zeros(a.shape, a.dtype)
            found[first], found[last] = g, -g
            return found
    high = shares(np.max(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    low = shares(np.min(a, axis=axis, keepdims=keepdims), a, axis, keepdims)
    return restore(g, a.shape, axis, keepdims) * (high - low)


def quantile_places(a: Any, q: Any) -> Any:
    """The positions in `np.ravel(a)` of the elements below and above a quantile.

    >>> [int(each) for each in quantile_places(np.array([3.0, 1.0, 2.0]), 0.75)]
    [2, 0]
    """
    if isinstance(q, float):
        first = int(q * (a.size - 1))
        order = np.argsort(np.reshape(a, -1))
        return order[first], order[min(first + 1, a.size - 1)]
    below = np.floor(np.multiply(q, a.size - 1)).astype(np.intp)
    return np.argsort(np.reshape(a, -1))[np.stack((below, np.minimum(below + 1, a.size - 1)))]


def quantile_part(a: Any, q: Any) -> Any:
    """The position of the quantile between these two elements, from 0 to 1.

    >>> float(quantile_part(np.array([3.0, 1.0, 2.0]), 0.75))
    0.5
    """
    if isinstance(q, float):
        return q * (a.size - 1) % 1.0
    place = np.multiply(q, a.size - 1)
    return place - np.floor(place)


def weights_of(weights: Any, a: Any, axis: Any) -> Any:
    """The weights of `np.average` in a shape that broadcasts with the array's.

    >>> weights_of(np.array([1.0, 3.0]), np.ones((2, 5)), 0).shape
    (2, 1)
    """
    weights = weights if hasattr(weights, "ndim") else np.asarray(weights)
    if weights.ndim == a.ndim:
        return weights
    axes = [each % a.ndim for each in _as_tuple(axis)]
    shape = [size if place in axes else 1 for place, size in enumerate(a.shape)]
    return np.reshape(np.transpose(weights, sorted(range(len(axes)), key=axes.__getitem__)), shape)


def parts_of_average(a: Any, axis: Any = None, weights: Any = None) -> Any:
    """The weight of each element in `np.average`; they sum to 1.

    >>> parts_of_average(np.ones((2, 2)), 1, np.array([1.0, 3.0])).tolist()
    [[0.25, 0.75]]
    """
    if weights is None:
        return 1.0 / reduced_size(a.shape, axis)
    whole = weights_of(weights, a, axis)
    return whole / np.sum(whole, axis=axis, keepdims=True)


def to_weights(g: Any, y: Any, a: Any, axis: Any, weights: Any) -> Any:
    """The adjoint of the weights of `np.average`, whose result is `y`.

    >>> to_weights(1.0, 2.0, np.array([1.0, 3.0]), None, np.ones(2)).tolist()
    [-0.5, 0.5]
    """
    whole = weights_of(weights, a, axis)
    found = restore(g, a.shape, axis) * (a - restore(y, a.shape, axis)) / np.sum(whole, axis=axis, keepdims=True)
    if weights.ndim == a.ndim:
        return found
    axes = [each % a.ndim for each in _as_tuple(axis)]
    found = np.sum(found, axis=tuple([each for each in range(a.ndim) if each not in axes]))
    return np.transpose(found, [sorted(axes).index(each) for each in axes])


def of_weights(v: Any, y: Any, a: Any, axis: Any, weights: Any) -> Any:
    """The tangent of `np.average` from that of its weights.

    >>> float(of_weights(np.array([1.0, 0.0]), 2.0, np.array([1.0, 3.0]), None, np.ones(2)))
    -0.5
    """
    total = np.sum(weights_of(weights, a, axis), axis=axis)
    return np.sum((a - restore(y, a.shape, axis)) * weights_of(v, a, axis), axis=axis) / total


def ends(v: Any, sign: float) -> Any:
    """The values of intervals added up at their end points: times `sign` at the first, times 1 at the second.

    >>> ends(np.array([1.0, 10.0]), -1.0).tolist()
    [-1.0, -9.0, 10.0]
    """
    none = np.zeros((*v.shape[:-1], 1))
    return np.concatenate((sign * v, none), axis=-1) + np.concatenate((none, v), axis=-1)


def trapezoid_weights(f: Any, x: Any, dx: Any) -> Any:
    """The factor of each value in `np.trapezoid`.

    >>> trapezoid_weights(np.ones(3), None, 2.0).tolist()
    [1.0, 2.0, 1.0]
    """
    if x is not None:
        return 0.5 * ends(x[..., 1:] - x[..., :-1], 1.0)
    return dx * _halved_ends(f.shape[-1])


@VECTORS
def _halved_ends(size: int) -> Any:
    parts = np.ones(size)
    parts[:1] *= 0.5
    parts[-1:] *= 0.5 if size > 1 else 0.0
    return parts


def norm_of_vectors(x: Any, order: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The norm of a vector, or of the vectors along an axis.

    >>> float(norm_of_vectors(np.array([3.0, -4.0]), np.inf))
    4.0
    """
    return np.linalg.norm(x, order, axis, keepdims)


def norm_adjoint(g: Any, y: Any, x: Any, axis: Any, keepdims: bool, order: Any) -> Any:
    """The adjoint of a norm of vectors with the value `y`; 0 where that is 0.

    >>> norm_adjoint(1.0, 7.0, np.array([3.0, -4.0]), None, False, 1).tolist()
    [1.0, -1.0]
    """
    if order == 2:
        return x * restore(ratio(g, y), x.shape, axis, keepdims)
    g = restore(g, x.shape, axis, keepdims) * np.sign(x)
    if order == 0:
        return g * 0.0
    if order == 1:
        return g
    if order in (np.inf, -np.inf):
        return g * shares(y, np.abs(x), axis, keepdims)
    return g * ratio(np.abs(x), restore(y, x.shape, axis, keepdims)) ** (order - 1)


def vecdot_adjoint(g: Any, other: Any, like: Any, axis: int) -> Any:
    """The adjoint of one of the vectors of `np.vecdot`, if both are real.

    >>> vecdot_adjoint(np.array([2.0]), np.ones((1, 2)), np.ones((1, 2)), -1).tolist()
    [[2.0, 2.0]]
    """
    if np.ndim(g) == 0:
        return g * other
    if axis == -1 or other.ndim == like.ndim:
        return np.expand_dims(g, axis) * other
    found = np.expand_dims(g, -1) * np.moveaxis(other, axis, -1)
    return np.moveaxis(unbroadcast(found, np.moveaxis(like, axis, -1)), -1, axis)
