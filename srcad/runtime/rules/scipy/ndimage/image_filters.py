"""Definitions of the filters of `scipy.ndimage`: an array that is extended at its border, and a correlation.

A filter that is a product of filters along axes is one after the other, as SciPy computes it. A rank filter sorts what
lies around each element; among elements that are equal, the largest and the smallest share their derivative equally.
"""

from __future__ import annotations

import numpy as np
import scipy.ndimage
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear, tangent, zero
from srcad.runtime.rulebook.theorems import NoRule

NO_OUTPUT = NoRule("a filter with `output`", "use the result of the call")
_INTEGERS = "scipy.ndimage: an image of integers, of which the result holds integers: convert it by astype(float)"


@adjoint(kernels.scipy.extended)
def extended(y, a, axis, before, after, mode, cval):
    d[a] = kernels.scipy.folded(d[y], axis, a.shape[axis], before, after, mode)
    d[cval] = np.sum(d[y] * kernels.scipy.border(a.shape, axis, before, after, mode))


@tangent(kernels.scipy.extended)
def extended_tangent(y, a, axis, before, after, mode, cval):
    d[y] = (
        kernels.scipy.extended(d[a], axis, before, after, mode, 0.0)
        + kernels.scipy.border(a.shape, axis, before, after, mode) * d[cval]
    )


@adjoint(kernels.scipy.folded)
def folded(y, g, axis, size, before, after, mode):
    d[g] = kernels.scipy.extended(d[y], axis, before, after, mode, 0.0)


@adjoint(kernels.scipy.correlated_along)
def correlated_along(y, a, w, axis):
    d[a] = kernels.scipy.convolved_along(d[y], w, axis)
    d[w] = kernels.scipy.products_along(a, d[y], axis, w.shape[0])


@tangent(kernels.scipy.correlated_along)
def correlated_along_tangent(y, a, w, axis):
    d[y] = kernels.scipy.correlated_along(d[a], w, axis) + kernels.scipy.correlated_along(a, d[w], axis)


@adjoint(kernels.scipy.convolved_along)
def convolved_along(y, g, w, axis):
    d[g] = kernels.scipy.correlated_along(d[y], w, axis)
    d[w] = kernels.scipy.products_along(d[y], g, axis, w.shape[0])


@tangent(kernels.scipy.convolved_along)
def convolved_along_tangent(y, g, w, axis):
    d[y] = kernels.scipy.convolved_along(d[g], w, axis) + kernels.scipy.convolved_along(g, d[w], axis)


@adjoint(kernels.scipy.products_along)
def products_along(y, a, g, axis, count):
    d[a] = kernels.scipy.convolved_along(g, d[y], axis)
    d[g] = kernels.scipy.correlated_along(a, d[y], axis)


@tangent(kernels.scipy.products_along)
def products_along_tangent(y, a, g, axis, count):
    d[y] = kernels.scipy.products_along(d[a], g, axis, count) + kernels.scipy.products_along(a, d[g], axis, count)


linear(kernels.scipy.folded)
zero(
    kernels.scipy.border,
    kernels.scipy.is_integral,
    kernels.scipy.gaussian_radius,
    kernels.scipy.neighbours,
    kernels.scipy.place_of_axis,
)
zero(kernels.scipy.with_axes, kernels.scipy.rank_among)


@inlined
def _image(input, output):
    """The array of a call."""
    if output is not None:
        NO_OUTPUT()
    image = np.asarray(input)
    if kernels.scipy.is_integral(image):
        raise NotImplementedError(_INTEGERS)
    return image


@inlined
def _of_axis(value, k, count):
    """What a parameter is for the k-th of the axes: its k-th element, or the one that it has."""
    each = np.atleast_1d(np.asarray(value))
    return each[kernels.scipy.place_of_axis(each.shape[0], k, count)]


@inlined
def _name_of_axis(mode, k):
    """The mode of the k-th of the axes."""
    return mode[k] if isinstance(mode, (tuple, list)) else mode


@inlined
def _line(image, weights, axis, mode, cval, origin):
    """The correlation with weights along an axis."""
    before = weights.shape[0] // 2 + origin
    around = kernels.scipy.extended(image, axis, before, weights.shape[0] - 1 - before, mode, cval)
    return kernels.scipy.correlated_along(around, weights, axis)


@inlined
def _weights(weights):
    """Weights as floating point numbers."""
    return 1.0 * np.asarray(weights)


@inlined
def _weights_beside(weights, image):
    """Weights with which an image stays of its type, unless they are complex."""
    factors = _weights(weights)
    return factors if np.iscomplexobj(factors) else np.astype(factors, image.dtype)


