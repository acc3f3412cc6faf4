"""Binomial checkpointing: at which iterations of a loop to take snapshots, to reverse it with few of them.

With s snapshots, the first of them at the beginning, l iterations are reversed with the fewest repeated iterations if
the next snapshot is taken where `next_snapshot` says; `extra_steps(l, s)` iterations are repeated (Griewank and
Walther, Algorithm 799: Revolve, ACM Transactions on Mathematical Software 26, 2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.errors import TraceTooLarge
from srcad.runtime.kernels.arrays.array_add_and_copy import copy_to


@register_jitable
def reach(snapshots: int, repetitions: int) -> int:
    """The most iterations that can be reversed with so many repetitions of each: (snapshots + r) over r.

    >>> reach(3, 0), reach(3, 1), reach(3, 2)
    (1, 4, 10)
    """
    found = 1
    for k in range(1, repetitions + 1):
        found = found * (snapshots + k) // k
    return found


@register_jitable
def repetitions(steps: int, snapshots: int) -> int:
    """The most repetitions of an iteration: the least r with `reach(snapshots, r) >= steps`.

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
    """The number of repeated iterations to reverse a loop, besides the one that is reversed in each step.

    >>> extra_steps(10, 3), extra_steps(4, 3), extra_steps(4, 1), extra_steps(0, 1)
    (15, 3, 6, 0)
    """
    if steps < 2:
        return 0
    r = repetitions(steps, snapshots)
    return int(r * steps - reach(snapshots + 1, r - 1))


@register_jitable
def next_snapshot(here: int, last: int, free: int) -> int:
    """The iteration at which to take the next snapshot, after one at `here`; `last` if none is to be taken.

    The iterations from `here` on to `last` are to be reversed, with `free` more snapshots.

    >>> next_snapshot(0, 10, 2), next_snapshot(4, 10, 1), next_snapshot(7, 10, 0)
    (4, 7, 10)
    """
    steps = last - here
    if free < 1 or steps < 2:
        return last
    snapshots = min(free + 1, steps - 1)
    r = repetitions(steps, snapshots)
    # The first part is reversed with all snapshots and one repetition less, the second one with one snapshot less:
    # neither may be longer than that allows, nor shorter than with yet another repetition less.
    least = reach(snapshots, r - 2) if r > 1 else 1
    return int(here + max(least, steps - reach(snapshots - 1, r)))


@register_jitable
def snapshot_limit(steps: int, wanted: int) -> int:
    """The number of snapshots for a loop; if none is `wanted` (0), the fewest with at most two repetitions each.

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
    """The number of snapshots of `each` bytes that fit into `most` bytes, of which `fixed` bytes are taken.

    Raises TraceTooLarge if not even one fits.

    >>> [snapshots_within(steps, wanted, 800, 80, 100) for steps, wanted in ((1000, 0), (5, 0), (5, 2))]
    [7, 5, 2]
    """
    count = (most - fixed) // each
    if count < 1:
        raise TraceTooLarge("max_trace_bytes is less than what a checkpointed loop keeps with a single snapshot")
    return int(max(1, min(steps, count, wanted if wanted > 0 else count)))


@register_jitable
def check_bytes(kept: int, most: int) -> None:
    """Raise TraceTooLarge if snapshots that have grown take more than `most` bytes.

    >>> check_bytes(80, 80)
    """
    if kept > most:
        raise TraceTooLarge("the state of a checkpointed loop has grown: it keeps more than max_trace_bytes")


@register_jitable
def snapshot_count(wanted: int | None) -> int:
    """The number of snapshots that the user has given, at least one; 0 for None.

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
    """The start of a loop, returned unchanged; the call marks the loop as one with so many snapshots.

    >>> checkpointed_start(3, 10)
    3
    """
    return start


@register_jitable
def checkpointed_test(test: bool, snapshots: int) -> bool:
    """The test of a `while` loop, returned unchanged; the call marks the loop as one with so many snapshots.

    >>> checkpointed_test(True, 10)
    True
    """
    return test


def snapshot(value: Any) -> Any:
    """A number, or a row-major copy of an array.

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
