"""Array statements without loops, as NumPy code mostly is."""

import numpy as np

from benchmarks.programs.sample import Sample


def black_scholes_book(spots, volatility, rate, strikes, times, positions):
    """The value of a book of calls, with a logistic approximation of the normal distribution."""
    width = volatility * np.sqrt(times)
    d1 = (np.log(spots / strikes) + (rate + 0.5 * volatility**2) * times) / width
    d2 = d1 - width
    n1 = 1.0 / (1.0 + np.exp(-1.702 * d1))
    n2 = 1.0 / (1.0 + np.exp(-1.702 * d2))
    values = spots * n1 - strikes * np.exp(-rate * times) * n2
    return np.sum(positions * values)


def student_t_regression(weights, log_scale, freedom, x, y):
    """The negative log-likelihood of a robust regression, up to a constant."""
    residual = (y - x @ weights) / np.exp(log_scale)
    return np.sum(0.5 * (freedom + 1.0) * np.log1p(residual**2 / freedom)) + y.size * log_scale


def enzyme_kinetics_fit(parameters, substrate, inhibitor, rates):
    """The squared error, relative to the rates, of competitive inhibition; and how far the rates fall short."""
    affinity = parameters[1] * (1.0 + inhibitor / parameters[2])
    predicted = parameters[0] * substrate / (affinity + substrate)
    error = (predicted - rates) / (1.0 + rates)
    return np.mean(error**2) + 0.1 * np.mean(np.log1p(np.exp(-10.0 * error)))


def spectral_lines(centres, widths, heights, frequencies, measured):
    """The squared error of a spectrum that is a sum of Lorentzian lines."""
    distance = frequencies[:, None] - centres[None, :]
    lines = heights * widths**2 / (distance**2 + widths**2)
    return np.sum((np.sum(lines, axis=1) - measured) ** 2)


def softmax_temperature(logits, temperature, labels):
    """The cross-entropy and the entropy of predictions at a temperature."""
    scaled = logits / temperature
    shifted = scaled - np.max(scaled, axis=1, keepdims=True)
    total = np.sum(np.exp(shifted), axis=1, keepdims=True)
    logs = shifted - np.log(total)
    return -np.sum(labels * logs) / labels.shape[0] - 0.1 * np.sum(np.exp(logs) * logs) / labels.shape[0]


def orbit_residuals(elements, times, seen):
    """The squared distance of observations from a Kepler orbit, its equation solved by fixed iterations."""
    anomaly = elements[0] + elements[1] * times
    eccentric = anomaly
    for _ in range(6):
        eccentric = anomaly + elements[2] * np.sin(eccentric)
    x = elements[3] * (np.cos(eccentric) - elements[2])
    y = elements[3] * np.sqrt(1.0 - elements[2] ** 2) * np.sin(eccentric)
    return np.sum((x - seen[:, 0]) ** 2 + (y - seen[:, 1]) ** 2)


PROGRAMS = (
    Sample(
        black_scholes_book,
        lambda rng: (
            rng.uniform(80.0, 120.0, size=2000),
            0.25,
            0.02,
            rng.uniform(80.0, 120.0, size=2000),
            rng.uniform(0.2, 2.0, size=2000),
            rng.normal(size=2000),
        ),
        (0, 1, 2),
    ),
    Sample(
        student_t_regression,
        lambda rng: (rng.normal(size=8), 0.2, 4.0, rng.normal(size=(1000, 8)), rng.normal(size=1000)),
        (0, 1, 2),
    ),
    Sample(
        enzyme_kinetics_fit,
        lambda rng: (
            np.array([2.0, 0.7, 0.9]),
            rng.uniform(0.1, 5.0, size=2000),
            rng.uniform(0.0, 2.0, size=2000),
            rng.uniform(0.2, 1.5, size=2000),
        ),
    ),
    Sample(
        spectral_lines,
        lambda rng: (
            rng.uniform(0.0, 10.0, size=8),
            rng.uniform(0.1, 0.5, size=8),
            rng.uniform(0.5, 2.0, size=8),
            np.linspace(0.0, 10.0, 300),
            rng.random(300),
        ),
        (0, 1, 2),
    ),
    Sample(
        softmax_temperature,
        lambda rng: (rng.normal(size=(200, 10)), 1.3, np.eye(10)[rng.integers(0, 10, size=200)]),
        (0, 1),
    ),
    Sample(
        orbit_residuals,
        lambda rng: (np.array([0.3, 0.9, 0.2, 1.5]), np.linspace(0.0, 12.0, 600), rng.normal(size=(600, 2))),
    ),
)
