"""Which values of a call are put into memory, and which are computed by one kernel.

A value that is not in memory is computed again wherever it is read, by the kernel that reads it: arrays are read and
written less often than they are named. Into memory go results, what is reduced, and what would be computed too
often: it is read at several places, by many more threads than it has elements, or by several kernels, or is long. All
others are fused into their readers.

Values of one iteration space, of which none needs another, are computed by one kernel; reductions over the same axes
too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from srcad.cuda.functions.array_expressions import Expression, reachable
from srcad.cuda.functions.index_maps import Along, Shape, broadcast, composed, whole_view

LEAVES = frozenset({"argument", "number", "constant", "count"})
_CHEAP = frozenset({np.add, np.subtract, np.multiply, np.negative, np.absolute, np.maximum, np.minimum, np.where})
_CHEAP |= frozenset({np.greater, np.less, np.equal, np.greater_equal, np.less_equal, np.not_equal, np.square, "cast"})
_CHEAP_COST, _OTHER_COST = 1, 8
_MOST_COST = 128  # of what one reader computes for one element
_MOST_COST_OF_GROUP = 400
_MOST_MEMBERS = 16
_MOST_READS = 16  # arrays that one value is computed from; a kernel may have no more than some 50 parameters
_MOST_READS_OF_GROUP = 24
_LEAST_COST = 4  # below this, a value is computed at each place that reads it
_LEAST_COST_OF_NUMBER = 64
_MUCH_WIDER = 4
_MUCH_READ = 1.5  # arrays, in place of one


@dataclass
class Group:
    """What one kernel computes: values of one iteration space, of which reductions are over the same axes."""

    shape: Shape
    axes: tuple[int, ...] | None
    members: list[Expression] = field(default_factory=list)
    cost: int = 0
    reads: set[int] = field(default_factory=set)

    def fits(self, shape: Shape, axes: tuple[int, ...] | None, cost: int, reads: set[int]) -> bool:
        """Whether another value can be computed by the same kernel."""
        return (
            self.shape == shape
            and (self.axes is None or axes is None or self.axes == axes)
            and len(self.members) < _MOST_MEMBERS
            and self.cost + cost <= _MOST_COST_OF_GROUP
            and len(self.reads | reads) <= _MOST_READS_OF_GROUP
        )


# How the index of one value follows from that of another: by axis, and, where not linear, by way of which values.
Context = tuple[tuple[int, ...], tuple[Along, ...]]


class Costs:
    """What values of a graph cost to compute for one element, from those that are in memory."""

    def __init__(self, kept: Collection[int]) -> None:
        self.kept = set(kept)
        self.cost: dict[int, int] = {}
        # The values that are computed on the way, and at which indices.
        self.sites: dict[int, dict[int, set[Context]]] = {}
        self.reads: dict[int, set[int]] = {}  # the arrays in memory that are read
        # Of the values in memory, whether one is read at another index than that of the result.
        self.needed: dict[int, dict[int, bool]] = {}
        self.size: dict[int, int] = {}
        self._own: dict[int, int] = {}

    def note(self, each: Expression) -> None:
        """Find what computing a value takes, and which values in memory it needs."""
        sites: dict[int, set[Context]] = {each.number: {((), whole_view(each.shape).along)}}
        needed: dict[int, bool] = {}
        reads: set[int] = set()
        for k, operand in enumerate(each.inputs):
            is_moved = not _is_in_place(each, k)
            if operand.number in self.kept or operand.op == "argument":
                reads.add(operand.number)
                self.size[operand.number] = operand.size
            if operand.number in self.kept:
                needed[operand.number] = needed.get(operand.number, False) or is_moved
            elif operand.op not in LEAVES:
                reads |= self.reads[operand.number]
                step = _step(each, k)
                for number, contexts in self.sites[operand.number].items():
                    sites.setdefault(number, set()).update(_after(step, context) for context in contexts)
                for number, moved in self.needed[operand.number].items():
                    needed[number] = needed.get(number, False) or moved or is_moved
        self._own[each.number] = _cost(each)
        self.sites[each.number], self.needed[each.number], self.reads[each.number] = sites, needed, reads
        self.cost[each.number] = sum(self._own[number] * len(contexts) for number, contexts in sites.items())

    def repeated(self, each: Expression, least: Callable[[int], int]) -> int | None:
        """The last value that is computed at several indices on the way, and costs enough to be put into memory."""
        found = [
            number
            for number, contexts in self.sites[each.number].items()
            if len(contexts) > 1 and number != each.number and self._own[number] and self.cost[number] >= least(number)
        ]
        return max(found, default=None)


def _step(each: Expression, place: int) -> Context:
    """How the index of an operand follows from that of the value."""
    operand = each.inputs[place]
    if each.op == "view":
        return (), each.data.along
    if each.op == "update" and place == 1:
        axes = {along.axis: (k, along) for k, along in enumerate(each.data.along) if along.axis is not None}
        if all(abs(along.step) == 1 for _, along in axes.values()):
            found = [Along(0)] * len(operand.shape)
            for axis, (k, along) in axes.items():
                found[axis] = Along(-along.start * along.step, along.step, k)
            return (), tuple(found)
    if each.op in ("update", "reshape") and not (each.op == "update" and place == 0):
        return (each.number,), whole_view(operand.shape).along
    if each.op == "map":
        return (), broadcast(operand.shape, each.shape).along
    return (), whole_view(operand.shape).along


def _after(step: Context, context: Context) -> Context:
    """The index of a value below an operand, from that of the value above it."""
    if context[0]:
        return (*step[0], *_flat(step[1]), *context[0]), context[1]
    return step[0], tuple(composed(along, step[1]) for along in context[1])


def _flat(along: tuple[Along, ...]) -> tuple[int, ...]:
    return tuple(part for each in along for part in (each.start, each.step, -1 if each.axis is None else each.axis))


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
    costs = _settled(order, wanted, known)
    groups: list[Group] = []
    place: dict[int, int] = {}
    summed = {each.number for each in order if each.op == "reduce"}
    for each in order:
        if each.number in costs.kept:
            _put(each, costs.cost[each.number], costs, groups, place, summed)
    return groups, costs.kept


def _settled(order: Sequence[Expression], wanted: Collection[int], known: Collection[int]) -> Costs:
    """Which values are put into memory. Where one turns out to be read at several indices, it is looked at again."""
    readers: dict[int, list[Expression]] = {}
    for each in order:
        for operand in {operand.number: operand for operand in each.inputs}.values():
            readers.setdefault(operand.number, []).append(each)
    settler = _Settler(order, set(wanted), readers, Costs(known))
    settler.run()
    return settler.costs


class _Settler:
    """Decides, in the order of the program, which values are put into memory."""

    def __init__(
        self, order: Sequence[Expression], forced: set[int], readers: dict[int, list[Expression]], costs: Costs
    ) -> None:
        self.order, self.forced, self.readers, self.costs = order, forced, readers, costs
        self.index = {each.number: k for k, each in enumerate(order)}
        self.level: dict[int, int] = {}
        # By value, the first kernel that computes it, told by its space and what it waits for, and for which result.
        self.users: dict[int, tuple[Any, int]] = {}

    def run(self) -> None:
        """Decide for all values; where one turns out to be computed too often, begin again there."""
        k = 0
        while k < len(self.order):
            again = self.settled(self.order[k])
            if again is None:
                k += 1
            else:
                self.forced.add(again)
                k = self.index[again]
                self.users = {n: user for n, user in self.users.items() if self.index[user[1]] < k}

    def settled(self, each: Expression) -> int | None:
        """Decide for a value. Returns another one that is to be put into memory first."""
        costs, number = self.costs, each.number
        costs.kept.discard(number)
        costs.note(each)
        repeated = costs.repeated(each, self.least)
        if repeated is not None:
            return repeated
        cost = costs.cost[number]
        is_long = cost > _MOST_COST or len(costs.reads[number]) > _MOST_READS
        is_kept = is_long or number in self.forced or each.op == "reduce"
        is_widened = not is_kept and _is_kept(each, cost, self.readers.get(number, ()))
        if is_widened and each.op == "view":
            return each.inputs[0].number  # what is viewed is in memory in place of the view
        if is_kept or is_widened:
            shared = self.shared(each)
            if shared is not None:
                return shared
            costs.kept.add(number)
        return None

    def shared(self, each: Expression) -> int | None:
        """The last value that another kernel computes as well, from more than it would read of the value itself."""
        needed = self.costs.needed[each.number].items()
        waits = max((self.level.get(n, 0) + (moved or self.is_sum(n)) for n, moved in needed), default=0)
        self.level[each.number] = waits
        space = (each.inputs[0].shape, each.data[1]) if each.op == "reduce" else (each.shape, None)
        user, found = (space, waits), []
        for n in self.costs.sites[each.number]:
            if n != each.number and self.users.setdefault(n, (user, each.number))[0] != user and self.is_worth(n):
                found.append(n)
        return max(found, default=None)

    def least(self, number: int) -> int:
        """From which cost on a value may be put into memory."""
        return _least(self.order[self.index[number]])

    def is_sum(self, number: int) -> bool:
        """Whether a value is a reduction of this plan."""
        return number in self.index and self.order[self.index[number]].op == "reduce"

    def is_worth(self, number: int) -> bool:
        """Whether a value takes longer to compute again than to read."""
        each = self.order[self.index[number]]
        read = sum(self.costs.size[n] for n in self.costs.reads[number])
        return _cost(each) > 0 and self.costs.cost[number] >= _least(each) and read > _MUCH_READ * each.size


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
        if groups[k].fits(shape, axes, cost, costs.reads[each.number]):
            break
    else:
        k = len(groups)
        groups.append(Group(shape, axes))
    group = groups[k]
    group.members.append(each)
    group.axes = group.axes if axes is None else axes
    group.cost += cost
    group.reads |= costs.reads[each.number]
    place[each.number] = k


def _least(each: Expression) -> int:
    """From which cost on a value may be put into memory."""
    return _LEAST_COST_OF_NUMBER if each.size == 1 else _LEAST_COST


def _is_kept(each: Expression, cost: int, readers: Sequence[Expression]) -> bool:
    return cost >= _least(each) and any(reader.size >= _MUCH_WIDER * each.size for reader in readers)
