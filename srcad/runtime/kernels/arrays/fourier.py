"""What the rules and definitions of Fourier transforms call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable


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


def spectrum_counts(shape: tuple[int, ...], axis: int, norm: str | None = None) -> Any:
    """How many coefficients of the whole spectrum each of a real signal's stands for, along an axis.

    They are scaled as the inverse transform to a signal of that shape is.

    >>> spectrum_counts((4, 1), 0, "forward").ravel(), spectrum_counts((1, 5), 1)
    (array([1., 2., 1.]), array([[0.2, 0.4, 0.4]]))
    """
    count = counts_of_size(shape[axis], scale_of(norm, shape[axis]))
    return count.reshape(tuple(-1 if k == axis % len(shape) else 1 for k in range(len(shape))))


def scale_of(norm: str | None, size: int) -> float:
    """The factor of an inverse transform."""
    return size**-0.5 if norm == "ortho" else 1.0 if norm == "forward" else 1.0 / size


def counts_of_size(size: int, scale: float) -> Any:
    """The counts for a signal of so many elements, times a factor."""
    count = np.full(size // 2 + 1, 2.0 * scale)
    count[0] = scale
    if size % 2 == 0:
        count[-1] = scale
    return count


def fft_of_leading(a: Any, norm: Any = None) -> Any:
    """The Fourier transforms along all axes but the last, one after the other."""
    return np.fft.fftn(a, axes=tuple(range(a.ndim - 1)), norm=norm) if a.ndim > 1 else a.copy()


def ifft_of_leading(a: Any, norm: Any = None) -> Any:
    """The inverse Fourier transforms along all axes but the last, one after the other."""
    return np.fft.ifftn(a, axes=tuple(range(a.ndim - 1)), norm=norm) if a.ndim > 1 else a.copy()


@overload(resized)
def _overload_resized(g, size, axis):
    ndim = g.ndim

    def impl(g, size, axis):
        shape = tuple_setitem(g.shape, axis % ndim, size)
        result = np.zeros(shape, g.dtype)
        common = min(size, g.shape[axis])
        there, here = np.moveaxis(result, axis, 0), np.moveaxis(g, axis, 0)
        there[:common] = here[:common]
        return result

    return impl


_counts_of_size = register_jitable(counts_of_size)


@overload(spectrum_counts, prefer_literal=True)
def _overload_spectrum_counts(shape, axis, norm=None):
    known, given = constant(norm)
    if not known:
        return None
    ones = (1,) * len(shape)

    def impl(shape, axis, norm=None):
        size = shape[axis]
        scale = 1.0 / np.sqrt(size) if given == "ortho" else 1.0 if given == "forward" else 1.0 / size
        return _counts_of_size(size, scale).reshape(tuple_setitem(ones, axis % len(ones), size // 2 + 1))

    return impl


def constant(kind: Any) -> tuple[bool, Any]:
    """Whether the value of an argument is known from its type, and the value.

    >>> constant(types.literal("ortho")), constant(types.none), constant(types.unicode_type)
    ((True, 'ortho'), (True, None), (False, None))
    """
    match kind:
        case types.Literal():
            return True, kind.literal_value
        case types.Omitted():
            return True, kind.value
        case types.NoneType():
            return True, None
    return not isinstance(kind, types.Type), None if isinstance(kind, types.Type) else kind


def _of_leading(transform: Any, a: Any, norm: Any) -> Any:
    known, given = constant(norm)
    ndim = a.ndim
    if not known:
        return None
    if ndim == 1:
        return lambda a, norm=None: a.copy()

    def impl(a, norm=None):
        turned = np.moveaxis(a, -1, 0)
        for _ in range(1, ndim):  # the axis that is transformed becomes the first, so that each comes to be the last
            turned = np.moveaxis(transform(turned, None, -1, given), -1, 0)
        return turned.copy().reshape(a.shape)

    return impl


@overload(fft_of_leading, prefer_literal=True)
def _overload_fft_of_leading(a, norm=None):
    return _of_leading(np.fft.fft, a, norm)


@overload(ifft_of_leading, prefer_literal=True)
def _overload_ifft_of_leading(a, norm=None):
    return _of_leading(np.fft.ifft, a, norm)
