"""Certified fits: five regressions of NIST's reference data, to how many digits they agree with what is certified.

    python examples/certified_fits.py [--plot FILE.png] [--no-jit]

The data sets were made to be hard for programs with approximate derivatives. `least_squares` gets exact Jacobians.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from srcad.bridges.scipy import least_squares

DATA = Path(__file__).parent / "data" / "nist_fits.csv"


@dataclass(frozen=True)
class Fit:
    """A model, where the fit starts, and what is certified: the parameters and the sum of squares."""

    model: Callable[..., Any]
    start: tuple[float, ...]
    parameters: tuple[float, ...]
    squares: float


def saturation(b, x):
    """Misra1a and BoxBOD."""
    return b[0] * (1.0 - np.exp(-b[1] * x))


def growth(b, x):
    """Rat43."""
    return b[0] / (1.0 + np.exp(b[1] - b[2] * x)) ** (1.0 / b[3])


def kowalik(b, x):
    """MGH09."""
    return b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3])


def thurber(b, x):
    """Thurber: a quotient of cubic polynomials."""
    top = b[0] + x * (b[1] + x * (b[2] + x * b[3]))
    return top / (1.0 + x * (b[4] + x * (b[5] + x * b[6])))


FITS = {
    "Misra1a": Fit(saturation, (250.0, 5e-4), (238.94212918, 5.5015643181e-4), 1.2455138894e-1),
    "BoxBOD": Fit(saturation, (100.0, 0.75), (213.80940889, 0.54723748542), 1.1680088766e3),
    "Rat43": Fit(
        growth, (700.0, 5.0, 0.75, 1.3), (699.6415127, 5.2771253025, 0.75962938329, 1.2792483859), 8.786404908e3
    ),
    "MGH09": Fit(
        kowalik,
        (0.25, 0.39, 0.415, 0.39),
        (0.19280693458, 0.19128232873, 0.12305650693, 0.13606233068),
        3.0750560385e-4,
    ),
    "Thurber": Fit(
        thurber,
        (1300.0, 1500.0, 500.0, 75.0, 1.0, 0.4, 0.05),
        (1288.13968, 1491.0792535, 583.23836877, 75.416644291, 0.96629502864, 0.39797285797, 0.049727297349),
        5.6427082397e3,
    ),
}


def read_set(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Places and measurements of a data set."""
    rows = [line.split(",")[1:] for line in DATA.read_text().splitlines() if line.startswith(name + ",")]
    x, y = np.array(rows, float).T
    return x, y


def fitted(name: str, jit: bool = True) -> np.ndarray:
    """The parameters of the least sum of squares."""
    fit, (x, y) = FITS[name], read_set(name)
    model = fit.model
    scale = np.abs(np.array(fit.start))
    start = np.array(fit.start) / scale
    how = {"method": "lm", "xtol": 1e-15, "ftol": 1e-15, "gtol": 1e-15, "max_nfev": 2000}
    found = least_squares(lambda b, x, y: model(b * scale, x) - y, start, args=(x, y), jit=jit, **how)
    return np.asarray(found.x) * scale


def digits(name: str, found: np.ndarray) -> float:
    """How many digits of the parameters are those certified, at least."""
    certified = np.array(FITS[name].parameters)
    return float(-np.log10(np.max(np.abs(found / certified - 1.0)) + 1e-16))


def plot(found: dict[str, np.ndarray], path: str) -> None:
    """Measurements and fits."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, len(found), figsize=(13, 2.9), layout="constrained")
    for axes, (name, parameters) in zip(panels, found.items(), strict=True):
        x, y = read_set(name)
        fine = np.linspace(x.min(), x.max(), 200)
        axes.plot(x, y, "o", color="0.3", markersize=3)
        axes.plot(fine, FITS[name].model(parameters, fine), color="C0")
        axes.set_title(f"{name}: {digits(name, parameters):.0f} digits", fontsize="medium")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> dict[str, float]:
    """Fit all sets, print, plot; returns the number of right digits for each."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    found = {name: fitted(name, jit=not options.no_jit) for name in FITS}
    right = {name: digits(name, parameters) for name, parameters in found.items()}
    for name, count in right.items():
        x, y = read_set(name)
        squares = float(np.sum((FITS[name].model(found[name], x) - y) ** 2))
        print(f"{name:8} {count:5.1f} digits, sum of squares {squares:.10g}, certified {FITS[name].squares:.10g}")
    plot(found, options.plot)
    print(f"plot saved as {options.plot}")
    return right


if __name__ == "__main__":
    main()
