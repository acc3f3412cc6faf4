"""Calls of SciPy's functions for random programs, with the names of `calls` as arguments.

Written from SciPy's reference rather than from srcad's tables, so that a rule that is missing or reads another argument
than SciPy does is met by a program.
"""

from scipy import stats

# Functions of one array, by where it may lie: v anywhere, p from 0.5 to 2, u between -0.8 and 0.8.
UNARY = {
    "v": "erf erfc erfcx erfi dawsn ndtr log_ndtr expit log_expit exprel cosm1 expm1 j0 j1 i0 i0e i1 i1e sinc",
    "p": "gamma gammaln loggamma psi digamma rgamma y0 y1 k0 k1 k0e k1e entr expi exp1 spence log1p cbrt",
    "u": "erfinv ellipk ellipe",
    "(0.5 + 0.5 * u)": "logit ndtri ellipkm1 erfcinv",
}
# Calls with several arguments, one in each line.
OTHERS = """\
special.beta(p, p[::-1])
special.betaln(p, s)
special.binom(3.0 + p, p)
special.poch(p, s)
special.gammainc(p, p[::-1])
special.gammaincc(s, p)
special.betainc(p, s, 0.5 + 0.5 * u)
special.xlogy(v, p)
special.xlog1py(v, p)
special.rel_entr(p, s)
special.kl_div(s, p)
special.huber(s, v)
special.pseudo_huber(s, v)
special.boxcox(p, s)
special.boxcox1p(p, v)
special.inv_boxcox(u, s)
special.jv(1, v)
special.jn(2, p)
special.yv(0.5, p)
special.iv(2, v)
special.kv(1.5, p)
special.polygamma(1, p)
special.zeta(1.5 + p)
special.expn(2, p)
special.eval_legendre(3, u)
special.multigammaln(s + 2.0, 2)
special.hyp1f1(1.0, 2.0, v)
special.hyp2f1(0.5, 1.0, 1.5, u * 0.9)
special.owens_t(v, s)
special.ellipkinc(v, 0.5 + 0.4 * u)
special.logsumexp(m)
special.logsumexp(m, axis=0)
special.logsumexp(c, axis=-1, keepdims=True)
special.logsumexp(v, b=p)
special.softmax(m)
special.softmax(m, axis=1)
special.log_softmax(c, axis=0)
linalg.cholesky(e)
linalg.cholesky(e, lower=True)
linalg.cho_solve(linalg.cho_factor(e), h)
linalg.cho_solve(linalg.cho_factor(e, lower=True), m)
linalg.solve(q, h)
linalg.solve(e, m, assume_a='pos')
linalg.solve(e, h, assume_a='sym', lower=True)
linalg.solve_triangular(t, h, lower=True)
linalg.solve_triangular(t, m, trans=1, lower=True)
linalg.solve_triangular(t.T, h)
linalg.lu_solve(linalg.lu_factor(q), h)
linalg.lu_solve(linalg.lu_factor(q), m, trans=1)
linalg.qr(q, mode='economic')[1]
linalg.expm(0.3 * q)
linalg.inv(q)
linalg.det(q)
linalg.pinv(m)
linalg.norm(m)
linalg.norm(h, 1)
linalg.eigvalsh(e)
linalg.svdvals(m)
linalg.svd(m, full_matrices=False)[1]
linalg.toeplitz(h)
linalg.toeplitz(h, g)
linalg.solve_toeplitz(np.array([5.0, 1.0, 0.5]) * s, np.ones(3) * s)
linalg.lstsq(k, v)[0]
linalg.solve_sylvester(e, e, q)
linalg.block_diag(q, m)
fft.dct(m)
fft.dct(v, type=3, norm='ortho')
fft.dst(m, axis=0)
fft.idct(v)
np.abs(fft.rfft(v)) ** 2
np.real(fft.fft2(m))
signal.convolve(v, h)
signal.convolve(m, q, mode='same')
signal.convolve2d(m, q)
signal.convolve2d(m, q, mode='same', boundary='wrap')
signal.fftconvolve(v, h, mode='full')
signal.correlate(v, h, mode='same')
signal.lfilter(h, np.array([1.0, -0.3, 0.1]), v)
signal.lfilter(h, np.array([1.0, -0.3]) * s, m, axis=0)
signal.detrend(v)
np.imag(signal.hilbert(v))
integrate.trapezoid(m, axis=1)
integrate.trapezoid(v, dx=s)
integrate.simpson(m)
integrate.cumulative_trapezoid(v, initial=0)
stats.multivariate_normal.logpdf(h, g, e)
stats.dirichlet.logpdf(p / np.sum(p), p)
"""
# Shapes of distributions.
FIRST = {
    "norm": "", "t": "p + 2.0", "cauchy": "", "laplace": "", "logistic": "", "lognorm": "s", "expon": "", "gamma": "p",
    "invgamma": "p", "beta": "p, s", "chi2": "p + 1.0", "weibull_min": "p", "pareto": "p", "uniform": "",
    "halfnorm": "", "vonmises": "s", "gumbel_r": "", "gumbel_l": "", "skewnorm": "s", "genpareto": "s",
}  # fmt: skip
SHARES = "(0.5 + 0.5 * u)"
DISCRETE = ("poisson.logpmf(i, p)", "binom.logpmf(i, 5, 0.4 * s)", "bernoulli.logpmf(i % 2, s)", "nbinom.pmf(i, p, s)",
            "geom.logpmf(i + 1, s)", "poisson.cdf(i, p)")  # fmt: skip


def _of_distributions() -> dict[str, tuple[str, ...]]:
    """Methods of continuous distributions within their supports, with and without loc and scale; of discrete ones."""
    found = {f"stats.{text.split('(')[0]}": (f"stats.{text}",) for text in DISCRETE}
    for name, shapes in FIRST.items():
        shapes = f"{shapes}, " if shapes else ""
        low, high = getattr(stats, name).support(*((0.7,) * (shapes.count(","))))
        x = "v" if low == -float("inf") else SHARES if high == 1.0 else f"{low} + p" if high > 3.0 else "u"
        for method in ("logpdf", "pdf", "cdf", "logcdf", "sf", "logsf", "ppf"):
            inside = SHARES if method == "ppf" else x
            found[f"stats.{name}.{method}"] = (
                f"stats.{name}.{method}({inside}, {shapes[:-2]})".replace(", )", ")"),
                f"stats.{name}.{method}({inside}, {shapes}0.0, 1.0 + s)",
                f"stats.{name}({shapes[:-2]}).{method}({inside})",
            )
    return found


def _table() -> dict[str, tuple[str, ...]]:
    """The calls of each function."""
    found: dict[str, tuple[str, ...]] = {}
    for inside, names in UNARY.items():
        found |= {f"special.{name}": (f"special.{name}({inside})",) for name in names.split() if name != "sinc"}
    for line in OTHERS.splitlines():
        name = line.split("(")[0]
        found[name] = (*found.get(name, ()), line)
    return found | _of_distributions()


CALLS = _table()
