"""Derivatives by finite differences, the tests' own source of expected values; knows nothing of srcad."""

from collections.abc import Callable
from typing import Any

import numpy as np


def flat(value: Any) -> np.ndarray:
    """All the numbers in an array, a scalar or a nest of tuples, as one float64 vector."""
    if isinstance(value, (tuple, list)):
        return np.concatenate([flat(part) for part in value]) if value else np.zeros(0)
    return np.zeros(0) if isinstance(value, str) else np.asarray(value, dtype=np.float64).ravel()


def directional_derivative(f: Callable[[float], float], first_step: float = 2e-2) -> tuple[float, float]:
    """The slope of `f` at 0 by Ridders' extrapolation of central differences, and an estimate of its error.

    Halving steps are extrapolated to step 0; the entry of the tableau on which its neighbours agree best is taken.
    """
    best, error = 0.0, np.inf
    previous: list[float] = []
    for k in range(12):
        step = first_step / 1.6**k
        row = [(f(step) - f(-step)) / (2.0 * step)]
        for order, coarse in enumerate(previous, start=1):
            gain = 1.6 ** (2 * order)
            row.append((gain * row[-1] - coarse) / (gain - 1.0))
            estimate = max(abs(row[-1] - row[-2]), abs(row[-1] - coarse))
            if estimate <= error:
                best, error = row[-1], estimate
        previous = row
    return best, error


def moved(value: Any, direction: Any, step: float) -> Any:
    """`value + step * direction` in memory of its own, with the type of `value`."""
    if isinstance(value, np.ndarray):
        return (value + step * direction).astype(value.dtype)
    return type(value)(value + step * direction)


def own_copy(value: Any) -> Any:
    """The same value in memory of its own, in the same order."""
    return value.copy(order="K") if isinstance(value, np.ndarray) else value
