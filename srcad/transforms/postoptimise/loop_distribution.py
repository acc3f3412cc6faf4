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
iteration reads or stores an element that was added to (`affine_subscripts` decides). Sums into one line of an array are
gathered (see `scatter_to_gather`).
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

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
    place_of,
    subscript,
    walk,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import FEWEST_DISTRIBUTED_ITERATIONS
from srcad.transforms.ir.pass_names import LOOP_ORDER, SCATTER_TO_GATHER
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written, stored_in
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.loop_analysis.affine_subscripts import Access, Subscripts, accesses
from srcad.transforms.loop_analysis.loop_accesses import is_counted
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
    return code.with_body(_Distributor(code).block(code.body, Subscripts(), None)[0])


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

    def block(self, block: Block, at: Subscripts, owner: frozenset[str] | None) -> tuple[Block, list[_Row]]:
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
                for inner in inner_blocks(statement):
                    at.forget(stored_in(inner))
                    if inner and not isinstance(inner[0], gast.Break):
                        inner[:], own = self.block(inner, at.copy(), stored_in(inner))
                        here = isinstance(statement, gast.If)
                        stay = [row for row in own if here and (row.needs & self.uncertain or _reads_element(row))]
                        inner[:0] = [row.statement for row in stay]
                        rows += [row for row in own if row not in stay]
                at.learn(statement)
            for row in rows:
                if owner is None or row.needs & owner:
                    result.append(row.statement)
                else:
                    floating.append(row)
            result += made
        return result, floating

    def loop(self, statement: gast.For, at: Subscripts) -> tuple[Block, list[_Row]]:
        """The statements that replace a loop, and the rows to allocate before them."""
        stored = stored_in([statement])
        at.forget(stored)
        inside = at.inside(statement)
        turns = self.code.does(LOOP_ORDER) and is_backwards(statement)
        if turns and is_free(statement, inside, self.aliases, self.ranks, self.live[statement]):
            statement.iter.args[:] = [*ascending(statement), const(1)]
            inside = at.inside(statement)
        if all(isinstance(each, (gast.Assign, gast.AugAssign)) for each in statement.body):
            return self.split(statement, inside)
        statement.body, rows = self.block(statement.body, inside, stored)
        if not self.code.does(SCATTER_TO_GATHER):
            return [statement], rows
        by_name = {row.statement.targets[0].id: row.statement for row in rows}
        return rolled(statement, by_name, self.aliases, self.ranks, self.names), rows

    def split(self, statement: gast.For, inside: Subscripts) -> tuple[Block, list[_Row]]:
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

    def sums(self, statement: gast.For, inside: Subscripts) -> list[Sum]:
        """The sums of a loop that can be moved, into arrays that are accessed by more than one subscript."""
        index, forward = statement.target.id, constant(inside.step(statement)) == 1
        inside.begin(stored_in(statement.body))
        found: list[tuple[int, Access]] = []
        wanted: list[tuple[int, Access, Sum]] = []
        for k, each in enumerate(statement.body):
            own = list(accesses(each, inside, self.ranks.is_element))
            found += [(k, access) for access in own]
            if own and own[0].kind == "add" and own[0].forms is not None and self.aliases.is_local(own[0].name):
                where = inside.resolved(each.target.slice)
                if where is not None and inside.advances(own[0], index):
                    wanted.append((k, own[0], Sum(each, where, own[0].forms)))
            inside.learn(each)
        spread = _spread([access for _, access in found], inside, index)
        return [
            each
            for k, own, each in wanted
            if own.name in spread
            and not any(
                inside.later(own, k, access, at, index, forward)
                for at, access in found
                if access.kind != "add" and self.may_be(own, access)
            )
        ]

    def may_be(self, own: Access, other: Access) -> bool:
        """Whether two accesses may refer to the same array."""
        is_number = other.forms is None and self.ranks.of.get(other.name) == 0
        return not is_number and self.aliases.may_alias(own.name, other.name)

    def rows(self, statement: gast.For, sums: list[Sum], size: gast.expr, margin: int) -> list[_Row]:
        """Store the terms in rows, with margins of zeros; a term that is added in several places is stored once."""
        make, index = "np.zeros" if margin else "np.empty", statement.target.id
        stores = [name for each in statement.body for name in all_written(each)]
        same = _same_values(statement.body, stores)
        made: list[_Row] = []
        kept: dict[str, str] = {}
        body: Block = []
        by_id = {id(each.statement): each for each in sums}
        for each in statement.body:
            moved = by_id.get(id(each))
            if moved is None:
                body.append(each)
                continue
            value, moved.sign = _signed(each)
            if isinstance(value, gast.Name):
                value = load(same.get(value.id, value.id))
            key = gast.dump(value)
            stable = not isinstance(value, gast.Subscript) and all(stores.count(name) < 2 for name in names_in(value))
            if not stable or any(isinstance(node, gast.Subscript) for node in walk(value)):
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


def _same_values(body: Block, stores: list[str]) -> dict[str, str]:
    """Common subexpressions: names that are assigned the same arithmetic of unchanging names, by the first of them."""
    first: dict[str, str] = {}
    same: dict[str, str] = {}
    for each in body:
        match each:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.BinOp() as value):
                is_stable = all(stores.count(part) < 2 for part in [name, *names_in(value)])
                if is_stable and not any(isinstance(node, (gast.Subscript, gast.Call)) for node in walk(value)):
                    same[name] = first.setdefault(gast.dump(value), name)
    return same


def _spread(found: list[Access], inside: Subscripts, index: str) -> set[str]:
    """The arrays of which one iteration may access elements that another accesses through a different subscript."""
    return {
        one.name
        for k, one in enumerate(found)
        for other in found[:k]
        if one.name == other.name and one.forms != other.forms and not _are_apart(one, other, inside, index)
    }


def _are_apart(one: Access, other: Access, inside: Subscripts, index: str) -> bool:
    """Whether all iterations of a loop keep to separate parts of the array for each access, along some dimension."""
    return any(
        index not in first.symbols | second.symbols and inside.differ(first, second)
        for first, second in zip(one.forms or (), other.forms or (), strict=False)
    )


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
    if not isinstance(low, int) or low < 0 or abs(constant(Subscripts.step(statement)) or 0) != 1:
        return None
    if isinstance(high, int):
        return None if high - low < FEWEST_DISTRIBUTED_ITERATIONS else last
    return call("max", last, const(0))
