"""What a table of users' programs holds: a function of structures, and how to make its arguments."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class UserProgram:
    """A function with one real result, and a maker of its arguments, anew at each call.

    `wrt` names what is differentiated, as `srcad.grad` takes it: parameters, or parts of structures.
    """

    function: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]]
    wrt: str | tuple[str, ...]
    rtol: float = 1e-6

    @property
    def name(self) -> str:
        return self.function.__name__
