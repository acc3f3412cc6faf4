"""Prices and risks as quantitative analysts compute them."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from tests.programs.users.program import UserProgram


class OptionType(Enum):
    CALL = "call"
    PUT = "put"


@dataclass(frozen=True)
class Option:
    strike: float
    maturity: float
    kind: OptionType = OptionType.CALL
    american: bool = False


@dataclass
class Market:
    spot: float
    rate: float
    vol: float
    dividend: float = 0.0


def black_scholes(option, market):
    S, K, T = market.spot, option.strike, option.maturity
    r, q, sigma = market.rate, market.dividend, market.vol
    d1 = (np.log(S / K) + (r - q + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    if option.kind == OptionType.CALL:
        return S * np.exp(-q * T) * norm.cdf(d1) - K * np.exp(-r * T) * norm.cdf(d2)
    return K * np.exp(-r * T) * norm.cdf(-d2) - S * np.exp(-q * T) * norm.cdf(-d1)


def book_value(market, positions):
    """Value of a book of European options by the formula of Black and Scholes.

    Origin: Hull, "Options, Futures, and Other Derivatives", chapter 15.
    """
    return sum(quantity * black_scholes(option, market) for option, quantity in positions)


def binomial_tree_price(market, option, n_steps=25):
    """American option on the tree of Cox, Ross and Rubinstein.

    Origin: Hull, "Options, Futures, and Other Derivatives", chapter 21.
    """
    dt = option.maturity / n_steps
    u = np.exp(market.vol * np.sqrt(dt))
    d = 1 / u
    p = (np.exp((market.rate - market.dividend) * dt) - d) / (u - d)
    disc = np.exp(-market.rate * dt)
    if not 0 < p < 1:
        raise ValueError(f"probability {p:.3f} is not between 0 and 1; take more steps")
    sign = 1 if option.kind is OptionType.CALL else -1
    j = np.arange(n_steps + 1)
    S = market.spot * u**j * d ** (n_steps - j)
    V = np.maximum(sign * (S - option.strike), 0.0)
    for i in range(n_steps - 1, -1, -1):
        V = disc * (p * V[1:] + (1 - p) * V[:-1])
        if option.american:
            S = S[1:] * d
            V = np.maximum(V, sign * (S - option.strike))
    return V[0]


def heston_monte_carlo(params, spot=100.0, strike=105.0, T=0.5, n_steps=12, n_paths=64, seed=42):
    """Asian call under Heston's stochastic volatility by full truncation, antithetic paths.

    Origin: Glasserman, "Monte Carlo Methods in Financial Engineering"; scheme of Lord, Koekkoek and van Dijk.
    """
    kappa, theta, xi, rho, v0, r = (params[k] for k in ("kappa", "theta", "xi", "rho", "v0", "r"))
    rng = np.random.default_rng(seed)
    dt = T / n_steps
    half = n_paths // 2
    S = np.full(n_paths, spot)
    v = np.full(n_paths, v0)
    running = np.zeros(n_paths)
    for _ in range(n_steps):
        z1 = rng.standard_normal(half)
        z2 = rng.standard_normal(half)
        z1 = np.concatenate((z1, -z1))
        z2 = np.concatenate((z2, -z2))
        w = rho * z1 + np.sqrt(1 - rho**2) * z2
        v_plus = np.maximum(v, 0)
        S *= np.exp((r - 0.5 * v_plus) * dt + np.sqrt(v_plus * dt) * z1)
        v += kappa * (theta - v_plus) * dt + xi * np.sqrt(v_plus * dt) * w
        running += S
    payoff = np.maximum(running / n_steps - strike, 0)
    return np.exp(-r * T) * payoff.mean()


class YieldCurve:
    """Curve by Nelson and Siegel; prices bonds and finds their yields."""

    def __init__(self, beta0, beta1, beta2, tau):
        self.beta0, self.beta1, self.beta2, self.tau = beta0, beta1, beta2, tau

    def zero_rate(self, t):
        x = t / self.tau
        slope = (1 - np.exp(-x)) / x
        return self.beta0 + self.beta1 * slope + self.beta2 * (slope - np.exp(-x))

    def discount(self, t):
        return np.exp(-self.zero_rate(t) * t)

    def price(self, coupon, times):
        flows = np.full(len(times), coupon)
        flows[-1] += 100.0
        return np.dot(flows, self.discount(times))

    def yield_to_maturity(self, coupon, times):
        price = self.price(coupon, times)

        def objective(y):
            return sum(coupon * np.exp(-y * t) for t in times) + 100.0 * np.exp(-y * times[-1]) - price

        return brentq(objective, -0.5, 1.0)


def yield_fit(betas, bonds):
    """Squared errors of yields to maturity that a curve implies; the yields come from a root finder.

    Origin: Nelson and Siegel 1987; Hull, chapter 4; QuantLib's bond functions.
    """
    curve = YieldCurve(*betas)
    total = 0.0
    for bond in bonds:
        total += (curve.yield_to_maturity(bond["coupon"], bond["times"]) - bond["yield"]) ** 2
    return 1e4 * total


def positions():
    put = Option(95.0, 0.5, OptionType.PUT)
    return [(Option(100.0, 1.0), 10), (put, -5), (Option(110.0, 0.25), 2.5)]


def bonds():
    return [
        {"coupon": 2.0, "times": np.arange(0.5, 2.01, 0.5), "yield": 0.021},
        {"coupon": 3.5, "times": np.arange(1.0, 6.0), "yield": 0.03},
    ]


HESTON = {"kappa": 1.5, "theta": 0.04, "xi": 0.3, "rho": -0.6, "v0": 0.05, "r": 0.02}

PROGRAMS = [
    UserProgram(book_value, lambda: (Market(101.0, 0.03, 0.25, 0.01), positions()), "market"),
    UserProgram(
        binomial_tree_price,
        lambda: (Market(101.3, 0.03, 0.25, 0.01), Option(104.0, 0.75, OptionType.PUT, american=True)),
        "market",
    ),
    UserProgram(heston_monte_carlo, lambda: (dict(HESTON),), "params"),
    UserProgram(yield_fit, lambda: (np.array([0.03, -0.01, 0.015, 1.7]), bonds()), "betas"),
]
