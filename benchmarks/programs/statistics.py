"""Likelihoods and estimates."""

import math

import numpy as np

from benchmarks.programs.sample import Sample


def logistic_regression(weights, bias, x, labels, ridge):
    """The penalised negative log-likelihood of a logistic regression."""
    scores = x @ weights + bias
    losses = np.log1p(np.exp(-np.abs(scores))) + np.maximum(scores, 0.0) - labels * scores
    return np.mean(losses) + ridge * np.sum(weights * weights)


def gaussian_process_likelihood(lengths, noise, x, y):
    """The negative log marginal likelihood of a Gaussian process with a squared-exponential kernel."""
    n, d = x.shape
    kernel = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            square = 0.0
            for k in range(d):
                square += ((x[i, k] - x[j, k]) / lengths[k]) ** 2
            kernel[i, j] = np.exp(-0.5 * square)
    kernel += noise * noise * np.eye(n)
    factor = np.linalg.cholesky(kernel)
    solved = np.linalg.solve(factor, y)
    return 0.5 * np.sum(solved**2) + np.sum(np.log(np.diag(factor)))


def hidden_markov_likelihood(initial, transition, emission, seen):
    """The negative log-likelihood of a sequence, by the scaled forward algorithm."""
    states = initial.size
    forward = initial * emission[:, seen[0]]
    scale = np.sum(forward)
    forward = forward / scale
    total = math.log(scale)
    for t in range(1, seen.size):
        new = np.zeros(states)
        for j in range(states):
            for i in range(states):
                new[j] += forward[i] * transition[i, j]
            new[j] *= emission[j, seen[t]]
        scale = np.sum(new)
        forward = new / scale
        total += math.log(scale)
    return -total


def garch_likelihood(omega, alpha, beta, returns):
    """The negative log-likelihood of a GARCH(1, 1) model."""
    variance = np.var(returns)
    total = 0.0
    for t in range(returns.size):
        total += 0.5 * (math.log(variance) + returns[t] ** 2 / variance)
        variance = omega + alpha * returns[t] ** 2 + beta * variance
    return total


def poisson_mixed_model(fixed, effects, spread, x, group, counts):
    """The joint negative log-likelihood of counts with an effect for each group."""
    total = 0.0
    for i in range(counts.size):
        eta = effects[group[i]]
        for k in range(fixed.size):
            eta += x[i, k] * fixed[k]
        total += math.exp(eta) - counts[i] * eta
    for g in range(effects.size):
        total += 0.5 * (effects[g] / spread) ** 2 + math.log(spread)
    return total


def kernel_density_entropy(points, width):
    """The mean negative log of a kernel density estimate at its own points, each left out in turn."""
    n = points.size
    total = 0.0
    for i in range(n):
        density = 0.0
        for j in range(n):
            if i != j:
                z = (points[i] - points[j]) / width
                density += math.exp(-0.5 * z * z)
        total -= math.log(density / ((n - 1) * width))
    return total / n


def weighted_correlation(x, y, weights):
    """The correlation of two weighted series, from array statements."""
    w = weights / np.sum(weights)
    dx = x - np.sum(w * x)
    dy = y - np.sum(w * y)
    return np.sum(w * dx * dy) / np.sqrt(np.sum(w * dx * dx) * np.sum(w * dy * dy))


def kalman_log_likelihood(transition, process, observation, seen):
    """The negative log-likelihood of scalar observations of a state with two components."""
    mean = np.zeros(2)
    cov = np.eye(2)
    total = 0.0
    for t in range(seen.size):
        mean = transition @ mean
        cov = transition @ cov @ transition.T + process * np.eye(2)
        innovation = seen[t] - mean[0]
        s = cov[0, 0] + observation
        gain = cov[:, 0] / s
        mean = mean + gain * innovation
        cov = cov - np.outer(gain, cov[0, :])
        total += 0.5 * (math.log(s) + innovation * innovation / s)
    return total


def _rows_of_probabilities(rng, *shape):
    x = rng.uniform(0.2, 1.0, size=shape)
    return x / x.sum(axis=-1, keepdims=True)


PROGRAMS = (
    Sample(
        logistic_regression,
        lambda rng: (
            rng.normal(size=20),
            0.3,
            rng.normal(size=(500, 20)),
            rng.integers(0, 2, size=500).astype(float),
            0.1,
        ),
        (0, 1),
    ),
    Sample(
        gaussian_process_likelihood,
        lambda rng: (np.array([0.8, 1.3, 1.1]), 0.4, rng.normal(size=(50, 3)), rng.normal(size=50)),
        (0, 1),
    ),
    Sample(
        hidden_markov_likelihood,
        lambda rng: (
            _rows_of_probabilities(rng, 6),
            _rows_of_probabilities(rng, 6, 6),
            _rows_of_probabilities(rng, 6, 10),
            rng.integers(0, 10, size=300),
        ),
        (0, 1, 2),
    ),
    Sample(garch_likelihood, lambda rng: (0.1, 0.2, 0.7, rng.normal(size=5000)), (0, 1, 2, 3)),
    Sample(
        poisson_mixed_model,
        lambda rng: (
            0.1 * rng.normal(size=4),
            0.1 * rng.normal(size=30),
            0.5,
            rng.normal(size=(1000, 4)),
            rng.integers(0, 30, size=1000),
            rng.poisson(2.0, size=1000).astype(float),
        ),
        (0, 1, 2),
    ),
    Sample(kernel_density_entropy, lambda rng: (rng.normal(size=100), 0.4), (0, 1)),
    Sample(
        weighted_correlation,
        lambda rng: (rng.normal(size=4000), rng.normal(size=4000), rng.uniform(0.5, 1.5, size=4000)),
        (0, 1, 2),
    ),
    Sample(
        kalman_log_likelihood,
        lambda rng: (np.array([[1.0, 0.1], [-0.1, 0.95]]), 0.1, 0.5, rng.normal(size=200)),
        (0, 1, 2),
    ),
)
