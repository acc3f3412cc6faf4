"""Sample points for the definitions of `scipy.stats`, of the form of `samples`, which contains them all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import definition
from srcad.runtime.rules.scipy.stats.formulas import CONTINUOUS, DISCRETE
from tests.runtime.sample_points import MATRIX, SYMMETRIC, Sample, s

SHAPES = {"a": 1.7, "b": 2.3, "df": 3.4, "s": 0.7, "c": 1.6, "kappa": 1.2, "n": 7, "p": 0.3, "mu": 2.2}
METHODS = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "logpmf", "pmf")
POINTS = np.array([-3.0, -0.2, 0.0, 0.3, 0.5, 1.0, 1.7, 2.0, 9.0])
COUNTS, PROBABILITIES = np.arange(-1, 9), np.array([0.05, 0.3, 0.9])
VECTORS = MATRIX[:, :3]


def shapes_of(name: str) -> tuple[float, ...]:
    """Shapes of a distribution, in SciPy's order."""
    if name == "truncnorm":
        return -0.7, 1.4
    shapes = getattr(stats, name).shapes
    return tuple(SHAPES[each] for each in shapes.split(", ")) if shapes else ()


def methods_of(name: str) -> list[str]:
    """The methods of a distribution that have definitions."""
    known = [each for each in METHODS if hasattr(getattr(stats, name), each)]
    return [each for each in known if definition(getattr(getattr(stats, name), each)) is not None]


def samples_of(name: str, method: str) -> list[Sample]:
    """Samples inside and outside of the support, with and without loc and scale."""
    x = PROBABILITIES if method in ("ppf", "isf") else COUNTS if name in DISCRETE else POINTS
    shapes = shapes_of(name)
    if name in DISCRETE:
        return [s(x, *shapes), s(x, *shapes, 1)]
    return [s(x, *shapes), s(x, *shapes, 0.5, 2.0), s(x, *shapes, scale=0.7)]


def invalid_samples_of(name: str, method: str) -> list[Sample]:
    """Samples with shapes, scales and probabilities that have no meaning: the result is nan."""
    (x, *shapes), *_ = (each.args for each in samples_of(name, method))
    wrong = [s(np.append(x, -1), *(-each for each in shapes))]
    return wrong if name in DISCRETE else [*wrong, s(x, *shapes, scale=-0.7)]


DEFINED: dict[Any, list[Sample]] = {
    **{
        getattr(getattr(stats, name), method): samples_of(name, method)
        for name in (*CONTINUOUS, *DISCRETE)
        for method in methods_of(name)
    },
    stats.multivariate_normal.logpdf: [s(VECTORS, VECTORS[0], SYMMETRIC), s(VECTORS[0], cov=SYMMETRIC)],
    stats.multivariate_normal.pdf: [s(VECTORS, VECTORS[0], SYMMETRIC)],
    stats.dirichlet.logpdf: [s(np.array([0.2, 0.5, 0.3]), np.array([1.5, 0.7, 2.0]))],
    stats.dirichlet.pdf: [s(np.array([[0.2, 0.1], [0.5, 0.6]]), np.array([1.5, 0.7, 2.0]))],
    kernels.scipy.normal_log_density: [s(VECTORS, SYMMETRIC)],
}
