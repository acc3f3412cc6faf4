"""Liveness: the names whose values may be read later (Aho, Lam, Sethi, Ullman, Compilers, 2006, section 9.2.5).

And its mirror image, definite assignment: the names that every path has stored.

Sets of live names are bit vectors, as in the literature: a long function has thousands of statements, and as many names
that are live after each of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any

import gast

from srcad.transforms.analysis.dataflow import Backward, Forward, Solution
from srcad.transforms.ir.build import Block
from srcad.transforms.ir.code import Code, fact
from srcad.transforms.ir.side_effects import all_written, reads, stored_in


class Live(AbstractSet[str]):
    """A set of names, as the bits of an integer; `place` has the bit of each name, and is shared by related sets.

    >>> one = Live(["a", "b"])
    >>> sorted(one - {"a"} | {"c"}), "a" in one, len(one), one == {"b", "a"}
    (['b', 'c'], True, 2, True)
    """

    __slots__ = ("bits", "place")

    def __init__(self, names: Iterable[str] = (), place: dict[str, int] | None = None) -> None:
        self.place: dict[str, int] = {} if place is None else place
        self.bits = bits_of(names, self.place)

    def with_bits(self, bits: int) -> Live:
        """Another set of names of the same places."""
        found = Live((), self.place)
        found.bits = bits
        return found

    def __contains__(self, name: object) -> bool:
        place = self.place.get(name)  # type: ignore[call-overload]
        return place is not None and bool(self.bits >> place & 1)

    def __iter__(self) -> Iterator[str]:
        return (name for name, place in self.place.items() if self.bits >> place & 1)

    def __len__(self) -> int:
        return self.bits.bit_count()

    def __hash__(self) -> int:
        return self._hash()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Live) and other.place is self.place:
            return self.bits == other.bits
        return isinstance(other, AbstractSet) and len(self) == len(other) and all(each in self for each in other)

    def __or__(self, other: Iterable[Any]) -> Live:
        return self.with_bits(self.bits | bits_of(other, self.place))

    def __and__(self, other: Iterable[Any]) -> Live:
        return self.with_bits(self.bits & bits_of(other, self.place))

    def __sub__(self, other: Iterable[Any]) -> Live:
        return self.with_bits(self.bits & ~bits_of(other, self.place))

    __ror__ = __or__
    __rand__ = __and__


def bits_of(names: Iterable[str], place: dict[str, int]) -> int:
    """The bits of some names; those without a place get one.

    >>> place = {"a": 0}
    >>> bits_of(["b", "a"], place), place
    (3, {'a': 0, 'b': 1})
    """
    if isinstance(names, Live) and names.place is place:
        return names.bits
    bits = 0
    for name in names:
        bits |= 1 << place.setdefault(name, len(place))
    return bits


def liveness(block: Block, after: AbstractSet[str] = frozenset()) -> Solution[Live]:
    """The names that are live at each point of a block, given those that are live after it."""
    end = after if isinstance(after, Live) else Live(after)
    return _Liveness(end.place).solve(block, end)


@fact
def liveness_of(code: Code) -> Solution[Live]:
    """The names that are live at each point of a function."""
    return liveness(code.body)


def live_before(block: Block, after: AbstractSet[str] = frozenset()) -> Live:
    """The live-in names of a block, given those live after it; by itself, what it reads before storing it."""
    return liveness(block, after).start


def carried_names(body: Block) -> frozenset[str]:
    """The loop-carried names: those that an iteration stores, and may read before it stores them."""
    live = live_before(body)
    return frozenset(name for name in stored_in(body) if name in live)


def stored_certainly(block: Block) -> frozenset[str]:
    """The names that every path to the end of a block stores."""
    return _StoredCertainly().solve(block, frozenset()).end or frozenset()


class _Liveness(Backward[Live]):
    def __init__(self, place: dict[str, int]) -> None:
        self.place, self.bottom = place, Live((), place)
        self.effects: dict[gast.stmt, tuple[int, int]] = {}  # what each statement reads, and what it leaves

    def join(self, one: Live, other: Live) -> Live:
        return one if one.bits == other.bits else one | other

    def transfer(self, statement: gast.stmt, state: Live) -> Live:
        effects = self.effects.get(statement)
        if effects is None:
            effects = self.effects[statement] = self._effects(statement)
        bits = state.bits & effects[1] | effects[0]
        return state if bits == state.bits else state.with_bits(bits)

    def bind(self, loop: gast.For, state: Live) -> Live:
        return state - {loop.target.id}

    def _effects(self, statement: gast.stmt) -> tuple[int, int]:
        """The names that a simple statement, or the header of a compound one, reads, and all that it does not store."""
        stored = all_written(statement) if isinstance(statement, gast.Assign) else ()
        return bits_of(reads(statement), self.place), ~bits_of(stored, self.place)


class _StoredCertainly(Forward[frozenset[str]]):
    def join(self, one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
        return one & other

    def transfer(self, statement: gast.stmt, state: frozenset[str]) -> frozenset[str]:
        return state if isinstance(statement, gast.For) else state.union(all_written(statement))
