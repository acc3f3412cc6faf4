"""Functions over device arrays for tests: each with its arguments, and how many kernels its gradient may take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...], int]] = {}
_rng = np.random.default_rng(3)


def program(most: int, *args: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Put a function into the table."""

    def note(f: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[f.__name__] = f, args, most
        return f

    return note


def some(*shape: int) -> Any:
    """Numbers between 0.2 and 1.7."""
    return _rng.uniform(0.2, 1.7, shape)


@program(1, some(11), some(11), some(11))
def least_squares(x, y, w):
    r = np.exp(-x * w) - y
    return np.sum(r * r) / x.size


@program(1, 1.3, some(11), some(11))
def saxpy(a, x, y):
    z = a * x + y
    return np.sum(np.sin(z) * z)


@program(8, some(13), 3, 0.1)
def stencil(u, steps, c):
    for _ in range(steps):
        u[1:-1] += c * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u * u)


@program(21, some(5, 6), 3, 0.1)
def plate(u, steps, c):
    for _ in range(steps):
        v = u.copy()
        v[1:-1, 1:-1] = u[1:-1, 1:-1] + c * (
            u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4.0 * u[1:-1, 1:-1]
        )
        u = v
    return np.sum(u * u)


@program(3, some(3), some(9, 3), some(9))
def logistic(w, x, y):
    z = np.sum(x * w, axis=1)
    return np.mean(np.log(1.0 + np.exp(-y * z)))


@program(5, some(6), some(6))
def bodies(p, m):
    d = p[:, None] - p[None, :]
    return np.sum(m[:, None] * m[None, :] / np.sqrt(d * d + 0.01))


@program(5, some(4, 5), some(4, 5))
def softmax(x, y):
    m = np.max(x, axis=1)
    e = np.exp(x - m[:, None])
    return np.mean(np.log(np.sum(e, axis=1)) + m - np.sum(x * y, axis=1))


@program(10, some(4, 5), some(5), some(3, 4))
def products(a, x, b):
    return np.dot(a @ x, a @ x) + np.sum(np.tanh(b @ a) * 2.0) + x @ x


@program(8, some(6), some(6), 0.7)
def history(x, y, c):
    h = np.zeros((4, x.shape[0]))
    u = x
    for k in range(4):
        h[k] = u * (k + 1) + c
        u = u * y + np.sqrt(h[k])
    return np.sum(h * h) + np.mean(u)


@program(9, some(6), some(6))
def shapes(x, y):
    z = np.concatenate((x, y[::-1])).reshape(3, 4)
    z = z.T * np.arange(4.0)[:, None]
    z[1, :] = np.roll(z[2], 1) ** 3
    z[::2, 1:] *= 2.0
    w = np.stack((x, y), axis=1)
    return np.sum(z * z) + np.sum(w[:, 0] * w[:, 1] ** 0.5) + x[2] * y[-1] + np.sum(np.swapaxes(w, 0, 1)[1, ::-2])


@program(6, some(7), some(7))
def choices(x, y):
    z = np.where(x > y, np.maximum(x, 0.9), np.minimum(y, 1.1)) + np.clip(x, 0.5, 1.2)
    z += np.abs(x - 1.0) + np.sign(y - 1.0) * x + np.hypot(x, y) + np.arctan2(x, y)
    return np.sum(z) + np.max(z) - np.min(x * y)


@program(9, some(6), 3.5)
def branches(x, c):
    if c > 3.0:
        x = x * c
    if np.sum(x) > 1.0:
        x = np.sqrt(x)
    n = 0
    while np.max(x) > 0.5 and n < 3:
        x = x * 0.6
        n += 1
    return np.sum(x * x) * math.sin(c)


@program(7, some(3, 4))
def moments(x):
    z = (x - np.mean(x, axis=0)) / (np.std(x, axis=0) + 0.1)
    return np.sum(z**3) + np.var(x)


@program(6, some(3, 1), some(4), 2.0)
def broadcasts(x, y, p):
    z = x * y + x**p
    return np.sum(z / (1.0 + y)) + np.sum(x) ** 2


@program(5, some(8).astype(np.float32), some(8).astype(np.float32), 0.3)
def single(x, y, c):
    r = c * np.exp(-x) - y
    return np.sum(r * r) / 8.0


@program(4, some(7), np.arange(7), np.arange(7) % 2 == 0)
def kinds(x, n, mask):
    return np.sum(np.where(mask, x * n, x / (n + 1)))


@program(3, np.ones((0,)), np.ones((3, 0)))
def empty(x, y):
    return np.sum(x * x) + np.sum(np.sum(y, axis=1) + 1.0)


@program(7, np.array([1.0, 2.0, 2.0]), np.array([[3.0, 3.0], [1.0, 2.0]]))
def ties(x, y):
    return np.max(x) * 2.0 + np.sum(np.max(y, axis=1)) + np.sum(np.maximum(x, 2.0))


@program(8, some(4, 6))
def in_place(x):
    y = x[1:3]
    y += x[:2] * x[2:4]
    z = x.T
    z[0] = 2.0 * x[:, 3]
    z *= z
    x[0, 0] = 3.0
    return np.sum(y) + np.sum(x**2)


@program(9, some(6), some(3, 4))
def joins(x, a):
    z = np.vstack((x[:4], a)) * np.pad(np.diff(x)[:3], (0, 1))
    w = np.hstack((np.column_stack((x[:3], x[3:])), a))
    return np.linalg.norm(z) + np.sum(np.einsum("ij,kj->ik", a, a) ** 2) + np.sum(np.logaddexp(w, 0.5))


@program(5, some(6) - 0.9, some(6))
def masked(x, y):
    x[x < 0.0] = 0.0
    y[y > 1.0] = 1.0
    return np.sum(x * x * y)
