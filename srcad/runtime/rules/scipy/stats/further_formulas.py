"""The formulas of less common continuous distributions, in the form of `formulas`.

Of a distribution whose support depends on a shape, `_BELOW_0` and `_ABOVE_0` keep the end finite where it is not used.
"""

from __future__ import annotations

from srcad.runtime.rules.scipy.stats.forms import HALF_LOG_2PI, Continuous

_BELOW_0, _ABOVE_0 = "np.minimum(c, -1e-300)", "np.maximum(c, 1e-300)"
_LOG_2, _LOG_PI, _HALF_LOG_2_BY_PI = "0.6931471805599453", "1.1447298858494002", "-0.2257913526447274"
_2_BY_PI, _1_BY_PI = "0.6366197723675814", "0.3183098861837907"

# Functions of a distribution's logarithms, which have all digits in both tails.
_EXTREME = "np.exp(-kernels.scipy.mean_log1p(-c, z))"  # of genextreme
_INVGAUSS_LOW = "special.log_ndtr((z / mu - 1.0) / np.sqrt(z))"
_INVGAUSS_HIGH = "special.log_ndtr((1.0 - z / mu) / np.sqrt(z))"
_INVGAUSS_REST = "(2.0 / mu + special.log_ndtr(-(z / mu + 1.0) / np.sqrt(z)))"
_INVGAUSS_LOGCDF = f"{_INVGAUSS_LOW} + np.log1p(np.exp({_INVGAUSS_REST} - {_INVGAUSS_LOW}))"
_INVGAUSS_LOGSF = f"{_INVGAUSS_HIGH} + np.log1p(-np.exp({_INVGAUSS_REST} - {_INVGAUSS_HIGH}))"
_EXPONNORM = "np.exp((0.5 / K - z) / K + special.log_ndtr(z - 1.0 / K))"
_SHARE = "1.0 / (1.0 + kappa * kappa)"  # of the right side of laplace_asymmetric
_GENEXPON = "(-(a + b) * z - b * np.expm1(-c * z) / c)"
_BETWEEN = "kernels.scipy.log_ndtr_between"
_TRUNCATED = f"{_BETWEEN}(a, b)"  # of truncnorm: the logarithm of the probability of the interval


def _truncated_quantile(q: str) -> str:
    """The quantile of truncnorm, from the nearer end."""
    low = f"special.ndtri_exp(np.logaddexp(special.log_ndtr(a), np.log({q}) + {_TRUNCATED}))"
    high = f"-special.ndtri_exp(np.logaddexp(special.log_ndtr(-b), np.log1p(-({q})) + {_TRUNCATED}))"
    return f"kernels.scipy.choose(a < 0.0, {low}, {high})"


