"""Arrays in device memory: those of numba.cuda, of its simulator, and others with `__cuda_array_interface__` (CuPy)."""

from __future__ import annotations

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
        return nb.Array(numpy_support.from_dtype(np.dtype(value.dtype)), len(value.shape), "A")
    if isinstance(value, (bool, np.bool_)):
        return nb.boolean
    if isinstance(value, int):
        return nb.int64
    if isinstance(value, np.generic):
        return numpy_support.from_dtype(value.dtype)
    return nb.float64 if isinstance(value, float) else None


def overlap(one: Any, other: Any) -> bool:
    """Whether two device arrays share memory, as far as their first and last bytes tell."""
    if one is other:
        return True
    host = [getattr(each, "_ary", None) for each in (one, other)]  # of the simulator
    if all(isinstance(each, np.ndarray) for each in host):
        return bool(np.may_share_memory(host[0], host[1]))
    first, second = _range(one), _range(other)
    return max(first[0], second[0]) < min(first[1], second[1])


def _range(array: Any) -> tuple[int, int]:
    """The addresses of the first byte and of that after the last."""
    interface = array.__cuda_array_interface__
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
