"""Numba overloads of NumPy's shape functions: functions that Numba lacks, and arguments that it does not support."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.core.typing import templates
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload
from numba.np import arrayobj

from srcad.runtime.kernels.arrays.array_add_and_copy import copy_to
from srcad.runtime.kernels.arrays.rows_along_axis import from_rows, to_rows
from srcad.runtime.kernels.arrays.unbroadcast import axis_flags
from srcad.runtime.kernels.overloads.reductions import summed


@overload(np.cumprod)
def _cumprod(a, axis=None):
    if isinstance(axis, types.NoneType):
        return lambda a, axis=None: np.cumprod(a)
    if not isinstance(a, types.Array) or not isinstance(axis, types.Integer):
        return None
    dtype = summed(a.dtype)

    def impl(a, axis=None):
        rows = to_rows(a, axis).astype(dtype)
        for i in range(rows.shape[0]):
            for k in range(1, rows.shape[1]):
                rows[i, k] *= rows[i, k - 1]
        return from_rows(rows, a.shape, axis)

    return impl


@overload(np.array)
def _array(object, dtype=None):  # named as NumPy names it
    if isinstance(object, types.Array) and isinstance(dtype, (types.NumberClass, types.DType)):
        return lambda object, dtype=None: object.astype(dtype)
    parts = object.types if isinstance(object, types.BaseTuple) else ()
    if not parts or not all(isinstance(each, types.Array) and each.ndim == parts[0].ndim for each in parts):
        return None  # Numba itself supports numbers, and tuples of these
    if isinstance(dtype, (types.NumberClass, types.DType)):
        return lambda object, dtype=None: np.stack(object).astype(dtype)
    return lambda object, dtype=None: np.stack(object)


@overload(np.reshape)
def _reshape(a, shape):
    if not _is_in_another_order(a):
        return None
    return lambda a, shape: np.ascontiguousarray(a).reshape(shape)


def _is_in_another_order(a: Any) -> bool:
    """Whether this is an array whose memory is not in C order."""
    return isinstance(a, types.Array) and a.layout != "C"


def _leave_to_ours(function: Any, when: Callable[..., bool]) -> None:
    """Let Numba's own version of a function leave calls with such arguments to ours."""
    for value, kind in templates.builtin_registry.globals:
        if value is not function:
            continue
        for template in kind.templates:
            own = getattr(template, "_overload_func", None)
            if own is not None and own.__module__ == arrayobj.__name__:
                template._overload_func = staticmethod(_unless(own, when))


def _unless(own: Callable[..., Any], when: Callable[..., bool]) -> Callable[..., Any]:
    @functools.wraps(own)
    def chosen(*args: Any, **named: Any) -> Any:
        return None if when(*args, **named) else own(*args, **named)

    return chosen


def _takes_by_matrix(a: Any, indices: Any, axis: Any = None) -> bool:
    return isinstance(indices, types.Array) and indices.ndim != 1 and isinstance(axis, (types.Integer, int))


_leave_to_ours(np.reshape, lambda a, *shape, **named: _is_in_another_order(a))  # which it compiles, and then raises
_leave_to_ours(np.take, _takes_by_matrix)  # which it takes for a vector


@overload(np.squeeze)
def _squeeze(a, axis=None):
    if not isinstance(a, types.Array) or not isinstance(axis, (types.Integer, types.UniTuple)):
        return None  # without an axis, the rank of the result would depend on the shape
    ndim, count = a.ndim, len(axis) if isinstance(axis, types.UniTuple) else 1
    smaller = (0,) * (ndim - count)

    def impl(a, axis=None):
        dropped = axis_flags(axis, ndim)
        shape, strides, j = smaller, smaller, 0
        for k in range(ndim):
            if not dropped[k]:
                shape = tuple_setitem(shape, j, a.shape[k])
                strides = tuple_setitem(strides, j, a.strides[k])
                j += 1
            elif a.shape[k] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return np.lib.stride_tricks.as_strided(a, shape, strides)

    return impl


@overload(np.inner)
def _inner(a, b):
    if not isinstance(a, types.Array) or not isinstance(b, types.Array):
        return None
    if a.ndim == 1 and b.ndim == 1:
        return lambda a, b: np.dot(a, b)
    if (a.ndim == 2 and b.ndim == 1) or (a.ndim == 1 and b.ndim == 2):
        return (lambda a, b: np.dot(a, b)) if b.ndim == 1 else (lambda a, b: np.dot(b, a))
    if a.ndim == 2 and b.ndim == 2:
        return lambda a, b: np.dot(np.ascontiguousarray(a), np.ascontiguousarray(b).T)
    return None


