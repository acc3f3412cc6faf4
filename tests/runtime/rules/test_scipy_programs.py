"""Models as users write them, with functions of SciPy: values as they are, gradients against differences, compiled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from scipy.linalg import cho_factor, cho_solve

import srcad

RANDOM = np.random.default_rng(0)


def gaussian_process(theta, x, y):
    length, scale, noise = np.exp(theta[0]), np.exp(theta[1]), np.exp(theta[2])
    apart = x[:, None] - x[None, :]
    covariance = scale * scale * np.exp(-0.5 * apart * apart / (length * length)) + noise * noise * np.eye(x.shape[0])
    factor = cho_factor(covariance, lower=True)
    return 0.5 * y @ cho_solve(factor, y) + np.sum(np.log(np.diag(factor[0])))


def hidden_markov_model(transitions, start, emissions):
    forward = start + emissions[0]
    for t in range(1, emissions.shape[0]):
        forward = special.logsumexp(forward[:, None] + transitions, axis=0) + emissions[t]
    return special.logsumexp(forward)


def weibull_survival(p, times, is_seen):
    shape, scale = np.exp(p[0]), np.exp(p[1])
    seen = stats.weibull_min.logpdf(times, shape, scale=scale)
    return -np.sum(np.where(is_seen, seen, stats.weibull_min.logsf(times, shape, scale=scale)))


def beta_binomial(p, successes, trials):
    return np.sum(special.betaln(successes + p[0], trials - successes + p[1]) - special.betaln(p[0], p[1]))


def dirichlet(alpha, shares):
    total = 0.0
    for i in range(shares.shape[0]):
        total += stats.dirichlet.logpdf(shares[i], alpha)
    return total


def von_mises_mixture(p, angles):
    component = stats.vonmises(p[1], loc=p[2])
    return np.sum(np.log(p[0] * np.exp(component.logpdf(angles)) + (1.0 - p[0]) / (2.0 * np.pi)))


X = np.linspace(0.0, 3.0, 12)
PROGRAMS = {
    gaussian_process: (np.array([0.0, 0.1, -1.0]), X, np.sin(X)),
    hidden_markov_model: (
        np.log(RANDOM.dirichlet(np.ones(3), size=3)), np.log(np.ones(3) / 3.0), RANDOM.normal(size=(8, 3)),
    ),
    weibull_survival: (np.array([0.2, 0.1]), RANDOM.weibull(1.5, 20), RANDOM.uniform(size=20) < 0.7),
    beta_binomial: (np.array([1.2, 3.1]), np.array([3.0, 0.0, 7.0]), np.array([10, 10, 10])),
    dirichlet: (np.array([1.2, 0.7, 3.0]), RANDOM.dirichlet(np.ones(3), size=5)),
    von_mises_mixture: (np.array([0.6, 2.1, 0.4]), RANDOM.vonmises(0.5, 2.0, 15)),
}  # fmt: skip


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda each: each.__name__)
def test_gradients_of_models_are_differences(program, jit):
    first, *rest = PROGRAMS[program]
    value, bar = srcad.value_and_grad(program, jit=jit)(first, *rest)
    assert value == pytest.approx(program(first, *rest), rel=1e-12)
    towards = np.random.default_rng(1).normal(size=first.shape)
    there, back = (program(first + step * towards, *rest) for step in (1e-6, -1e-6))
    assert np.sum(bar * towards) == pytest.approx((there - back) / 2e-6, rel=1e-7, abs=1e-7)