# Distributions on [0, inf), but for those that say otherwise.
POSITIVE = {
    "f": Continuous(
        "0.5 * dfn * np.log(dfn) + 0.5 * dfd * np.log(dfd) + special.xlogy(0.5 * dfn - 1.0, z)"
        " - 0.5 * (dfn + dfd) * np.log(dfd + dfn * z) - special.betaln(0.5 * dfn, 0.5 * dfd)",
        "special.betainc(0.5 * dfn, 0.5 * dfd, dfn * z / (dfd + dfn * z))",
        "special.betainc(0.5 * dfd, 0.5 * dfn, dfd / (dfd + dfn * z))",
        ppf="dfd * special.betaincinv(0.5 * dfn, 0.5 * dfd, q) / (dfn * special.betainccinv(0.5 * dfd, 0.5 * dfn, q))",
        isf="dfd * special.betainccinv(0.5 * dfn, 0.5 * dfd, q) / (dfn * special.betaincinv(0.5 * dfd, 0.5 * dfn, q))",
        lowest="0.0",
    ),
    "betaprime": Continuous(
        "special.xlogy(a - 1.0, z) - (a + b) * np.log1p(z) - special.betaln(a, b)",
        *("special.betainc(a, b, z / (1.0 + z))", "special.betainc(b, a, 1.0 / (1.0 + z))"),
        ppf="special.betaincinv(a, b, q) / special.betainccinv(b, a, q)",
        isf="special.betainccinv(a, b, q) / special.betaincinv(b, a, q)",
        lowest="0.0",
    ),
    "chi": Continuous(
        f"{_LOG_2} * (1.0 - 0.5 * df) - special.gammaln(0.5 * df) + special.xlogy(df - 1.0, z) - 0.5 * z * z",
        *("special.gammainc(0.5 * df, 0.5 * z * z)", "special.gammaincc(0.5 * df, 0.5 * z * z)"),
        ppf="np.sqrt(2.0 * special.gammaincinv(0.5 * df, q))",
        isf="np.sqrt(2.0 * special.gammainccinv(0.5 * df, q))",
        lowest="0.0",
    ),
    "maxwell": Continuous(
        f"{_HALF_LOG_2_BY_PI} + special.xlogy(2.0, z) - 0.5 * z * z",
        *("special.gammainc(1.5, 0.5 * z * z)", "special.gammaincc(1.5, 0.5 * z * z)"),
        ppf="np.sqrt(2.0 * special.gammaincinv(1.5, q))",
        isf="np.sqrt(2.0 * special.gammainccinv(1.5, q))",
        lowest="0.0",
    ),
    "nakagami": Continuous(
        f"{_LOG_2} + special.xlogy(nu, nu) - special.gammaln(nu) + special.xlogy(2.0 * nu - 1.0, z) - nu * z * z",
        *("special.gammainc(nu, nu * z * z)", "special.gammaincc(nu, nu * z * z)"),
        ppf="np.sqrt(special.gammaincinv(nu, q) / nu)",
        isf="np.sqrt(special.gammainccinv(nu, q) / nu)",
        lowest="0.0",
    ),
    "gengamma": Continuous(
        "np.log(np.abs(c)) + special.xlogy(c * a - 1.0, z) - z**c - special.gammaln(a)",
        "kernels.scipy.choose(c > 0.0, special.gammainc(a, z**c), special.gammaincc(a, z**c))",
        "kernels.scipy.choose(c > 0.0, special.gammaincc(a, z**c), special.gammainc(a, z**c))",
        ppf="kernels.scipy.choose(c > 0.0, special.gammaincinv(a, q), special.gammainccinv(a, q)) ** (1.0 / c)",
        isf="kernels.scipy.choose(c > 0.0, special.gammainccinv(a, q), special.gammaincinv(a, q)) ** (1.0 / c)",
        lowest="0.0",
        valid=("a > 0.0", "c != 0.0"),
    ),
    "halfgennorm": Continuous(
        "np.log(beta) - special.gammaln(1.0 / beta) - z**beta",
        *("special.gammainc(1.0 / beta, z**beta)", "special.gammaincc(1.0 / beta, z**beta)"),
        ppf="special.gammaincinv(1.0 / beta, q) ** (1.0 / beta)",
        isf="special.gammainccinv(1.0 / beta, q) ** (1.0 / beta)",
        lowest="0.0",
    ),
    "invgauss": Continuous(
        f"-{HALF_LOG_2PI} - 1.5 * np.log(z) - (z / mu - 1.0) ** 2 / (2.0 * z)",
        *(f"np.exp({_INVGAUSS_LOGCDF})", f"np.exp({_INVGAUSS_LOGSF})", _INVGAUSS_LOGCDF, _INVGAUSS_LOGSF),
        lowest="0.0",
        is_open=True,
    ),
    "halfcauchy": Continuous(
        "-0.4515827052894548 - np.log1p(z * z)",
        *(f"{_2_BY_PI} * np.arctan(z)", f"{_2_BY_PI} * np.arctan2(1.0, z)"),
        ppf="np.tan(1.5707963267948966 * q)",
        isf="1.0 / np.tan(1.5707963267948966 * q)",
        lowest="0.0",
    ),
    "halflogistic": Continuous(
        f"{_LOG_2} - z - 2.0 * np.log1p(np.exp(-z))",
        *("np.tanh(0.5 * z)", "2.0 * special.expit(-z)", "", f"{_LOG_2} + special.log_expit(-z)"),
        *("2.0 * np.arctanh(q)", "-special.logit(0.5 * q)"),
        lowest="0.0",
    ),
    "fisk": Continuous(
        "np.log(c) + special.xlogy(c - 1.0, z) + 2.0 * special.log_expit(-c * special.xlogy(1.0, z))",
        *("special.expit(c * special.xlogy(1.0, z))", "special.expit(-c * special.xlogy(1.0, z))"),
        *("special.log_expit(c * special.xlogy(1.0, z))", "special.log_expit(-c * special.xlogy(1.0, z))"),
        *("np.exp(special.logit(q) / c)", "np.exp(-special.logit(q) / c)"),
        lowest="0.0",
    ),
    "burr": Continuous(
        "np.log(c * d) + special.xlogy(c * d - 1.0, z) + (d + 1.0) * special.log_expit(-c * special.xlogy(1.0, z))",
        "np.exp(d * special.log_expit(c * special.xlogy(1.0, z)))",
        "-np.expm1(d * special.log_expit(c * special.xlogy(1.0, z)))",
        "d * special.log_expit(c * special.xlogy(1.0, z))",
        ppf="special.powm1(q, -1.0 / d) ** (-1.0 / c)",
        isf="np.expm1(-np.log1p(-q) / d) ** (-1.0 / c)",
        lowest="0.0",
    ),
    "burr12": Continuous(
        "np.log(c * d) + special.xlogy(c - 1.0, z) + (d + 1.0) * special.log_expit(-c * special.xlogy(1.0, z))",
        "-np.expm1(d * special.log_expit(-c * special.xlogy(1.0, z)))",
        "np.exp(d * special.log_expit(-c * special.xlogy(1.0, z)))",
        logsf="d * special.log_expit(-c * special.xlogy(1.0, z))",
        ppf="np.expm1(-np.log1p(-q) / d) ** (1.0 / c)",
        isf="special.powm1(q, -1.0 / d) ** (1.0 / c)",
        lowest="0.0",
    ),
    "lomax": Continuous(
        "np.log(c) - (c + 1.0) * np.log1p(z)",
        *("-np.expm1(-c * np.log1p(z))", "np.exp(-c * np.log1p(z))", "", "-c * np.log1p(z)"),
        *("np.expm1(-np.log1p(-q) / c)", "special.powm1(q, -1.0 / c)"),
        lowest="0.0",
    ),
    "levy": Continuous(
        f"-{HALF_LOG_2PI} - 1.5 * np.log(z) - 0.5 / z",
        *("special.erfc(np.sqrt(0.5 / z))", "special.erf(np.sqrt(0.5 / z))"),
        ppf="special.ndtri(0.5 * q) ** (-2.0)",
        isf="0.5 * special.erfinv(q) ** (-2.0)",
        lowest="0.0",
        is_open=True,
    ),
    "rice": Continuous(
        "special.xlogy(1.0, z) - 0.5 * (z - b) ** 2 + np.log(special.i0e(z * b))", lowest="0.0", valid=("b >= 0.0",)
    ),
    "exponweib": Continuous(
        "np.log(a * c) + special.xlogy(a - 1.0, -np.expm1(-(z**c))) - z**c + special.xlogy(c - 1.0, z)",
        *(
            "np.exp(a * special.xlog1py(1.0, -np.exp(-(z**c))))",
            "-np.expm1(a * special.xlog1py(1.0, -np.exp(-(z**c))))",
        ),
        logcdf="a * special.xlog1py(1.0, -np.exp(-(z**c)))",
        ppf="(-np.log1p(-(q ** (1.0 / a)))) ** (1.0 / c)",
        lowest="0.0",
    ),
    "exponpow": Continuous(
        "1.0 + np.log(b) + special.xlogy(b - 1.0, z) + z**b - np.exp(z**b)",
        *("-np.expm1(-np.expm1(z**b))", "np.exp(-np.expm1(z**b))", "", "-np.expm1(z**b)"),
        *("np.log1p(-np.log1p(-q)) ** (1.0 / b)", "np.log1p(-np.log(q)) ** (1.0 / b)"),
        lowest="0.0",
    ),
    "gompertz": Continuous(
        "np.log(c) + z - c * np.expm1(z)",
        *("-np.expm1(-c * np.expm1(z))", "np.exp(-c * np.expm1(z))", "", "-c * np.expm1(z)"),
        *("np.log1p(-np.log1p(-q) / c)", "np.log1p(-np.log(q) / c)"),
        lowest="0.0",
    ),
    "genexpon": Continuous(
        f"np.log(a - b * np.expm1(-c * z)) + {_GENEXPON}",
        *(f"-np.expm1{_GENEXPON}", f"np.exp{_GENEXPON}", "", _GENEXPON),
        lowest="0.0",
    ),
    "invweibull": Continuous(
        "np.log(c) - (c + 1.0) * np.log(z) - z ** (-c)",
        *("np.exp(-(z ** (-c)))", "-np.expm1(-(z ** (-c)))", "-(z ** (-c))", ""),
        *("(-np.log(q)) ** (-1.0 / c)", "(-np.log1p(-q)) ** (-1.0 / c)"),
        lowest="0.0",
        is_open=True,
    ),
    "loglaplace": Continuous(
        "np.log(0.5 * c) - c * np.abs(np.log(z)) - np.log(z)",
        "kernels.scipy.choose(z < 1.0, 0.5 * z**c, 1.0 - 0.5 * z ** (-c))",
        "kernels.scipy.choose(z < 1.0, 1.0 - 0.5 * z**c, 0.5 * z ** (-c))",
        ppf="kernels.scipy.choose(q < 0.5, (2.0 * q) ** (1.0 / c), (2.0 * (1.0 - q)) ** (-1.0 / c))",
        isf="kernels.scipy.choose(q > 0.5, (2.0 * (1.0 - q)) ** (1.0 / c), (2.0 * q) ** (-1.0 / c))",
        lowest="0.0",
        is_open=True,
    ),
    "foldnorm": Continuous(
        f"-0.5 * (z - c) ** 2 + np.log1p(np.exp(-2.0 * c * z)) - {HALF_LOG_2PI}",
        "0.5 * (special.erf((z - c) * 0.7071067811865476) + special.erf((z + c) * 0.7071067811865476))",
        "special.ndtr(c - z) + special.ndtr(-z - c)",
        lowest="0.0",
        valid=("c >= 0.0",),
    ),
    "foldcauchy": Continuous(
        f"np.log(1.0 / (1.0 + (z - c) ** 2) + 1.0 / (1.0 + (z + c) ** 2)) - {_LOG_PI}",
        f"{_1_BY_PI} * (np.arctan(z - c) + np.arctan(z + c))",
        f"{_1_BY_PI} * (np.arctan2(1.0, z - c) + np.arctan2(1.0, z + c))",
        lowest="0.0",
        valid=("c >= 0.0",),
    ),
    "ncx2": Continuous(
        "special.xlogy(0.5 * df - 1.0, np.sqrt(z / nc)) - 0.5 * (np.sqrt(z) - np.sqrt(nc)) ** 2"
        f" + np.log(special.ive(0.5 * df - 1.0, np.sqrt(z * nc))) - {_LOG_2}",
        lowest="0.0",
        is_open=True,
    ),
}

