"""Equivalents of NumPy functions (max, min, outer) that Numba compiles in a quarter of the time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype, from_dtype

from srcad.runtime.jit.replaced_calls import in_place_of
from srcad.runtime.kernels.arrays.array_add_and_copy import WITHOUT_REFERENCES
from srcad.runtime.kernels.linear_algebra.stored_results import stored_by


def largest(a: Any) -> Any:
    """The largest element of an array of real numbers; NaN if it contains one.

    >>> largest(np.array([[1.0, 3.0], [2.0, 0.0]])).item()
    3.0
    """
    return np.max(a)


def smallest(a: Any) -> Any:
    """The smallest element of an array of real numbers; NaN if it contains one.

    >>> smallest(np.array([1.0, np.nan])).item()
    nan
    """
    return np.min(a)


def _are_vectors(a: Any, b: Any) -> bool:
    return all(isinstance(each, types.Array) and each.ndim == 1 and isinstance(each.dtype, _NUMBERS) for each in (a, b))


_NUMBERS = (types.Float, types.Complex)


def outer(a: Any, b: Any) -> Any:
    """The outer product of two vectors.

    >>> outer(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    array([[3., 4.],
           [6., 8.]])
    """
    return np.outer(a, b)


def store_outer(out: Any, a: Any, b: Any) -> None:
    """Store the outer product of two vectors."""
    out[...] = np.outer(a, b)


@overload(store_outer, jit_options=WITHOUT_REFERENCES)
def _store_outer(out, a, b):
    def impl(out, a, b):
        for i in range(a.shape[0]):
            factor = a[i]
            for j in range(b.shape[0]):
                out[i, j] = factor * b[j]

    return impl


def _type_of_outer(a: Any, b: Any) -> Any:
    return types.Array(from_dtype(np.result_type(as_dtype(a.dtype), as_dtype(b.dtype))), 2, "C")


stored_by(outer, store_outer, _type_of_outer, lambda builder, a, b: (*a, *b))


@overload(largest)
def _overload_largest(a):
    if not _is_real(a):
        return None

    def impl(a):
        if a.size == 0:
            raise ValueError("zero-size array to reduction operation maximum which has no identity")
        found = a.flat[0]
        for each in a.flat:
            if each > found or each != each:
                found = each
        return found

    return impl


@overload(smallest)
def _overload_smallest(a):
    if not _is_real(a):
        return None

    def impl(a):
        if a.size == 0:
            raise ValueError("zero-size array to reduction operation minimum which has no identity")
        found = a.flat[0]
        for each in a.flat:
            if each < found or each != each:
                found = each
        return found

    return impl


def _is_real(a: Any) -> bool:
    return isinstance(a, types.Array) and a.ndim > 0 and isinstance(a.dtype, (types.Float, types.Integer))


_IN_PLACE_OF_NUMPYS = in_place_of(np.outer, 2, when=_are_vectors)(outer)  # no decorator: exports have `outer` alone
