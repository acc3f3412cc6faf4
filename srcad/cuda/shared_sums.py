"""Sums within a block in place of atomic additions to the cotangents of shared memory.

    for k in range(TILE): total += a[ty, k] * b[k, tx]

In reverse, the threads of a row all add to `a_bar[ty, k]`. Instead, the thread that the element belongs to, (ty, k),
adds up over the row: it does what thread (ty, j) does in its iteration k, for all j. What that thread has in a
register, it puts into shared memory before (it publishes it). This is done for reads by the indices of threads but
for one axis, for which the index of a loop stands, if the loop is free of barriers and stores. The launch must have a
thread for each index of the loop, which is looked at; else the kernel with atomic additions is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.cuda.gathered_reads import in_range
from srcad.cuda.index_forms import Form
from srcad.cuda.kept_values import KeptValues
from srcad.cuda.kernel_source import OwnArray
from srcad.cuda.races import Races
from srcad.cuda.regions import Assign, If, Load, Loop, Thread, walk
from srcad.cuda.reversed_regions import ReverseSweep
from srcad.cuda.statement_slices import names_of_block, renamed, slice_of, stored_names, with_sums, without
from srcad.transforms.ir.build import (
    Block,
    assign,
    augment,
    branch,
    call,
    const,
    dotted,
    load,
    loop,
    names_in,
    one_or_tuple,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.primitive import constant


@dataclass(frozen=True)
class BlockExtent:
    """Bounds of an extent of the blocks of a launch."""

    axis: str
    least: int
    most: int


@dataclass
class SharedSums:
    """The statements, shared arrays that are new, arrays whose rows are to begin in different banks, and bounds."""

    block: Block
    published: dict[str, OwnArray] = field(default_factory=dict)
    padded: set[str] = field(default_factory=set)
    extents: set[BlockExtent] = field(default_factory=set)


@dataclass(frozen=True)
class _Site:
    """A read: the statement that adds to its cotangent, the loop, the exchanged axis, and the axes of the array."""

    node: Load
    statement: int
    loop: Loop
    exchanged: str
    owners: tuple[str, ...]


def with_shared_sums(
    thread: Thread, sweep: ReverseSweep, kept: KeptValues, races: Races, block: Block
) -> SharedSums | None:
    """The statements with sums within blocks, as far as these are possible; None if they are nowhere."""
    return _Exchanger(thread, sweep, kept, races, block).made()


class _Exchanger:
    def __init__(self, thread: Thread, sweep: ReverseSweep, kept: KeptValues, races: Races, block: Block) -> None:
        self.thread, self.sweep, self.kept, self.races = thread, sweep, kept, races
        self.result = SharedSums(block)
        self.places = {what: name for name, what in thread.launch.items()}
        self.axes = sorted({name[-1] for name in races.used if name.startswith("thread.")})
        self.copies: dict[str, str] = {}  # published name -> array

    def made(self) -> SharedSums | None:
        found: dict[str, list[tuple[int, Load]]] = {}
        for statement, node in self.sweep.additions.items():
            if node.array in self.thread.own and self.thread.own[node.array].is_shared:
                found.setdefault(node.array, []).append((statement, node))
        changed = False
        for additions in found.values():
            sites = [self.site(node, statement) for statement, node in additions]
            known = [site for site in sites if site is not None]
            if len(known) == len(sites) and len({(site.loop, site.exchanged) for site in known}) == 1:
                changed |= self.exchange(known)
        return self.result if changed else None

    def site(self, node: Load, statement: int) -> _Site | None:
        """How a read finds its element, if that is by the indices of threads, and one of a loop."""
        inner = self.thread.regions[node.name].loop
        if inner is None or not self.stands_alone(inner) or len(node.index) != len(self.axes):
            return None
        owners: list[str] = []
        for part in node.index:
            axis = _axis_of(self.races.forms.of(part))
            is_index = isinstance(part, gast.Name) and part.id == inner.index
            owners.append("" if is_index else axis or "?")
        missing = set(self.axes) - set(owners)
        if sorted(owners) != sorted(["", *(set(self.axes) - missing)]) or len(missing) != 1:
            return None
        exchanged = missing.pop()
        return _Site(node, statement, inner, exchanged, tuple(each or exchanged for each in owners))

    def stands_alone(self, inner: Loop) -> bool:
        """Whether a loop has no barrier, store or loop in it, and a range that is known while compiling."""
        if not inner.is_counted or inner in self.kept.numbered or self.kept.recorded.get(inner):
            return False
        start, stop, step = map(constant, inner.bounds)
        if step != 1 or not isinstance(start, int) or not isinstance(stop, int) or start < 0:
            return False
        return all(isinstance(node, (Assign, Load, If)) for node in walk(inner.body))

    # The statements

    def exchange(self, sites: list[_Site]) -> bool:
        """Take the additions out of their loop, and put sums after it."""
        site = sites[0]
        outer, holder, position = self.find(site.loop, site.statement)
        if outer is None or holder is None:
            return False
        part = slice_of(holder[position].body, {each.statement for each in sites})
        names = self.names_for(part, site, outer)
        if names is None or any(each not in self.places for each in self.threads()):
            return False
        _, holder, position = self.find(site.loop, site.statement)  # again, after what was published before it
        assert holder is not None
        array = site.node.array
        total = self.thread.names.fresh(f"{self.sweep.bars[array]}_own")
        other = self.thread.names.fresh(self.places[f"thread_{site.exchanged}"])
        names |= {self.places[f"thread_{site.exchanged}"]: other}
        names |= {str(site.loop.index): self.places[f"thread_{site.exchanged}"]}
        first = self.read_published(part, names, site, other)
        body = renamed(with_sums(part, {each.statement: total for each in sites}), names)
        body = [*first, *body]
        most = self.thread.own[array].shape[site.owners.index(site.exchanged)]
        is_exact = constant(site.loop.bounds[0]) == 0 and constant(site.loop.bounds[1]) == most  # see `bound_extents`
        every = loop(other, [const(most) if is_exact else dotted(f"cuda.blockDim.{site.exchanged}")], body)
        index = one_or_tuple([load(self.places[f"thread_{axis}"]) for axis in site.owners])
        target = subscript(load(self.sweep.bars[array]), index, store=True)
        test = renamed([gast.Expr(value=in_range(site.loop))], names)[0].value
        ended: gast.stmt = augment(target, gast.Add, load(total))
        if not is_exact:
            ended = branch(test, [ended], [])
        holder[position + 1 : position + 1] = [assign(total, const(0.0)), every, ended]
        self.result.block = without(self.result.block, {each.statement for each in sites})
        self.bound_extents(site)
        own = {name for name in names_of_block(part) if name in self.thread.own} | {array}
        self.result.padded |= own - {name for node in walk(self.thread.body) for name in _named_as_whole(node)}
        return True

    def threads(self) -> list[str]:
        return [f"thread_{axis}" for axis in self.axes]

    def find(self, inner: Loop, statement: int) -> tuple[Any, Block | None, int]:
        """The outermost loop around a reversed loop, and where it stands, if only loops are around it."""
        for outer in self.result.block:
            holder: Block = self.result.block
            current: Any = outer if _holds(outer, statement) else None
            while isinstance(current, gast.For) and self.is_uniform(current.target.id):
                if current.target.id == inner.index:
                    return outer, holder, next(k for k, each in enumerate(holder) if each is current)
                holder = current.body
                current = next(
                    (each for each in holder if isinstance(each, gast.For) and _holds(each, statement)), None
                )
        return None, None, 0

    def is_uniform(self, index: str) -> bool:
        """Whether all threads of a block run a loop equally often."""
        node = self.thread.nodes.get(index)
        return isinstance(node, Loop) and node.is_counted and all(map(self.races.uniform.in_block, node.bounds))

    def names_for(self, part: Block, site: _Site, outer: Any) -> dict[str, str] | None:
        """New names for what the slice stores; None if it reads what another thread cannot know."""
        own = stored_names(part)
        inside, needed = stored_names([outer]), list[str]()
        made_here = stored_names(self.result.block) | set(self.thread.launch) | set(self.thread.parameters)
        made_here |= set(self.thread.own) | self.array_bars()
        for name in sorted((names_of_block(part) & made_here) - own - {str(site.loop.index)}):
            if name in self.sweep.bars.values() and name in self.array_bars():
                if name != self.sweep.bars[site.node.array]:
                    return None
            elif name in self.thread.arrays:
                if not self.can_read(name):
                    return None
            elif not self.is_shared_by_block(name, site.exchanged):
                if name in inside or not self.is_float(name):
                    return None
                needed.append(name)
        for name in needed:
            self.publish(name, site, outer)
        fresh = self.thread.names.fresh
        return {name: fresh(name) for name in sorted(own)}

    def array_bars(self) -> set[str]:
        return {self.sweep.bars[array] for array in self.thread.arrays if array in self.sweep.bars}

    def can_read(self, array: str) -> bool:
        """Whether an array holds the same for all threads of the block."""
        own = self.thread.own.get(array)
        if own is not None:
            return own.is_shared
        return array not in self.races.uniform.written

    def is_shared_by_block(self, name: str, exchanged: str) -> bool:
        """Whether a name has a value that the threads along an axis share, or is the index of a thread."""
        what = self.thread.launch.get(name)
        if what is not None:
            return not what.startswith("grid_") or "dim" in what or what[-1] != exchanged
        return self.races.uniform.is_same(name, within_block=True, in_step=True)

    def is_float(self, name: str) -> bool:
        """Whether a name holds a float: a cotangent, or a value of that type."""
        return name in self.sweep.bars.values() or isinstance(self.thread.kinds.get(name), nb.Float)

    def publish(self, name: str, site: _Site, outer: Any) -> None:
        """Put what each thread has in a name into shared memory, before a loop."""
        if name in self.copies:
            return
        shape = tuple(self.thread.own[site.node.array].shape[site.owners.index(axis)] for axis in self.axes[::-1])
        array = self.thread.names.fresh(f"{name}_of")
        self.copies[name] = array
        self.result.published[array] = OwnArray(True, shape, np.dtype(np.float64))
        index = one_or_tuple([load(self.places[f"thread_{axis}"]) for axis in self.axes[::-1]])
        position = next(k for k, each in enumerate(self.result.block) if each is outer)
        barrier = gast.Expr(value=call("cuda.syncthreads"))
        stored = assign(subscript(load(array), index, store=True), load(name))
        self.result.block[position:position] = [stored, barrier]

    def read_published(self, part: Block, names: dict[str, str], site: _Site, other: str) -> Block:
        """What the other thread has published of what the slice reads."""
        made: Block = []
        for name in sorted(names_of_block(part) & set(self.copies)):
            parts = [other if axis == site.exchanged else self.places[f"thread_{axis}"] for axis in self.axes[::-1]]
            names[name] = self.thread.names.fresh(name)
            value = subscript(load(self.copies[name]), one_or_tuple([load(each) for each in parts]))
            made.append(assign(names[name], value))
        return made

    def bound_extents(self, site: _Site) -> None:
        """There must be a thread for each index of the loop, and no more threads than elements."""
        shape = self.thread.own[site.node.array].shape
        for axis in "xyz":
            if axis not in site.owners:
                self.result.extents.add(BlockExtent(axis, 1, 1))
                continue
            least = constant(site.loop.bounds[1]) if axis == site.exchanged else 1
            self.result.extents.add(BlockExtent(axis, least, shape[site.owners.index(axis)]))


def _named_as_whole(node: Any) -> set[str]:
    """The names in an operation: of an array, it asks for the shape."""
    return set(names_in(node.value)) if isinstance(node, Assign) else set()


def _axis_of(form: Form) -> str | None:
    """The axis if a subscript is the index of the thread in its block."""
    return next((axis for axis in "xyz" if form == {(f"thread.{axis}",): 1}), None)


def _holds(outer: gast.stmt, statement: int) -> bool:
    return any(id(each) == statement for each in walk_statements([outer]))


def fits(extents: Sequence[BlockExtent], threads: Mapping[str, int]) -> bool:
    """Whether the blocks of a launch are within bounds.

    >>> fits([BlockExtent("x", 16, 16)], {"x": 8, "y": 1, "z": 1})
    False
    """
    return all(each.least <= threads[each.axis] <= each.most for each in extents)
