"""Loop distribution: sums that scatter to neighbours get loops of their own, behind the loop that computes them.

    for j in range(n):                          for j in range(n):
        v = c * a_bar[j + 1]                        v = c * a_bar[j + 1]
        b_bar[j] += v               becomes         v_row[j] = v
        b_bar[j + 2] += v                       for j in range(n):
                                                    b_bar[j] += v_row[j]
                                                for j in range(n):
                                                    b_bar[j + 2] += v_row[j]

What one iteration adds to, the next adds to again: that keeps a compiler from taking several iterations at once, though
sums may be taken in any order (Kennedy and Allen, Optimizing Compilers for Modern Architectures, 2001, chapter 5).
Moved are sums into arrays of the function's own, if no later iteration reads or stores an element that has been added
to (`subscripts` tells). The adjoint of every stencil is such a loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import gast

from srcad.names import Names
from srcad.transforms.build import (
    Block,
    assign,
    augment,
    call,
    clone,
    const,
    dotted_path,
    inner_blocks,
    load,
    loop,
    names_in,
    place_of,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.cleanup import ALLOCATING, Groups
from srcad.transforms.copies import all_written
from srcad.transforms.kinds import is_parallel
from srcad.transforms.plan import FRESH
from srcad.transforms.primitive import constant
from srcad.transforms.reorder import ascending, is_backwards, is_free, stored_in
from srcad.transforms.ssa import live_before
from srcad.transforms.subscripts import Access, Subscripts, accesses

FEWEST = 16  # iterations, if their number is known


@dataclass
class _Row:
    """The allocation of a row of values, and the names that it depends on."""

    statement: gast.Assign
    needs: frozenset[str]


@dataclass
class _Sum:
    """A sum to be moved: the statement, and its subscript in terms of what the loop does not change."""

    statement: gast.AugAssign
    index: gast.expr
    row: str = ""
    sign: type[gast.operator] = gast.Add


def distributed(body: Block, parameters: tuple[str, ...], ranks: Mapping[str, int]) -> Block:
    """The statements with sums in loops of their own; `ranks` has the ranks of arrays, and 0 for numbers."""
    if any(isinstance(each, gast.Assign) and isinstance(each.targets[0], gast.Tuple) for each in walk_statements(body)):
        return body
    taken = {node.id for statement in body for node in walk(statement) if isinstance(node, gast.Name)}
    return _Distributor(body, parameters, ranks, Names(taken | set(parameters))).block(
        body, Subscripts(), None, frozenset()
    )[0]


@dataclass
class _Distributor:
    body: Block
    parameters: tuple[str, ...]
    ranks: Mapping[str, int]
    names: Names
    known: Groups = field(init=False)
    foreign: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        self.known = Groups(self.body)
        given = list(self.parameters)
        for each in walk_statements(self.body):
            value = getattr(each, "value", None)
            is_part = isinstance(value, (gast.Attribute, gast.Call)) and not _is_new(value)
            if is_part and set(names_in(value)) & set(self.parameters):
                given += all_written(each)  # a part of a trace, or what is held in it
        self.foreign = frozenset(map(self.known.find, given))

    def block(
        self, block: Block, at: Subscripts, owner: frozenset[str] | None, after: frozenset[str]
    ) -> tuple[Block, list[_Row]]:
        """The block, and the rows to be allocated before the loop that owns it, which stores the `owner` names.

        `after` are the names read behind the block.
        """
        result: Block = []
        floating: list[_Row] = []
        for statement, behind in zip(block, _live_behind(block, after), strict=True):
            made, rows = [statement], list[_Row]()
            if is_parallel(statement):
                at.forget(stored_in([statement]))  # its iterations are dealt out as they are
            elif isinstance(statement, gast.For) and dotted_path(statement.iter.func) == "range":
                stored = stored_in([statement])
                at.forget(stored)
                inside = at.inside(statement)
                if is_backwards(statement) and self.is_free(statement, inside, behind):
                    statement.iter.args[:] = [*ascending(statement), const(1)]
                    inside = at.inside(statement)
                if all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in statement.body):
                    made, rows = self.split(statement, inside)
                else:
                    head = behind | live_before([statement], frozenset())
                    statement.body, rows = self.block(statement.body, inside, stored, head)
            else:
                if isinstance(statement, gast.While):
                    behind |= live_before([statement], frozenset())
                for inner in inner_blocks(statement):
                    at.forget(stored_in(inner))
                    if inner and not isinstance(inner[0], gast.Break):
                        inner[:] = self.block(inner, at.copy(), None, behind)[0]
                at.learn(statement)
            for row in rows:
                if owner is None or row.needs & owner:
                    result.append(row.statement)
                else:
                    floating.append(row)
            result += made
        return result, floating

    def is_free(self, statement: gast.For, inside: Subscripts, behind: frozenset[str]) -> bool:
        """Whether the iterations of a loop may run in any order."""
        return is_free(statement, inside, self.elements, self.ranks, self.known.find, behind)

    def split(self, statement: gast.For, inside: Subscripts) -> tuple[Block, list[_Row]]:
        """The loop, and the loops of the sums that can be moved behind it."""
        size = _size(statement)
        bound = {name for each in statement.iter.args for name in names_in(each)} | {statement.target.id}
        if size is None or bound & stored_in(statement.body):
            return [statement], []
        sums = self.sums(statement, inside)
        if not sums:
            return [statement], []
        rows = self.rows(statement, sums, size)
        index, bounds = statement.target.id, ascending(statement)
        after = [
            loop(
                index,
                [*map(clone, bounds), const(1)],
                [augment(_target(each), each.sign, subscript(load(each.row), load(index)), place_of(each.statement))],
                place_of(each.statement),
            )
            for each in sums
        ]
        return [statement, *after], rows

    def sums(self, statement: gast.For, inside: Subscripts) -> list[_Sum]:
        """The sums of a loop that can be moved, where some array is reached under several subscripts."""
        index, forward = statement.target.id, constant(inside.step(statement)) == 1
        inside.begin(stored_in(statement.body))
        found: list[tuple[int, Access]] = []
        wanted: list[tuple[int, Access, _Sum]] = []
        for k, each in enumerate(statement.body):
            own = list(accesses(each, inside, self.elements))
            found += [(k, access) for access in own]
            if own and own[0].kind == "add" and own[0].forms is not None and self.is_own(own[0].name):
                where = inside.resolved(each.target.slice)
                if where is not None and inside.advances(own[0], index):
                    wanted.append((k, own[0], _Sum(each, where)))
            inside.learn(each)
        return [
            each
            for k, own, each in wanted
            if self.is_spread(own, found)
            and not any(
                inside.later(own, k, access, at, index, forward)
                for at, access in found
                if access.kind != "add" and self.may_be(own, access)
            )
        ]

    def is_own(self, name: str) -> bool:
        """Whether an array is one that the function has made."""
        return self.known.find(name) not in self.foreign

    def is_spread(self, own: Access, found: list[tuple[int, Access]]) -> bool:
        """Whether the loop reaches the array under other subscripts too."""
        return any(access.name == own.name and access.forms != own.forms for _, access in found)

    def may_be(self, own: Access, other: Access) -> bool:
        """Whether two accesses may reach the same array."""
        return self.known.find(own.name) == self.known.find(other.name) and not (
            other.forms is None and self.ranks.get(other.name) == 0
        )

    def elements(self, name: str, parts: list[gast.expr]) -> bool:
        """Whether a subscript of an array selects one element."""
        return self.ranks.get(name) == len(parts) and all(
            isinstance(constant(part), int)
            or (isinstance(part, (gast.Name, gast.BinOp)) and not any(self.ranks.get(n) for n in names_in(part)))
            for part in parts
        )

    def rows(self, statement: gast.For, sums: list[_Sum], size: gast.expr) -> list[_Row]:
        """Store what is added in rows instead; what is added in several places is stored once."""
        index = statement.target.id
        stores = [name for each in statement.body for name in all_written(each)]
        made: list[_Row] = []
        kept: dict[str, str] = {}
        body: Block = []
        by_id = {id(each.statement): each for each in sums}
        for each in statement.body:
            moved = by_id.get(id(each))
            if moved is None:
                body.append(each)
                continue
            value, sign = _signed(each)
            moved.sign = sign
            key = gast.dump(value)
            stable = not isinstance(value, gast.Subscript) and all(stores.count(name) < 2 for name in names_in(value))
            if not stable or any(isinstance(node, gast.Subscript) for node in walk(value)):
                key += f" {len(body)}"
            if key not in kept:
                array = each.target.value.id
                wish = value.id if isinstance(value, gast.Name) else array
                kept[key] = self.names.fresh(f"{wish}_row")
                dtype = gast.Attribute(value=load(array), attr="dtype", ctx=gast.Load())
                allocation = assign(kept[key], call("np.empty", clone(size), dtype))
                made.append(_Row(allocation, frozenset([array, *names_in(size)])))
                body.append(assign(subscript(load(kept[key]), load(index), store=True), value, place_of(each)))
            moved.row = kept[key]
        statement.body = body
        return made


def _live_behind(block: Block, after: frozenset[str]) -> list[frozenset[str]]:
    """The names read behind each of the statements."""
    found = [after]
    for statement in block[:0:-1]:
        found.append(live_before([statement], found[-1]))
    return found[: len(block)][::-1]


def _is_new(value: gast.expr) -> bool:
    """Whether the value is a new array, or a number."""
    if isinstance(value, gast.Attribute):
        return value.attr in ("shape", "size", "ndim", "dtype")
    return isinstance(value, gast.Call) and dotted_path(value.func) in ALLOCATING | FRESH


def _signed(statement: gast.AugAssign) -> tuple[gast.expr, type[gast.operator]]:
    """What is added or subtracted, without its sign, and which of the two it is."""
    value, sign = statement.value, type(statement.op)
    while isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        value, sign = value.operand, gast.Sub if sign is gast.Add else gast.Add
    return value, sign


def _target(each: _Sum) -> gast.Subscript:
    return subscript(load(each.statement.target.value.id), clone(each.index), store=True)


def _size(statement: gast.For) -> gast.expr | None:
    """One more than the greatest index, if the loop counts by one, from or down to a natural number."""
    first, last = ascending(statement)
    low = constant(first)
    high = constant(last)
    if not isinstance(low, int) or low < 0 or abs(constant(Subscripts.step(statement)) or 0) != 1:
        return None
    if isinstance(high, int):
        return None if high - low < FEWEST else last
    return call("max", last, const(0))
