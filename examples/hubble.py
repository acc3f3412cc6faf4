"""Hubble's law: velocities of 24 nebulae, and what they tell of its constant, sampled by Hamiltonian Monte Carlo.

    python examples/hubble.py [--plot FILE.png] [--draws N] [--no-jit]

Velocities scatter widely, so the errors have Student's distribution. The sampler moves like a body without friction in
the landscape of the posterior, pushed by its gradient. (Hubble's distances were too small: the constant is about 70.)
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import srcad

DATA = Path(__file__).parent / "data" / "hubble.csv"
FREEDOM = 4.0
STEPS, STEP = 8, 0.3  # of one trajectory


def log_posterior(p, distance, velocity):
    """Of the constant in hundreds of km/s/Mpc, the velocity at distance 0 in the same, and the log of the scatter."""
    scatter = np.exp(p[2])
    error = (velocity / 100.0 - p[0] * distance - p[1]) / scatter
    likelihood = -np.sum(0.5 * (FREEDOM + 1.0) * np.log1p(error**2 / FREEDOM)) - distance.shape[0] * p[2]
    return likelihood - 0.5 * (p[0] / 10.0) ** 2 - 0.5 * (p[1] / 5.0) ** 2 - 0.5 * (p[2] - 1.0) ** 2


def read_record() -> tuple[np.ndarray, np.ndarray]:
    """Distances and velocities."""
    distance, velocity = np.loadtxt(DATA, delimiter=",", skiprows=4, unpack=True)
    return distance, velocity


def sample(draws: int, seed: int = 0, jit: bool = True) -> tuple[np.ndarray, float]:
    """Draws from the posterior, and the fraction of trajectories that were accepted."""
    data = read_record()
    slope = srcad.value_and_grad(log_posterior, jit=jit)
    random = np.random.default_rng(seed)
    at = np.array([4.5, 0.0, 0.8])
    height, push = slope(at, *data)
    kept, accepted = np.empty((draws, 3)), 0
    scale = np.array([0.8, 0.9, 0.2])  # about the deviations of the posterior
    for i in range(draws):
        momentum = random.normal(size=3)
        place, force, energy = at, push, height - 0.5 * momentum @ momentum
        for _ in range(STEPS):
            momentum = momentum + 0.5 * STEP * scale * force
            place = place + STEP * scale * momentum
            new, force = slope(place, *data)
            momentum = momentum + 0.5 * STEP * scale * force
        if np.log(random.uniform()) < new - 0.5 * momentum @ momentum - energy:
            at, height, push, accepted = place, new, force, accepted + 1
        kept[i] = at
    return kept[draws // 5 :], accepted / draws


def plot(draws: np.ndarray, path: str) -> None:
    """The nebulae with lines from the posterior, and the histogram of the constant."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    distance, velocity = read_record()
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained", width_ratios=(3, 2))
    ends = np.array([0.0, 2.1])
    for constant, rest, _ in draws[:: max(1, len(draws) // 80)]:
        left.plot(ends, 100.0 * (constant * ends + rest), color="C0", alpha=0.08)
    left.plot(distance, velocity, "o", color="0.2", markersize=4)
    left.set(xlabel="distance, Mpc (as measured in 1929)", ylabel="velocity, km/s", title="24 nebulae")
    right.hist(100.0 * draws[:, 0], bins=30, color="C0")
    right.set(xlabel="constant, km/s/Mpc", title="posterior", yticks=[])
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> np.ndarray:
    """Sample, print, plot; returns the draws of the constant, in km/s/Mpc."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--draws", type=int, default=4000, help="trajectories, of which a fifth is left out")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    draws, accepted = sample(options.draws, jit=not options.no_jit)
    constant = 100.0 * draws[:, 0]
    print(f"constant {constant.mean():.0f} +- {constant.std():.0f} km/s/Mpc, {accepted:.0%} of trajectories accepted")
    plot(draws, options.plot)
    print(f"plot saved as {options.plot}")
    return constant


if __name__ == "__main__":
    main()
