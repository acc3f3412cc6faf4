"""Convolutions and correlations of arrays: two bilinear maps of which each has the other in its derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
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


def are_real(*kinds: Any) -> bool:
    """Whether types are those of arrays of floating point numbers."""
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


@register_jitable
def _check(a, b):
    if a.size == 0 or b.size == 0:
        raise ValueError("convolution of an empty array")


@overload(convolution)
def _overload_convolution(a, b, method):
    if not are_real(a, b) or a.ndim != b.ndim or a.ndim > 2 or a.dtype != b.dtype:
        return None
    direct = _convolved_1 if a.ndim == 1 else _convolved_2
    by_transforms = _product_of_transforms_1 if a.ndim == 1 else _product_of_transforms_2

    def impl(a, b, method):
        _check(a, b)
        if method == "fft" or (method == "auto" and a.size * b.size > _DIRECT and min(a.size, b.size) > 32):
            return by_transforms(a, b)
        return direct(a, b)

    return impl


@overload(correlation)
def _overload_correlation(a, b, method):
    if not are_real(a, b) or a.ndim != b.ndim or a.ndim > 2 or a.dtype != b.dtype:
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
