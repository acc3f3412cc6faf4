"""The points from which samples of rules are made: numbers and arrays away from kinks and poles."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    fixed: tuple[int, ...] = ()  # positions of arguments that are floats but have no derivative


def s(*args: Any, fixed: tuple[int, ...] = (), **kwargs: Any) -> Sample:
    return Sample(args, kwargs, fixed)


_random = np.random.default_rng(12345)


def normal(*shape: int) -> np.ndarray:
    return _random.normal(size=shape)


def between(low: float, high: float, *shape: int) -> np.ndarray:
    return _random.uniform(low, high, size=shape)


ANY, POSITIVE, UNIT, ABOVE = normal(4), between(0.3, 2.0, 4), between(-0.8, 0.8, 4), between(1.2, 3.0, 4)
MATRIX, CUBE = normal(3, 4), normal(2, 3, 4)
SQUARE = normal(3, 3) + 3.0 * np.eye(3)
SYMMETRIC = SQUARE @ SQUARE.T
TALL, ROW = normal(3, 1), normal(4)
SIGNED = np.array([-1.7, -0.4, 0.6, 2.3])
INTEGERS = np.array([1, 2, 0, 3])
STACK = np.stack((SQUARE, 0.2 * (SQUARE.T @ SQUARE) + np.diag([0.1, 0.2, 0.3])))
