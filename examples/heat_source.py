"""Heat source: which of 64 heaters below a plate are on, and how strongly, told from noisy temperatures alone.

    python examples/heat_source.py [--digit N] [--noise FRACTION] [--plot FILE.png]

The heaters form one of scikit-learn's handwritten digits. There is no public record of such an experiment that we know
of, so the temperatures are computed: not by the scheme that is differentiated here, but from the exact solution of the
heat equation as a series of sines, with normal noise added. The powers are found by gradients through an explicit
time-stepping loop that updates the plate in place.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

import srcad

CELLS = 24  # inner grid points along an edge of the plate, whose border is held at temperature 0
TILES = 8  # heaters along an edge; each warms 3 by 3 points
STEPS_BETWEEN_LOOKS = 15
WIDTH = 1.0 / (CELLS + 1)
STEP = 0.2 * WIDTH**2  # in time; the scheme is stable below 0.25


def misfit(power, observed, deviation, smoothing):
    """Mean squared error of the temperatures, in units of the noise, and a slight preference for even powers."""
    looks, cells = observed.shape[0], observed.shape[1]
    tile = cells // power.shape[0]
    plate = np.zeros((cells + 2, cells + 2))
    heat = np.empty((cells, cells))
    for i in range(cells):
        for j in range(cells):
            heat[i, j] = power[i // tile, j // tile]
    total = 0.0
    for look in range(looks):
        for _ in range(STEPS_BETWEEN_LOOKS):
            around = plate[2:, 1:-1] + plate[:-2, 1:-1] + plate[1:-1, 2:] + plate[1:-1, :-2]
            plate[1:-1, 1:-1] += 0.2 * (around - 4.0 * plate[1:-1, 1:-1]) + STEP * heat
        total += np.mean((plate[1:-1, 1:-1] - observed[look]) ** 2) / deviation**2
    roughness = np.sum((power[1:] - power[:-1]) ** 2) + np.sum((power[:, 1:] - power[:, :-1]) ** 2)
    return total / looks + smoothing * roughness


def exact_temperatures(power: np.ndarray, times: np.ndarray, modes: int = 96) -> np.ndarray:
    """The plate at those times: every sine wave of the source grows to its own balance at its own pace."""
    wave = np.pi * np.arange(1, modes + 1)
    tile = CELLS // TILES
    edges = (0.5 + tile * np.arange(TILES + 1)) * WIDTH
    primitive = -np.cos(np.outer(wave, edges)) / wave[:, None]
    onto_waves = 2.0 * np.diff(primitive, axis=1)
    strength = onto_waves @ power @ onto_waves.T
    decay = wave[:, None] ** 2 + wave[None, :] ** 2
    points = np.sin(np.outer(WIDTH * np.arange(1, CELLS + 1), wave))
    return np.stack([points @ (strength * -np.expm1(-decay * t) / decay) @ points.T for t in times])


def heaters(digit: int) -> np.ndarray:
    """One handwritten digit as powers between 0 and 1."""
    from sklearn.datasets import load_digits

    digits = load_digits()
    return digits.images[np.flatnonzero(digits.target == digit)[0]] / 16.0


def observe(power: np.ndarray, looks: int, noise: float, seed: int = 0) -> np.ndarray:
    """Exact temperatures with normal noise, `noise` being its deviation as a fraction of the hottest point."""
    exact = exact_temperatures(power, STEP * STEPS_BETWEEN_LOOKS * np.arange(1, looks + 1))
    return exact + noise * exact.max() * np.random.default_rng(seed).normal(size=exact.shape)


def find_source(observed: np.ndarray, deviation: float, smoothing: float = 3e-4) -> OptimizeResult:
    """The powers, none negative, that explain the temperatures best; as SciPy's result, `x` being flat."""
    objective = srcad.value_and_grad(misfit)

    def flat(powers):
        value, gradient = objective(powers.reshape(TILES, TILES), observed, deviation, smoothing)
        return value, gradient.ravel()

    start = np.full(TILES * TILES, 0.3)
    limits = [(0.0, None)] * start.size
    return minimize(flat, start, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 400})


def plot(power: np.ndarray, observed: np.ndarray, found: np.ndarray, path: str) -> None:
    """What was hidden, what was seen, what was found."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
    panels = (
        (power, "gray", "Heaters, unknown to the fit", 1.0),
        (observed[-1], "inferno", f"Last of {len(observed)} noisy looks at the plate", None),
        (found, "gray", "Heaters found by gradients", 1.0),
    )
    for panel, (image, colours, title, top) in zip(axes, panels, strict=True):
        shown = panel.imshow(image, cmap=colours, vmin=0.0 if top else None, vmax=top)
        panel.set_title(title, fontsize="medium")
        panel.set_xticks([])
        panel.set_yticks([])
        figure.colorbar(shown, ax=panel, shrink=0.85, label="power" if top else "temperature")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(argv: list[str] | None = None) -> float:
    """Hide a source, look for it, print how well it was found; returns the relative error."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--digit", type=int, default=3, choices=range(10), help="shape of the source")
    parser.add_argument("--noise", type=float, default=0.02, help="noise, as a fraction of the hottest point")
    parser.add_argument("--looks", type=int, default=12, help="how often the plate is observed")
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    options = parser.parse_args(argv)
    power = heaters(options.digit)
    observed = observe(power, options.looks, options.noise)
    began = time.perf_counter()
    result = find_source(observed, deviation=options.noise * observed.max())
    found = result.x.reshape(TILES, TILES)
    error = float(np.linalg.norm(found - power) / np.linalg.norm(power))
    print(f"{power.size} powers from {observed.size} temperatures with {options.noise:.0%} noise")
    seconds = time.perf_counter() - began
    print(f"{result.nfev} evaluations of misfit and gradient in {seconds:.1f} s, compiling included")
    print(f"relative error of the powers: {error:.1%}; correlation: {np.corrcoef(found.flat, power.flat)[0, 1]:.4f}")
    plot(power, observed, found, options.plot)
    print(f"plot saved as {options.plot}")
    return error


if __name__ == "__main__":
    main()
