"""Finance, geometry, and objectives of optimisation."""

import math

import numpy as np

from benchmarks.programs.sample import Sample


def heston_monte_carlo(spot, parameters, strike, dt, noise):
    """The mean payoff of a call under stochastic volatility, path by path."""
    paths, steps, _ = noise.shape
    kappa, theta, xi, rho = parameters[0], parameters[1], parameters[2], parameters[3]
    total = 0.0
    for p in range(paths):
        price, variance = spot, theta
        for t in range(steps):
            z1 = noise[p, t, 0]
            z2 = rho * z1 + math.sqrt(1.0 - rho * rho) * noise[p, t, 1]
            root = math.sqrt(max(variance, 1e-6) * dt)
            price *= math.exp(-0.5 * max(variance, 0.0) * dt + root * z1)
            variance += kappa * (theta - variance) * dt + xi * root * z2
        total += max(price - strike, 0.0)
    return total / paths


def binomial_tree(spot, strike, rate, sigma, maturity, steps):
    """The price of an American put on a binomial tree."""
    dt = maturity / steps
    up = math.exp(sigma * math.sqrt(dt))
    down = 1.0 / up
    chance = (math.exp(rate * dt) - down) / (up - down)
    discount = math.exp(-rate * dt)
    values = np.empty(steps + 1)
    for i in range(steps + 1):
        values[i] = max(strike - spot * up**i * down ** (steps - i), 0.0)
    for n in range(steps - 1, -1, -1):
        for i in range(n + 1):
            held = discount * (chance * values[i + 1] + (1.0 - chance) * values[i])
            values[i] = max(held, strike - spot * up**i * down ** (n - i))
    return values[0]


def portfolio_risk(weights, returns, aversion, cost):
    """Mean, variance and the cost of trading of a portfolio that is held through time."""
    days = returns.shape[0]
    holdings = weights / np.sum(np.abs(weights))
    total = 0.0
    square = 0.0
    for t in range(days):
        gain = np.dot(holdings, returns[t])
        total += gain
        square += gain * gain
        drifted = holdings * (1.0 + returns[t]) / (1.0 + gain)
        total -= cost * np.sum(np.sqrt((drifted - holdings) ** 2 + 1e-8))
    mean = total / days
    return -(mean - aversion * (square / days - mean * mean))


def yield_curve_fit(levels, times, cash, dates, prices):
    """The squared error of bond prices under discount rates that are interpolated linearly."""
    total = 0.0
    for b in range(prices.size):
        value = 0.0
        for k in range(dates.shape[1]):
            t = dates[b, k]
            i = 0
            while i < times.size - 2 and times[i + 1] < t:
                i += 1
            part = (t - times[i]) / (times[i + 1] - times[i])
            rate = (1.0 - part) * levels[i] + part * levels[i + 1]
            value += cash[b, k] * math.exp(-rate * t)
        total += (value - prices[b]) ** 2
    return total


def mesh_volume_and_area(vertices, faces, weight):
    """The volume of a mesh of triangles plus a multiple of its area."""
    volume = 0.0
    area = 0.0
    for f in range(faces.shape[0]):
        a, b, c = vertices[faces[f, 0]], vertices[faces[f, 1]], vertices[faces[f, 2]]
        n = np.cross(b - a, c - a)
        area += 0.5 * np.sqrt(np.sum(n * n))
        volume += np.dot(a, n) / 6.0
    return volume + weight * area


def lennard_jones_cell(positions, box, cutoff):
    """The energy of a periodic cell of atoms, all pairs within a distance."""
    n = positions.shape[0]
    total = 0.0
    for i in range(n):
        for j in range(i):
            square = 0.0
            for k in range(3):
                d = positions[i, k] - positions[j, k]
                d -= box * round(d / box)
                square += d * d
            if square < cutoff * cutoff:
                inverse = 1.0 / (square + 0.1)
                sixth = inverse * inverse * inverse
                total += 4.0 * (sixth * sixth - sixth)
    return total


def robot_arm(angles, lengths, targets):
    """How far the hand of an arm is from its targets, and how much the arm bends on the way."""
    total = 0.0
    for t in range(angles.shape[0]):
        x = y = heading = 0.0
        for j in range(lengths.size):
            heading += angles[t, j]
            x += lengths[j] * math.cos(heading)
            y += lengths[j] * math.sin(heading)
        total += (x - targets[t, 0]) ** 2 + (y - targets[t, 1]) ** 2
        if t > 0:
            total += 0.1 * np.sum((angles[t] - angles[t - 1]) ** 2)
    return total


def bezier_length(control, count):
    """The length of a curve between control points, by de Casteljau's construction."""
    n = control.shape[0]
    total = 0.0
    old_x, old_y = control[0, 0], control[0, 1]
    for s in range(1, count + 1):
        t = s / count
        points = control.copy()
        for level in range(1, n):
            for i in range(n - level):
                points[i] = (1.0 - t) * points[i] + t * points[i + 1]
        x, y = points[0, 0], points[0, 1]
        total += math.sqrt((x - old_x) ** 2 + (y - old_y) ** 2)
        old_x, old_y = x, y
    return total


