"""Statement order: which statements of a block have to stay in order, and loops that may become one.

    1  y = np.empty(n)                      1 -> 2 -> 5
    2  for i in ...: y[i] = ...             3 -> 4 -> 5
    3  z = np.empty(n)
    4  for i in ...: z[i] = ...             2 and 4 may be joined: 1, 3, 2 and 4, 5
    5  return y, z

An edge leads from a statement to a later one that reads or stores a name or an array that the other stores, or stores
what the other reads. Statements with an effect, such as checks, stay in order among themselves; what accesses memory
stays behind a check, since it may rely on it.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping

import gast

from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import Block, inner_blocks
from srcad.transforms.sweeps.independent_loop_schedule import Touched


class Order:
    """The order of the statements of a block. Statements that are joined are one from then on."""

    def __init__(self, program: Program, block: Block) -> None:
        self.block = block
        self.touched = [Touched.by(program, [each]) for each in block]
        self.place = {id(each): k for k, each in enumerate(block)}
        self.owner = list(range(len(block)))  # the statement that each is joined with, or itself
        self.later: list[set[int]] = [set() for _ in block]
        self._connect()

    def _connect(self) -> None:
        stored: dict[str, int] = {}
        read: dict[str, list[int]] = {}
        effect = barrier = -1
        for k, (statement, mine) in enumerate(zip(self.block, self.touched, strict=True)):
            before = {barrier}
            if mine.has_effect or mine.has_checks or mine.roots:
                before.add(effect)
            stores = mine.stored | {f"[{root}]" for root in mine.stores}
            for name in (*mine.names, *mine.stored, *(f"[{root}]" for root in mine.roots)):
                before.add(stored.get(name, -1))
            for name in stores:
                before.update(read.pop(name, ()))
                stored[name] = k
            for name in (*mine.names, *(f"[{root}]" for root in mine.roots)):
                read.setdefault(name, []).append(k)
            if _leaves(statement):
                before.update(range(max(barrier, 0), k))
                barrier = k
            if mine.has_effect:
                effect = k
            for each in before - {-1, k}:
                self.later[each].add(k)

    def join(self, first: gast.stmt, second: gast.stmt) -> bool:
        """Make two statements one, and return True; return False if one has to stay before the other, or a third
        statement between them.
        """
        a, b = self.owner[self.place[id(first)]], self.owner[self.place[id(second)]]
        one, other = self.touched[a], self.touched[b]
        if one.stored & (other.names | other.stored) or one.names & other.stored:
            return False
        if one.has_effect or other.has_effect:
            return False
        if self._reaches(a, b, direct=False) or self._reaches(b, a, direct=False):
            return False
        self.later[a] = (self.later[a] | self.later[b]) - {a, b}
        self.owner = [a if each == b else each for each in self.owner]
        one.add(other)
        return True

    def _reaches(self, start: int, end: int, direct: bool) -> bool:
        """Whether a path leads from one statement to another; one of at least two edges, unless `direct`."""
        waiting = [each for each in self._next(start) if direct or each != end]
        seen = set(waiting)
        while waiting:
            for each in self._next(waiting.pop()) - seen:
                if each == end:
                    return True
                seen.add(each)
                waiting.append(each)
        return end in seen

    def _next(self, node: int) -> set[int]:
        return {self.owner[each] for each in self.later[node]} - {node}

    def arranged(self, joined: Mapping[gast.stmt, gast.stmt]) -> Block:
        """The statements in an order that fits, as early as they stood where possible; `joined` replaces statements."""
        nodes = sorted(set(self.owner))
        missing = dict.fromkeys(nodes, 0)
        for node in nodes:
            for each in self._next(node):
                missing[each] += 1
        ready = [node for node in nodes if not missing[node]]
        heapq.heapify(ready)
        found: Block = []
        while ready:
            node = heapq.heappop(ready)
            found.append(joined.get(self.block[node], self.block[node]))
            for each in self._next(node):
                missing[each] -= 1
                if not missing[each]:
                    heapq.heappush(ready, each)
        assert len(found) == len(nodes)
        return found


def _leaves(statement: gast.stmt) -> bool:
    """Whether a statement may leave the block: the function, or a loop around it."""
    if isinstance(statement, (gast.Return, gast.Raise, gast.Break, gast.Continue)):
        return True
    inside = [each for block in inner_blocks(statement) for each in block]
    if isinstance(statement, (gast.For, gast.While)):
        return any(isinstance(each, (gast.Return, gast.Raise)) or _leaves_loop(each) for each in inside)
    return any(map(_leaves, inside))


def _leaves_loop(statement: gast.stmt) -> bool:
    """Whether a statement in a loop may leave the function."""
    if isinstance(statement, (gast.Return, gast.Raise)):
        return True
    return any(_leaves_loop(each) for block in inner_blocks(statement) for each in block)
