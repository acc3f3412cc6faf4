"""Products of arrays of two element types, of integers and floats above all.

Numba's products take two arrays of one type of floats or complex numbers. NumPy multiplies in the type that both
operands have in common.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload
from numba.np.numpy_support import as_dtype

_NUMBERS = (types.Float, types.Complex, types.Integer, types.Boolean)


def common_type(a: Any, b: Any) -> Any:
    """The element type of a product, a float or complex one, of arrays whose types differ; None for other operands.

    >>> common_type(types.int64[:, :], types.float32[:]), common_type(types.float64[:], types.float64[:])
    (dtype('float64'), None)
    """
    if not all(isinstance(each, types.Array) and each.ndim > 0 for each in (a, b)):
        return None
    if a.dtype == b.dtype or not all(isinstance(each.dtype, _NUMBERS) for each in (a, b)):
        return None
    found = np.result_type(as_dtype(a.dtype), as_dtype(b.dtype))
    return found if found.kind in "fc" else None


def _in_common_type(function: Any) -> Any:
    """What Numba compiles for a product of arrays of two element types: a product of one type."""

    def mixed(a, b):
        dtype = common_type(a, b)
        if dtype is None or (function is np.vdot and (a.ndim, b.ndim) != (1, 1)):  # of which Numba takes vectors
            return None
        if as_dtype(a.dtype) == dtype:
            return lambda a, b: function(a, b.astype(dtype))
        if as_dtype(b.dtype) == dtype:
            return lambda a, b: function(a.astype(dtype), b)
        return lambda a, b: function(a.astype(dtype), b.astype(dtype))

    return mixed


for _function in (operator.matmul, np.dot, np.vdot):
    overload(_function)(_in_common_type(_function))
