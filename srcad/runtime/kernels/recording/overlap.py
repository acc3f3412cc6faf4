"""Check whether two arrays share memory, before one is written to while the other is read."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from srcad.errors import MayOverlap
from srcad.refusals.memory import ARGUMENTS_OVERLAP

_WHAT, _HINT = ARGUMENTS_OVERLAP.what, ARGUMENTS_OVERLAP.hint  # constants to compiled code


def refuse_overlap(a: Any, b: Any) -> None:
    """Raise MayOverlap if an element of one array is, or may be, an element of the other.

    >>> x = np.zeros(4)
    >>> refuse_overlap(x[::2], x[1::2])
    >>> refuse_overlap(x[1:], x[:-1])
    Traceback (most recent call last):
    srcad.errors.MayOverlap: two arguments share memory, and one of them is written to
    hint: pass a copy of one of them
    """
    try:
        shared = np.shares_memory(a, b, max_work=10_000)  # type: ignore[arg-type]  # NumPy's stub knows only 0 and -1
    except np.exceptions.TooHardError:
        shared = True
    if shared:
        raise ARGUMENTS_OVERLAP.error()


@overload(refuse_overlap)
def _overload_refuse_overlap(a, b):
    same_rank = a.ndim == b.ndim and a.dtype == b.dtype

    def impl(a, b):
        if a.size == 0 or b.size == 0:
            return
        first_a, last_a = _bounds(a)
        first_b, last_b = _bounds(b)
        if last_a < first_b or last_b < first_a:
            return
        if same_rank and a.strides == b.strides and not _may_meet(a, b):
            return
        raise MayOverlap(_WHAT, None, _HINT)

    return impl


@register_jitable
def _bounds(a: Any) -> tuple[int, int]:
    """The addresses of the first and the last byte."""
    first = last = np.int64(a.ctypes.data)
    for k in range(a.ndim):
        reach = (a.shape[k] - 1) * a.strides[k]
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last + a.itemsize - 1


@register_jitable
def _may_meet(a: Any, b: Any) -> bool:
    """For equal strides: whether the arrays' distance can be a sum of steps within both. May err towards yes."""
    distance = np.int64(b.ctypes.data) - np.int64(a.ctypes.data)
    left = np.ones(a.ndim, np.bool_)
    for _ in range(a.ndim):
        k = -1
        for j in range(a.ndim):  # the largest remaining stride
            if left[j] and (k < 0 or abs(a.strides[j]) > abs(a.strides[k])):
                k = j
        left[k] = False
        inner = np.int64(a.itemsize)
        for j in range(a.ndim):
            if left[j]:
                inner += (max(a.shape[j], b.shape[j]) - 1) * abs(a.strides[j])
        if abs(a.strides[k]) < inner:
            return True  # the array overlaps itself, or its dimensions interleave
        steps = (abs(distance) + abs(a.strides[k]) // 2) // max(1, abs(a.strides[k]))
        if steps >= max(a.shape[k], b.shape[k]):
            return bool(abs(distance) - (max(a.shape[k], b.shape[k]) - 1) * abs(a.strides[k]) < inner)
        distance = abs(distance) - steps * abs(a.strides[k])
    return bool(abs(distance) < a.itemsize)
