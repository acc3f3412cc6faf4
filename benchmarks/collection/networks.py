"""Layers of neural networks and their losses."""

import numpy as np

from benchmarks.collection.workload import Workload


def softmax_classifier(weights, bias, x, labels):
    """The mean cross-entropy of a linear classifier, with a penalty."""
    scores = x @ weights + bias
    scores = scores - np.max(scores, axis=1, keepdims=True)
    logs = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.sum(labels * logs) / x.shape[0] + 1e-3 * np.sum(weights * weights)


def _classifier(rng, n, d, k):
    labels = np.eye(k)[rng.integers(0, k, n)]
    return rng.normal(size=(d, k)) * 0.1, rng.normal(size=k), rng.normal(size=(n, d)), labels


def perceptron_regression(w1, b1, w2, b2, x, y):
    """The squared error of a network with one hidden layer."""
    hidden = np.tanh(x @ w1 + b1)
    found = hidden @ w2 + b2
    return np.mean((found - y) ** 2)


def _perceptron(rng, n, d, h, k):
    weights = rng.normal(size=(d, h)) * 0.2, rng.normal(size=h), rng.normal(size=(h, k)) * 0.2, rng.normal(size=k)
    return *weights, rng.normal(size=(n, d)), rng.normal(size=(n, k))


def layer_norm(x, gain, offset, target):
    """The squared error of normalised rows."""
    mean = np.mean(x, axis=1, keepdims=True)
    centred = x - mean
    variance = np.mean(centred * centred, axis=1, keepdims=True)
    normal = centred / np.sqrt(variance + 1e-5)
    return np.sum((normal * gain + offset - target) ** 2)


def _layer_norm(rng, n, d):
    return rng.normal(size=(n, d)), rng.normal(size=d), rng.normal(size=d), rng.normal(size=(n, d))


def attention_scores(queries, keys, values, target):
    """The squared error of one head of attention."""
    scores = queries @ keys.T / np.sqrt(queries.shape[1])
    weights = np.exp(scores - np.max(scores, axis=1, keepdims=True))
    weights = weights / np.sum(weights, axis=1, keepdims=True)
    return np.sum((weights @ values - target) ** 2)


def _attention(rng, n, d):
    return tuple(rng.normal(size=(n, d)) for _ in range(4))


def word_vectors(vectors, context, centre, near, seen):
    """The logistic loss of pairs of words, by their vectors."""
    scores = np.sum(vectors[centre] * context[near], axis=1)
    return np.sum(np.log1p(np.exp(-seen * scores)))


def _words(rng, words, d, pairs):
    choose = rng.integers(0, words, (2, pairs))
    seen = rng.choice([-1.0, 1.0], pairs)
    return rng.normal(size=(words, d)) * 0.3, rng.normal(size=(words, d)) * 0.3, choose[0], choose[1], seen


def dense_layers_by_rows(weights, biases, x):
    """The squared output of layers of one width, each row a product."""
    layers, width = biases.shape
    state = x.copy()
    for k in range(layers):
        new = np.empty(width)
        for i in range(width):
            new[i] = np.tanh(weights[k, i] @ state + biases[k, i])
        state = new
    return np.sum(state**2)


def _dense(rng, layers, width):
    weights = rng.normal(size=(layers, width, width)) / np.sqrt(width)
    return weights, rng.normal(size=(layers, width)), rng.normal(size=width)


def recurrent_of_lengths(w, u, b, inputs, length, target):
    """The squared error of the last states of a recurrent cell, for sequences of different lengths."""
    samples, _, width = inputs.shape
    states = np.zeros((inputs.shape[1] + 1, width))
    total = 0.0
    for n in range(samples):
        for i in range(width):
            states[0, i] = b[i]
        for t in range(length[n]):
            for i in range(width):
                level = w[i] * inputs[n, t, i]
                for j in range(width):
                    level += u[i, j] * states[t, j]
                states[t + 1, i] = np.tanh(level)
        for i in range(width):
            total += (states[length[n], i] - target[n, i]) ** 2
    return total


def _lengths(rng, samples, longest, width):
    weights = rng.normal(size=width), rng.normal(size=(width, width)) * 0.4, rng.normal(size=width)
    inputs = rng.normal(size=(samples, longest, width))
    return *weights, inputs, rng.integers(1, longest + 1, samples), rng.normal(size=(samples, width))


WORKLOADS = (
    Workload(softmax_classifier, _classifier, (5, 3, 4), (4000, 20, 50), (0, 1), arrays=True),
    Workload(perceptron_regression, _perceptron, (5, 3, 4, 2), (2000, 16, 64, 4), (0, 1, 2, 3), arrays=True),
    Workload(layer_norm, _layer_norm, (4, 5), (1000, 256), (0, 1, 2), arrays=True),
    Workload(attention_scores, _attention, (4, 3), (256, 32), (0, 1, 2), arrays=True),
    Workload(word_vectors, _words, (6, 3, 8), (2000, 32, 5000), (0, 1), arrays=True),
    Workload(dense_layers_by_rows, _dense, (2, 4), (4, 300), (0, 1, 2)),
    Workload(recurrent_of_lengths, _lengths, (4, 5, 3), (200, 30, 12), (0, 1, 2)),
)
