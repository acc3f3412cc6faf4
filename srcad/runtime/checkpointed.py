"""`checkpointed`: a loop of which the reverse sweep keeps a few snapshots, not a trace of all iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.extending import overload

from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.runtime.support.numba_refresh import refresh_if_compiling


def checkpointed(iterations: range, snapshots: int | None = None) -> range:
    """The iterations of a `for` loop, of which derivatives in reverse mode keep `snapshots` states at a time.

    iterations  a `range`, written out in the loop's header
    snapshots   how many copies are kept of what the loop carries from iteration to iteration, the one of its beginning
                among them; at least 1. None takes about the square root of twice the number of iterations,
                as few as let no iteration run again more than twice.

    A loop of T iterations is reversed from snapshots at the places of Griewank and Walther's schedule (revolve), which
    runs the fewest iterations again that this is possible with. The trace then grows with `snapshots`, not with T.
    In all else, in forward mode and where nothing is differentiated, the loop is one over the plain `range`.

    Raises ValueError where `snapshots` is less than 1, TypeError where `iterations` is no `range`.

    >>> import srcad
    >>> def cool(u, steps):
    ...     for i in srcad.checkpointed(range(steps), snapshots=5):
    ...         u = u - 0.01 * u * u
    ...     return u
    >>> round(cool(1.0, 1000), 6), round(srcad.grad(cool)(1.0, 1000), 6)
    (0.090711, 0.008153)
    """
    if not isinstance(iterations, range):
        raise TypeError(f"checkpointed takes a range, not {type(iterations).__name__}")
    kernels.snapshot_count(snapshots)
    return iterations


@overload(checkpointed)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _checkpointed(iterations: Any, snapshots: Any = None) -> Callable[..., Any] | None:
    def checked(iterations: Any, snapshots: Any = None) -> Any:
        kernels.snapshot_count(snapshots)
        return iterations

    return checked if isinstance(iterations, types.RangeType) else None


registry.zero(kernels.checkpointed_start, kernels.snapshot_count)
refresh_if_compiling()