def rosenbrock_descent(x, rate, steps):
    """Rosenbrock's function after some steps of descent with momentum."""
    y = x.copy()
    speed = np.zeros_like(y)
    for _ in range(steps):
        slope = np.zeros_like(y)
        inner = y[1:] - y[:-1] ** 2
        slope[:-1] += -400.0 * y[:-1] * inner - 2.0 * (1.0 - y[:-1])
        slope[1:] += 200.0 * inner
        speed = 0.9 * speed - rate * slope
        y = y + speed
    return np.sum(100.0 * (y[1:] - y[:-1] ** 2) ** 2 + (1.0 - y[:-1]) ** 2)


def matrix_factorisation(left, right, rows, columns, ratings, ridge):
    """The squared error of ratings that a product of two thin matrices predicts."""
    total = ridge * (np.sum(left**2) + np.sum(right**2))
    for r in range(ratings.size):
        predicted = np.dot(left[rows[r]], right[columns[r]])
        total += (ratings[r] - predicted) ** 2
    return total


def sinkhorn_distance(cost, a, b, strength, rounds):
    """The regularised cost of transport between two distributions."""
    kernel = np.exp(-cost / strength)
    u = np.ones_like(a)
    v = np.ones_like(b)
    for _ in range(rounds):
        u = a / (kernel @ v)
        v = b / (kernel.T @ u)
    plan = u[:, None] * kernel * v[None, :]
    return np.sum(plan * cost)


def ray_through_layers(slowness, depths, rays):
    """The time that rays take through layers, by Snell's law."""
    total = 0.0
    for r in range(rays.size):
        parameter = rays[r]
        time = 0.0
        for k in range(slowness.size):
            vertical = slowness[k] ** 2 - parameter**2
            if vertical <= 0.0:
                break
            root = math.sqrt(vertical)
            time += depths[k] * slowness[k] ** 2 / root
        total += time
    return total


def _distribution(rng, n):
    x = rng.uniform(0.2, 1.0, size=n)
    return x / x.sum()


PROGRAMS = (
    Sample(
        heston_monte_carlo,
        lambda rng: (1.0, np.array([1.5, 0.05, 0.4, -0.6]), 1.0, 0.02, rng.normal(size=(60, 40, 2))),
        (0, 1),
    ),
    Sample(binomial_tree, lambda rng: (1.0, 1.05, 0.03, 0.3, 1.0, 60), (0, 1, 2, 3)),
    Sample(
        portfolio_risk,
        lambda rng: (rng.uniform(0.5, 1.5, size=12), 0.01 * rng.normal(size=(250, 12)), 3.0, 0.001),
    ),
    Sample(
        yield_curve_fit,
        lambda rng: (
            rng.uniform(0.01, 0.05, size=8),
            np.array([0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 30.0]),
            rng.uniform(1.0, 5.0, size=(40, 20)),
            np.sort(rng.uniform(0.1, 25.0, size=(40, 20)), axis=1),
            rng.uniform(30.0, 60.0, size=40),
        ),
    ),
    Sample(
        mesh_volume_and_area,
        lambda rng: (rng.normal(size=(60, 3)), np.argsort(rng.random((150, 60)), axis=1)[:, :3], 0.3),
    ),
    Sample(lennard_jones_cell, lambda rng: (rng.uniform(0.0, 5.0, size=(70, 3)), 5.0, 2.0)),
    Sample(
        robot_arm,
        lambda rng: (rng.normal(size=(200, 6)), rng.uniform(0.5, 1.5, size=6), rng.normal(size=(200, 2))),
        (0, 1),
    ),
    Sample(bezier_length, lambda rng: (rng.normal(size=(6, 2)), 100)),
    Sample(rosenbrock_descent, lambda rng: (rng.uniform(-1.0, 1.0, size=200), 1e-4, 25), (0, 1)),
    Sample(
        matrix_factorisation,
        lambda rng: (
            rng.normal(size=(40, 10)),
            rng.normal(size=(50, 10)),
            rng.integers(0, 40, size=800),
            rng.integers(0, 50, size=800),
            rng.normal(size=800),
            0.1,
        ),
        (0, 1),
    ),
    Sample(
        sinkhorn_distance,
        lambda rng: (rng.uniform(0.1, 1.0, size=(40, 30)), _distribution(rng, 40), _distribution(rng, 30), 0.2, 10),
        (0, 1, 2),
    ),
    Sample(
        ray_through_layers,
        lambda rng: (rng.uniform(0.3, 0.9, size=30), rng.uniform(0.5, 2.0, size=30), rng.uniform(0.1, 0.5, size=200)),
        (0, 1, 2),
    ),
)
