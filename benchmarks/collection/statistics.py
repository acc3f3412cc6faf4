"""Moments, densities and regressions of samples."""

import numpy as np

from benchmarks.collection.workload import Workload


def covariance_by_rows(data, weight):
    """A weighted sum of the covariances of the rows' variables."""
    n, m = data.shape
    mean = np.sum(data, axis=0) / n
    centred = data - mean
    cov = np.zeros((m, m))
    for i in range(m):
        cov[i, i:] = centred[:, i] @ centred[:, i:] / (n - 1.0)
        cov[i:, i] = cov[i, i:]
    return np.sum(weight * cov)


def _table(rng, n, m):
    return rng.normal(size=(n, m)), rng.normal(size=(m, m))


def correlation_loops(data, weight):
    """A weighted sum of the correlations of a table's columns."""
    n, m = data.shape
    mean = np.zeros(m)
    spread = np.zeros(m)
    for j in range(m):
        for i in range(n):
            mean[j] += data[i, j]
        mean[j] /= n
        for i in range(n):
            spread[j] += (data[i, j] - mean[j]) ** 2
        spread[j] = np.sqrt(spread[j] / n)
    total = 0.0
    for a in range(m):
        for b in range(a + 1, m):
            product = 0.0
            for i in range(n):
                product += (data[i, a] - mean[a]) * (data[i, b] - mean[b])
            total += weight[a, b] * product / (n * spread[a] * spread[b])
    return total


def weighted_histogram(x, weights, edges, wanted):
    """The squared distance of a smooth weighted histogram from a wanted one."""
    bins = edges.size - 1
    counts = np.zeros(bins)
    for i in range(x.size):
        k = int((x[i] - edges[0]) / (edges[1] - edges[0]))
        k = min(max(k, 0), bins - 2)
        share = (x[i] - edges[k]) / (edges[k + 1] - edges[k])
        counts[k] += weights[i] * (1.0 - share)
        counts[k + 1] += weights[i] * share
    return np.sum((counts - wanted) ** 2)


def _histogram(rng, n, bins):
    return rng.uniform(0.0, 1.0, n), rng.uniform(0.5, 1.5, n), np.linspace(0.0, 1.0, bins + 1), rng.normal(size=bins)


def histogram_by_bincount(x, weights, bins, wanted):
    """The squared distance of a weighted histogram from a wanted one, with array functions."""
    place = np.floor(x * bins).astype(np.int64)
    counts = np.bincount(place, weights * x, minlength=bins)
    return np.sum((counts - wanted) ** 2)


def _bincount(rng, n, bins):
    return rng.uniform(0.0, 1.0, n), rng.uniform(0.5, 1.5, n), bins, rng.normal(size=bins)


def kernel_density(points, samples, width):
    """Minus the log-likelihood of points under a density of Gaussian bumps."""
    off = (points[:, None] - samples[None, :]) / width
    density = np.mean(np.exp(-0.5 * off * off), axis=1) / width
    return -np.sum(np.log(density))


def _density(rng, n, m):
    return rng.normal(size=n), rng.normal(size=m), 0.5


def ridge_fit(x, y, strength, held, wanted):
    """The error on held-out data of weights fitted by least squares with a penalty."""
    gram = x.T @ x + strength * np.eye(x.shape[1])
    weights = np.linalg.solve(gram, x.T @ y)
    return np.mean((held @ weights - wanted) ** 2)


def _ridge(rng, n, d):
    return rng.normal(size=(n, d)), rng.normal(size=n), 0.3, rng.normal(size=(n, d)), rng.normal(size=n)


def gaussian_process(scale, noise, x, y):
    """Minus the log marginal likelihood of a Gaussian process."""
    n = y.size
    off = (x[:, None] - x[None, :]) / scale
    kernel = np.exp(-0.5 * off**2) + (noise + 1e-6) * np.eye(n)
    factor = np.linalg.cholesky(kernel)
    half = np.linalg.solve(factor, y)
    return 0.5 * np.sum(half**2) + np.sum(np.log(np.diag(factor)))


def _process(rng, n):
    return 0.7, 0.2, np.sort(rng.uniform(0.0, 5.0, n)), rng.normal(size=n)


def logistic_by_samples(weights, x, y):
    """The logistic loss, sample by sample."""
    loss = 0.0
    for i in range(x.shape[0]):
        score = x[i] @ weights
        loss += np.log(1.0 + np.exp(-y[i] * score))
    return loss / x.shape[0] + 0.01 * weights @ weights


def _logistic(rng, n, d):
    return rng.normal(size=d), rng.normal(size=(n, d)), rng.choice([-1.0, 1.0], n)


WORKLOADS = (
    Workload(covariance_by_rows, _table, (6, 4), (600, 150), (0,)),
    Workload(correlation_loops, _table, (6, 4), (300, 60), (0,)),
    Workload(weighted_histogram, _histogram, (9, 4), (200000, 50), (0, 1)),
    Workload(histogram_by_bincount, _bincount, (9, 4), (200000, 50), (0, 1)),
    Workload(kernel_density, _density, (5, 4), (500, 400), (0, 1, 2), arrays=True),
    Workload(ridge_fit, _ridge, (8, 3), (2000, 60), (0, 1, 2), arrays=True),
    Workload(gaussian_process, _process, (5,), (250,), (0, 1, 2), arrays=True),
    Workload(logistic_by_samples, _logistic, (5, 3), (5000, 50), (0,)),
)
