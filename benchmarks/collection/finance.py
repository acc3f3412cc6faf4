"""Prices of options and portfolios."""

import numpy as np

from benchmarks.collection.workload import Workload


def asian_option(spot, volatility, rate, strike, noise):
    """The price of an option on an average, over simulated paths."""
    steps = noise.shape[1]
    width = 1.0 / steps
    drift = (rate - 0.5 * volatility**2) * width
    logs = np.cumsum(drift + volatility * np.sqrt(width) * noise, axis=1)
    average = np.mean(spot * np.exp(logs), axis=1)
    return np.exp(-rate) * np.mean(np.maximum(average - strike, 0.0))


def _paths(rng, n, steps):
    return 1.0, 0.3, 0.02, 0.9, rng.normal(size=(n, steps))


def american_put(spot, volatility, rate, strike, steps):
    """The price of a put that may be exercised early, on a binomial tree."""
    width = 1.0 / steps
    up = np.exp(volatility * np.sqrt(width))
    share = (np.exp(rate * width) - 1.0 / up) / (up - 1.0 / up)
    discount = np.exp(-rate * width)
    values = np.maximum(strike - spot * up ** (2.0 * np.arange(steps + 1) - steps), 0.0)
    for t in range(steps - 1, -1, -1):
        held = discount * (share * values[1 : t + 2] + (1.0 - share) * values[: t + 1])
        now = strike - spot * up ** (2.0 * np.arange(t + 1) - t)
        values = np.maximum(held, now)
    return values[0]


def _put(rng, steps):
    return 1.0, 0.3, 0.03, 1.05, steps


def heston_paths(spot, start, speed, level, wobble, noise, other):
    """The price of a call under stochastic variance, path by path."""
    paths, steps = noise.shape
    width = 1.0 / steps
    total = 0.0
    for n in range(paths):
        price = spot
        variance = start
        for t in range(steps):
            root = np.sqrt(max(variance, 1e-8) * width)
            price *= 1.0 + root * noise[n, t]
            variance += speed * (level - variance) * width + wobble * root * other[n, t]
        total += max(price - 1.0, 0.0)
    return total / paths


def _heston(rng, paths, steps):
    return 1.0, 0.09, 1.5, 0.08, 0.3, rng.normal(size=(paths, steps)), rng.normal(size=(paths, steps))


def portfolio_risk(holdings, returns, fear):
    """The smoothed expected shortfall of a portfolio, and how concentrated it is."""
    shares = np.exp(holdings) / np.sum(np.exp(holdings))
    gains = returns @ shares
    losses = np.log1p(np.exp(-fear * gains)) / fear
    return np.mean(losses) + 0.1 * np.sum(shares**2)


def _holdings(rng, days, n):
    return rng.normal(size=n), rng.normal(size=(days, n)), 4.0


WORKLOADS = (
    Workload(asian_option, _paths, (4, 3), (5000, 50), (0, 1, 2)),
    Workload(american_put, _put, (4,), (300,), (0, 1, 2)),
    Workload(heston_paths, _heston, (4, 3), (2000, 50), (0, 1, 2, 3, 4)),
    Workload(portfolio_risk, _holdings, (5, 3), (5000, 100), (0,), arrays=True),
)
