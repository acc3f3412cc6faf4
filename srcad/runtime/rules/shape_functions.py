"""Rules of functions that move elements: views, reordered copies, joins, constructors."""

import operator

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, tangent, view, zero


@view(np.transpose)
def transpose(y, a, axes=None):
    d[a] = kernels.untranspose(d[y], axes)


@view(np.swapaxes)
def swapaxes(y, a, axis1, axis2):
    d[a] = np.swapaxes(d[y], axis1, axis2)


@view(np.moveaxis)
def moveaxis(y, a, source, destination):
    d[a] = np.moveaxis(d[y], destination, source)


@view(np.expand_dims)
def expand_dims(y, a, axis):
    d[a] = np.reshape(d[y], a.shape)


@view(np.squeeze)
def squeeze(y, a, axis=None):
    d[a] = np.reshape(d[y], a.shape)


@view(np.flip)
def flip(y, m, axis=None):
    d[m] = np.flip(d[y], axis)


@adjoint(np.reshape, may_view=True)
def reshape(y, a, shape):
    d[a] = np.reshape(d[y], a.shape)


@adjoint(np.ravel, may_view=True)
def ravel(y, a):
    d[a] = np.reshape(d[y], a.shape)


@adjoint(np.asarray, np.ascontiguousarray, np.asfortranarray, may_view=True)
def asarray(y, a, dtype=None):
    d[a] = kernels.unarray(d[y], a)


@adjoint(np.copy, kernels.copy_in_c_order)
def copy(y, a):
    d[a] = d[y]


@adjoint(np.array)
def array(y, object, dtype=None):
    d[object] = kernels.unarray(d[y], object)


@adjoint(np.astype)
def astype(y, x, dtype):
    d[x] = d[y]


@adjoint(np.atleast_1d, np.atleast_2d, np.atleast_3d, may_view=True)
def atleast(y, x):
    d[x] = np.reshape(d[y], np.shape(x))


@adjoint(np.broadcast_to, may_view=True)
def broadcast_to(y, array, shape):
    d[array] = kernels.unbroadcast(d[y], array)


@adjoint(np.concatenate)
def concatenate(y, arrays, axis=0):
    d[arrays] = kernels.unconcatenate(d[y], arrays, axis)


@adjoint(np.stack)
def stack(y, arrays, axis=0):
    d[arrays] = kernels.unstack(d[y], arrays, axis)


@adjoint(np.vstack)
def vstack(y, tup):
    d[tup] = kernels.unvstack(d[y], tup)


@adjoint(np.hstack)
def hstack(y, tup):
    d[tup] = kernels.unhstack(d[y], tup)


@adjoint(np.column_stack)
def column_stack(y, tup):
    d[tup] = kernels.uncolumn_stack(d[y], tup)


@adjoint(np.roll)
def roll(y, a, shift, axis=None):
    d[a] = np.roll(d[y], kernels.opposite(shift), axis)


@adjoint(np.repeat)
def repeat(y, a, repeats, axis=None):
    d[a] = kernels.repeat_adjoint(d[y], a.shape, repeats, axis)


@adjoint(np.tile)
def tile(y, A, reps):
    d[A] = kernels.tile_adjoint(d[y], A.shape, reps)


@adjoint(np.diag, may_view=True)
def diag(y, v, k=0):
    d[v] = kernels.diag_adjoint(d[y], v.shape, k)


@adjoint(np.diagonal, may_view=True)
def diagonal(y, a, offset=0):
    d[a] = kernels.diag_adjoint(d[y], a.shape, offset)


@adjoint(np.trace, ndim=(2,))
def trace(y, a, offset=0):
    d[a] = kernels.trace_adjoint(d[y], a.shape, offset)


@adjoint(np.trace)
def trace_of_stack(y, a, offset=0):
    d[a] = kernels.trace_adjoint(d[y], a.shape, offset)


@adjoint(np.tril)
def tril(y, m, k=0):
    d[m] = kernels.unbroadcast(np.tril(d[y], k), m)  # a vector is broadcast to all rows


@adjoint(np.triu)
def triu(y, m, k=0):
    d[m] = kernels.unbroadcast(np.triu(d[y], k), m)


@adjoint(np.sort)
def sort(y, a, axis=-1):
    d[a] = kernels.sort_adjoint(d[y], a, axis)


@tangent(np.sort)
def sort_tangent(y, a, axis=-1):
    d[y] = kernels.sort_tangent(d[a], a, axis)


@adjoint(np.take)
def take(y, a, indices, axis=None):
    d[a] = kernels.take_adjoint(d[y], a.shape, indices, axis)


@adjoint(operator.getitem)
def getitem(y, a, index):
    d[a] = kernels.scatter(d[y], a.shape, index)


@adjoint(kernels.scatter)
def scatter(y, g, shape, index):
    d[g] = d[y][index]


@adjoint(kernels.sort_adjoint)
def sort_adjoint(y, g, a, axis=-1):
    d[g] = kernels.sort_tangent(d[y], a, axis)


@adjoint(kernels.sort_tangent)
def sort_tangent_adjoint(y, t, a, axis=-1):
    d[t] = kernels.sort_adjoint(d[y], a, axis)


@adjoint(kernels.diff_adjoint)
def diff_adjoint(y, g, n=1, axis=-1):
    d[g] = np.diff(d[y], n, axis)


