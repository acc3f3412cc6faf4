"""Objectives and algorithms of optimisation, differentiated through."""

import functools
import time

import numpy as np
from scipy import optimize

from tests.programs.users.program import UserProgram


def timed(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        started = time.perf_counter()
        result = f(*args, **kwargs)
        wrapper.elapsed = time.perf_counter() - started
        return result

    return wrapper


def make_rosenbrock(a=1.0, b=100.0):
    def rosenbrock(x):
        return sum(b * (x[i + 1] - x[i] ** 2) ** 2 + (a - x[i]) ** 2 for i in range(len(x) - 1))

    return rosenbrock


def rastrigin(x, A=10):
    return A * x.size + np.sum(x**2 - A * np.cos(2 * np.pi * x))


def ackley(x, a=20, b=0.2, c=2 * np.pi):
    n = x.size
    return -a * np.exp(-b * np.sqrt(np.sum(x**2) / n)) - np.exp(np.sum(np.cos(c * x)) / n) + a + np.e


@timed
def benchmark_functions(x, weights=None):
    """A weighted sum of functions that optimisers are tested on.

    Origin: Jamil and Yang, "A literature survey of benchmark functions"; SciPy's benchmark suite.
    """
    functions = {"rosenbrock": make_rosenbrock(b=10.0), "rastrigin": rastrigin, "ackley": ackley}
    weights = weights or {}
    return sum(weights.get(name, 1.0) * f(x) for name, f in functions.items())


class Adam:
    def __init__(self, lr=0.01, betas=(0.9, 0.999), eps=1e-8):
        self.lr, self.betas, self.eps = lr, betas, eps
        self.m = self.v = None
        self.t = 0

    def step(self, params, grads):
        if self.m is None:
            self.m = [np.zeros_like(p) for p in params]
            self.v = [np.zeros_like(p) for p in params]
        self.t += 1
        b1, b2 = self.betas
        updated = []
        for i, (p, g) in enumerate(zip(params, grads)):
            self.m[i] = b1 * self.m[i] + (1 - b1) * g
            self.v[i] = b2 * self.v[i] + (1 - b2) * g**2
            m_hat = self.m[i] / (1 - b1**self.t)
            v_hat = self.v[i] / (1 - b2**self.t)
            updated.append(p - self.lr * m_hat / (np.sqrt(v_hat) + self.eps))
        return updated


def hypergradient(log_lr, log_penalty, X_train, y_train, X_val, y_val, epochs=8):
    """Validation loss after training with Adam, as a function of learning rate and penalty.

    Origin: Maclaurin, Duvenaud and Adams, "Gradient-based hyperparameter optimization"; Kingma and Ba, "Adam".
    """
    optimiser = Adam(lr=np.exp(log_lr))
    w, b = np.full(X_train.shape[1], 0.1), np.array(0.2)
    for epoch in range(epochs):
        r = X_train @ w + b - y_train
        grads = [2 * X_train.T @ r / len(r) + 2 * np.exp(log_penalty) * w, 2 * r.mean()]
        w, b = optimiser.step([w, b], grads)
    return np.mean((X_val @ w + b - y_val) ** 2)


def sinkhorn(C, a, b, reg=0.1, max_iter=200, tol=1e-9):
    K = np.exp(-C / reg)
    u = np.ones_like(a)
    err, it = np.inf, 0
    while err > tol and it < max_iter:
        v = b / (K.T @ u)
        u = a / (K @ v)
        if it % 10 == 0:
            marginal = v * (K.T @ u)
            err = np.linalg.norm(marginal - b)
        it += 1
    return u[:, None] * K * v[None, :]


def optimal_transport_cost(xs, xt, a=None):
    """Transport between two clouds of points, regularised by entropy.

    Origin: Cuturi, "Sinkhorn distances"; the package POT, `ot.sinkhorn`.
    """
    n, m = len(xs), len(xt)
    a = np.ones(n) / n if a is None else a / a.sum()
    b = np.ones(m) / m
    C = ((xs[:, None] - xt[None]) ** 2).sum(-1)
    plan = sinkhorn(C, a, b, reg=0.5 * np.median(C))
    return np.sum(plan * C)


def equilibrium(prices, endowments, shares):
    def excess(logp):
        p = np.exp(np.append(logp, 0.0))
        income = endowments @ p
        demand = shares * income[:, None] / p
        return (demand - endowments).sum(axis=0)[:-1]

    solution = optimize.root(excess, np.log(prices), tol=1e-12)
    return np.exp(np.append(solution.x, 0.0))


def market_welfare(endowments, preferences):
    """Welfare in the equilibrium of an exchange economy with Cobb and Douglas' utilities, by a root finder.

    Origin: Mas-Colell, Whinston and Green, "Microeconomic Theory", chapter 15; QuantEcon's lectures.
    """
    shares = np.exp(preferences)
    shares /= shares.sum(axis=1, keepdims=True)
    p = equilibrium(np.ones(endowments.shape[1] - 1), endowments, shares)
    utility = np.sum(shares * np.log(shares * (endowments @ p)[:, None] / p), axis=1)
    return utility.min() + 0.1 * utility.sum()


def regression_arguments():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 3))
    y = X @ np.array([1.0, -0.5, 0.2]) + 0.1 * rng.normal(size=12)
    return -2.0, -3.0, X[:8], y[:8], X[8:], y[8:]


def clouds():
    rng = np.random.default_rng(1)
    return rng.normal(size=(5, 2)), rng.normal(size=(6, 2)) + 1.0, rng.random(5) + 0.5


def economy():
    rng = np.random.default_rng(2)
    return rng.random((3, 3)) + 0.5, rng.normal(size=(3, 3)) * 0.5


PROGRAMS = [
    UserProgram(benchmark_functions, lambda: (np.array([0.3, -0.8, 1.2]), {"rastrigin": 0.1}), "x"),
    UserProgram(hypergradient, regression_arguments, ("log_lr", "log_penalty", "X_train")),
    UserProgram(optimal_transport_cost, clouds, ("xs", "xt", "a"), rtol=1e-5),
    UserProgram(market_welfare, economy, ("endowments", "preferences"), rtol=1e-5),
]
