"""Delayed rank-one updates: vectors whose outer products are added to a matrix are gathered, and added together.

A loop that multiplies a matrix by a vector in each iteration adds `np.outer(u, v)` to the matrix's adjoint in each. For
a matrix that does not fit the fastest cache, that takes as long as memory takes. With some vectors at a time, each line
of the matrix is read and written once for all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from srcad.runtime.kernels.linear_algebra.products import add_outer

_MOST = 16  # outer products that wait; a multiple of four
_LEAST = 8192  # elements of a matrix for which waiting pays


def most_delayed(total: Any) -> int:
    """How many outer products are to wait until they are added to a matrix: none for a small one, which is quick.

    >>> most_delayed(np.zeros((100, 100))), most_delayed(np.zeros((3, 2)))
    (16, 0)
    """
    return _MOST if total.size >= _LEAST else 0


@overload(most_delayed)
def _most_delayed(total):
    return lambda total: _MOST if total.size >= _LEAST else 0


def delay_outer(total: Any, left: Any, right: Any, count: int, a: Any, b: Any) -> int:
    """Let the outer product of two vectors wait with `count` others, or add all that wait; returns how many wait then.

    >>> total, left, right = np.zeros((2, 3)), np.empty((4, 2)), np.empty((4, 3))
    >>> delay_outer(total, left, right, 0, np.ones(2), np.ones(3))
    1
    >>> add_delayed(total, left, right, 1)
    >>> float(total.min()), float(total.max())
    (1.0, 1.0)
    """
    if total.shape != (np.size(a), np.size(b)):
        raise ValueError("operands could not be broadcast together")
    left[count], right[count] = np.ravel(a), np.ravel(b)
    if count + 1 < len(left):
        return count + 1
    add_delayed(total, left, right, count + 1)
    return 0


@overload(delay_outer)
def _delay_outer(total, left, right, count, a, b):
    def added(total, left, right, count, a, b):
        add_outer(total, a, b)
        return count

    def delayed(total, left, right, count, a, b):
        if total.shape != (a.size, b.size):
            raise ValueError("operands could not be broadcast together")
        for i in range(a.size):
            left[count, i] = a[i]
        for j in range(b.size):
            right[count, j] = b[j]
        if count + 1 < left.shape[0]:
            return count + 1
        add_delayed(total, left, right, count + 1)
        return 0

    are_vectors = all(isinstance(each, types.Array) and each.ndim == 1 for each in (a, b))
    return delayed if are_vectors else added


def add_delayed(total: Any, left: Any, right: Any, count: int) -> None:
    """Add the first `count` outer products that wait to a matrix."""
    total += left[:count].T @ right[:count]


@overload(add_delayed)
def _add_delayed(total, left, right, count):
    def added(total, left, right, count):
        if count == 0:
            return
        for k in range(count, left.shape[0]):  # these add nothing
            for i in range(left.shape[1]):
                left[k, i] = 0.0
            for j in range(right.shape[1]):
                right[k, j] = 0.0
        for i in range(total.shape[0]):
            for k in range(0, count, 4):
                one, two, three, four = left[k, i], left[k + 1, i], left[k + 2, i], left[k + 3, i]
                for j in range(total.shape[1]):
                    total[i, j] += (
                        one * right[k, j] + two * right[k + 1, j] + three * right[k + 2, j] + four * right[k + 3, j]
                    )

    return added
