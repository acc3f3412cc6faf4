"""The command `srcad demo`: show a generated adjoint beside its primal, check it, then train a model with the tape.

The model is softmax regression on the 1797 handwritten digits that come with scikit-learn; nothing is downloaded.
"""

from __future__ import annotations

import argparse
import inspect
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import srcad
from srcad.tools.check_grads import checked

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def drag(x: Any, k: Any) -> Any:
    """Sum the speeds of a body that is slowed down, one way when fast and another when slow."""
    v = 1.0
    s = 0.0
    for i in range(x.shape[0]):
        a = k * v * v
        if a > 0.5:
            v = v - 0.1 * a
        else:
            v = v - 0.1 * np.sin(x[i]) * v
        s += v
    return s


def main(argv: Sequence[str] = ()) -> int:
    """Run the demo with these command-line arguments; returns the exit status."""
    parser = argparse.ArgumentParser(prog="srcad demo", description="train softmax regression on handwritten digits")
    parser.add_argument("--epochs", type=int, default=30, help="passes through the training digits (default: 30)")
    parser.add_argument("--seed", type=int, default=0, help="decides the split and the order (default: 0)")
    default = str(Path(tempfile.gettempdir()) / "srcad_demo.png")
    parser.add_argument("--plot", default=default, help=f"where a picture is saved (default: {default})")
    options = parser.parse_args(argv)
    try:
        split = digits(options.seed)
    except ModuleNotFoundError as missing:
        print(f"srcad demo needs {missing.name}: pip install 'srcad[examples]'", file=sys.stderr)
        return 1
    show_adjoint(shutil.get_terminal_size().columns)
    show_check()
    weights, accuracy = train(*split, epochs=options.epochs, seed=options.seed)
    plot(weights, accuracy, options.plot)
    return 0


def show_adjoint(columns: int) -> None:
    """Print `drag` and its generated gradient, side by side if that fits into so many columns."""
    print("A function, and the gradient that srcad writes for it:\n")
    generated = srcad.source(drag, mode="grad", wrt=(0, 1), signature="f8[:], f8")
    print(side_by_side(inspect.getsource(drag), generated, columns))


def show_check() -> None:
    """Print the gradient of `drag` at a point beside differences of the function, and how far they are apart."""
    x, k = np.array([0.3, 0.8, 1.2, 0.5]), 0.6
    found = checked(drag, (x, k), (0, 1))
    print("\nIs it right? Its values at a point, beside differences of the function:\n")
    print(f"  {'':6} {'gradient':>16} {'differences':>16} {'apart':>9}")
    for each in found.numbers:
        apart = abs(each.gradient - each.expected.value)
        print(f"  {each.where:6} {each.gradient:16.12f} {each.expected.value:16.12f} {apart:9.1e}")
    found.tell()  # raises an error where they differ


def side_by_side(left: str, right: str, columns: int) -> str:
    r"""Two texts in two columns, or one below the other if they do not fit.

    >>> print(side_by_side("a = 1\nb = 2", "c = 3", columns=20))
    a = 1   |   c = 3
    b = 2   |
    >>> print(side_by_side("a = 1\nb = 2", "c = 3", columns=10))
    a = 1
    b = 2
    <BLANKLINE>
    c = 3
    """
    first, second = left.rstrip().splitlines(), right.rstrip().splitlines()
    width = max(map(len, first))
    gap = "   |   "
    if width + len(gap) + max(map(len, second)) > columns:
        return "\n".join([*first, "", *second])
    rows = max(len(first), len(second))
    first += [""] * (rows - len(first))
    second += [""] * (rows - len(second))
    return "\n".join(f"{a:{width}}{gap}{b}".rstrip() for a, b in zip(first, second, strict=True))


