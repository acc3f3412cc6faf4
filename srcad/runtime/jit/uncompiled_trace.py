"""What an uncompiled forward function hands to whoever wants the reverse sweep: its trace, and what understands it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kept:
    """A trace, with the reverse function that was generated along with the forward function.

    Later calls may have the pair generated anew, with another trace; and of a pair that is made for Numba, the forward
    function may have run uncompiled, with the trace of array statements instead of loops.
    """

    trace: Any
    reverse: Callable[..., Any]

    def pull(self, arguments: tuple[Any, ...], bar: Any) -> Any:
        """The adjoints of the arguments."""
        return self.reverse(*arguments, self.trace, bar)


def keeping(found: tuple[Any, Any], reverse: Callable[..., Any]) -> tuple[Any, Kept]:
    """The value and the trace that a forward function has returned, the trace kept with its reverse function.

    >>> value, kept = keeping((4.0, (2.0,)), lambda x, trace, bar: 2.0 * trace[0] * bar)
    >>> value, kept.pull((2.0,), 1.0)
    (4.0, 4.0)
    """
    value, trace = found
    return value, Kept(trace, reverse)
