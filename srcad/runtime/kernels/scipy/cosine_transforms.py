"""Cosine and sine transforms, each as an orthogonal matrix times a factor; in Numba by Fourier transforms."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.fft
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.fourier import constant

_ROOT = 0.7071067811865476


def trigonometric(x: Any, is_sine: bool, type: int, axis: int, norm: str | None, is_orthogonal: bool) -> Any:
    """The cosine or sine transform of a type along an axis; of complex numbers part by part.

    >>> trigonometric(np.array([1.0, 2.0]), False, 3, 0, None, False)
    array([ 3.82842712, -1.82842712])
    """
    transform = scipy.fft.dst if is_sine else scipy.fft.dct
    if np.iscomplexobj(x):
        parts = (trigonometric(part, is_sine, type, axis, norm, is_orthogonal) for part in (x.real, x.imag))
        return next(parts) + 1j * next(parts)
    return transform(x, type, axis=axis, norm=norm, orthogonalize=is_orthogonal)


def orthogonal_transform(x: Any, is_sine: bool, type: int, axis: int, norm: str | None) -> Any:
    """`trigonometric` with orthogonal columns."""
    return trigonometric(x, is_sine, type, axis, norm, True)


def inverse_type(type: int) -> int:
    """The type of the inverse and of the transpose.

    >>> [inverse_type(type) for type in (1, 2, 3, 4)]
    [1, 3, 2, 4]
    """
    return 5 - type if 1 < type < 4 else type


def inverse_norm(norm: str | None) -> str | None:
    """How the inverse transform is scaled."""
    return norm if norm == "ortho" else "backward" if norm == "forward" else "forward"


def end_weights(shape: tuple[int, ...], is_sine: bool, type: int, axis: int, of_result: bool) -> Any:
    """The factors by which a transform differs from the orthogonal one, of the elements along an axis.

    >>> end_weights((3, 1), False, 2, 0, True).ravel()
    array([1.41421356, 1.        , 1.        ])
    """
    weights = _ends(shape[axis], is_sine, type, of_result, 1.0 / _ROOT if of_result else _ROOT)
    return weights.reshape(tuple([-1 if k == axis % len(shape) else 1 for k in range(len(shape))]))


def axes_count(ndim: int, s: Any, axes: Any) -> int:
    """The number of axes that are transformed."""
    return 1 if isinstance(axes, int) else len(axes) if axes is not None else ndim if s is None else len(s)


def axis_number(ndim: int, s: Any, axes: Any, k: int) -> int:
    """The k-th of the axes that are transformed."""
    if axes is None:
        return k if s is None else ndim - len(s) + k
    return axes if isinstance(axes, int) else axes[k]


def _ends(size, is_sine, type, of_result, factor):
    """Ones, but for a factor at the ends where a cosine or sine transform is not orthogonal without."""
    found = np.ones(size)
    if type == 4 or (is_sine and type == 1) or type == (3 if of_result else 2):
        return found
    if is_sine or type == 1:
        found[-1] = factor
    if not is_sine:
        found[0] = factor
    return found


_jitted_ends = register_jitable(_ends)


@register_jitable
def _transformed_rows(rows, is_sine, type, scaling):
    """2 sum_n w[n] x[n] cos(2 pi p[n] q[k] / period) v[k], or with sin, by the Fourier transform of x at places p."""
    size = rows.shape[1]
    offset = 1 if is_sine else 0
    odd_in, odd_out = type in (2, 4), type in (3, 4)
    period = 2 * size if type == 1 else 4 * size if type < 4 else 8 * size
    if type == 1:
        period += 2 if is_sine else -2
    if period == 0:
        raise ValueError("Zero length DCT-I requested")
    before, after = _jitted_ends(size, is_sine, type, False, _ROOT), _jitted_ends(size, is_sine, type, True, _ROOT)
    first, step = (1, 2) if odd_in else (offset, 1)
    spread = np.zeros((rows.shape[0], period))
    for n in range(size):
        spread[:, first + step * n] = rows[:, n] * before[n]
    spectrum = np.fft.rfft(spread)
    logical = period if type == 1 else 2 * size
    scale = 2.0 if scaling == 0 else 2.0 / np.sqrt(logical) if scaling == 1 else 2.0 / logical
    found = np.empty((rows.shape[0], size))
    first, step = (1, 2) if odd_out else (offset, 1)
    for k in range(size):
        column = spectrum[:, first + step * k]
        found[:, k] = (-column.imag if is_sine else column.real) * (after[k] * scale)
    return found


@overload(orthogonal_transform, prefer_literal=True)
def _overload_orthogonal_transform(x, is_sine, type, axis, norm):
    known, given = constant(norm)
    if not isinstance(x, types.Array) or isinstance(x.dtype, types.Complex):
        return None
    scaling = {"ortho": 1, "forward": 2}.get(given, 0)
    dtype = np.dtype(np.float32 if x.dtype == types.float32 else np.float64)

    def impl(x, is_sine, type, axis, norm):
        turned = np.ascontiguousarray(np.moveaxis(x, axis, -1))
        rows = turned.reshape((-1, turned.shape[-1])).astype(np.float64)
        factor = scaling if known else 1 if norm == "ortho" else 2 if norm == "forward" else 0
        found = _transformed_rows(rows, is_sine, type, factor).astype(dtype).reshape(turned.shape)
        return np.ascontiguousarray(np.moveaxis(found, -1, axis))

    return impl


@overload(end_weights)
def _overload_end_weights(shape, is_sine, type, axis, of_result):
    ones = (1,) * len(shape)

    def impl(shape, is_sine, type, axis, of_result):
        factor = 1.0 / _ROOT if of_result else _ROOT
        size = shape[axis]
        weights = _jitted_ends(size, is_sine, type, of_result, factor)
        return weights.reshape(tuple_setitem(ones, axis % len(ones), size))

    return impl


@overload(inverse_type)
def _overload_inverse_type(type):
    return lambda type: 5 - type if 1 < type < 4 else type


@overload(inverse_norm, prefer_literal=True)
def _overload_inverse_norm(norm):
    known, given = constant(norm)
    if not known:
        return None
    found = inverse_norm(given)
    return lambda norm: found


@overload(axes_count)
def _overload_axes_count(ndim, s, axes):
    if isinstance(axes, types.Integer):
        return lambda ndim, s, axes: 1
    if not isinstance(axes, types.NoneType):
        return lambda ndim, s, axes: len(axes)
    if not isinstance(s, types.NoneType):
        return lambda ndim, s, axes: len(s)
    return lambda ndim, s, axes: ndim


@overload(axis_number)
def _overload_axis_number(ndim, s, axes, k):
    if isinstance(axes, types.Integer):
        return lambda ndim, s, axes, k: axes
    if not isinstance(axes, types.NoneType):
        return lambda ndim, s, axes, k: axes[k]
    if not isinstance(s, types.NoneType):
        return lambda ndim, s, axes, k: ndim - len(s) + k
    return lambda ndim, s, axes, k: k
