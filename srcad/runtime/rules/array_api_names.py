"""Definitions of functions with array API names that NumPy 2 added, and some others, in terms of older functions."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define


@define(np.vecdot, np.linalg.vecdot)
def vecdot(x1, x2, *, axis=-1):
    if axis == -1 or np.ndim(x1) == np.ndim(x2):
        return np.sum(np.conjugate(x1) * x2, axis=axis)
    return np.sum(np.conjugate(np.moveaxis(x1, axis, -1)) * np.moveaxis(x2, axis, -1), axis=-1)


@define(np.matvec)
def matvec(x1, x2):
    return np.sum(x1 * np.expand_dims(x2, -2), axis=-1)


@define(np.vecmat)
def vecmat(x1, x2):
    return np.sum(np.expand_dims(np.conjugate(x1), -1) * x2, axis=-2)


@define(np.linalg.matmul)
def matmul(x1, x2):
    return x1 @ x2


@define(np.linalg.outer)
def outer(x1, x2):
    return np.outer(x1, x2)


@define(np.linalg.tensordot)
def tensordot(x1, x2, axes=2):
    return np.tensordot(x1, x2, axes)


@define(np.linalg.cross)
def cross(x1, x2, axis=-1):
    if axis == -1:
        return np.cross(x1, x2)
    return np.moveaxis(np.cross(np.moveaxis(x1, axis, -1), np.moveaxis(x2, axis, -1)), -1, axis)


@define(np.matrix_transpose, np.linalg.matrix_transpose)
def matrix_transpose(x):
    return np.swapaxes(x, np.ndim(x) - 1, np.ndim(x) - 2)


@define(np.linalg.diagonal)
def diagonal(x, offset=0):
    first, last = max(0, -offset), min(x.shape[-2], x.shape[-1] - offset)
    rows = np.arange(first, last)
    flat = np.reshape(x, (-1, x.shape[-2] * x.shape[-1]))
    return np.reshape(flat[:, rows * x.shape[-1] + rows + offset], x.shape[:-2] + (last - first,))


@define(np.linalg.trace)
def trace(x, offset=0):
    return np.sum(np.linalg.diagonal(x, offset=offset), axis=-1)


@define(np.linalg.vector_norm)
def vector_norm(x, axis=None, keepdims=False, ord=2):
    if isinstance(axis, tuple) and ord == 2:
        if len(axis) != 2:
            raise NotImplementedError("np.linalg.vector_norm along more than two axes: reshape the array")
        return np.linalg.norm(x, axis=axis, keepdims=keepdims)
    if isinstance(axis, tuple):
        return kernels.norm_of_vectors(x, ord, axis, keepdims)
    if axis is not None:
        return kernels.norm_of_order(x, ord, axis, keepdims)
    y = kernels.norm_of_order(np.ravel(x), ord, 0)
    return np.reshape(y, (1,) * np.ndim(x)) if keepdims else y


@define(np.linalg.matrix_norm)
def matrix_norm(x, keepdims=False, ord="fro"):
    if np.ndim(x) == 2 and not keepdims:
        return kernels.norm_of_all(x, ord)
    return kernels.norm_of_matrices(x, ord, (-2, -1), keepdims)


@define(np.cumulative_sum)
def cumulative_sum(x, *, axis=None, include_initial=False):
    y = np.cumsum(x, axis=0 if axis is None else axis)
    return kernels.with_first(y, 0.0, axis) if include_initial else y


@define(np.cumulative_prod)
def cumulative_prod(x, *, axis=None, include_initial=False):
    y = np.cumprod(x, axis=0 if axis is None else axis)
    return kernels.with_first(y, 1.0, axis) if include_initial else y


@define(kernels.with_first)
def with_first(y, first, axis=None):
    turned = np.moveaxis(y, 0 if axis is None else axis, 0)
    return np.moveaxis(np.concatenate((np.full(turned[:1].shape, first), turned)), 0, 0 if axis is None else axis)


@define(np.nanprod)
def nanprod(a, axis=None, *, keepdims=False):
    return np.prod(np.where(np.isnan(a), 1.0, a), axis=axis, keepdims=keepdims)


@define(np.nancumsum)
def nancumsum(a, axis=None):
    return np.cumsum(np.where(np.isnan(a), 0.0, a), axis=axis)


@define(np.nancumprod)
def nancumprod(a, axis=None):
    return np.cumprod(np.where(np.isnan(a), 1.0, a), axis=axis)


@define(np.diagflat)
def diagflat(v, k=0):
    return np.diag(np.ravel(v), k)


@define(np.compress)
def compress(condition, a, axis=None):
    if axis is None:
        return np.ravel(a)[np.nonzero(condition)[0]]
    return np.take(a, np.nonzero(condition)[0], axis=axis)
