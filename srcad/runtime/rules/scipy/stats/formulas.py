"""The formulas of common continuous distributions, in the form of `forms`."""

from __future__ import annotations

from srcad.runtime.rules.scipy.stats.forms import HALF_LOG_2PI, Continuous

COMMON = {
    "norm": Continuous(
        f"-0.5 * z * z - {HALF_LOG_2PI}",
        *("special.ndtr(z)", "special.ndtr(-z)", "special.log_ndtr(z)", "special.log_ndtr(-z)"),
        *("special.ndtri(q)", "-special.ndtri(q)"),
    ),
    "expon": Continuous(*("-z", "-np.expm1(-z)", "np.exp(-z)", "", "-z", "-np.log1p(-q)", "-np.log(q)"), lowest="0.0"),
    "gamma": Continuous(
        "special.xlogy(a - 1.0, z) - z - special.gammaln(a)",
        *("special.gammainc(a, z)", "special.gammaincc(a, z)"),
        ppf="special.gammaincinv(a, q)",
        isf="special.gammainccinv(a, q)",
        lowest="0.0",
    ),
    "chi2": Continuous(
        "special.xlogy(0.5 * df - 1.0, z) - 0.5 * z - special.gammaln(0.5 * df) - 0.34657359027997264 * df",
        *("special.gammainc(0.5 * df, 0.5 * z)", "special.gammaincc(0.5 * df, 0.5 * z)"),
        ppf="2.0 * special.gammaincinv(0.5 * df, q)",
        isf="2.0 * special.gammainccinv(0.5 * df, q)",
        lowest="0.0",
    ),
    "invgamma": Continuous(
        "-(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z",
        *("special.gammaincc(a, 1.0 / z)", "special.gammainc(a, 1.0 / z)"),
        ppf="1.0 / special.gammainccinv(a, q)",
        isf="1.0 / special.gammaincinv(a, q)",
        lowest="0.0",
        is_open=True,
    ),
    "beta": Continuous(
        "special.xlog1py(b - 1.0, -z) + special.xlogy(a - 1.0, z) - special.betaln(a, b)",
        *("special.betainc(a, b, z)", "special.betaincc(a, b, z)"),
        ppf="special.betaincinv(a, b, q)",
        isf="special.betainccinv(a, b, q)",
        lowest="0.0",
        highest="1.0",
    ),
    "t": Continuous(
        "kernels.scipy.log_gamma_ratio(0.5 * df) - 0.5 * np.log(np.pi * df) - 0.5 * (df + 1.0) * np.log1p(z * z / df)",
        *("special.stdtr(df, z)", "special.stdtr(df, -z)"),
        ppf="special.stdtrit(df, q)",
        isf="-special.stdtrit(df, q)",
    ),
    "cauchy": Continuous(
        "-1.1447298858494002 - np.log1p(z * z)",
        *("0.3183098861837907 * np.arctan2(1.0, -z)", "0.3183098861837907 * np.arctan2(1.0, z)"),
        ppf="np.tan(np.pi * q - 1.5707963267948966)",
        isf="-np.tan(np.pi * q - 1.5707963267948966)",
    ),
    "laplace": Continuous(
        "-0.6931471805599453 - np.abs(z)",
        "kernels.scipy.choose(z > 0.0, 1.0 - 0.5 * np.exp(-np.abs(z)), 0.5 * np.exp(-np.abs(z)))",
        "kernels.scipy.choose(z > 0.0, 0.5 * np.exp(-np.abs(z)), 1.0 - 0.5 * np.exp(-np.abs(z)))",
        ppf="kernels.scipy.choose(q > 0.5, -np.log(2.0 * (1.0 - q)), np.log(2.0 * q))",
        isf="kernels.scipy.choose(q > 0.5, np.log(2.0 * (1.0 - q)), -np.log(2.0 * q))",
    ),
    "logistic": Continuous(
        "-np.abs(z) - 2.0 * np.log1p(np.exp(-np.abs(z)))",
        *("special.expit(z)", "special.expit(-z)", "special.log_expit(z)", "special.log_expit(-z)"),
        *("special.logit(q)", "-special.logit(q)"),
    ),
    "lognorm": Continuous(
        f"-0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - {HALF_LOG_2PI}",
        *("special.ndtr(np.log(z) / s)", "special.ndtr(-np.log(z) / s)"),
        *("special.log_ndtr(np.log(z) / s)", "special.log_ndtr(-np.log(z) / s)"),
        *("np.exp(s * special.ndtri(q))", "np.exp(-s * special.ndtri(q))"),
        lowest="0.0",
        is_open=True,
    ),
    "weibull_min": Continuous(
        "np.log(c) + special.xlogy(c - 1.0, z) - z**c",
        *("-np.expm1(-(z**c))", "np.exp(-(z**c))", "", "-(z**c)"),
        *("(-np.log1p(-q)) ** (1.0 / c)", "(-np.log(q)) ** (1.0 / c)"),
        lowest="0.0",
    ),
    "pareto": Continuous(
        "np.log(b) - (b + 1.0) * np.log(z)",
        *("1.0 - z ** (-b)", "z ** (-b)", "", "-b * np.log(z)", "(1.0 - q) ** (-1.0 / b)", "q ** (-1.0 / b)"),
        lowest="1.0",
        inside="2.0",
    ),
    "uniform": Continuous("0.0 * z", "z", "1.0 - z", ppf="q", isf="1.0 - q", lowest="0.0", highest="1.0"),
    "halfnorm": Continuous(
        "-0.2257913526447274 - 0.5 * z * z",
        *("special.erf(0.7071067811865476 * z)", "special.erfc(0.7071067811865476 * z)"),
        ppf="special.ndtri(0.5 * (1.0 + q))",
        isf="-special.ndtri(0.5 * q)",
        lowest="0.0",
    ),
    "gumbel_r": Continuous(
        "-z - np.exp(-z)",
        *("np.exp(-np.exp(-z))", "-np.expm1(-np.exp(-z))", "-np.exp(-z)", ""),
        *("-np.log(-np.log(q))", "-np.log(-np.log1p(-q))"),
    ),
    "gumbel_l": Continuous(
        "z - np.exp(z)",
        *("-np.expm1(-np.exp(z))", "np.exp(-np.exp(z))", "", "-np.exp(z)"),
        *("np.log(-np.log1p(-q))", "np.log(-np.log(q))"),
    ),
    "rayleigh": Continuous(
        "special.xlogy(1.0, z) - 0.5 * z * z",
        *("-np.expm1(-0.5 * z * z)", "np.exp(-0.5 * z * z)", "", "-0.5 * z * z"),
        *("np.sqrt(-2.0 * np.log1p(-q))", "np.sqrt(-2.0 * np.log(q))"),
        lowest="0.0",
    ),
    "vonmises": Continuous(
        "kappa * special.cosm1(z) - 1.8378770664093453 - np.log(special.i0e(kappa))",
        *("kernels.scipy.vonmises_cdf(z, kappa)", "1.0 - kernels.scipy.vonmises_cdf(z, kappa)"),
        ppf="kernels.scipy.vonmises_ppf(q, kappa)",
        isf="kernels.scipy.vonmises_ppf(1.0 - q, kappa)",
        valid=("kappa >= 0.0",),
    ),
}
