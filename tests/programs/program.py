"""What a table of programs holds: a function, how to make its arguments, and what to differentiate."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Program:
    """A function to be differentiated, with a maker of arguments at which it is smooth.

    `compiled` marks those whose gradient is also taken through Numba, which costs seconds each; `interpreted` those
    that Numba cannot type, so that they only run as array statements.
    """

    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator], tuple[Any, ...]]
    wrt: tuple[int, ...] = (0,)
    compiled: bool = False
    interpreted: bool = False
    rtol: float = 1e-7

    @property
    def name(self) -> str:
        return self.function.__name__

    def fresh_arguments(self) -> tuple[Any, ...]:
        """The same arguments at each call, in memory of their own."""
        return self.arguments(np.random.default_rng(1))


def vector(size: int) -> Callable[[np.random.Generator], tuple[np.ndarray]]:
    """A maker of one vector argument."""
    return lambda rng: (rng.normal(size=size),)


def matrix(rows: int, columns: int) -> Callable[[np.random.Generator], tuple[np.ndarray]]:
    """A maker of one matrix argument."""
    return lambda rng: (rng.normal(size=(rows, columns)),)


def numbers(*values: Any) -> Callable[[np.random.Generator], tuple[Any, ...]]:
    """A maker of these arguments as they stand."""
    return lambda rng: values
