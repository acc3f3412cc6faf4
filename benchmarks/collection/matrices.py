"""Products, substitutions and factorisations of matrices."""

import numpy as np

from benchmarks.collection.workload import Workload


def _square(rng, n):
    return rng.normal(size=(n, n)) / np.sqrt(n) + 2.0 * np.eye(n)


def triangular_product(alpha, a, b):
    """The sum of squares of a unit lower triangular matrix, transposed, times another, row by row, in place."""
    n, m = b.shape
    b = b.copy()
    for i in range(n):
        for j in range(m):
            b[i, j] += a[i + 1 :, i] @ b[i + 1 :, j]
    return np.sum((alpha * b) ** 2)


def _triangular(rng, n, m):
    return 1.5, rng.normal(size=(n, n)) * 0.1, rng.normal(size=(n, m))


def substitution_by_rows(a, b):
    """The squared solution of a lower triangular system."""
    n = b.size
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return np.sum(x * x)


def _system(rng, n):
    return _square(rng, n), rng.normal(size=n)


def power_iteration(a, start, steps):
    """The estimate of the greatest eigenvalue of a matrix."""
    v = start
    for _ in range(steps):
        w = a @ v
        v = w / np.sqrt(np.sum(w * w))
    return v @ (a @ v)


def _power(rng, n, steps):
    return _square(rng, n), rng.normal(size=n), steps


def normal_product(a, x, p, r):
    """What a step of biconjugate gradients multiplies: a matrix and its transpose, each by a vector."""
    s = a.T @ r
    q = a @ p
    return np.sum(s * x) + np.sum(q * q)


def _normal(rng, n, m):
    return rng.normal(size=(n, m)), rng.normal(size=m), rng.normal(size=m), rng.normal(size=n)


def rank_two_update(alpha, beta, a, u1, v1, u2, v2, y, z):
    """Updates of a matrix by outer products, and two products with it."""
    b = a + np.outer(u1, v1) + np.outer(u2, v2)
    x = beta * (y @ b) + z
    w = alpha * (b @ x)
    return np.sum(w * w)


def _rank_two(rng, n):
    return 1.5, 1.2, _square(rng, n) * 0.2, *(rng.normal(size=n) / np.sqrt(n) for _ in range(6))


def rotated_frames(frames, points, wanted):
    """The squared error of points in frames that are rotated, a stack of 3 by 3 matrices."""
    moved = frames @ points[:, :, None]
    twice = frames @ frames
    return np.sum((moved[:, :, 0] - wanted) ** 2) + 0.1 * np.sum(twice * twice)


def _frames(rng, n):
    return rng.normal(size=(n, 3, 3)), rng.normal(size=(n, 3)), rng.normal(size=(n, 3))


def gram_schmidt(a, weight):
    """A weighted sum of the orthonormal factor, by modified Gram-Schmidt in place."""
    q = a.copy()
    for k in range(q.shape[1]):
        q[:, k] /= np.sqrt(np.sum(q[:, k] ** 2))
        r = q[:, k] @ q[:, k + 1 :]
        q[:, k + 1 :] -= np.outer(q[:, k], r)
    return np.sum(weight * q)


def _tall(rng, n, m):
    return rng.normal(size=(n, m)), rng.normal(size=(n, m))


def lu_in_place(a):
    """The logarithm of the determinant, by elimination in place with slices."""
    u = a.copy()
    n = u.shape[0]
    for k in range(n - 1):
        u[k + 1 :, k] /= u[k, k]
        u[k + 1 :, k + 1 :] -= np.outer(u[k + 1 :, k], u[k, k + 1 :])
    return np.sum(np.log(np.abs(np.diag(u))))


def _lu(rng, n):
    return (_square(rng, n) + 3.0 * np.eye(n),)


def determinant_loops(a):
    """The same by three loops."""
    u = a.copy()
    n = u.shape[0]
    total = 0.0
    for k in range(n):
        total += np.log(np.abs(u[k, k]))
        for i in range(k + 1, n):
            factor = u[i, k] / u[k, k]
            for j in range(k, n):
                u[i, j] -= factor * u[k, j]
    return total


def three_products(a, b, c, d):
    """The sum of squares of a product of two products."""
    return np.sum(((a @ b) @ (c @ d)) ** 2)


def _products(rng, n):
    return tuple(rng.normal(size=(n, n)) / np.sqrt(n) for _ in range(4))


def covariance_inverse(a, x):
    """Mahalanobis distances of rows, by an inverse and a determinant."""
    inverse = np.linalg.inv(a @ a.T + np.eye(a.shape[0]))
    _, logs = np.linalg.slogdet(a @ a.T + np.eye(a.shape[0]))
    return np.sum((x @ inverse) * x) + logs


def _mahalanobis(rng, n, m):
    return rng.normal(size=(n, n)), rng.normal(size=(m, n))


WORKLOADS = (
    Workload(triangular_product, _triangular, (4, 3), (120, 100), (0, 1, 2)),
    Workload(substitution_by_rows, _system, (4,), (1200,), (0, 1)),
    Workload(power_iteration, _power, (4, 3), (500, 20), (0, 1)),
    Workload(normal_product, _normal, (4, 3), (1500, 1200), (0, 2, 3), arrays=True),
    Workload(rank_two_update, _rank_two, (4,), (1000,), (2, 3, 4, 5, 6, 7, 8), arrays=True),
    Workload(rotated_frames, _frames, (3,), (20000,), (0, 1), arrays=True),
    Workload(gram_schmidt, _tall, (5, 3), (300, 100), (0,)),
    Workload(lu_in_place, _lu, (4,), (200,), (0,)),
    Workload(determinant_loops, _lu, (4,), (200,), (0,)),
    Workload(three_products, _products, (3,), (250,), (0, 1, 2, 3), arrays=True),
    Workload(covariance_inverse, _mahalanobis, (4, 5), (150, 500), (0, 1), arrays=True),
)
