"""Numba overloads of NumPy's reductions that support the arguments `axis` and `keepdims`.

An axis is reduced as the middle one of three; several axes are reduced one after the other. One dimension of a matrix,
the most frequent case, has code of its own, which compiles in a tenth of the time. Calls that Numba supports are left
to it: an overload that returns None passes the call on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.arrays.rows_along_axis import around, literal_dimension
from srcad.runtime.kernels.arrays.unbroadcast import axis_flags, reduced_size
from srcad.runtime.kernels.overloads.extremes import larger, smaller


@register_jitable
def _add(a, b):
    return a + b


@register_jitable
def _multiply(a, b):
    return a * b


@register_jitable
def _either(a, b):
    return a or b


@register_jitable
def _both(a, b):
    return a and b


@dataclass(frozen=True)
class _Reducer:
    """The functions of a reduction: `flags(a, reduced, dtype)`, and `plane[k](a, dtype)` for axis k of a matrix."""

    flags: Callable[..., Any]
    plane: tuple[Callable[..., Any], Callable[..., Any]]


def _plane(combine: Callable[..., Any], start: int | None) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Functions that reduce the first and the second dimension of a matrix."""
    is_defined = start is not None
    begin = start or 0

    @register_jitable
    def check(size, length):
        if not is_defined and size > 0 and length == 0:
            raise ValueError("zero-size array to a reduction which has no identity")

    @register_jitable
    def columns(a, dtype):
        check(a.shape[1], a.shape[0])
        result = np.empty(a.shape[1], dtype)
        for j in range(a.shape[1]):
            result[j] = a[0, j] if a.shape[0] else begin
        for i in range(1, a.shape[0]):
            for j in range(a.shape[1]):
                result[j] = combine(result[j], a[i, j])
        return result

    @register_jitable
    def rows(a, dtype):
        check(a.shape[0], a.shape[1])
        result = np.empty(a.shape[0], dtype)
        for i in range(a.shape[0]):
            result[i] = a[i, 0] if a.shape[1] else begin
            found = result[i]
            for j in range(1, a.shape[1]):
                found = combine(found, a[i, j])
            result[i] = found
        return result

    return columns, rows


def _in_one_row(a: Any, dtype: Any) -> Any:
    """The elements of an array in one row, in C order; not always a copy."""
    return np.ascontiguousarray(a).astype(dtype).reshape(a.size)


@overload(_in_one_row)
def _overload_in_one_row(a, dtype):
    if a.dtype == dtype.dtype:
        return lambda a, dtype: np.ascontiguousarray(a).reshape(a.size)
    return lambda a, dtype: np.ascontiguousarray(a).astype(dtype).reshape(a.size)


def _reducer(combine: Callable[..., Any], start: int | None) -> _Reducer:
    """The reduction by a function of two numbers; `start` is its value for no elements, None if it is undefined."""
    is_defined = start is not None
    begin = start or 0
    columns, rows = _plane(combine, start)

    @register_jitable
    def reduce_middle(a, dtype):
        result = np.empty((a.shape[0], a.shape[2]), dtype)
        if a.shape[1] == 0:
            if not is_defined and result.size > 0:
                raise ValueError("zero-size array to a reduction which has no identity")
            result[...] = begin
        else:
            for i in range(a.shape[0]):
                for j in range(a.shape[2]):
                    result[i, j] = a[i, 0, j]
                for k in range(1, a.shape[1]):
                    for j in range(a.shape[2]):
                        result[i, j] = combine(result[i, j], a[i, k, j])
        return result

    @register_jitable
    def reduce_flags(a, reduced, dtype):
        shape = a.shape
        current = _in_one_row(a, dtype)
        is_new = False
        for k in range(len(shape)):
            if reduced[k]:
                before, length, after = around(shape, k)
                if after == 1:  # elements that lie side by side
                    current = rows(current.reshape((before, length)), dtype)
                else:
                    middle = reduce_middle(current.reshape((before, length, after)), dtype)
                    current = middle.reshape(middle.size)
                shape = tuple_setitem(shape, k, 1)
                is_new = True
        return (current if is_new else current.copy()).reshape(shape)

    return _Reducer(reduce_flags, (columns, rows))


def _of_plane(over: int, kept: bool, reducer: _Reducer, dtype: Any, finish: Callable[..., Any]) -> Any:
    """The implementation for one dimension of a matrix."""
    reduce = reducer.plane[over]
    if not kept:
        return lambda a, axis=None, keepdims=False: finish(reduce(a, dtype), a.shape, over)
    if over == 0:
        return lambda a, axis=None, keepdims=False: finish(reduce(a, dtype), a.shape, 0).reshape((1, a.shape[1]))
    return lambda a, axis=None, keepdims=False: finish(reduce(a, dtype), a.shape, 1).reshape((a.shape[0], 1))


