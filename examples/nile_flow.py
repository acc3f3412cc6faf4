"""Nile: how much of the river's yearly flow is noise, told by the likelihood of a Kalman filter.

    python examples/nile_flow.py [--plot FILE.png] [--no-jit]

A level that wanders from year to year is observed with noise. The filter is a loop; its two variances are those of the
greatest likelihood. The flow fell about 1899, when work on the first dam at Aswan began.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from srcad.bridges.scipy import minimize

DATA = Path(__file__).parent / "data" / "nile.csv"


def filtered(flow, noise, drift, level, spread):
    """Level and variance for each year, given the years up to it, and the log-likelihood without constants.

    The first level is not known beforehand: its variance is infinite, and the first year tells nothing of the others.
    """
    spread[0] = noise
    level[0] = flow[0]
    likelihood = 0.0
    for t in range(1, flow.shape[0]):
        before = spread[t - 1] + drift
        expected = before + noise
        surprise = flow[t] - level[t - 1]
        likelihood -= 0.5 * (np.log(expected) + surprise**2 / expected)
        gain = before / expected
        level[t] = level[t - 1] + gain * surprise
        spread[t] = before * (1.0 - gain)
    return likelihood


def loss(variances, flow):
    """Minus the mean logarithm of the likelihood; `variances` are given as logarithms, which have no bounds."""
    level, spread = np.empty(flow.shape[0]), np.empty(flow.shape[0])
    return -filtered(flow, np.exp(variances["noise"]), np.exp(variances["drift"]), level, spread) / flow.shape[0]


def read_record() -> tuple[np.ndarray, np.ndarray]:
    """Years and flows."""
    year, flow = np.loadtxt(DATA, delimiter=",", skiprows=4, unpack=True)
    return year, flow


def fit(flow: np.ndarray, jit: bool = True) -> tuple[float, float]:
    """The variances of noise and of drift."""
    start = {"noise": np.log(np.var(flow)), "drift": np.log(0.1 * np.var(flow))}
    found = minimize(loss, start, args=(flow,), method="BFGS", jit=jit)
    return float(np.exp(found.x["noise"])), float(np.exp(found.x["drift"]))


def plot(noise: float, drift: float, path: str) -> None:
    """Flows, and the level that the filter makes of them with its band of 90 per cent."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    year, flow = read_record()
    level, spread = np.empty_like(flow), np.empty_like(flow)
    filtered(flow, noise, drift, level, spread)
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.plot(year, flow, "o", color="0.5", markersize=4, label="flow of the year")
    axes.plot(year, level, color="C0", label="level, given the years so far")
    band = 1.645 * np.sqrt(spread)
    axes.fill_between(year[1:], (level - band)[1:], (level + band)[1:], color="C0", alpha=0.2, label="90 %")
    axes.set(xlabel="year", ylabel="flow at Aswan, $10^8$ m³", title="The Nile, 1871 to 1970")
    axes.legend()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> tuple[float, float]:
    """Fit, print, plot; returns the two variances."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    noise, drift = fit(read_record()[1], jit=not options.no_jit)
    print(f"variance of the noise: {noise:.0f}, of the drift from year to year: {drift:.0f}")
    plot(noise, drift, options.plot)
    print(f"plot saved as {options.plot}")
    return noise, drift


if __name__ == "__main__":
    main()
