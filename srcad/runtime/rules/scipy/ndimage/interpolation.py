"""Definitions of `scipy.ndimage`'s interpolation: weights of B-splines times coefficients of the raveled array.

Derivatives by coordinates are those of the spline: of order 0 they are 0, of order 1 those of the cell that the
coordinate lies in, or at a grid point, begins. Where the result is constant beyond the border, they are 0.
"""

from __future__ import annotations

import numpy as np
import scipy.ndimage

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, inlined, linear, partial, tangent, zero
from srcad.runtime.rules.scipy.ndimage.image_filters import _image


@partial(kernels.scipy.inside)
def inside(y, x, size, mode):
    return kernels.scipy.inside_slope(x, size, mode), None, None


@adjoint(kernels.scipy.uniform_spline)
def uniform_spline(y, t, order, derivative):
    d[t] = np.sum(d[y] * kernels.scipy.uniform_spline(t, order, derivative + 1), axis=0)


@tangent(kernels.scipy.uniform_spline)
def uniform_spline_tangent(y, t, order, derivative):
    d[y] = kernels.scipy.uniform_spline(t, order, derivative + 1) * d[t]


@adjoint(kernels.scipy.spline_coefficients)
def spline_coefficients(y, a, order, axis, mode):
    d[a] = kernels.scipy.spline_coefficients_transposed(d[y], order, axis, mode)


@adjoint(kernels.scipy.spline_coefficients_transposed)
def spline_coefficients_transposed(y, g, order, axis, mode):
    d[g] = kernels.scipy.spline_coefficients(d[y], order, axis, mode)


linear(kernels.scipy.spline_coefficients, kernels.scipy.spline_coefficients_transposed)
zero(kernels.scipy.inside_slope, kernels.scipy.spline_places, kernels.scipy.transform_mode)
zero(kernels.scipy.extents, kernels.scipy.zoomed_shape, kernels.scipy.pixel_coordinates)
zero(kernels.scipy.rotated_shape, kernels.scipy.is_homogeneous)


@inlined
def _filtered(image, order, mode):
    """The coefficients of the spline along all axes."""
    y = image
    if order > 1:
        for axis in range(np.ndim(image)):
            y = kernels.scipy.spline_coefficients(y, order, axis, mode)
    return y


@inlined
def _padded(image, mode, cval):
    """The array with a border, where SciPy's filter is exact for no infinite one."""
    y = image
    if mode in ("nearest", "grid-constant"):
        for axis in range(np.ndim(image)):
            y = kernels.scipy.extended(y, axis, 12, 12, mode, cval)
    return y


@inlined
def _sampled(image, coordinates, order, mode, cval, prefilter):
    """The spline at coordinates, a row for each axis."""
    if prefilter and order > 1:
        coefficients = _filtered(_padded(image, mode, cval), order, mode)
        shift = 0.5 * (coefficients.shape[0] - image.shape[0])
    else:
        coefficients = image
        shift = 0.0
    number = kernels.scipy.transform_mode(mode)
    x = kernels.scipy.inside(coordinates + shift, kernels.scipy.extents(coefficients.shape), number)
    half = 0.5 * (1 - order % 2)
    weights = kernels.scipy.uniform_spline(x - np.floor(x + half) + half, order, 0)
    count = x.shape[1]
    if np.ndim(image) == 1:
        product = weights[:, 0, :]
    elif np.ndim(image) == 2:
        product = np.reshape(weights[:, None, 0, :] * weights[None, :, 1, :], (-1, count))
    elif np.ndim(image) == 3:
        plane = np.reshape(weights[:, None, 0, :] * weights[None, :, 1, :], (-1, 1, count))
        product = np.reshape(plane * weights[None, :, 2, :], (-1, count))
    else:
        raise NotImplementedError("scipy.ndimage: interpolation in more than three dimensions: do it by volumes")
    places = kernels.scipy.spline_places(x, coefficients.shape, order, number)
    around = np.concatenate((np.ravel(coefficients), np.full(1, 1.0 * cval)))
    return np.sum(product * np.take(around, places), axis=0)


