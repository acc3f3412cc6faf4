"""Kernel density estimates and entropies in `scipy.stats`."""

import numpy as np
import scipy.special
import scipy.stats

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, inlined
from srcad.runtime.rulebook.stand_ins import stands_for
from srcad.runtime.rulebook.theorems import NoRule

NO_BANDWIDTH = NoRule("gaussian_kde with a function as `bw_method`", "pass a number, 'scott' or 'silverman'")


@inlined
class Estimate:
    """A density estimate: a sum of normal densities about the points of a data set."""

    def __init__(self, points, weights, factor):
        self.points = points
        self.weights = weights
        self.factor = factor

    def terms(self, points):
        """The logarithms of the terms of the sum, of each point of the data set in each row."""
        d = self.points.shape[0]
        mean = np.sum(self.points * self.weights, axis=1, keepdims=True)
        apart = self.points - mean
        spread = np.dot(apart * self.weights, np.transpose(apart)) / (1.0 - np.sum(self.weights * self.weights))
        low = np.linalg.cholesky(spread * self.factor**2)
        asked = np.atleast_2d(np.asarray(points))
        if asked.shape[0] != d:
            asked = np.reshape(asked, (d, 1))
        here = kernels.scipy.triangular_solve(low, self.points, True, False)
        there = kernels.scipy.triangular_solve(low, asked, True, False)
        between = np.expand_dims(here, 2) - np.expand_dims(there, 1)
        level = np.sum(np.log(np.diag(low))) + 0.9189385332046727 * d
        return np.expand_dims(np.log(self.weights), 1) - 0.5 * np.sum(between * between, axis=0) - level

    def evaluate(self, points):
        """The density at points."""
        return np.sum(np.exp(self.terms(points)), axis=0)

    def __call__(self, points):
        """The density at points."""
        return self.evaluate(points)

    def pdf(self, x):
        """The density at points."""
        return self.evaluate(x)

    def logpdf(self, x):
        """The logarithm of the density at points."""
        return scipy.special.logsumexp(self.terms(x), axis=0)


stands_for(
    scipy.stats.gaussian_kde,
    Estimate,
    points=lambda made: np.ascontiguousarray(made.dataset, float),
    weights=lambda made: np.ascontiguousarray(made.weights, float),
    factor=lambda made: float(made.factor),
)


@define(scipy.stats.gaussian_kde)
def gaussian_kde(dataset, bw_method=None, weights=None):
    points = np.atleast_2d(np.asarray(dataset))
    d, n = points.shape
    shares = np.full(n, 1.0 / n) if weights is None else np.asarray(weights) / np.sum(weights)
    effective = 1.0 / np.sum(shares * shares)
    if bw_method is None or bw_method == "scott":
        factor = effective ** (-1.0 / (d + 4))
    elif bw_method == "silverman":
        factor = (effective * (d + 2.0) / 4.0) ** (-1.0 / (d + 4))
    else:
        factor = 1.0 * bw_method
    return Estimate(points, shares, factor)


@define(scipy.stats.multivariate_normal.entropy)
def multivariate_normal_entropy(mean=None, cov=1):
    if np.ndim(cov) != 2:
        raise NotImplementedError("the entropy of scipy.stats.multivariate_normal has a derivative with a matrix")
    return np.sum(np.log(np.diag(np.linalg.cholesky(cov)))) + 1.4189385332046727 * cov.shape[0]


@define(scipy.stats.poisson.entropy)
def poisson_entropy(mu, loc=0.0):
    if np.ndim(mu) != 0:
        raise NotImplementedError("the entropy of scipy.stats.poisson has a derivative for a number")
    k = 1.0 * np.arange(int(mu + 15.0 * np.sqrt(mu) + 40.0))
    log_mass = scipy.special.xlogy(k, mu) - scipy.special.gammaln(k + 1.0) - mu
    return -np.sum(np.exp(log_mass) * log_mass)
