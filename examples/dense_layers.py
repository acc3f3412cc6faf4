"""Handwritten digits read by layers that make their weights when they see their first input, trained through the tape.

    python examples/dense_layers.py [--epochs N]

The data are the 1797 digits that come with scikit-learn. A layer does not know how wide its input is until it is
called: its variables are made then, within the tape's block, and the tape watches them from the first reading on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import srcad


class Dense:
    """A layer of `units` that are weighted sums of all inputs; built when first called.

    activation   a function of the sums, None for the sums themselves
    """

    def __init__(self, units: int, activation: Callable[[Any], Any] | None = None, seed: int = 0) -> None:
        self.units, self.activation, self.seed = units, activation, seed
        self.weights: srcad.Variable | None = None
        self.bias: srcad.Variable | None = None

    def build(self, width: int) -> None:
        """Make the variables for inputs of this width, with Glorot's limits."""
        limit = np.sqrt(6.0 / (width + self.units))
        random = np.random.default_rng(self.seed)
        self.weights = srcad.Variable(random.uniform(-limit, limit, (width, self.units)), name="weights")
        self.bias = srcad.Variable(np.zeros(self.units), name="bias")

    @property
    def variables(self) -> list[srcad.Variable]:
        """The weights and the bias; none before the layer is built."""
        return [each for each in (self.weights, self.bias) if each is not None]

    def __call__(self, x: Any) -> Any:
        """The activations for rows of inputs."""
        if self.weights is None:
            self.build(x.shape[-1])
        sums = x @ self.weights + self.bias
        return sums if self.activation is None else self.activation(sums)


class Model:
    """Layers one after the other."""

    def __init__(self, layers: Sequence[Dense]) -> None:
        self.layers = layers

    @property
    def variables(self) -> list[srcad.Variable]:
        """Those of all layers, in order."""
        return [each for layer in self.layers for each in layer.variables]

    def __call__(self, x: Any) -> Any:
        """The last layer's activations."""
        for layer in self.layers:
            x = layer(x)
        return x


def relu(x: Any) -> Any:
    """The larger of x and zero."""
    return np.maximum(x, 0.0)


@srcad.function
def cross_entropy(scores: Any, labels: Any) -> Any:
    """The mean of -log(softmax(scores)[label]): one compiled step of the tape."""
    total = 0.0
    for row in range(scores.shape[0]):
        top = np.max(scores[row])
        total += top + np.log(np.sum(np.exp(scores[row] - top))) - scores[row, labels[row]]
    return total / scores.shape[0]


def batches(count: int, size: int, random: np.random.Generator) -> Iterator[np.ndarray]:
    """All indices once, in random order, some at a time."""
    order = random.permutation(count)
    for start in range(0, count, size):
        yield order[start : start + size]


def train(model: Model, images: np.ndarray, labels: np.ndarray, epochs: int, rate: float = 0.2) -> list[float]:
    """Descend along the gradients of the batches; the mean loss of each epoch."""
    random, losses = np.random.default_rng(1), []
    for _ in range(epochs):
        total = 0.0
        for some in batches(len(labels), 64, random):
            with srcad.GradientTape() as tape:
                loss = cross_entropy(model(images[some]), labels[some])
            # Only now does the model have variables in any case: the first batch has built its layers.
            gradients = tape.gradient(loss, model.variables)
            for variable, gradient in zip(model.variables, gradients, strict=True):
                variable.assign_sub(rate * gradient)
            total += float(loss) * len(some)
        losses.append(total / len(labels))
    return losses


def main(arguments: Sequence[str] | None = None) -> float:
    """Train, and print the share of held-out digits that are read right; returns it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=20)
    epochs = parser.parse_args(arguments).epochs
    data = load_digits()
    images, labels = data.data / 16.0, data.target
    held_out = np.random.default_rng(0).permutation(len(labels))[:360]
    seen = np.setdiff1d(np.arange(len(labels)), held_out)
    model = Model([Dense(32, relu, seed=1), Dense(10, seed=2)])
    losses = train(model, images[seen], labels[seen], epochs)
    right = float(np.mean(np.argmax(model(srcad.constant(images[held_out])).numpy(), axis=1) == labels[held_out]))
    print(f"Loss: {losses[0]:.3f} in the first epoch, {losses[-1]:.3f} in the last")
    print(f"Held-out accuracy: {100.0 * right:.1f}%")
    return right


if __name__ == "__main__":
    main()
