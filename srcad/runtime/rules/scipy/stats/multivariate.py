"""Definitions of the densities of distributions of vectors and matrices in `scipy.stats`."""

import numpy as np
import scipy.special
import scipy.stats

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import define


@define(scipy.stats.multivariate_normal.logpdf)
def multivariate_normal_logpdf(x, mean=None, cov=1, allow_singular=False):
    if allow_singular:
        raise NotImplementedError("scipy.stats.multivariate_normal has a derivative where `cov` is regular")
    if np.ndim(cov) == 2:
        return kernels.scipy.normal_log_density(x if mean is None else x - mean, cov)
    if np.ndim(cov) == 1:
        return kernels.scipy.normal_log_density(x if mean is None else x - mean, np.diag(cov))
    if mean is None or np.ndim(mean) != 1:
        raise NotImplementedError("scipy.stats.multivariate_normal has a derivative with a vector as `mean`")
    return kernels.scipy.normal_log_density(x - mean, cov * np.eye(mean.shape[0]))


@define(kernels.scipy.normal_log_density)
def normal_log_density(apart, cov):
    factor = np.linalg.cholesky(cov)
    z = kernels.scipy.triangular_solve(factor, np.transpose(apart), True, False)
    constant = 0.9189385332046727 * cov.shape[0] + np.sum(np.log(np.diag(factor)))
    return -0.5 * np.sum(z * z, axis=0) - constant


@define(scipy.stats.multivariate_normal.pdf)
def multivariate_normal_pdf(x, mean=None, cov=1, allow_singular=False):
    return np.exp(scipy.stats.multivariate_normal.logpdf(x, mean, cov, allow_singular))


@define(scipy.stats.multivariate_t.logpdf)
def multivariate_t_logpdf(x, loc=None, shape=1, df=1):
    if np.ndim(shape) != 2:
        raise NotImplementedError("scipy.stats.multivariate_t has a derivative with a matrix as `shape`")
    size = shape.shape[0]
    factor = np.linalg.cholesky(shape)
    apart = x if loc is None else x - loc
    z = kernels.scipy.triangular_solve(factor, np.transpose(apart), True, False)
    half = 0.5 * (df + size)
    constant = scipy.special.gammaln(half) - scipy.special.gammaln(0.5 * df) - 0.5 * size * np.log(np.pi * df)
    return constant - np.sum(np.log(np.diag(factor))) - half * np.log1p(np.sum(z * z, axis=0) / df)


@define(scipy.stats.multivariate_t.pdf)
def multivariate_t_pdf(x, loc=None, shape=1, df=1, allow_singular=False):
    if allow_singular:
        raise NotImplementedError("scipy.stats.multivariate_t has a derivative where `shape` is regular")
    return np.exp(scipy.stats.multivariate_t.logpdf(x, loc, shape, df))


@define(scipy.stats.dirichlet.logpdf)
def dirichlet_logpdf(x, alpha):
    last = x
    if x.shape[0] == alpha.shape[0] - 1:
        last = np.concatenate((x, 1.0 - np.sum(x, axis=0, keepdims=True)))
    norm = np.sum(scipy.special.gammaln(alpha)) - scipy.special.gammaln(np.sum(alpha))
    return np.sum(np.transpose(scipy.special.xlogy(alpha - 1.0, np.transpose(last))), axis=0) - norm


@define(scipy.stats.dirichlet.pdf)
def dirichlet_pdf(x, alpha):
    return np.exp(scipy.stats.dirichlet.logpdf(x, alpha))


@define(scipy.stats.multinomial.logpmf)
def multinomial_logpmf(x, n, p):
    if np.ndim(p) != 1:
        raise NotImplementedError("scipy.stats.multinomial has a derivative with a vector as `p`")
    x, n = kernels.scipy.count(x), kernels.scipy.count(n)
    rest = 1.0 - np.sum(p[:-1])  # SciPy replaces the last probability by this
    whole = np.concatenate((p[:-1], np.full(1, rest)))
    terms = scipy.special.xlogy(x, whole) - scipy.special.gammaln(x + 1.0)
    value = scipy.special.gammaln(n + 1.0) + np.sum(terms, axis=-1)
    return kernels.scipy.choose(np.sum(x, axis=-1) == n, value, -np.inf)


@define(scipy.stats.multinomial.pmf)
def multinomial_pmf(x, n, p):
    return np.exp(scipy.stats.multinomial.logpmf(x, n, p))