# Distributions on intervals.
BOUNDED = {
    "genpareto": Continuous(
        "-(c + 1.0) * kernels.scipy.mean_log1p(c, z)",
        "-np.expm1(-kernels.scipy.mean_log1p(c, z))",
        "np.exp(-kernels.scipy.mean_log1p(c, z))",
        logsf="-kernels.scipy.mean_log1p(c, z)",
        ppf="-special.boxcox1p(-q, -c)",
        isf="-special.boxcox(q, -c)",
        lowest="0.0",
        highest=f"-1.0 / {_BELOW_0}",
        inside="0.0",
        valid=("c == c",),
    ),
    "genextreme": Continuous(
        f"-{_EXTREME} - kernels.scipy.mean_log1p(-c, z) - np.log1p(-c * z)",
        *(f"np.exp(-{_EXTREME})", f"-np.expm1(-{_EXTREME})", f"-{_EXTREME}", ""),
        ppf="-np.log(-np.log(q)) * special.exprel(c * np.log(-np.log(q)))",
        isf="-np.log(-np.log1p(-q)) * special.exprel(c * np.log(-np.log1p(-q)))",
        lowest=f"1.0 / {_BELOW_0}",
        highest=f"1.0 / {_ABOVE_0}",
        inside="0.0",
        is_open=True,
        valid=("c == c",),
    ),
    "powerlaw": Continuous(
        "np.log(a) + special.xlogy(a - 1.0, z)",
        *("z**a", "-special.powm1(z, a)", "a * special.xlogy(1.0, z)", ""),
        *("q ** (1.0 / a)", "(1.0 - q) ** (1.0 / a)"),
        lowest="0.0",
        highest="1.0",
    ),
    "bradford": Continuous(
        "np.log(c) - np.log1p(c * z) - np.log(np.log1p(c))",
        "np.log1p(c * z) / np.log1p(c)",
        ppf="np.expm1(q * np.log1p(c)) / c",
        lowest="0.0",
        highest="1.0",
    ),
    "triang": Continuous(
        "special.xlogy(1.0, kernels.scipy.choose(z < c, 2.0 * z / np.maximum(c, 1e-300),"
        " 2.0 * (1.0 - z) / np.maximum(1.0 - c, 1e-300)))",
        "kernels.scipy.choose(z < c, z * z / np.maximum(c, 1e-300),"
        " 1.0 - (1.0 - z) ** 2 / np.maximum(1.0 - c, 1e-300))",
        "kernels.scipy.choose(z < c, 1.0 - z * z / np.maximum(c, 1e-300),"
        " (1.0 - z) ** 2 / np.maximum(1.0 - c, 1e-300))",
        ppf="kernels.scipy.choose(q < c, np.sqrt(c * q), 1.0 - np.sqrt((1.0 - c) * (1.0 - q)))",
        lowest="0.0",
        highest="1.0",
        valid=("c > 0.0", "c < 1.0"),
    ),
    "johnsonsb": Continuous(
        f"-0.5 * (a + b * special.logit(z)) ** 2 + np.log(b) - np.log(z) - np.log1p(-z) - {HALF_LOG_2PI}",
        *("special.ndtr(a + b * special.logit(z))", "special.ndtr(-a - b * special.logit(z))"),
        ppf="special.expit((special.ndtri(q) - a) / b)",
        isf="special.expit((-special.ndtri(q) - a) / b)",
        lowest="0.0",
        highest="1.0",
        is_open=True,
        is_open_above=True,
        valid=("b > 0.0", "a == a"),
    ),
    "arcsine": Continuous(
        f"-{_LOG_PI} - 0.5 * special.xlogy(1.0, z) - 0.5 * special.xlog1py(1.0, -z)",
        *(f"{_2_BY_PI} * np.arcsin(np.sqrt(z))", f"{_2_BY_PI} * np.arccos(np.sqrt(z))"),
        ppf="np.sin(1.5707963267948966 * q) ** 2",
        isf="np.cos(1.5707963267948966 * q) ** 2",
        lowest="0.0",
        highest="1.0",
    ),
    "loguniform": Continuous(
        "-np.log(z) - np.log(np.log(b) - np.log(a))",
        "(np.log(z) - np.log(a)) / (np.log(b) - np.log(a))",
        "(np.log(b) - np.log(z)) / (np.log(b) - np.log(a))",
        ppf="np.exp(np.log(a) + q * (np.log(b) - np.log(a)))",
        isf="np.exp(np.log(b) - q * (np.log(b) - np.log(a)))",
        lowest="a",
        highest="b",
        inside="a",
        valid=("a > 0.0", "b > a"),
    ),
    "truncexpon": Continuous(
        "-z - np.log(-np.expm1(-b))",
        *("np.expm1(-z) / np.expm1(-b)", "(np.exp(-b) - np.exp(-z)) / np.expm1(-b)"),
        ppf="-np.log1p(q * np.expm1(-b))",
        isf="-np.log(np.exp(-b) - q * np.expm1(-b))",
        lowest="0.0",
        highest="b",
        inside="0.0",
    ),
    "weibull_max": Continuous(
        "np.log(c) + special.xlogy(c - 1.0, -z) - (-z) ** c",
        *("np.exp(-((-z) ** c))", "-np.expm1(-((-z) ** c))", "-((-z) ** c)", ""),
        *("-((-np.log(q)) ** (1.0 / c))", "-((-np.log1p(-q)) ** (1.0 / c))"),
        highest="0.0",
        inside="-0.5",
    ),
    "wrapcauchy": Continuous(
        "np.log1p(-c * c) - np.log1p(c * c - 2.0 * c * np.cos(z)) - 1.8378770664093453",
        f"kernels.scipy.choose(z < np.pi, {_1_BY_PI} * np.arctan((1.0 + c) / (1.0 - c) * np.tan(0.5 * z)),"
        f" 1.0 - {_1_BY_PI} * np.arctan((1.0 + c) / (1.0 - c) * np.tan(np.pi - 0.5 * z)))",
        ppf="kernels.scipy.choose(q < 0.5, 2.0 * np.arctan((1.0 - c) / (1.0 + c) * np.tan(np.pi * q)),"
        " 2.0 * np.pi - 2.0 * np.arctan((1.0 - c) / (1.0 + c) * np.tan(np.pi * (1.0 - q))))",
        lowest="0.0",
        highest="2.0 * np.pi",
        valid=("c > 0.0", "c < 1.0"),
    ),
    "semicircular": Continuous(
        "-0.4515827052894548 + 0.5 * np.log1p(-z * z)",
        f"0.5 + {_1_BY_PI} * (z * np.sqrt(1.0 - z * z) + np.arcsin(z))",
        lowest="-1.0",
        highest="1.0",
        is_open=True,
        is_open_above=True,
    ),
    "cosine": Continuous(
        "np.log1p(np.cos(z)) - 1.8378770664093453",
        lowest="-np.pi",
        highest="np.pi",
    ),
    "anglit": Continuous(
        "np.log(np.cos(2.0 * z))",
        *("np.sin(z + 0.7853981633974483) ** 2", "np.cos(z + 0.7853981633974483) ** 2"),
        ppf="np.arcsin(np.sqrt(q)) - 0.7853981633974483",
        lowest="-0.7853981633974483",
        highest="0.7853981633974483",
    ),
    "vonmises_line": Continuous(
        "kappa * special.cosm1(z) - 1.8378770664093453 - np.log(special.i0e(kappa))",
        *("kernels.scipy.vonmises_cdf(z, kappa)", "1.0 - kernels.scipy.vonmises_cdf(z, kappa)"),
        ppf="kernels.scipy.vonmises_ppf(q, kappa)",
        isf="kernels.scipy.vonmises_ppf(1.0 - q, kappa)",
        lowest="-np.pi",
        highest="np.pi",
        valid=("kappa >= 0.0",),
    ),
    "truncnorm": Continuous(
        f"-0.5 * z * z - {HALF_LOG_2PI} - {_TRUNCATED}",
        *(f"np.exp({_BETWEEN}(a, z) - {_TRUNCATED})", f"np.exp({_BETWEEN}(z, b) - {_TRUNCATED})"),
        *(f"{_BETWEEN}(a, z) - {_TRUNCATED}", f"{_BETWEEN}(z, b) - {_TRUNCATED}"),
        ppf=_truncated_quantile("q"),
        isf=_truncated_quantile("1.0 - q"),
        lowest="a",
        highest="b",
        inside="a",
        valid=("a < b",),
    ),
}

