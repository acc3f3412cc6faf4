"""Work on tables, records and time series, as analysts of data write it."""

import itertools
import logging
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from tests.programs.users.program import UserProgram

log = logging.getLogger(__name__)


def holt_winters(params, series, season=4):
    """Exponential smoothing with trend and season; the sum of squared forecast errors.

    Origin: Hyndman and Athanasopoulos, "Forecasting: Principles and Practice", chapter 8; statsmodels.
    """
    alpha, beta, gamma = 1 / (1 + np.exp(-params))
    level = np.mean(series[:season])
    trend = (np.mean(series[season : 2 * season]) - level) / season
    seasonal = [x - level for x in series[:season]]
    sse = 0.0
    for t in range(season, len(series)):
        s = seasonal[t % season]
        forecast = level + trend + s
        error = series[t] - forecast
        last = level
        level = alpha * (series[t] - s) + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
        seasonal[t % season] = gamma * (series[t] - level) + (1 - gamma) * s
        sse += error**2
    return sse


class Rating(NamedTuple):
    user: int
    item: int
    stars: float


def matrix_factorisation(model, ratings, reg=0.05):
    """Recommendation by latent factors with biases, each user's loss averaged by the number of ratings.

    Origin: Koren, Bell and Volinsky, "Matrix factorization techniques for recommender systems"; package Surprise.
    """
    counts = Counter(r.user for r in ratings)
    per_user = defaultdict(float)
    for user, item, stars in ratings:
        pred = model["mu"] + model["bu"][user] + model["bi"][item] + model["P"][user] @ model["Q"][item]
        per_user[user] += (stars - np.clip(pred, 1.0, 5.0)) ** 2
    loss = sum(total / counts[user] for user, total in per_user.items())
    return loss + reg * sum(np.sum(v**2) for k, v in model.items() if k != "mu")


def garch_likelihood(params, returns, p=1, q=1, dist="normal"):
    """Likelihood of returns whose variance follows a GARCH model; bad parameters get a large value.

    Origin: Bollerslev 1986; K. Sheppard's package arch.
    """
    omega, alpha, beta = params[0], params[1 : 1 + p], params[1 + p : 1 + p + q]
    if omega <= 0 or np.any(params[1:] < 0) or alpha.sum() + beta.sum() >= 1:
        log.warning("parameters %s are outside of the region of stationarity", params)
        return 1e10
    T = returns.size
    backcast = returns.var()
    sigma2 = np.zeros(T)
    for t in range(T):
        sigma2[t] = omega
        for i in range(p):
            sigma2[t] += alpha[i] * (returns[t - 1 - i] ** 2 if t - 1 - i >= 0 else backcast)
        for j in range(q):
            sigma2[t] += beta[j] * (sigma2[t - 1 - j] if t - 1 - j >= 0 else backcast)
    if dist == "normal":
        lls = -0.5 * (np.log(2 * np.pi) + np.log(sigma2) + returns**2 / sigma2)
    return -np.sum(lls)


def pairwise(iterable):
    a, b = itertools.tee(iterable)
    next(b, None)
    return zip(a, b)


def portfolio_sharpe(weights, frame, groups, risk_free=0.001, window=4):
    """Sharpe ratio of a portfolio with rebalancing costs and limits by sector, from a table of prices by column.

    Origin: Markowitz 1952; PyPortfolioOpt's objective functions and sector constraints.
    """
    names = sorted(frame)
    w = np.exp(weights) / np.sum(np.exp(weights))
    returns = np.column_stack([frame[name][1:] / frame[name][:-1] - 1 for name in names])
    portfolio = returns @ w
    rolling = np.array([portfolio[i : i + window].std(ddof=1) for i in range(len(portfolio) - window + 1)])
    exposure = {g: 0.0 for g in set(groups.values())}
    for i, name in enumerate(names):
        exposure[groups[name]] += w[i]
    excess = sum(max(e - 0.5, 0.0) ** 2 for e in exposure.values())
    sharpe = (portfolio.mean() - risk_free) / portfolio.std(ddof=1)
    smooth = np.sum([(b - a) ** 2 for a, b in pairwise(rolling)])
    return -sharpe + 10 * excess + smooth


def series():
    rng = np.random.default_rng(0)
    t = np.arange(20)
    return 10 + 0.3 * t + 2 * np.sin(np.pi * t / 2 + 0.4) + 0.3 * rng.normal(size=20)


def recommendation():
    rng = np.random.default_rng(1)
    model = {"mu": 3.1, "bu": rng.normal(size=3) * 0.3, "bi": rng.normal(size=4) * 0.3}
    model |= {"P": rng.normal(size=(3, 2)) * 0.4, "Q": rng.normal(size=(4, 2)) * 0.4}
    pairs = [(0, 1), (0, 3), (1, 0), (1, 1), (1, 2), (2, 3)]
    return model, [Rating(u, i, float(rng.integers(1, 6))) for u, i in pairs]


def prices():
    rng = np.random.default_rng(2)
    names = ["bank", "car", "oil", "chip"]
    frame = {name: 100 * np.exp(np.cumsum(0.02 * rng.normal(size=12))) for name in names}
    groups = {"bank": "finance", "car": "industry", "oil": "industry", "chip": "tech"}
    return np.array([0.1, -0.2, 0.8, 0.3]), frame, groups


PROGRAMS = [
    UserProgram(holt_winters, lambda: (np.array([0.1, -1.0, -0.5]), series()), ("params", "series")),
    UserProgram(matrix_factorisation, recommendation, "model"),
    UserProgram(
        garch_likelihood,
        lambda: (np.array([0.1, 0.15, 0.7]), np.random.default_rng(3).normal(size=30)),
        ("params", "returns"),
    ),
    UserProgram(portfolio_sharpe, prices, "weights"),
]
