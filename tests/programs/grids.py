"""Fields on grids, time step after time step: stencils, sweeps, flows, columns, particles."""

import numpy as np

from tests.programs.program import Program


def jacobi_relaxation(field, rounds):
    """A linear stencil between two buffers, with slices."""
    new = field.copy()
    old = field.copy()
    for _ in range(rounds):
        new[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        old[1:-1, 1:-1] = 0.25 * (new[:-2, 1:-1] + new[2:, 1:-1] + new[1:-1, :-2] + new[1:-1, 2:])
    return np.sum(old * old) + np.sum(new)


def gauss_seidel_relaxation(field, rounds):
    """In place, so that each element reads neighbours of this round and of the last."""
    a = field.copy()
    rows, columns = a.shape
    for _ in range(rounds):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                block = 0.0
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        block += a[i + di, j + dj]
                a[i, j] = block / 9.0
    return np.sum(a**2)


def mirror_walls(p):
    p[:, -1] = p[:, -2]
    p[0, :] = p[1, :]
    p[:, 0] = p[:, 1]
    p[-1, :] = 0.0


def driven_cavity(u0, v0, p0, viscosity, steps, rounds, dt, h):
    """Velocity and pressure; the pressure is relaxed in an inner loop of linear updates."""
    u, v, p = u0.copy(), v0.copy(), p0.copy()
    source = np.zeros(u.shape)
    for _ in range(steps):
        dudx = (u[1:-1, 2:] - u[1:-1, :-2]) / (2.0 * h)
        dvdy = (v[2:, 1:-1] - v[:-2, 1:-1]) / (2.0 * h)
        dudy = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2.0 * h)
        dvdx = (v[1:-1, 2:] - v[1:-1, :-2]) / (2.0 * h)
        source[1:-1, 1:-1] = h * h * ((dudx + dvdy) / dt - dudx**2 - 2.0 * dudy * dvdx - dvdy**2)
        for _ in range(rounds):
            q = p.copy()
            around = q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1]
            p[1:-1, 1:-1] = 0.25 * (around - source[1:-1, 1:-1])
            mirror_walls(p)
        a, b = u.copy(), v.copy()
        c, d = a[1:-1, 1:-1], b[1:-1, 1:-1]
        spread = viscosity * dt / (h * h)
        u[1:-1, 1:-1] = (
            c
            - dt / h * (c * (c - a[1:-1, :-2]) + d * (c - a[:-2, 1:-1]))
            - dt / (2.0 * h) * (p[1:-1, 2:] - p[1:-1, :-2])
            + spread * (a[1:-1, 2:] + a[1:-1, :-2] + a[2:, 1:-1] + a[:-2, 1:-1] - 4.0 * c)
        )
        v[1:-1, 1:-1] = (
            d
            - dt / h * (c * (d - b[1:-1, :-2]) + d * (d - b[:-2, 1:-1]))
            - dt / (2.0 * h) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + spread * (b[1:-1, 2:] + b[1:-1, :-2] + b[2:, 1:-1] + b[:-2, 1:-1] - 4.0 * d)
        )
        u[0, :], u[:, 0], u[:, -1] = 0.0, 0.0, 0.0
        u[-1, :] = 1.0
        v[0, :] = v[-1, :] = v[:, 0] = v[:, -1] = 0.0
    return np.sum(u * u) + np.sum(v * v) + 0.01 * np.sum(p * p)


def column_solves(rate, u, w, start, stiffness):
    """A tridiagonal system per column; the elimination's scratch rows serve every column."""
    ni, nj, nk = u.shape
    out = np.empty_like(u)
    upper = np.empty(nk)
    right = np.empty(nk)
    for i in range(ni):
        for j in range(nj):
            for k in range(nk):
                below, above = 0.0, 0.0
                r = stiffness * start[i, j, k] + rate[i, j, k]
                if k > 0:
                    below = -0.125 * (w[i + 1, j, k] + w[i, j, k])
                    r -= below * (u[i, j, k - 1] - u[i, j, k])
                if k < nk - 1:
                    above = 0.125 * (w[i + 1, j, k + 1] + w[i, j, k + 1])
                    r -= above * (u[i, j, k + 1] - u[i, j, k])
                pivot = stiffness - below - above
                if k > 0:
                    pivot -= upper[k - 1] * below
                    r -= right[k - 1] * below
                upper[k] = above / pivot
                right[k] = r / pivot
            x = right[nk - 1]
            out[i, j, nk - 1] = stiffness * (x - start[i, j, nk - 1])
            for k in range(nk - 2, -1, -1):
                x = right[k] - upper[k] * x
                out[i, j, k] = stiffness * (x - start[i, j, k])
    return np.sum(out * out)


def gravity(position, velocity, mass, steps, dt, softening):
    """Leapfrog over pairs, each pair updating both of its bodies."""
    x, v = position.copy(), velocity.copy()
    n = x.shape[0]
    pull = np.zeros((n, 3))
    for _ in range(steps):
        x += 0.5 * dt * v
        pull[:] = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                squared = softening
                for a in range(3):
                    squared += (x[j, a] - x[i, a]) ** 2
                strength = 1.0 / (squared * np.sqrt(squared))
                for a in range(3):
                    d = strength * (x[j, a] - x[i, a])
                    pull[i, a] += mass[j] * d
                    pull[j, a] -= mass[i] * d
        v += dt * pull
        x += 0.5 * dt * v
    return np.sum(x**2) + np.sum(v**2)


def fields(rng):
    u, v, p = 0.1 * rng.normal(size=(3, 6, 6))
    return u, v, p, 0.1, 2, 3, 0.01, 0.4


def columns(rng):
    rate, u, start = rng.normal(size=(3, 2, 3, 4))
    return rate, u, rng.normal(size=(3, 3, 4)), start, 3.0


def bodies(rng):
    return rng.normal(size=(3, 3)), 0.3 * rng.normal(size=(3, 3)), rng.random(3) + 0.5, 3, 0.1, 0.05


PROGRAMS = [
    Program(jacobi_relaxation, lambda rng: (rng.normal(size=(6, 5)), 3), compiled=True),
    Program(gauss_seidel_relaxation, lambda rng: (rng.normal(size=(5, 6)), 3), compiled=True),
    Program(driven_cavity, fields, (0, 1, 2, 3), compiled=True),
    Program(column_solves, columns, (0, 1, 2, 3), compiled=True),
    Program(gravity, bodies, (0, 1, 2), compiled=True),
]