# Distributions on the whole line.
ON_THE_LINE = {
    "gennorm": Continuous(
        "np.log(0.5 * beta) - special.gammaln(1.0 / beta) - np.abs(z) ** beta",
        "kernels.scipy.choose(z > 0.0, 1.0 - 0.5 * special.gammaincc(1.0 / beta, np.abs(z) ** beta),"
        " 0.5 * special.gammaincc(1.0 / beta, np.abs(z) ** beta))",
        "kernels.scipy.choose(z > 0.0, 0.5 * special.gammaincc(1.0 / beta, np.abs(z) ** beta),"
        " 1.0 - 0.5 * special.gammaincc(1.0 / beta, np.abs(z) ** beta))",
        ppf="kernels.scipy.choose(q > 0.5, special.gammainccinv(1.0 / beta, 2.0 * (1.0 - q)) ** (1.0 / beta),"
        " -(special.gammainccinv(1.0 / beta, np.minimum(2.0 * q, 1.0)) ** (1.0 / beta)))",
    ),
    "johnsonsu": Continuous(
        f"-0.5 * (a + b * np.arcsinh(z)) ** 2 + np.log(b) - 0.5 * np.log1p(z * z) - {HALF_LOG_2PI}",
        *("special.ndtr(a + b * np.arcsinh(z))", "special.ndtr(-a - b * np.arcsinh(z))"),
        *("special.log_ndtr(a + b * np.arcsinh(z))", "special.log_ndtr(-a - b * np.arcsinh(z))"),
        *("np.sinh((special.ndtri(q) - a) / b)", "np.sinh((-special.ndtri(q) - a) / b)"),
        valid=("b > 0.0", "a == a"),
    ),
    "laplace_asymmetric": Continuous(
        "-np.abs(z) * kernels.scipy.choose(z >= 0.0, kappa, 1.0 / kappa) - np.log(kappa + 1.0 / kappa)",
        f"kernels.scipy.choose(z >= 0.0, 1.0 - np.exp(-np.abs(z) * kappa) * {_SHARE},"
        f" np.exp(-np.abs(z) / kappa) * (1.0 - {_SHARE}))",
        f"kernels.scipy.choose(z >= 0.0, np.exp(-np.abs(z) * kappa) * {_SHARE},"
        f" 1.0 - np.exp(-np.abs(z) / kappa) * (1.0 - {_SHARE}))",
        ppf=f"kernels.scipy.choose(q >= 1.0 - {_SHARE}, -np.log((1.0 - q) * (1.0 + kappa * kappa)) / kappa,"
        " kappa * np.log(q * (1.0 + kappa**-2.0)))",
    ),
    "moyal": Continuous(
        f"-0.5 * (z + np.exp(-z)) - {HALF_LOG_2PI}",
        "special.erfc(0.7071067811865476 * np.exp(-0.5 * z))",
        "special.erf(0.7071067811865476 * np.exp(-0.5 * z))",
        ppf="-np.log(2.0 * special.erfcinv(q) ** 2)",
        isf="-np.log(2.0 * special.erfinv(q) ** 2)",
    ),
    "hypsecant": Continuous(
        "-0.4515827052894548 - np.abs(z) - np.log1p(np.exp(-2.0 * np.abs(z)))",
        *(f"{_2_BY_PI} * np.arctan(np.exp(z))", f"{_2_BY_PI} * np.arctan(np.exp(-z))"),
        ppf="np.log(np.tan(1.5707963267948966 * q))",
        isf="-np.log(np.tan(1.5707963267948966 * q))",
    ),
    "loggamma": Continuous(
        "c * z - np.exp(z) - special.gammaln(c)",
        *("special.gammainc(c, np.exp(z))", "special.gammaincc(c, np.exp(z))"),
        ppf="np.log(special.gammaincinv(c, q))",
        isf="np.log(special.gammainccinv(c, q))",
    ),
    "genlogistic": Continuous(
        "np.log(c) + c * special.log_expit(z) + special.log_expit(-z)",
        *("np.exp(c * special.log_expit(z))", "-np.expm1(c * special.log_expit(z))", "c * special.log_expit(z)", ""),
        *("-np.log(special.powm1(q, -1.0 / c))", "-np.log(np.expm1(-np.log1p(-q) / c))"),
    ),
    "dgamma": Continuous(
        f"special.xlogy(a - 1.0, np.abs(z)) - np.abs(z) - {_LOG_2} - special.gammaln(a)",
        "kernels.scipy.choose(z > 0.0, 0.5 + 0.5 * special.gammainc(a, np.abs(z)),"
        " 0.5 * special.gammaincc(a, np.abs(z)))",
        "kernels.scipy.choose(z > 0.0, 0.5 * special.gammaincc(a, np.abs(z)),"
        " 0.5 + 0.5 * special.gammainc(a, np.abs(z)))",
    ),
    "dweibull": Continuous(
        f"np.log(c) - {_LOG_2} + special.xlogy(c - 1.0, np.abs(z)) - np.abs(z) ** c",
        "kernels.scipy.choose(z > 0.0, 1.0 - 0.5 * np.exp(-(np.abs(z) ** c)), 0.5 * np.exp(-(np.abs(z) ** c)))",
        "kernels.scipy.choose(z > 0.0, 0.5 * np.exp(-(np.abs(z) ** c)), 1.0 - 0.5 * np.exp(-(np.abs(z) ** c)))",
    ),
    "exponnorm": Continuous(
        "(0.5 / K - z) / K + special.log_ndtr(z - 1.0 / K) - np.log(K)",
        *(f"special.ndtr(z) - {_EXPONNORM}", f"special.ndtr(-z) + {_EXPONNORM}"),
    ),
    "powernorm": Continuous(
        f"np.log(c) - 0.5 * z * z - {HALF_LOG_2PI} + (c - 1.0) * special.log_ndtr(-z)",
        *("-np.expm1(c * special.log_ndtr(-z))", "np.exp(c * special.log_ndtr(-z))", "", "c * special.log_ndtr(-z)"),
        ppf="-special.ndtri((1.0 - q) ** (1.0 / c))",
        isf="-special.ndtri(q ** (1.0 / c))",
    ),
    "norminvgauss": Continuous(
        f"np.log(a) - {_LOG_PI} + np.log(special.k1e(a * np.sqrt(1.0 + z * z))) - 0.5 * np.log1p(z * z)"
        " + (b * z - a * np.sqrt(1.0 + z * z) + np.sqrt(a * a - b * b))",
        valid=("a > 0.0", "np.abs(b) < a"),
    ),
    "skewcauchy": Continuous(
        f"-{_LOG_PI} - np.log1p((z / (1.0 + a * np.sign(z))) ** 2)",
        f"0.5 * (1.0 - a) + (1.0 + a * np.sign(z)) * {_1_BY_PI} * np.arctan(z / (1.0 + a * np.sign(z)))",
        valid=("np.abs(a) < 1.0",),
    ),
    "skewnorm": Continuous(
        f"{_LOG_2} - 0.5 * z * z - {HALF_LOG_2PI} + special.log_ndtr(a * z)",
        *("kernels.scipy.skewnorm_cdf(z, a)", "kernels.scipy.skewnorm_cdf(-z, -a)"),
        ppf="kernels.scipy.skewnorm_ppf(q, a)",
        isf="-kernels.scipy.skewnorm_ppf(q, -a)",
        valid=("a == a",),
    ),
}

FURTHER = {**POSITIVE, **BOUNDED, **ON_THE_LINE}
