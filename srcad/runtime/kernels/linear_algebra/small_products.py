"""Products of small matrices as loops, in compiled code: a call of BLAS takes longer than their arithmetic.

Up to some hundred multiplications, BLAS takes a tenth of a microsecond to check its arguments and to choose a method.
The loops take four columns of the result at a time, which LLVM turns into vector instructions, and add in the order of
the inner index. Operands may lie in memory in any way, so that transposed ones and slices need no copy.
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

MOST_MULTIPLICATIONS = 512  # 8 by 8 matrices
MOST_ELEMENTS = 256  # of a matrix that is multiplied by a vector


@register_jitable
def is_small_product(rows: int, inner: int, columns: int) -> bool:
    """Whether a product of matrices of these extents is to be computed by loops.

    >>> is_small_product(8, 8, 8), is_small_product(9, 9, 9)
    (True, False)
    """
    return rows * inner * columns <= MOST_MULTIPLICATIONS


@register_jitable
def is_small_matrix(rows: int, columns: int) -> bool:
    """Whether a matrix of these extents is to be multiplied by a vector by loops."""
    return rows * columns <= MOST_ELEMENTS


@register_jitable
def multiply(out: Any, a: Any, b: Any, adds: bool) -> None:
    """Store the product of two matrices in a third, or add it: `out` must not overlap with the operands.

    >>> import numpy as np
    >>> out = np.ones((1, 1))
    >>> multiply(out, np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), True)
    >>> out
    array([[12.]])
    """
    inner, columns = a.shape[1], b.shape[1]
    zero, by_fours = out.dtype.type(0), columns // 4 * 4
    for i in range(a.shape[0]):
        for j in range(0, by_fours, 4):
            p = q = r = s = zero
            for k in range(inner):
                x = a[i, k]
                p += x * b[k, j]
                q += x * b[k, j + 1]
                r += x * b[k, j + 2]
                s += x * b[k, j + 3]
            if adds:
                out[i, j] += p
                out[i, j + 1] += q
                out[i, j + 2] += r
                out[i, j + 3] += s
            else:
                out[i, j], out[i, j + 1], out[i, j + 2], out[i, j + 3] = p, q, r, s
        for j in range(by_fours, columns):
            p = zero
            for k in range(inner):
                p += a[i, k] * b[k, j]
            out[i, j] = out[i, j] + p if adds else p


@register_jitable
def apply(out: Any, a: Any, b: Any, adds: bool) -> None:
    """Store the product of a matrix and a vector in a vector, or add it: `out` must not overlap with the operands.

    >>> import numpy as np
    >>> out = np.empty(1)
    >>> apply(out, np.array([[1.0, 2.0]]), np.array([3.0, 4.0]), False)
    >>> out
    array([11.])
    """
    inner = a.shape[1]
    zero = out.dtype.type(0)
    for i in range(a.shape[0]):
        total = zero
        for k in range(inner):
            total += a[i, k] * b[k]
        out[i] = out[i] + total if adds else total