@overload(np.tile)
def _tile(A, reps):  # noqa: N803  # named as NumPy names it
    if not isinstance(A, types.Array) or A.ndim != 1 or not isinstance(reps, types.Integer):
        return None

    def impl(A, reps):  # noqa: N803
        result = np.empty((max(0, reps), A.size), A.dtype)
        copy_to(result, A)
        return result.reshape(result.size)

    return impl


@overload(np.flip)
def _flip(m, axis=None):
    if isinstance(axis, types.NoneType):
        return lambda m, axis=None: np.flip(m)
    if not isinstance(m, types.Array) or not isinstance(axis, types.Integer):
        return None

    def impl(m, axis=None):
        return np.moveaxis(np.moveaxis(m, axis, 0)[::-1], 0, axis)

    return impl


@overload(np.roll)
def _roll(a, shift, axis=None):
    if isinstance(axis, types.NoneType):
        return lambda a, shift, axis=None: np.roll(a, shift)
    if not isinstance(a, types.Array) or not isinstance(axis, types.Integer) or not isinstance(shift, types.Integer):
        return None

    ndim = a.ndim

    def impl(a, shift, axis=None):
        result = np.empty(a.shape, a.dtype)
        if a.size:
            # With np.moveaxis, or another order of axes, Numba would compile an error message, which takes two seconds.
            before, size = 1, a.shape[axis]
            for k in range(axis % ndim):
                before *= a.shape[k]
            length = a.size // before
            by = shift % size * (length // size)
            here, there = np.ascontiguousarray(a).reshape(a.size), result.reshape(a.size)
            for k in range(0, a.size, length):
                for i in range(length - by):
                    there[k + by + i] = here[k + i]
                for i in range(by):
                    there[k + i] = here[k + length - by + i]
        return result

    return impl


@overload(np.roll)
def _roll_along_several(a, shift, axis=None):
    if not isinstance(a, types.Array) or not isinstance(axis, types.UniTuple):
        return None
    count = len(axis)
    if isinstance(shift, types.Integer):

        def by_one(a, shift, axis=None):
            for k in range(count):
                a = np.roll(a, shift, axis[k])
            return a

        return by_one
    if not isinstance(shift, types.UniTuple) or len(shift) != count:
        return None

    def impl(a, shift, axis=None):
        found = a.copy()
        for k in range(count):
            found = np.roll(found, shift[k], axis[k])
        return found

    return impl


@overload(np.cumsum)
def _cumsum(a, axis=None):
    return (lambda a, axis=None: np.cumsum(a)) if isinstance(axis, types.NoneType) else None


@overload(np.repeat)
def _repeat(a, repeats, axis=None):
    return (lambda a, repeats, axis=None: np.repeat(a, repeats)) if isinstance(axis, types.NoneType) else None


@overload(np.take)
def _take(a, indices, axis=None):
    return (lambda a, indices, axis=None: np.take(a, indices)) if isinstance(axis, types.NoneType) else None


@overload(np.diff)
def _diff(a, n=1, axis=-1):
    if not isinstance(a, types.Array) or not isinstance(axis, types.Integer) or a.ndim != 1:
        return None
    return lambda a, n=1, axis=-1: np.diff(a, n)


@overload(np.diagonal)
def _diagonal(a, offset=0):
    if not isinstance(a, types.Array) or a.ndim != 2:
        return None
    return lambda a, offset=0: np.diag(a, offset)


@overload(np.astype)
def _astype(x, dtype):
    return (lambda x, dtype: x.astype(dtype)) if isinstance(x, types.Array) else None


@overload(np.real_if_close)
def _real_if_close(a, tol=100):
    is_complex = isinstance(getattr(a, "dtype", a), types.Complex)  # of these the values tell what the result is
    return None if is_complex else lambda a, tol=100: a


@overload(np.fix)
def _fix(x):
    return lambda x: np.trunc(x)


@overload(abs)
def _abs(x):
    return (lambda x: np.abs(x)) if isinstance(x, types.Array) else None


@overload(np.ndim)
def _ndim(a):
    rank: Any = a.ndim if isinstance(a, types.Array) else 0 if isinstance(a, types.Number) else None
    return None if rank is None else lambda a: rank


def _of_number(in_place: Any, operator_: Any) -> None:
    """Let `s += x` of a number and an array give a new array, as Python does where a number has no such operator."""

    def made(a, b):
        is_plain = isinstance(a, (types.Number, types.Boolean)) and isinstance(b, types.Array)
        return (lambda a, b: operator_(a, b)) if is_plain else None

    overload(in_place)(made)


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
    _of_number(getattr(operator, f"i{_name}"), getattr(operator, _name))