@define(scipy.ndimage.correlate1d)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _line(_image(input, output), np.conjugate(_weights(weights)), axis, mode, cval, origin)


@define(scipy.ndimage.convolve1d)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    turned = _weights(weights)[::-1]
    shift = -origin if turned.shape[0] % 2 == 1 else -origin - 1
    return _line(_image(input, output), turned, axis, mode, cval, shift)


@inlined
def _check_order(image, axes):
    """SciPy pairs axes in another order than that of the array with some of the parameters, but not with all."""
    for k in range(1, kernels.scipy.axes_count(np.ndim(image), None, axes)):
        before = kernels.scipy.axis_number(np.ndim(image), None, axes, k - 1) % np.ndim(image)
        if before > kernels.scipy.axis_number(np.ndim(image), None, axes, k) % np.ndim(image):
            raise NotImplementedError("axes in another order than that of the array: give them in that order")


@inlined
def _around(image, shape, mode, cval, origin, is_turned, axes):
    """The image, extended by what a window of a shape needs."""
    around = image
    count = kernels.scipy.axes_count(np.ndim(image), None, axes)
    for k in range(count):
        axis = kernels.scipy.axis_number(np.ndim(image), None, axes, k)
        before = shape[k] // 2 + _of_axis(origin, k, count)
        if is_turned:
            before = (shape[k] - 1) // 2 - _of_axis(origin, k, count)
        around = kernels.scipy.extended(around, axis, before, shape[k] - 1 - before, mode, cval)
    return around


@inlined
def _in_all_axes(weights, image, axes):
    """Weights with an axis of extent 1 for each axis that the filter leaves alone."""
    if axes is None:
        return weights
    return np.reshape(weights, kernels.scipy.with_axes(weights.shape, np.ndim(image), axes))


@define(scipy.ndimage.correlate)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    image = _image(input, output)
    factors = np.conjugate(_weights_beside(weights, image))
    _check_order(image, axes)
    around = _around(image, factors.shape, mode, cval, origin, False, axes)
    return kernels.scipy.correlation(around, _in_all_axes(factors, image, axes), "direct")


@define(scipy.ndimage.convolve)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    image = _image(input, output)
    factors = np.flip(_weights_beside(weights, image))
    _check_order(image, axes)
    around = _around(image, factors.shape, mode, cval, origin, True, axes)
    return kernels.scipy.correlation(around, _in_all_axes(factors, image, axes), "direct")


@inlined
def _gaussian(sigma, order, radius):
    """The derivative of an order of a normalised Gaussian, in reversed order: Hermite's polynomial times it."""
    z = np.arange(-radius, radius + 1) / sigma
    density = np.exp(-0.5 * z * z)
    return scipy.special.eval_hermitenorm(order, z) / sigma**order * (density / np.sum(density))


@inlined
def _gaussian_line(image, sigma, axis, order, mode, cval, truncate, radius):
    reach = kernels.scipy.gaussian_radius(sigma, truncate) if radius is None else radius
    return _line(image, _gaussian(sigma, order, reach), axis, mode, cval, 0)


@define(scipy.ndimage.gaussian_filter1d)
def gaussian_filter1d(
    input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None
):
    return _gaussian_line(_image(input, output), sigma, axis, order, mode, cval, truncate, radius)


@inlined
def _smoothed(image, sigma, order, mode, cval, truncate, radius, axes, special, at_special):
    """The Gaussian filter along axes; along the one with a number, the derivative of another order."""
    y = image
    count = kernels.scipy.axes_count(np.ndim(image), None, axes)
    for k in range(count):
        width = _of_axis(sigma, k, count)
        if width > 1e-15:
            axis = kernels.scipy.axis_number(np.ndim(image), None, axes, k)
            degree = at_special if k == special else _of_axis(order, k, count)
            reach = None if radius is None else _of_axis(radius, k, count)
            y = _gaussian_line(y, width, axis, degree, _name_of_axis(mode, k), cval, truncate, reach)
    return y


@define(scipy.ndimage.gaussian_filter)
def gaussian_filter(
    input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None, axes=None
):
    return _smoothed(_image(input, output), sigma, order, mode, cval, truncate, radius, axes, -1, 0)


@define(scipy.ndimage.gaussian_laplace)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, truncate=4.0, radius=None):
    image = _image(input, output)
    _check_order(image, axes)
    total = np.zeros_like(image)
    count = kernels.scipy.axes_count(np.ndim(image), None, axes)
    for k in range(count):
        total = total + _smoothed(image, sigma, 0, _name_of_axis(mode, k), cval, truncate, radius, axes, k, 2)
    return total


