"""Programs that defend passes: each is cheaper by a tenth and more with one of them, as docs/passes.md shows.

Those of `benchmarks/programs`, which are no pass's model, gain next to nothing by these passes.
"""

from __future__ import annotations

import numpy as np

from benchmarks.collection.workload import Workload


def squashed_layer(a, x):
    """A layer whose weights are kept in bounds."""
    return np.sum((np.tanh(a) @ x) ** 2)


def masked_layer(a, mask, x):
    """A layer of which some connections are cut."""
    return np.sum(np.sin((a * mask) @ x))


def shared_layers(first, second, rows):
    """Two layers that are applied to one row at a time."""
    total = 0.0
    for t in range(rows.shape[0]):
        hidden = np.tanh(first @ rows[t])
        total += np.sum((second @ hidden) ** 2)
    return total


def recurrent(w, r, xs, h):
    """A recurrent network."""
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + r @ xs[t])
    return np.sum(h * h)


def damped_wave(x, b):
    """Two arrays, and a loop over both."""
    y = np.sin(x) + b
    z = y * y * b
    total = 0.0
    for i in range(x.size):
        total += z[i] * y[i]
    return total


def normalised_rows(x, b):
    """A loop over the rows of an exponential."""
    y = np.exp(x + b)
    total = 0.0
    for i in range(x.shape[0]):
        total += np.log(np.sum(y[i])) * y[i, 0]
    return total


def image_difference(x, y):
    """The squared difference of two images, the roughness of one, their correlation."""
    apart = x - y
    return np.sum(apart * apart) + 0.1 * np.sum((x[1:] - x[:-1]) ** 2) + np.sum(x * y)


def neighbour_energy(x, y):
    """Products of neighbours, and a cubic term, in two nests."""
    n, m = x.shape
    total = 0.0
    for i in range(n - 1):
        for j in range(m):
            total += x[i, j] * x[i + 1, j] * y[j]
    for i in range(n):
        for j in range(m):
            total += x[i, j] ** 3
    return total


def _layer(rng, n):
    return rng.normal(size=(n, n)), rng.normal(size=n)


def _masked(rng, n):
    return rng.normal(size=(n, n)), (rng.normal(size=(n, n)) > 0.0) * 1.0, rng.normal(size=n)


def _layers(rng, n, steps):
    first, second = rng.normal(size=(2, n, n)) / np.sqrt(n)
    return first, second, rng.normal(size=(steps, n))


def _recurrent(rng, n, steps):
    return *_layers(rng, n, steps), rng.normal(size=n)


def _waves(rng, n):
    return rng.normal(size=n), rng.normal(size=n)


def _rows(rng, n, m):
    return rng.normal(size=(n, m)), rng.normal(size=m)


def _images(rng, n):
    return rng.normal(size=(n, n)), rng.normal(size=(n, n))


# In turn: the adjoint of a matrix in a product with a vector is used element by element; each iteration adds an outer
# product to the adjoint of a large matrix; loops run over what statements with two arrays have computed; two statements
# add to each element of a large adjoint.
DEFENDED = {
    "outer_contraction": (
        Workload(squashed_layer, _layer, (3,), (1200,), (0, 1)),
        Workload(masked_layer, _masked, (3,), (1200,), (0, 2)),
    ),
    "delayed_updates": (
        Workload(shared_layers, _layers, (3, 4), (300, 60), (0, 1)),
        Workload(recurrent, _recurrent, (3, 4), (256, 40), (0, 1)),
    ),
    "check_placement": (
        Workload(damped_wave, _waves, (4,), (300000,), (0, 1)),
        Workload(normalised_rows, _rows, (3, 2), (2000, 100), (0, 1)),
    ),
    "first_contributions": (
        Workload(image_difference, _images, (3,), (700,), (0, 1)),
        Workload(neighbour_energy, _rows, (3, 2), (1000, 1000), (0, 1)),
    ),
}
WORKLOADS = tuple(each for table in DEFENDED.values() for each in table)