@define(scipy.ndimage.spline_filter1d)
def spline_filter1d(input, order=3, axis=-1, output=np.float64, mode="mirror"):
    image = _image(input, None)
    return kernels.scipy.spline_coefficients(image, order, axis, mode)


@define(scipy.ndimage.spline_filter)
def spline_filter(input, order=3, output=np.float64, mode="mirror"):
    return _filtered(_image(input, None), order, mode)


@define(scipy.ndimage.map_coordinates)
def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    image, places = _image(input, output), 1.0 * np.asarray(coordinates)
    rows = np.reshape(places, (places.shape[0], -1))
    return np.reshape(_sampled(image, rows, order, mode, cval, prefilter), places.shape[1:])


@define(scipy.ndimage.shift)
def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True):
    image = _image(input, output)
    steps = np.reshape(np.asarray(shift) * np.ones(np.ndim(image)), (-1, 1))
    rows = kernels.scipy.pixel_coordinates(image.shape) - steps
    return np.reshape(_sampled(image, rows, order, mode, cval, prefilter), image.shape)


@define(scipy.ndimage.zoom)
def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False):
    image = _image(input, output)
    shape = kernels.scipy.zoomed_shape(image.shape, zoom)
    less = 0.0 if grid_mode else 1.0
    old, new = kernels.scipy.extents(image.shape) - less, kernels.scipy.extents(shape) - less
    scale = np.where(new == 0.0, 1.0, old / np.where(new == 0.0, 1.0, new))
    rows = kernels.scipy.pixel_coordinates(shape) * scale
    if grid_mode:
        rows = (kernels.scipy.pixel_coordinates(shape) + 0.5) * scale - 0.5
    return np.reshape(_sampled(image, rows, order, mode, cval, prefilter), shape)


@inlined
def _affine(image, matrix, offset, shape, order, mode, cval, prefilter):
    """The spline at an affine function of the places of the result."""
    rows = kernels.scipy.pixel_coordinates(shape)
    if np.ndim(matrix) == 1:
        places = np.reshape(matrix, (-1, 1)) * rows + np.reshape(offset, (-1, 1))
    else:
        places = matrix @ rows + np.reshape(offset, (-1, 1))
    return np.reshape(_sampled(image, places, order, mode, cval, prefilter), shape)


@define(scipy.ndimage.affine_transform)
def affine_transform(
    input,
    matrix,
    offset=0.0,
    output_shape=None,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    image, factors = _image(input, output), 1.0 * np.asarray(matrix)
    shape = image.shape if output_shape is None else output_shape
    begin = np.asarray(offset) * np.ones(np.ndim(image))
    if np.ndim(factors) == 2:  # noqa: SIM102  # the second test is for matrices
        if kernels.scipy.is_homogeneous(factors, np.ndim(image)):
            begin = factors[: np.ndim(image), np.ndim(image)]
            factors = factors[: np.ndim(image), : np.ndim(image)]
    return _affine(image, factors, begin, shape, order, mode, cval, prefilter)


@define(scipy.ndimage.rotate)
def rotate(
    input,
    angle,
    axes=(1, 0),
    reshape=True,
    output=None,
    order=3,
    mode="constant",
    cval=0.0,
    prefilter=True,
):
    image = _image(input, output)
    if np.ndim(image) != 2:
        raise NotImplementedError("scipy.ndimage.rotate of an array that is no matrix: rotate plane by plane")
    turn = angle * 0.017453292519943295
    cosine, sine = np.cos(turn), np.sin(turn)
    matrix = np.array([[cosine, sine], [-sine, cosine]])
    shape = kernels.scipy.rotated_shape(image.shape, angle) if reshape else image.shape
    middle = 0.5 * (kernels.scipy.extents(shape)[:, 0] - 1.0)
    offset = 0.5 * (kernels.scipy.extents(image.shape)[:, 0] - 1.0) - matrix @ middle
    return _affine(image, matrix, offset, shape, order, mode, cval, prefilter)
