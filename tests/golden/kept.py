"""Programs of which is explained what their reverse sweeps keep."""

import numpy as np


def gain(a, k):
    b = np.exp(a)
    return b * k


def cooled(x, k):
    v = 1.0
    s = 0.0
    for i in range(x.shape[0]):
        a = k * v * v
        if a > 0.5:
            v = v - 0.1 * a
        else:
            v = v - 0.1 * np.sin(x[i]) * v
        s += gain(v, k)
    return s


def diffused(u, n, c):
    for _ in range(n):
        for i in range(1, u.size - 1):
            u[i] = u[i] + c * (u[i - 1] - 2.0 * u[i] * u[i] + u[i + 1])
    return np.sum(u * u)


def wandering(x, most):
    s = 0.0
    while s < most:
        s += np.exp(x[0] * s)
    return s


def triangle(x, n):
    s = 1.0
    for i in range(n):
        for j in range(i):
            s = s * np.sin(x[i] * s) + x[j]
    return s


def weighted(x, w):
    s = 0.0
    for i in range(x.size):
        s += w[i] * x[i]
    return s


def layered(x, w):
    a = np.tanh(w @ x)
    for _ in range(3):
        a = np.tanh(w @ a)
    return np.sum(a * a)


def passing(x, n):
    s = 0.0
    for i in range(n):
        if x[i] > s:
            s = s * s + x[i]
        if s > 2.0:
            break
    return s
