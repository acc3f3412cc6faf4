"""How uncompiled functions run: a forward function with the reverse function that reads its trace, and warnings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from srcad.runtime.support.errstate import IGNORED, unwarned


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
        before = unwarned.set(IGNORED)
        try:
            return self.reverse(*arguments, self.trace, bar)
        finally:
            unwarned.reset(before)


def restoring_errors(function: Callable[..., Any], mode: str) -> Callable[..., Any]:
    """An uncompiled generated function, after which floating-point errors are handled as before.

    Its reverse sweep ignores them; a tangent function, in which both stand side by side, ignores all of them.
    """
    if mode == "core":
        return function

    def restoring(*args: Any) -> Any:
        before = unwarned.set(IGNORED if mode in ("tangent", "hvp") else unwarned.get())
        try:
            return function(*args)
        finally:
            unwarned.reset(before)

    return restoring


def keeping(found: tuple[Any, Any], reverse: Callable[..., Any]) -> tuple[Any, Kept]:
    """The value that a forward function has returned, and its trace combined with the reverse function.

    >>> value, kept = keeping((4.0, (2.0,)), lambda x, trace, bar: 2.0 * trace[0] * bar)
    >>> value, kept.pull((2.0,), 1.0)
    (4.0, 4.0)
    """
    value, trace = found
    return value, Kept(trace, reverse)
