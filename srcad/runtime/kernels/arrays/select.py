"""`select`, and tuples and lists as operands: functions whose result depends on the types of operands.

For numbers, `select` gives a number, where `np.where` would give an array without dimensions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def select(c: Any, a: Any, b: Any) -> Any:
    """`a` where `c` holds, else `b`.

    >>> float(select(True, 1.0, 2.0)), select(np.array([True, False]), 1.0, 2.0)
    (1.0, array([1., 2.]))
    """
    return np.where(c, a, b)[()]


@overload(select)
def _select(c, a, b):
    if any(isinstance(each, types.Array) for each in (c, a, b)):
        return lambda c, a, b: np.where(c, a, b)

    def number(c, a, b):
        return a if c else b

    return number


def tuple_beside(parts: Any, other: Any) -> Any:
    """A tuple as an operand: an array if the other operand is NumPy's, else the tuple itself.

    >>> (3,) + tuple_beside((1,), (3,)), np.array([3]) + tuple_beside((1,), np.array([3]))
    ((3, 1), array([4]))
    """
    return np.array(parts) if isinstance(other, (np.ndarray, np.generic)) else parts


def list_beside(parts: Any, other: Any) -> Any:
    """A list as an operand, given as a tuple or, if its length is not known, as an array of its elements.

    >>> (1,) == list_beside((1,), (1,)), np.array([3]) + list_beside((1,), np.array([3]))
    (False, array([4]))
    """
    return np.array(parts) if isinstance(other, (np.ndarray, np.generic)) else list(parts)


@overload(tuple_beside)
def _overload_tuple_beside(parts: Any, other: Any) -> Any:
    return _itself if isinstance(other, types.BaseTuple) else _overload_list_beside(parts, other)


@overload(list_beside)
def _overload_list_beside(parts: Any, other: Any) -> Any:
    def array(parts: Any, other: Any) -> Any:
        return np.array(parts)

    # For a number it depends on whether it is one of NumPy's, which its type does not tell.
    if not isinstance(other, types.Array):
        return None
    return _itself if isinstance(parts, types.Array) else array


def _itself(parts: Any, other: Any) -> Any:
    return parts
