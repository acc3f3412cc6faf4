"""Simulations of physics as they stand in textbooks and their notebooks."""

import logging
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np

from tests.programs.users.program import UserProgram

logger = logging.getLogger(__name__)

G = 9.81


def pendulum_derivatives(t, state, params):
    theta, omega = state
    drive = params["A"] * np.cos(params["w_d"] * t)
    return np.array([omega, -G / params["L"] * np.sin(theta) - params["gamma"] * omega + drive])


def integrate(f, y0, t, params, method="rk4"):
    y = np.zeros((len(t), len(y0)))
    y[0] = y0
    for i in range(len(t) - 1):
        dt = t[i + 1] - t[i]
        if method == "euler":
            y[i + 1] = y[i] + dt * f(t[i], y[i], params)
        elif method == "midpoint":
            k1 = f(t[i], y[i], params)
            y[i + 1] = y[i] + dt * f(t[i] + dt / 2, y[i] + dt / 2 * k1, params)
        elif method == "rk4":
            k1 = f(t[i], y[i], params)
            k2 = f(t[i] + dt / 2, y[i] + dt * k1 / 2, params)
            k3 = f(t[i] + dt / 2, y[i] + dt * k2 / 2, params)
            k4 = f(t[i] + dt, y[i] + dt * k3, params)
            y[i + 1] = y[i] + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        else:
            raise ValueError(f"unknown method {method!r}; use 'euler', 'midpoint' or 'rk4'")
    return y


def driven_pendulum(params, y0, t_end=2.0, n=60, method="rk4"):
    """Damped driven pendulum, misfit of its angle to a cosine.

    Origin: H. P. Langtangen, "A Primer on Scientific Programming with Python", appendix on differential equations.
    """
    t = np.linspace(0, t_end, n + 1)
    states = integrate(pendulum_derivatives, y0, t, params, method=method)
    theta = states[:, 0]
    target = 0.3 * np.cos(2.5 * t)
    logger.debug("final angle %.3f", theta[-1])
    return np.mean((theta - target) ** 2)


@dataclass
class Body:
    mass: float
    position: np.ndarray
    velocity: np.ndarray

    def kinetic_energy(self):
        return 0.5 * self.mass * np.dot(self.velocity, self.velocity)


class System:
    def __init__(self, bodies, G=1.0, softening=0.05):
        self.bodies = bodies
        self.G = G
        self.softening = softening

    def accelerations(self):
        acc = []
        for i, a in enumerate(self.bodies):
            total = np.zeros(2)
            for j, b in enumerate(self.bodies):
                if i == j:
                    continue
                r = b.position - a.position
                d2 = np.sum(r**2) + self.softening**2
                total += self.G * b.mass * r / d2**1.5
            acc.append(total)
        return acc

    def step(self, dt):
        for body, a in zip(self.bodies, self.accelerations()):
            body.velocity = body.velocity + 0.5 * dt * a
            body.position = body.position + dt * body.velocity
        for body, a in zip(self.bodies, self.accelerations()):
            body.velocity = body.velocity + 0.5 * dt * a

    def energy(self):
        kinetic = sum(b.kinetic_energy() for b in self.bodies)
        potential = 0.0
        for i in range(len(self.bodies)):
            for j in range(i + 1, len(self.bodies)):
                r = np.linalg.norm(self.bodies[i].position - self.bodies[j].position)
                potential -= self.G * self.bodies[i].mass * self.bodies[j].mass / r
        return kinetic + potential


def three_bodies(bodies, G, dt=0.05, steps=4):
    """Gravitating bodies by velocity Verlet; where the last of them ends, and the energy.

    Origin: the leapfrog integrator of Binney and Tremaine, "Galactic Dynamics", section 3.4.
    """
    system = System(bodies, G=G)
    trajectory = []
    for _ in range(steps):
        system.step(dt)
        trajectory.append(system.bodies[-1].position)
    path = np.array(trajectory)
    return np.sum((path[-1] - np.array([0.5, 0.5])) ** 2) + 0.01 * system.energy() + path.std()


