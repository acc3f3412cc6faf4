"""Eight small programs of the kinds that srcad is for, each with arguments of any size.

Plain loops and arrays, as one writes them for Numba. What to differentiate by is in `wrt`; `benchmarks/by_hand.py` has
the adjoints that a person would write.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

import srcad


def mixture(weights, means, scales, points):
    """Minus the log-likelihood of points under a mixture of normal distributions."""
    n, d = points.shape
    k = weights.size
    inverse = np.exp(-scales)
    terms = np.empty(k)
    total = 0.0
    for i in range(n):
        top = -1e300
        for j in range(k):
            square = 0.0
            logs = 0.0
            for a in range(d):
                off = (points[i, a] - means[j, a]) * inverse[j, a]
                square += off * off
                logs += scales[j, a]
            terms[j] = weights[j] - 0.5 * square - logs
            top = max(top, terms[j])
        mass = 0.0
        for j in range(k):
            mass += math.exp(terms[j] - top)
        total -= top + math.log(mass)
    mass = 0.0
    for j in range(k):
        mass += math.exp(weights[j])
    return total + n * math.log(mass)


def projection(cameras, points, seen_by, seen, found):
    """The squared distances of projected points from where they were found, with radial distortion."""
    total = 0.0
    for o in range(seen.size):
        c, p = seen_by[o], seen[o]
        cos, sin = math.cos(cameras[c, 0]), math.sin(cameras[c, 0])
        x = cos * points[p, 0] + sin * points[p, 2] + cameras[c, 1]
        y = points[p, 1] + cameras[c, 2]
        z = cos * points[p, 2] - sin * points[p, 0] + cameras[c, 3]
        u, v = x / z, y / z
        bend = cameras[c, 4] * (1.0 + cameras[c, 5] * (u * u + v * v))
        du, dv = bend * u - found[o, 0], bend * v - found[o, 1]
        total += du * du + dv * dv
    return total


def recurrent(w, u, b, xs):
    """The squared last state of a gated recurrent cell that has read a sequence."""
    steps, d = xs.shape
    h = b.shape[1]
    state = np.zeros(h)
    memory = np.zeros(h)
    new = np.empty(h)
    for t in range(steps):
        for i in range(h):
            keep, let, cell = b[0, i], b[1, i], b[2, i]
            for j in range(d):
                keep += w[0, i, j] * xs[t, j]
                let += w[1, i, j] * xs[t, j]
                cell += w[2, i, j] * xs[t, j]
            for j in range(h):
                keep += u[0, i, j] * state[j]
                let += u[1, i, j] * state[j]
                cell += u[2, i, j] * state[j]
            keep = 1.0 / (1.0 + math.exp(-keep))
            memory[i] = keep * memory[i] + (1.0 - keep) * math.tanh(cell)
            new[i] = math.tanh(memory[i]) / (1.0 + math.exp(-let))
        for i in range(h):
            state[i] = new[i]
    total = 0.0
    for i in range(h):
        total += state[i] * state[i]
    return total


def diffusion(start, rate, steps):
    """Heat on a grid whose conductivity falls with the temperature; the sum of squares at the end."""
    n, m = start.shape
    a = start.copy()
    b = start.copy()
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                flow = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j]
                b[i, j] = a[i, j] + rate * flow / (1.0 + a[i, j] * a[i, j])
        a, b = b, a
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += a[i, j] * a[i, j]
    return total


@numba.njit
def spread(a, b, rate):
    """One step, from one grid to the other."""
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            flow = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1] - 4.0 * a[i, j]
            b[i, j] = a[i, j] + rate * flow / (1.0 + a[i, j] * a[i, j])


def diffusion_with_snapshots(start, rate, steps):
    """The same, from which a gradient keeps twenty states."""
    a = start.copy()
    b = start.copy()
    for _ in srcad.checkpointed(range(steps), snapshots=20):
        spread(a, b, rate)
        a, b = b, a
    return np.sum(a * a)


def bodies(at, masses):
    """The potential energy of bodies that attract each other."""
    n = masses.size
    total = 0.0
    for i in range(n):
        for j in range(i):
            dx = at[i, 0] - at[j, 0]
            dy = at[i, 1] - at[j, 1]
            dz = at[i, 2] - at[j, 2]
            total -= masses[i] * masses[j] / math.sqrt(dx * dx + dy * dy + dz * dz + 0.01)
    return total


def hunting(rates, prey, hunters, steps):
    """Hunters and prey in small steps, each a midpoint rule; the squared distance from where they began."""
    x, y = prey, hunters
    for _ in range(steps):
        x, y = hunted(x, y, rates)
    return (x - prey) ** 2 + (y - hunters) ** 2


@numba.njit
def hunted(x, y, rates):
    """One step."""
    fx = x * (rates[0] - rates[1] * y)
    fy = y * (rates[2] * x - rates[3])
    mx = x + 0.005 * fx
    my = y + 0.005 * fy
    return x + 0.01 * mx * (rates[0] - rates[1] * my), y + 0.01 * my * (rates[2] * mx - rates[3])


def hunting_with_snapshots(rates, prey, hunters, steps):
    """The same, from which a gradient keeps twenty states."""
    x, y = prey, hunters
    for _ in srcad.checkpointed(range(steps), snapshots=20):
        x, y = hunted(x, y, rates)
    return (x - prey) ** 2 + (y - hunters) ** 2


def alignment(one, other, gap):
    """The least cost of aligning two sequences: by pairs, or with gaps."""
    n, m = one.size, other.size
    best = np.empty((n + 1, m + 1))
    for j in range(m + 1):
        best[0, j] = j * gap
    for i in range(n):
        best[i + 1, 0] = (i + 1) * gap
        for j in range(m):
            off = one[i] - other[j]
            cost = best[i, j] + off * off
            if best[i, j + 1] + gap < cost:
                cost = best[i, j + 1] + gap
            if best[i + 1, j] + gap < cost:
                cost = best[i + 1, j] + gap
            best[i + 1, j + 1] = cost
    return best[n, m]


def option(spot, strike, spread, years):
    """A dozen operations on numbers: the price of an option."""
    root = math.sqrt(years)
    first = (math.log(spot / strike) + 0.5 * spread * spread * years) / (spread * root)
    second = first - spread * root
    return 0.5 * (spot * math.erfc(-first / 1.4142135623730951) - strike * math.erfc(-second / 1.4142135623730951))


@dataclass(frozen=True)
class Workload:
    """A program, the arguments that it is differentiated by, and its arguments for a size."""

    function: Callable[..., Any]
    wrt: tuple[int, ...]
    arguments: Callable[[int, np.random.Generator], tuple[Any, ...]]
    size: int
    small: int

    @property
    def name(self) -> str:
        """The program's name."""
        return self.function.__name__


