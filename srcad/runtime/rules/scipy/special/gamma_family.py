"""Rules of the gamma function's family in `scipy.special`."""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define, partial, refused, zero


@partial(scipy.special.gamma)
def gamma(y, z):
    return y * scipy.special.psi(z)


@partial(scipy.special.gammaln, scipy.special.loggamma)
def gammaln(y, x):
    return scipy.special.psi(x)


@partial(scipy.special.psi)
def psi(y, z):
    return kernels.scipy.polygamma(1, z)


@partial(scipy.special.rgamma)
def rgamma(y, z):
    return kernels.scipy.reciprocal_gamma_slope(z)


@partial(kernels.scipy.reciprocal_gamma_slope)
def reciprocal_gamma_slope(y, x):
    # Not at the poles of psi.
    return scipy.special.rgamma(x) * (scipy.special.psi(x) ** 2 - kernels.scipy.polygamma(1, x))


@define(scipy.special.polygamma)
def polygamma_of_order(n, x):
    return kernels.scipy.polygamma(n, x)


@partial(kernels.scipy.polygamma)
def polygamma(y, n, x):
    return refused, kernels.scipy.polygamma(n + 1, x)


@partial(kernels.scipy.digamma_difference)
def digamma_difference(y, x, h):
    return (
        kernels.scipy.polygamma(1, x + h) - kernels.scipy.polygamma(1, x),
        kernels.scipy.polygamma(1, x + h),
    )


@partial(scipy.special.beta)
def beta(y, a, b):
    return -y * kernels.scipy.digamma_difference(a, b), -y * kernels.scipy.digamma_difference(b, a)


@partial(scipy.special.betaln)
def betaln(y, a, b):
    return -kernels.scipy.digamma_difference(a, b), -kernels.scipy.digamma_difference(b, a)


@partial(scipy.special.binom)
def binom(y, n, k):
    # Not where the result is 0 because k is an integer outside of 0, ..., n.
    return (
        -y * kernels.scipy.digamma_difference(n + 1.0, -k),
        y * kernels.scipy.digamma_difference(k + 1.0, n - 2.0 * k),
    )


@partial(scipy.special.poch)
def poch(y, z, m):
    return y * kernels.scipy.digamma_difference(z, m), y * scipy.special.psi(z + m)


@define(scipy.special.multigammaln)
def multigammaln(a, d):
    total = 0.25 * d * (d - 1) * 1.1447298858494002 + 0.0 * a
    for j in range(d):
        total = total + scipy.special.gammaln(a - 0.5 * j)
    return total


@partial(kernels.scipy.log_gamma_ratio)
def log_gamma_ratio(y, x):
    return kernels.scipy.digamma_difference(x, 0.5)


@partial(scipy.special.stdtr)
def stdtr(y, df, t):
    density = kernels.scipy.t_density(df, t)
    return kernels.scipy.stdtr_slope(df, t), density


@partial(scipy.special.stdtrit)
def stdtrit(t, df, p):
    density = kernels.scipy.t_density(df, t)
    return -kernels.scipy.stdtr_slope(df, t) / density, 1.0 / density


@partial(kernels.scipy.t_density)
def t_density(y, df, t):
    share = t * t / (df + t * t)
    by_df = kernels.scipy.digamma_difference(0.5 * df, 0.5) - 1.0 / df - np.log1p(t * t / df)
    return 0.5 * y * (by_df + (df + 1.0) * share / df), -y * (df + 1.0) * t / (df + t * t)


@partial(kernels.scipy.stdtr_slope)
def stdtr_slope(y, df, t):
    share = t * t / (df + t * t)
    by_df = kernels.scipy.digamma_difference(0.5 * df, 0.5) - 1.0 / df - np.log1p(t * t / df)
    return refused, 0.5 * kernels.scipy.t_density(df, t) * (by_df + (df + 1.0) * share / df)


@partial(kernels.scipy.gamma_density)
def gamma_density(y, a, x):
    return y * (np.log(x) - scipy.special.psi(a)), y * ((a - 1.0) / x - 1.0)


@partial(scipy.special.gammainc)
def gammainc(y, a, x):
    return kernels.scipy.gammainc_slope(a, x), kernels.scipy.gamma_density(a, x)


