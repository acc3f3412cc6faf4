"""NumPy for the tape's pullbacks: faster versions, for arrays, of NumPy functions that are written in Python.

Their results are NumPy's. Values that are not arrays, and uncommon cases, go to NumPy's own functions. Tensors (see
`rules_on_tensors`) and generated code do not use this module.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from srcad.runtime.support.constant_arrays import LONGEST, ones

Array = np.ndarray
_double = np.dtype(np.float64)


class _Swift:
    """NumPy's functions, some replaced by those here."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(np, name)
        setattr(self, name, found)  # cached
        return found

    @staticmethod
    def sum(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        """`np.sum`."""
        if type(a) is Array:
            if axis is None and not keepdims and a.ndim == 1 and a.dtype is _double and a.size <= LONGEST:
                return a.dot(ones(a.size))
            return np.add.reduce(a, axis, None, None, keepdims)  # type: ignore[call-overload]
        return np.sum(a, axis=axis, keepdims=keepdims)

    @staticmethod
    def reshape(a: Any, shape: Any) -> Any:
        """`np.reshape`."""
        return a.reshape(shape) if type(a) is Array else np.reshape(a, shape)

    @staticmethod
    def transpose(a: Any, axes: Any = None) -> Any:
        """`np.transpose`."""
        return a.transpose(axes) if type(a) is Array else np.transpose(a, axes)

    @staticmethod
    def outer(a: Any, b: Any) -> Any:
        """`np.outer`."""
        if type(a) is Array and type(b) is Array and a.ndim == b.ndim == 1:
            if a.dtype is _double and b.dtype is _double and a.size * b.size <= LONGEST:
                return a[:, None].dot(b[None])  # faster for few numbers
            return a[:, None] * b
        return np.outer(a, b)

    @staticmethod
    def matmul(a: Any, b: Any) -> Any:
        """`np.matmul`."""
        if type(a) is Array and type(b) is Array and 0 < a.ndim < 3 and 0 < b.ndim < 3:
            return a.dot(b)
        return np.matmul(a, b)

    @staticmethod
    def roll(a: Any, shift: Any, axis: Any = None) -> Any:
        """`np.roll`."""
        if type(a) is not Array or not a.size or type(shift) is not int or (axis is None and a.ndim != 1):
            return np.roll(a, shift, axis)
        place = axis or 0
        if type(place) is not int:
            return np.roll(a, shift, axis)
        start = -shift % a.shape[place]
        before = (slice(None),) * (place % a.ndim)
        parts = [a[before + (slice(*each),)] for each in ((start, None), (start,))]
        return np.concatenate(parts, place)

    @staticmethod
    def moveaxis(a: Any, source: Any, destination: Any) -> Any:
        """`np.moveaxis`."""
        if type(a) is Array and type(source) is int and type(destination) is int:
            return a.transpose(_moved(a.ndim, source, destination))
        return np.moveaxis(a, source, destination)

    @staticmethod
    def max(a: Any, axis: Any = None, keepdims: bool = False, **keywords: Any) -> Any:
        """`np.max`."""
        if type(a) is Array and not keywords:
            if axis is None and not keepdims and a.dtype is _double:
                return a.reshape(-1)[a.argmax()]
            return np.maximum.reduce(a, axis, None, None, keepdims)  # type: ignore[call-overload]
        return np.max(a, axis=axis, keepdims=keepdims, **keywords)

    @staticmethod
    def min(a: Any, axis: Any = None, keepdims: bool = False, **keywords: Any) -> Any:
        """`np.min`."""
        if type(a) is Array and not keywords:
            if axis is None and not keepdims and a.dtype is _double:
                return a.reshape(-1)[a.argmin()]
            return np.minimum.reduce(a, axis, None, None, keepdims)  # type: ignore[call-overload]
        return np.min(a, axis=axis, keepdims=keepdims, **keywords)

    @staticmethod
    def expand_dims(a: Any, axis: Any) -> Any:
        """`np.expand_dims`."""
        if type(a) is np.float64 and axis in (-1, 0):
            return a.reshape(1)
        if type(a) is not Array or type(axis) is not int:
            return np.expand_dims(a, axis)
        place = axis % (a.ndim + 1)
        return a.reshape(a.shape[:place] + (1,) + a.shape[place:])

    @staticmethod
    def ravel(a: Any) -> Any:
        """`np.ravel`."""
        return a.reshape(-1) if type(a) is Array else np.ravel(a)

    @staticmethod
    def argsort(a: Any, axis: int = -1, kind: Any = None) -> Any:
        """`np.argsort`."""
        return a.argsort(axis, kind) if type(a) is Array else np.argsort(a, axis, kind)

    @staticmethod
    def real(val: Any) -> Any:
        """`np.real`."""
        return val.real if type(val) is Array else np.real(val)

    @staticmethod
    def searchsorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """`np.searchsorted`."""
        return a.searchsorted(v, side, sorter) if type(a) is Array else np.searchsorted(a, v, side, sorter)

    @staticmethod
    def zeros_like(a: Any) -> Any:
        """`np.zeros_like`."""
        return np.zeros(a.shape, a.dtype) if type(a) is Array else np.zeros_like(a)

    @staticmethod
    def shape(a: Any) -> Any:
        """`np.shape`."""
        return a.shape if type(a) is Array else np.shape(a)

    @staticmethod
    def ndim(a: Any) -> Any:
        """`np.ndim`."""
        kind = type(a)
        return a.ndim if kind is Array else 0 if kind is float or kind is np.float64 else np.ndim(a)

    @staticmethod
    def size(a: Any) -> Any:
        """`np.size`."""
        return a.size if type(a) is Array else np.size(a)

    @staticmethod
    def diff(a: Any, n: int = 1, axis: int = -1) -> Any:
        """`np.diff`."""
        if type(a) is Array and n == 1 and a.ndim == 1 and a.dtype.kind != "b":
            return a[1:] - a[:-1]
        return np.diff(a, n, axis)

    @staticmethod
    def tril(m: Any, k: int = 0) -> Any:
        """`np.tril`."""
        if type(m) is not Array or m.ndim != 2 or m.size > _LARGEST or type(k) is not int:
            return np.tril(m, k)
        return np.where(_lower(*m.shape, k), m, m.dtype.type(0))

    @staticmethod
    def triu(m: Any, k: int = 0) -> Any:
        """`np.triu`."""
        if type(m) is not Array or m.ndim != 2 or m.size > _LARGEST or type(k) is not int:
            return np.triu(m, k)
        return np.where(_lower(*m.shape, k - 1), m.dtype.type(0), m)

    @staticmethod
    def cross(a: Any, b: Any) -> Any:
        """`np.cross`."""
        if type(a) is not Array or type(b) is not Array or a.shape != b.shape or a.shape[-1:] != (3,):
            return np.cross(a, b)
        if a.ndim == 1 and a.dtype is b.dtype is _double:
            (p, q, r), (u, v, w) = a.tolist(), b.tolist()
            return np.array((q * w - r * v, r * u - p * w, p * v - q * u))
        p, q, r = a[..., 0], a[..., 1], a[..., 2]
        u, v, w = b[..., 0], b[..., 1], b[..., 2]
        found = np.empty(a.shape, np.result_type(a, b))
        found[..., 0] = q * w - r * v
        found[..., 1] = r * u - p * w
        found[..., 2] = p * v - q * u
        return found


_LARGEST = 4096  # the largest matrices, in elements, whose mask is cached


@functools.lru_cache(64)
def _lower(rows: int, columns: int, k: int) -> Any:
    return np.tri(rows, columns, k, dtype=bool)


@functools.lru_cache(256)
def _moved(rank: int, source: int, destination: int) -> tuple[int, ...]:
    order = [axis for axis in range(rank) if axis != source % rank]
    order.insert(destination % rank, source % rank)
    return tuple(order)


swift: Any = _Swift()
