"""Convolutions of arrays of any rank, and filters: the bilinear maps that derivatives of each other are made of."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.signal
from numba.core import types
from numba.extending import overload, register_jitable

_DIRECT = 1 << 20  # products up to which sums are added up as they stand; Fourier transforms take less time beyond


def convolution(a: Any, b: Any, method: str) -> Any:
    """The whole convolution of two arrays of the same rank: y[k] = sum over i of a[i] b[k - i].

    >>> convolution(np.array([1.0, 2.0]), np.array([1.0, 10.0]), "direct")
    array([ 1., 12., 20.])
    """
    return scipy.signal.convolve(a, b, method=method)


def correlation(a: Any, b: Any, method: str) -> Any:
    """The sums y[k] = sum over i of a[k + i] b[i], for all places k at which b lies within a; nothing is conjugated.

    >>> correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 10.0]), "direct")
    array([21., 32.])
    """
    if any(one < other for one, other in zip(a.shape, b.shape, strict=True)):
        return np.zeros(tuple(max(one - other + 1, 0) for one, other in zip(a.shape, b.shape, strict=True)), a.dtype)
    turned = b[tuple([slice(None, None, -1)] * b.ndim)]
    return scipy.signal.convolve(a, turned, "valid", method)


def all_pole(a: Any, u: Any) -> Any:
    """The filter y[n] = u[n] - sum over k > 0 of a[k] y[n - k], along the last axis; a[0] is taken to be 1.

    >>> all_pole(np.array([1.0, -0.5]), np.array([1.0, 0.0, 0.0]))
    array([1.  , 0.5 , 0.25])
    """
    normal = np.concatenate((np.ones(1, a.dtype), a[1:]))
    return scipy.signal.lfilter(np.ones(1), normal, u) if u.size else np.zeros_like(u)


def turned_round(a: Any) -> Any:
    """An array in reversed order along its last axis."""
    return np.ascontiguousarray(a[..., ::-1])


def lags(w: Any, y: Any, count: int) -> Any:
    """The sums over all n of w[..., n] y[..., n - k], for k from 0 on.

    >>> lags(np.array([1.0, 2.0]), np.array([3.0, 4.0]), 2)
    array([11.,  6.])
    """
    size = w.shape[-1]
    sums = [np.sum(w[..., k:] * y[..., : max(size - k, 0)]) for k in range(count)]
    return np.array(sums, dtype=np.result_type(w, y))


def _is_real(*kinds: Any) -> bool:
    return all(isinstance(each, types.Array) and isinstance(each.dtype, types.Float) for each in kinds)


@register_jitable
def _convolved_1(a, b):
    found = np.zeros(a.shape[0] + b.shape[0] - 1, a.dtype)
    if a.shape[0] < b.shape[0]:
        a, b = b, a
    for j in range(b.shape[0]):
        factor = b[j]
        for i in range(a.shape[0]):
            found[i + j] += a[i] * factor
    return found


@register_jitable
def _convolved_2(a, b):
    found = np.zeros((a.shape[0] + b.shape[0] - 1, a.shape[1] + b.shape[1] - 1), a.dtype)
    if a.shape[1] < b.shape[1]:
        a, b = b, a
    for p in range(b.shape[0]):
        for q in range(b.shape[1]):
            factor = b[p, q]
            for i in range(a.shape[0]):
                for j in range(a.shape[1]):
                    found[i + p, j + q] += a[i, j] * factor
    return found


@register_jitable
def _correlated_1(a, b):
    found = np.zeros(max(a.shape[0] - b.shape[0] + 1, 0), a.dtype)
    if found.shape[0] < b.shape[0]:
        for i in range(found.shape[0]):
            total = 0.0
            for j in range(b.shape[0]):
                total += a[i + j] * b[j]
            found[i] = total
        return found
    for j in range(b.shape[0]):
        factor = b[j]
        for i in range(found.shape[0]):
            found[i] += a[i + j] * factor
    return found


@register_jitable
def _correlated_2(a, b):
    rows, columns = max(a.shape[0] - b.shape[0] + 1, 0), max(a.shape[1] - b.shape[1] + 1, 0)
    found = np.zeros((rows, columns), a.dtype)
    if columns < b.shape[1]:
        for i in range(rows):
            for j in range(columns):
                total = 0.0
                for p in range(b.shape[0]):
                    for q in range(b.shape[1]):
                        total += a[i + p, j + q] * b[p, q]
                found[i, j] = total
        return found
    for p in range(b.shape[0]):
        for q in range(b.shape[1]):
            factor = b[p, q]
            for i in range(rows):
                for j in range(columns):
                    found[i, j] += a[i + p, j + q] * factor
    return found


@register_jitable
def _product_of_transforms_1(a, b):
    size = a.shape[0] + b.shape[0] - 1
    return np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)


@register_jitable
def _product_of_transforms_2(a, b):
    rows, columns = a.shape[0] + b.shape[0] - 1, a.shape[1] + b.shape[1] - 1
    product = np.fft.fft(np.fft.rfft(a, columns), rows, 0) * np.fft.fft(np.fft.rfft(b, columns), rows, 0)
    return np.fft.irfft(np.fft.ifft(product, rows, 0), columns)


def _check(a, b):
    if a.size == 0 or b.size == 0:
        raise ValueError("convolution of an empty array")


_jitted_check = register_jitable(_check)


@overload(convolution)
def _overload_convolution(a, b, method):
    if not _is_real(a, b) or a.ndim != b.ndim or a.ndim > 2 or a.dtype != b.dtype:
        return None
    direct = _convolved_1 if a.ndim == 1 else _convolved_2
    by_transforms = _product_of_transforms_1 if a.ndim == 1 else _product_of_transforms_2

    def impl(a, b, method):
        _jitted_check(a, b)
        if method == "fft" or (method == "auto" and a.size * b.size > _DIRECT and min(a.size, b.size) > 32):
            return by_transforms(a, b)
        return direct(a, b)

    return impl


@overload(correlation)
def _overload_correlation(a, b, method):
    if not _is_real(a, b) or a.ndim != b.ndim or a.ndim > 2 or a.dtype != b.dtype:
        return None
    if a.ndim == 1:

        def vectors(a, b, method):
            size, count = b.shape[0], a.shape[0] - b.shape[0] + 1
            if count < 1 or method == "direct" or (method == "auto" and (count * size <= _DIRECT or size <= 32)):
                return _correlated_1(a, b)
            return _product_of_transforms_1(a, b[::-1])[size - 1 : size - 1 + count].copy()

        return vectors

    def impl(a, b, method):
        rows, columns = a.shape[0] - b.shape[0] + 1, a.shape[1] - b.shape[1] + 1
        is_large = rows * columns * b.size > _DIRECT and b.size > 32
        if rows < 1 or columns < 1 or method == "direct" or (method == "auto" and not is_large):
            return _correlated_2(a, b)
        whole = _product_of_transforms_2(a, b[::-1, ::-1])
        return whole[b.shape[0] - 1 : b.shape[0] - 1 + rows, b.shape[1] - 1 : b.shape[1] - 1 + columns].copy()

    return impl


@overload(all_pole)
def _overload_all_pole(a, u):
    if not _is_real(a, u) or a.dtype != u.dtype:
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


@overload(turned_round)
def _overload_turned_round(a):
    return lambda a: np.ascontiguousarray(a[..., ::-1])


@overload(lags)
def _overload_lags(w, y, count):
    if not _is_real(w, y):
        return None
    dtype = w.dtype

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
