"""Steppers of ordinary and partial differential equations."""

import math

import numpy as np

from benchmarks.programs.sample import Sample


def lorenz_runge_kutta(start, sigma, rho, beta, dt, steps):
    """The mean height on a path of the Lorenz system, by the classical Runge-Kutta method on small arrays."""

    def slope(u):
        return np.array([sigma * (u[1] - u[0]), u[0] * (rho - u[2]) - u[1], u[0] * u[1] - beta * u[2]])

    u = start.copy()
    total = 0.0
    for _ in range(steps):
        k1 = slope(u)
        k2 = slope(u + 0.5 * dt * k1)
        k3 = slope(u + 0.5 * dt * k2)
        k4 = slope(u + dt * k3)
        u = u + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        total += u[2]
    return total / steps


def burgers_upwind(u0, viscosity, dt, dx, steps):
    """The energy of a wave under Burgers' equation, with upwind differences and a periodic boundary."""
    n = u0.size
    u = u0.copy()
    new = np.empty(n)
    for _ in range(steps):
        for i in range(n):
            left = u[i - 1] if i > 0 else u[n - 1]
            right = u[i + 1] if i < n - 1 else u[0]
            slope = (u[i] - left) / dx if u[i] > 0.0 else (right - u[i]) / dx
            new[i] = u[i] - dt * u[i] * slope + viscosity * dt / (dx * dx) * (left - 2.0 * u[i] + right)
        u[:] = new
    return 0.5 * np.sum(u * u) * dx


def wave_2d(u0, speed, dt, steps):
    """The energy of a membrane after some steps, with three arrays that take turns."""
    before = u0.copy()
    now = u0.copy()
    factor = (speed * dt) ** 2
    for _ in range(steps):
        after = 2.0 * now - before
        after[1:-1, 1:-1] += factor[1:-1, 1:-1] * (
            now[2:, 1:-1] + now[:-2, 1:-1] + now[1:-1, 2:] + now[1:-1, :-2] - 4.0 * now[1:-1, 1:-1]
        )
        before = now
        now = after
    return np.sum(now**2)


def gray_scott(u0, v0, feed, kill, steps):
    """The mass of one substance after some steps of reaction and diffusion."""
    n = u0.shape[0]
    u, v = u0.copy(), v0.copy()
    for _ in range(steps):
        nu, nv = u.copy(), v.copy()
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                lu = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4.0 * u[i, j]
                lv = v[i - 1, j] + v[i + 1, j] + v[i, j - 1] + v[i, j + 1] - 4.0 * v[i, j]
                reaction = u[i, j] * v[i, j] * v[i, j]
                nu[i, j] += 0.16 * lu - reaction + feed * (1.0 - u[i, j])
                nv[i, j] += 0.08 * lv + reaction - (feed + kill) * v[i, j]
        u, v = nu, nv
    return np.sum(v)


def heat_3d(t0, conductivity, dt, steps):
    """The spread of heat in a block, through the faces between its cells."""
    t = t0.copy()
    for _ in range(steps):
        lap = np.zeros_like(t)
        lap[1:-1, 1:-1, 1:-1] = (
            t[2:, 1:-1, 1:-1]
            + t[:-2, 1:-1, 1:-1]
            + t[1:-1, 2:, 1:-1]
            + t[1:-1, :-2, 1:-1]
            + t[1:-1, 1:-1, 2:]
            + t[1:-1, 1:-1, :-2]
            - 6.0 * t[1:-1, 1:-1, 1:-1]
        )
        t = t + dt * conductivity * lap
    return np.sum(t * t)


def shallow_water(height, velocity, dt, dx, steps):
    """The squared height at one end of a channel, summed over time; staggered grid."""
    h = height.copy()
    u = velocity.copy()
    n = h.size
    total = 0.0
    for _ in range(steps):
        for i in range(1, n):
            u[i] -= dt * 9.81 * (h[i] - h[i - 1]) / dx
        for i in range(n):
            flow_in = u[i] * (h[i - 1] if i > 0 and u[i] > 0.0 else h[i])
            flow_out = u[i + 1] * (h[i] if i == n - 1 or u[i + 1] > 0.0 else h[i + 1])
            h[i] -= dt * (flow_out - flow_in) / dx
        total += h[n - 1] ** 2
    return total * dt


