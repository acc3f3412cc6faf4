"""The programs whose gradients are kept as golden files. Their line numbers stand in the comments of those files."""

import numpy as np


def drag(x, k):
    v = 1.0
    s = 0.0
    for i in range(x.shape[0]):
        a = k * v * v
        if a > 0.5:
            v = v - 0.1 * a
        else:
            v = v - 0.1 * np.sin(x[i]) * v
        s += v
    return s


def polynomial(x):
    return 3.0 * x * x - 2.0 * x + 1.0


def softplus_sum(w, x):
    return np.sum(np.log1p(np.exp(w * x)))


def heat(u, steps):
    for _ in range(steps):
        u[1:-1] += 0.1 * (u[:-2] - 2.0 * u[1:-1] + u[2:])
    return np.sum(u * u)


def newton(a):
    x = a
    while abs(x * x - a) > 1e-12:
        x = 0.5 * (x + a / x)
    return x


def least_squares(A, x, b):
    r = A @ x - b
    return 0.5 * np.dot(r, r)
