"""Systems of equations with a transposed matrix, which adjoints of solutions are.

In compiled code a triangular matrix is seen to be one when it is there: where the matrix has an element on both sides
of the diagonal, that takes a few comparisons. Substitution then takes a number of operations that is quadratic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable


def solve_transposed(a: Any, b: Any) -> Any:
    """The solution x of `a.T @ x = b`, for a vector or for columns.

    >>> solve_transposed(np.array([[2.0, 0.0], [1.0, 4.0]]), np.array([5.0, 8.0]))
    array([1.5, 2. ])
    """
    return np.linalg.solve(np.transpose(a), b)


@overload(solve_transposed)
def _solve_transposed(a, b):
    def general(a, b):
        return np.linalg.solve(np.transpose(a), b)

    def of_vector(a, b):
        if b.size == a.shape[0] == a.shape[1]:
            side = _triangle(a)
            if side != 0:
                return _substituted(a, b, side)
        return np.linalg.solve(np.transpose(a), b)

    are_floats = all(isinstance(each, types.Array) and isinstance(each.dtype, types.Float) for each in (a, b))
    return of_vector if are_floats and a.dtype == b.dtype and b.ndim == 1 else general


@register_jitable
def _triangle(a: Any) -> int:
    """-1 for a regular lower triangular matrix, 1 for an upper one, 0 for any other."""
    is_lower, is_upper = True, True
    for i in range(a.shape[0]):
        if a[i, i] == 0.0:
            return 0
        for j in range(i if is_upper else 0):
            if a[i, j] != 0.0:
                is_upper = False
                break
        for j in range(i + 1, a.shape[0] if is_lower else 0):
            if a[i, j] != 0.0:
                is_lower = False
                break
        if not is_lower and not is_upper:
            return 0
    return -1 if is_lower else 1


@register_jitable
def _substituted(a: Any, b: Any, side: int) -> Any:
    """The solution by substitution, which goes through the matrix row by row."""
    n = b.size
    x = b.copy()
    for k in range(n):
        i = n - 1 - k if side < 0 else k
        x[i] /= a[i, i]
        first, last = (0, i) if side < 0 else (i + 1, n)
        for j in range(first, last):
            x[j] -= a[i, j] * x[i]
    return x
