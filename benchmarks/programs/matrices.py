"""Matrix code: factorisations, products and norms, written out or by NumPy."""

import math

import numpy as np

from benchmarks.programs.sample import Sample


def lu_log_determinant(a):
    """The logarithm of the absolute determinant, by elimination without pivots."""
    n = a.shape[0]
    u = a.copy()
    total = 0.0
    for k in range(n):
        pivot = u[k, k]
        total += math.log(abs(pivot))
        for i in range(k + 1, n):
            factor = u[i, k] / pivot
            for j in range(k + 1, n):
                u[i, j] -= factor * u[k, j]
    return total


def qr_least_squares(a, b):
    """The squared residual of a least-squares fit, by modified Gram-Schmidt on slices."""
    m, n = a.shape
    q = np.empty((m, n))
    residual = b.copy()
    for j in range(n):
        v = a[:, j].copy()
        for i in range(j):
            v -= np.dot(q[:, i], v) * q[:, i]
        q[:, j] = v / np.sqrt(np.dot(v, v))
        residual -= np.dot(q[:, j], residual) * q[:, j]
    return np.dot(residual, residual)


def product_by_blocks(a, b, block):
    """The sum of squares of a product that is computed block by block."""
    n = a.shape[0]
    c = np.zeros((n, n))
    for i in range(0, n, block):
        for j in range(0, n, block):
            for k in range(0, n, block):
                c[i : i + block, j : j + block] += a[i : i + block, k : k + block] @ b[k : k + block, j : j + block]
    return np.sum(c * c)


def conjugate_gradient_energy(a, b, rounds):
    """The energy after some rounds of conjugate gradients."""
    x = np.zeros_like(b)
    r = b - a @ x
    p = r.copy()
    rr = r @ r
    for _ in range(rounds):
        ap = a @ p
        alpha = rr / (p @ ap)
        x = x + alpha * p
        r = r - alpha * ap
        new = r @ r
        p = r + (new / rr) * p
        rr = new
    return 0.5 * x @ (a @ x) - b @ x


def expm_taylor(a, terms):
    """The trace of a matrix exponential by scaling, a Taylor series, and squaring."""
    n = a.shape[0]
    scaled = a / 16.0
    result = np.eye(n)
    term = np.eye(n)
    for k in range(1, terms):
        term = term @ scaled / k
        result = result + term
    for _ in range(4):
        result = result @ result
    return np.trace(result)


def small_rotations(angles, points):
    """Points turned by one small matrix after another; a three-by-three matrix for each set of angles."""
    total = 0.0
    for k in range(angles.shape[0]):
        ca, sa = math.cos(angles[k, 0]), math.sin(angles[k, 0])
        cb, sb = math.cos(angles[k, 1]), math.sin(angles[k, 1])
        about_z = np.array([[ca, -sa, 0.0], [sa, ca, 0.0], [0.0, 0.0, 1.0]])
        about_x = np.array([[1.0, 0.0, 0.0], [0.0, cb, -sb], [0.0, sb, cb]])
        turned = (about_z @ about_x) @ points[k]
        total += turned[0] * turned[1] + turned[2] ** 2
    return total


def symmetric_power_sum(x, weights):
    """A bilinear form between all rows of a matrix, through its Gram matrix."""
    gram = x @ x.T
    scaled = gram / (1.0 + np.abs(gram))
    return np.sum(weights[:, None] * scaled * weights[None, :])


def banded_solve(lower, diagonal, upper, right):
    """The squared norm of the solution of a tridiagonal system, solved in place."""
    n = diagonal.size
    d = diagonal.copy()
    x = right.copy()
    for i in range(1, n):
        w = lower[i] / d[i - 1]
        d[i] -= w * upper[i - 1]
        x[i] -= w * x[i - 1]
    x[n - 1] /= d[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (x[i] - upper[i] * x[i + 1]) / d[i]
    return np.sum(x**2)


def _definite(rng, n):
    a = rng.normal(size=(n, n))
    return a @ a.T / n + 2.0 * np.eye(n)


PROGRAMS = (
    Sample(lu_log_determinant, lambda rng: (_definite(rng, 60),)),
    Sample(qr_least_squares, lambda rng: (rng.normal(size=(80, 20)), rng.normal(size=80)), (0, 1)),
    Sample(product_by_blocks, lambda rng: (rng.normal(size=(48, 48)), rng.normal(size=(48, 48)), 16), (0, 1)),
    Sample(conjugate_gradient_energy, lambda rng: (_definite(rng, 60), rng.normal(size=60), 15), (0, 1)),
    Sample(expm_taylor, lambda rng: (0.1 * rng.normal(size=(24, 24)), 12)),
    Sample(small_rotations, lambda rng: (rng.normal(size=(300, 2)), rng.normal(size=(300, 3))), (0, 1)),
    Sample(symmetric_power_sum, lambda rng: (rng.normal(size=(80, 12)), rng.normal(size=80)), (0, 1)),
    Sample(
        banded_solve,
        lambda rng: (rng.normal(size=3000), 5.0 + rng.random(3000), rng.normal(size=3000), rng.normal(size=3000)),
        (0, 1, 2, 3),
    ),
)