@define(scipy.stats.dirichlet_multinomial.logpmf)
def dirichlet_multinomial_logpmf(x, alpha, n):
    if np.ndim(alpha) != 1:
        raise NotImplementedError("scipy.stats.dirichlet_multinomial has a derivative with a vector as `alpha`")
    x, n = kernels.scipy.count(x), kernels.scipy.count(n)
    total = np.sum(alpha)
    terms = scipy.special.gammaln(x + alpha) - scipy.special.gammaln(alpha) - scipy.special.gammaln(x + 1.0)
    norm = scipy.special.gammaln(total) + scipy.special.gammaln(n + 1.0) - scipy.special.gammaln(n + total)
    return kernels.scipy.choose(np.sum(x, axis=-1) == n, norm + np.sum(terms, axis=-1), -np.inf)


@define(scipy.stats.dirichlet_multinomial.pmf)
def dirichlet_multinomial_pmf(x, alpha, n):
    return np.exp(scipy.stats.dirichlet_multinomial.logpmf(x, alpha, n))


@define(scipy.stats.wishart.logpdf)
def wishart_logpdf(x, df, scale):
    if np.ndim(scale) != 2 or np.ndim(x) != 2:
        raise NotImplementedError("scipy.stats.wishart has a derivative with matrices as `x` and `scale`")
    size = scale.shape[0]
    of_scale, of_x = np.linalg.cholesky(scale), np.linalg.cholesky(x)
    half = kernels.scipy.triangular_solve(of_scale, x, True, False)
    trace = np.trace(kernels.scipy.triangular_solve(of_scale, half, True, True))
    log_x, log_scale = np.sum(np.log(np.diag(of_x))), np.sum(np.log(np.diag(of_scale)))
    norm = 0.34657359027997264 * df * size + df * log_scale + scipy.special.multigammaln(0.5 * df, size)
    return (df - size - 1.0) * log_x - 0.5 * trace - norm


@define(scipy.stats.wishart.pdf)
def wishart_pdf(x, df, scale):
    return np.exp(scipy.stats.wishart.logpdf(x, df, scale))


@define(scipy.stats.invwishart.logpdf)
def invwishart_logpdf(x, df, scale):
    if np.ndim(scale) != 2 or np.ndim(x) != 2:
        raise NotImplementedError("scipy.stats.invwishart has a derivative with matrices as `x` and `scale`")
    size = scale.shape[0]
    of_scale, of_x = np.linalg.cholesky(scale), np.linalg.cholesky(x)
    half = kernels.scipy.triangular_solve(of_x, of_scale, True, False)
    log_x, log_scale = np.sum(np.log(np.diag(of_x))), np.sum(np.log(np.diag(of_scale)))
    norm = 0.34657359027997264 * df * size - df * log_scale + scipy.special.multigammaln(0.5 * df, size)
    return -(df + size + 1.0) * log_x - 0.5 * np.sum(half * half) - norm


@define(scipy.stats.invwishart.pdf)
def invwishart_pdf(x, df, scale):
    return np.exp(scipy.stats.invwishart.logpdf(x, df, scale))


@define(scipy.stats.matrix_normal.logpdf)
def matrix_normal_logpdf(X, mean=None, rowcov=1, colcov=1):
    if np.ndim(X) != 2 or np.ndim(rowcov) != 2 or np.ndim(colcov) != 2:
        raise NotImplementedError("scipy.stats.matrix_normal has a derivative with matrices as `X`, `rowcov`, `colcov`")
    apart = X if mean is None else X - mean
    of_rows, of_columns = np.linalg.cholesky(rowcov), np.linalg.cholesky(colcov)
    half = kernels.scipy.triangular_solve(of_rows, apart, True, False)
    z = kernels.scipy.triangular_solve(of_columns, np.transpose(half), True, False)
    n, p = X.shape
    logs = p * np.sum(np.log(np.diag(of_rows))) + n * np.sum(np.log(np.diag(of_columns)))
    return -0.5 * np.sum(z * z) - logs - 0.9189385332046727 * n * p


@define(scipy.stats.matrix_normal.pdf)
def matrix_normal_pdf(X, mean=None, rowcov=1, colcov=1):
    return np.exp(scipy.stats.matrix_normal.logpdf(X, mean, rowcov, colcov))


@define(scipy.stats.vonmises_fisher.logpdf)
def vonmises_fisher_logpdf(x, mu=None, kappa=1):
    if mu is None:
        raise NotImplementedError("scipy.stats.vonmises_fisher has a derivative with a vector as `mu`")
    half = 0.5 * mu.shape[0]
    scaled = np.log(scipy.special.ive(half - 1.0, kappa)) + kappa - (half - 1.0) * np.log(kappa)
    return kappa * np.sum(x * mu, axis=-1) - scaled - 1.8378770664093453 * half


@define(scipy.stats.vonmises_fisher.pdf)
def vonmises_fisher_pdf(x, mu=None, kappa=1):
    return np.exp(scipy.stats.vonmises_fisher.logpdf(x, mu, kappa))
