"""Signals, sequences, hidden states, dynamic programming."""

import numpy as np

from benchmarks.collection.workload import Workload


def finite_response(taps, signal, wanted):
    """The squared error of a filter of finite response, by slices."""
    n, k = signal.size, taps.size
    out = np.zeros(n - k + 1)
    for j in range(k):
        out += taps[j] * signal[k - 1 - j : n - j]
    return np.sum((out - wanted) ** 2)


def _finite(rng, n, k):
    return rng.normal(size=k), rng.normal(size=n), rng.normal(size=n - k + 1)


def recursive_response(b, a, signal):
    """The power of a filter of infinite response, sample by sample."""
    n, order = signal.size, a.size
    out = np.zeros(n)
    for t in range(n):
        level = b[0] * signal[t]
        for j in range(1, min(order, t + 1)):
            level += b[j] * signal[t - j] - a[j] * out[t - j]
        out[t] = level
    return np.mean(out**2)


def _recursive(rng, n, order):
    return rng.normal(size=order), rng.uniform(-0.15, 0.15, order), rng.normal(size=n)


def hidden_markov(transition, emission, start, seen):
    """Minus the log-likelihood of symbols, by the scaled forward algorithm."""
    moves = np.exp(transition) / np.sum(np.exp(transition), axis=1)[:, None]
    shows = np.exp(emission) / np.sum(np.exp(emission), axis=1)[:, None]
    alpha = np.exp(start) / np.sum(np.exp(start)) * shows[:, seen[0]]
    loss = 0.0
    for t in range(1, seen.size):
        mass = np.sum(alpha)
        loss -= np.log(mass)
        alpha = ((alpha / mass) @ moves) * shows[:, seen[t]]
    return loss - np.log(np.sum(alpha))


def _markov(rng, states, symbols, n):
    tables = rng.normal(size=(states, states)), rng.normal(size=(states, symbols)), rng.normal(size=states)
    return *tables, rng.integers(0, symbols, n)


def soft_alignment(first, second, gap):
    """The smoothed cost of aligning two series."""
    n, m = first.size, second.size
    cost = np.full((n + 1, m + 1), 1e10)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            off = (first[i - 1] - second[j - 1]) ** 2
            a, b, c = cost[i - 1, j - 1], cost[i - 1, j], cost[i, j - 1]
            least = min(a, b, c)
            mass = np.exp(-(a - least) / gap) + np.exp(-(b - least) / gap) + np.exp(-(c - least) / gap)
            cost[i, j] = off + least - gap * np.log(mass)
    return cost[n, m]


def _alignment(rng, n, m):
    return rng.normal(size=n), rng.normal(size=m), 0.5


def best_path(scores, moves):
    """The score of the best path through states over time."""
    n, states = scores.shape
    best = scores[0].copy()
    new = np.empty(states)
    for t in range(1, n):
        for j in range(states):
            top = best[0] + moves[0, j]
            for i in range(1, states):
                if best[i] + moves[i, j] > top:
                    top = best[i] + moves[i, j]
            new[j] = top + scores[t, j]
        best[:] = new
    return np.max(best)


def _path(rng, n, states):
    return rng.normal(size=(n, states)), rng.normal(size=(states, states))


def drawdown_of_accounts(returns, length, penalty):
    """The mean of the largest falls of accounts that exist for different times."""
    accounts, longest = returns.shape
    level = np.empty(longest + 1)
    peak = np.empty(longest + 1)
    total = 0.0
    for n in range(accounts):
        level[0] = 1.0
        peak[0] = 1.0
        for t in range(1, length[n] + 1):
            level[t] = level[t - 1] * (1.0 + returns[n, t - 1])
            peak[t] = max(peak[t - 1], level[t])
        worst = 0.0
        for t in range(1, length[n] + 1):
            worst += (1.0 - level[t] / peak[t]) ** penalty
        total += worst / length[n]
    return total / accounts


def _accounts(rng, accounts, longest):
    return rng.normal(size=(accounts, longest)) * 0.05, rng.integers(2, longest + 1, accounts), 2.0


def moving_volatility(returns, omega, alpha, beta):
    """Minus the log-likelihood of returns whose variance follows them (GARCH)."""
    variance = omega / (1.0 - alpha - beta)
    loss = 0.0
    for t in range(returns.size):
        loss += 0.5 * (np.log(variance) + returns[t] ** 2 / variance)
        variance = omega + alpha * returns[t] ** 2 + beta * variance
    return loss


def _volatility(rng, n):
    return rng.normal(size=n), 0.1, 0.1, 0.8


WORKLOADS = (
    Workload(finite_response, _finite, (8, 3), (20000, 24), (0, 1)),
    Workload(recursive_response, _recursive, (8, 3), (30000, 6), (0, 1, 2)),
    Workload(hidden_markov, _markov, (3, 4, 5), (30, 20, 1000), (0, 1, 2)),
    Workload(soft_alignment, _alignment, (4, 5), (200, 200), (0, 1)),
    Workload(best_path, _path, (4, 3), (500, 30), (0, 1)),
    Workload(drawdown_of_accounts, _accounts, (4, 5), (1000, 200), (0,)),
    Workload(moving_volatility, _volatility, (6,), (50000,), (1, 2, 3)),
)
