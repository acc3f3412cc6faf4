"""Filters along the last axis, and parts of arrays that convolutions with a mode consist of."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from numba.core import types
from numba.extending import overload

from srcad.runtime.kernels.scipy.convolutions import are_real, convolution, correlation


def all_pole(a: Any, u: Any) -> Any:
    """The filter y[n] = u[n] - sum over k > 0 of a[k] y[n - k], along the last axis; a[0] is taken to be 1.

    >>> all_pole(np.array([1.0, -0.5]), np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    normal = np.concatenate((np.ones(1, a.dtype), a[1:]))
    return scipy.signal.lfilter(np.ones(1), normal, u) if u.size else np.zeros_like(u)


def delayed_sum(b: Any, x: Any) -> Any:
    """The filter y[n] = sum over k of b[k] x[n - k], along the last axis.

    >>> delayed_sum(np.array([1.0, 10.0]), np.array([1.0, 2.0, 3.0]))
    array([ 1., 12., 23.])
    """
    return scipy.signal.lfilter(b, np.ones(1), x) if x.size else np.zeros_like(x)


def filtered_from(b: Any, a: Any, x: Any, held: Any) -> Any:
    """The filter b / a along the last axis, and what it holds at the end, from what it holds at first."""
    return scipy.signal.lfilter(b, a, x, zi=held)


def turned_round(a: Any) -> Any:
    """An array in reversed order along its last axis."""
    return np.ascontiguousarray(a[..., ::-1])


def without_first(a: Any) -> Any:
    """A vector whose first element is set to 0.

    >>> without_first(np.array([1.0, 2.0]))
    array([0., 2.])
    """
    found = np.array(a)
    found[0] = 0.0
    return found


def lags(w: Any, y: Any, count: int) -> Any:
    """The sums over all n of w[..., n] y[..., n - k], for k from 0 on.

    >>> lags(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 2)
    array([11.,  6.])
    """
    size = w.shape[-1]
    sums = [np.sum(w[..., k:] * y[..., : max(size - k, 0)]) for k in range(count)]
    return np.array(sums, dtype=np.result_type(w, y))


def central_part(a: Any, start: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """The part of an array that begins at an index, of a shape.

    >>> central_part(np.array([1.0, 2.0, 3.0]), (1,), (2,))
    array([2., 3.])
    """
    return a[tuple([slice(first, first + size) for first, size in zip(start, shape, strict=True)])].copy()


def embedded(a: Any, start: tuple[int, ...], shape: tuple[int, ...]) -> Any:
    """Zeros of a shape with an array in them that begins at an index: the adjoint of `central_part`."""
    found = np.zeros(shape, a.dtype)
    found[tuple([slice(first, first + size) for first, size in zip(start, a.shape, strict=True)])] = a
    return found


def half_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Where the central part of a whole convolution with an array of this shape begins."""
    return tuple([(size - 1) // 2 for size in shape])


def is_within(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether no extent of one shape is larger than that of the other.

    >>> is_within((2, 3), (2, 4)), is_within((2, 5), (3, 4))
    (True, False)
    """
    return all(size <= limit for size, limit in zip(one, other, strict=True))


def upper_half(size: int) -> Any:
    """The factors of a spectrum that make a signal analytic.

    >>> upper_half(4), upper_half(3)
    (array([1., 2., 1., 0.]), array([1., 2., 0.]))
    """
    found = np.zeros(size)
    found[1 : (size + 1) // 2] = 2.0
    found[0] = 1.0
    if size % 2 == 0:
        found[size // 2] = 1.0
    return found


def convolved(in1: Any, in2: Any, mode: str, method: str) -> Any:
    """A part of the whole convolution, as `scipy.signal.convolve` has it."""
    if mode == "full":
        return convolution(in1, in2, method)
    if mode == "same":
        return central_part(convolution(in1, in2, method), half_of(in2.shape), in1.shape)
    one, other = (in1, in2) if is_within(in2.shape, in1.shape) else (in2, in1)
    return correlation(one, np.flip(other), method)


def convolved_beyond(in1: Any, in2: Any, mode: str, boundary: str, fillvalue: Any, is_correlation: bool) -> Any:
    """`scipy.signal.convolve2d`, or `correlate2d` with a matrix that is turned."""
    if is_correlation:
        return scipy.signal.correlate2d(in1, np.conjugate(np.flip(in2)), mode, boundary, fillvalue)
    return scipy.signal.convolve2d(in1, in2, mode, boundary, fillvalue)


@overload(all_pole)
def _overload_all_pole(a, u):
    if not are_real(a, u) or a.dtype != u.dtype:
        return None

    def impl(a, u):
        rows = np.ascontiguousarray(u).reshape((-1, u.shape[-1]))
        found = np.empty(rows.shape, u.dtype)
        for r in range(rows.shape[0]):
            for n in range(rows.shape[1]):
                total = rows[r, n]
                for k in range(1, min(n + 1, a.shape[0])):
                    total -= a[k] * found[r, n - k]
                found[r, n] = total
        return found.reshape(u.shape)

    return impl


@overload(delayed_sum)
def _overload_delayed_sum(b, x):
    if not are_real(b, x) or b.dtype != x.dtype:
        return None

    def impl(b, x):
        rows = np.ascontiguousarray(x).reshape((-1, x.shape[-1]))
        found = np.zeros(rows.shape, x.dtype)
        for r in range(rows.shape[0]):
            for k in range(min(b.shape[0], rows.shape[1])):
                factor = b[k]
                for n in range(k, rows.shape[1]):
                    found[r, n] += factor * rows[r, n - k]
        return found.reshape(x.shape)

    return impl


@overload(turned_round)
def _overload_turned_round(a):
    return lambda a: np.ascontiguousarray(a[..., ::-1])


@overload(without_first)
def _overload_without_first(a):
    def impl(a):
        found = a.copy()
        found[0] = 0.0
        return found

    return impl


@overload(lags)
def _overload_lags(w, y, count):
    if not are_real(w, y):
        return None
    dtype = np.dtype(str(w.dtype))

    def impl(w, y, count):
        one = np.ascontiguousarray(w).reshape((-1, w.shape[-1]))
        other = np.ascontiguousarray(y).reshape((-1, w.shape[-1]))
        found = np.zeros(count, dtype)
        for k in range(min(count, one.shape[1])):
            total = 0.0
            for r in range(one.shape[0]):
                for n in range(k, one.shape[1]):
                    total += one[r, n] * other[r, n - k]
            found[k] = total
        return found

    return impl


@overload(central_part)
def _overload_central_part(a, start, shape):
    if not isinstance(a, types.Array) or a.ndim > 2:
        return None
    if a.ndim == 1:
        return lambda a, start, shape: a[start[0] : start[0] + shape[0]].copy()
    return lambda a, start, shape: a[start[0] : start[0] + shape[0], start[1] : start[1] + shape[1]].copy()


@overload(embedded)
def _overload_embedded(a, start, shape):
    if not isinstance(a, types.Array) or a.ndim > 2:
        return None
    is_vector = a.ndim == 1

    def impl(a, start, shape):
        found = np.zeros(shape, a.dtype)
        if is_vector:
            found[start[0] : start[0] + a.shape[0]] = a
        else:
            found[start[0] : start[0] + a.shape[0], start[1] : start[1] + a.shape[1]] = a
        return found

    return impl


@overload(half_of)
def _overload_half_of(shape):
    if len(shape) == 1:
        return lambda shape: ((shape[0] - 1) // 2,)
    if len(shape) == 2:
        return lambda shape: ((shape[0] - 1) // 2, (shape[1] - 1) // 2)
    return None


@overload(is_within)
def _overload_is_within(one, other):
    def impl(one, other):
        larger = 0
        for k in range(len(one)):
            larger += one[k] > other[k]
        return larger == 0

    return impl


@overload(upper_half)
def _overload_upper_half(size):
    def impl(size):
        found = np.zeros(size)
        found[1 : (size + 1) // 2] = 2.0
        found[0] = 1.0
        if size % 2 == 0:
            found[size // 2] = 1.0
        return found

    return impl
