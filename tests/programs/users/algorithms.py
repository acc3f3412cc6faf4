"""Algorithms with the containers of Python's library: queues, counters, tables by name, functions by name."""

import functools
import itertools
import logging
import math
from abc import ABC, abstractmethod
from collections import Counter, defaultdict, deque, namedtuple

import numpy as np

from tests.programs.users.program import UserProgram

log = logging.getLogger(__name__)


def spring_network(pos, edges=((0, 1), (1, 2), (0, 2)), rest=1.0, k=10.0):
    """Energy of springs between the neighbours in a graph.

    Origin: the tutorials of NetworkX on force-directed layouts.
    """
    adjacency = defaultdict(set)
    for a, b in edges:
        adjacency[a].add(b)
        adjacency[b].add(a)
    energy = 0.0
    for node, neighbours in adjacency.items():
        for other in sorted(neighbours):
            if other <= node:
                continue
            length = np.linalg.norm(pos[node] - pos[other])
            energy += 0.5 * k * (length - rest) ** 2
    degree = Counter(i for edge in edges for i in edge)
    return energy + sum(0.1 * d * pos[i, 1] for i, d in degree.items())


def autoregressive_forecast(coef, series, horizon=4):
    """Squares of the values that an autoregressive model forecasts from its own forecasts.

    Origin: Hyndman and Athanasopoulos, "Forecasting: Principles and Practice", chapter 9.
    """
    window = deque(series[-len(coef) :], maxlen=len(coef))
    forecasts = []
    for _ in range(horizon):
        value = sum(c * v for c, v in zip(coef, reversed(window), strict=True))
        forecasts.append(value)
        window.append(value)
    return np.sum(np.square(forecasts))


Fit = namedtuple("Fit", "coef residual r2")


def fit_polynomial(x, y, degree):
    V = np.column_stack([x**d for d in range(degree + 1)])
    coef = np.linalg.solve(V.T @ V, V.T @ y)
    residual = y - V @ coef
    return Fit(coef, residual, 1 - residual @ residual / np.sum((y - y.mean()) ** 2))


def model_selection(y, x, degrees=(1, 2, 3)):
    """The smallest of Akaike's criteria of several polynomial fits.

    Origin: VanderPlas, "Python Data Science Handbook", hyperparameters and model validation.
    """
    fits = {degree: fit_polynomial(x, y, degree) for degree in degrees}
    aic = {d: len(y) * np.log(np.mean(fit.residual**2)) + 2 * (d + 1) for d, fit in fits.items()}
    best = min(aic, key=aic.get)
    log.debug("degree %d is the best", best)
    return min(aic.values()) + fits[2].r2


class Optimizer(ABC):
    def __init__(self, lr):
        self.lr = lr

    @abstractmethod
    def update(self, name, p, g): ...


class Momentum(Optimizer):
    def __init__(self, lr, mu=0.9):
        super().__init__(lr)
        self.mu, self.velocity = mu, {}

    def update(self, name, p, g):
        v = self.velocity.get(name, np.zeros_like(p))
        self.velocity[name] = self.mu * v - self.lr * g
        return p + self.velocity[name]


class Adam(Optimizer):
    def __init__(self, lr, b1=0.9, b2=0.999, eps=1e-8):
        super().__init__(lr)
        self.b1, self.b2, self.eps = b1, b2, eps
        self.state = defaultdict(lambda: (0.0, 0.0, 0))

    def update(self, name, p, g):
        m, v, t = self.state[name]
        t += 1
        m = self.b1 * m + (1 - self.b1) * g
        v = self.b2 * v + (1 - self.b2) * g**2
        self.state[name] = (m, v, t)
        return p - self.lr * (m / (1 - self.b1**t)) / (np.sqrt(v / (1 - self.b2**t)) + self.eps)


def unrolled_optimiser(p0, opt, steps=4):
    """Loss after some steps of an optimiser that is chosen by name, by the starting point.

    Origin: the optimisers of deep-learning courses (Stanford's CS231n), with parameters in a dictionary.
    """
    optimizer = {"adam": Adam, "momentum": Momentum}[opt](0.1)
    params = {"a": p0, "b": p0 * 0.5}
    A = np.array([[2.0, 0.3], [0.3, 1.0]])
    for _ in range(steps):
        grads = {k: A @ v - 1.0 for k, v in params.items()}
        params = {k: optimizer.update(k, params[k], grads[k]) for k in params}
    return sum(0.5 * v @ A @ v - v.sum() for v in params.values())


