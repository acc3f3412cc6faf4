"""Where to take snapshots of a loop, so that it can be reversed with few of them: binomial checkpointing.

With s snapshots, the first of them at the beginning, l iterations are reversed with the fewest iterations run again if
the next snapshot is taken where `next_snapshot` says; that takes `extra_steps(l, s)` of them (Griewank and Walther,
Algorithm 799: Revolve, ACM Transactions on Mathematical Software 26, 2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.errors import TraceTooLarge
from srcad.runtime.kernels.arrays.whole_arrays import copy_to


@register_jitable
def reach(snapshots: int, repetitions: int) -> int:
    """The most iterations that can be reversed if each is run again at most so often: (snapshots + r) over r.

    >>> reach(3, 0), reach(3, 1), reach(3, 2)
    (1, 4, 10)
    """
    found = 1
    for k in range(1, repetitions + 1):
        found = found * (snapshots + k) // k
    return found


@register_jitable
def repetitions(steps: int, snapshots: int) -> int:
    """How often an iteration is run again at most: the least r with `reach(snapshots, r) >= steps`.

    >>> repetitions(1, 3), repetitions(4, 3), repetitions(5, 3), repetitions(11, 3)
    (0, 1, 2, 3)
    """
    found = 0
    most = 1
    while most < steps:
        found += 1
        most = most * (snapshots + found) // found
    return found


@register_jitable
def extra_steps(steps: int, snapshots: int) -> int:
    """How many iterations are run again to reverse so many, beside the one that is reversed in each.

    >>> extra_steps(10, 3), extra_steps(4, 3), extra_steps(4, 1), extra_steps(0, 1)
    (15, 3, 6, 0)
    """
    if steps < 2:
        return 0
    r = repetitions(steps, snapshots)
    return int(r * steps - reach(snapshots + 1, r - 1))


@register_jitable
def next_snapshot(here: int, last: int, free: int) -> int:
    """The iteration to run to from a snapshot at `here`, to take another one, if those from `here` on to `last` are to
    be reversed and so many more snapshots may be taken: `last` where there is none to be taken.

    >>> next_snapshot(0, 10, 2), next_snapshot(4, 10, 1), next_snapshot(7, 10, 0)
    (4, 7, 10)
    """
    steps = last - here
    if free < 1 or steps < 2:
        return last
    snapshots = min(free + 1, steps - 1)
    r = repetitions(steps, snapshots)
    # The first part is reversed with all snapshots and one repetition less, the second one with one snapshot less:
    # neither may be longer than that allows, nor shorter than with one repetition less again.
    least = reach(snapshots, r - 2) if r > 1 else 1
    return int(here + max(least, steps - reach(snapshots - 1, r)))


@register_jitable
def snapshot_limit(steps: int, wanted: int) -> int:
    """How many snapshots are kept of a loop of so many iterations; for 0, as few as run no iteration again three times.

    >>> snapshot_limit(1000, 20), snapshot_limit(10, 20), [snapshot_limit(n, 0) for n in (0, 1, 10, 100, 1000, 10000)]
    (20, 10, [1, 1, 3, 13, 44, 140])
    """
    if wanted > 0:
        return max(1, min(wanted, steps))
    found = 1
    while reach(found, 2) < steps:
        found += 1
    return found


@register_jitable
def snapshots_within(steps: int, wanted: int, most: int, fixed: int, each: int) -> int:
    """How many snapshots of so many bytes are kept, if no more than `most` bytes may be, `fixed` ones among them.

    >>> [snapshots_within(steps, wanted, 800, 80, 100) for steps, wanted in ((1000, 0), (5, 0), (5, 2))]
    [7, 5, 2]
    """
    count = (most - fixed) // each
    if count < 1:
        raise TraceTooLarge("max_trace_bytes is less than what a checkpointed loop keeps with a single snapshot")
    return int(max(1, min(steps, count, wanted if wanted > 0 else count)))


@register_jitable
def check_bytes(kept: int, most: int) -> None:
    """Raise TraceTooLarge where snapshots, which have grown, hold more than they may.

    >>> check_bytes(80, 80)
    """
    if kept > most:
        raise TraceTooLarge("the state of a checkpointed loop has grown: it keeps more than max_trace_bytes")


@register_jitable
def snapshot_count(wanted: int | None) -> int:
    """A number of snapshots, which is at least one; 0 where none is given.

    >>> snapshot_count(5), snapshot_count(None)
    (5, 0)
    >>> snapshot_count(0)
    Traceback (most recent call last):
    ...
    ValueError: a checkpointed loop needs at least one snapshot
    """
    if wanted is None:
        return 0
    if wanted < 1:
        raise ValueError("a checkpointed loop needs at least one snapshot")
    return wanted


@register_jitable
def checkpointed_start(start: int, snapshots: int) -> int:
    """Where a loop starts; marks it as one that keeps so many snapshots.

    >>> checkpointed_start(3, 10)
    3
    """
    return start


def snapshot(value: Any) -> Any:
    """A number, or a copy of an array that lies in memory row by row.

    >>> snapshot(2.5), snapshot(np.ones((2, 2), order="F")).flags["C_CONTIGUOUS"]
    (2.5, True)
    """
    return np.array(value, order="C") if isinstance(value, np.ndarray) else value


@overload(snapshot)
def _snapshot(value: Any) -> Any:
    def copied(value: Any) -> Any:
        kept = np.empty(value.shape, value.dtype)
        copy_to(kept, value)
        return kept

    def same(value: Any) -> Any:
        return value

    return copied if isinstance(value, types.Array) else same
