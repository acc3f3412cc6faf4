"""Sample points for the definitions of `scipy.ndimage`, of the form of `samples`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcad.runtime import kernels
from tests.runtime.sample_points import ANY, CUBE, MATRIX, POSITIVE, SQUARE, Sample, s

k = kernels.scipy
_random = np.random.default_rng(1)  # of its own: the points of other modules stay


def normal(*shape: int) -> np.ndarray:
    return _random.normal(size=shape)


def between(low: float, high: float, *shape: int) -> np.ndarray:
    return _random.uniform(low, high, size=shape)


LINE, IMAGE, SHORT, SMALL, LONG = normal(7), normal(5, 6), normal(3), normal(2, 3), normal(9)
PLACES, INNER = 3.0 * normal(2, 5), between(0.05, 0.95, 2, 3)
MODES = ("reflect", "constant", "nearest", "mirror", "wrap", "grid-constant")

SAMPLES: dict[Any, list[Sample]] = {
    k.extended: [
        *(s(LINE, 0, 9, 2, mode, 0.7) for mode in MODES),
        *(s(IMAGE, axis, 1, 2, "constant", 0.7) for axis in (0, 1, -2)),
        *(s(CUBE, 1, 2, 1, "reflect", 0.0, fixed=(5,)), s(ANY[:1], 0, 2, 2, "mirror", 0.0, fixed=(5,))),
    ],
    k.folded: [*(s(LINE, 0, 4, 1, 2, mode) for mode in MODES), s(CUBE, 1, 2, 0, 1, "wrap")],
    k.correlated_along: [s(LINE, SHORT, 0), s(IMAGE, SHORT, 0), s(CUBE, SHORT[:2], 1)],
    k.convolved_along: [s(LINE, SHORT, 0), s(IMAGE, SHORT, -1), s(CUBE, LINE, 1)],
    k.inside: [s(normal(9) * 5.0, 3.0, mode, fixed=(1,)) for mode in (1, 2, 3, 4, 5)],
    k.uniform_spline: [s(INNER, order, derivative) for order, derivative in ((0, 0), (1, 0), (3, 0), (3, 2), (5, 1))],
    **{each: [*(s(LINE, 3, 0, mode) for mode in ("mirror", "reflect", "grid-wrap")), s(IMAGE, 5, 0, "nearest"),
              s(CUBE, 2, 1, "mirror"), s(normal(70), 4, 0, "mirror"), s(normal(1, 3), 3, 0, "reflect")]
       for each in (k.spline_coefficients, k.spline_coefficients_transposed)},
    k.products_along: [s(LINE, LINE[:5], 0, 3), s(IMAGE, IMAGE[:3], 0, 3), s(CUBE, CUBE[..., :2], 2, 3)],
}  # fmt: skip

DEFINED: dict[Any, list[Sample]] = {
    **{each: [*(s(IMAGE, SHORT, 0, None, mode, 0.7) for mode in MODES), s(LINE, LONG, mode="mirror"),
              *(s(LINE, ANY, origin=origin) for origin in (-2, 1)), s(CUBE, SHORT, 1)]
       for each in (ndimage.correlate1d, ndimage.convolve1d)},
    **{each: [*(s(IMAGE, SMALL, None, mode, 0.7) for mode in MODES), s(LINE, LONG), s(CUBE, CUBE, origin=(0, 1, -1)),
              s(IMAGE, SMALL, mode="wrap", origin=-1)]
       for each in (ndimage.correlate, ndimage.convolve)},
    ndimage.gaussian_filter1d: [s(LINE, 1.3), s(IMAGE, 0.8, 0, 2, mode="nearest"), s(IMAGE, 0.8, radius=1)],
    ndimage.gaussian_filter: [
        *(s(IMAGE, 1.2), s(IMAGE, ANY[:2] ** 2 + 0.5, (1, 0)), s(CUBE, 0.9, 3), s(IMAGE, 0.0, fixed=(1,))),
        *(s(IMAGE, 1.2, 0, None, ("wrap", "constant"), 0.7), s(IMAGE, 1.2, radius=(1, 2), truncate=2.0)),
    ],
    ndimage.gaussian_laplace: [s(IMAGE, 1.2), s(IMAGE, ANY[:2] ** 2 + 0.5, mode=("wrap", "mirror"))],
    ndimage.gaussian_gradient_magnitude: [s(IMAGE, 1.2), s(IMAGE, 1.2, truncate=2.0)],
    ndimage.uniform_filter1d: [s(IMAGE + 5.0, 4, 0), s(IMAGE + 5.0, 3, mode="mirror", origin=1)],
    ndimage.uniform_filter: [s(IMAGE + 5.0), s(IMAGE + 5.0, (2, 3), origin=(-1, 1)), s(CUBE + 5.0, (1, 2, 3))],
    **{each: [s(IMAGE), s(IMAGE, 0, None, "constant", 0.7), s(CUBE, 1, mode=("wrap", "nearest", "mirror"))]
       for each in (ndimage.sobel, ndimage.prewitt)},
    ndimage.laplace: [s(IMAGE), s(MATRIX, None, "constant", 0.7), s(CUBE, mode=("wrap", "nearest", "mirror"))],
    **{each: [s(IMAGE, 3), s(IMAGE, (2, 3), None, None, "constant", 0.0, (-1, 0), fixed=(5,)),
              s(IMAGE, footprint=np.array([[1, 0], [1, 1]])), s(CUBE, (2, 1, 2), mode="wrap")]
       for each in (ndimage.maximum_filter, ndimage.minimum_filter, ndimage.median_filter)},
    **{each: [s(IMAGE, 3), s(IMAGE, 2, 0, mode="mirror", origin=-1)]
       for each in (ndimage.maximum_filter1d, ndimage.minimum_filter1d)},
    ndimage.spline_filter1d: [s(LINE), s(IMAGE, 2, 0, mode="reflect")],
    ndimage.spline_filter: [s(IMAGE), s(LINE, 4)],
    ndimage.map_coordinates: [
        *(s(IMAGE, PLACES, None, order, mode, 0.7) for order, mode in zip((0, 1, 2, 3, 1, 3), MODES, strict=True)),
        *(s(IMAGE, PLACES, None, 3, mode, 0.7, prefilter=False) for mode in MODES),
        *(s(LINE, PLACES[:1], order=5, mode="grid-wrap"), s(CUBE, normal(3, 4) + 1.0, order=2, mode="mirror")),
    ],
    ndimage.shift: [s(IMAGE, 0.3, mode="mirror"), s(IMAGE, ANY[:2], None, 1, "constant", 0.7)],
    ndimage.zoom: [s(IMAGE + 9.0, 1.7, mode="nearest", fixed=(1,)), s(IMAGE, (0.6, 1.5), order=1, grid_mode=True,
                                                                mode="reflect")],
    ndimage.rotate: [s(IMAGE, 23.0, mode="mirror"), s(IMAGE, 200.0, reshape=False, order=1, mode="nearest")],
    ndimage.affine_transform: [s(IMAGE + 9.0, SQUARE[:2, :2], ANY[:2], mode="mirror"), s(LINE, ANY[:1], 0.3, order=2),
                               s(IMAGE, SQUARE[:2], order=1, mode="grid-wrap"),
                               s(IMAGE, POSITIVE[:2], 0.3, (3, 2), mode="reflect")],
    ndimage.rank_filter: [s(IMAGE, -2, (2, 3)), s(IMAGE, 1, 2)],
    ndimage.percentile_filter: [s(IMAGE, 20, 3), s(IMAGE, -30, 3)],
}  # fmt: skip

DISCRETE = {
    *(k.border, k.is_integral, k.gaussian_radius, k.neighbours, k.place_of_axis, k.with_axes, k.rank_among),
    *(k.inside_slope, k.spline_places, k.transform_mode, k.extents, k.zoomed_shape, k.pixel_coordinates),
    *(k.rotated_shape, k.is_homogeneous),
}
