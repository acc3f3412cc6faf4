"""Whether threads can meet in an element, one of them to write it; and which elements are a thread's own.

Two accesses of different threads do not meet if their subscripts are equal only for one and the same thread (`y[i]`
with `i = cuda.grid(1)`, `y[2 * i]` and `y[2 * i + 1]`), or if guards keep them apart (`s[t]` and `s[t + h]` under `t
< h`). Accesses of shared memory are compared if no barrier is always between them; those of arrays among the
arguments, always, since no barrier joins blocks. Where the primal has no race, its adjoint has none either: a store
owns its element from barrier to barrier, and reads become atomic additions unless the element is the thread's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import gast

from srcad.cuda.dead_values import atoms
from srcad.cuda.index_forms import Facts, Form, IndexForms, bound, is_positive, plus, renamed, scaled, symbols
from srcad.cuda.refused_kernels import DIVERGENT_BARRIER, RACE
from srcad.cuda.regions import Add, Barrier, If, Load, Loop, Region, Store, Thread, inner_regions, is_inside
from srcad.cuda.uniform_values import Uniform

_ALL = frozenset(f"{where}.{axis}" for where in ("block", "thread") for axis in "xyz")


@dataclass(frozen=True, eq=False)
class _Access:
    """One access of an array: its node, where it runs, and what holds there."""

    node: Any
    region: Region
    index: tuple[Form, ...]
    facts: Facts


class Races:
    """The answers for one thread.

    axes    places in the grid by which writes of different threads are told apart: along others there may be one only
    """

    def __init__(self, thread: Thread, race_free: bool) -> None:
        self.thread, self.race_free = thread, race_free
        self.forms, self.uniform = IndexForms(thread), Uniform(thread)
        self.axes: frozenset[str] = _ALL
        self.accesses: dict[str, list[_Access]] = {}
        self.by_node: dict[int, _Access] = {}
        self._collect(thread.body)
        self.used = {name for meaning in thread.launch.values() for name in _axes_of(meaning)}
        self._phases: dict[str, set[tuple[int, int, bool]]] = {}

    def _collect(self, region: Region) -> None:
        for node in region.nodes:
            if isinstance(node, (Load, Store, Add)):
                found = _Access(node, region, tuple(map(self.forms.of, node.index)), self.forms.at(region))
                self.accesses.setdefault(node.array, []).append(found)
                self.by_node[id(node)] = found
            for inner in inner_regions(node):
                self._collect(inner)

    # Questions

    def check(self) -> None:
        """Refuse barriers that not all threads reach, and pairs of accesses that may be a race."""
        self._check_barriers(self.thread.body, [])
        for array, found in self.accesses.items():
            own = self.thread.own.get(array)
            if (own is not None and not own.is_shared) or not any(_writes(each.node) for each in found):
                continue
            for one, other, same in self.pairs(array):
                if not (_writes(one.node) or _writes(other.node)) or _both_atomic(one.node, other.node):
                    continue
                told = self.told_apart(one, other, same)
                if told is None:
                    if self.race_free:
                        continue
                    raise self.race(one, other)
                self.axes &= told

    def race(self, one: _Access, other: _Access) -> Exception:
        """The error for two accesses."""
        writer, second = (one, other) if _writes(one.node) else (other, one)
        place = second.node.place
        more = "" if second is writer or place is None else f", and another access in line {place.line}"
        return RACE.at(writer.node.place, array=writer.node.array, other=more)

    def is_own(self, node: Load) -> bool:
        """Whether no other thread adds to, takes or reads the cotangent of an element that is read here."""
        own = self.thread.own.get(node.array)
        if own is not None and not own.is_shared:
            return True
        told = _ALL
        for one, other, same in self.pairs(node.array):
            if node is not one.node and node is not other.node:
                continue
            if self.race_free and (_writes(one.node) or _writes(other.node)):
                continue
            apart = self.told_apart(one, other, same)
            if apart is None:
                return False
            told &= apart
        self.axes &= told
        return True

    def is_private(self, array: str) -> bool:
        """Whether each element of an array is reached by one thread, in one iteration, by one subscript only."""
        found = self.accesses.get(array, [])
        if len({tuple(map(gast.dump, each.node.index)) for each in found}) != 1:
            return False
        if any(self.told_apart(one, other, False) is None for one in found for other in found):
            return False
        loops = {id(loop): loop for each in found for loop in _loops_around(each.region)}
        return all(
            all(is_inside(each.region, loop.body) for each in found) and self.differs(found[0], loop)
            for loop in loops.values()
        )

    def differs(self, access: _Access, loop: Loop) -> bool:
        """Whether a subscript is another one in each iteration of a loop."""
        if loop.index is None:
            return False
        for form in access.index:
            rest = {monomial: factor for monomial, factor in form.items() if monomial != (loop.index,)}
            if (loop.index,) in form and not any(self.is_made_in(name, loop) for name in symbols(rest)):
                return True
        return False

    def is_made_in(self, name: str, loop: Loop) -> bool:
        """Whether a symbol is a value that a loop makes."""
        return name in self.thread.nodes and is_inside(self.thread.regions[name], loop.body)

    # Pairs of accesses

    def pairs(self, array: str) -> Iterable[tuple[_Access, _Access, bool]]:
        """Accesses of two threads that no barrier is between, and whether loops in step are in one iteration."""
        found = self.accesses.get(array, [])
        if array not in self.thread.own:
            return [(one, other, True) for k, one in enumerate(found) for other in found[k:]]
        if array not in self._phases:
            self._phases[array] = set()
            self._walk_phases(self.thread.body, array, frozenset(), 0)
        known = {id(each.node): each for each in found}
        return [(known[one], known[other], same) for one, other, same in sorted(self._phases[array])]

    def _walk_phases(
        self, region: Region, array: str, open_: frozenset[tuple[int, int]], turn: int
    ) -> frozenset[tuple[int, int]]:
        """The accesses since the last barrier, with the turn of the loops in which they were made; notes the pairs."""
        for node in region.nodes:
            if isinstance(node, Barrier):
                open_ = frozenset()
            elif isinstance(node, (Load, Store, Add)) and node.array == array:
                open_ |= {(id(node), turn)}
                self._phases[array] |= {(id(node), other, at == turn) for other, at in open_}
            elif isinstance(node, If):
                then = self._walk_phases(node.then, array, open_, turn)
                open_ = then | self._walk_phases(node.orelse, array, open_, turn)
            elif isinstance(node, Loop):
                once = self._walk_phases(node.body, array, open_, 2 * turn + 1)
                again = self._walk_phases(node.body, array, once, 2 * turn + 2)
                open_ = open_ | once | again
        return open_

    def told_apart(self, one: _Access, other: _Access, same: bool) -> frozenset[str] | None:
        """The axes along which threads that meet in an element cannot differ, if that is all that the kernel uses.

        None if different threads may meet; all axes if none can.
        """
        is_shared = one.node.array in self.thread.own
        is_known = self.knows(is_shared, same)

        def prime(name: str) -> str:
            return name if is_known(name) else name + "'"

        facts = other.facts.renamed(prime)
        told: set[str] = {f"block.{axis}" for axis in "xyz"} if is_shared else set()
        for form, second in zip(one.index, other.index, strict=True):
            if self.are_disjoint(form, one.facts, renamed(second, prime), facts, is_known):
                return _ALL
            found = self.matched(form, second, is_known)
            if found is None:
                return _ALL
            told |= found
        fixed, others = self.fixed_by(one.facts, is_known), self.fixed_by(other.facts, is_known)
        told |= {axis for axes, value in fixed if (axes, value) in others for axis in axes}
        needed = {name for name in self.used if not is_shared or name.startswith("thread.")}
        return frozenset(told) if needed <= told else None

    def knows(self, is_shared: bool, same: bool) -> Callable[[str], bool]:
        """Whether a symbol has one value in both threads."""

        def is_known(name: str) -> bool:
            if name.endswith("'") or name.startswith("thread."):
                return False
            if name.startswith("block.") and "_dim." not in name:
                return is_shared
            if "_dim." in name or ".shape[" in name:
                return True
            return self.uniform.is_same(name, within_block=is_shared, in_step=is_shared and same)

        return is_known

    def are_disjoint(
        self, one: Form, facts: Facts, other: Form, other_facts: Facts, is_known: Callable[[str], bool]
    ) -> bool:
        """Whether guards keep two subscripts apart."""
        for low, low_facts, high, high_facts in ((one, facts, other, other_facts), (other, other_facts, one, facts)):
            below, above = bound(low, low_facts, is_known, False), bound(high, high_facts, is_known, True)
            if below is not None and above is not None and is_positive(plus(below, scaled(above, -1))):
                return True
        return False

    def matched(self, one: Form, other: Form, is_known: Callable[[str], bool]) -> set[str] | None:
        """The axes that two equal subscripts determine; None if the subscripts are never equal."""
        for axes, pattern in self.patterns(one):
            factor = one[next(iter(pattern))]
            rest = plus(one, scaled(pattern, -factor))
            difference = plus(rest, scaled(plus(other, scaled(pattern, -factor)), -1))
            if not all(map(is_known, symbols(rest))) or not all(map(is_known, symbols(difference))):
                continue
            if not difference:
                return axes
            if set(difference) == {()} and difference[()] % factor:
                return None
        return set()

    def patterns(self, form: Form) -> Iterable[tuple[set[str], Form]]:
        """Parts of a polynomial that differ from thread to thread, with the axes along which they do."""
        for axis in "xyz":
            block, thread = tuple(sorted((f"block.{axis}", f"block_dim.{axis}"))), (f"thread.{axis}",)
            if block in form and form[block] == form.get(thread):
                yield {f"block.{axis}", f"thread.{axis}"}, {block: 1, thread: 1}
        for monomial in form:
            if len(monomial) == 1 and monomial[0] in _ALL:
                yield {monomial[0]}, {monomial: 1}
            elif len(monomial) == 1 and (axes := self.strided(monomial[0])):
                yield axes, {monomial: 1}

    def strided(self, name: str) -> set[str]:
        """The axes that the index of a grid-stride loop determines."""
        loop = self.thread.nodes.get(name)
        if not isinstance(loop, Loop) or loop.index != name:
            return set()
        start, step = self.forms.of(loop.bounds[0]), self.forms.of(loop.bounds[2])
        for axis in "xyz":
            whole: Form = {tuple(sorted((f"block_dim.{axis}", f"grid_dim.{axis}"))): 1}
            first: Form = {tuple(sorted((f"block.{axis}", f"block_dim.{axis}"))): 1, (f"thread.{axis}",): 1}
            own: Form = {(f"block_dim.{axis}",): 1}
            thread: Form = {(f"thread.{axis}",): 1}
            for stride, part, axes in (
                (whole, first, {f"block.{axis}", f"thread.{axis}"}),
                (own, thread, {f"thread.{axis}"}),
            ):
                rest = plus(start, scaled(part, -1))
                if step == stride and all(self.knows(False, False)(each) for each in symbols(rest)):
                    return axes
        return set()

    def fixed_by(self, facts: Facts, is_known: Callable[[str], bool]) -> set[tuple[frozenset[str], Any]]:
        """The axes along which guards admit one thread only, and which: `if t == 0`."""
        found: set[tuple[frozenset[str], Any]] = set()
        for fact in facts.zero:
            for axes, pattern in self.patterns(fact):
                factor = fact[next(iter(pattern))]
                rest = plus(fact, scaled(pattern, -factor))
                if abs(factor) == 1 and all(map(is_known, symbols(rest))):
                    found.add((frozenset(axes), frozenset(scaled(rest, factor).items())))
        return found

    def _check_barriers(self, region: Region, around: list[gast.expr]) -> None:
        for node in region.nodes:
            if isinstance(node, Barrier) and not all(map(self.uniform.in_block, around)):
                raise DIVERGENT_BARRIER.at(node.place)
            if isinstance(node, If):
                self._check_barriers(node.then, [*around, node.test])
                self._check_barriers(node.orelse, [*around, node.test])
            elif isinstance(node, Loop):
                self._check_barriers(node.body, [*around, *atoms(node)])


def _writes(node: Any) -> bool:
    return isinstance(node, (Store, Add))


def _both_atomic(one: Any, other: Any) -> bool:
    return all(isinstance(each, Add) and each.is_atomic for each in (one, other))


def _axes_of(meaning: str) -> set[str]:
    """The places in the grid that a name depends on."""
    name, _, axis = meaning.rpartition("_")
    if name == "grid":
        return {f"block.{axis}", f"thread.{axis}"}
    return {f"{name}.{axis}"} if name in ("thread", "block") else set()


def _loops_around(region: Region | None) -> Iterable[Loop]:
    while region is not None:
        if isinstance(region.owner, Loop):
            yield region.owner
        region = region.parent
