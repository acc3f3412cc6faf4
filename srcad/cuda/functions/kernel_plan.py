"""Which values of a call are put into memory, and which are computed by one kernel.

A value that is not in memory is computed again wherever it is read, by the kernel that reads it: arrays are read and
written less often than they are named. Into memory go results, what is reduced, and what would be computed too
often: it is read at several places, or by many more threads than it has elements, or is long. All others are fused
into their readers.

Values of one iteration space, of which none needs another, are computed by one kernel; reductions over the same axes
too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.cuda.functions.array_expressions import Expression, reachable
from srcad.cuda.functions.index_maps import Shape

LEAVES = frozenset({"argument", "number", "constant", "count"})
_CHEAP = frozenset({np.add, np.subtract, np.multiply, np.negative, np.absolute, np.maximum, np.minimum, np.where})
_CHEAP |= frozenset({np.greater, np.less, np.equal, np.greater_equal, np.less_equal, np.not_equal, np.square, "cast"})
_CHEAP_COST, _OTHER_COST = 1, 8
_MOST_COST = 200  # of what one reader computes for one element
_MOST_COST_OF_GROUP = 600
_MOST_MEMBERS = 16
_LEAST_COST = 4  # below this, a value is computed at each place that reads it
_LEAST_COST_OF_NUMBER = 64
_MUCH_WIDER = 4


@dataclass
class Group:
    """What one kernel computes: values of one iteration space, of which reductions are over the same axes."""

    shape: Shape
    axes: tuple[int, ...] | None
    members: list[Expression] = field(default_factory=list)
    cost: int = 0

    def fits(self, shape: Shape, axes: tuple[int, ...] | None, cost: int) -> bool:
        """Whether another value can be computed by the same kernel."""
        return (
            self.shape == shape
            and (self.axes is None or axes is None or self.axes == axes)
            and len(self.members) < _MOST_MEMBERS
            and self.cost + cost <= _MOST_COST_OF_GROUP
        )


class Costs:
    """What values of a graph cost to compute for one element, from those that are in memory."""

    def __init__(self, kept: Collection[int]) -> None:
        self.kept = set(kept)
        self.pulled: dict[int, dict[int, int]] = {}
        # Of the values in memory, whether one is read at another index than that of the result.
        self.needed: dict[int, dict[int, bool]] = {}

    def note(self, each: Expression) -> int:
        """Find what computing a value takes, and which values in memory it needs; its cost."""
        pulled = {each.number: _cost(each)}
        needed: dict[int, bool] = {}
        for k, operand in enumerate(each.inputs):
            is_moved = not _is_in_place(each, k)
            if operand.number in self.kept:
                needed[operand.number] = needed.get(operand.number, False) or is_moved
            elif operand.op not in LEAVES:
                pulled |= self.pulled[operand.number]
                for number, moved in self.needed[operand.number].items():
                    needed[number] = needed.get(number, False) or moved or is_moved
        self.pulled[each.number], self.needed[each.number] = pulled, needed
        return sum(pulled.values())


def _is_in_place(each: Expression, place: int) -> bool:
    """Whether an operand is read at the index of the result (of a reduction, of what it adds up)."""
    if each.op == "map":
        return each.inputs[place].shape == each.shape
    return each.op == "reduce" or (each.op == "update" and place == 0)


def _cost(each: Expression) -> int:
    if each.op == "map":
        return _CHEAP_COST if each.data in _CHEAP else _OTHER_COST
    return {"view": 0, "reshape": 2}.get(each.op, 1)


def planned(roots: Iterable[Expression], known: Collection[int]) -> tuple[list[Group], set[int]]:
    """The kernels for some values, in order, and which values are in memory then; `known` are there already."""
    roots = [each for each in roots if each.number not in known]
    wanted = {each.number for each in roots}
    found = reachable(roots, lambda each: each.number in known)
    found.sort(key=lambda each: each.number)  # as the program computes them, so that memory is soon given back
    order = [each for each in found if each.op not in LEAVES and each.number not in known]
    readers: dict[int, list[Expression]] = {}
    for each in order:
        for operand in {operand.number: operand for operand in each.inputs}.values():
            readers.setdefault(operand.number, []).append(each)
    costs = Costs(known)
    groups: list[Group] = []
    place: dict[int, int] = {}
    summed = {each.number for each in order if each.op == "reduce"}
    for each in order:
        cost = costs.note(each)
        if each.number in wanted or each.op == "reduce" or _is_kept(each, cost, readers.get(each.number, ())):
            _put(each, cost, costs, groups, place, summed)
            costs.kept.add(each.number)
    return groups, costs.kept


def _put(
    each: Expression, cost: int, costs: Costs, groups: list[Group], place: dict[int, int], summed: set[int]
) -> None:
    """Give a value to the first kernel that can compute it.

    That may be one that stores what it needs, if it is read at the same index: then it is at hand.
    """
    needed = costs.needed[each.number].items()
    first = max((place[k] + (moved or k in summed) for k, moved in needed if k in place), default=0)
    shape, axes = (each.inputs[0].shape, each.data[1]) if each.op == "reduce" else (each.shape, None)
    for k in range(first, len(groups)):
        if groups[k].fits(shape, axes, cost):
            break
    else:
        k = len(groups)
        groups.append(Group(shape, axes))
    group = groups[k]
    group.members.append(each)
    group.axes = group.axes if axes is None else axes
    group.cost += cost
    place[each.number] = k


def _is_kept(each: Expression, cost: int, readers: Sequence[Expression]) -> bool:
    if cost > _MOST_COST:
        return True
    least = _LEAST_COST_OF_NUMBER if each.size == 1 else _LEAST_COST
    is_widened = any(reader.size >= _MUCH_WIDER * each.size for reader in readers)
    return cost >= least and (is_widened or _ways(each, readers) > 1)


def _ways(each: Expression, readers: Sequence[Any]) -> int:
    """At how many places one thread reads a value, at most: readers at the same place count once."""
    same = any(reader.op in ("map", "reduce") or reader.inputs[0] is each for reader in readers if reader.op != "view")
    # `y[1:] = y[1:] + t` reads y at the place that it writes.
    written = {reader.data for reader in readers if reader.op == "update" and reader.inputs[0] is each}
    views = [reader for reader in readers if reader.op in ("view", "reshape") and reader.data not in written]
    placed = [reader for reader in readers if reader.op == "update" and reader.inputs[1] is each]
    return same + len({reader.number for reader in (*views, *placed)})