def _scene(n, rng):
    cameras = rng.uniform(-0.1, 0.1, (max(2, n // 50), 6)) + np.array([0.0, 0.0, 0.0, 5.0, 1.0, 0.0])
    points = rng.uniform(-1.0, 1.0, (max(3, n // 10), 3))
    by, seen = rng.integers(0, len(cameras), n), rng.integers(0, len(points), n)
    return cameras, points, by, seen, rng.uniform(-0.3, 0.3, (n, 2))


def _cell(n, rng):
    h = 12 if n > 8 else 3
    return (
        0.3 * rng.normal(size=(3, h, 6)),
        0.3 * rng.normal(size=(3, h, h)),
        0.1 * rng.normal(size=(3, h)),
        rng.normal(size=(n, 6)),
    )


def _mixture(n, rng):
    k = 8 if n > 10 else 3
    return rng.normal(size=k), rng.normal(size=(k, 4)), 0.2 * rng.normal(size=(k, 4)), rng.normal(size=(n, 4))


WORKLOADS = (
    Workload(mixture, (0, 1, 2), _mixture, 2000, 5),
    Workload(projection, (0, 1), _scene, 20000, 12),
    Workload(recurrent, (0, 1, 2), _cell, 300, 4),
    Workload(diffusion, (0, 1), lambda n, rng: (rng.normal(size=(64, 64) if n > 8 else (6, 5)), 0.1, n), 60, 3),
    Workload(bodies, (0, 1), lambda n, rng: (rng.normal(size=(n, 3)), rng.uniform(0.5, 1.5, n)), 400, 5),
    Workload(hunting, (0, 1, 2), lambda n, rng: (np.array([1.1, 0.4, 0.1, 0.4]), 10.0, 5.0, n), 20000, 7),
    Workload(alignment, (0, 1, 2), lambda n, rng: (rng.normal(size=n), rng.normal(size=n + n // 4), 0.4), 300, 6),
    Workload(option, (0, 1, 2, 3), lambda n, rng: (100.0, 105.0, 0.2, 1.5), 1, 1),
)
WITH_SNAPSHOTS = {"hunting": hunting_with_snapshots, "diffusion": diffusion_with_snapshots}
