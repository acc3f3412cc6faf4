"""Systems that change over time."""

import numpy as np

from benchmarks.collection.workload import Workload


def kalman_filter(f, h, q, r, observed):
    """Minus the log-likelihood of observations of a linear system with noise."""
    n = f.shape[0]
    mean = np.zeros(n)
    cov = np.eye(n)
    loss = 0.0
    for t in range(observed.shape[0]):
        mean = f @ mean
        cov = f @ cov @ f.T + q
        off = observed[t] - h @ mean
        spread = h @ cov @ h.T + r
        gain = cov @ h.T @ np.linalg.inv(spread)
        loss += 0.5 * off @ np.linalg.solve(spread, off) + 0.5 * np.log(np.linalg.det(spread))
        mean = mean + gain @ off
        cov = cov - gain @ h @ cov
    return loss


def _kalman(rng, steps, n, m):
    f = np.eye(n) * 0.9 + rng.normal(size=(n, n)) * 0.05
    return f, rng.normal(size=(m, n)), np.eye(n) * 0.1, np.eye(m) * 0.2, rng.normal(size=(steps, m))


def runge_kutta_matrix(a, start, width, steps):
    """The squared end of a system of linear equations with a saturating term, by Runge-Kutta steps."""
    y = start.copy()
    for _ in range(steps):
        k1 = a @ y - 0.1 * y**3
        z = y + 0.5 * width * k1
        k2 = a @ z - 0.1 * z**3
        z = y + 0.5 * width * k2
        k3 = a @ z - 0.1 * z**3
        z = y + width * k3
        k4 = a @ z - 0.1 * z**3
        y = y + width / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
    return np.sum(y**2)


def _linear_system(rng, n, steps):
    return rng.normal(size=(n, n)) * 0.3, rng.normal(size=n), 0.02, steps


def orbits_leapfrog(position, velocity, mass, width, steps):
    """The energy of bodies that attract each other, after leapfrog steps of scalars in loops."""
    n = mass.size
    x = position.copy()
    v = velocity.copy()
    force = np.zeros((n, 3))
    for _ in range(steps):
        for i in range(n):
            for a in range(3):
                force[i, a] = 0.0
            for j in range(n):
                if j != i:
                    square = 0.05
                    for a in range(3):
                        square += (x[j, a] - x[i, a]) ** 2
                    pull = mass[j] / (square * np.sqrt(square))
                    for a in range(3):
                        force[i, a] += pull * (x[j, a] - x[i, a])
        for i in range(n):
            for a in range(3):
                v[i, a] += width * force[i, a]
                x[i, a] += width * v[i, a]
    energy = 0.0
    for i in range(n):
        for a in range(3):
            energy += 0.5 * mass[i] * v[i, a] ** 2
    return energy


def _orbits(rng, n, steps):
    return rng.normal(size=(n, 3)), rng.normal(size=(n, 3)) * 0.1, rng.uniform(0.5, 1.0, n), 0.01, steps


def epidemic_of_regions(rates, contacts, infected, width, steps):
    """How many fall ill in regions that are in contact."""
    sick = infected.copy()
    well = 1.0 - infected
    total = 0.0
    for _ in range(steps):
        new = width * well * rates * (contacts @ sick)
        healed = width * 0.1 * sick
        well = well - new
        sick = sick + new - healed
        total += np.sum(new)
    return total


def _epidemic(rng, n, steps):
    return rng.uniform(0.2, 0.6, n), rng.uniform(0.0, 1.0, (n, n)) / n, rng.uniform(0.0, 0.02, n), 0.2, steps


def predator_numbers(rates, prey, hunters, width, steps):
    """Two populations, as plain numbers."""
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    total = 0.0
    for _ in range(steps):
        growth = prey * (a - b * hunters)
        decay = hunters * (d * prey - c)
        prey = prey + width * growth
        hunters = hunters + width * decay
        total += prey * hunters
    return total / steps


def _predator(rng, steps):
    return rng.uniform(0.4, 0.8, 4), 1.2, 0.8, 0.01, steps


def chain_of_springs(stiffness, rest, x, v, width, steps):
    """The energy of a chain of masses on springs, by slices in place."""
    x = x.copy()
    v = v.copy()
    for _ in range(steps):
        pull = stiffness * (x[1:] - x[:-1] - rest)
        v[:-1] += width * pull
        v[1:] -= width * pull
        v *= 0.999
        x += width * v
    return np.sum(v * v)


def _springs(rng, n, steps):
    x = np.arange(n) + 0.1 * rng.normal(size=n)
    return rng.uniform(0.5, 1.5, n - 1), np.ones(n - 1), x, np.zeros(n), 0.05, steps


def pair_potential(x, box, depth):
    """The Lennard-Jones energy of particles in a periodic box, by array expressions."""
    off = x[:, None, :] - x[None, :, :]
    off = off - box * np.round(off / box)
    square = np.sum(off * off, axis=2) + np.eye(x.shape[0])
    inverse = 1.0 / square**3
    return depth * np.sum(np.triu(inverse * inverse - inverse, 1))


def _particles(rng, n):
    side = int(np.ceil(n ** (1.0 / 3.0)))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3), axis=-1).reshape(-1, 3)[:n]
    return grid * 1.1 + rng.normal(size=(n, 3)) * 0.05, side * 1.1, 0.5


WORKLOADS = (
    Workload(kalman_filter, _kalman, (3, 3, 2), (500, 4, 2), (0, 1, 2, 3)),
    Workload(runge_kutta_matrix, _linear_system, (3, 2), (60, 100), (0, 1)),
    Workload(orbits_leapfrog, _orbits, (3, 2), (20, 60), (0, 1, 2)),
    Workload(epidemic_of_regions, _epidemic, (3, 2), (150, 100), (0, 1, 2)),
    Workload(predator_numbers, _predator, (5,), (50000,), (0, 1, 2)),
    Workload(chain_of_springs, _springs, (4, 3), (1000, 200), (0, 1, 2, 3)),
    Workload(pair_potential, _particles, (4,), (300,), (0, 2), arrays=True),
)
