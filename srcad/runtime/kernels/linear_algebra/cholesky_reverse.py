"""The adjoint of a Cholesky factorisation, block by block, in place: about twice the work of the factorisation.

The formula with the inverse of the factor takes two dozen times that work. The algorithm is that of Iain Murray,
Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016, in blocks as LAPACK's. Real matrices, in compiled
code.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.linear_algebra.products import cholesky_adjoint, times, transpose_times

_BLOCK = 48  # columns


@overload(cholesky_adjoint)
def _cholesky_adjoint(g, y):
    def of_one(g, y):
        return _of_real(g, y)

    def of_complex(g, y):
        middle = transpose_times(y, g)
        for k in range(y.shape[0]):
            middle[k, k] *= 0.5
            for j in range(k + 1, y.shape[1]):
                middle[k, j] = 0.0
        inverse = np.linalg.inv(y)
        bar = transpose_times(inverse, times(middle, np.conj(inverse)))
        for k in range(y.shape[0]):
            bar[k, k] = bar[k, k].real
            for j in range(k + 1, y.shape[1]):
                bar[j, k] += np.conj(bar[k, j])
                bar[k, j] = 0.0
        return bar

    def of_each(g, y):
        rows, factors = g.copy().reshape((-1,) + g.shape[-2:]), y.copy().reshape((-1,) + y.shape[-2:])
        bar = np.empty(factors.shape, factors.dtype)
        for k in range(bar.shape[0]):
            bar[k] = cholesky_adjoint(rows[k], factors[k])
        return bar.reshape(y.shape)

    if y.ndim != 2:
        return of_each
    return of_complex if isinstance(y.dtype, types.Complex) or isinstance(g.dtype, types.Complex) else of_one


@register_jitable
def _of_real(g: Any, y: Any) -> Any:
    """The adjoint of the lower triangle, which is all that NumPy reads."""
    n = y.shape[0]
    bar = np.zeros(y.shape, y.dtype)
    for i in range(n):
        for j in range(i + 1):
            bar[i, j] = g[i, j]
    end = n
    while end > 0:
        start = max(0, end - _BLOCK)
        below = np.zeros((n - end, end - start), y.dtype)
        if end < n:
            _below(bar, y, below, start, end)
        _diagonal_block(bar, y, start, end)
        if start > 0:
            _left(bar, y, below, start, end)
        end = start
    return bar


@register_jitable
def _below(bar: Any, y: Any, below: Any, start: int, end: int) -> None:
    """The adjoints of the rows below a diagonal block, and what they add to the block and to the rows' left part."""
    for i in range(end, y.shape[0]):
        for q in range(end - 1, start - 1, -1):
            bar[i, q] /= y[q, q]
            for p in range(start, q):
                bar[i, p] -= bar[i, q] * y[q, p]
        for q in range(start, end):
            below[i - end, q - start] = bar[i, q]
    inner = np.dot(below.T, np.ascontiguousarray(y[end:, start:end]))
    for i in range(start, end):
        for j in range(start, i + 1):
            bar[i, j] -= inner[i - start, j - start]
    if start > 0:
        outer = np.dot(below, np.ascontiguousarray(y[start:end, :start]))
        for i in range(end, y.shape[0]):
            for j in range(start):
                bar[i, j] -= outer[i - end, j]


@register_jitable
def _diagonal_block(bar: Any, y: Any, start: int, end: int) -> None:
    """The adjoint of a diagonal block, column by column from the last."""
    for k in range(end - 1, start - 1, -1):
        total = 0.0 * bar[k, k]
        for i in range(k + 1, end):
            total += bar[i, k] * y[i, k]
        bar[k, k] = (bar[k, k] - total / y[k, k]) / y[k, k]
        for j in range(start, k):
            bar[k, j] -= bar[k, k] * y[k, j]
        for i in range(k + 1, end):
            bar[i, k] /= y[k, k]
            for j in range(start, k):
                bar[k, j] -= bar[i, k] * y[i, j]
                bar[i, j] -= bar[i, k] * y[k, j]
        bar[k, k] *= 0.5


@register_jitable
def _left(bar: Any, y: Any, below: Any, start: int, end: int) -> None:
    """What a diagonal block and the rows below it add to the left part of the block's rows."""
    block = np.empty((end - start, end - start), y.dtype)
    for i in range(start, end):
        for j in range(start, i + 1):
            block[i - start, j - start] = bar[i, j]
            block[j - start, i - start] = bar[i, j]
        block[i - start, i - start] += bar[i, i]
    total = np.dot(block, np.ascontiguousarray(y[start:end, :start]))
    if end < y.shape[0]:
        total += np.dot(below.T, np.ascontiguousarray(y[end:, :start]))
    for i in range(start, end):
        for j in range(start):
            bar[i, j] -= total[i - start, j]
