"""Sample points for the definitions of `scipy.stats`, of the form of `samples`, which contains them all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import definition
from srcad.runtime.rules.scipy.stats.discrete_formulas import DISCRETE
from srcad.runtime.rules.scipy.stats.distributions import CONTINUOUS
from tests.runtime.sample_points import MATRIX, SYMMETRIC, Sample, s

SHAPES = {
    "lambda_": 0.6,
    "mu1": 1.5,
    "mu2": 2.5,
    "alpha": 1.4,
    "N": 5,
    "dfn": 3.2,
    "dfd": 5.5,
    "nu": 1.3,
    "beta": 1.6,
    "d": 1.9,
    "nc": 1.1,
    "K": 1.2,
    "a": 1.7,
    "b": 2.3,
    "df": 3.4,
    "s": 0.7,
    "c": 1.6,
    "kappa": 1.2,
    "n": 7,
    "p": 0.3,
    "mu": 2.2,
}
UNUSUAL = {
    "truncnorm": (-0.7, 1.4),
    "triang": (0.4,),
    "wrapcauchy": (0.4,),
    "skewcauchy": (0.4,),
    "norminvgauss": (2.3, 0.7),
    "genpareto": (-0.3,),
    "genextreme": (-0.3,),
}
METHODS = ("logpdf", "pdf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf", "logpmf", "pmf")
POINTS = np.array([-3.0, -0.2, 0.0, 0.3, 0.5, 1.0, 1.7, 2.0, 9.0])
COUNTS, PROBABILITIES = np.arange(-1, 9), np.array([0.05, 0.3, 0.9])
UNDERFLOWING = ("gompertz", "exponpow")  # where SciPy takes the logarithm of a probability that is 0 in floats
PERIODIC = ("vonmises",)  # SciPy warns of logarithms of probabilities outside of the first period
VECTORS = MATRIX[:, :3]
ALPHA, DRAWS = np.array([1.5, 0.7, 2.0]), np.array([[1, 2, 3], [6, 0, 0], [1, 1, 1]])
UNITS = np.array([[0.0, 0.0, 1.0], [0.0, 0.6, 0.8]])
POSITIVE_DEFINITE, FOUR = SYMMETRIC + np.eye(3), MATRIX.T @ MATRIX + np.eye(4)
TABLE = np.array([[0.3, 1.2, 0.7, 2.1], [1.0, 2.5, 0.5, 3.3], [0.8, 0.4, 1.9, 1.1]])


def shapes_of(name: str) -> tuple[float, ...]:
    """Shapes of a distribution, in SciPy's order."""
    if name in UNUSUAL:
        return UNUSUAL[name]
    shapes = getattr(stats, name).shapes
    return tuple(SHAPES[each] for each in shapes.split(", ")) if shapes else ()


def methods_of(name: str) -> list[str]:
    """The methods of a distribution that have definitions."""
    known = [each for each in METHODS if hasattr(getattr(stats, name), each)]
    return [each for each in known if definition(getattr(getattr(stats, name), each)) is not None]


def samples_of(name: str, method: str) -> list[Sample]:
    """Samples inside and outside of the support, with and without loc and scale."""
    points = POINTS[:5] if name in UNDERFLOWING else POINTS[1:7] if name in PERIODIC else POINTS
    x = PROBABILITIES if method in ("ppf", "isf") else COUNTS if name in DISCRETE else points
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
    stats.multivariate_normal.logpdf: [
        *(s(VECTORS, VECTORS[0], SYMMETRIC), s(VECTORS[0], cov=SYMMETRIC)),
        *(s(VECTORS, VECTORS[0], np.array([1.0, 2.0, 0.5])), s(VECTORS, VECTORS[0], 1.3)),
    ],
    stats.multivariate_normal.pdf: [s(VECTORS, VECTORS[0], SYMMETRIC)],
    stats.multivariate_t.logpdf: [s(VECTORS, VECTORS[0], SYMMETRIC, 3.4), s(VECTORS[0], shape=SYMMETRIC)],
    stats.multivariate_t.pdf: [s(VECTORS, VECTORS[0], SYMMETRIC, 3.4)],
    stats.dirichlet.logpdf: [s(np.array([0.2, 0.5, 0.3]), ALPHA)],
    stats.dirichlet.pdf: [s(np.array([[0.2, 0.1], [0.5, 0.6]]), ALPHA)],
    stats.multinomial.logpmf: [s(DRAWS, 6, np.array([0.2, 0.5, 0.3]))],
    stats.multinomial.pmf: [s(DRAWS, 6, np.array([0.2, 0.5, 0.3]))],
    stats.dirichlet_multinomial.logpmf: [s(DRAWS, ALPHA, 6)],
    stats.dirichlet_multinomial.pmf: [s(DRAWS, ALPHA, 6)],
    stats.wishart.logpdf: [s(POSITIVE_DEFINITE, 5.3, SYMMETRIC)],
    stats.wishart.pdf: [s(POSITIVE_DEFINITE, 5.3, SYMMETRIC)],
    stats.invwishart.logpdf: [s(POSITIVE_DEFINITE, 5.3, SYMMETRIC)],
    stats.invwishart.pdf: [s(POSITIVE_DEFINITE, 5.3, SYMMETRIC)],
    stats.matrix_normal.logpdf: [s(MATRIX, None, SYMMETRIC, FOUR), s(MATRIX, 0.5 * MATRIX, SYMMETRIC, FOUR)],
    stats.matrix_normal.pdf: [s(MATRIX, None, SYMMETRIC, FOUR)],
    stats.vonmises_fisher.logpdf: [s(UNITS, UNITS[1], 1.7)],
    stats.vonmises_fisher.pdf: [s(UNITS, UNITS[1], 1.7)],
    kernels.scipy.normal_log_density: [s(VECTORS, SYMMETRIC)],
    stats.gmean: [s(TABLE), s(TABLE, axis=1, weights=TABLE[::-1])],
    stats.hmean: [s(TABLE, keepdims=True), s(TABLE, None)],
    stats.pmean: [s(TABLE, 2.5), s(TABLE, 0, axis=1)],
    stats.poisson.entropy: [s(2.3), s(40.0)],
    stats.multivariate_normal.entropy: [s(VECTORS[0], SYMMETRIC)],
    stats.zscore: [s(TABLE), s(TABLE, 1, 1)],
    stats.zmap: [s(TABLE[0], TABLE)],
    stats.gzscore: [s(TABLE)],
    stats.gstd: [s(TABLE), s(TABLE, None, 0)],
    stats.sem: [s(TABLE), s(TABLE, None)],
    stats.variation: [s(TABLE, 1, ddof=1)],
    stats.moment: [s(TABLE, 2), s(TABLE, 3, keepdims=True)],
    stats.skew: [s(TABLE), s(TABLE, None, False)],
    stats.kurtosis: [s(TABLE), s(TABLE, 1, False), s(TABLE, None, bias=False)],
    stats.entropy: [s(TABLE), s(TABLE, TABLE[::-1], 2.0, 1)],
    stats.pearsonr: [s(TABLE[0], TABLE[1])],
    stats.linregress: [s(TABLE[0], TABLE[1])],
    stats.boxcox_llf: [s(0.4, TABLE[0])],
    stats.boxcox: [s(TABLE[0], 0.4)],
}
