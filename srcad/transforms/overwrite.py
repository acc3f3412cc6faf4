"""Elements that are set to zero, and later added to, are stored where they were added to; the zeros are not stored.

    for t in range(T):                              for t in range(T):
        for i in range(n):                              for i in range(n):
            u = a_bar[i + 1]                                u = a_bar[i + 1]
            a_bar[i + 1] = 0.0      becomes                 b_bar[i] = u * w[i]
            b_bar[i] = u * w[i]                         for i in (0, n + 1):
        for i in range(n + 2):                              a_bar[i] += g(b_bar, i)
            a_bar[i] += g(b_bar, i)                     for i in range(1, n + 1):
                                                            a_bar[i] = g(b_bar, i)

The adjoints of sweeps that read one array and write another are like that: where these are large, each of them goes
through the caches twice less. The sum may be the next iteration's: the array has begun as zeros then, and what the loop
leaves is set to zero behind it. Which elements are meant is told by `boxes`, and `cut` parts the loop; the loop
around may exchange arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.names import Names
from srcad.runtime.clock import stage
from srcad.transforms.accessed import is_counted
from srcad.transforms.array_functions import MAKES_ZEROS
from srcad.transforms.boxes import Box, Visit, visits
from srcad.transforms.build import (
    Block,
    assign,
    clone,
    const,
    dotted_path,
    inner_blocks,
    load,
    loop,
    mentions,
    names_in,
    one_or_tuple,
    place_of,
    position,
    stores_into,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.cut import cut_out
from srcad.transforms.gather import shifted
from srcad.transforms.kinds import is_parallel
from srcad.transforms.live import Live, live_blocks
from srcad.transforms.memories import Memories
from srcad.transforms.nest import INDICES
from srcad.transforms.node_notes import notes_of
from srcad.transforms.shapes import Shapes, source
from srcad.transforms.side_effects import stored_in
from srcad.transforms.single import first_store, is_zero_store, made_in

_EXITS = gast.Break, gast.Continue, gast.Return


@stage("overwrite")
def with_zeros_overwritten(body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> Block:
    """The statements with stores for sums into zeros; `kinds` has the types of names, as far as known.

    Functions with parallel loops stay as they are.
    """
    if not any(is_parallel(each) for each in walk_statements(body)):
        writer = _Overwriter(body, parameters, kinds)
        integers = frozenset(name for name, kind in kinds.items() if isinstance(kind, nb.Integer))
        writer.walk(body, Shapes(writer.memories.ranks, integers))
    return body


@dataclass
class _Use:
    """A visit of an array in a loop, by the name that the array has there; `at` is known before its statement."""

    visit: Visit | None
    name: str
    at: Shapes


@dataclass
class _Turns:
    """What an iteration does with arrays that are apart: by the names that these have at its head.

    ends    the names at the head, by those at the end
    """

    uses: dict[str, list[_Use]]
    ends: dict[str, str]

    def pairs(self) -> list[tuple[_Use, _Use, str]]:
        """Uses that follow upon each other; the name at the head where the second is in the next iteration, or ""."""
        found = [(one, two, "") for uses in self.uses.values() for one, two in pairwise(uses)]
        for name, array in self.ends.items():
            if self.uses[array] and self.uses[name]:
                found.append((self.uses[array][-1], self.uses[name][0], name))
        return found


class _Overwriter:
    def __init__(self, body: Block, parameters: tuple[str, ...], kinds: Mapping[str, nb.Type]) -> None:
        self.memories = Memories(body, parameters, kinds)
        self.names = Names({*mentions(body), *parameters})
        self.behind: dict[int, Live] = {}
        for block, lives in live_blocks(body):
            self.behind |= {id(each): live for each, live in zip(block, lives, strict=True)}

    def walk(self, block: Block, shapes: Shapes) -> None:
        """Go through a block and those inside it."""
        for statement in list(block):
            if not inner_blocks(statement):
                shapes.learn(statement)
                continue
            shapes.forget(stored_in([statement]))
            inside = shapes.inside(statement) if is_counted(statement) else shapes.copy()
            if isinstance(statement, (gast.For, gast.While)):
                self.loop(block, statement, inside)
            for inner in inner_blocks(statement):
                self.walk(inner, inside.copy())

    def loop(self, block: Block, around: gast.For | gast.While, inside: Shapes) -> None:
        """Overwrite the zeros that an iteration stores."""
        if any(isinstance(each, _EXITS) for each in walk_statements(around.body)):
            return
        stores = [(each, target) for each in walk_statements(around.body) if (target := _element(each)) is not None]
        added = {target for each, target in stores if isinstance(each, gast.AugAssign)}
        zeroed = dict.fromkeys(target for each, target in stores if is_zero_store(each, target))
        done = set[str]()
        for name in zeroed:
            is_added = name not in done and any(self.memories.may_share(name, other) for other in added)
            turns = self.turns(around, name, inside) if is_added else None
            if turns is not None:
                done |= set(turns.uses)
                for one, two, head in turns.pairs():
                    self.pair(block, around, one, two, head)

    def turns(self, around: gast.For | gast.While, array: str, inside: Shapes) -> _Turns | None:
        """The uses of an array, and of those that the loop exchanges with it; None where these are not understood."""
        used = {name for name in mentions([around]) if self.memories.may_share(name, array)}
        used = {name for name in used if self.memories.ranks.get(name) != 0}
        heads = self.heads(around, array)
        if not heads or (isinstance(around, gast.While) and used & set(names_in(around.test))):
            return None
        known, uses, at = {name: name for name in heads}, {name: list[_Use]() for name in heads}, inside.copy()
        for each in around.body:
            match each:
                case gast.Assign(targets=[gast.Name(id=name)], value=gast.Name(id=other)) if name in used:
                    if other not in known:
                        return None
                    known[name] = known[other]
                case _:
                    here = [name for name in mentions([each]) if name in used and not _asks_shape(each, name)]
                    if used & stored_in([each]) or len({known.get(name, "") for name in here} - {""}) != len(here):
                        return None
                    for name in here:
                        found = visits(each, name, at)
                        uses[known[name]] += [_Use(one, name, at.copy()) for one in found] or [_Use(None, name, at)]
            if inner_blocks(each):
                at.forget(stored_in([each]))
            else:
                at.learn(each)
        ends = {name: known[name] for name in heads}
        return _Turns(uses, ends) if sorted(ends.values()) == heads else None

    def heads(self, around: gast.For | gast.While, array: str) -> list[str]:
        """The array, and those that are different ones for as long as the loop runs, although it exchanges them."""
        groups = [group for each in walk_statements(around.body) for group in notes_of(each).distinct_arrays]
        found = sorted(next((group for group in groups if array in group), {array}))
        return found if len(found) == 1 or all(map(self.memories.is_own, found)) else []

    def pair(self, block: Block, around: gast.For | gast.While, one: _Use, two: _Use, head: str) -> None:
        """Let what one use sets to zero be overwritten by the other, if that adds to all of it."""
        clear, add, ranks = one.visit, two.visit, self.memories.ranks
        if clear is None or add is None or not len(clear.index) == len(add.index) == ranks.get(one.name):
            return
        box, zero, total = clear.box(one.at), clear.users[-1], first_store(add.users[0], two.name)
        if box is None or not is_zero_store(zero, one.name) or len(clear.block) == 1 or len(box) > len(INDICES):
            return
        if len(add.users) > 1 or total is None or isinstance(add.users[0], gast.Assign) or not add.covers(box, two.at):
            return
        bounds = (name for side in box for each in side.range for name in names_in(each))
        if {source(symbol) for symbol in (*clear.symbols(), *add.symbols(), *bounds)} & stored_in([around]):
            return
        if any(side.shift.terms for side in box) or (head and not self.begins_zero(block, around, head)):
            return
        if cut_out(around, add, box, total, two.at, self.names):
            clear.block.remove(zero)
            if head and self.is_wanted(around, head):
                block.insert(position(block, around) + 1, self.zeros(head, box, place_of(zero)))

    def is_wanted(self, around: gast.stmt, name: str) -> bool:
        """Whether an array may be looked at behind a loop."""
        return any(self.memories.may_share(each, name) for each in self.behind.get(id(around), ()))

    def begins_zero(self, block: Block, around: gast.stmt, name: str) -> bool:
        """Whether an array is all zeros where a loop begins."""
        group = self.memories.find(name)
        for each in block[position(block, around) - 1 :: -1] if position(block, around) else []:
            match each:
                case gast.Assign(targets=[gast.Name(id=target)], value=gast.Name(id=other)):
                    name = other if target == name else name
                    continue
            if made_in(each) == name:
                return dotted_path(each.value.func) in MAKES_ZEROS
            if any(self.memories.find(used) == group and not _asks_shape(each, used) for used in mentions([each])):
                return False
        return False

    def zeros(self, name: str, box: Box, place: Place | None) -> gast.stmt:
        """Loops that set a box to zero."""
        indices = [self.names.fresh(index) for index in INDICES[: len(box)]]
        parts = [shifted(load(index), side.shift.constant) for index, side in zip(indices, box, strict=True)]
        made: gast.stmt = assign(subscript(load(name), one_or_tuple(parts), store=True), const(0.0), place)
        for index, side in reversed(list(zip(indices, box, strict=True))):
            made = loop(index, [*map(clone, side.range), const(1)], [made], place)
        return made


def _element(statement: gast.stmt) -> str | None:
    """The array of which a statement stores an element."""
    target = stores_into(statement)
    return target.value.id if target is not None and isinstance(target.value, gast.Name) else None


def _asks_shape(statement: gast.stmt, name: str) -> bool:
    """Whether a statement asks for nothing of an array but its shape and type."""
    asked = [
        node.value.id
        for node in walk(statement)
        if isinstance(node, gast.Attribute) and isinstance(node.value, gast.Name) and node.attr in ("shape", "dtype")
    ]
    return asked.count(name) == mentions([statement])[name]
