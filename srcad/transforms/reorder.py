"""Whether the iterations of a loop of generated code may run in any order.

They may if no iteration reads or stores an element that another one stores or adds to, sums into the same element
aside, and no number is passed on, sums aside. Such loops run forwards, which Numba and the processor are better at than
backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import gast

from srcad.transforms.affine import Form
from srcad.transforms.build import Block, inner_blocks, is_exit, reads, walk_statements, written
from srcad.transforms.copies import all_written
from srcad.transforms.subscripts import Access, IsElement, Subscripts, accesses


def stored_in(block: Block) -> frozenset[str]:
    """The names that statements store, those inside them included."""
    return frozenset(name for statement in walk_statements(block) for name in all_written(statement))


def is_free(
    loop: gast.For, inside: Subscripts, is_element: IsElement, ranks: Mapping[str, int], group: Callable[[str], str]
) -> bool:
    """Whether the order of the iterations does not matter.

    inside      what is known of integers in the loop
    is_element  whether a subscript selects one element
    ranks       of arrays; those of numbers are 0
    group       equal for arrays that may share memory
    """
    stored = stored_in(loop.body)
    if any(ranks.get(name, 1) for name in stored) or not _passes_nothing_on(loop.body, stored, {loop.target.id}, set()):
        return False
    inside = inside.copy()
    inside.begin(stored)
    found = list(_gathered(loop.body, inside, is_element))
    if None in found:
        return False
    index, fixed = loop.target.id, stored | {loop.target.id}
    known = [each for each in found if each is not None and (each.forms is not None or ranks.get(each.name) != 0)]
    for one in known:
        if one.kind == "read":
            continue
        for other in known:
            if group(one.name) != group(other.name) or (one.kind == "add" == other.kind):
                continue
            if not _is_apart(one, other, index, fixed, inside):
                return False
    return True


def _passes_nothing_on(block: Block, stored: frozenset[str], here: set[str], sums: set[str]) -> bool:
    """Whether each number is stored, in an iteration, before it is read, unless it is only added to."""
    for statement in block:
        own = written(statement) if not isinstance(statement, gast.For) else None
        summed = statement.target.id if _is_sum(statement) else None
        if any(name in stored and name not in here for name in reads(statement) if name != summed):
            return False
        if summed is not None and summed not in here:
            sums.add(summed)
        elif own is not None:
            if own in sums:
                return False
            here.add(own)
        for inner in inner_blocks(statement):
            within = here | ({statement.target.id} if isinstance(statement, gast.For) else set())
            if is_exit(statement) or not _passes_nothing_on(inner, stored, within, sums):
                return False
    return True


def _is_sum(statement: gast.stmt) -> bool:
    return (
        isinstance(statement, gast.AugAssign)
        and isinstance(statement.target, gast.Name)
        and isinstance(statement.op, (gast.Add, gast.Sub))
    )


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
