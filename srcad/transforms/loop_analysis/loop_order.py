"""Loop order: whether the iterations of a loop in generated code may run in any order.

They may if no iteration accesses an element that another one stores or adds to, except that both may add to it; if no
scalar is loop-carried, except sums (see `loop_carried_values`); and if no name assigned in the loop is live after it.
Such loops are run forwards, which Numba and the processor handle better than backwards.
"""

from __future__ import annotations

from collections.abc import Collection

import gast

from srcad.transforms.analysis.affine.accesses import accessed
from srcad.transforms.analysis.affine.index_ranges import distances
from srcad.transforms.analysis.affine.integer_facts import ends_of, step_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import Aliases
from srcad.transforms.ir.build import binary, clone, const, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.loop_analysis.loop_carried_values import carried


def is_free(loop: gast.For, inside: Facts, aliases: Aliases, after: Collection[str]) -> bool:
    """Whether the order of the iterations does not matter.

    inside      the facts about integers in the loop
    aliases     of the function
    after       names that are live after the loop
    """
    stored, ranks = stored_in(loop.body), inside.ranks
    if any(ranks.get(name, 1) for name in stored) or loop.target.id in stored or loop.target.id in after:
        return False
    passed = carried(loop, [name for name, rank in ranks.items() if rank])
    if passed is None or any(name in after and name not in passed for name in stored):
        return False
    body = walk_statements(loop.body)
    if not all(isinstance(each, (gast.Assign, gast.AugAssign, gast.If, gast.For, gast.Pass)) for each in body):
        return False
    inside = inside.copy()
    inside.restrict(stored)
    found = [each.access for each in accessed(loop.body, inside)]
    for one in found:
        if one.kind == "read":
            continue
        for other in found:
            if not aliases.may_alias(one.name, other.name) or {one.kind, other.kind} == {"add"}:
                continue
            if _trade_places(loop, one.name, other.name, aliases):
                continue
            if one.name != other.name:
                return False
            apart = distances(one.region, other.region, loop.target.id, step_of(loop))
            if apart not in (None, (0, 0)):
                return False
    return True


def _trade_places(loop: gast.For, one: str, other: str, aliases: Aliases) -> bool:
    """Whether two arrays never alias in this loop, since an outer loop permutes them (see `reverse_control_flow`)."""
    is_known = one != other and any({one, other} <= group for group in notes_of(loop).distinct_arrays)
    return is_known and aliases.is_local(one) and aliases.is_local(other)


def is_backwards(statement: gast.For) -> bool:
    """Whether a loop counts down by one."""
    return step_of(statement) == -1


def ascending(statement: gast.For) -> list[gast.expr]:
    """The bounds of the loop when run forwards."""
    start, stop = ends_of(statement)
    if step_of(statement) < 0:
        return [_one_more(stop), _one_more(start)]
    return [start, stop]


def _one_more(node: gast.expr) -> gast.expr:
    match node:
        case gast.BinOp(left=left, op=gast.Sub(), right=gast.Constant(value=1)):
            return left
    value = constant(node)
    return const(value + 1) if isinstance(value, int) else binary(clone(node), gast.Add, const(1))
