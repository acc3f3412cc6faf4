"""`np.convolve` and `np.cross`, as one function each.

Numba compiles thirty functions for a call of either: code for strings, which their messages and modes are, and for
products of each shape.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype

from srcad.runtime.jit.replaced_calls import in_place_of
from srcad.runtime.kernels.arrays.convolve import convolve_adjoint
from srcad.runtime.kernels.arrays.fourier import constant

_TAPS = 4  # elements of the shorter operand that one pass over the longer one takes


def _are_arrays(*kinds: Any) -> bool:
    numbers = types.Float, types.Complex
    return all(type(each) is types.Array and each.ndim and isinstance(each.dtype, numbers) for each in kinds)


def _are_vectors(a: Any, v: Any, mode: Any = "full") -> bool:
    return _are_arrays(a, v) and a.ndim == v.ndim == 1 and constant(mode)[1] in ("full", "same", "valid")


def _common(*kinds: Any) -> Any:
    """The element type of a product."""
    return np.result_type(*(as_dtype(each.dtype) for each in kinds))


@in_place_of(np.convolve, 3, when=_are_vectors)
def convolved(a: Any, v: Any, mode: Any) -> Any:
    """The convolution of two vectors, as `np.convolve`.

    >>> convolved(np.array([1.0, 2.0]), np.array([1.0, 10.0]), "same")
    array([ 1., 12.])
    """
    return np.convolve(a, v, mode)


@in_place_of(np.cross, 2, when=_are_arrays)
def crossed(a: Any, b: Any) -> Any:
    """The cross products of vectors along the last axes, one of which has three components, as `np.cross`.

    >>> crossed(np.array([1.0, 2.0, 3.0]), np.array([[0.0, 0.0, 1.0]]))
    array([[ 2., -1.,  0.]])
    """
    return np.cross(a, b)


@in_place_of(np.convolve, 2, when=_are_vectors)
def _whole(a: Any, v: Any) -> Any:
    """The convolution of vectors at all places where they overlap."""
    return np.convolve(a, v)


@overload(_whole)
def _overload_whole(a, v):
    dtype = _common(a, v)

    def impl(a, v):
        if a.size == 0 or v.size == 0:
            raise ValueError("np.convolve: an array is empty")
        result = np.zeros(a.size + v.size - 1, dtype)
        if a.size < v.size:
            _slide(v, a, result)
        else:
            _slide(a, v, result)
        return result

    return impl


@register_jitable
def _slide(x, y, result):
    """Add the convolution of a vector with a shorter one to a result."""
    n, m = x.size, y.size
    most = m - m % _TAPS if n >= _TAPS else 0
    for j in range(0, most, _TAPS):
        p, q, r, s = y[j], y[j + 1], y[j + 2], y[j + 3]
        for k in range(_TAPS - 1, n):
            result[j + k] += p * x[k] + q * x[k - 1] + r * x[k - 2] + s * x[k - 3]
        for k in range(_TAPS - 1):  # the places where not all of them overlap
            for d in range(_TAPS):
                if k >= d:
                    result[j + k] += y[j + d] * x[k - d]
                if n + k - d < n:
                    result[j + n + k] += y[j + d] * x[n + k - d]
    for j in range(most, m):
        for k in range(n):
            result[j + k] += y[j] * x[k]


@overload(convolved, prefer_literal=True)
def _overload_convolved(a, v, mode):
    which = constant(mode)[1]

    def impl(a, v, mode):
        long, short = max(a.size, v.size), min(a.size, v.size)
        whole = _whole(a, v)
        if which == "full":
            return whole
        if which == "same":
            return whole[(short - 1) // 2 : (short - 1) // 2 + long].copy()
        return whole[short - 1 : long].copy()

    return impl


@overload(convolve_adjoint, prefer_literal=True, strict=False)
def _overload_convolve_adjoint(g, other, like, mode="full"):
    known, which = constant(mode)
    if not known or not _are_arrays(g, other, like):
        return convolve_adjoint  # which has annotations, so that `strict` would not take it

    dtype = _common(g, other)

    def impl(g, other, like, mode="full"):
        n, m = like.size, other.size
        short = min(n, m)
        start = 0 if which == "full" else (short - 1) // 2 if which == "same" else short - 1
        result = np.zeros(n, dtype)
        for j in range(m):
            # The elements of `like` whose product with this one is in the result.
            for k in range(max(0, start - j), min(n, start + g.size - j)):
                result[k] += other[j] * g[j + k - start]
        return result

    return impl


@overload(crossed)
def _overload_crossed(a, b):
    dtype = _common(a, b)
    if a.ndim == b.ndim == 1:

        def vectors(a, b):
            result = np.empty((1, 3), dtype)
            _fill(np.expand_dims(a, 0), np.expand_dims(b, 0), result)
            return result[0].copy()

        return vectors

    def impl(a, b):
        around = _around(a, b)
        left, right = np.broadcast_to(a, around + a.shape[-1:]), np.broadcast_to(b, around + b.shape[-1:])
        count = 1
        for each in around:
            count *= each
        rows = np.reshape(np.ascontiguousarray(left), (count, a.shape[-1]))
        result = np.empty((count, 3), dtype)
        _fill(rows, np.reshape(np.ascontiguousarray(right), (count, b.shape[-1])), result)
        return np.reshape(result, around + (3,))

    return impl


def _around(a: Any, b: Any) -> tuple[int, ...]:
    """The shape of the vectors of two arrays."""
    return np.broadcast_shapes(a.shape[:-1], b.shape[:-1])


@overload(_around)
def _overload_around(a, b):
    if a.ndim == 1:
        return lambda a, b: b.shape[:-1]
    if b.ndim == 1:
        return lambda a, b: a.shape[:-1]
    return lambda a, b: np.broadcast_shapes(a.shape[:-1], b.shape[:-1])


@register_jitable
def _fill(a, b, result):
    """Fill rows with the cross products of rows; a third component that is not there is zero."""
    n, m = a.shape[1], b.shape[1]
    if n not in (2, 3) or m not in (2, 3) or n == m == 2:
        raise ValueError("np.cross: the vectors have to have 3 components, or one of them 2")
    for i in range(result.shape[0]):
        third = a[i, 2] if n == 3 else a.dtype.type(0)
        other = b[i, 2] if m == 3 else b.dtype.type(0)
        result[i, 0] = a[i, 1] * other - third * b[i, 1]
        result[i, 1] = third * b[i, 0] - a[i, 0] * other
        result[i, 2] = a[i, 0] * b[i, 1] - a[i, 1] * b[i, 0]
