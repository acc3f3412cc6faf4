"""Likelihoods as statisticians write them."""

import math
import warnings
from functools import partial

import numpy as np
from scipy import linalg, special, stats
from scipy.spatial import distance

from tests.programs.users.program import UserProgram


def logistic_regression(beta, X, y, penalty=None, alpha=1.0, sample_weight=None):
    """Penalised negative log-likelihood of binary outcomes."""
    n, p = X.shape
    if sample_weight is None:
        sample_weight = np.ones(n)
    intercept, coef = beta[0], beta[1:]
    eta = X @ coef + intercept
    loss = np.sum(sample_weight * (np.logaddexp(0, eta) - y * eta)) / sample_weight.sum()
    if penalty is None:
        return loss
    if penalty == "l2":
        loss += 0.5 * alpha * coef @ coef
    elif penalty == "l1":
        loss += alpha * np.abs(coef).sum()
    elif penalty == "elasticnet":
        loss += alpha * (0.5 * np.abs(coef).sum() + 0.25 * np.dot(coef, coef))
    else:
        raise ValueError("penalty must be None, 'l1', 'l2' or 'elasticnet', got {}".format(penalty))
    return loss


def ridge_logistic(beta, X, y):
    """Penalised logistic regression.

    Origin: scikit-learn's LogisticRegression and its options `penalty`, `sample_weight`.
    """
    return logistic_regression(beta, X, y, penalty="l2", alpha=0.3)


class GaussianProcess:
    """Regression with a sum of kernels; `log_marginal_likelihood` takes the logarithms of the hyperparameters."""

    def __init__(self, X, y, jitter=1e-8, max_tries=5):
        self.X = np.asarray(X)
        self.y = y
        self.jitter = jitter
        self.max_tries = max_tries

    def kernel(self, A, B, amplitude, length):
        d2 = np.sum(A**2, axis=1)[:, None] + np.sum(B**2, axis=1)[None, :] - 2 * A @ B.T
        d2 = np.maximum(d2, 0.0)
        return amplitude**2 * np.exp(-0.5 * d2 / length**2)

    def factor(self, K):
        jitter = self.jitter
        for _ in range(self.max_tries):
            try:
                return linalg.cho_factor(K + jitter * np.eye(len(K)), lower=True)
            except linalg.LinAlgError:
                warnings.warn(f"matrix is not positive definite, jitter {jitter:g}")
                jitter *= 10
        raise linalg.LinAlgError("matrix is not positive definite, even with jitter")

    def log_marginal_likelihood(self, theta):
        amplitude, length, noise = np.exp(theta)
        K = self.kernel(self.X, self.X, amplitude, length) + noise**2 * np.eye(len(self.y))
        L, lower = self.factor(K)
        alpha = linalg.cho_solve((L, lower), self.y)
        return -0.5 * self.y @ alpha - np.log(np.diag(L)).sum() - 0.5 * len(self.y) * math.log(2 * math.pi)


def gaussian_process_evidence(theta, X, y):
    """Log marginal likelihood with a Cholesky factor that gets more jitter until it exists.

    Origin: Rasmussen and Williams, "Gaussian Processes for Machine Learning", algorithm 2.1; GPy's `jitchol`.
    """
    model = GaussianProcess(X, y)
    return model.log_marginal_likelihood(theta)


def mixture_log_likelihood(params, data):
    """Mixture of normal distributions, weights by softmax, by `scipy.stats` and `logsumexp`.

    Origin: Bishop, "Pattern Recognition and Machine Learning", section 9.2.
    """
    weights = special.softmax(params["logits"])
    component = []
    for k, w in enumerate(weights):
        scale = np.exp(params["log_scales"][k])
        component.append(np.log(w) + stats.norm.logpdf(data, loc=params["means"][k], scale=scale))
    prior = partial(stats.norm.logpdf, loc=0.0, scale=10.0)
    return special.logsumexp(np.array(component), axis=0).sum() + prior(params["means"]).sum()


def weibull_survival(params, times, events, covariates, eps=1e-12):
    """Weibull regression of survival times with censoring.

    Origin: lifelines' WeibullAFTFitter; Kalbfleisch and Prentice, "The Statistical Analysis of Failure Time Data".
    """
    log_rho, *coefs = params
    rho = np.exp(log_rho)
    lam = np.exp(coefs[0] + covariates @ np.array(coefs[1:]))
    z = times / lam
    cumulative_hazard = z**rho
    with np.errstate(divide="ignore"):
        log_hazard = np.log(rho) - np.log(lam) + (rho - 1) * np.log(np.clip(z, eps, None))
    ll = np.where(events == 1, log_hazard, 0.0) - cumulative_hazard
    if not np.all(np.isfinite(ll)):
        return -np.inf
    return ll.sum()


def logistic_arguments():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 3))
    y = (X @ np.array([1.0, -2.0, 0.5]) + rng.logistic(size=30) > 0).astype(int)
    return rng.normal(size=4), X, y


def process_arguments():
    rng = np.random.default_rng(1)
    X = rng.uniform(-2, 2, size=(12, 2))
    return np.array([0.1, -0.2, -1.0]), X, np.sin(X[:, 0]) + 0.1 * rng.normal(size=12)


def mixture_arguments():
    rng = np.random.default_rng(2)
    params = {"logits": np.array([0.1, -0.3, 0.4]), "means": np.array([-2.0, 0.3, 2.5]), "log_scales": np.zeros(3)}
    return params, rng.normal(size=25) * 2


def survival_arguments():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(20, 2))
    return np.array([0.2, 1.0, 0.3, -0.2]), rng.weibull(1.5, 20) * 3, rng.integers(0, 2, 20), x


def kriging_error(log_params, sites, values, queries, truth):
    """Squared error of kriging with a Matern kernel, whose distances are 0 on the diagonal.

    Origin: Rasmussen and Williams, "Gaussian Processes for Machine Learning", chapter 2; SciPy's `cdist`.
    """
    scale, amplitude, noise = np.exp(log_params)

    def matern(one, other):
        r = np.sqrt(3.0) * distance.cdist(one, other) / scale
        return amplitude * (1.0 + r) * np.exp(-r)

    K = matern(sites, sites) + noise * np.eye(len(sites))
    weights = linalg.cho_solve(linalg.cho_factor(K, lower=True), values)
    return np.mean((matern(queries, sites) @ weights - truth) ** 2)


def kriging_arguments():
    rng = np.random.default_rng(8)
    sites, queries = rng.normal(size=(7, 2)), rng.normal(size=(4, 2))
    return np.log(np.array([0.9, 1.2, 0.1])), sites, np.sin(sites[:, 0]), queries, np.sin(queries[:, 0])


PROGRAMS = [
    UserProgram(kriging_error, kriging_arguments, ("log_params", "sites", "queries")),
    UserProgram(ridge_logistic, logistic_arguments, "beta"),
    UserProgram(gaussian_process_evidence, process_arguments, "theta"),
    UserProgram(mixture_log_likelihood, mixture_arguments, "params"),
    UserProgram(weibull_survival, survival_arguments, "params"),
]
