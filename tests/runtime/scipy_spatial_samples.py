"""Sample points for the definitions of `scipy.spatial`, of the form of `samples`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import spatial
from scipy.spatial import distance

from srcad.runtime import kernels
from tests.runtime.sample_points import ABOVE, ANY, POSITIVE, ROW, SYMMETRIC, Sample, s

k = kernels.scipy
_random = np.random.default_rng(2)  # of its own: the points of other modules stay


def normal(*shape: int) -> np.ndarray:
    return _random.normal(size=shape)


POINTS, OTHERS, WEIGHTS = normal(5, 3), normal(4, 3), POSITIVE[:3]
VARIANCES = ABOVE[:3]
BY_NAME = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "cosine", "correlation", "canberra", "braycurtis")
SHARES = np.abs(POINTS) / np.sum(np.abs(POINTS), axis=1, keepdims=True)

SAMPLES: dict[Any, list[Sample]] = {}

_OF_PAIRS = [
    *({"metric": name} for name in (*BY_NAME, "minkowski", "seuclidean")),
    *({"metric": name, "w": WEIGHTS} for name in (*BY_NAME, "minkowski")),
    *({"metric": "minkowski", "p": 3}, {"metric": "pnorm", "p": 1.5, "w": WEIGHTS}, {"metric": "mi", "p": np.inf}),
    *({"metric": "seuclidean", "V": VARIANCES}, {"metric": "mahalanobis", "VI": SYMMETRIC}),
]

DEFINED: dict[Any, list[Sample]] = {
    distance.cdist: [
        *(s(POINTS, OTHERS, **given) for given in _OF_PAIRS),
        s(SHARES, SHARES + 0.3 * np.arange(3.0), "js"),
    ],
    distance.pdist: [*(s(POINTS, **given) for given in _OF_PAIRS), s(POINTS, "mahal"), s(SHARES, "jensenshannon")],
    distance.squareform: [s(normal(6)), s(distance.squareform(POSITIVE[:3]), checks=False), s(normal(0))],
    **{getattr(distance, name): [s(ANY, ROW), s(ANY, ROW, POSITIVE)] for name in BY_NAME},
    distance.hamming: [s(np.round(ANY), np.round(ROW)), s(np.round(ANY), np.round(ROW), POSITIVE, fixed=(0, 1))],
    distance.minkowski: [
        *(s(ANY, ROW, 3), s(ANY, ROW, 1.5, POSITIVE), s(ANY, ROW, np.inf, fixed=(2,))),
        s(ANY, ROW, np.inf, POSITIVE, fixed=(2, 3)),
    ],
    distance.seuclidean: [s(ANY, ROW, POSITIVE)],
    distance.mahalanobis: [s(ANY[:3], ROW[:3], SYMMETRIC)],
    distance.jensenshannon: [s(POSITIVE, ABOVE), s(POSITIVE, ABOVE, 2.0), s(SHARES, SHARES[::-1], axis=1)],
    spatial.minkowski_distance_p: [s(POINTS[:4], OTHERS), s(POINTS[:4], OTHERS, 3.0), s(ANY, ROW, np.inf, fixed=(2,))],
    spatial.minkowski_distance: [s(POINTS[:4], OTHERS), s(ANY, ROW, 3.0), s(ANY, ROW, np.inf, fixed=(2,))],
    spatial.distance_matrix: [s(POINTS, OTHERS), s(POINTS, OTHERS, 3.0)],
}

DISCRETE = {k.first_of_pairs, k.second_of_pairs, k.places_in_square}
