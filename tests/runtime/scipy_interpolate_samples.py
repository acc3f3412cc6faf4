"""Sample points for the definitions of `scipy.interpolate`, of the form of `samples`.

What makes an interpolant is tested by programs (`test_scipy_interpolate`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from srcad.runtime import kernels
from tests.runtime.sample_points import ABOVE, ANY, MATRIX, POSITIVE, ROW, Sample, s

k = kernels.scipy
_random = np.random.default_rng(3)  # of its own: the points of other modules stay


def normal(*shape: int) -> np.ndarray:
    return _random.normal(size=shape)


def between(low: float, high: float, *shape: int) -> np.ndarray:
    return _random.uniform(low, high, size=shape)


POINTS = np.cumsum(POSITIVE)
WITHIN = between(POINTS[0], POINTS[-1], 5)
PLACES = np.stack((between(0.1, 1.9, 5), between(POINTS[0], POINTS[-1], 5)), axis=-1)

SAMPLES: dict[Any, list[Sample]] = {
    k.with_trailing_axes: [s(ANY, MATRIX, fixed=(1,)), s(MATRIX, ANY, fixed=(1,))],
    k.without_trailing_axes: [s(MATRIX[:, :1], ANY[:3], fixed=(1,)), s(ANY, ROW, fixed=(1,))],
    k.points_in_place: [
        *(s(MATRIX, MATRIX, 1, is_back, fixed=(1,)) for is_back in (False, True)),
        *(s(normal(2, 3, 4), normal(5, 4), -1, is_back, fixed=(1,)) for is_back in (False, True)),
        s(MATRIX, ANY, 0, is_back=False, fixed=(1,)),
    ],
    k.tridiagonal_solve: [
        s(ANY[:3], ABOVE + 1.5, ROW[:3], MATRIX.T),
        s(ABOVE[:3], ANY + 0.3, ROW[:3], MATRIX.T),
        s(ANY[:0], ABOVE[:1], ANY[:0], MATRIX[:1]),
    ],
}

DEFINED: dict[Any, list[Sample]] = {
    interpolate.pchip_interpolate: [s(POINTS, ANY, WITHIN), s(POINTS, ANY, WITHIN, 1)],
    interpolate.interpn: [
        s((np.arange(3.0), POINTS), MATRIX, PLACES, fixed=(0,)),
        s((np.arange(3.0), POINTS), normal(3, 4, 2), PLACES, "nearest", fixed=(0,)),
    ],
}

DISCRETE = {k.power_factors}