def spring_chain(position, velocity, stiffness, dt, steps):
    """The energy stored in a chain of masses and springs with cubic terms, by the velocity Verlet method."""
    x = position.copy()
    v = velocity.copy()
    n = x.size
    force = np.zeros(n)
    for step in range(steps + 1):
        new = np.zeros(n)
        for i in range(n - 1):
            stretch = x[i + 1] - x[i]
            pull = stiffness[i] * stretch + 0.25 * stretch**3
            new[i] += pull
            new[i + 1] -= pull
        if step > 0:
            v += 0.5 * dt * new
        force = new
        if step < steps:
            v += 0.5 * dt * force
            x += dt * v
    return 0.5 * np.sum(v * v) + np.sum(x[1:] * x[:-1])


def predator_prey_fit(rates, start, seen, dt, substeps):
    """The squared error of a predator-prey model against observations."""
    a, b, c, d = rates[0], rates[1], rates[2], rates[3]
    prey, predator = start[0], start[1]
    total = 0.0
    for k in range(seen.shape[0]):
        for _ in range(substeps):
            growth = prey * (a - b * predator)
            change = predator * (c * prey - d)
            middle_prey = prey + 0.5 * dt * growth
            middle_predator = predator + 0.5 * dt * change
            prey += dt * middle_prey * (a - b * middle_predator)
            predator += dt * middle_predator * (c * middle_prey - d)
        total += (prey - seen[k, 0]) ** 2 + (predator - seen[k, 1]) ** 2
    return total


def implicit_heat_newton(u0, dt, steps):
    """A nonlinear rod, each time step solved by Newton's method with a tridiagonal system."""
    n = u0.size
    u = u0.copy()
    for _ in range(steps):
        guess = u.copy()
        for _ in range(3):
            diagonal = np.empty(n)
            off = np.empty(n)
            residual = np.empty(n)
            for i in range(n):
                left = guess[i - 1] if i > 0 else 0.0
                right = guess[i + 1] if i < n - 1 else 0.0
                residual[i] = guess[i] - u[i] - dt * (left - 2.0 * guess[i] + right - guess[i] ** 3)
                diagonal[i] = 1.0 + dt * (2.0 + 3.0 * guess[i] ** 2)
                off[i] = -dt
            for i in range(1, n):
                w = off[i] / diagonal[i - 1]
                diagonal[i] -= w * off[i - 1]
                residual[i] -= w * residual[i - 1]
            change = residual[n - 1] / diagonal[n - 1]
            guess[n - 1] -= change
            for i in range(n - 2, -1, -1):
                change = (residual[i] - off[i] * change) / diagonal[i]
                guess[i] -= change
        u = guess
    return math.sqrt(np.sum(u * u))


PROGRAMS = (
    Sample(lorenz_runge_kutta, lambda rng: (np.array([1.0, 1.0, 20.0]), 10.0, 28.0, 8.0 / 3.0, 0.01, 60), (0, 1, 2, 3)),
    Sample(burgers_upwind, lambda rng: (np.sin(np.arange(150) / 8.0) + 0.2, 0.05, 0.01, 0.1, 20), (0, 1)),
    Sample(wave_2d, lambda rng: (rng.normal(size=(32, 32)), rng.uniform(0.5, 1.0, size=(32, 32)), 0.3, 12), (0, 1)),
    Sample(gray_scott, lambda rng: (rng.random((30, 30)), rng.random((30, 30)), 0.04, 0.06, 8), (0, 1, 2, 3)),
    Sample(heat_3d, lambda rng: (rng.normal(size=(14, 14, 14)), 0.7, 0.1, 6), (0, 1)),
    Sample(shallow_water, lambda rng: (1.0 + 0.1 * rng.random(120), np.zeros(121), 0.01, 0.5, 30), (0, 1)),
    Sample(
        spring_chain,
        lambda rng: (rng.normal(size=100), rng.normal(size=100), rng.uniform(0.5, 1.5, size=99), 0.02, 30),
        (0, 1, 2),
    ),
    Sample(
        predator_prey_fit,
        lambda rng: (np.array([1.1, 0.4, 0.1, 0.4]), np.array([8.0, 4.0]), rng.uniform(1, 9, size=(60, 2)), 0.02, 25),
        (0, 1),
    ),
    Sample(implicit_heat_newton, lambda rng: (rng.normal(size=60), 0.1, 10)),
)
