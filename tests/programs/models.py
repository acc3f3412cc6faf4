"""Losses and likelihoods, as they are fitted to data: mixtures, cameras, networks, clusters, prices, alignments."""

import math

import numpy as np

from tests.programs.program import Program


def logsumexp(v):
    top = np.max(v)
    return top + np.log(np.sum(np.exp(v - top)))


def gaussian_mixture(weights, centres, factors, points, gamma, excess):
    """Log-likelihood with a Wishart prior; rows of `factors`: log diagonal, then the packed lower triangle."""
    n, d = points.shape
    k = weights.shape[0]
    diagonal = np.exp(factors[:, :d])
    log_det = np.sum(factors[:, :d], axis=1)
    terms = np.empty(k)
    centred = np.empty(d)
    scaled = np.empty(d)
    total = 0.0
    for i in range(n):
        for j in range(k):
            for a in range(d):
                centred[a] = points[i, a] - centres[j, a]
                scaled[a] = diagonal[j, a] * centred[a]
            packed = d
            for c in range(d):
                for r in range(c + 1, d):
                    scaled[r] += factors[j, packed] * centred[c]
                    packed += 1
            terms[j] = weights[j] + log_det[j] - 0.5 * np.sum(scaled**2)
        total += logsumexp(terms)
    total -= n * logsumexp(weights)
    prior = 0.5 * gamma**2 * (np.sum(diagonal**2) + np.sum(factors[:, d:] ** 2)) - excess * np.sum(log_det)
    return total + prior - k * math.lgamma(0.5 * (d + excess + 1))


def reprojection(cameras, points, weights, features, pairs):
    """Bundle adjustment: rotation vector, centre, focal length and radial distortion of each camera."""
    total = 0.0
    for o in range(pairs.shape[0]):
        c, q = pairs[o, 0], pairs[o, 1]
        rx, ry, rz = cameras[c, 0], cameras[c, 1], cameras[c, 2]
        x, y, z = points[q, 0] - cameras[c, 3], points[q, 1] - cameras[c, 4], points[q, 2] - cameras[c, 5]
        angle2 = rx * rx + ry * ry + rz * rz
        if angle2 > 0.0:
            angle = np.sqrt(angle2)
            cosine, sine = np.cos(angle), np.sin(angle)
            kx, ky, kz = rx / angle, ry / angle, rz / angle
            t = (kx * x + ky * y + kz * z) * (1.0 - cosine)
            u = x * cosine + (ky * z - kz * y) * sine + kx * t
            v = y * cosine + (kz * x - kx * z) * sine + ky * t
            w = z * cosine + (kx * y - ky * x) * sine + kz * t
        else:
            u, v, w = x + ry * z - rz * y, y + rz * x - rx * z, z + rx * y - ry * x
        px, py = u / w, v / w
        r2 = px * px + py * py
        zoom = cameras[c, 6] * (1.0 + cameras[c, 7] * r2 + cameras[c, 8] * r2 * r2)
        ex = weights[o] * (px * zoom - features[o, 0])
        ey = weights[o] * (py * zoom - features[o, 1])
        total += ex * ex + ey * ey + (1.0 - weights[o] ** 2) ** 2
    return total


def sigmoid(v):
    return 1.0 / (1.0 + np.exp(-v))


def recurrent_network(gates, ends, state0, sequence):
    """A stack of LSTM cells with diagonal weights, its state rows written in place at every step."""
    n, b = sequence.shape
    state = state0.copy()
    total = 0.0
    for t in range(n - 1):
        x = sequence[t] * ends[0]
        for layer in range(gates.shape[0] // 2):
            w, bias = gates[2 * layer], gates[2 * layer + 1]
            hidden = state[2 * layer]
            forget = sigmoid(x * w[:b] + bias[:b])
            enter = sigmoid(hidden * w[b : 2 * b] + bias[b : 2 * b])
            leave = sigmoid(x * w[2 * b : 3 * b] + bias[2 * b : 3 * b])
            change = np.tanh(hidden * w[3 * b :] + bias[3 * b :])
            state[2 * layer + 1] = state[2 * layer + 1] * forget + enter * change
            state[2 * layer] = leave * np.tanh(state[2 * layer + 1])
            x = state[2 * layer]
        guess = x * ends[1] + ends[2]
        total += np.sum(sequence[t + 1] * (guess - np.log(np.sum(np.exp(guess)) + 2.0)))
    return -total / ((n - 1) * b)


def nearest_centre_cost(points, centres):
    cost = 0.0
    for i in range(points.shape[0]):
        nearest = np.inf
        for j in range(centres.shape[0]):
            distance = 0.0
            for a in range(points.shape[1]):
                distance += (points[i, a] - centres[j, a]) ** 2
            if distance < nearest:
                nearest = distance
        cost += nearest
    return cost


def gaussian_likelihood(covariance, y):
    """A Cholesky factorisation and a forward solve, both in place."""
    n = covariance.shape[0]
    a, z = covariance.copy(), y.copy()
    loss = 0.0
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] ** 2
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(j):
            z[j] -= a[j, k] * z[k]
        z[j] /= a[j, j]
        loss += 0.5 * z[j] ** 2 + np.log(a[j, j])
    return loss


