"""Trace rows: an array that is copied into a row of a trace is made there; one that a loop passes on, in the next row.

    for t in range(n):                              for t in range(n):
        rate = np.empty(m)                              rate = rate_trace[t]
        ...                             becomes         ...
        for i in range(m):
            rate_trace[t, i] = rate[i]

    y_trace = np.empty((n, m))                      y_trace = np.empty((n + 1, m))
    new_trace = np.empty((n, m))                    for t in range(n):
    for t in range(n):                                  if t == 0:
        for i in range(m):                                  for i in range(m):
            y_trace[t, i] = y[i]                                y_trace[t, i] = y[i]
        new = np.empty(m)               becomes         new = y_trace[t + 1]
        ...                                             ...
        for i in range(m):
            new_trace[t, i] = new[i]
        y = new                                         y = new
    ... new_trace[t] ...                            ... y_trace[t + 1] ...

Saves the copies, the allocations, and in the second form a trace of what is in the other one already. Input and output
are the statements of one function. Applies where each iteration allocates the array, once, and it is written to only
between its allocation and its copy, or the end of the iteration, by this name; where the extents are proved equal;
where no two iterations have one row; and where no name that may refer to the array is returned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import ends_of, index_parts, is_counted, step_of
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts, have_natural_indices
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    branch,
    clone,
    const,
    inner_blocks,
    is_loop,
    load,
    mentions,
    names_in,
    one_or_tuple,
    place_of,
    position,
    subscript,
    walk_blocks,
    walk_statements,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.lasting_extents import are_equal, lasting_extents, lasting_facts
from srcad.transforms.postoptimise.allocation_hoisting import allocated, allocated_fill, allocated_kind

_EXITS = gast.Break, gast.Continue, gast.Return


def with_rows(code: Code) -> Code:
    """Let arrays be made in the rows of traces that they are copied into."""
    everything = list(walk_statements(code.body))
    if any(is_parallel(each) for each in everything) or not any(_copied(each) for each in everything):
        return code
    finder = _Finder(code)
    finder.walk(code.body, Facts.at_start(code.kinds, ranks_of(code).of), ())
    return code.with_body(code.body) if finder.has_changed else code


@dataclass(frozen=True)
class _Copy:
    """A loop nest that copies an array into the row `turn` of a trace; `ends` has the ends of the loops."""

    statement: gast.stmt
    trace: str
    turn: list[str]
    array: str
    ends: list[gast.expr]


def _copied(statement: gast.stmt) -> _Copy | None:
    """The copy that a loop nest makes."""
    indices: list[str] = []
    ends: list[gast.expr] = []
    inner: Any = statement
    while isinstance(inner, gast.For) and is_counted(inner) and len(inner.body) == 1 and not inner.orelse:
        if constant(ends_of(inner)[0]) != 0 or step_of(inner) != 1:
            return None
        indices.append(inner.target.id)
        ends.append(ends_of(inner)[1])
        (inner,) = inner.body
    match inner:
        case gast.Assign(
            targets=[gast.Subscript(value=gast.Name(id=trace)) as to],
            value=gast.Subscript(value=gast.Name(id=array)) as of,
        ) if indices:
            into, own = ([getattr(each, "id", "") for each in index_parts(part)] for part in (to, of))
            turn = into[: -len(indices)]
            if "" not in into and turn and into[-len(indices) :] == own == indices and trace != array:
                return _Copy(statement, trace, turn, array, ends)
    return None


class _Finder:
    def __init__(self, code: Code) -> None:
        made = {allocated(each): each for each in walk_statements(code.body)}
        self.made: dict[str, Any] = {name: each for name, each in made.items() if name is not None}
        self.kinds = {**{name: allocated_kind(each) for name, each in self.made.items()}, **code.kinds}
        self.stores, self.aliases, self.heads = store_counts(code), aliases_of(code), liveness_of(code).heads
        self.depth = dict[str, int]()  # how many loops are around an allocation
        self.writes: dict[str, list[tuple[gast.stmt, str]]] = defaultdict(list)  # by alias class
        self.returned = set[str]()
        for each in walk_statements(code.body):
            for name in changed_memory(each):
                self.writes[self.aliases.alias_class(name)].append((each, name))
            self.returned |= {*names_in(each)} if isinstance(each, gast.Return) else set()
        self.body, self.has_changed = code.body, False

    def walk(self, block: Block, at: Facts, around: tuple[Any, ...]) -> None:
        """Place the arrays of a block, and of its inner blocks; `around` are the loops around it."""
        for statement in list(block):
            if is_loop(statement):
                before = at.copy()
                for inner, inside in at.descend(statement):
                    self.walk(inner, inside, (*around, statement))
                self.place(statement, before, (*around, statement))
            elif inner_blocks(statement):
                for inner, inside in at.descend(statement):
                    self.walk(inner, inside, around)
            else:
                if (name := allocated(statement)) is not None:
                    self.depth[name] = len(around)
                at.learn(statement)
                at.learn_check(statement)

    def place(self, loop: Any, before: Facts, around: tuple[Any, ...]) -> None:
        """Place the arrays that the iterations of a loop copy into traces."""
        copies = [found for each in loop.body if (found := _copied(each)) and self.is_row(found, before, around)]
        if not copies:
            return
        lasting = lasting_extents(loop, before, self.heads[loop])
        facts = lasting_facts(loop, before, self.heads[loop])
        for copy in copies:
            passed = self.passed_on(copy, loop, copies)
            if passed is not None and self.rows(copy) is not None and self.has_extents(passed, copy, lasting, facts):
                self.make_in_next_row(passed, copy, loop, copies)
        for copy in copies:
            made = self.made_in(copy.array, loop)
            if made is not None and self.has_extents(made, copy, lasting, facts):
                k, end = position(loop.body, made), position(loop.body, copy.statement)
                if k < end and self.is_written_in(copy.array, loop.body[k:end], [copy.statement]):
                    loop.body.remove(copy.statement)
                    self.make_in(made, copy.trace, [*map(load, copy.turn)], loop)

    def is_row(self, copy: _Copy, before: Facts, around: tuple[Any, ...]) -> bool:
        """Whether each execution of a copy has a row of its own, which is all of the array, and nothing else stores."""
        trace = copy.trace
        kind: Any = self.kinds.get(copy.array)
        if self.stores[trace] != 1 or trace not in self.depth or type(kind) is not nb.Array or kind.layout != "C":
            return False
        rows: Any = allocated_kind(self.made[trace])
        is_fitting = rows is not None and (rows.dtype, rows.ndim) == (kind.dtype, kind.ndim + len(copy.turn))
        loops = around[self.depth[trace] :]
        are_turns = all(map(is_counted, loops)) and [each.target.id for each in loops] == copy.turn
        are_turns = are_turns and have_natural_indices(loops, Facts())
        if not is_fitting or not kind.mutable or not are_turns or any(self.is_reset(each) for each in loops):
            return False
        ends, extents = [before.form(each) for each in copy.ends], self.extents(copy, before)
        is_whole = extents is not None and all(
            one is not None and are_equal(one, other, before) for one, other in zip(ends, extents, strict=True)
        )
        return is_whole and sum(each.value.id == trace for each in self.subscripts(loops[-1].body)) == 1

    def is_reset(self, loop: Any) -> bool:
        return loop.target.id in stored_in(loop.body)

    def extents(self, copy: _Copy, before: Facts) -> list[Form] | None:
        """The extents of a row of a trace."""
        forms = [before.form(each) for each in (before.of(copy.trace) or ())[len(copy.turn) :]]
        known = [each for each in forms if each is not None]
        return known if len(known) == len(forms) == len(copy.ends) else None

    def subscripts(self, block: Block) -> Iterable[gast.Subscript]:
        """The subscripts of names in statements."""
        for statement in block:
            for node in gast.walk(statement):
                if isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name):
                    yield node

    def made_in(self, array: str, loop: Any) -> Any:
        """The statement of a loop's own body that allocates an array, if that alone stores the name in the loop.

        An array of zeros stays: it would have to be set to zero there.
        """
        stores = [each for each in walk_statements(loop.body) if array in all_written(each)]
        stores = [each for each in stores if not isinstance(each, gast.AugAssign)]
        if len(stores) != 1 or not any(each is stores[0] for each in loop.body) or allocated(stores[0]) != array:
            return None
        return stores[0] if allocated_fill(stores[0]) is None else None

    def has_extents(self, made: gast.stmt, copy: _Copy, lasting: Any, facts: Any) -> bool:
        """Whether an allocated array has the extents of a row."""
        own, extents = lasting.get(made), self.extents(copy, facts[made]) if made in facts else None
        if not own or not extents or len(own) != len(extents):
            return False
        return all(are_equal(one, other, facts[made]) for one, other in zip(own, extents, strict=True))

    def is_written_in(self, array: str, region: Block, copies: list[gast.stmt]) -> bool:
        """Whether an array's memory is written to within some statements only, by this name, and is not returned."""
        if self.aliases.connected(array) & self.returned:
            return False
        inside = {id(each) for each in walk_statements(region)} | {id(each) for each in walk_statements(copies)}
        return all(id(each) in inside and name == array for each, name in self._writes_to(array, copies))

    def _writes_to(self, array: str, copies: list[gast.stmt]) -> Iterable[tuple[gast.stmt, str]]:
        own = {id(each) for each in walk_statements(copies)}
        return [each for each in self.writes[self.aliases.alias_class(array)] if id(each[0]) not in own]

    def make_in(self, made: Any, trace: str, turn: list[gast.expr], loop: Any) -> None:
        """Let a statement take a row of a trace in place of new memory."""
        array = allocated(made)
        row = assign(str(array), subscript(load(trace), one_or_tuple(turn)), place_of(made))
        loop.body[position(loop.body, made)] = row
        self.has_changed = True

    def passed_on(self, copy: _Copy, loop: Any, copies: list[_Copy]) -> Any:
        """The allocation of the array that the next iteration copies; None where that is not shown."""
        stores = [each for each in walk_statements(loop.body) if copy.array in all_written(each)]
        if (
            len(stores) != 1
            or not any(each is stores[0] for each in loop.body)
            or any(isinstance(each, _EXITS) for each in walk_statements(loop.body))
        ):
            return None
        match stores[0]:
            case gast.Assign(targets=[gast.Name()], value=gast.Name(id=new)):
                made = self.made_in(new, loop)
            case _:
                return None
        if made is None:
            return None
        first, begin, end = (position(loop.body, each) for each in (copy.statement, made, stores[0]))
        is_from_start = constant(ends_of(loop)[0]) == 0 and step_of(loop) == 1
        if (
            not first < begin < end
            or not is_from_start
            or copy.array == new
            or self.kinds.get(new) != self.kinds[copy.array]
        ):
            return None
        others = [each for each in copies if each.array == new]
        last = min([position(loop.body, each.statement) for each in others], default=len(loop.body))
        region, own = loop.body[begin:last], [copy.statement, *(each.statement for each in others)]
        return made if begin < last and self.is_written_in(new, region, own) else None

    def make_in_next_row(self, made: Any, copy: _Copy, loop: Any, copies: list[_Copy]) -> None:
        """Let an array that is passed on be made in the row that the next iteration would copy it into."""
        self.made[copy.trace].value = clone(self.made[copy.trace].value)
        size = self.made[copy.trace].value.args[0].elts
        last = len(copy.turn) - 1
        size[last] = binary(size[last], gast.Add, const(1))
        for other in copies:
            rows = self.rows(other)
            if other.array == allocated(made) and rows is not None:
                loop.body.remove(other.statement)
                self.drop(self.made[other.trace])
                for row in rows:
                    row.value = load(copy.trace)
                    index = index_parts(row)
                    index[last] = binary(index[last], gast.Add, const(1))
                    row.slice = one_or_tuple(index)
        at = position(loop.body, copy.statement)
        is_first = gast.Compare(left=load(loop.target.id), ops=[gast.Eq()], comparators=[const(0)])
        loop.body[at] = branch(is_first, [copy.statement], [], place_of(copy.statement))
        turn: list[gast.expr] = [*map(load, copy.turn)]
        self.make_in(made, copy.trace, [*turn[:-1], binary(turn[-1], gast.Add, const(1))], loop)

    def rows(self, copy: _Copy) -> list[gast.Subscript] | None:
        """What reads rows of a trace, or their elements, at indices of loops; None if other statements mention it."""
        into = _target(copy.statement)
        rows = [each for each in self.subscripts(self.body) if each.value.id == copy.trace]
        loops = {each.target.id for each in walk_statements(self.body) if isinstance(each, gast.For)}
        turns = [[getattr(part, "id", "") for part in index_parts(each)][: len(copy.turn)] for each in rows]
        are_rows = all(len(turn) == len(copy.turn) and loops.issuperset(turn) for turn in turns)
        is_alone = mentions(self.body)[copy.trace] == len(rows) + 1
        single = {id(each): each for each in rows if each is not into}  # two statements may have one node
        return [*single.values()] if are_rows and is_alone else None

    def drop(self, made: gast.stmt) -> None:
        """Take out the allocation of a trace."""
        for block in walk_blocks(self.body):
            block[:] = [each for each in block if each is not made]


def _target(statement: Any) -> gast.expr:
    """What the innermost statement of a nest stores into."""
    while inner_blocks(statement):
        (statement,) = statement.body
    target: gast.expr = statement.targets[0]
    return target
