"""Definitions of functions that insert, delete or repeat elements, as reads by computed positions."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, zero


@define(np.insert)
def insert(arr, obj, values, axis=None):
    if axis is None:
        flat = np.ravel(arr)
        added = kernels.rows_to_insert(flat, obj, values).astype(flat.dtype)
        return np.concatenate((flat, added))[kernels.places_after_insertion(len(flat), obj, len(added))]
    along = np.moveaxis(arr, axis, 0)
    if np.ndim(values) == np.ndim(arr) and np.ndim(obj) != 0:
        added = kernels.rows_to_insert(along, obj, np.moveaxis(values, axis, 0))
    else:
        added = kernels.rows_to_insert(along, obj, values)
    whole = np.concatenate((along, added.astype(arr.dtype)))
    return np.moveaxis(whole[kernels.places_after_insertion(along.shape[0], obj, added.shape[0])], 0, axis)


@define(np.delete)
def delete(arr, obj, axis=None):
    if axis is None:
        flat = np.ravel(arr)
        return flat[kernels.places_after_deletion(len(flat), obj)]
    along = np.moveaxis(arr, axis, 0)
    return np.moveaxis(along[kernels.places_after_deletion(along.shape[0], obj)], 0, axis)


@adjoint(kernels.rows_to_insert)
def rows_to_insert(y, along, obj, values):
    d[values] = kernels.unbroadcast(d[y], values)


linear(kernels.rows_to_insert)


@define(np.resize)
def resize(a, new_shape):
    return np.ravel(a)[kernels.cyclic_places(np.size(a), new_shape)]


@define(np.trim_zeros)
def trim_zeros(filt, trim="fb"):
    if np.ndim(filt) != 1:
        raise NotImplementedError("np.trim_zeros of other arrays than vectors: take the slice")
    first, last = kernels.nonzero_range(filt)
    return filt[first if "f" in trim.lower() else 0 : last if "b" in trim.lower() else len(filt)]


@adjoint(kernels.before_axes_of, may_view=True)
def before_axes_of(y, a, b):
    d[a] = np.reshape(d[y], np.shape(a))


linear(kernels.before_axes_of)
zero(kernels.places_after_insertion, kernels.places_after_deletion, kernels.cyclic_places, kernels.nonzero_range)
zero(kernels.mask_places)


@define(np.add.outer)
def add_outer(A, B):
    return kernels.before_axes_of(A, B) + B


@define(np.subtract.outer)
def subtract_outer(A, B):
    return kernels.before_axes_of(A, B) - B


@define(np.multiply.outer)
def multiply_outer(A, B):
    return kernels.before_axes_of(A, B) * B


@define(np.divide.outer)
def divide_outer(A, B):
    return kernels.before_axes_of(A, B) / B


@define(np.power.outer)
def power_outer(A, B):
    return kernels.before_axes_of(A, B) ** B


@define(np.maximum.outer)
def maximum_outer(A, B):
    return np.maximum(kernels.before_axes_of(A, B), B)


@define(np.minimum.outer)
def minimum_outer(A, B):
    return np.minimum(kernels.before_axes_of(A, B), B)


@define(np.hypot.outer)
def hypot_outer(A, B):
    return np.hypot(kernels.before_axes_of(A, B), B)


@define(np.arctan2.outer)
def arctan2_outer(A, B):
    return np.arctan2(kernels.before_axes_of(A, B), B)


@define(np.logaddexp.outer)
def logaddexp_outer(A, B):
    return np.logaddexp(kernels.before_axes_of(A, B), B)


@define(np.kron)
def kron(a, b):
    if np.ndim(a) > 2 or np.ndim(b) > 2:
        raise NotImplementedError("np.kron of operands of more than two dimensions: write it with np.einsum")
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return np.multiply(a, b)
    if np.ndim(a) == 1 and np.ndim(b) == 1:
        return np.ravel(np.expand_dims(a, 1) * b)
    left, right = np.atleast_2d(a), np.atleast_2d(b)
    whole = np.expand_dims(np.expand_dims(left, 1), 3) * np.expand_dims(np.expand_dims(right, 0), 2)
    return np.reshape(whole, (left.shape[0] * right.shape[0], left.shape[1] * right.shape[1]))