def two_layer_network(w1, b1, w2, b2, x, labels):
    hidden = np.tanh(np.maximum(x @ w1 + b1, 0.0))
    scores = hidden @ w2 + b2
    loss = 0.0
    for i in range(x.shape[0]):
        row = scores[i]
        loss += logsumexp(row) - row[labels[i]]
    return loss / x.shape[0]


def barrier_option(spot, strike, rate, volatility, barrier, maturity, noise):
    """Simulated paths that end at the barrier; only survivors pay."""
    paths, steps = noise.shape
    dt = maturity / steps
    paid = 0.0
    for i in range(paths):
        price = spot
        alive = True
        for t in range(steps):
            price *= np.exp((rate - 0.5 * volatility**2) * dt + volatility * np.sqrt(dt) * noise[i, t])
            if price < barrier:
                alive = False
                break
        if alive and price > strike:
            paid += price - strike
    return np.exp(-rate * maturity) * paid / paths


def time_warping(x, y):
    """A table of minima, with the three moves as branches."""
    n, m = x.shape[0], y.shape[0]
    table = np.full((n + 1, m + 1), np.inf)
    table[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            best = table[i, j]
            if table[i, j + 1] < best:
                best = table[i, j + 1]
            if table[i + 1, j] < best:
                best = table[i + 1, j]
            table[i + 1, j + 1] = (x[i] - y[j]) ** 2 + best
    return table[n, m]


def mixture(rng):
    return rng.normal(size=3), rng.normal(size=(3, 2)), 0.2 * rng.normal(size=(3, 3)), rng.normal(size=(4, 2)), 1.0, 0


def scene(rng):
    cameras = 0.1 * rng.normal(size=(2, 9)) + np.array([0.0] * 6 + [1.0, 0.0, 0.0])
    points = rng.normal(size=(4, 3)) + np.array([0.0, 0.0, 8.0])
    pairs = np.stack([rng.integers(0, 2, 6), rng.integers(0, 4, 6)], axis=1)
    return cameras, points, rng.random(6) + 0.5, 0.3 * rng.normal(size=(6, 2)), pairs


def cells(rng):
    return 0.5 * rng.normal(size=(4, 12)), rng.normal(size=(3, 3)), 0.5 * rng.normal(size=(4, 3)), rng.random((4, 3))


def covariance(rng):
    a = rng.normal(size=(4, 4))
    return a @ a.T + np.eye(4), rng.normal(size=4)


def network(rng):
    w1, b1, w2, b2 = (rng.normal(size=s) for s in ((4, 3), 3, (3, 2), 2))
    return w1, b1, w2, b2, rng.normal(size=(5, 4)), rng.integers(0, 2, 5)


PROGRAMS = [
    Program(gaussian_mixture, mixture, (0, 1, 2), compiled=True),
    Program(reprojection, scene, (0, 1, 2), compiled=True),
    Program(recurrent_network, cells, (0, 1), compiled=True),
    Program(nearest_centre_cost, lambda rng: (rng.normal(size=(5, 2)), rng.normal(size=(3, 2))), (1,), compiled=True),
    Program(gaussian_likelihood, covariance, (0, 1), compiled=True),
    Program(two_layer_network, network, (0, 1, 2, 3), compiled=True),
    Program(
        barrier_option,
        lambda rng: (100.0, 95.0, 0.03, 0.25, 85.0, 1.0, rng.normal(size=(12, 5))),
        (0, 1, 2, 3),
        compiled=True,
    ),
    Program(time_warping, lambda rng: (rng.normal(size=5), rng.normal(size=4)), (0, 1), compiled=True),
]
