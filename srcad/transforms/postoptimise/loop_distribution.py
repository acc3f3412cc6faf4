"""Loop distribution: sums into neighbouring elements get loops of their own, after the loop that computes the terms.

    for j in range(n):                          for j in range(n):
        v = c * a_bar[j + 1]                        v = c * a_bar[j + 1]
        b_bar[j] += v               becomes         v_row[j] = v
        d_bar[j + 2] += v                       for j in range(n):
                                                    b_bar[j] += v_row[j]
                                                for j in range(n):
                                                    d_bar[j + 2] += v_row[j]

Iterations that add to the same element depend on each other, so LLVM cannot vectorise the loop, although sums may be
taken in any order (Kennedy and Allen, Optimizing Compilers for Modern Architectures, 2001, chapter 5). The adjoint of
every stencil is such a loop. Only sums into arrays that the function allocates are moved, and only if no later
iteration reads or stores an element that was added to (`index_ranges` decides). Sums into one line of an array are
gathered (see `scatter_to_gather`).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import gast

from srcad.transforms.analysis.affine.accesses import Access, accesses, never_meet
from srcad.transforms.analysis.affine.index_ranges import ANY, distances
from srcad.transforms.analysis.affine.integer_facts import expression_of, index_parts, is_counted, step_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import liveness_of, stored_certainly
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    clone,
    const,
    inner_blocks,
    load,
    names_in,
    one_or_tuple,
    place_of,
    subscript,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import FEWEST_DISTRIBUTED_ITERATIONS
from srcad.transforms.ir.pass_names import LOOP_ORDER, SCATTER_TO_GATHER
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.loop_order import ascending, is_backwards, is_free
from srcad.transforms.postoptimise.row_buffered_gather import rolled
from srcad.transforms.postoptimise.scatter_to_gather import Group, Sum, gathering, grouped, reach, shifted


@dataclass
class _Row:
    """The allocation of a row of values, and the names that the allocation depends on."""

    statement: gast.Assign
    needs: frozenset[str]


def distributed(code: Code) -> Code:
    """Distribute loops over their sums.

    Loops that count down but may run forwards are turned.
    """
    everything = walk_statements(code.body)
    if any(isinstance(each, gast.Assign) and isinstance(each.targets[0], gast.Tuple) for each in everything):
        return code
    at = Facts.at_start(code.kinds, ranks_of(code).of)
    return code.with_body(_Distributor(code).block(code.body, at, None)[0])


def _reads_element(row: _Row) -> bool:
    """Whether the size of a row is read from an array, such as a trace that has a value in one branch only."""
    return any(
        isinstance(node, gast.Subscript) and isinstance(node.value, gast.Name) for node in walk(row.statement.value)
    )


def _inside(statement: gast.stmt) -> Block:
    """The statements directly inside a statement, of all its blocks."""
    return [each for inner in inner_blocks(statement) for each in inner]


class _Distributor:
    def __init__(self, code: Code) -> None:
        self.code = code
        self.aliases, self.ranks = aliases_of(code), ranks_of(code)
        self.live = liveness_of(code).after
        self.names = code.fresh_names()
        branches = [each for each in walk_statements(code.body) if isinstance(each, gast.If)]
        self.uncertain = frozenset[str]().union(*map(stored_in, map(_inside, branches))) - stored_certainly(code.body)

    def block(self, block: Block, at: Facts, owner: frozenset[str] | None) -> tuple[Block, list[_Row]]:
        """The block, and the rows to allocate before the loop around it; `owner` has the names that the loop stores."""
        result: Block = []
        floating: list[_Row] = []
        for statement in block:
            made, rows = [statement], list[_Row]()
            if is_parallel(statement):
                at.forget(stored_in([statement]))  # its iterations are distributed among threads as they are
            elif is_counted(statement):
                made, rows = self.loop(statement, at)
            else:
                for inner, inside in at.descend(statement) if inner_blocks(statement) else ():
                    if inner and not isinstance(inner[0], gast.Break):
                        inner[:], own = self.block(inner, inside, stored_in(inner))
                        here = isinstance(statement, gast.If)
                        stay = [row for row in own if here and (row.needs & self.uncertain or _reads_element(row))]
                        inner[:0] = [row.statement for row in stay]
                        rows += [row for row in own if row not in stay]
                if not inner_blocks(statement):
                    at.learn(statement)
            for row in rows:
                if owner is None or row.needs & owner:
                    result.append(row.statement)
                else:
                    floating.append(row)
            result += made
        return result, floating

    def loop(self, statement: gast.For, at: Facts) -> tuple[Block, list[_Row]]:
        """The statements that replace a loop, and the rows to allocate before them."""
        stored = stored_in([statement])
        ((_, inside),) = at.descend(statement)
        turns = self.code.does(LOOP_ORDER) and is_backwards(statement)
        if turns and is_free(statement, inside, self.aliases, self.live[statement]):
            statement.iter.args[:] = [*ascending(statement), const(1)]
            inside = at.enter(statement)
        if all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in statement.body):
            return self.split(statement, inside)
        statement.body, rows = self.block(statement.body, inside, stored)
        if not self.code.does(SCATTER_TO_GATHER):
            return [statement], rows
        by_name = {row.statement.targets[0].id: row.statement for row in rows}
        return rolled(statement, by_name, self.aliases, self.ranks, self.names), rows

    def split(self, statement: gast.For, inside: Facts) -> tuple[Block, list[_Row]]:
        """The loop without the sums that can be moved, followed by the loops of these sums."""
        size = _size(statement)
        bound = {name for each in statement.iter.args for name in names_in(each)} | {statement.target.id}
        if size is None or bound & stored_in(statement.body):
            return [statement], []
        sums = self.sums(statement, inside)
        if not sums:
            return [statement], []
        index, bounds = statement.target.id, ascending(statement)
        gathers = self.code.does(SCATTER_TO_GATHER)
        groups = grouped(sums, index) if gathers else [Group([each], [0]) for each in sums]
        if all(len(group.sums) == 1 and index not in group.sums[0].forms[-1].symbols for group in groups):
            return [statement], []  # elements apart in memory are added to one by one anyway
        margin = reach(groups, index) if gathers else 0
        rows = self.rows(statement, sums, size, margin)
        after = [each for group in groups for each in gathering(group, index, bounds, margin)]
        return [statement, *after], rows

    def sums(self, statement: gast.For, inside: Facts) -> list[Sum]:
        """The sums of a loop that can be moved, into arrays that are accessed by more than one subscript."""
        index, step = statement.target.id, step_of(statement)
        inside.restrict(stored_in(statement.body))
        names = Facts(self.ranks.of).enter(statement)  # knows nothing about names from outside of the loop
        names.restrict(stored_in(statement.body))
        found: list[tuple[int, Access]] = []
        wanted: list[tuple[int, Access, Sum]] = []
        for k, each in enumerate(statement.body):
            own = list(accesses(each, inside))
            found += [(k, access) for access in own]
            if own and self.is_own_sum(own[0]) and _is_apart(own[0], index, step):
                where = [form for part in index_parts(each.target) if (form := names.form(part)) is not None]
                if len(where) == len(own[0].ends):
                    index_ = one_or_tuple([*map(expression_of, where)])
                    wanted.append((k, own[0], Sum(each, index_, own[0].forms or ())))
            names.learn(each)
            inside.learn(each)
        spread = _spread([access for _, access in found], index)
        return [
            each
            for k, own, each in wanted
            if own.name in spread
            and not any(
                _is_later(own, k, access, at, index, step)
                for at, access in found
                if access.kind != "add" and self.may_be(own, access)
            )
        ]

    def is_own_sum(self, access: Access) -> bool:
        """Whether an access adds to an element of an array that the function allocates."""
        return access.kind == "add" and access.forms is not None and self.aliases.is_local(access.name)

    def may_be(self, own: Access, other: Access) -> bool:
        """Whether two accesses may refer to the same array."""
        is_number = other.forms is None and self.ranks.of.get(other.name) == 0
        return not is_number and self.aliases.may_alias(own.name, other.name)

    def rows(self, statement: gast.For, sums: list[Sum], size: gast.expr, margin: int) -> list[_Row]:
        """Store the terms in rows, with margins of zeros; a term that is added in several places is stored once."""
        make, index = "np.zeros" if margin else "np.empty", statement.target.id
        versions = Counter[str]()  # how often a name has been stored so far
        same: dict[str, str] = {}
        made: list[_Row] = []
        kept: dict[str, str] = {}
        body: Block = []
        by_id = {id(each.statement): each for each in sums}
        for each in statement.body:
            moved = by_id.get(id(each))
            if moved is None:
                body.append(each)
                _note_value(each, same, versions)
                continue
            value, moved.sign = _signed(each)
            key = same.get(_version(value, versions), _version(value, versions))
            if any(isinstance(node, gast.Subscript) for node in walk(value)):
                key += f" {len(body)}"
            if key not in kept:
                array = each.target.value.id
                wish = value.id if isinstance(value, gast.Name) else array
                kept[key] = self.names.fresh(f"{wish}_row")
                dtype = gast.Attribute(value=load(array), attr="dtype", ctx=gast.Load())
                allocation = assign(kept[key], call(make, shifted(clone(size), 2 * margin), dtype))
                made.append(_Row(allocation, frozenset([array, *names_in(size)])))
                body.append(
                    assign(subscript(load(kept[key]), shifted(load(index), margin), store=True), value, place_of(each))
                )
            moved.row = kept[key]
        statement.body = body
        return made


def _version(value: gast.expr, versions: Counter[str]) -> str:
    """A text that is the same for expressions of the same names, with the values that these have at one point."""
    return " ".join([gast.dump(value), *(str(versions[name]) for name in names_in(value))])


def _note_value(statement: gast.stmt, same: dict[str, str], versions: Counter[str]) -> None:
    """Note the names that a statement stores, and in `same` which arithmetic of other names one is from then on."""
    value = statement.value if isinstance(statement, gast.Assign) else None
    is_plain = isinstance(value, gast.BinOp) and not any(
        isinstance(n, (gast.Subscript, gast.Call)) for n in walk(value)
    )
    text = _version(value, versions) if is_plain else ""
    versions.update(all_written(statement))
    if is_plain and (name := written(statement)) is not None:
        same[_version(load(name), versions)] = same.get(text, text)


def _is_apart(own: Access, index: str, step: int) -> bool:
    """Whether an access is to another element in each iteration, one after the other."""
    is_next = any(abs(form.coefficient(index)) == 1 for form in own.forms or ())
    return is_next and distances(own.ranges, own.ranges, index, step) == (0, 0)


def _is_later(own: Access, at: int, other: Access, where: int, index: str, step: int) -> bool:
    """Whether the other access may be to the same element in a later iteration, or later in the same one."""
    apart_by = distances(own.ranges, other.ranges, index, step) if own.name == other.name else ANY
    return apart_by is not None and (apart_by[1] > 0 or (apart_by[1] == 0 and where > at))


def _spread(found: list[Access], index: str) -> set[str]:
    """The arrays of which one iteration may access elements that another accesses through a different subscript."""
    return {
        one.name
        for k, one in enumerate(found)
        for other in found[:k]
        if one.name == other.name and one.forms != other.forms and not never_meet(one, other, index)
    }


def _signed(statement: gast.AugAssign) -> tuple[gast.expr, type[gast.operator]]:
    """The term of a sum without its sign, and the resulting operator."""
    value, sign = statement.value, type(statement.op)
    while isinstance(value, gast.UnaryOp) and isinstance(value.op, gast.USub):
        value, sign = value.operand, gast.Sub if sign is gast.Add else gast.Add
    return value, sign


def _size(statement: gast.For) -> gast.expr | None:
    """One more than the greatest index, for a loop with step 1 or -1 over natural numbers; None for others."""
    first, last = ascending(statement)
    low = constant(first)
    high = constant(last)
    if not isinstance(low, int) or low < 0 or abs(step_of(statement)) != 1:
        return None
    if isinstance(high, int):
        return None if high - low < FEWEST_DISTRIBUTED_ITERATIONS else last
    return call("max", last, const(0))
