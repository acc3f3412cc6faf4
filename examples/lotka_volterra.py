"""Lynx and hare: six parameters of the Lotka-Volterra equations fitted to 21 years of fur returns.

    python examples/lotka_volterra.py [--plot FILE.png] [--steps N]

The model is integrated by a Runge-Kutta scheme in plain loops; SciPy's L-BFGS gets loss and gradient from one call of
`srcad.value_and_grad(loss)`, which is compiled like the loss itself.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from scipy.optimize import OptimizeResult, minimize

import srcad

DATA = Path(__file__).parent / "data" / "hudson_bay.csv"
# Growth of the hares, predation, death of the lynx, growth by predation; then hares and lynx in 1900.
START = np.log(np.array([0.6, 0.02, 0.9, 0.03, 30.0, 5.0]))


def rates(hare, lynx, p):
    """How fast both populations change."""
    return (p[0] - p[1] * lynx) * hare, (p[3] * hare - p[2]) * lynx


def simulate(logarithms, years, steps):
    """Hares and lynx at the start of each year, from the logarithms of parameters and first populations."""
    p = np.exp(logarithms)
    h = 1.0 / steps
    out = np.empty((years, 2))
    hare, lynx = p[4], p[5]
    for year in range(years):
        out[year, 0] = hare
        out[year, 1] = lynx
        for _ in range(steps):
            a0, b0 = rates(hare, lynx, p)
            a1, b1 = rates(hare + 0.5 * h * a0, lynx + 0.5 * h * b0, p)
            a2, b2 = rates(hare + 0.5 * h * a1, lynx + 0.5 * h * b1, p)
            a3, b3 = rates(hare + h * a2, lynx + h * b2, p)
            hare += h / 6.0 * (a0 + 2.0 * a1 + 2.0 * a2 + a3)
            lynx += h / 6.0 * (b0 + 2.0 * b1 + 2.0 * b2 + b3)
    return out


def loss(logarithms, observed, steps):
    """Mean squared difference of the logarithms: catches vary by a factor, not by an amount."""
    model = simulate(logarithms, observed.shape[0], steps)
    return np.mean((np.log(model) - np.log(observed)) ** 2)


def read_record() -> tuple[np.ndarray, np.ndarray]:
    """The years, and a row of hares and lynx (thousands of pelts) for each."""
    year, lynx, hare = np.loadtxt(DATA, delimiter=",", skiprows=5, unpack=True)
    return year.astype(int), np.stack([hare, lynx], axis=1)


def fit(observed: np.ndarray, steps: int) -> OptimizeResult:
    """The parameters' logarithms that explain the record best, as SciPy's result."""
    objective = srcad.value_and_grad(loss)
    return minimize(objective, START, args=(observed, steps), jac=True, method="L-BFGS-B")


def plot(year: np.ndarray, observed: np.ndarray, parameters: np.ndarray, path: str) -> None:
    """Record and fit over time, and the cycle that the fit goes through."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    fine = 50
    curve = simulate(parameters + np.log([1 / fine] * 4 + [1, 1]), (len(year) - 1) * fine + 1, 1)
    time_axis = year[0] + np.arange(len(curve)) / fine
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(2, 1), layout="constrained")
    for column, name, colour, marker in ((0, "snowshoe hare", "#3b6ea5", "o"), (1, "Canadian lynx", "#c8553d", "s")):
        left.plot(time_axis, curve[:, column], color=colour, linewidth=2, label=f"{name}, fitted model")
        left.plot(year, observed[:, column], marker, color=colour, markeredgecolor="white", label=f"{name}, pelts")
    left.set(xlabel="year", ylabel="thousands", xlim=(year[0] - 0.5, year[-1] + 0.5), ylim=(0, None))
    left.xaxis.set_major_locator(mpl.ticker.MultipleLocator(5))
    left.set_title("Hudson's Bay Company fur returns and a Lotka-Volterra fit", loc="left")
    left.legend(ncols=2, fontsize="small", frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    right.plot(curve[:, 0], curve[:, 1], color="#555555", linewidth=2)
    right.plot(observed[:, 0], observed[:, 1], "o", color="#555555", alpha=0.45, markeredgecolor="white")
    right.set(xlabel="hares, thousands", ylabel="lynx, thousands", xlim=(0, None), ylim=(0, None))
    right.set_title("The cycle", loc="left")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(alpha=0.25)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def main(argv: list[str] | None = None) -> OptimizeResult:
    """Fit, print what was found, and save the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--steps", type=int, default=50, help="Runge-Kutta steps a year")
    options = parser.parse_args(argv)
    year, observed = read_record()
    began = time.perf_counter()
    result = fit(observed, options.steps)
    growth, predation, death, conversion, hare, lynx = np.exp(result.x)
    seconds = time.perf_counter() - began
    before, after = np.sqrt(loss(START, observed, options.steps)), np.sqrt(result.fun)
    print(f"{result.nfev} evaluations of loss and gradient in {seconds:.1f} s, compiling included")
    print(f"root mean square error of the logarithms: {before:.3f} at the start, {after:.3f} fitted")
    print(f"d hare/dt = {growth:.3f} hare - {predation:.4f} hare lynx          hares in 1900: {hare:.1f} thousand")
    print(f"d lynx/dt = {conversion:.4f} hare lynx - {death:.3f} lynx          lynx in 1900: {lynx:.1f} thousand")
    plot(year, observed, result.x, options.plot)
    print(f"plot saved as {options.plot}")
    return result


if __name__ == "__main__":
    main()
