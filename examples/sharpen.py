"""Sharpen: a blurred and noisy photograph made sharp again by gradients through the blur and its total variation.

    python examples/sharpen.py [--plot FILE.png] [--size N] [--no-jit]

The photograph is one of the two that come with scikit-learn, in grey, a part of it. The blur is SciPy's
`gaussian_filter`; of the pictures that it could have come from, the one with the fewest edges is taken.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter

from srcad.bridges.scipy import minimize

WIDTH, NOISE = 1.5, 0.01  # of the blur in pixels, of the noise as a part of full white
EDGES = 1.5e-3  # what an edge costs


def loss(picture, seen):
    """The squared error of the blurred picture, and its total variation, rounded off where it is flat."""
    error = gaussian_filter(picture, WIDTH) - seen
    down, across = picture[1:, :-1] - picture[:-1, :-1], picture[:-1, 1:] - picture[:-1, :-1]
    return np.sum(error**2) + EDGES * np.sum(np.sqrt(down**2 + across**2 + 1e-4))


def photograph(size: int) -> np.ndarray:
    """A square part of a photograph, in grey from 0 to 1."""
    from sklearn.datasets import load_sample_image

    grey = load_sample_image("china.jpg").mean(axis=2) / 255.0
    return np.ascontiguousarray(grey[90 : 90 + size, 250 : 250 + size])


def sharpened(seen: np.ndarray, jit: bool = True, steps: int = 200) -> np.ndarray:
    """The picture that explains what is seen."""
    found = minimize(loss, seen, args=(seen,), method="L-BFGS-B", jit=jit, options={"maxiter": steps})
    return np.asarray(found.x)


def plot(truth: np.ndarray, seen: np.ndarray, found: np.ndarray, path: str) -> None:
    """The photograph, what is left of it, and what is made of that."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(11, 3.9), layout="constrained")
    shown = (("photograph, unknown to the fit", truth), ("blurred, with noise", seen), ("found by gradients", found))
    for axes, (title, picture) in zip(panels, shown, strict=True):
        axes.imshow(picture, cmap="gray", vmin=0.0, vmax=1.0)
        axes.set_title(title, fontsize="medium")
        axes.axis("off")
    figure.savefig(path, dpi=100)
    plt.close(figure)


def main(argv: list[str] | None = None) -> float:
    """Blur, sharpen, print, plot; returns the error that is left as a part of that of the blurred picture."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plot", default=str(Path(__file__).with_suffix(".png")), help="where the picture is saved")
    parser.add_argument("--size", type=int, default=112, help="pixels along an edge")
    parser.add_argument("--no-jit", action="store_true", help="run generated code as plain Python")
    options = parser.parse_args(argv)
    truth = photograph(options.size)
    seen = gaussian_filter(truth, WIDTH) + NOISE * np.random.default_rng(0).normal(size=truth.shape)
    found = sharpened(seen, jit=not options.no_jit)
    before, after = (float(np.sqrt(np.mean((picture - truth) ** 2))) for picture in (seen, found))
    print(f"{truth.size} pixels; error {before:.4f} of the blurred picture, {after:.4f} of the sharpened one")
    plot(truth, seen, found, options.plot)
    print(f"plot saved as {options.plot}")
    return after / before


if __name__ == "__main__":
    main()
