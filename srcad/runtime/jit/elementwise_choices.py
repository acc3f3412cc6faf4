"""`np.where` and `np.clip` as one loop nest with a few instructions for each element.

Numba implements them by functions that broadcast each operand: some thirty functions are compiled for a call. Here they
are lowered as an array expression is (`array_loops`). Values, also NaN, and types are those of NumPy.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype, from_dtype

from srcad.runtime.jit.array_loops import array_loops

_NUMBERS = (types.Integer, types.Float, types.Complex, types.Boolean)


def where_type(c: Any, x: Any, y: Any) -> Any:
    """The type of `np.where(c, x, y)`; None if the call is left to Numba, as below.

    >>> print(where_type(types.boolean[:, ::1], types.float64[::1], types.int64))
    array(float64, 2d, C)
    >>> where_type(types.boolean, types.float64, types.float64) is None
    True
    """
    if not _are_numeric(c, x, y):
        return None
    kinds = [each.dtype if isinstance(each, types.Array) else types.unliteral(each) for each in (x, y)]
    return _result(np.promote_types(*map(as_dtype, kinds)), c, x, y)


def clip_type(a: Any, low: Any, high: Any) -> Any:
    """The type of `np.clip(a, low, high)`, of which one bound may be None.

    >>> print(clip_type(types.float64[::1], types.none, types.float64))
    array(float64, 1d, C)
    """
    bounds = [each for each in (low, high) if not isinstance(each, types.NoneType)]
    if type(a) is not types.Array or not isinstance(a.dtype, types.Float) or not bounds or not _are_numeric(a, *bounds):
        return None
    if any(isinstance(each, types.Array) and each.dtype != a.dtype for each in bounds) or any(
        isinstance(each, types.Complex) for each in bounds
    ):
        return None
    return _result(as_dtype(a.dtype), a, *bounds)


def _are_numeric(*kinds: Any) -> bool:
    arrays = [each for each in kinds if isinstance(each, types.Array)]
    numbers = (types.unliteral(each) for each in kinds if not isinstance(each, types.Array))
    return (
        bool(arrays)
        and all(type(each) is types.Array and each.ndim and isinstance(each.dtype, _NUMBERS) for each in arrays)
        and all(isinstance(each, _NUMBERS) for each in numbers)
    )


def _result(dtype: Any, *kinds: Any) -> Any:
    arrays = [each for each in kinds if isinstance(each, types.Array)]
    ndim = max(each.ndim for each in arrays)
    is_fortran = ndim > 1 and all(each.layout == "F" and each.ndim == ndim for each in arrays)
    return types.Array(from_dtype(dtype), ndim, "F" if is_fortran else "C")


def where(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.where(c, x, y)`."""
    return _loops(context, builder, signature, values, _Where)


def clipped(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.clip(a, low, high)`."""
    left = [k for k, each in enumerate(signature.args) if not isinstance(each, types.NoneType)]
    kinds, given = [signature.args[k] for k in left], [values[k] for k in left]

    def kernel(context: Any, builder: Any, of: Any) -> Any:
        return _Clip(context, builder, of, left)

    return _loops(context, builder, signature.return_type(*kinds), given, kernel)


def _loops(context: Any, builder: Any, signature: Any, values: Any, kernel: Any) -> Any:
    return array_loops(context, builder, signature, values, SimpleNamespace(nin=len(values), nout=1), kernel)


class _Where:
    """One element of `np.where`."""

    def __init__(self, context: Any, builder: Any, signature: Any) -> None:
        self.context, self.builder, self.signature = context, builder, signature

    def as_result(self, value: Any, kind: Any) -> Any:
        """A value as an element of the result."""
        return self.context.cast(self.builder, value, kind, self.signature.return_type)

    def generate(self, *values: Any) -> Any:
        """The instructions."""
        kinds = self.signature.args
        holds = self.context.is_true(self.builder, kinds[0], values[0])
        one, two = (self.as_result(values[k], kinds[k]) for k in (1, 2))
        return self.builder.select(holds, one, two)


class _Clip(_Where):
    """One element of `np.clip`: the upper bound of what the lower one gives, NaN where one of them is."""

    def __init__(self, context: Any, builder: Any, signature: Any, places: list[int]) -> None:
        super().__init__(context, builder, signature)
        self.bounds = [{1: ">", 2: "<"}[each] for each in places[1:]]

    def generate(self, *values: Any) -> Any:
        """The instructions."""
        found, *bounds = (self.as_result(*each) for each in zip(values, self.signature.args, strict=True))
        for keeps, bound in zip(self.bounds, bounds, strict=True):
            is_nan = self.builder.fcmp_unordered("uno", found, found)
            is_within = self.builder.fcmp_ordered(keeps, found, bound)
            found = self.builder.select(self.builder.or_(is_nan, is_within), found, bound)
        return found