@adjoint(kernels.diag_adjoint)
def diag_adjoint(y, g, shape, k=0):
    d[g] = kernels.diag_adjoint(d[y], g.shape, k)


@adjoint(kernels.take_adjoint)
def take_adjoint(y, g, shape, indices, axis=None):
    d[g] = np.take(d[y], indices, axis)


@adjoint(kernels.repeat_adjoint)
def repeat_adjoint(y, g, shape, repeats, axis=None):
    d[g] = np.repeat(d[y], repeats, axis)


@adjoint(np.diff)
def diff(y, a, n=1, axis=-1):
    d[a] = kernels.diff_adjoint(d[y], min(n, a.shape[axis]), axis)


@adjoint(np.pad)
def pad(y, array, pad_width, mode="constant", constant_values=0):
    d[array] = kernels.unpad(d[y], array.shape, pad_width, mode)
    d[constant_values] = np.sum(d[y]) - np.sum(kernels.unpad(d[y], array.shape, pad_width, mode))


@adjoint(kernels.longer)
def longer(y, values):
    d[values] = kernels.longer_bar(d[y], values)


@adjoint(kernels.longer_rows)
def longer_rows(y, values, row):
    d[values] = kernels.longer_bar(d[y], values)


@adjoint(kernels.padded)
def padded(y, array, pad_width, mode="constant"):
    d[array] = kernels.unpad(d[y], array.shape, pad_width, mode)


@adjoint(kernels.unpad)
def unpad(y, g, shape, pad_width, mode="constant"):
    d[g] = kernels.padded(d[y], pad_width, mode)


@tangent(np.pad)
def pad_tangent(y, array, pad_width, mode="constant", constant_values=0):
    around = 1.0 - kernels.padded(np.ones(array.shape), pad_width, mode)
    d[y] = kernels.padded(d[array], pad_width, mode) + d[constant_values] * around


@adjoint(np.full)
def full(y, shape, fill_value, dtype=None):
    d[fill_value] = kernels.unbroadcast(d[y], fill_value)


@adjoint(np.full_like)
def full_like(y, a, fill_value, dtype=None):
    d[fill_value] = kernels.unbroadcast(d[y], fill_value)


linear(np.reshape, np.ravel, np.asarray, np.ascontiguousarray, np.asfortranarray, np.copy, np.array, np.astype)
linear(kernels.copy_in_c_order)
linear(np.atleast_1d, np.atleast_2d, np.atleast_3d, np.broadcast_to)
linear(np.concatenate, np.stack, np.vstack, np.hstack, np.column_stack)
linear(np.roll, np.repeat, np.tile, np.diag, np.diagonal, np.trace, np.tril, np.triu, np.take, np.diff)
linear(kernels.padded, kernels.unpad, kernels.longer, kernels.longer_rows)
linear(operator.getitem, np.full, np.full_like)
linear(kernels.scatter, kernels.sort_adjoint, kernels.sort_tangent)
linear(kernels.diag_adjoint, kernels.diff_adjoint, kernels.take_adjoint, kernels.repeat_adjoint)


@define(np.fliplr)
def fliplr(m):
    return m[:, ::-1]


@define(np.flipud)
def flipud(m):
    return m[::-1]


@define(np.append)
def append(arr, values, axis=None):
    if axis is None:
        return np.concatenate((np.ravel(np.asarray(arr)), np.ravel(np.asarray(values))))
    return np.concatenate((arr, values), axis=axis)


zero(np.zeros, np.ones, np.empty, np.eye, np.identity, np.tri)
zero(np.zeros_like, np.ones_like, np.empty_like)
zero(np.shape, np.size, np.ndim, np.argsort, np.argwhere, np.nonzero, np.flatnonzero, np.searchsorted, np.digitize)
zero(np.tril_indices, np.triu_indices, np.diag_indices, np.ndindex, np.result_type, kernels.opposite)


# Windows. They are views, which no rule for views describes, since they overlap: memory that is read through them may
# not be written into.


@define(np.lib.stride_tricks.sliding_window_view)
def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False):
    if writeable:
        raise NotImplementedError("sliding_window_view with `writeable`: write into the array itself")
    if isinstance(window_shape, (tuple, list)):
        y = x
        for k, size in enumerate(window_shape):
            if axis is None:
                y = kernels.windows_along(y, size, k)
            elif isinstance(axis, (tuple, list)):
                y = kernels.windows_along(y, size, axis[k] % np.ndim(x))
            else:
                y = kernels.windows_along(y, size, axis % np.ndim(x))
        return y
    if axis is None:
        if np.ndim(x) != 1:
            raise ValueError("Since axis is None, must provide window_shape for all dimensions of `x`")
        return kernels.windows_along(x, window_shape, 0)
    if isinstance(axis, (tuple, list)):
        return kernels.windows_along(x, window_shape, axis[0] % np.ndim(x))
    return kernels.windows_along(x, window_shape, axis % np.ndim(x))


@adjoint(kernels.windows_along, may_view=True)
def windows_along(y, x, size, axis):
    d[x] = kernels.sums_of_windows(d[y], x, axis)


@adjoint(kernels.sums_of_windows)
def sums_of_windows(y, g, like, axis):
    d[g] = kernels.windows_along(d[y], g.shape[-1], axis)


linear(kernels.windows_along, kernels.sums_of_windows)