@define(scipy.ndimage.gaussian_gradient_magnitude)
def gaussian_gradient_magnitude(
    input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, truncate=4.0, radius=None
):
    image = _image(input, output)
    total = np.zeros_like(image)
    count = kernels.scipy.axes_count(np.ndim(image), None, axes)
    for k in range(count):
        axis = kernels.scipy.axis_number(np.ndim(image), None, axes, k)
        slope = _smoothed(
            image, sigma, 0, _name_of_axis(mode, k), cval, truncate, radius, None, axis % np.ndim(image), 1
        )
        total = total + slope * slope
    return kernels.root(total)


@define(scipy.ndimage.uniform_filter1d)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    return _line(_image(input, output), np.ones(size) / size, axis, mode, cval, origin)


@define(scipy.ndimage.uniform_filter)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    image = _image(input, output)
    y = image
    count = kernels.scipy.axes_count(np.ndim(image), None, axes)
    for k in range(count):
        axis = kernels.scipy.axis_number(np.ndim(image), None, axes, k)
        extent = _of_axis(size, k, count)
        if extent > 1:
            y = _line(y, np.ones(extent) / extent, axis, _name_of_axis(mode, k), cval, _of_axis(origin, k, count))
    return y


@inlined
def _slope(image, axis, mode, cval, across):
    """The central difference along an axis, smoothed along all others."""
    first = axis % np.ndim(image)
    y = _line(image, np.array([-1.0, 0.0, 1.0]), first, _name_of_axis(mode, first), cval, 0)
    for k in range(np.ndim(image)):
        if k != first:
            y = _line(y, np.array([1.0, across, 1.0]), k, _name_of_axis(mode, k), cval, 0)
    return y


@define(scipy.ndimage.sobel)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _slope(_image(input, output), axis, mode, cval, 2.0)


@define(scipy.ndimage.prewitt)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0):
    return _slope(_image(input, output), axis, mode, cval, 1.0)


@define(scipy.ndimage.laplace)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None):
    image = _image(input, output)
    total = np.zeros_like(image)
    count = kernels.scipy.axes_count(np.ndim(image), None, axes)
    for k in range(count):
        axis = kernels.scipy.axis_number(np.ndim(image), None, axes, k)
        total = total + _line(image, np.array([1.0, -2.0, 1.0]), axis, _name_of_axis(mode, k), cval, 0)
    return total


@inlined
def _windows(image, size, footprint, mode, cval, origin, axes):
    """What lies around each element: a column for each element, a row for each place of the window."""
    places = kernels.scipy.neighbours(image.shape, size, footprint, mode, origin, axes)
    return np.concatenate((np.ravel(image), np.full(1, cval)))[places]


@define(scipy.ndimage.maximum_filter)
def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    image = _image(input, output)
    return np.reshape(np.max(_windows(image, size, footprint, mode, cval, origin, axes), axis=0), image.shape)


@define(scipy.ndimage.minimum_filter)
def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    image = _image(input, output)
    return np.reshape(np.min(_windows(image, size, footprint, mode, cval, origin, axes), axis=0), image.shape)


@define(scipy.ndimage.maximum_filter1d)
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    image = _image(input, output)
    return np.reshape(np.max(_windows(image, size, None, mode, cval, origin, (axis,)), axis=0), image.shape)


@define(scipy.ndimage.minimum_filter1d)
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    image = _image(input, output)
    return np.reshape(np.min(_windows(image, size, None, mode, cval, origin, (axis,)), axis=0), image.shape)


@inlined
def _ranked(image, rank, is_share, size, footprint, mode, cval, origin, axes):
    """The element of a rank, or of a percentage, of what lies around each element."""
    around = np.sort(_windows(image, size, footprint, mode, cval, origin, axes), axis=0)
    return np.reshape(around[kernels.scipy.rank_among(around.shape[0], rank, is_share)], image.shape)


@define(scipy.ndimage.rank_filter)
def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _ranked(_image(input, output), rank, False, size, footprint, mode, cval, origin, axes)


@define(scipy.ndimage.percentile_filter)
def percentile_filter(
    input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None
):
    return _ranked(_image(input, output), percentile, True, size, footprint, mode, cval, origin, axes)


@define(scipy.ndimage.median_filter)
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None):
    return _ranked(_image(input, output), 50.0, True, size, footprint, mode, cval, origin, axes)
