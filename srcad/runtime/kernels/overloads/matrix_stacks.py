"""Numba overloads of matrix products and `np.linalg` for stacks of matrices: one matrix after the other.

Numba has these functions for single matrices. A stack is copied to contiguous memory, where its matrices are the
elements along one leading axis.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable
from numba.np.numpy_support import as_dtype

from srcad.runtime.kernels.linear_algebra.products import (
    dot_adjoint_a,
    dot_adjoint_b,
    inner_adjoint_a,
    inner_adjoint_b,
    rows_of,
)


@register_jitable
def _flat(a):
    """The matrices of a stack along one leading axis."""
    count = 1
    for each in a.shape[:-2]:
        count *= each
    return np.ascontiguousarray(a).reshape((count,) + a.shape[-2:])


@register_jitable
def _widened(a, around):
    """The stack broadcast to leading axes of this shape, flat."""
    return _flat(np.broadcast_to(a, around + a.shape[-2:]))


def is_stack(a: Any) -> bool:
    """Whether a type is that of a stack of matrices of floating-point numbers.

    >>> is_stack(types.float64[:, :, ::1]), is_stack(types.float64[:, ::1])
    (True, False)
    """
    return isinstance(a, types.Array) and a.ndim > 2 and isinstance(a.dtype, (types.Float, types.Complex))


def _of_same_shape(function: Any) -> None:
    """Overload a function of a matrix whose result is a matrix of the same shape."""

    @overload(function)
    def _each(a):
        if not is_stack(a):
            return None

        def impl(a):
            flat = _flat(a)
            result = np.empty(flat.shape, flat.dtype)
            for k in range(flat.shape[0]):
                result[k] = function(flat[k])
            return result.reshape(a.shape)

        return impl


for _function in (np.linalg.inv, np.linalg.cholesky):
    _of_same_shape(_function)


@overload(np.linalg.det)
def _det(a):
    if not is_stack(a):
        return None

    def impl(a):
        flat = _flat(a)
        result = np.empty(flat.shape[0], flat.dtype)
        for k in range(flat.shape[0]):
            result[k] = np.linalg.det(flat[k])
        return result.reshape(a.shape[:-2])

    return impl


@overload(np.linalg.slogdet)
def _slogdet(a):
    if not is_stack(a):
        return None
    real = as_dtype(getattr(a.dtype, "underlying_float", a.dtype))

    def impl(a):
        flat = _flat(a)
        sign, size = np.empty(flat.shape[0], flat.dtype), np.empty(flat.shape[0], real)
        for k in range(flat.shape[0]):
            sign[k], size[k] = np.linalg.slogdet(flat[k])
        return sign.reshape(a.shape[:-2]), size.reshape(a.shape[:-2])

    return impl


@overload(np.linalg.pinv)
def _pinv(a):
    if not is_stack(a):
        return None

    def impl(a):
        flat = _flat(a)
        result = np.empty((flat.shape[0], flat.shape[2], flat.shape[1]), flat.dtype)
        for k in range(flat.shape[0]):
            result[k] = np.linalg.pinv(flat[k])
        return result.reshape(a.shape[:-2] + (a.shape[-1], a.shape[-2]))

    return impl


@overload(np.linalg.eigh)
def _eigh(a):
    if not is_stack(a):
        return None
    real = as_dtype(getattr(a.dtype, "underlying_float", a.dtype))

    def impl(a):
        flat = _flat(a)
        values, vectors = np.empty(flat.shape[:2], real), np.empty(flat.shape, flat.dtype)
        for k in range(flat.shape[0]):
            values[k], vectors[k] = np.linalg.eigh(flat[k])
        return values.reshape(a.shape[:-1]), vectors.reshape(a.shape)

    return impl


@overload(np.linalg.qr)
def _qr(a):
    if not is_stack(a):
        return None

    def impl(a):
        flat = _flat(a)
        n, m = a.shape[-2], a.shape[-1]
        small = min(n, m)
        q, r = np.empty((flat.shape[0], n, small), flat.dtype), np.empty((flat.shape[0], small, m), flat.dtype)
        for k in range(flat.shape[0]):
            q[k], r[k] = np.linalg.qr(flat[k])
        return q.reshape(a.shape[:-2] + (n, small)), r.reshape(a.shape[:-2] + (small, m))

    return impl


@overload(np.linalg.svd)
def _svd(a, full_matrices=1):
    if not is_stack(a):
        return None
    real = as_dtype(getattr(a.dtype, "underlying_float", a.dtype))

    def impl(a, full_matrices=1):
        flat = _flat(a)
        n, m = a.shape[-2], a.shape[-1]
        small = min(n, m)
        left, right = (n, m) if full_matrices else (small, small)
        u, v = np.empty((flat.shape[0], n, left), flat.dtype), np.empty((flat.shape[0], right, m), flat.dtype)
        s = np.empty((flat.shape[0], small), real)
        for k in range(flat.shape[0]):
            u[k], s[k], v[k] = np.linalg.svd(flat[k], full_matrices)
        around = a.shape[:-2]
        return u.reshape(around + (n, left)), s.reshape(around + (small,)), v.reshape(around + (right, m))

    return impl


@overload(np.linalg.solve)
def _solve(a, b):
    if not isinstance(a, types.Array) or not isinstance(b, types.Array) or not (is_stack(a) or is_stack(b)):
        return None

    def of_vector(a, b):
        flat = _flat(a)
        result = np.empty(flat.shape[:2], flat.dtype)
        for k in range(flat.shape[0]):
            result[k] = np.linalg.solve(flat[k], b)
        return result.reshape(a.shape[:-1])

    def impl(a, b):
        around = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        left, right = _widened(a, around), _widened(b, around)
        result = np.empty(right.shape, right.dtype)
        for k in range(left.shape[0]):
            result[k] = np.linalg.solve(left[k], right[k])
        return result.reshape(around + b.shape[-2:])

    return of_vector if b.ndim == 1 else impl


def _product(a: Any, b: Any) -> Any:
    """The implementation of `a @ b` for arrays one of which has more than two dimensions."""
    if not isinstance(a, types.Array) or not isinstance(b, types.Array) or max(a.ndim, b.ndim) < 3:
        return None
    if not all(isinstance(each.dtype, (types.Float, types.Complex)) for each in (a, b)) or 0 in (a.ndim, b.ndim):
        return None
    if a.ndim == 1:
        return lambda a, b: _matmul(a.reshape((1, a.size)), b)[..., 0, :]
    if b.ndim == 1:
        return lambda a, b: _matmul(a, np.ascontiguousarray(b).reshape((b.size, 1)))[..., 0]
    return lambda a, b: _matmul(a, b)


def _matmul(a: Any, b: Any) -> Any:
    """The product of stacks of matrices, for Numba."""
    return np.matmul(a, b)


@overload(_matmul)
def _matmul_of_types(a, b):
    def rows(a, b):
        if a.shape[-1] != b.shape[0]:
            raise ValueError(_NO_MATCH)
        return np.dot(rows_of(a), np.ascontiguousarray(b)).reshape(a.shape[:-1] + b.shape[1:])

    def stacks(a, b):
        around = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        if a.shape[-1] != b.shape[-2]:
            raise ValueError(_NO_MATCH)
        left, right = _matrices(a, around), _matrices(b, around)
        count = 1
        for each in around:
            count *= each
        result = np.zeros((count, a.shape[-2], b.shape[-1]), (left[:0, :0, :0] * right[:0, :0, :0]).dtype)
        _multiply(result, left, right)
        return result.reshape(around + (a.shape[-2], b.shape[-1]))

    return rows if b.ndim == 2 and a.dtype == b.dtype else stacks


_NO_MATCH = "matmul: the last dimension of the first operand is not the last but one of the second"
_LEAST_FOR_BLAS = 1000  # multiplications


def _matrices(a: Any, around: Any) -> Any:
    """The matrices of a stack that is to be broadcast to leading axes of this shape, flat; one alone stays one."""
    return np.broadcast_to(a, around + a.shape[-2:]).reshape((-1, *a.shape[-2:]))


@overload(_matrices)
def _matrices_of_type(a, around):
    if a.ndim == 2:
        return lambda a, around: np.ascontiguousarray(a).reshape((1,) + a.shape)
    if a.ndim - 2 == len(around):
        return lambda a, around: _flat(a) if a.shape[:-2] == around else _widened(a, around)
    return lambda a, around: _widened(a, around)


def _multiply(result: Any, left: Any, right: Any) -> None:
    """Store the products of matrices, of one stack or both, where there are zeros: by BLAS, unless they are small."""
    result[...] = np.matmul(left, right)


@overload(_multiply)
def _multiply_types(result, left, right):
    def small(result, left, right):
        of_left, of_right = left.shape[0] > 1, right.shape[0] > 1
        n, inner, m = left.shape[1], left.shape[2], right.shape[2]
        for k in range(result.shape[0]):
            at, by = k if of_left else 0, k if of_right else 0
            for i in range(n):
                for p in range(inner):
                    factor = left[at, i, p]
                    for j in range(m):
                        result[k, i, j] += factor * right[by, p, j]

    def any_size(result, left, right):
        if left.shape[1] * left.shape[2] * right.shape[2] < _LEAST_FOR_BLAS:
            small(result, left, right)
        else:
            of_left, of_right = left.shape[0] > 1, right.shape[0] > 1
            for k in range(result.shape[0]):
                np.dot(left[k if of_left else 0], right[k if of_right else 0], result[k])

    small = register_jitable(small)
    return any_size if left.dtype == right.dtype == result.dtype else small


@overload(operator.matmul)
def _operator_matmul(a, b):
    return _product(a, b)


@overload(np.matmul)
def _np_matmul(a, b):
    return _product(a, b)


# `np.dot` and `np.inner` of arrays of more than two dimensions, as a product of two matrices.


@register_jitable
def _by_last(a):
    """A matrix whose rows run along the last axis."""
    n = a.shape[-1]
    return np.ascontiguousarray(a).reshape((a.size // max(1, n), n))


@register_jitable
def _by_last_but_one(b):
    """A matrix whose columns run along the last axis but one."""
    n = b.shape[-2]
    return np.ascontiguousarray(np.moveaxis(b, -2, 0)).reshape((n, b.size // max(1, n)))


def _are_large(a: Any, b: Any) -> bool:
    both = isinstance(a, types.Array) and isinstance(b, types.Array) and min(a.ndim, b.ndim) > 0
    return (
        both
        and max(a.ndim, b.ndim) > 2
        and all(isinstance(each.dtype, (types.Float, types.Complex)) for each in (a, b))
    )


@overload(np.dot)
def _dot(a, b):
    if not _are_large(a, b):
        return None
    if b.ndim == 1:
        return lambda a, b: np.dot(_by_last(a), np.ascontiguousarray(b)).reshape(a.shape[:-1])

    def impl(a, b):
        return np.dot(_by_last(a), _by_last_but_one(b)).reshape(a.shape[:-1] + b.shape[:-2] + b.shape[-1:])

    return impl


@overload(dot_adjoint_a)
def _dot_adjoint_a(g, a, b):
    if not _are_large(a, b):
        return None
    if b.ndim == 1:
        return lambda g, a, b: np.expand_dims(g, -1) * b

    def impl(g, a, b):
        turned = _by_last_but_one(b)
        return np.dot(np.ascontiguousarray(g).reshape((-1, turned.shape[1])), turned.T).reshape(a.shape)

    return impl


@overload(dot_adjoint_b)
def _dot_adjoint_b(g, a, b):
    if not _are_large(a, b):
        return None
    if b.ndim == 1:
        return lambda g, a, b: np.dot(_by_last(a).T, np.ascontiguousarray(g).reshape(g.size))

    def impl(g, a, b):
        rows = _by_last(a)
        found = np.dot(rows.T, np.ascontiguousarray(g).reshape((rows.shape[0], -1)))
        return np.moveaxis(found.reshape(b.shape[-2:-1] + b.shape[:-2] + b.shape[-1:]), 0, -2)

    return impl


@overload(np.inner)
def _inner(a, b):
    if not _are_large(a, b):
        return None

    def impl(a, b):
        return np.dot(_by_last(a), _by_last(b).T).reshape(a.shape[:-1] + b.shape[:-1])

    return impl


@overload(inner_adjoint_a)
def _inner_adjoint_a(g, a, b):
    if not isinstance(a, types.Array) or not isinstance(b, types.Array) or a.ndim == 0 or b.ndim == 0:
        return None

    def impl(g, a, b):
        columns = _by_last(b)
        return np.dot(np.ascontiguousarray(g).reshape((_by_last(a).shape[0], columns.shape[0])), columns).reshape(
            a.shape
        )

    return impl


@overload(inner_adjoint_b)
def _inner_adjoint_b(g, a, b):
    if not isinstance(a, types.Array) or not isinstance(b, types.Array) or a.ndim == 0 or b.ndim == 0:
        return None

    def impl(g, a, b):
        rows = _by_last(a)
        turned = np.ascontiguousarray(g).reshape((rows.shape[0], _by_last(b).shape[0]))
        return np.dot(turned.T, rows).reshape(b.shape)

    return impl
