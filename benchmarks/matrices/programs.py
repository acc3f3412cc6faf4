"""The programs, which return a number. Four factor and solve, the others have small matrices in a long loop."""

from __future__ import annotations

import numpy as np

from benchmarks.collection.workload import Workload


def gaussian_evidence(k, y):
    """Minus the logarithm of the evidence of a Gaussian process, with a factor of its covariance."""
    factor = np.linalg.cholesky(k)
    white = np.linalg.solve(factor, y)
    weights = np.linalg.solve(factor.T, white)
    return 0.5 * (y @ weights) + np.sum(np.log(np.diag(factor)))


def _covariance(rng, n):
    x = rng.normal(size=(n, 3))
    apart = np.sum((x[:, None, :] - x[None, :, :]) ** 2, axis=-1)
    return np.exp(-0.5 * apart) + 0.1 * np.eye(n), rng.normal(size=n)


def implicit_steps(a, start, wanted, width, steps):
    """The squared error at the end of a linear system of equations, by steps of the implicit midpoint rule."""
    n = start.size
    ahead = np.eye(n) - 0.5 * width * a
    behind = np.eye(n) + 0.5 * width * a
    state = start
    for _ in range(steps):
        state = np.linalg.solve(ahead, behind @ state)
    return np.sum((state - wanted) ** 2)


def _stable(rng, n, steps):
    a = rng.normal(size=(n, n)) / np.sqrt(n) - 2.0 * np.eye(n)
    return a, rng.normal(size=n), rng.normal(size=n), 0.05, steps


def normal_density(points, mean, spread):
    """Minus the log-likelihood of points under a normal distribution, by inverse and determinant."""
    inverse = np.linalg.inv(spread)
    _, logs = np.linalg.slogdet(spread)
    apart = points - mean
    return 0.5 * np.sum((apart @ inverse) * apart) + 0.5 * points.shape[0] * logs


def _points(rng, n, count):
    half = rng.normal(size=(n, n)) / np.sqrt(n)
    return rng.normal(size=(count, n)), rng.normal(size=n), half @ half.T + np.eye(n)


def condensed_system(a, b, c, d, load):
    """The work done by a load on a structure, whose inner unknowns are eliminated first (a Schur complement)."""
    inner = np.linalg.solve(a, b)
    complement = d - c @ inner
    moved = np.linalg.solve(complement, load)
    return load @ moved + 0.1 * np.sum(inner * inner)


def _blocks(rng, n, m):
    square = rng.normal(size=(n, n)) / np.sqrt(n) + 3.0 * np.eye(n)
    b, c = rng.normal(size=(n, m)) / np.sqrt(n), rng.normal(size=(m, n)) / np.sqrt(n)
    return square, b, c, rng.normal(size=(m, m)) / np.sqrt(m) + 4.0 * np.eye(m), rng.normal(size=m)


def tracking(f, h, q, r, seen):
    """Minus the log-likelihood of observations, by the Kalman filter."""
    n = f.shape[0]
    mean = np.zeros(n)
    cov = np.eye(n)
    loss = 0.0
    for t in range(seen.shape[0]):
        mean = f @ mean
        cov = f @ cov @ f.T + q
        off = seen[t] - h @ mean
        spread = h @ cov @ h.T + r
        gain = cov @ h.T @ np.linalg.inv(spread)
        mean = mean + gain @ off
        cov = cov - gain @ h @ cov
        loss = loss + 0.5 * (off @ np.linalg.solve(spread, off) + np.log(np.linalg.det(spread)))
    return loss


def _tracked(rng, steps, n, m):
    f = np.eye(n) * 0.9 + rng.normal(size=(n, n)) * 0.05
    return f, rng.normal(size=(m, n)), np.eye(n) * 0.1, np.eye(m) * 0.2, rng.normal(size=(steps, m))


def coupled_oscillators(stiffness, damping, start, width, steps):
    """The mean squared position of two coupled oscillators, by linearly implicit steps: a 4 by 4 system in each."""
    state = start
    total = 0.0
    for _ in range(steps):
        one, two, apart = state[0], state[1], state[0] - state[1]
        slope = np.zeros((4, 4))
        slope[0, 2] = 1.0
        slope[1, 3] = 1.0
        bend = 3.0 * stiffness[2] * apart * apart
        slope[2, 0] = -stiffness[0] - bend
        slope[2, 1] = bend
        slope[3, 0] = bend
        slope[3, 1] = -stiffness[1] - bend
        slope[2, 2] = -damping[0]
        slope[3, 3] = -damping[1]
        pull = stiffness[2] * apart**3
        force = np.zeros(4)
        force[0] = state[2]
        force[1] = state[3]
        force[2] = -stiffness[0] * one - pull - damping[0] * state[2]
        force[3] = -stiffness[1] * two + pull - damping[1] * state[3]
        state = state + np.linalg.solve(np.eye(4) - width * slope, width * force)
        total += state[0] ** 2 + state[1] ** 2
    return total / steps


def _oscillators(rng, steps):
    return np.array([1.0, 1.5, 0.3]), np.array([0.02, 0.05]), rng.normal(size=4), 0.05, steps


def elastic_energy(frames, shear, bulk):
    """The energy of deformed elements of a compressible rubber, and the size of their stresses: 3 by 3 matrices."""
    total = 0.0
    for e in range(frames.shape[0]):
        f = frames[e]
        volume = np.linalg.det(f)
        inverse = np.linalg.inv(f)
        logs = np.log(volume)
        stress = shear * (f - inverse.T) + bulk * logs * inverse.T
        strain = 0.5 * (f.T @ f - np.eye(3))
        total += 0.5 * shear * (np.trace(f.T @ f) - 3.0 - 2.0 * logs) + 0.5 * bulk * logs**2
        total += 0.01 * np.sum(stress * (f @ strain))
    return total


def _frames(rng, count):
    return np.eye(3) + 0.2 * rng.normal(size=(count, 3, 3)), 1.3, 0.7


def optimal_control(a, b, q, r, steps):
    """The cost of a linear system under optimal control, by Riccati's equation backwards in time."""
    p = q
    cost = 0.0
    for _ in range(steps):
        reach = b.T @ p
        gain = np.linalg.solve(r + reach @ b, reach @ a)
        p = q + a.T @ p @ (a - b @ gain)
        cost = cost + np.trace(p)
    return cost / steps


def _controlled(rng, steps, n, m):
    a = np.eye(n) * 0.9 + 0.1 * rng.normal(size=(n, n))
    return a, rng.normal(size=(n, m)), np.eye(n), np.eye(m), steps


WORKLOADS = (
    Workload(gaussian_evidence, _covariance, (4,), (400,), (0, 1), arrays=True),
    Workload(implicit_steps, _stable, (4, 3), (300, 20), (0, 1)),
    Workload(normal_density, _points, (3, 5), (200, 500), (0, 1, 2), arrays=True),
    Workload(condensed_system, _blocks, (4, 3), (400, 50), (0, 1, 2, 3, 4), arrays=True),
    Workload(tracking, _tracked, (3, 3, 2), (500, 4, 2), (0, 1, 2, 3)),
    Workload(coupled_oscillators, _oscillators, (3,), (2000,), (0, 1, 2)),
    Workload(elastic_energy, _frames, (2,), (2000,), (0, 1, 2)),
    Workload(optimal_control, _controlled, (3, 3, 2), (500, 6, 2), (0, 1, 2, 3)),
)
