"""Carbon dioxide at Mauna Loa: a Gaussian process whose five parameters are those of the greatest marginal likelihood.

    python examples/mauna_loa.py [--plot FILE.png] [--no-jit]

The process is fitted to the yearly means until 2005 and then has to foretell the twenty years that followed. The
likelihood goes through a Cholesky factor, which is differentiated as it stands.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from srcad.bridges.scipy import minimize

DATA = Path(__file__).parent / "data" / "mauna_loa.csv"
LAST_KNOWN = 2005
START = {"curve": 1.0, "period": 4.0, "size": 0.0, "length": 1.5, "noise": -1.5}


def covariance(p, one, other):
    """Of a polynomial of second degree, and of a smooth deviation from it; `p` has logarithms."""
    product = one[:, None] * other[None, :]
    trend = np.exp(p["curve"]) * (1.0 + product / np.exp(p["period"])) ** 2
    apart = (one[:, None] - other[None, :]) / np.exp(p["length"])
    return trend + np.exp(2.0 * p["size"] - 0.5 * apart**2)


def loss(p, years, ppm):
    """Minus the logarithm of the marginal likelihood, but for a constant."""
    among = covariance(p, years, years) + np.exp(2.0 * p["noise"]) * np.eye(years.shape[0])
    factor = np.linalg.cholesky(among)
    whitened = np.linalg.solve(factor, ppm)
    return np.sum(np.log(np.diag(factor))) + 0.5 * np.sum(whitened**2)


def read_record() -> tuple[np.ndarray, np.ndarray]:
    """Years and parts per million."""
    year, ppm = np.loadtxt(DATA, delimiter=",", skiprows=4, unpack=True)
    return year, ppm


def foretold(p, years, ppm, later) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the process at later years."""
    among = covariance(p, years, years) + np.exp(2.0 * p["noise"]) * np.eye(len(years))
    across = covariance(p, later, years)
    mean = across @ np.linalg.solve(among, ppm)
    left = covariance(p, later, later) - across @ np.linalg.solve(among, across.T)
    return mean, np.sqrt(np.diag(left) + np.exp(2.0 * p["noise"]))


def plot(year, ppm, mean, deviation, path: str) -> None:
    """What was known, what was foretold, and what came."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    known = year <= LAST_KNOWN
    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    axes.plot(year[known], ppm[known], "o", color="C0", markersize=4, label=f"known, until {LAST_KNOWN}")
    axes.plot(year[~known], ppm[~known], "o", color="C3", markersize=4, label="came later")
    axes.plot(year, mean, color="0.3", linewidth=1, label="Gaussian process")
    axes.fill_between(year, mean - 2 * deviation, mean + 2 * deviation, color="0.5", alpha=0.25, label="two deviations")
    axes.set(xlabel="year", ylabel="CO$_2$, parts per million", title="Mauna Loa, foretold from 2005 on")
    axes.legend(loc="upper left")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> np.ndarray:
    """Fit, foretell, plot; returns how far the later years are off, in deviations that were foretold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    year, ppm = read_record()
    known, middle, height = year <= LAST_KNOWN, 1982.0, float(np.mean(ppm[year <= LAST_KNOWN]))
    given = (year[known] - middle, ppm[known] - height)
    found = minimize(loss, START, args=given, method="BFGS", jit=not options.no_jit)
    mean, deviation = foretold(found.x, *given, year - middle)
    off = ((ppm - height - mean) / deviation)[~known]
    print(f"marginal likelihood {-found.fun:.2f}, noise {np.exp(found.x['noise']):.2f} ppm, {found.nfev} evaluations")
    print(f"2025: foretold {mean[-1] + height:.1f} +- {2 * deviation[-1]:.1f} ppm, measured {ppm[-1]}")
    plot(year, ppm, mean + height, deviation, options.plot)
    print(f"plot saved as {options.plot}")
    return off


if __name__ == "__main__":
    main()
