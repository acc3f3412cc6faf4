"""Teach Numba the arguments `axis` and `keepdims` of NumPy's reductions.

Any axis is reduced as the middle one of three, tuples of axes one after the other. What Numba can do by itself is
left to it: an overload that returns None passes the call on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.spread import axis_flags, reduced_size


@register_jitable
def _add(a, b):
    return a + b


@register_jitable
def _multiply(a, b):
    return a * b


@register_jitable
def _larger(a, b):
    return a if a >= b or a != a else b


@register_jitable
def _smaller(a, b):
    return a if a <= b or a != a else b


@register_jitable
def _either(a, b):
    return a or b


@register_jitable
def _both(a, b):
    return a and b


def _reducer(combine: Callable[..., Any], start: int | None) -> Callable[..., Any]:
    """A function that reduces the middle one of three dimensions."""
    is_defined = start is not None
    begin = start or 0

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
        current = np.ascontiguousarray(a).astype(dtype).reshape(a.size)
        for k in range(len(shape)):
            if reduced[k]:
                before, after = 1, 1
                for j in range(k):
                    before *= shape[j]
                for j in range(k + 1, len(shape)):
                    after *= shape[j]
                middle = reduce_middle(current.reshape((before, shape[k], after)), dtype)
                current = middle.reshape(middle.size)
                shape = tuple_setitem(shape, k, 1)
        return current.reshape(shape)

    result: Callable[..., Any] = reduce_flags
    return result


def _impl(a: Any, axis: Any, keepdims: Any, reduce: Callable[..., Any], dtype: Any, finish: Callable[..., Any]) -> Any:
    """The implementation for these types of arguments; None where it cannot be known while compiling."""
    kept, ndim = _flag(keepdims), a.ndim
    if kept is None:
        return None
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
_TO_MAXIMUM, _TO_MINIMUM = _reducer(_larger, None), _reducer(_smaller, None)
_TO_ANY, _TO_ALL = _reducer(_either, 0), _reducer(_both, 1)


@overload(np.sum, prefer_literal=True)
def _sum(a, axis=None, keepdims=False):
    if not isinstance(a, types.Array) or not (_is_given(keepdims) or isinstance(axis, types.BaseTuple)):
        return None
    return _impl(a, axis, keepdims, _TO_SUM, _summed(a.dtype), _as_it_is)


@overload(np.mean, prefer_literal=True)
def _mean(a, axis=None, keepdims=False):
    if not _is_ours(a, axis, keepdims):
        return None
    dtype = a.dtype if isinstance(a.dtype, (types.Float, types.Complex)) else types.float64
    return _impl(a, axis, keepdims, _TO_SUM, dtype, _averaged)


@overload(np.prod, prefer_literal=True)
def _prod(a, axis=None, keepdims=False):
    return _impl(a, axis, keepdims, _TO_PRODUCT, _summed(a.dtype), _as_it_is) if _is_ours(a, axis, keepdims) else None


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

    def impl(x, ord=None, axis=None, keepdims=False):
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))

    return impl


def _is_ours(a: Any, axis: Any, keepdims: Any) -> bool:
    return isinstance(a, types.Array) and (_is_given(axis) or _is_given(keepdims))


def _is_given(kind: Any) -> bool:
    """Whether an argument is in the call, be it with its default value."""
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
    """How many dimensions are reduced."""
    if _is_none(axis):
        return ndim
    return len(axis) if isinstance(axis, types.BaseTuple) else 1


def _summed(dtype: Any) -> Any:
    """The type of a sum: NumPy sums small integers and booleans as large ones."""
    if isinstance(dtype, types.Boolean) or (isinstance(dtype, types.Integer) and dtype.signed):
        return types.int64
    return types.uint64 if isinstance(dtype, types.Integer) else dtype
