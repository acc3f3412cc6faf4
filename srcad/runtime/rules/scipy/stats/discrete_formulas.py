"""The formulas of discrete distributions, in the form of `forms`."""

from __future__ import annotations

from srcad.runtime.rules.scipy.stats.forms import Discrete

DISCRETE = {
    "poisson": Discrete(
        "special.xlogy(k, mu) - special.gammaln(k + 1.0) - mu",
        ("mu >= 0.0",),
        *("special.gammaincc(floor + 1.0, mu)", "special.gammainc(floor + 1.0, mu)"),
    ),
    "binom": Discrete(
        "special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)"
        " + special.xlogy(k, p) + special.xlog1py(n - k, -p)",
        ("n >= 0", "n == np.floor(n)", "p >= 0.0", "p <= 1.0"),
        "kernels.scipy.choose(floor >= n, 1.0, special.betaincc(floor + 1.0, np.maximum(n - floor, 1.0), p))",
        "kernels.scipy.choose(floor >= n, 0.0, special.betainc(floor + 1.0, np.maximum(n - floor, 1.0), p))",
        highest="n",
        counts=("n",),
    ),
    "bernoulli": Discrete(
        "special.xlogy(k, p) + special.xlog1py(1.0 - k, -p)",
        ("p >= 0.0", "p <= 1.0"),
        *("kernels.scipy.choose(floor >= 1.0, 1.0, 1.0 - p)", "kernels.scipy.choose(floor >= 1.0, 0.0, p)"),
        highest="1",
    ),
    "nbinom": Discrete(
        "special.gammaln(n + k) - special.gammaln(k + 1.0) - special.gammaln(n)"
        " + n * np.log(p) + special.xlog1py(k, -p)",
        ("n > 0", "p > 0.0", "p <= 1.0"),
        *("special.betainc(n, floor + 1.0, p)", "special.betaincc(n, floor + 1.0, p)"),
    ),
    "geom": Discrete(
        "special.xlog1py(k - 1.0, -p) + np.log(p)",
        ("p > 0.0", "p <= 1.0"),
        *("-np.expm1(floor * np.log1p(-p))", "np.exp(floor * np.log1p(-p))"),
        lowest="1",
    ),
    "betabinom": Discrete(
        "-np.log(n + 1.0) - special.betaln(n - k + 1.0, k + 1.0)"
        " + special.betaln(k + a, n - k + b) - special.betaln(a, b)",
        ("n >= 0", "n == np.floor(n)", "a > 0.0", "b > 0.0"),
        highest="n",
        counts=("n",),
    ),
    "betanbinom": Discrete(
        "-np.log(n + k) - special.betaln(n, k + 1.0) + special.betaln(a + n, b + k) - special.betaln(a, b)",
        ("n >= 0", "n == np.floor(n)", "a > 0.0", "b > 0.0"),
        counts=("n",),
    ),
    "logser": Discrete("k * np.log(p) - np.log(k) - np.log(-np.log1p(-p))", ("p > 0.0", "p < 1.0"), lowest="1"),
    "zipf": Discrete("-np.log(special.zeta(a, 1.0)) - a * np.log(k)", ("a > 1.0",), lowest="1"),
    "planck": Discrete(
        "np.log(-np.expm1(-lambda_)) - lambda_ * k",
        ("lambda_ > 0.0",),
        *("-np.expm1(-lambda_ * (floor + 1.0))", "np.exp(-lambda_ * (floor + 1.0))"),
    ),
    "boltzmann": Discrete(
        "np.log(np.expm1(-lambda_) / np.expm1(-lambda_ * N)) - lambda_ * k",
        ("lambda_ > 0.0", "N > 0"),
        highest="N - 1",
        counts=("N",),
    ),
    "dlaplace": Discrete("np.log(np.tanh(0.5 * a)) - a * np.abs(k)", ("a > 0.0",), lowest="-np.inf", inside="0"),
    "skellam": Discrete(
        "0.5 * k * np.log(mu1 / mu2) - (np.sqrt(mu1) - np.sqrt(mu2)) ** 2"
        " + np.log(special.ive(np.abs(k), 2.0 * np.sqrt(mu1 * mu2)))",
        ("mu1 > 0.0", "mu2 > 0.0"),
        lowest="-np.inf",
        inside="0",
    ),
    "yulesimon": Discrete(
        "np.log(alpha) + special.betaln(k, alpha + 1.0)",
        ("alpha > 0.0",),
        *("1.0 - floor * special.beta(floor, alpha + 1.0)", "floor * special.beta(floor, alpha + 1.0)"),
        lowest="1",
    ),
}
