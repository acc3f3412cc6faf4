"""Loop order: whether the iterations of a loop in generated code may run in any order.

They may if no iteration accesses an element that another one stores or adds to, except that both may add to it; if no
scalar is loop-carried, except sums (see `loop_carried_values`); and if no name assigned in the loop is live after it.
Such loops are run forwards, which Numba and the processor handle better than backwards.
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.analysis.linear_forms import Form
from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.ir.build import binary, clone, const, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.loop_analysis.affine_subscripts import Subscripts
from srcad.transforms.loop_analysis.loop_accesses import Reached, accessed
from srcad.transforms.loop_analysis.loop_carried_values import carried


def is_free(loop: gast.For, inside: Subscripts, aliases: Aliases, ranks: Ranks, after: frozenset[str]) -> bool:
    """Whether the order of the iterations does not matter.

    inside      the facts about integers in the loop
    aliases     of the function
    ranks       of its names
    after       names that are live after the loop
    """
    stored = stored_in(loop.body)
    if any(ranks.of.get(name, 1) for name in stored) or loop.target.id in stored | after:
        return False
    passed = carried(loop, [name for name, rank in ranks.of.items() if rank])
    if passed is None or (stored & after) - set(passed):
        return False
    body = walk_statements(loop.body)
    if not all(isinstance(each, (gast.Assign, gast.AugAssign, gast.If, gast.For, gast.Pass)) for each in body):
        return False
    inside = inside.copy()
    inside.begin(stored)
    found = list(accessed(loop.body, inside, ranks))
    index, fixed = loop.target.id, stored | {loop.target.id}
    for one in found:
        if one.access.kind == "read":
            continue
        for other in found:
            kinds = {one.access.kind, other.access.kind}
            if not aliases.may_alias(one.access.name, other.access.name) or kinds == {"add"}:
                continue
            if _trade_places(loop, one.access.name, other.access.name, aliases):
                continue
            if not _is_apart(one, other, index, fixed):
                return False
    return True


def _trade_places(loop: gast.For, one: str, other: str, aliases: Aliases) -> bool:
    """Whether two arrays never alias in this loop, since an outer loop permutes them (see `reverse_control_flow`)."""
    is_known = one != other and any({one, other} <= group for group in notes_of(loop).distinct_arrays)
    return is_known and aliases.is_local(one) and aliases.is_local(other)


def _is_apart(one: Reached, other: Reached, index: str, varying: frozenset[str]) -> bool:
    """Whether two accesses never refer to the same element in different iterations of the loop with this index."""
    mine, its = one.access.forms, other.access.forms
    if one.access.name != other.access.name or mine is None or its is None or len(mine) != len(its):
        return False
    for first, second in zip(mine, its, strict=True):
        between = second - first
        if between.terms or first.symbols & (varying - {index}):
            continue
        if not (one.at.is_natural(first) and other.at.is_natural(second)):
            continue
        if first.coefficient(index) and between == Form():
            return True  # the same element in the same iteration only
        if not first.coefficient(index) and between.constant:
            return True
    return False


def is_backwards(statement: gast.For) -> bool:
    """Whether a loop counts down by one."""
    return bool(constant(Subscripts.step(statement)) == -1)


def ascending(statement: gast.For) -> list[gast.expr]:
    """The bounds of the loop when run forwards."""
    args = statement.iter.args
    start, stop = (const(0), args[0]) if len(args) == 1 else args[:2]
    if (constant(Subscripts.step(statement)) or 0) < 0:
        return [_one_more(stop), _one_more(start)]
    return [start, stop]


def _one_more(node: gast.expr) -> gast.expr:
    match node:
        case gast.BinOp(left=left, op=gast.Sub(), right=gast.Constant(value=1)):
            return left
    value = constant(node)
    return const(value + 1) if isinstance(value, int) else binary(clone(node), gast.Add, const(1))
