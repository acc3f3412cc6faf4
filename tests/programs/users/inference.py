"""Bayesian and physical inference: hidden states, samplers, fields, spectra."""

import math
import operator
from functools import reduce

import numpy as np
from scipy import sparse, special
from scipy.sparse.linalg import spsolve
from scipy.spatial.distance import cdist

from tests.programs.users.program import UserProgram


def hidden_markov_model(params, observations):
    """Log-likelihood by the forward algorithm, with Poisson emissions, in logarithms.

    Origin: Murphy, "Machine Learning: A Probabilistic Perspective", chapter 17; the package hmmlearn.
    """
    log_pi = special.log_softmax(params["start"])
    log_A = special.log_softmax(params["transition"], axis=1)
    rates = np.exp(params["log_rates"])

    def emission(k):
        return k * np.log(rates) - rates - special.gammaln(k + 1)

    log_alpha = log_pi + emission(observations[0])
    for k in observations[1:]:
        log_alpha = emission(k) + special.logsumexp(log_alpha[:, np.newaxis] + log_A, axis=0)
    return special.logsumexp(log_alpha)


def leapfrog(q, p, grad, step, n):
    p = p - 0.5 * step * grad(q)
    for i in range(n):
        q = q + step * p
        if i != n - 1:
            p = p - step * grad(q)
    p = p - 0.5 * step * grad(q)
    return q, -p


def expected_squared_jump(log_step, log_mass, seed=7, n_chains=5, n_leapfrog=4):
    """Expected squared distance of Hamiltonian Monte Carlo's proposals on a skewed target, to tune step and masses.

    Origin: Neal, "MCMC using Hamiltonian dynamics"; Pasarica and Gelman, "Adaptively scaling the Metropolis algorithm".
    """
    precision = np.array([[2.0, 0.3], [0.3, 1.0]])
    energy = lambda q: 0.5 * q @ precision @ q + 0.1 * np.sum(q**4)
    gradient = lambda q: precision @ q + 0.4 * q**3
    step, mass = np.exp(log_step), np.exp(log_mass)
    rng = np.random.default_rng(seed)
    q = np.zeros(2)
    total = 0.0
    accepted = 0
    for _ in range(n_chains):
        p = rng.normal(size=2) * np.sqrt(mass)
        q_new, p_new = leapfrog(q, p / mass, lambda z: gradient(z) / mass, step, n_leapfrog)
        h_old = energy(q) + 0.5 * np.sum(p**2 / mass)
        h_new = energy(q_new) + 0.5 * np.sum(p_new**2 * mass)
        a = min(1.0, math.exp(h_old - h_new))
        total += a * np.sum((q_new - q) ** 2)
        if rng.random() < a:
            q = q_new
            accepted += 1
    return total / n_chains + 0.01 * accepted


def groundwater_misfit(log_k, recharge, wells):
    """Heads at wells from a steady flow equation whose matrix is sparse.

    Origin: finite volumes as in MODFLOW's manual; SciPy's `scipy.sparse.linalg.spsolve`.
    """
    k = np.exp(log_k)
    n = k.size
    face = 2 * k[:-1] * k[1:] / (k[:-1] + k[1:])
    main = np.zeros(n)
    main[:-1] += face
    main[1:] += face
    main[0] += 2 * k[0]
    main[-1] += 2 * k[-1]
    A = sparse.diags([-face, main, -face], offsets=[-1, 0, 1], format="csc")
    head = spsolve(A, recharge)
    misfit = 0.0
    for index, observed, sigma in wells:
        misfit += ((head[index] - observed) / sigma) ** 2
    return 0.5 * misfit + 0.1 * np.sum(np.diff(log_k) ** 2)


KERNELS = {
    "rbf": lambda d, l: np.exp(-0.5 * (d / l) ** 2),
    "matern32": lambda d, l: (1 + math.sqrt(3) * d / l) * np.exp(-math.sqrt(3) * d / l),
    "rq": lambda d, l, a=1.5: (1 + d**2 / (2 * a * l**2)) ** (-a),
}


def kernel_ridge(X, y, lengths, Xs, ys, kernels=("rbf", "matern32"), alpha=0.1):
    """Error of kernel ridge regression with a product of kernels of distances.

    Origin: Hastie, Tibshirani and Friedman, "The Elements of Statistical Learning"; scikit-learn's KernelRidge.
    """

    def gram(A, B):
        d = cdist(A, B)
        return reduce(operator.mul, (KERNELS[name](d, l) for name, l in zip(kernels, lengths)))

    K = gram(X, X)
    K[np.diag_indices_from(K)] += alpha
    dual = np.linalg.solve(K, y)
    residual = gram(Xs, X) @ dual - ys
    return math.sqrt(np.mean(residual**2))


def markov_arguments():
    rng = np.random.default_rng(0)
    params = {"start": rng.normal(size=3), "transition": rng.normal(size=(3, 3)), "log_rates": np.log([1.0, 4.0, 9.0])}
    return params, rng.poisson(4, 15)


def groundwater_arguments():
    rng = np.random.default_rng(1)
    return 0.3 * rng.normal(size=9), np.full(9, 0.1), [(1, 0.3, 0.1), (4, 0.9, 0.1), (7, 0.4, 0.2)]


def ridge_arguments():
    rng = np.random.default_rng(2)
    X, Xs = rng.normal(size=(8, 2)), rng.normal(size=(5, 2))
    return X, np.sin(X[:, 0]), np.array([1.0, 1.7]), Xs, np.sin(Xs[:, 0])


PROGRAMS = [
    UserProgram(hidden_markov_model, markov_arguments, "params"),
    UserProgram(expected_squared_jump, lambda: (-1.0, np.array([0.2, -0.1])), ("log_step", "log_mass")),
    UserProgram(groundwater_misfit, groundwater_arguments, ("log_k", "recharge")),
    UserProgram(kernel_ridge, ridge_arguments, ("y", "lengths", "Xs", "ys")),
]
