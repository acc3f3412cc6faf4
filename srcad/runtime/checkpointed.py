"""`checkpointed`: marks a loop that is reversed from a few snapshots, instead of a trace of all iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from srcad.errors import BadType
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.runtime.support.numba_refresh import refresh_if_compiling


def checkpointed(iterations: range, snapshots: int | None = None) -> range:
    """The iterations of a `for` loop; reverse-mode derivatives keep `snapshots` states of the loop at a time.

    iterations  a `range`, written out in the loop's header
    snapshots   the number of snapshots of the variables that the loop carries from iteration to iteration, including
                the one at its start; at least 1. None takes about the square root of twice the number of iterations,
                the fewest with which no iteration is repeated more than twice.

    The snapshots are placed by Griewank and Walther's schedule (revolve), which repeats the fewest iterations possible.
    The trace then grows with `snapshots`, not with the number of iterations. In forward mode, and where nothing is
    differentiated, the loop is one over the plain `range`.

    Raises ValueError if `snapshots` is less than 1, TypeError if `iterations` is not a `range`.

    >>> import srcad
    >>> def cool(u, steps):
    ...     for i in srcad.checkpointed(range(steps), snapshots=5):
    ...         u = u - 0.01 * u * u
    ...     return u
    >>> round(cool(1.0, 1000), 6), round(srcad.grad(cool)(1.0, 1000), 6)
    (0.090711, 0.008153)
    """
    if not isinstance(iterations, range):
        raise BadType(f"checkpointed takes a range, not {type(iterations).__name__}", hint="write range(n)")
    if not (snapshots is None or isinstance(snapshots, (int, np.integer))):
        raise BadType(f"the number of snapshots is {snapshots!r}", hint="give a whole number, or None")
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
