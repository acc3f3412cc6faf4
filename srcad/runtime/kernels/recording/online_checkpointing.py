"""Online checkpointing: at which iterations of a loop to take snapshots, while it is not known how many there will be.

A snapshot has a level. A new one takes an unused slot, else that of a snapshot which a later one of a higher level has
made dispensable; if there is none, the latest snapshot moves on to the present iteration and its level rises by one
(Qiqi Wang, Parviz Moin and Gianluca Iaccarino, Minimal repetition dynamic checkpointing algorithm for unsteady adjoint
calculation, SIAM Journal on Scientific Computing 31(4), 2009). For every number of iterations, the snapshots that are
left at the end are such that no more iterations are repeated in all than if the number had been known, and none of
them more than one time more.
"""

from __future__ import annotations

from typing import Any

from numba.extending import register_jitable

from srcad.runtime.kernels.recording.binomial_checkpointing import reach

DISPENSABLE = -1
FIRST_LEVEL = 1 << 62  # that of the state before the loop, which is never dispensable
MOST_ITERATIONS = 1 << 62


@register_jitable
def first_levels() -> list[int]:
    """The levels of the snapshot before the loop, and of the state after one iteration.

    >>> first_levels()[1:]
    [0]
    """
    return [FIRST_LEVEL, 0]


@register_jitable
def online_slot(levels: list[int], most: int) -> int:
    """Whether the present state is to be kept as a snapshot before the loop goes on, and in which slot.

    levels  the levels of the snapshots, in order of their iterations, and last that of the present state; updated
    most    the number of snapshots that may be kept

    Returns the position of the snapshot to drop first, or the number of snapshots if none is to be dropped, or -1 if
    the present state is not to be kept.

    >>> levels = first_levels()
    >>> [online_slot(levels, 3) for _ in range(6)]
    [1, 2, -1, 2, 1, -1]
    """
    count = len(levels) - 1
    if count < most:
        levels.append(0)
        return count
    for position in range(count - 1, 0, -1):
        if levels[position] == DISPENSABLE:
            levels.pop(position)
            levels.append(0)
            return position
    levels[count] += 1
    position = count - 1
    while levels[position] < levels[count]:
        levels[position] = DISPENSABLE
        position -= 1
    return -1


@register_jitable
def keep_in_slot(kept: list[Any], slot: int, value: Any) -> None:
    """Append a value to a list, after dropping the element at `slot` if there is one.

    Elements move by assignment: in Numba 0.68, `pop(slot)` of a list of arrays corrupts memory.

    >>> kept = [0, 1, 2]
    >>> keep_in_slot(kept, 1, 3)
    >>> keep_in_slot(kept, 3, 4)
    >>> kept
    [0, 2, 3, 4]
    """
    count = len(kept)
    if slot >= count:
        kept.append(value)
    else:
        for position in range(slot, count - 1):
            kept[position] = kept[position + 1]
        kept[count - 1] = value


@register_jitable
def online_limit(steps: int, most: int) -> int:
    """The fewest snapshots, not less than `most`, with which no iteration would be repeated more than twice.

    >>> online_limit(1, 1), online_limit(100, 2), online_limit(101, 13)
    (1, 13, 13)
    """
    while reach(most, 2) < steps:
        most += 1
    return most


@register_jitable
def while_limit(begins: bool) -> int:
    """The most iterations of a `while` loop: none if its test does not hold at first.

    >>> while_limit(False)
    0
    """
    return MOST_ITERATIONS if begins else 0
