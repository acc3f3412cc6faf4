"""What the tables of workloads hold: a function, how to make its arguments, and what to differentiate by."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Workload:
    """A function that returns a number, written as its users write it.

    function    plain Python and NumPy
    arguments   makes its arguments from a generator and sizes
    small       sizes at which a test compares gradients with differences, uncompiled
    large       sizes at which it is timed: some milliseconds
    wrt         the positions of the arguments to differentiate by
    arrays      whether it is written with array functions alone, so that JAX can run it with its own `numpy`
    """

    function: Callable[..., float]
    arguments: Callable[..., tuple[Any, ...]]
    small: tuple[int, ...]
    large: tuple[int, ...]
    wrt: tuple[int, ...] = (0,)
    arrays: bool = False

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    @property
    def sealed(self) -> bool:
        """Whether it is one of the third at which nobody looks who writes a pass."""
        return hashlib.blake2b(self.name.encode()).digest()[0] % 3 == 0

    def fresh_arguments(self, large: bool) -> tuple[Any, ...]:
        """The same arguments at each call, in memory of their own."""
        return self.arguments(np.random.default_rng(11), *(self.large if large else self.small))
