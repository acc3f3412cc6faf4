"""O-rings: the risk at 31 degrees that the flights before Challenger's told of, with a band from the Hessian.

    python examples/o_rings.py [--plot FILE.png] [--no-jit]

Logistic regression with `grad` and `hessian`: Newton's method takes a handful of steps, and the inverse of the Hessian
is the covariance of what was fitted.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import srcad

DATA = Path(__file__).parent / "data" / "o_rings.csv"
MIDDLE = 70.0  # degrees, from which temperatures are counted
MORNING = 31.0


def loss(p, temperature, distress):
    """Minus the logarithm of the likelihood."""
    score = p[0] + p[1] * (temperature - MIDDLE)
    return np.sum(np.logaddexp(0.0, score) - distress * score)


def risk(p, temperature):
    """The probability of distress."""
    return 1.0 / (1.0 + np.exp(-(p[0] + p[1] * (temperature - MIDDLE))))


def read_record() -> tuple[np.ndarray, np.ndarray]:
    """Temperatures, and 1 for flights with distress."""
    temperature, distress = np.loadtxt(DATA, delimiter=",", skiprows=5, unpack=True)
    return temperature, distress


def newton(jit: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Where the likelihood is greatest, and the covariance there."""
    data = read_record()
    slope, curvature = srcad.grad(loss, jit=jit), srcad.hessian(loss, jit=jit)
    p = np.zeros(2)
    for _ in range(20):
        step = np.linalg.solve(curvature(p, *data), slope(p, *data))
        p = p - step
        if np.max(np.abs(step)) < 1e-12:
            break
    return p, np.linalg.inv(curvature(p, *data))


def plot(p: np.ndarray, covariance: np.ndarray, path: str) -> None:
    """Flights, the fitted risk with a band of 90 per cent, and the morning of 28 January 1986."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    temperature, distress = read_record()
    fine = np.linspace(MORNING - 3.0, 85.0, 200)
    design = np.stack([np.ones_like(fine), fine - MIDDLE])
    score, width = p @ design, 1.645 * np.sqrt(np.einsum("it,ij,jt->t", design, covariance, design))
    low, high = (1.0 / (1.0 + np.exp(-(score + side * width))) for side in (-1.0, 1.0))
    figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
    axes.plot(temperature, distress, "o", color="0.2", alpha=0.6, label="23 flights")
    axes.plot(fine, risk(p, fine), color="C0", label="risk of distress")
    axes.fill_between(fine, low, high, color="C0", alpha=0.2, label="90 %")
    axes.axvline(MORNING, color="C3", linestyle="--", label="28 January 1986")
    axes.set(xlabel="temperature at launch, °F", ylabel="distress of a joint", title="The flights before Challenger's")
    axes.legend(loc="center right")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> np.ndarray:
    """Fit, print, plot; returns the two coefficients."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    p, covariance = newton(jit=not options.no_jit)
    deviation = np.sqrt(covariance[1, 1])
    print(f"logit of the risk: {p[0] - MIDDLE * p[1]:.3f} {p[1]:+.4f} for each degree (+- {deviation:.4f})")
    print(f"risk at {MORNING:.0f} degrees: {risk(p, MORNING):.4f}")
    plot(p, covariance, options.plot)
    print(f"plot saved as {options.plot}")
    return p


if __name__ == "__main__":
    main()
