"""Sparse matrices, trees, neighbours, iterations until something converges."""

import numpy as np

from benchmarks.collection.workload import Workload


def sparse_product(values, columns, starts, x):
    """The squared product of a matrix of compressed rows."""
    total = 0.0
    for i in range(starts.size - 1):
        level = 0.0
        for k in range(starts[i], starts[i + 1]):
            level += values[k] * x[columns[k]]
        total += level * level
    return total


def _sparse(rng, n, each):
    starts = np.concatenate([[0], np.cumsum(rng.integers(0, 2 * each, n))])
    return rng.normal(size=starts[-1]), rng.integers(0, n, starts[-1]), starts, rng.normal(size=n)


def messages_on_edges(features, weights, sender, receiver):
    """One step of messages along the edges of a graph."""
    sent = np.tanh(features[sender] @ weights)
    received = np.zeros_like(features)
    np.add.at(received, receiver, sent)
    return np.sum((features + received) ** 2)


def _graph(rng, nodes, edges, d):
    ends = rng.integers(0, nodes, (2, edges))
    return rng.normal(size=(nodes, d)), rng.normal(size=(d, d)) * 0.3, ends[0], ends[1]


def rank_of_pages(weights, columns, starts, tolerance):
    """The squared ranks of pages, iterated until they change no more."""
    n = starts.size - 1
    rank = np.full(n, 1.0 / n)
    error = 1.0
    while error > tolerance:
        new = np.full(n, 0.15 / n)
        for i in range(n):
            for k in range(starts[i], starts[i + 1]):
                new[columns[k]] += 0.85 * weights[k] * rank[i]
        error = np.sum(np.abs(new - rank))
        rank = new
    return np.sum(rank * rank)


def _pages(rng, n, each):
    starts = each * np.arange(n + 1)
    return rng.uniform(0.5, 1.0, n * each) / each, rng.integers(0, n, n * each), starts, 1e-8


def jacobi_until_converged(a, b, tolerance):
    """The squared solution of a system, by iterations until the residual is small."""
    diagonal = np.diag(a)
    x = np.zeros_like(b)
    error = 1.0
    while error > tolerance:
        residual = b - a @ x
        x = x + residual / diagonal
        error = np.sqrt(np.sum(residual * residual))
    return np.sum(x * x)


def _dominant(rng, n):
    return rng.normal(size=(n, n)) * 0.3 / np.sqrt(n) + 2.0 * np.eye(n), rng.normal(size=n), 1e-10


def tree_of_sums(values, weights, parent):
    """The squared root and branches of a tree whose nodes collect what is below them."""
    n = parent.size
    level = values.copy()
    for i in range(n - 1, 0, -1):
        level[parent[i]] += weights[i] * np.tanh(level[i])
    return np.sum(level**2)


def _tree(rng, n):
    parent = np.array([0, *(rng.integers(max(0, i - 10), i) for i in range(1, n))])
    return rng.normal(size=n), rng.normal(size=n) * 0.3, parent


def nearest_regression(points, values, queries, wanted, k):
    """The error of predictions by the nearest points, weighted by distance."""
    n, d = points.shape
    total = 0.0
    for q in range(queries.shape[0]):
        distance = np.empty(n)
        for i in range(n):
            square = 0.0
            for a in range(d):
                square += (points[i, a] - queries[q, a]) ** 2
            distance[i] = square
        order = np.argsort(distance)
        mass, level = 0.0, 0.0
        for j in range(k):
            weight = 1.0 / (0.1 + distance[order[j]])
            mass += weight
            level += weight * values[order[j]]
        total += (level / mass - wanted[q]) ** 2
    return total


def _nearest(rng, n, d, queries, k):
    return rng.normal(size=(n, d)), rng.normal(size=n), rng.normal(size=(queries, d)), rng.normal(size=queries), k


def kepler_equation(mean, eccentricity, observed):
    """The squared error of anomalies, each found by Newton's method."""
    total = 0.0
    for i in range(mean.size):
        e = mean[i]
        step = 1.0
        while abs(step) > 1e-12:
            step = (e - eccentricity * np.sin(e) - mean[i]) / (1.0 - eccentricity * np.cos(e))
            e -= step
        total += (np.cos(e) - eccentricity - observed[i]) ** 2
    return total


def _kepler(rng, n):
    return rng.uniform(0.2, 3.0, n), 0.3, rng.normal(size=n)


def segment_softmax(scores, segment, values, many):
    """The squared sums of values, weighted by a softmax within segments."""
    top = np.full(many, -1e300)
    for i in range(scores.size):
        top[segment[i]] = max(top[segment[i]], scores[i])
    mass = np.zeros(many)
    level = np.zeros(many)
    for i in range(scores.size):
        weight = np.exp(scores[i] - top[segment[i]])
        mass[segment[i]] += weight
        level[segment[i]] += weight * values[i]
    return np.sum((level / mass) ** 2)


def _segments(rng, n, many):
    segment = np.concatenate([np.arange(many), rng.integers(0, many, n - many)])
    return rng.normal(size=n), segment, rng.normal(size=n), many


WORKLOADS = (
    Workload(sparse_product, _sparse, (4, 2), (20000, 8), (0, 3)),
    Workload(messages_on_edges, _graph, (4, 6, 3), (1000, 8000, 16), (0, 1)),
    Workload(rank_of_pages, _pages, (4, 2), (1000, 8), (0,)),
    Workload(jacobi_until_converged, _dominant, (4,), (300,), (0, 1)),
    Workload(tree_of_sums, _tree, (6,), (50000,), (0, 1)),
    Workload(nearest_regression, _nearest, (6, 2, 3, 2), (500, 3, 100, 8), (0, 1, 2)),
    Workload(kepler_equation, _kepler, (4,), (10000,), (0, 1)),
    Workload(segment_softmax, _segments, (7, 3), (100000, 500), (0, 2)),
)
