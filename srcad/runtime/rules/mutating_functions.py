"""Definitions of NumPy functions that write into their first argument, in terms of stores."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, effect, linear, zero


@effect(np.add.at)
def add_at(a, indices, b):
    a[...] = kernels.added_at(a, indices, b)


@effect(np.subtract.at)
def subtract_at(a, indices, b):
    a[...] = kernels.added_at(a, indices, -b)


@effect(np.multiply.at)
def multiply_at(a, indices, b):
    if np.ndim(a) != 1:
        raise NotImplementedError("np.multiply.at of an array of several dimensions: write a loop")
    places = kernels.places(indices)
    values = np.broadcast_to(b, places.shape)
    for k in range(places.size):
        a[places[k]] = a[places[k]] * values[k]


@effect(np.divide.at)
def divide_at(a, indices, b):
    if np.ndim(a) != 1:
        raise NotImplementedError("np.divide.at of an array of several dimensions: write a loop")
    places = kernels.places(indices)
    values = np.broadcast_to(b, places.shape)
    for k in range(places.size):
        a[places[k]] = a[places[k]] / values[k]


@effect(np.power.at)
def power_at(a, indices, b):
    if np.ndim(a) != 1:
        raise NotImplementedError("np.power.at of an array of several dimensions: write a loop")
    places = kernels.places(indices)
    values = np.broadcast_to(b, places.shape)
    for k in range(places.size):
        a[places[k]] = a[places[k]] ** values[k]


@effect(np.maximum.at)
def maximum_at(a, indices, b):
    if np.ndim(a) != 1:
        raise NotImplementedError("np.maximum.at of an array of several dimensions: write a loop")
    places = kernels.places(indices)
    values = np.broadcast_to(b, places.shape)
    for k in range(places.size):
        a[places[k]] = np.maximum(a[places[k]], values[k])


@effect(np.minimum.at)
def minimum_at(a, indices, b):
    if np.ndim(a) != 1:
        raise NotImplementedError("np.minimum.at of an array of several dimensions: write a loop")
    places = kernels.places(indices)
    values = np.broadcast_to(b, places.shape)
    for k in range(places.size):
        a[places[k]] = np.minimum(a[places[k]], values[k])


@effect(np.negative.at)
def negative_at(a, indices):
    if np.ndim(a) != 1:
        raise NotImplementedError("np.negative.at of an array of several dimensions: write a loop")
    places = kernels.places(indices)
    for k in range(places.size):
        a[places[k]] = -a[places[k]]


@effect(np.put)
def put(a, ind, v):
    if a.ndim != 1:
        raise NotImplementedError("np.put into an array of several dimensions: write `a[i, j] = v`")
    places = np.ravel(np.asarray(ind))
    values = np.broadcast_to(v, places.shape)
    for k in range(places.size):
        a[places[k]] = values[k]


@effect(np.place)
def place(arr, mask, vals):
    # Values are repeated if the mask is true more often than there are values.
    values = np.ravel(np.asarray(vals))
    arr[mask] = values[np.arange(np.count_nonzero(mask)) % values.size]


@effect(np.putmask)
def putmask(a, mask, values):
    if np.size(values) != 1 and np.shape(values) != a.shape:
        raise NotImplementedError("np.putmask with values of another shape: write `a[mask] = values`")
    a[...] = np.where(mask, values, a)


@effect(np.fill_diagonal)
def fill_diagonal(a, val):
    if a.ndim != 2:
        raise NotImplementedError("np.fill_diagonal of other arrays than matrices: write a loop")
    length = min(a.shape[0], a.shape[1])
    values = np.broadcast_to(val, (length,))
    for i in range(length):
        a[i, i] = values[i]


@effect(np.put_along_axis)
def put_along_axis(arr, indices, values, axis):
    arr[...] = kernels.put_along(arr, indices, values, axis)


@adjoint(kernels.put_along)
def put_along(y, a, indices, values, axis):
    d[a] = kernels.put_along(d[y], indices, 0.0, axis)
    d[values] = kernels.unbroadcast(kernels.put_along_adjoint(d[y], indices, axis), values)


@adjoint(kernels.put_along_adjoint)
def put_along_adjoint(y, g, indices, axis):
    d[g] = kernels.put_along(np.zeros_like(g), indices, d[y], axis)


@adjoint(kernels.added_at)
def added_at(y, a, index, b):
    d[a] = d[y]
    d[b] = kernels.unbroadcast(d[y][index], b)


zero(kernels.places)
linear(kernels.added_at, kernels.put_along, kernels.put_along_adjoint)
