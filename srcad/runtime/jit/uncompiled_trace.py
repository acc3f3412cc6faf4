"""The trace of an uncompiled forward function, together with the reverse function that reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kept:
    """A trace and the reverse function that was generated with its forward function.

    They belong together: a later call may generate the pair again, with another trace; and the forward function of a
    pair for Numba may have run uncompiled, with the trace of array statements instead of loops.
    """

    trace: Any
    reverse: Callable[..., Any]

    def pull(self, arguments: tuple[Any, ...], bar: Any) -> Any:
        """The adjoints of the arguments."""
        return self.reverse(*arguments, self.trace, bar)


def keeping(found: tuple[Any, Any], reverse: Callable[..., Any]) -> tuple[Any, Kept]:
    """The value that a forward function has returned, and its trace combined with the reverse function.

    >>> value, kept = keeping((4.0, (2.0,)), lambda x, trace, bar: 2.0 * trace[0] * bar)
    >>> value, kept.pull((2.0,), 1.0)
    (4.0, 4.0)
    """
    value, trace = found
    return value, Kept(trace, reverse)
