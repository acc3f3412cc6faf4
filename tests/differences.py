"""Derivatives by finite differences, the tests' source of expected values, and what is needed to take them."""

from typing import Any

import numpy as np

from srcad.tools.finite_differences import directional_derivative

__all__ = ["directional_derivative", "flat", "moved", "own_copy"]


def flat(value: Any) -> np.ndarray:
    """All the numbers in an array, a scalar or a nest of tuples, as one float64 vector."""
    if isinstance(value, (tuple, list)):
        return np.concatenate([flat(part) for part in value]) if value else np.zeros(0)
    return np.zeros(0) if isinstance(value, str) else np.asarray(value, dtype=np.float64).ravel()


def moved(value: Any, direction: Any, step: float) -> Any:
    """`value + step * direction` in memory of its own, with the type of `value`."""
    if isinstance(value, np.ndarray):
        return (value + step * direction).astype(value.dtype)
    return type(value)(value + step * direction)


def own_copy(value: Any) -> Any:
    """The same value in memory of its own, in the same order."""
    return value.copy(order="K") if isinstance(value, np.ndarray) else value