def queue_costs(rates, arrivals=(0.1, 0.5, 0.9, 1.6, 2.0), service=(0.5, 0.7, 0.2, 0.4, 0.3)):
    """Mean waiting time at one server, with a price for its speed.

    Origin: tutorials of SimPy on a single server with arrivals.
    """
    speed, penalty = rates
    free, waits, busy = 0.0, [], 0.0
    waiting = deque(zip(arrivals, service, strict=True))
    for _ in range(len(arrivals)):
        arrival, work = waiting.popleft()
        start = max(arrival, free)
        waits.append(start - arrival)
        busy += work / speed
        free = start + work / speed
    return np.mean(waits) + penalty * speed**2 + busy / free


def forward_algorithm(p_stay, observed=("walk", "shop", "clean", "walk")):
    """Log-likelihood of a hidden Markov model by the forward algorithm, with tables by name.

    Origin: the article of Wikipedia on the forward algorithm and on Viterbi's.
    """
    states = ("Rainy", "Sunny")
    start = {"Rainy": 0.6, "Sunny": 0.4}
    moves = {"Rainy": {"Rainy": p_stay, "Sunny": 1 - p_stay}, "Sunny": {"Rainy": 0.4, "Sunny": 0.6}}
    emits = {"Rainy": {"walk": 0.1, "shop": 0.4, "clean": 0.5}, "Sunny": {"walk": 0.6, "shop": 0.3, "clean": 0.1}}
    table = []
    for i, symbol in enumerate(observed):
        row = {}
        for state in states:
            before = start[state] if i == 0 else sum(table[-1][k] * moves[k][state] for k in states)
            row[state] = emits[state][symbol] * before
        table.append(row)
    return math.log(sum(table[-1].values()))


class Kernel:
    def __add__(self, other):
        return Sum(self, other)

    def __mul__(self, other):
        return Product(self, other)


class RBF(Kernel):
    def __init__(self, length):
        self.length = length

    def __call__(self, a, b):
        return np.exp(-0.5 * (a[:, None] - b[None, :]) ** 2 / self.length**2)


class White(Kernel):
    def __init__(self, level):
        self.level = level

    def __call__(self, a, b):
        return self.level**2 * (a[:, None] == b[None, :])


class Sum(Kernel):
    def __init__(self, *kernels):
        self.kernels = kernels

    def __call__(self, a, b):
        return functools.reduce(np.add, (k(a, b) for k in self.kernels))


class Product(Sum):
    def __call__(self, a, b):
        return functools.reduce(np.multiply, [k(a, b) for k in self.kernels])


def composed_kernels(theta, x, y):
    """Marginal likelihood of a Gaussian process whose kernel is put together by operators.

    Origin: scikit-learn's kernels for Gaussian processes; Rasmussen and Williams, algorithm 2.1.
    """
    length, noise = np.exp(theta)
    K = (RBF(length) * RBF(2 * length) + White(noise))(x, x)
    L = np.linalg.cholesky(K)
    alpha = np.linalg.solve(L.T, np.linalg.solve(L, y))
    return 0.5 * y @ alpha + np.log(np.diag(L)).sum() + 0.5 * len(x) * np.log(2 * np.pi)


def nearest_pair(points, k=2):
    """Sum of the smallest distances between points.

    Origin: recipes of itertools; Cormen et al., "Introduction to Algorithms", closest pairs.
    """
    pairs = list(itertools.combinations(range(len(points)), 2))
    distances = {(i, j): np.sum((points[i] - points[j]) ** 2) for i, j in pairs}
    ranked = sorted(distances.items(), key=lambda entry: entry[1])
    return sum(np.sqrt(d) * (n + 1) for n, (_, d) in enumerate(ranked[:k]))


def draw(seed, *shape):
    return np.random.RandomState(seed).randn(*shape)


PROGRAMS = [
    UserProgram(spring_network, lambda: (draw(7, 3, 2),), "pos"),
    UserProgram(
        autoregressive_forecast, lambda: (np.array([0.5, 0.3, -0.2]), [1.0, 0.8, 1.2, 0.9]), ("coef", "series")
    ),
    UserProgram(model_selection, lambda: (draw(11, 8), np.linspace(-1, 1, 8)), "y"),
    UserProgram(unrolled_optimiser, lambda: (np.array([0.4, -0.7]), "adam"), "p0"),
    UserProgram(queue_costs, lambda: (np.array([0.8, 0.1]),), "rates"),
    UserProgram(forward_algorithm, lambda: (0.7,), "p_stay"),
    UserProgram(composed_kernels, lambda: (np.array([-0.2, -1.0]), np.linspace(0, 2, 5), draw(5, 5)), "theta"),
    UserProgram(nearest_pair, lambda: (draw(3, 4, 2),), "points"),
]
