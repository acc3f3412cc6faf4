"""Functions that are sent to workers."""

import os

import numpy as np


def misfit(w, x, y):
    total = 0.0
    for i in range(x.shape[0]):
        error = np.tanh(x[i] * w["a"] + w["b"][i % 3]) - y[i]
        total += error * error
    return total


def failing(w, x):
    if x.shape[0] == 3:
        raise ArithmeticError("a chunk of three")
    return w * np.sum(x)


class Loader:
    """Loads a chunk where it is needed."""

    def __init__(self, chunk):
        self.chunk = chunk

    def __call__(self):
        return self.chunk


class EndsItsProcessOnce(Loader):
    """A chunk whose worker dies when it is loaded for the first time; `flag` is a file that tells whether it has."""

    def __init__(self, flag, chunk):
        self.flag, self.chunk = flag, chunk

    def __call__(self):
        if not os.path.exists(self.flag):
            with open(self.flag, "w"):
                pass
            os._exit(1)
        return self.chunk


class EndsItsProcess(Loader):
    """A chunk whose worker always dies."""

    def __call__(self):
        os._exit(1)


def parameters():
    return {"a": 0.3, "b": np.array([0.1, 0.2, 0.3])}


def chunks(count=7):
    rng = np.random.default_rng(0)
    return [(rng.normal(size=10 + k), rng.normal(size=10 + k)) for k in range(count)]


def same(one, other):
    """Whether values and gradients are the same, bit for bit."""
    return one[0] == other[0] and one[1]["a"] == other[1]["a"] and np.array_equal(one[1]["b"], other[1]["b"])
