"""How the reverse sweep has the values that it reads: still there, computed again, or recorded.

Outside of loops a value is still there: both sweeps are in one kernel. Of an iteration that has passed, operations and
reads are made again at the start of the reversed iteration, with the branches around them. Recorded, at the end of the
iteration, is what that cannot give: a value that the loop carries, the result of a loop in it, and an element of an
array that has been overwritten since.

What a loop carries need not be recorded if it follows from the number of the iteration: `s //= 2` and the like.
An array of the kernel's own may be overwritten and read again all the same:

stable      nothing is stored in it after the read
refilled    one loop stores into it, at the same elements in every iteration, before it reads: the stores are made again
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import gast
from numba import types as nb

from srcad.cuda.dead_values import atoms
from srcad.cuda.regions import Add, Assign, Carried, If, Load, Loop, Region, Store, Thread, is_inside, walk
from srcad.cuda.reversed_regions import ReversedIf, ReversedLoop, ReverseSweep, names_of
from srcad.transforms.ir.build import binary, clone, load, names_in
from srcad.transforms.ir.primitive import constant


@dataclass
class KeptValues:
    """Decisions.

    forward     names that the forward sweep computes
    stored      arrays whose stores the forward sweep makes
    replayed    names that reversed iterations compute again
    refilled    array -> the loop in whose reversed iterations its stores are made again
    recorded    loop -> names that each of its iterations records, in this order
    numbered    loops whose reversed iterations need their number
    closed      carried name -> its value in an iteration, from the number of the iteration
    """

    forward: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    replayed: set[str] = field(default_factory=set)
    refilled: dict[str, Loop] = field(default_factory=dict)
    recorded: dict[Loop, list[str]] = field(default_factory=dict)
    numbered: dict[Loop, str] = field(default_factory=dict)
    closed: dict[str, gast.expr] = field(default_factory=dict)


def kept_values(thread: Thread, sweep: ReverseSweep, is_private: Any = None) -> KeptValues:
    """How to provide what the reverse sweep reads."""
    finder = _Finder(thread, is_private or (lambda array: False))
    finder.read_by(sweep.block)
    finder.finish()
    return finder.kept


def counted_values(thread: Thread, kept: KeptValues, is_private: Any) -> KeptValues:
    """What a forward sweep computes that only counts what is recorded."""
    finder = _Finder(thread, is_private)
    finder.kept.recorded = kept.recorded
    for loop in kept.recorded:
        finder.controls(loop.body)
    return finder.kept


class _Finder:
    def __init__(self, thread: Thread, is_private: Any) -> None:
        self.thread, self.is_private = thread, is_private
        self.kept = KeptValues()
        self.order = {id(node): k for k, node in enumerate(walk(thread.body))}
        self.region_of = dict(_regions_of(thread.body))
        self.stores: dict[str, list[Any]] = {}
        self.loads: dict[str, list[Load]] = {}
        for node in walk(thread.body):
            if isinstance(node, (Store, Add)):
                self.stores.setdefault(node.array, []).append(node)
            if isinstance(node, Load):
                self.loads.setdefault(node.array, []).append(node)
        self.reversed_loops: list[Loop] = []

    # What the reverse sweep reads

    def read_by(self, block: Iterable[Any]) -> None:
        for item in block:
            if isinstance(item, ReversedLoop):
                self.reversed_loops.append(item.loop)
                self.header(item.loop)
                self.read_by(item.body)
            elif isinstance(item, ReversedIf):
                self.need_all(names_in(item.test))
                self.read_by(item.then)
                self.read_by(item.orelse)
            else:
                self.need_all(names_of(item))

    def header(self, loop: Loop) -> None:
        """What the header of a reversed loop reads."""
        if loop.is_counted and direction(self.thread, loop.bounds[2]) is not None:
            self.need_all(name for each in loop.bounds for name in names_in(each))
            return
        self.need(loop.count)
        if loop.index is not None:
            self.need_all(name for each in (loop.bounds[0], loop.bounds[2]) for name in names_in(each))

    def need_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.need(name)

    def need(self, name: str) -> None:
        """Provide a value for the reverse sweep."""
        node = self.thread.nodes.get(name)
        if node is None:
            return
        loop = self.thread.regions[name].loop
        if loop is None:
            self.forward(name)
        elif name not in self.kept.replayed and name not in self.kept.closed:
            self.again(name, node, loop)

    def again(self, name: str, node: Any, loop: Loop) -> None:
        """Provide a value of an iteration."""
        kept = self.kept
        if name == loop.index or name in kept.recorded.get(loop, ()):
            return
        match node:
            case Assign(value=value):
                kept.replayed.add(name)
                self.need_all(names_in(value))
                self.guards(self.thread.regions[name], loop)
            case Load(index=index) if self.can_read_again(node):
                kept.replayed.add(name)
                self.need_all(part for each in index for part in names_in(each))
                self.guards(self.thread.regions[name], loop)
            case If(merges=merges, test=test):
                kept.replayed.add(name)
                merge = next(each for each in merges if each.name == name)
                self.need_all((*names_in(test), *names_in(merge.then), *names_in(merge.orelse)))
                self.guards(self.thread.regions[name], loop)
            case Loop(body=body) if self.thread.regions[name] is body and self.follows_from_number(name, node):
                pass
            case _:
                kept.recorded.setdefault(loop, []).append(name)
                self.forward(name)
                self.controls(self.thread.regions[name])

    def guards(self, region: Region, loop: Loop) -> None:
        """The tests of the branches between a region and the loop around it."""
        while region is not loop.body and region.parent is not None:
            if isinstance(region.owner, If):
                self.need_all(names_in(region.owner.test))
            region = region.parent

    def follows_from_number(self, name: str, loop: Loop) -> bool:
        """Whether what a loop carries is a function of the number of the iteration."""
        carried = next(each for each in loop.carried if each.name == name)
        found = closed_form(self.thread, loop, carried, self.number(loop, False))
        if found is None:
            return False
        self.number(loop, True)
        self.kept.closed[name] = found
        self.need_all(each for each in names_in(found) if each != self.kept.numbered[loop])
        return True

    def number(self, loop: Loop, is_needed: bool) -> str:
        if loop in self.kept.numbered:
            return self.kept.numbered[loop]
        if not is_needed:
            return _NUMBER
        self.kept.numbered[loop] = _NUMBER
        return _NUMBER

    # Arrays

    def can_read_again(self, node: Load) -> bool:
        """Whether an element is the same in the reverse sweep, or can be made so."""
        stores = self.stores.get(node.array, [])
        if not stores:
            return True
        if node.array not in self.thread.own:
            return bool(self.is_private(node.array)) and all(self.order[id(node)] < self.order[id(s)] for s in stores)
        if not any(self.may_follow(store, node) for store in stores):
            self.keep_stores(node.array)
            return True
        return self.is_refilled(node.array)

    def may_follow(self, store: Any, node: Any) -> bool:
        """Whether a store may run after a read: it is further down, or a loop is around both."""
        if self.order[id(store)] > self.order[id(node)]:
            return True
        region: Region | None = self.region_of[id(node)]
        while region is not None:
            if isinstance(region.owner, Loop) and is_inside(self.region_of[id(store)], region):
                return True
            region = region.parent
        return False

    def is_refilled(self, array: str) -> bool:
        """Whether a loop stores the same elements in each iteration before it reads any."""
        if array in self.kept.refilled:
            return True
        loop = refilling_loop(self, array)
        if loop is None:
            return False
        self.kept.refilled[array] = loop
        for store in self.stores[array]:
            values = [name for each in (*store.index, store.value) for name in names_in(each)]
            self.need_all(values)
            self.guards(self.region_of[id(store)], loop)
        return True

    def keep_stores(self, array: str) -> None:
        """Let the forward sweep make the stores into an array."""
        if array in self.kept.stored:
            return
        self.kept.stored.add(array)
        for store in self.stores.get(array, []):
            for each in (*store.index, store.value):
                for name in names_in(each):
                    self.forward(name)
            self.controls(self.region_of[id(store)])

    # The forward sweep

    def forward(self, name: str) -> None:
        """Let the forward sweep compute a value."""
        node = self.thread.nodes.get(name)
        if node is None or name in self.kept.forward:
            return
        self.kept.forward.add(name)
        self.controls(self.thread.regions[name])
        match node:
            case Assign() | Load():
                self.forward_all(part for each in atoms(node) for part in names_in(each))
                if isinstance(node, Load) and self.sees_stores(node):
                    self.keep_stores(node.array)
            case If(merges=merges):
                merge = next(each for each in merges if each.name == name)
                self.forward_all((*names_in(node.test), *names_in(merge.then), *names_in(merge.orelse)))
            case Loop(carried=carried):
                self.control(node)
                for each in carried:
                    if name in (each.name, each.last):
                        self.forward(each.name)
                        self.forward_all((*names_in(each.first), *names_in(each.next)))

    def forward_all(self, names: Iterable[str]) -> None:
        for name in names:
            self.forward(name)

    def control(self, loop: Loop) -> None:
        """What the header of a loop reads in the forward sweep."""
        self.forward_all(part for each in atoms(loop) for part in names_in(each))

    def controls(self, region: Region | None) -> None:
        """What decides whether a region is run in the forward sweep."""
        while region is not None:
            if isinstance(region.owner, If):
                self.forward_all(names_in(region.owner.test))
            elif isinstance(region.owner, Loop):
                self.control(region.owner)
            region = region.parent

    def sees_stores(self, node: Load) -> bool:
        """Whether a read may find what the kernel has stored before."""
        stores = self.stores.get(node.array, [])
        if node.array in self.thread.own or not self.is_private(node.array):
            return any(self.may_precede(store, node) for store in stores)
        return any(self.order[id(store)] < self.order[id(node)] for store in stores)

    def may_precede(self, store: Any, node: Any) -> bool:
        return self.order[id(store)] < self.order[id(node)] or (
            self.may_follow(store, node) and self.share(store, node)
        )

    def share(self, store: Any, node: Any) -> bool:
        """Whether a loop is around both."""
        region: Region | None = self.region_of[id(node)]
        while region is not None:
            if isinstance(region.owner, Loop) and is_inside(self.region_of[id(store)], region):
                return True
            region = region.parent
        return False

    def finish(self) -> None:
        """Names for the numbers of iterations."""
        for loop in self.reversed_loops:
            if loop in self.kept.numbered or not (loop.is_counted and _is_one(loop)):
                name = self.thread.names.fresh("iteration")
                self.kept.numbered[loop] = name
        for name, value in self.kept.closed.items():
            loop = self.thread.nodes[name]
            for each in gast.walk(value):
                if isinstance(each, gast.Name) and each.id == _NUMBER:
                    each.id = self.kept.numbered[loop]


_NUMBER = "iteration number"  # stands for a name until there is one


def _is_one(loop: Loop) -> bool:
    return bool(constant(loop.bounds[2]) == 1)


def _regions_of(region: Region) -> Iterable[tuple[int, Region]]:
    for node in region.nodes:
        yield id(node), region
        for inner in (
            (node.then, node.orelse) if isinstance(node, If) else (node.body,) if isinstance(node, Loop) else ()
        ):
            yield from _regions_of(inner)


def direction(thread: Thread, step: gast.expr) -> int | None:
    """1 or -1 if a step is known to be positive or negative; None if it is not known."""
    value = constant(step)
    if isinstance(value, int) and value:
        return 1 if value > 0 else -1
    if isinstance(step, gast.Name):
        if thread.launch.get(step.id, "").startswith(("gridsize", "block_dim", "grid_dim")):
            return 1
        node = thread.nodes.get(step.id)
        return direction(thread, node.value) if isinstance(node, Assign) else None
    if isinstance(step, gast.BinOp) and isinstance(step.op, gast.Mult):
        one, two = direction(thread, step.left), direction(thread, step.right)
        return None if one is None or two is None else one * two
    return None


def refilling_loop(finder: Any, array: str) -> Loop | None:
    """The loop that stores into an array all that it reads, at elements that are the same in each iteration."""
    thread: Thread = finder.thread
    stores, loads = finder.stores[array], finder.loads.get(array, [])
    loops = {finder.region_of[id(store)].loop for store in stores}
    loop: Loop | None = loops.pop() if len(loops) == 1 else None
    if loop is None or not all(isinstance(each, Store) for each in stores):
        return None
    if not all(is_inside(finder.region_of[id(each)], loop.body) for each in loads):
        return None
    last_store = max(finder.order[id(store)] for store in stores)
    if any(finder.order[id(each)] < last_store for each in loads):
        return None
    unconditional = [store for store in stores if finder.region_of[id(store)] is loop.body]
    places = {tuple(gast.dump(each) for each in store.index) for store in unconditional}
    for store in stores:
        same = tuple(gast.dump(each) for each in store.index)
        is_fixed = all(_is_fixed(thread, name) for each in store.index for name in names_in(each))
        if not is_fixed or same not in places:
            return None
    return loop


def _is_fixed(thread: Thread, name: str) -> bool:
    """Whether a value is the same in all iterations: no loop is around it."""
    return name not in thread.nodes or thread.regions[name].loop is None


def closed_form(thread: Thread, loop: Loop, carried: Carried, number: str) -> gast.expr | None:
    """The value of an integer that a loop carries, at the start of the iteration of a number; None for others.

    Sums, differences and shifts by what the loop does not change, and products and quotients by a positive literal.
    """
    if not isinstance(thread.kinds.get(carried.name), nb.Integer) or not isinstance(carried.next, gast.Name):
        return None
    node = thread.nodes.get(carried.next.id)
    if not isinstance(node, Assign) or not isinstance(node.value, gast.BinOp):
        return None
    value = node.value
    if not (isinstance(value.left, gast.Name) and value.left.id == carried.name):
        return None
    if not all(_is_outside(thread, name, loop) for name in names_in(value.right)):
        return None
    times, first = load(number), clone(carried.first)
    match value.op, constant(value.right):
        case (gast.Add() | gast.Sub(), _):
            return binary(first, type(value.op), binary(clone(value.right), gast.Mult, times))
        case (gast.LShift() | gast.RShift(), _):
            return binary(first, type(value.op), binary(clone(value.right), gast.Mult, times))
        case (gast.FloorDiv(), 2):
            return binary(first, gast.RShift, times)
        case (gast.Mult(), 2):
            return binary(first, gast.LShift, times)
    return None


def _is_outside(thread: Thread, name: str, loop: Loop) -> bool:
    """Whether a value is made before a loop."""
    return name not in thread.nodes or not is_inside(thread.regions[name], loop.body)
