"""`reversible`: states the inverse of a step, with which the reverse sweep of a loop walks back without a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from srcad.errors import BadArgument, BadType
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry

_Step = TypeVar("_Step", bound=Callable[..., Any])


def reversible(inverse: Callable[..., Any], *, rtol: float | None = None) -> Callable[[_Step], _Step]:
    """A decorator that states the inverse of a step: a loop over the step is then reversed without a trace.

    inverse     a function of the same arguments, of which those that the step changes are given as they are after the
                step; it returns them (or writes into arrays) as they were before it
    rtol        by how much, relative to its largest value so far, a part of the state may differ from what it was; None
                is the square root of its dtype's precision

    The decorated function is the step itself, with the attribute `inverse`. In a loop of which one statement is a call
    such as `x, v = step(x, v, k)`, the reverse sweep keeps the state after the last iteration, and finds the one before
    each iteration by `x, v = step.inverse(x, v, k)`. What else the loop carries may only be summed up, as in
    `total += x`. A checkpointed loop takes snapshots all the same.

    Each iteration is run again from what its inverse has found, and the state that is reached at the beginning is
    compared with that before the loop: WrongRule, a ValueError, is raised where they differ, which names the loop.

    Raises BadType if `inverse` is no function, BadArgument if `rtol` is not positive.

    >>> import srcad
    >>> def back(x, v, k):
    ...     x = x - 0.1 * v
    ...     return x, v + 0.1 * k * x
    >>> @srcad.reversible(back)
    ... def forth(x, v, k):
    ...     v = v - 0.1 * k * x
    ...     return x + 0.1 * v, v
    >>> def oscillate(x, k, steps):
    ...     v = 0.0
    ...     for _ in range(steps):
    ...         x, v = forth(x, v, k)
    ...     return x
    >>> round(oscillate(1.0, 2.0, 1000), 6), round(srcad.grad(oscillate)(1.0, 2.0, 1000), 6)
    (-0.974114, -0.974114)
    """
    if not callable(inverse):
        raise BadType(f"the inverse is {inverse!r}", hint="give a function of the step's arguments")
    if rtol is not None and not rtol > 0.0:
        raise BadArgument(f"rtol is {rtol!r}", hint="give a positive number, or None")

    def stated(step: _Step) -> _Step:
        own: Any = step
        for each in (own, getattr(own, "py_func", own)):
            each.inverse, each.__srcad_rtol__ = inverse, rtol or 0.0
        return step

    return stated


registry.zero(kernels.undoing)
