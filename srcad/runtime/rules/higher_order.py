"""Definitions of functions that call a user's function for each element or row, as loops."""

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.kernels.arrays.order_and_selection import BY_KEY
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear

for each in BY_KEY:
    inlined(each)


@inlined
def rank(array):  # of a name of its own for each array, by which the compiler decides branches
    return np.ndim(array)


@define(kernels.mapped_over)
def mapped_over(pyfunc, *arrays):
    if max([rank(each) for each in arrays]) == 0:  # Numba cannot broadcast to no dimensions
        return pyfunc(*[kernels.only_element(each) for each in arrays])
    if len(arrays) == 1:
        shape = np.shape(arrays[0])
        rows = [np.ravel(arrays[0])]
    else:
        shape = np.shape(sum([np.asarray(each) for each in arrays]))
        rows = [np.ravel(np.broadcast_to(each, shape)) for each in arrays]
    values = [pyfunc(*[row[k] for row in rows]) for k in range(len(rows[0]))]
    return np.reshape(np.array(values), shape)


@define(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    place = axis + np.ndim(arr) if axis < 0 else axis
    turned = np.moveaxis(arr, place, -1)
    around = turned.shape[:-1]
    rows = np.reshape(np.ascontiguousarray(turned), (-1, turned.shape[-1]))
    values = np.array([func1d(rows[k], *args, **kwargs) for k in range(rows.shape[0])])
    found = np.reshape(values, around + values.shape[1:])
    return kernels.axes_moved(found, len(around), place)


@adjoint(kernels.axes_moved)
def axes_moved(y, values, first, place):
    d[values] = kernels.axes_moved_back(d[y], values, first, place)


linear(kernels.axes_moved)
