"""Models as users write them, with functions of SciPy: values as they are, gradients against differences, compiled."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats
from scipy.integrate import solve_ivp
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import root
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import spsolve

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


def mixture_of_kernels(points, where):
    """A density estimate and its entropy under itself."""
    estimate = stats.gaussian_kde(points)
    return -np.mean(estimate.logpdf(where)) + np.sum(estimate(where))


def heat_in_a_rod(conductivity, source):
    """A sparse equation of diffusion, by finite volumes, with the temperature 0 at both ends."""
    n = source.shape[0]
    k = np.exp(conductivity)
    matrix = diags_array([k[:-1] + k[1:], -k[1:-1], -k[1:-1]], offsets=[0, 1, -1])
    temperature = spsolve(csr_array(matrix), source / (n + 1.0) ** 2)
    return np.sum(temperature**2) + temperature[n // 2]


def market(price, demand, supply):
    """The excess demand of goods that replace each other."""
    return demand * np.exp(-price) + 0.1 * np.sum(price) - supply * price


@srcad.implicit(market)
def equilibrium(demand, supply):
    return root(market, np.ones(3), args=(demand, supply), tol=1e-13).x


def tax_revenue(demand, supply):
    price = equilibrium(demand, supply)
    return np.sum(0.2 * price * demand * np.exp(-price))


def autocatalysis(rates, times):
    """Stiff kinetics: three reactions, of which one is much faster than the others."""

    def slopes(t, y):
        fast = np.exp(rates[2]) * y[1] ** 2
        back = np.exp(rates[1]) * y[1] * y[2]
        start = np.exp(rates[0]) * y[0]
        return [back - start, start - back - fast, fast]

    found = solve_ivp(slopes, (0.0, times[-1]), [1.0, 0.0, 0.0], "LSODA", times, rtol=1e-6, atol=1e-9)
    return np.sum(np.log1p(found.y[2] ** 2)) + 1e3 * found.y[1, 2]


X = np.linspace(0.0, 3.0, 12)
PROGRAMS = {
    gaussian_process: (np.array([0.0, 0.1, -1.0]), X, np.sin(X)),
    hidden_markov_model: (
        np.log(RANDOM.dirichlet(np.ones(3), size=3)), np.log(np.ones(3) / 3.0), RANDOM.normal(size=(8, 3)),
    ),
    weibull_survival: (np.array([0.2, 0.1]), RANDOM.weibull(1.5, 20), RANDOM.uniform(size=20) < 0.7),
    beta_binomial: (np.array([1.2, 3.1]), np.array([3.0, 0.0, 7.0]), np.array([10, 10, 10])),
    dirichlet: (np.array([1.2, 0.7, 3.0]), RANDOM.dirichlet(np.ones(3), size=5)),
    mixture_of_kernels: (RANDOM.normal(size=9), X[:5]),
    heat_in_a_rod: (0.1 * RANDOM.normal(size=21), 1.0 + np.zeros(20)),
    tax_revenue: (np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.7, 1.3])),
    autocatalysis: (np.log(np.array([0.5, 1e2, 1e4])), np.array([0.0, 0.5, 1.0, 2.0])),
    von_mises_mixture: (np.array([0.6, 2.1, 0.4]), RANDOM.vonmises(0.5, 2.0, 15)),
}  # fmt: skip


# These take long to compile, or to solve.
AT_NIGHT = [(each, True) for each in (mixture_of_kernels, heat_in_a_rod, tax_revenue)]
AT_NIGHT += [(autocatalysis, False), (autocatalysis, True)]
# Steps that the solver chooses anew make differences uncertain.
TOLERANCES = {autocatalysis: 1e-3}


def marks_of(program, jit):
    return [pytest.mark.nightly] * ((program, jit) in AT_NIGHT) + [pytest.mark.compiled] * jit


@pytest.mark.parametrize(
    ("program", "jit"),
    [
        pytest.param(each, jit, id=f"{each.__name__}-{jit}", marks=marks_of(each, jit))
        for each in PROGRAMS
        for jit in (False, True)
    ],
)
def test_gradients_of_models_are_differences(program, jit):
    first, *rest = PROGRAMS[program]
    value, bar = srcad.value_and_grad(program, jit=jit)(first, *rest)
    assert value == pytest.approx(program(first, *rest), rel=1e-12)
    towards = np.random.default_rng(1).normal(size=first.shape)
    there, back = (program(first + step * towards, *rest) for step in (1e-6, -1e-6))
    slope = (there - back) / 2e-6
    assert np.sum(bar * towards) == pytest.approx(slope, rel=TOLERANCES.get(program, 1e-7), abs=1e-7)
