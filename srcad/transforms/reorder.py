"""Whether the iterations of a loop of generated code may run in any order.

They may if no iteration reads or stores an element that another one stores or adds to, sums into the same element
aside; if no number is passed on, sums aside (see `carried`); and if none that the last iteration leaves is read behind
the loop. Such loops run forwards, which Numba and the processor are better at than backwards.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from srcad.transforms.affine import Form
from srcad.transforms.build import Block, binary, clone, const, inner_blocks
from srcad.transforms.carried import carried
from srcad.transforms.copies import stored_in
from srcad.transforms.memories import Memories
from srcad.transforms.primitive import constant
from srcad.transforms.subscripts import Access, IsElement, Subscripts, accesses


def is_free(loop: gast.For, inside: Subscripts, memories: Memories, after: frozenset[str]) -> bool:
    """Whether the order of the iterations does not matter.

    inside      what is known of integers in the loop
    memories    of arrays and numbers
    after       names read behind the loop
    """
    ranks = memories.ranks
    stored = stored_in(loop.body)
    if any(ranks.get(name, 1) for name in stored) or loop.target.id in stored | after:
        return False
    passed = carried(loop, [name for name, rank in ranks.items() if rank])
    if passed is None or (stored & after) - set(passed):
        return False
    inside = inside.copy()
    inside.begin(stored)
    found = list(_gathered(loop.body, inside, memories.is_element))
    if None in found:
        return False
    index, fixed = loop.target.id, stored | {loop.target.id}
    known = [each for each in found if each is not None and (each.forms is not None or ranks.get(each.name) != 0)]
    for one in known:
        if one.kind == "read":
            continue
        for other in known:
            if not memories.may_share(one.name, other.name) or (one.kind == "add" == other.kind):
                continue
            if not _is_apart(one, other, index, fixed, inside):
                return False
    return True


def _gathered(block: Block, at: Subscripts, is_element: IsElement) -> Iterator[Access | None]:
    """All places that the statements reach; None where that is not understood."""
    for statement in block:
        match statement:
            case gast.Assign() | gast.AugAssign():
                yield from accesses(statement, at, is_element)
                at.learn(statement)
            case gast.For(iter=gast.Call(func=gast.Name(id="range"))):
                at.forget(stored_in([statement]))
                yield from _gathered(statement.body, at.inside(statement), is_element)
            case gast.If(test=test):
                yield from accesses(gast.Assign(targets=[], value=test, type_comment=None), at, is_element)
                for inner in inner_blocks(statement):
                    yield from _gathered(inner, at.copy(), is_element)
                at.forget(stored_in([statement]))
            case gast.Pass():
                pass
            case _:
                yield None


def _is_apart(one: Access, other: Access, index: str, varying: frozenset[str], at: Subscripts) -> bool:
    """Whether the two never reach one element in different iterations of the loop with this index."""
    if one.name != other.name or one.forms is None or other.forms is None or len(one.forms) != len(other.forms):
        return False
    for first, second in zip(one.forms, other.forms, strict=True):
        between = second - first
        if between.terms or any(symbol in varying and symbol != index for symbol, _ in first.terms):
            continue
        if not (at.is_natural(first) and at.is_natural(second)):
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
    """The bounds of the loop run forwards."""
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
