"""Influenza in a boarding school: rates of infection and recovery from a fortnight of counts, with their uncertainty.

    python examples/boarding_school.py [--plot FILE.png] [--no-jit]

SciPy's `solve_ivp` integrates the equations of an epidemic; srcad differentiates through it, on the steps that it
takes. `least_squares` gets the Jacobian, which also gives the deviations of what was fitted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

from srcad.bridges.scipy import Objective, least_squares

DATA = Path(__file__).parent / "data" / "boarding_school.csv"
BOYS = 763.0
START = {"infection": 1.5, "recovery": 0.5}


def rates(t, state, infection, recovery):
    """Boys that can fall ill, and boys in bed, as parts of all."""
    falling = infection * state[0] * state[1]
    return np.array([-falling, falling - recovery * state[1]])


def in_bed(p, days):
    """Boys in bed on each day; one is ill the day before the first."""
    first = np.array([1.0 - 1.0 / BOYS, 1.0 / BOYS])
    result = solve_ivp(
        rates, (0.0, 14.0), first, t_eval=days, args=(p["infection"], p["recovery"]), rtol=1e-6, atol=1e-8
    )
    return BOYS * result.y[1]


def residuals(p, days, observed):
    """Differences of square roots, which have about the same deviation for few and for many."""
    return np.sqrt(in_bed(p, days)) - np.sqrt(observed)


def read_record() -> tuple[np.ndarray, np.ndarray]:
    """Days, and boys in bed."""
    days, observed = np.loadtxt(DATA, delimiter=",", skiprows=4, unpack=True)
    return days, observed


def fit(days: np.ndarray, observed: np.ndarray, jit: bool = True) -> tuple[dict[str, float], np.ndarray]:
    """The two rates, and their covariance."""
    found = least_squares(residuals, START, args=(days, observed), jit=jit)
    slopes = Objective(residuals, found.x, args=(days, observed), jit=jit)
    matrix = slopes.jacobian(slopes.start)
    covariance = 2.0 * found.cost / (len(days) - 2) * np.linalg.inv(matrix.T @ matrix)
    return {name: float(value) for name, value in found.x.items()}, covariance


def plot(p: dict[str, float], days: np.ndarray, observed: np.ndarray, path: str) -> None:
    """Counts, and the epidemic of the fitted rates."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    fine = np.linspace(0.0, 14.0, 200)
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(fine, in_bed(p, fine), color="C0", label="fitted epidemic")
    axes.bar(days, observed, color="C1", alpha=0.5, label="boys in bed")
    axes.set(xlabel="day", ylabel="boys", title="Influenza in a boarding school, January 1978")
    axes.legend()
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> dict[str, float]:
    """Fit, print, plot; returns the rates."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    days, observed = read_record()
    found, covariance = fit(days, observed, jit=not options.no_jit)
    for (name, value), deviation in zip(found.items(), np.sqrt(np.diag(covariance)), strict=True):
        print(f"{name} {value:.3f} +- {deviation:.3f} a day")
    print(f"one boy infects {found['infection'] / found['recovery']:.1f} others at first")
    plot(found, days, observed, options.plot)
    print(f"plot saved as {options.plot}")
    return found


if __name__ == "__main__":
    main()
