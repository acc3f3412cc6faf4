"""Sample points for the definitions of `scipy.ndimage`, of the form of `samples`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import ndimage

from srcad.runtime import kernels
from tests.runtime.sample_points import ANY, CUBE, MATRIX, Sample, normal, s

k = kernels.scipy
LINE, IMAGE, SHORT, SMALL, LONG = normal(7), normal(5, 6), normal(3), normal(2, 3), normal(9)
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
    ndimage.rank_filter: [s(IMAGE, -2, (2, 3)), s(IMAGE, 1, 2)],
    ndimage.percentile_filter: [s(IMAGE, 20, 3), s(IMAGE, -30, 3)],
}  # fmt: skip

DISCRETE = {
    *(k.border, k.is_integral, k.gaussian_radius, k.neighbours, k.place_of_axis, k.with_axes, k.rank_among),
}
