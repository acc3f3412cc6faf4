"""Rules of reductions and of running sums and products. `axis` is None, an integer or a tuple."""

import builtins

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, linear, tangent, zero


@adjoint(np.sum)
def sum(y, a, axis=None, keepdims=False):
    d[a] = kernels.spread(d[y], a.shape, axis, keepdims)


@adjoint(np.mean)
def mean(y, a, axis=None, keepdims=False):
    d[a] = kernels.spread(d[y] / kernels.reduced_size(a.shape, axis), a.shape, axis, keepdims)


@adjoint(np.prod)
def prod(y, a, axis=None, keepdims=False):
    d[a] = kernels.restore(d[y], a.shape, axis, keepdims) * kernels.others(a, axis)


@tangent(np.prod)
def prod_tangent(y, a, axis=None, keepdims=False):
    d[y] = np.sum(kernels.others(a, axis) * d[a], axis=axis, keepdims=keepdims)


@adjoint(np.max, np.min)
def extremum(y, a, axis=None, keepdims=False):
    # Elements that are equal to the result share its adjoint.
    d[a] = kernels.extremum_adjoint(d[y], y, a, axis, keepdims)


@define(kernels.extremum_adjoint)
def extremum_adjoint(g, y, a, axis=None, keepdims=False):
    return kernels.restore(g, np.shape(a), axis, keepdims) * kernels.shares(y, a, axis, keepdims)


@tangent(np.max, np.min)
def extremum_tangent(y, a, axis=None, keepdims=False):
    d[y] = np.sum(kernels.shares(y, a, axis, keepdims) * d[a], axis=axis, keepdims=keepdims)


@adjoint(builtins.max, builtins.min, arity=1)
def extremum_of_all(y, a):
    d[a] = d[y] * kernels.shares(y, a)


@tangent(builtins.max, builtins.min, arity=1)
def extremum_of_all_tangent(y, a):
    d[y] = np.sum(kernels.shares(y, a) * d[a])


@adjoint(np.cumsum)
def cumsum(y, a, axis=None):
    d[a] = kernels.cumsum_adjoint(d[y], a.shape, axis)


@adjoint(np.cumprod)
def cumprod(y, a, axis=None):
    d[a] = kernels.cumprod_adjoint(d[y], a, axis)


@tangent(np.cumprod)
def cumprod_tangent(y, a, axis=None):
    d[y] = kernels.cumprod_tangent(d[a], a, axis)


@adjoint(kernels.cumprod_adjoint)
def cumprod_adjoint_adjoint(y, g, a, axis=None):
    d[g] = kernels.cumprod_tangent(d[y], a, axis)
    d[a] = kernels.cumprod_bend(g, d[y], a, axis)


@tangent(kernels.cumprod_adjoint)
def cumprod_adjoint_tangent(y, g, a, axis=None):
    d[y] = kernels.cumprod_adjoint(d[g], a, axis) + kernels.cumprod_bend(g, d[a], a, axis)


@adjoint(kernels.cumprod_tangent)
def cumprod_tangent_adjoint(y, t, a, axis=None):
    d[t] = kernels.cumprod_adjoint(d[y], a, axis)
    d[a] = kernels.cumprod_bend(d[y], t, a, axis)


@adjoint(kernels.spread, kernels.restore)
def spread(y, g, shape, axis=None, keepdims=False):
    d[g] = np.sum(d[y], axis=axis, keepdims=keepdims)


@adjoint(kernels.unbroadcast, may_view=True)
def unbroadcast(y, g, x):
    d[g] = np.broadcast_to(d[y], g.shape)


@adjoint(kernels.others)
def others(y, a, axis=None):
    d[a] = kernels.others_adjoint(d[y], a, axis)


@tangent(kernels.others)
def others_tangent(y, a, axis=None):
    # The Jacobian is symmetric: both are second derivatives of the product.
    d[y] = kernels.others_adjoint(d[a], a, axis)


@adjoint(kernels.cumsum_adjoint)
def cumsum_adjoint(y, g, shape, axis=None):
    d[g] = np.cumsum(d[y], axis=axis)


@adjoint(np.sum, np.mean, np.prod, np.max, np.min, ndim=(0,))
def reduction_of_a_number(y, a, axis=None, keepdims=False):
    d[a] = d[y]


@tangent(np.sum, np.mean, np.prod, np.max, np.min, ndim=(0,))
def reduction_of_a_number_tangent(y, a, axis=None, keepdims=False):
    d[y] = d[a]


linear(np.sum, np.mean, np.cumsum)
linear(kernels.spread, kernels.restore, kernels.unbroadcast, kernels.cumsum_adjoint)


@define(builtins.sum)
def total(iterable, start=0):
    if np.ndim(iterable) > 1 and len(iterable) == 0:
        raise NotImplementedError("sum of no arrays is a number: add them up in a loop")
    return np.sum(iterable, axis=0) + start