def digits(seed: int) -> tuple[Floats, Labels, Floats, Labels]:
    """Training images and labels, then test images and labels: every image is a row of 64 brightnesses from 0 to 1."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    order = np.random.default_rng(seed).permutation(len(labels))
    held_out, kept = order[:360], order[360:]
    images = images / 16.0
    return images[kept], labels[kept], images[held_out], labels[held_out]


def cross_entropy(images: Floats, labels: Labels, weights: srcad.Variable, bias: srcad.Variable) -> Any:
    """The mean negative log-probability of the correct labels, in ordinary NumPy."""
    scores = images @ weights + bias
    scores = scores - np.max(scores, axis=1, keepdims=True)
    log_probability = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
    return -np.mean(log_probability[np.arange(len(labels)), labels])


def batches(images: Floats, labels: Labels, rng: np.random.Generator) -> Iterator[tuple[Floats, Labels]]:
    """The training set once, in random order, in batches of 64 images."""
    order = rng.permutation(len(labels))
    for start in range(0, len(order), 64):
        chosen = order[start : start + 64]
        yield images[chosen], labels[chosen]


def train(
    images: Floats, labels: Labels, test_images: Floats, test_labels: Labels, epochs: int, seed: int
) -> tuple[Floats, float]:
    """Train by stochastic gradient descent and show the progress; returns the weights and the held-out accuracy."""
    print(f"\nTraining on {len(labels)} digits with srcad.GradientTape, {len(test_labels)} held out:\n")
    weights, bias = srcad.Variable(np.zeros((64, 10))), srcad.Variable(np.zeros(10))
    rng = np.random.default_rng(seed)
    began = time.perf_counter()
    for epoch in range(1, epochs + 1):
        losses = []
        for some_images, some_labels in batches(images, labels, rng):
            with srcad.GradientTape() as tape:
                loss = cross_entropy(some_images, some_labels, weights, bias)
            for variable, gradient in zip((weights, bias), tape.gradient(loss, [weights, bias]), strict=True):
                variable.assign_sub(0.5 * gradient)
            losses.append(float(loss))
        accuracy = float(np.mean(predict(test_images, weights, bias) == test_labels))
        show_progress(epoch, epochs, float(np.mean(losses)), accuracy)
    print(f"\nHeld-out accuracy: {accuracy:.1%} after {time.perf_counter() - began:.1f} s")
    return weights.numpy(), accuracy


def plot(weights: Floats, accuracy: float, path: str) -> None:
    """A picture of what was learnt: for each digit, the pixels that speak for it in blue, and against it in red."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(1, 10, figsize=(12, 1.8), layout="constrained")
    most = float(np.max(np.abs(weights)))
    for digit, axes in enumerate(panels):
        axes.imshow(weights[:, digit].reshape(8, 8), cmap="RdBu", vmin=-most, vmax=most)
        axes.set(title=str(digit), xticks=[], yticks=[])
    figure.suptitle(f"Pixels that speak for a digit, and against it: {accuracy:.1%} of held-out digits are read right")
    figure.savefig(path, dpi=100)
    plt.close(figure)
    print(f"What it has learnt, as a picture: {path}")


def predict(images: Floats, weights: srcad.Variable, bias: srcad.Variable) -> Labels:
    """The most probable digit for each image."""
    scores: Floats = images @ weights.numpy() + bias.numpy()
    likeliest: Labels = np.argmax(scores, axis=1)
    return likeliest


def show_progress(epoch: int, epochs: int, loss: float, accuracy: float) -> None:
    """One line, overwritten on a terminal; if output is piped, a line for the first epoch and every tenth."""
    done = 20 * epoch // epochs
    bar = "#" * done + "." * (20 - done)
    line = f"  epoch {epoch:{len(str(epochs))}}/{epochs}  [{bar}]  loss {loss:.4f}  held-out accuracy {accuracy:.1%}"
    if sys.stdout.isatty():
        print("\r" + line, end="" if epoch < epochs else "\n", flush=True)
    elif epoch == 1 or epoch % 10 == 0 or epoch == epochs:
        print(line, flush=True)
