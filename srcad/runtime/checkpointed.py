"""`checkpointed`: marks a loop that is reversed from a few snapshots, instead of a trace of all iterations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba.core import types
from numba.extending import overload

from srcad.errors import BadType
from srcad.runtime import kernels
from srcad.runtime.rulebook import registry
from srcad.runtime.support.numba_refresh import refresh_if_compiling

Iterations = TypeVar("Iterations", range, bool, np.bool_)


def checkpointed(iterations: Iterations, snapshots: int | None = None, *, on_disk: int = 0) -> Iterations:
    """The argument, unchanged; reverse-mode derivatives of the loop keep `snapshots` of its states at a time.

    iterations  a `range`, written out in the header of a `for` loop, or the test of a `while` loop, a boolean; the
                loop may be left by `break` or `return`
    snapshots   the number of snapshots of the variables that the loop carries from iteration to iteration, including
                the one at its start; at least 1. None takes about the square root of twice the number of iterations,
                the fewest with which no iteration is repeated more than twice.
    on_disk     how many of the snapshots are kept in files, a number that is written out: the oldest ones, which the
                reverse sweep uses last. Their arrays are mapped into memory from temporary files in the folder of
                `tempfile` (`TMPDIR`), which have no names, so that they vanish with the arrays, or with the process.
                Each array of the state takes an open file for each of these snapshots.

    The snapshots are placed by Griewank and Walther's schedule (revolve), which repeats the fewest iterations possible.
    Where the number of iterations is not known before the loop ends, they are placed by the schedule of Wang, Moin and
    Iaccarino (2009), which repeats no more of them in all; `None` then takes as many snapshots as the iterations so far
    would have needed.
    The trace then grows with `snapshots`, not with the number of iterations. In forward mode, and where nothing is
    differentiated, the loop is one over the plain `range`.

    Raises ValueError if `snapshots` is less than 1, TypeError if `iterations` is neither a `range` nor a boolean.

    >>> import srcad
    >>> def cool(u, steps):
    ...     for i in srcad.checkpointed(range(steps), snapshots=5):
    ...         u = u - 0.01 * u * u
    ...     return u
    >>> round(cool(1.0, 1000), 6), round(srcad.grad(cool)(1.0, 1000), 6)
    (0.090711, 0.008153)

    >>> def cool_to(u, limit):
    ...     while srcad.checkpointed(u > limit, snapshots=5):
    ...         u = u - 0.01 * u * u
    ...     return u
    >>> round(cool_to(1.0, 0.1), 6), round(srcad.grad(cool_to)(1.0, 0.1), 6)
    (0.099969, 0.009903)
    """
    if not isinstance(iterations, (range, bool, np.bool_)):
        hint = "write `range(n)` in a `for` loop, or a comparison in a `while` loop"
        raise BadType(f"checkpointed takes a range or a boolean, not {type(iterations).__name__}", hint=hint)
    if not (snapshots is None or isinstance(snapshots, (int, np.integer))):
        raise BadType(f"the number of snapshots is {snapshots!r}", hint="give a whole number, or None")
    if type(on_disk) is not int or on_disk < 0:
        raise BadType(f"the number of snapshots on disk is {on_disk!r}", hint="give a whole number")
    kernels.snapshot_count(snapshots)
    return iterations


@overload(checkpointed)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _checkpointed(iterations: Any, snapshots: Any = None, on_disk: Any = 0) -> Callable[..., Any] | None:
    def checked(iterations: Any, snapshots: Any = None, on_disk: Any = 0) -> Any:
        kernels.snapshot_count(snapshots)
        return iterations

    return checked if isinstance(iterations, (types.RangeType, types.Boolean)) else None


registry.zero(kernels.checkpointed_start, kernels.checkpointed_test, kernels.snapshot_count, kernels.while_limit)
refresh_if_compiling()
