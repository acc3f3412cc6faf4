"""Adjoints of Fourier transforms, for their rules. Numba has no Fourier transforms, so nothing here is compiled."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from srcad.runtime.kernels.arrays.short_fft import half_of_real, is_short, real_part
from srcad.runtime.support.constant_arrays import VECTORS


def fftshift_adjoint(g: Any, axes: Any = None) -> Any:
    """The adjoint of `np.fft.fftshift`, its inverse.

    >>> fftshift_adjoint(np.fft.fftshift(np.arange(5.0))).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    if type(g) is np.ndarray and g.ndim == 1:
        half = g.size // 2
        return np.concatenate((g[half:], g[:half]))
    return np.fft.ifftshift(g, axes)


def ifftshift_adjoint(g: Any, axes: Any = None) -> Any:
    """The adjoint of `np.fft.ifftshift`, its inverse.

    >>> ifftshift_adjoint(np.fft.ifftshift(np.arange(5.0))).tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0]
    """
    if type(g) is np.ndarray and g.ndim == 1:
        half = g.size - g.size // 2
        return np.concatenate((g[half:], g[:half]))
    return np.fft.fftshift(g, axes)


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


@VECTORS
def _parts(size: int) -> Any:
    count = np.full(size // 2 + 1, 2.0 / size)
    count[0] = 1.0 / size
    if size % 2 == 0:
        count[-1] = 1.0 / size
    return count


def irfft_adjoint(g: Any, axis: int) -> Any:
    """The adjoint of `np.fft.irfft`: all coefficients but those at the ends count twice."""
    if is_short(g, np.float64):
        return half_of_real(g)
    count = _parts(g.shape[axis])
    spectrum = np.conj(np.fft.rfft(np.real(g), axis=axis))
    if axis in (-1, spectrum.ndim - 1):
        return spectrum * count
    spectrum = np.moveaxis(spectrum, axis, -1)
    return np.moveaxis(spectrum * count, -1, axis)


# Adjoints for complex spectra, conjugates of the derivatives in the rules: the opposite transform, unscaled.


def fft_conjugate(bar: Any, y: Any, a: Any, n: Any = None, axis: int = -1) -> tuple[Any]:
    """The adjoint of the argument of `np.fft.fft`.

    >>> fft_conjugate(np.array([1.0, 1j]), None, np.zeros(2, complex))
    (array([1.+1.j, 1.-1.j]),)
    """
    if is_short(bar, np.complex128) and a.dtype == np.float64:
        return (resized(real_part(bar, bar.size, 1), a.size, axis),)
    return (resized(np.fft.ifft(bar, None, axis, "forward"), a.shape[axis], axis),)


def ifft_conjugate(bar: Any, y: Any, a: Any, n: Any = None, axis: int = -1) -> tuple[Any]:
    """The adjoint of the argument of `np.fft.ifft`."""
    if is_short(bar, np.complex128) and a.dtype == np.float64:
        return (resized(real_part(bar, bar.size, -1) / bar.size, a.size, axis),)
    return (resized(np.fft.fft(bar, None, axis, "forward"), a.shape[axis], axis),)


def rfft_conjugate(bar: Any, y: Any, a: Any, n: Any = None, axis: int = -1) -> tuple[Any]:
    """The adjoint of the argument of `np.fft.rfft`; the other half of the spectrum has the adjoint zero."""
    size = a.shape[axis]
    if is_short(bar, np.complex128) and n in (None, size) and size == a.size:
        return (real_part(bar, size, 1),)
    return (resized(np.fft.ifft(bar, size if n is None else n, axis, "forward").real, size, axis),)


def fft2_conjugate(bar: Any, y: Any, a: Any) -> tuple[Any]:
    """The adjoint of the argument of `np.fft.fft2`."""
    return (_transforms().ifft2(bar, norm="forward"),)


def ifft2_conjugate(bar: Any, y: Any, a: Any) -> tuple[Any]:
    """The adjoint of the argument of `np.fft.ifft2`."""
    return (_transforms().fft2(bar, norm="forward"),)


@functools.cache
def _transforms() -> Any:
    """SciPy's transforms: over two axes they take half the time of NumPy's."""
    import scipy.fft

    return scipy.fft


CONJUGATED: Mapping[Any, Callable[..., tuple[Any]]] = {
    np.fft.fft: fft_conjugate,
    np.fft.fft2: fft2_conjugate,
    np.fft.ifft: ifft_conjugate,
    np.fft.ifft2: ifft2_conjugate,
    np.fft.rfft: rfft_conjugate,
}