@partial(scipy.special.gammaincc)
def gammaincc(y, a, x):
    return -kernels.scipy.gammainc_slope(a, x), -kernels.scipy.gamma_density(a, x)


@partial(scipy.special.gammaincinv)
def gammaincinv(x, a, y):
    density = kernels.scipy.gamma_density(a, x)
    return -kernels.scipy.gammainc_slope(a, x) / density, 1.0 / density


@partial(scipy.special.gammainccinv)
def gammainccinv(x, a, y):
    density = kernels.scipy.gamma_density(a, x)
    return -kernels.scipy.gammainc_slope(a, x) / density, -1.0 / density


@partial(kernels.scipy.gammainc_slope)
def gammainc_slope(y, a, x):
    return kernels.scipy.gammainc_bend(a, x), kernels.scipy.gamma_density(a, x) * (np.log(x) - scipy.special.psi(a))


@partial(kernels.scipy.gammainc_bend)
def gammainc_bend(y, a, x):
    shift = np.log(x) - scipy.special.psi(a)
    return refused, kernels.scipy.gamma_density(a, x) * (shift * shift - kernels.scipy.polygamma(1, a))


@partial(kernels.scipy.beta_density)
def beta_density(y, a, b, x):
    return (
        y * (np.log(x) + kernels.scipy.digamma_difference(a, b)),
        y * (np.log1p(-x) + kernels.scipy.digamma_difference(b, a)),
        y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x)),
    )


@partial(scipy.special.betainc)
def betainc(y, a, b, x):
    return (
        kernels.scipy.betainc_slope_a(a, b, x),
        kernels.scipy.betainc_slope_b(a, b, x),
        kernels.scipy.beta_density(a, b, x),
    )


@partial(scipy.special.betaincc)
def betaincc(y, a, b, x):
    return (
        -kernels.scipy.betainc_slope_a(a, b, x),
        -kernels.scipy.betainc_slope_b(a, b, x),
        -kernels.scipy.beta_density(a, b, x),
    )


@partial(scipy.special.betaincinv)
def betaincinv(x, a, b, y):
    density = kernels.scipy.beta_density(a, b, x)
    return (
        -kernels.scipy.betainc_slope_a(a, b, x) / density,
        -kernels.scipy.betainc_slope_b(a, b, x) / density,
        1.0 / density,
    )


@partial(scipy.special.betainccinv)
def betainccinv(x, a, b, y):
    density = kernels.scipy.beta_density(a, b, x)
    return (
        -kernels.scipy.betainc_slope_a(a, b, x) / density,
        -kernels.scipy.betainc_slope_b(a, b, x) / density,
        -1.0 / density,
    )


@partial(kernels.scipy.betainc_slope_a)
def betainc_slope_a(y, a, b, x):
    by_a = np.log(x) + kernels.scipy.digamma_difference(a, b)
    return refused, refused, kernels.scipy.beta_density(a, b, x) * by_a


@partial(kernels.scipy.betainc_slope_b)
def betainc_slope_b(y, a, b, x):
    by_b = np.log1p(-x) + kernels.scipy.digamma_difference(b, a)
    return refused, refused, kernels.scipy.beta_density(a, b, x) * by_b


@define(scipy.special.zeta)
def zeta(x, q=None):
    if q is None:
        return kernels.scipy.riemann_zeta(x)
    return kernels.scipy.hurwitz_zeta(x, q)


@partial(kernels.scipy.hurwitz_zeta)
def hurwitz_zeta(y, s, q):
    return kernels.scipy.hurwitz_zeta_slope(s, q), -s * kernels.scipy.hurwitz_zeta(s + 1.0, q)


@partial(kernels.scipy.hurwitz_zeta_slope)
def hurwitz_zeta_slope(y, s, q):
    return refused, -kernels.scipy.hurwitz_zeta(s + 1.0, q) - s * kernels.scipy.hurwitz_zeta_slope(s + 1.0, q)


@partial(kernels.scipy.riemann_zeta, scipy.special.zetac)
def riemann_zeta(y, s):
    return kernels.scipy.riemann_zeta_slope(s)


@partial(kernels.scipy.riemann_zeta_slope)
def riemann_zeta_slope(y, s):
    return refused


zero(scipy.special.gammasgn, elementwise=True)
