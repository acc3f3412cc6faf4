"""Row-buffered gather: scattered sums into neighbouring lines of an array become one sum per line.

    for i in range(n):                              if 0 < n:
        for j in range(m):                              for i in range(n + 1):
            v_row[j] = c * a_bar[i, j]                      slot = i % 2
        for j in range(m):              becomes             last_slot = (i + 1) % 2
            b_bar[i, j] += v_row[j]                         if i < n:
        for j in range(m):                                      for j in range(m):
            b_bar[i + 1, j] += v_row[j]                             v_row[slot, j] = c * a_bar[i, j]
                                                            else:
                                                                for j in range(m):
                                                                    v_row[slot, j] = 0.0
                                                            for j in range(m):
                                                                b_bar[i, j] += v_row[slot, j] + v_row[last_slot, j]

The rows of the last few iterations are kept in a rolling buffer; after the last iteration, rows of zeros follow until
all lines are done. The buffer starts as zeros, and the slot still in use at the end is cleared after the loop. Each
element of a stencil's adjoint is then read and stored once per iteration, instead of once for each line it is a
neighbour of. Applies where the loop uses the array only to add to it, since sums are delayed.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import gast

from srcad.names import Names
from srcad.transforms.analysis.affine.integer_facts import step_of
from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    branch,
    clone,
    const,
    dotted,
    is_exit,
    load,
    loop,
    names_in,
    place_of,
    subscript,
    tuple_of,
    walk,
    walk_statements,
)
from srcad.transforms.ir.cost_model import MOST_ELEMENTS_APART, MOST_LINES_APART
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.loop_analysis.loop_order import ascending
from srcad.transforms.postoptimise.scatter_to_gather import Gathering, Group, Sum, gathering, shifted


@dataclass
class _Lines:
    """The gathered sums of one inner loop into several lines of one array, and the distance of these lines."""

    array: str
    members: list[tuple[gast.stmt, Gathering]]
    apart: int


def rolled(statement: gast.For, rows: Mapping[str, gast.Assign], aliases: Aliases, ranks: Ranks, names: Names) -> Block:
    """Combine a loop's sums into neighbouring lines; `rows` has the rows' allocations outside of the loop, by name.

    The note `rolls` on the loop gives, for each array, the axis of the loop's index and the offset of the line added
    to.
    """
    body: Block = statement.body
    if step_of(statement) != 1 or not _is_plain(body):
        return [statement]
    bounds = {name for each in statement.iter.args for name in names_in(each)} | {statement.target.id}
    if bounds & stored_in(body):
        return [statement]
    found = [each for each in _lines(statement) if _is_alone(each, body, aliases, ranks) and _of(each) <= set(rows)]
    return _Roller(statement, found, rows, names).run() if found else [statement]


def _is_plain(body: Block) -> bool:
    kinds = (gast.Assign, gast.AugAssign, gast.For, gast.If, gast.Pass)
    everything = list(walk_statements(body))
    return all(isinstance(each, kinds) and not is_exit(each) for each in everything) and not any(
        notes_of(each).effect for each in everything
    )


def _lines(statement: gast.For) -> list[_Lines]:
    """The arrays that are added to in several neighbouring lines."""
    index, stored = statement.target.id, stored_in(statement.body)
    members: dict[tuple[object, ...], list[tuple[gast.stmt, Gathering]]] = {}
    for each in statement.body:
        made = notes_of(each).gathers
        if made is None:
            continue
        keys = {_line(one, made.index, index, stored) for one in made.group.sums}
        array = made.group.sums[0].statement.target.value.id
        if len(keys) == 1 and None not in keys:
            loop_ = made.index, *map(gast.dump, made.bounds)
            members.setdefault((array, *loop_, *keys), []).append((each, made))
    found = []
    for (array, *_), group in members.items():
        lines = [_offset(made.group.sums[0], index) for _, made in group]
        apart = max(lines) - min(lines)
        shifts = [_offset(one, made.index) for _, made in group for one in made.group.sums]
        if 0 < apart <= MOST_LINES_APART and max(shifts) - min(shifts) <= MOST_ELEMENTS_APART:
            found.append(_Lines(str(array), group, apart))
    return found


def _line(one: Sum, inner: str, outer: str, stored: frozenset[str]) -> tuple[object, ...] | None:
    """A key that is equal for sums into neighbouring lines; None if the subscripts do not follow both indices."""
    axes = []
    for index in (outer, inner):
        own = [axis for axis, form in enumerate(one.forms) if form.symbols == {index} and form.coefficient(index) == 1]
        if len(own) != 1:
            return None
        axes += own
    rest = [form for axis, form in enumerate(one.forms) if axis not in axes]
    if any(form.names & (stored | {outer, inner}) for form in rest):
        return None
    return (*axes, *rest)


def _offset(one: Sum, index: str) -> int:
    return next(form.constant for form in one.forms if form.symbols == {index})


def _of(lines: _Lines) -> set[str]:
    """The rows that the sums read their terms from."""
    return {one.row for _, made in lines.members for one in made.group.sums}


def _is_alone(lines: _Lines, body: Block, aliases: Aliases, ranks: Ranks) -> bool:
    """Whether the loop uses the array only to add to it."""
    everything = list(walk_statements(body))
    adding = {id(each.target.value) for each in everything if is_sum(each)}
    return not any(
        isinstance(node, gast.Name)
        and id(node) not in adding
        and ranks.of.get(node.id) != 0
        and aliases.may_alias(node.id, lines.array)
        for each in body
        for node in walk(each)
    )


def is_sum(statement: gast.stmt) -> bool:
    """Whether a statement adds to an array element or subtracts from it."""
    match statement:
        case gast.AugAssign(target=gast.Subscript(), op=gast.Add() | gast.Sub()):
            return True
    return False


class _Roller:
    def __init__(self, statement: gast.For, found: list[_Lines], rows: Mapping[str, gast.Assign], names: Names) -> None:
        self.statement, self.found, self.rows, self.names = statement, found, rows, names
        self.depth = max(each.apart for each in found) + 1
        self.slots = [names.fresh("slot"), *(names.fresh("last_slot") for _ in range(self.depth - 1))]
        self.sources = {one.row: made for lines in found for _, made in lines.members for one in made.group.sums}
        self.rolls: dict[str, tuple[int, int]] = {}

    def run(self) -> Block:
        """The statements that replace the loop."""
        start, stop = map(clone, ascending(self.statement))
        index = self.statement.target.id
        gathers = {id(each) for lines in self.found for each, _ in lines.members}
        body = [each for each in self.statement.body if id(each) not in gathers]
        for each in body:
            _Indexed(self.sources, self.slots[0]).visit(each)
        for row in self.sources:
            made = self.rows[row].value
            made.func, made.args[0] = dotted("np.zeros"), tuple_of(const(self.depth), made.args[0])
        turns = [
            assign(slot, binary(shifted(load(index), (self.depth - k) % self.depth), gast.Mod, const(self.depth)))
            for k, slot in enumerate(self.slots)
        ]
        is_inside = gast.Compare(left=load(index), ops=[gast.Lt()], comparators=[stop])
        added = [self.in_reach(lines, each, stop) for lines in self.found for each in self.added(lines)]
        note(self.statement, rolls=self.rolls)
        self.statement.body = [*turns, branch(is_inside, body, self.cleared(self.slots[0])), *added]
        self.statement.iter.args[:] = [clone(start), shifted(clone(stop), self.depth - 1), const(1)]
        test = gast.Compare(left=start, ops=[gast.Lt()], comparators=[clone(stop)])
        return [branch(test, [self.statement, *self.cleared(self.slots[-1])], [], place_of(self.statement))]

    def cleared(self, slot: str) -> Block:
        """Loops that store zeros in the rows of one slot."""
        made: dict[str, tuple[Gathering, Block]] = {}
        for row, source in self.sources.items():
            _, body = made.setdefault(" ".join(map(gast.dump, source.bounds)), (source, []))
            element = tuple_of(load(slot), shifted(load(source.index), source.margin))
            body.append(assign(subscript(load(row), element, store=True), const(0.0)))
        return [loop(source.index, [*map(clone, source.bounds), const(1)], body) for source, body in made.values()]

    def in_reach(self, lines: _Lines, added: gast.stmt, stop: gast.expr) -> gast.stmt:
        """The sums into a line, guarded where another array of the loop needs more iterations than this one."""
        if lines.apart + 1 == self.depth:
            return added
        index = load(self.statement.target.id)
        test = gast.Compare(left=index, ops=[gast.Lt()], comparators=[shifted(clone(stop), lines.apart)])
        return note(branch(test, [added], [], place_of(added)), gathers=notes_of(added).gathers)

    def added(self, lines: _Lines) -> Block:
        """The loop that adds all contributions to one line."""
        outer = self.statement.target.id
        source = lines.members[0][1]
        sums = [one for _, made in lines.members for one in made.group.sums]
        nearest = min(_offset(one, outer) for one in sums)
        sums.sort(key=lambda one: _offset(one, source.index))
        first = _offset(sums[0], source.index)
        line = list(sums[0].index.elts)
        axis = next(axis for axis, form in enumerate(sums[0].forms) if outer in form.symbols)
        line[axis] = shifted(load(outer), nearest)
        self.rolls[lines.array] = axis, nearest
        rolled = [
            replace(one, index=tuple_of(*map(clone, line)), slot=self.slots[_offset(one, outer) - nearest])
            for one in sums
        ]
        shifts = [_offset(one, source.index) - first for one in sums]
        return gathering(Group(rolled, shifts), source.index, source.bounds, source.margin)


class _Indexed(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Rewrites elements of rows as elements of one slot of the buffer."""

    def __init__(self, rows: Collection[str], slot: str) -> None:
        self.rows, self.slot = rows, slot

    def visit_Subscript(self, node: gast.Subscript) -> gast.Subscript:
        if isinstance(node.value, gast.Name) and node.value.id in self.rows:
            node.slice = tuple_of(load(self.slot), node.slice)
        return node
