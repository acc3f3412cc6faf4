"""What the tables of programs hold: a function, how to make its arguments, and what to differentiate by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Sample:
    """A function that returns a number, with a maker of arguments for some 10^5 to 10^7 instructions."""

    function: Callable[..., float]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    wrt: tuple[int, ...] = (0,)

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.__name__

    def fresh_arguments(self) -> tuple[Any, ...]:
        """The same arguments at each call, in memory of their own."""
        return self.arguments(np.random.default_rng(7))
