"""Arrays in device memory: those of numba.cuda, of its simulator, and others with `__cuda_array_interface__` (CuPy)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import types as nb
from numba.np import numpy_support


def is_device_array(value: Any) -> bool:
    """Whether a value is an array in device memory.

    >>> is_device_array(np.ones(3))
    False
    """
    return hasattr(value, "__cuda_array_interface__") or bool(getattr(value, "__cuda_ndarray__", False))


def type_of_argument(value: Any) -> nb.Type | None:
    """The type of an argument of a kernel, as its adjoint is generated for; None for what is neither array nor number.

    >>> type_of_argument(2), type_of_argument(0.5), type_of_argument(np.float32(1))
    (int64, float64, float32)
    """
    if is_device_array(value):
        return _array_type(np.dtype(value.dtype), len(value.shape))
    if isinstance(value, (bool, np.bool_)):
        return nb.boolean
    if isinstance(value, int):
        return nb.int64
    if isinstance(value, np.generic):
        return numpy_support.from_dtype(value.dtype)
    return nb.float64 if isinstance(value, float) else None


@functools.cache
def _array_type(dtype: np.dtype[Any], ndim: int) -> nb.Array:
    return nb.Array(numpy_support.from_dtype(dtype), ndim, "A")


def overlapping(arrays: Sequence[Any]) -> tuple[int, int] | None:
    """The positions of two device arrays that share memory, as far as their first and last bytes tell; else None."""
    ranges = sorted((*_range(each), k) for k, each in enumerate(arrays))
    widest = None
    for low, high, k in ranges:
        if low < high and widest is not None and low < widest[0]:
            return widest[1], k
        if low < high and (widest is None or high > widest[0]):
            widest = high, k
    return None


def _range(array: Any) -> tuple[int, int]:
    """The addresses of the first byte and of that after the last."""
    host = getattr(array, "_ary", None)  # of the simulator
    interface = host.__array_interface__ if isinstance(host, np.ndarray) else array.__cuda_array_interface__
    low = high = int(interface["data"][0])
    itemsize = np.dtype(array.dtype).itemsize
    strides = interface.get("strides") or _contiguous(array.shape, itemsize)
    if 0 in array.shape:
        return low, low
    for extent, stride in zip(array.shape, strides, strict=True):
        low, high = low + min(0, (extent - 1) * stride), high + max(0, (extent - 1) * stride)
    return low, high + itemsize


def _contiguous(shape: tuple[int, ...], itemsize: int) -> list[int]:
    strides: list[int] = []
    step = itemsize
    for extent in reversed(shape):
        strides.insert(0, step)
        step *= extent
    return strides
