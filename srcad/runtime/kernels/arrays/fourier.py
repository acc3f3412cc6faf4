"""Adjoints of Fourier transforms, for their rules. Numba has no Fourier transforms, so nothing here is compiled."""

from __future__ import annotations

from typing import Any

import numpy as np


def resized(g: Any, size: int, axis: int) -> Any:
    """The first `size` elements along an axis, padded with zeros at the end if there are fewer.

    >>> resized(np.array([1.0, 2.0]), 3, -1), resized(np.array([1.0, 2.0]), 1, 0)
    (array([1., 2., 0.]), array([1.]))
    """
    if g.shape[axis] == size:
        return g
    if g.shape[axis] > size:
        return g[(slice(None),) * (axis % g.ndim) + (slice(size),)]
    shape = [*g.shape]
    shape[axis] = size - g.shape[axis]
    return np.concatenate((g, np.zeros(shape, g.dtype)), axis)


def rfft_adjoint(g: Any, n: int | None, size: int, axis: int) -> Any:
    """The adjoint of `np.fft.rfft`: for `size` real numbers, from that of the spectrum of `n` of them."""
    return resized(np.real(np.fft.fft(resized(g, size if n is None else n, axis), axis=axis)), size, axis)


def _parts(size: int) -> Any:
    count = np.full(size // 2 + 1, 2.0 / size)
    count[0] = 1.0 / size
    if size % 2 == 0:
        count[-1] = 1.0 / size
    return count


def irfft_adjoint(g: Any, axis: int) -> Any:
    """The adjoint of `np.fft.irfft`: all coefficients but those at the ends count twice."""
    count = _parts(g.shape[axis])
    spectrum = np.conj(np.fft.rfft(np.real(g), axis=axis))
    if axis in (-1, spectrum.ndim - 1):
        return spectrum * count
    spectrum = np.moveaxis(spectrum, axis, -1)
    return np.moveaxis(spectrum * count, -1, axis)
