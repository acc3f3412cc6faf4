"""Kernels for the tape's rules of averages, norms and products of vectors.

They run on arrays and, through the functions that they call, on tensors. Generated code does not call them: the
compiler inlines the definitions of such functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.axes import shares
from srcad.runtime.kernels.arrays.scalar import ratio
from srcad.runtime.kernels.arrays.unbroadcast import _as_tuple, reduced_size, restore, unbroadcast

_NOTHING = np.zeros(1)


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
    share = ratio(np.abs(x), restore(y, x.shape, axis, keepdims))
    return g * (share ** (order - 1) if order > 1 else ratio(share**order, share))


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