@define(np.var)
def var(a, axis=None, *, ddof=0, keepdims=False):
    t = a - np.mean(a, axis=axis, keepdims=True)
    return np.sum(kernels.squared_modulus(t), axis=axis, keepdims=keepdims) / (
        kernels.reduced_size(np.shape(a), axis) - ddof
    )


@adjoint(np.var, handles_complex=False)
def var_adjoint(y, a, axis=None, ddof=0, keepdims=False):
    t = kernels.centred(a, axis)
    d[a] = (
        kernels.restore(d[y] * (2.0 / (kernels.reduced_size(np.shape(a), axis) - ddof)), np.shape(a), axis, keepdims)
        * t
    )


@tangent(np.var)
def var_tangent(y, a, axis=None, ddof=0, keepdims=False):
    t = (a - np.mean(a, axis=axis, keepdims=True)) * (2.0 / (kernels.reduced_size(np.shape(a), axis) - ddof))
    d[y] = np.sum(t * d[a], axis=axis, keepdims=keepdims)


@adjoint(np.std, handles_complex=False)
def std_adjoint(y, a, axis=None, ddof=0, keepdims=False):
    t = kernels.centred(a, axis)
    d[a] = (
        kernels.restore(
            kernels.ratio(d[y], y) / (kernels.reduced_size(np.shape(a), axis) - ddof), np.shape(a), axis, keepdims
        )
        * t
    )


@tangent(np.std)
def std_tangent(y, a, axis=None, ddof=0, keepdims=False):
    t = (a - np.mean(a, axis=axis, keepdims=True)) / (kernels.reduced_size(np.shape(a), axis) - ddof)
    d[y] = kernels.ratio(np.sum(t * d[a], axis=axis, keepdims=keepdims), y)


@define(np.std)
def std(a, axis=None, *, ddof=0, keepdims=False):
    t = a - np.mean(a, axis=axis, keepdims=True)
    return kernels.root(
        np.sum(kernels.squared_modulus(t), axis=axis, keepdims=keepdims)
        / (kernels.reduced_size(np.shape(a), axis) - ddof)
    )


@define(np.ptp)
def ptp(a, axis=None, *, keepdims=False):
    return np.max(a, axis=axis, keepdims=keepdims) - np.min(a, axis=axis, keepdims=keepdims)


@define(np.average)
def average(a, axis=None, weights=None, returned=False, *, keepdims=False):
    if weights is None:
        if returned:
            raise NotImplementedError("np.average with `returned` needs weights")
        return np.mean(a, axis=axis, keepdims=keepdims)
    if np.ndim(weights) != np.ndim(a):  # one weight for each position along the axis
        total = np.sum(weights)
        y = np.sum(np.moveaxis(a, axis, -1) * weights, axis=-1) / total
        y = np.expand_dims(y, axis) if keepdims else y
        return (y, total + np.zeros_like(y)) if returned else y
    total = np.sum(weights, axis=axis, keepdims=keepdims)
    y = np.sum(a * weights, axis=axis, keepdims=keepdims) / total
    return (y, total) if returned else y


@define(np.trapezoid)
def trapezoid(y, x=None, dx=1.0, axis=-1):
    if x is None:
        if np.ndim(dx) > 0:  # as in NumPy, it broadcasts against the values as they are
            both = np.moveaxis(y, axis, -1)[..., 1:] + np.moveaxis(y, axis, -1)[..., :-1]
            return np.sum(0.5 * dx * np.moveaxis(both, -1, axis), axis=axis)
        if np.ndim(y) == 1:
            return np.sum(y[1:] + y[:-1]) * (0.5 * dx)
        along = np.moveaxis(y, axis, -1)
        return np.sum(along[..., 1:] + along[..., :-1], axis=-1) * (0.5 * dx)
    if np.ndim(y) == 1 and np.ndim(x) == 1:
        return 0.5 * np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]))
    along = y if axis == -1 else np.moveaxis(y, axis, -1)
    places = x if axis == -1 or np.ndim(x) == 1 else np.moveaxis(x, axis, -1)
    return 0.5 * np.sum((places[..., 1:] - places[..., :-1]) * (along[..., 1:] + along[..., :-1]), axis=-1)


zero(np.any, np.all, np.argmax, np.argmin, np.count_nonzero)
zero(kernels.shares, kernels.reduced_size, kernels.broadcast_shape)


@adjoint(np.add.reduceat)
def add_reduceat(y, array, indices, axis=0):
    d[array] = kernels.segment_sums_adjoint(d[y], array, indices, axis)


@adjoint(kernels.segment_sums_adjoint)
def segment_sums_adjoint(y, g, a, indices, axis):
    d[g] = np.add.reduceat(d[y], indices, axis)


linear(np.add.reduceat, kernels.segment_sums_adjoint)