Grid = namedtuple("Grid", ["nx", "ny", "dx", "dt"])


def laplacian(u, dx):
    lap = np.zeros_like(u)
    lap[1:-1, 1:-1] = (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]) / dx**2
    return lap


def wave_equation(c, u0, grid=Grid(12, 12, 0.1, 0.03), n_steps=20):
    """Two-dimensional wave equation with variable speed by the leapfrog scheme, fixed edges, signals at receivers.

    Origin: the acoustic propagator of Devito's seismic tutorials (forward modelling).
    """
    receivers = [(3, 4), (6, 8), (9, 2)]
    u_prev = u0.copy()
    u = u0.copy()
    record = np.empty((n_steps, len(receivers)))
    for n in range(n_steps):
        u_next = 2 * u - u_prev + (c * grid.dt) ** 2 * laplacian(u, grid.dx)
        u_next[0, :] = u_next[-1, :] = 0.0
        u_next[:, 0] = u_next[:, -1] = 0.0
        u_prev, u = u, u_next
        for k, (i, j) in enumerate(receivers):
            record[n, k] = u[i, j]
    window = np.hanning(n_steps)[:, None]
    return np.sum((record * window) ** 2)


@dataclass
class Lattice:
    positions: np.ndarray
    box: float
    eps: float = 1.0
    sigma: float = 1.0
    history: list = field(default_factory=list)

    @property
    def n(self):
        return self.positions.shape[0]


def lennard_jones(lattice, r_cut=2.5):
    """Energy of particles in a periodic box with the truncated and shifted potential of Lennard-Jones.

    Origin: Frenkel and Smit, "Understanding Molecular Simulation", chapter 4, minimum image convention.
    """

    def potential(r2):
        s6 = (lattice.sigma**2 / r2) ** 3
        return 4.0 * lattice.eps * (s6 * s6 - s6)

    shift = potential(r_cut**2)
    diff = lattice.positions[:, None, :] - lattice.positions[None, :, :]
    diff -= lattice.box * np.round(diff / lattice.box)
    r2 = (diff**2).sum(axis=-1)
    iu = np.triu_indices(lattice.n, k=1)
    r2 = r2[iu]
    mask = r2 < r_cut**2
    if not mask.any():
        return 0.0
    energy = np.sum(potential(r2[mask]) - shift)
    return energy / lattice.n


def pendulum_arguments():
    return {"L": 1.2, "gamma": 0.3, "A": 0.8, "w_d": 1.9}, np.array([0.4, -0.1])


def bodies():
    return [
        Body(1.0, np.array([0.0, 0.0]), np.array([0.0, 0.1])),
        Body(0.5, np.array([1.0, 0.0]), np.array([0.0, 0.9])),
        Body(0.1, np.array([0.0, 1.5]), np.array([-0.8, 0.0])),
    ]


def wave_arguments():
    rng = np.random.default_rng(0)
    x = np.arange(12)
    bump = np.exp(-((x[:, None] - 5.0) ** 2 + (x[None, :] - 6.0) ** 2) / 4.0)
    return 1.0 + 0.1 * rng.random((12, 12)), bump


def lattice():
    rng = np.random.default_rng(3)
    points = np.stack(np.meshgrid(*[np.arange(3.0) * 1.2] * 2, indexing="ij"), -1).reshape(-1, 2)
    return Lattice(points + 0.08 * rng.normal(size=points.shape), 3.6, 1.1, 0.95)


PROGRAMS = [
    UserProgram(driven_pendulum, pendulum_arguments, ("params", "y0")),
    UserProgram(three_bodies, lambda: (bodies(), 1.1), ("bodies", "G")),
    UserProgram(wave_equation, wave_arguments, ("c", "u0")),
    UserProgram(lennard_jones, lambda: (lattice(),), ("lattice.positions", "lattice.eps", "lattice.sigma")),
]
