"""Neural networks."""

import math

import numpy as np

from benchmarks.programs.sample import Sample


def residual_network(weights, biases, x, target):
    """The loss of a network with residual connections and layers of one size, for a batch."""
    hidden = x
    for layer in range(weights.shape[0]):
        hidden = hidden + np.tanh(hidden @ weights[layer] + biases[layer])
    return np.mean((hidden - target) ** 2)


def gated_recurrent_unit(w, u, b, inputs, target):
    """The loss of a gated recurrent unit at the last step; gates are rows of one matrix."""
    size = b.shape[1]
    h = np.zeros(size)
    for t in range(inputs.shape[0]):
        update = 1.0 / (1.0 + np.exp(-(w[0] @ inputs[t] + u[0] @ h + b[0])))
        reset = 1.0 / (1.0 + np.exp(-(w[1] @ inputs[t] + u[1] @ h + b[1])))
        candidate = np.tanh(w[2] @ inputs[t] + u[2] @ (reset * h) + b[2])
        h = (1.0 - update) * h + update * candidate
    return np.sum((h - target) ** 2)


def attention_head(x, query, key, value, target):
    """The loss of one head of causal attention."""
    q, k, v = x @ query, x @ key, x @ value
    scores = q @ k.T / math.sqrt(q.shape[1])
    n = x.shape[0]
    out = np.zeros_like(v)
    for i in range(n):
        row = scores[i, : i + 1]
        weights = np.exp(row - np.max(row))
        weights = weights / np.sum(weights)
        out[i] = weights @ v[: i + 1]
    return np.mean((out - target) ** 2)


def convolution_layer(images, filters, bias, weights):
    """A weighted sum of a convolution, a rectifier, and the largest of each two by two outputs."""
    count, rows, columns = images.shape
    kinds, size, _ = filters.shape
    total = 0.0
    for n in range(count):
        for f in range(kinds):
            out = np.zeros((rows - size + 1, columns - size + 1))
            for i in range(rows - size + 1):
                for j in range(columns - size + 1):
                    value = bias[f]
                    for a in range(size):
                        for b in range(size):
                            value += filters[f, a, b] * images[n, i + a, j + b]
                    out[i, j] = max(value, 0.0)
            for i in range(0, rows - size, 2):
                for j in range(0, columns - size, 2):
                    largest = max(out[i, j], out[i, j + 1], out[i + 1, j], out[i + 1, j + 1])
                    total += weights[f, i // 2, j // 2] * largest
    return total


def batch_normalised_network(w1, gain, shift, w2, x, target):
    """The loss of a network with one layer that is normalised over the batch."""
    hidden = x @ w1
    centred = hidden - np.mean(hidden, axis=0)
    scale = np.sqrt(np.mean(centred**2, axis=0) + 1e-5)
    active = np.maximum(gain * centred / scale + shift, 0.0)
    return np.mean((active @ w2 - target) ** 2)


def skip_gram(vectors, contexts, pairs, negatives):
    """The loss of word vectors by negative sampling, word pair by word pair."""
    total = 0.0
    size = vectors.shape[1]
    for p in range(pairs.shape[0]):
        word, context = pairs[p, 0], pairs[p, 1]
        score = 0.0
        for k in range(size):
            score += vectors[word, k] * contexts[context, k]
        total += math.log(1.0 + math.exp(-score))
        for n in range(negatives.shape[1]):
            other = negatives[p, n]
            score = 0.0
            for k in range(size):
                score += vectors[word, k] * contexts[other, k]
            total += math.log(1.0 + math.exp(score))
    return total / pairs.shape[0]


def graph_network(features, weights, sources, targets, labels):
    """The loss of two rounds of messages along the edges of a graph."""
    state = features.copy()
    nodes, size = state.shape
    for layer in range(weights.shape[0]):
        gathered = np.zeros((nodes, size))
        for e in range(sources.size):
            gathered[targets[e]] += state[sources[e]]
        state = np.tanh(gathered @ weights[layer] + state)
    return np.sum((state[:, 0] - labels) ** 2)


def physics_informed_network(w1, b1, w2, points):
    """The residual of u'' = -u at some points, the derivatives of a small network being written out."""
    total = 0.0
    for p in range(points.size):
        u = 0.0
        second = 0.0
        for k in range(b1.size):
            y = math.tanh(w1[k] * points[p] + b1[k])
            slope = 1.0 - y * y
            u += w2[k] * y
            second += w2[k] * w1[k] * w1[k] * (-2.0 * y * slope)
        total += (second + u) ** 2
    return total / points.size


PROGRAMS = (
    Sample(
        residual_network,
        lambda rng: (
            0.3 * rng.normal(size=(4, 16, 16)),
            0.1 * rng.normal(size=(4, 16)),
            rng.normal(size=(32, 16)),
            rng.normal(size=(32, 16)),
        ),
        (0, 1),
    ),
    Sample(
        gated_recurrent_unit,
        lambda rng: (
            0.3 * rng.normal(size=(3, 16, 8)),
            0.3 * rng.normal(size=(3, 16, 16)),
            0.1 * rng.normal(size=(3, 16)),
            rng.normal(size=(30, 8)),
            rng.normal(size=16),
        ),
        (0, 1, 2),
    ),
    Sample(
        attention_head,
        lambda rng: (
            rng.normal(size=(32, 16)),
            rng.normal(size=(16, 8)),
            rng.normal(size=(16, 8)),
            rng.normal(size=(16, 8)),
            rng.normal(size=(32, 8)),
        ),
        (0, 1, 2, 3),
    ),
    Sample(
        convolution_layer,
        lambda rng: (
            rng.normal(size=(4, 17, 17)),
            rng.normal(size=(3, 4, 4)),
            rng.normal(size=3),
            rng.normal(size=(3, 7, 7)),
        ),
        (1, 2, 3),
    ),
    Sample(
        batch_normalised_network,
        lambda rng: (
            rng.normal(size=(12, 24)),
            rng.uniform(0.5, 1.5, size=24),
            rng.normal(size=24),
            rng.normal(size=(24, 3)),
            rng.normal(size=(64, 12)),
            rng.normal(size=(64, 3)),
        ),
        (0, 1, 2, 3),
    ),
    Sample(
        skip_gram,
        lambda rng: (
            rng.normal(size=(50, 16)),
            rng.normal(size=(50, 16)),
            rng.integers(0, 50, size=(200, 2)),
            rng.integers(0, 50, size=(200, 4)),
        ),
        (0, 1),
    ),
    Sample(
        graph_network,
        lambda rng: (
            rng.normal(size=(60, 8)),
            0.3 * rng.normal(size=(2, 8, 8)),
            rng.integers(0, 60, size=300),
            rng.integers(0, 60, size=300),
            rng.normal(size=60),
        ),
        (0, 1),
    ),
    Sample(
        physics_informed_network,
        lambda rng: (rng.normal(size=20), rng.normal(size=20), rng.normal(size=20), np.linspace(0.0, 6.0, 100)),
        (0, 1, 2),
    ),
)
