"""Whole-array NumPy: broadcasting, reductions along axes, products, shapes, selections."""

import numpy as np

from tests.programs.program import Program, matrix, vector


def broadcasting(a, x, s):
    return np.sum((a + x) * s - x[:, None] * a.T)


def reductions_along_axes(a):
    m = np.mean(a, axis=0)
    d = a - m
    v = np.sum(d * d, axis=1, keepdims=True)
    return np.sum(d / np.sqrt(v + 1.0)) + np.max(a, axis=1).sum() * np.prod(m) + np.var(a)


def softmax_cross_entropy(w, x, labels):
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    logp = z - np.log(np.sum(np.exp(z), axis=1, keepdims=True))
    return -np.mean(logp[np.arange(labels.shape[0]), labels])


def products(a, x):
    y = a @ x
    z = np.dot(a.T, y)
    return np.dot(z, x) + np.sum(np.outer(y, z)) + np.linalg.norm(y)


def selections(x, y):
    z = np.where(x > y, x * y, np.maximum(x, 0.1) + y)
    return np.sum(z) + np.sum(np.minimum(x, y)) + np.sum(np.clip(x, -0.5, 0.5))


def shapes(a):
    b = np.concatenate((a, a * a), axis=1)
    c = np.stack((a[0], a[1]), axis=1)
    d = np.transpose(b).reshape(-1)
    return np.sum(d[1:] * d[:-1]) + np.sum(np.expand_dims(c, 0) ** 2) + np.sum(np.squeeze(a[:1], axis=0) * a[1])


def rank_known_only_at_run_time(a):
    row = np.squeeze(a[:1])
    return np.sum(row * a[1])


def cumulative(x):
    y = np.cumsum(x) * x
    return np.sum(y * y)


def creation(x, n):
    grid = np.linspace(0.0, 1.0, n)
    k = np.arange(n)
    f = np.full(n, x[0])
    return np.sum(np.exp(-grid * x[1]) * f * k) + np.sum(np.ones(n) * x[2] + np.zeros_like(f) + np.full_like(f, 2.0))


def elementary_functions(x):
    y = np.exp(-x * x) + np.log1p(x * x) + np.arctan(x) + np.sqrt(1.0 + x * x)
    z = np.sinh(x) / np.cosh(x) + np.expm1(x) + np.hypot(x, 2.0) + np.log(2.0 + np.cos(x))
    return np.sum(y * z) + np.sum(np.abs(x) ** 1.5) + np.sum(2.0**x) + np.sum(np.square(x) ** x[0])


def gram_schmidt(a):
    q = np.zeros_like(a)
    for j in range(a.shape[1]):
        v = a[:, j].copy()
        for k in range(j):
            v -= np.dot(q[:, k], a[:, j]) * q[:, k]
        q[:, j] = v / np.linalg.norm(v)
    return np.sum(q * q * q)


def power_iteration(a, steps):
    m = a @ a.T
    v = np.ones(a.shape[0])
    for _ in range(steps):
        v = m @ v
        v = v / np.sqrt(np.sum(v * v))
    return v @ (m @ v)


def batch_norm_relu(a, gain, shift):
    z = (a - a.mean(axis=0)) / np.sqrt(a.var(axis=0) + 1e-2)
    h = np.maximum(gain * z + shift, 0.0)
    return np.sum(h**2) / a.shape[0]


def kernel_matrix(x, length):
    d = x[:, None, :] - x[None, :, :]
    k = np.exp(-0.5 * np.sum(d * d, axis=2) / length**2)
    return np.sum(k @ k)


def arrays_of_the_type_of_another_and_another_shape(x):
    a = np.zeros_like(x, shape=3)
    a[-1] = x[1] * x[0]
    a[2] += x[2]
    b = np.ones_like(x, None, "K", True, (3,))
    b[-1] = a[2] * x[0]
    c = np.empty_like(x, shape=(2, 3))
    c[:] = b
    c[:, -1] *= x[3]
    return np.sum(c.T @ c) + a[2] * a[-1] + len(b) * x[4]


PROGRAMS = [
    Program(broadcasting, lambda rng: (rng.normal(size=(3, 3)), rng.normal(size=3), 0.7), (0, 1, 2), compiled=True),
    Program(reductions_along_axes, matrix(3, 4), compiled=True),
    Program(
        softmax_cross_entropy,
        lambda rng: (rng.normal(size=(4, 3)), rng.normal(size=(5, 4)), np.array([0, 2, 1, 1, 0])),
        (0, 1),
    ),
    Program(products, lambda rng: (rng.normal(size=(3, 2)), rng.normal(size=2)), (0, 1), compiled=True),
    Program(selections, lambda rng: (rng.normal(size=6), rng.normal(size=6)), (0, 1)),
    Program(shapes, matrix(2, 3)),
    Program(rank_known_only_at_run_time, matrix(2, 3), interpreted=True),
    Program(cumulative, vector(4)),
    Program(creation, lambda rng: (rng.normal(size=3), 5)),
    Program(elementary_functions, vector(4)),
    Program(gram_schmidt, matrix(4, 3)),
    Program(power_iteration, lambda rng: (rng.normal(size=(3, 3)), 4)),
    Program(batch_norm_relu, lambda rng: tuple(rng.normal(size=s) for s in ((5, 2), 2, 2)), (0, 1, 2)),
    Program(kernel_matrix, lambda rng: (rng.normal(size=(4, 2)), 0.8), (0, 1)),
    Program(arrays_of_the_type_of_another_and_another_shape, vector(5)),
]
