"""Definitions of calls with arguments that a function's rule does not cover, in terms of calls that it covers.

    np.sum(x, where=mask)        np.sum(np.where(mask, x, 0.0))
    np.ravel(x, order="F")       np.ravel(np.transpose(x))

Each one is inlined only where one of the parameters in `given` is passed.
"""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined


@inlined
def in_dtype(a, dtype):
    """An array in another type, unless that is None."""
    return a if dtype is None else np.astype(a, dtype)


# Reductions


@define(np.sum, given=("dtype", "initial", "where"))
def sum_of_some(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    a = in_dtype(a, dtype)
    total = np.sum(a if where is True else np.where(where, a, 0.0), axis=axis, keepdims=keepdims)
    return total if initial is None else total + initial


@define(np.prod, given=("dtype", "initial", "where"))
def prod_of_some(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    a = in_dtype(a, dtype)
    product = np.prod(a if where is True else np.where(where, a, 1.0), axis=axis, keepdims=keepdims)
    return product if initial is None else product * initial


@define(np.max, given=("initial", "where"))
def max_of_some(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    largest = np.max(a if where is True else np.where(where, a, -np.inf), axis=axis, keepdims=keepdims)
    return largest if initial is None else np.maximum(largest, initial)


@define(np.min, given=("initial", "where"))
def min_of_some(a, axis=None, out=None, keepdims=False, initial=None, where=True):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    smallest = np.min(a if where is True else np.where(where, a, np.inf), axis=axis, keepdims=keepdims)
    return smallest if initial is None else np.minimum(smallest, initial)


@define(np.mean, given=("dtype", "where"))
def mean_of_some(a, axis=None, dtype=None, out=None, keepdims=False, where=True):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    a = in_dtype(a, dtype)
    if where is True:
        return np.mean(a, axis=axis, keepdims=keepdims)
    count = np.sum(np.where(np.broadcast_to(where, a.shape), 1.0, 0.0), axis=axis, keepdims=keepdims)
    return np.sum(np.where(where, a, 0.0), axis=axis, keepdims=keepdims) / count


@define(np.var, given=("dtype", "where", "mean", "correction"))
def var_of_some(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    less = ddof if correction is None else correction
    if where is True and mean is None and dtype is None:
        return np.var(a, axis=axis, ddof=less, keepdims=keepdims)
    # The mean and the sum of squares are in that type, not what they are taken of: a real type leaves imaginary parts
    # out of the mean only.
    middle = np.mean(a, axis=axis, dtype=dtype, keepdims=True, where=where) if mean is None else mean
    squares = kernels.squared_modulus(a - middle)
    if where is True:
        size = kernels.reduced_size(np.shape(a), axis)
        return np.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims) / (size - less)
    count = np.sum(np.where(np.broadcast_to(where, a.shape), 1.0, 0.0), axis=axis, keepdims=keepdims)
    return np.sum(squares, axis=axis, dtype=dtype, keepdims=keepdims, where=where) / np.maximum(count - less, 0.0)


@define(np.std, given=("dtype", "where", "mean", "correction"))
def std_of_some(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, where=True, mean=None, correction=None):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    less = ddof if correction is None else correction
    if where is True and mean is None and dtype is None:
        return np.std(a, axis=axis, ddof=less, keepdims=keepdims)
    return kernels.root(np.var(a, axis=axis, dtype=dtype, ddof=less, keepdims=keepdims, where=where, mean=mean))


@define(np.cumsum, given=("dtype",))
def cumsum_in_dtype(a, axis=None, dtype=None):
    return np.cumsum(in_dtype(a, dtype), axis=axis)


@define(np.cumprod, given=("dtype",))
def cumprod_in_dtype(a, axis=None, dtype=None):
    return np.cumprod(in_dtype(a, dtype), axis=axis)


# Shapes


@define(np.reshape, given=("order",))
def reshape_in_order(a, shape, order="C"):
    if order == "C":
        return np.reshape(a, shape)
    if order != "F":
        raise NotImplementedError("np.reshape in other orders than 'C' and 'F' depends on how memory is laid out")
    turned = np.transpose(a)
    if isinstance(shape, (tuple, list)):
        return np.transpose(np.reshape(turned, tuple(shape)[::-1]))
    if np.ndim(shape) > 0:
        raise NotImplementedError("np.reshape in the order 'F' to a shape in an array: pass a tuple")
    return np.reshape(turned, shape)


@define(np.ravel, given=("order",))
def ravel_in_order(a, order="C"):
    if order == "C":
        return np.ravel(a)
    if order != "F":
        raise NotImplementedError("np.ravel in other orders than 'C' and 'F' depends on how memory is laid out")
    return np.ravel(np.transpose(a))


@define(np.copy, given=("order", "subok"))
def copy_in_order(a, order="K", subok=False):
    if order == "C":
        return kernels.copy_in_c_order(a)
    if order == "F":
        return np.transpose(kernels.copy_in_c_order(np.transpose(a)))
    if order != "K":
        raise NotImplementedError("np.copy in the order 'A' depends on how memory is laid out: write 'C' or 'F'")
    return np.copy(a)


@define(np.diagonal, given=("axis1", "axis2"))
def diagonal_of_axes(a, offset=0, axis1=0, axis2=1):
    return np.linalg.diagonal(np.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset)


@define(np.trace, given=("axis1", "axis2", "dtype"))
def trace_of_axes(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    a = in_dtype(a, dtype)
    return np.linalg.trace(np.moveaxis(a, (axis1, axis2), (-2, -1)), offset=offset)


@define(np.take, given=("mode", "out"))
def take_in_mode(a, indices, axis=None, out=None, mode="raise"):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    if mode == "raise":
        return np.take(a, indices, axis=axis)
    size = a.size if axis is None else a.shape[axis]
    if mode == "wrap":
        return np.take(a, np.remainder(indices, size), axis=axis)
    return np.take(a, np.minimum(np.maximum(indices, 0), size - 1), axis=axis)


@define(np.sort, given=("kind", "order", "stable"))
def sort_of_kind(a, axis=-1, kind=None, order=None, *, stable=None):
    # The order of equal elements does not show.
    return np.sort(a, axis=axis)


@define(np.diff, given=("prepend", "append"))
def diff_with_ends(a, n=1, axis=-1, prepend=None, append=None):
    if n == 0:
        return a  # without the ends: that is what NumPy does
    whole = np.moveaxis(a, axis, 0)
    if prepend is not None:
        before = prepend if np.ndim(prepend) == 0 else np.moveaxis(prepend, axis, 0)
        whole = np.concatenate((kernels.rows_to_insert(whole, 0, before), whole))
    if append is not None:
        after = append if np.ndim(append) == 0 else np.moveaxis(append, axis, 0)
        whole = np.concatenate((whole, kernels.rows_to_insert(whole, 0, after)))
    return np.moveaxis(np.diff(whole, n, 0), 0, axis)


@define(np.array, given=("order", "subok", "ndmin", "copy", "like"))
def array_in_order(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0):
    if copy:
        found = np.array(object) if dtype is None else np.array(object, dtype)
    else:
        found = np.asarray(object) if dtype is None else np.asarray(object, dtype)
    if ndmin > 2:
        return np.reshape(found, (1,) * max(0, ndmin - np.ndim(found)) + np.shape(found))
    return found if ndmin == 0 else np.atleast_1d(found) if ndmin == 1 else np.atleast_2d(found)


@define(np.full, given=("order", "device", "like"))
def full_in_order(shape, fill_value, dtype=None, order="C", *, device=None):
    return np.full(shape, fill_value, dtype)


@define(np.full_like, given=("order", "subok", "shape", "device"))
def full_like_in_shape(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return np.full(np.shape(a) if shape is None else shape, fill_value, a.dtype if dtype is None else dtype)


@define(np.zeros_like, given=("shape",))
def zeros_like_in_shape(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return np.zeros(np.shape(a) if shape is None else shape, a.dtype if dtype is None else dtype)


@define(np.ones_like, given=("shape",))
def ones_like_in_shape(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return np.ones(np.shape(a) if shape is None else shape, a.dtype if dtype is None else dtype)


@define(np.empty_like, given=("shape",))
def empty_like_in_shape(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return np.empty(np.shape(prototype) if shape is None else shape, prototype.dtype if dtype is None else dtype)


@define(np.linspace, given=("axis", "dtype", "retstep", "device"))
def linspace_along(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    places = np.linspace(start, stop, num, endpoint)
    turned = places if axis == 0 else np.moveaxis(places, 0, axis)
    found = in_dtype(turned, dtype)
    return (found, (stop - start) / (num - 1 if endpoint else num)) if retstep else found


# Products


@define(np.einsum, given=("optimize", "out", "dtype", "order", "casting"))
def einsum_with_options(*operands, out=None, optimize=False, dtype=None, order="K", casting="safe"):
    if out is not None:
        raise NotImplementedError("an array for the result, `out`, has no derivative rule here: assign the result")
    if dtype is not None:
        raise NotImplementedError("np.einsum with `dtype` has no derivative rule: convert the operands")
    return np.einsum(*operands)


@inlined
def cross_of_last(a, b, axis):
    """The cross products along last axes, with their components along another axis."""
    if np.shape(a)[-1] == 2 and np.shape(b)[-1] == 2:  # these are numbers: there is no axis to move
        raise NotImplementedError(
            "np.cross along an axis needs vectors of three components: write out the product of two"
        )
    return np.moveaxis(np.cross(a, b), -1, axis)


@define(np.cross, given=("axisa", "axisb", "axisc", "axis"))
def cross_of_axes(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    if axis is not None:
        return cross_of_last(np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1), axis)
    return cross_of_last(np.moveaxis(a, axisa, -1), np.moveaxis(b, axisb, -1), axisc)


@define(np.linalg.cholesky, given=("upper",))
def cholesky_of_half(a, *, upper=False):
    if upper:  # the triangle that is read
        turned = np.conjugate(np.linalg.matrix_transpose(a))
        return np.conjugate(np.linalg.matrix_transpose(np.linalg.cholesky(turned)))
    return np.linalg.cholesky(a)