def _impl(a: Any, axis: Any, keepdims: Any, reducer: _Reducer, dtype: Any, finish: Callable[..., Any]) -> Any:
    """The implementation for these argument types; None if it cannot be determined at compile time."""
    kept, ndim, reduce = _flag(keepdims), a.ndim, reducer.flags
    if kept is None:
        return None
    over = literal_dimension(axis, ndim)
    if ndim == 2 and over is not None and dtype in (a.dtype, types.int64, types.uint64, types.float64):
        return _of_plane(over, kept, reducer, dtype, finish)
    if kept or ((count := _count(axis, ndim)) == 0 and not _is_none(axis)):

        def keeping(a, axis=None, keepdims=False):
            return finish(reduce(a, axis_flags(axis, ndim), dtype), a.shape, axis)

        return keeping
    if count == ndim:

        def single(a, axis=None, keepdims=False):
            return finish(reduce(a, axis_flags(axis, ndim), dtype), a.shape, axis).reshape(1)[0]

        return single
    smaller = (0,) * (ndim - count)

    def dropping(a, axis=None, keepdims=False):
        reduced = axis_flags(axis, ndim)
        result = finish(reduce(a, reduced, dtype), a.shape, axis)
        shape = smaller
        j = 0
        for k in range(ndim):
            if not reduced[k]:
                shape = tuple_setitem(shape, j, result.shape[k])
                j += 1
        return result.reshape(shape)

    return dropping


@register_jitable
def _as_it_is(result, shape, axis):
    return result


@register_jitable
def _averaged(result, shape, axis):
    return result / result.dtype.type(reduced_size(shape, axis))


_TO_SUM, _TO_PRODUCT = _reducer(_add, 0), _reducer(_multiply, 1)
_TO_MAXIMUM, _TO_MINIMUM = _reducer(larger, None), _reducer(smaller, None)
_TO_ANY, _TO_ALL = _reducer(_either, 0), _reducer(_both, 1)


@overload(np.sum, prefer_literal=True)
def _sum(a, axis=None, keepdims=False):
    if not isinstance(a, types.Array) or not (_is_given(keepdims) or isinstance(axis, types.BaseTuple)):
        return None
    return _impl(a, axis, keepdims, _TO_SUM, summed(a.dtype), _as_it_is)


@overload(np.mean, prefer_literal=True)
def _mean(a, axis=None, keepdims=False):
    if not _is_ours(a, axis, keepdims):
        return None
    dtype = a.dtype if isinstance(a.dtype, (types.Float, types.Complex)) else types.float64
    return _impl(a, axis, keepdims, _TO_SUM, dtype, _averaged)


@overload(np.prod, prefer_literal=True)
def _prod(a, axis=None, keepdims=False):
    return _impl(a, axis, keepdims, _TO_PRODUCT, summed(a.dtype), _as_it_is) if _is_ours(a, axis, keepdims) else None


@overload(np.max, prefer_literal=True)
def _max(a, axis=None, keepdims=False):
    return _impl(a, axis, keepdims, _TO_MAXIMUM, a.dtype, _as_it_is) if _is_ours(a, axis, keepdims) else None


@overload(np.min, prefer_literal=True)
def _min(a, axis=None, keepdims=False):
    return _impl(a, axis, keepdims, _TO_MINIMUM, a.dtype, _as_it_is) if _is_ours(a, axis, keepdims) else None


@overload(np.any, prefer_literal=True)
def _any(a, axis=None, keepdims=False):
    return _impl(a, axis, keepdims, _TO_ANY, types.boolean, _as_it_is) if _is_ours(a, axis, keepdims) else None


@overload(np.all, prefer_literal=True)
def _all(a, axis=None, keepdims=False):
    return _impl(a, axis, keepdims, _TO_ALL, types.boolean, _as_it_is) if _is_ours(a, axis, keepdims) else None


@overload(np.linalg.norm, prefer_literal=True)
def _norm(x, ord=None, axis=None, keepdims=False):
    if not _is_ours(x, axis, keepdims) or not _is_none(ord):
        return None

    if isinstance(x.dtype, types.Complex):

        def of_complex(x, ord=None, axis=None, keepdims=False):
            return np.sqrt(np.sum(x.real * x.real + x.imag * x.imag, axis=axis, keepdims=keepdims))

        return of_complex

    def impl(x, ord=None, axis=None, keepdims=False):
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))

    return impl


def _is_ours(a: Any, axis: Any, keepdims: Any) -> bool:
    return isinstance(a, types.Array) and (_is_given(axis) or _is_given(keepdims))


def _is_given(kind: Any) -> bool:
    """Whether the call has the argument, even with its default value."""
    return not (kind is None or isinstance(kind, (bool, types.Omitted)))


def _is_none(kind: Any) -> bool:
    return kind is None or isinstance(kind, types.NoneType) or (isinstance(kind, types.Omitted) and kind.value is None)


def _flag(kind: Any) -> bool | None:
    """The value of a boolean argument, None if it is not a literal."""
    if isinstance(kind, bool):
        return kind
    if isinstance(kind, types.Omitted):
        return bool(kind.value)
    value = getattr(kind, "literal_value", None)
    return value if isinstance(value, bool) else None


def _count(axis: Any, ndim: int) -> int:
    """The number of reduced dimensions."""
    if _is_none(axis):
        return ndim
    return len(axis) if isinstance(axis, types.BaseTuple) else 1


def summed(dtype: Any) -> Any:
    """The type of a sum or a product: NumPy sums booleans and small integers as 64-bit integers."""
    if isinstance(dtype, types.Boolean) or (isinstance(dtype, types.Integer) and dtype.signed):
        return types.int64
    return types.uint64 if isinstance(dtype, types.Integer) else dtype
