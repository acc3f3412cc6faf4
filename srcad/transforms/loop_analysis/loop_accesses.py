"""Array accesses of a loop's body: by which subscripts, in which statements, and whether unconditionally."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import gast

from srcad.transforms.analysis.ranks import Ranks
from srcad.transforms.ir.build import Block, dotted_path, inner_blocks, walk, walk_statements
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, stored_in
from srcad.transforms.loop_analysis.affine_subscripts import Access, Subscripts, accesses

_LEAVING = (gast.Raise, gast.Assert, gast.Return)


@dataclass(frozen=True)
class Reached:
    """An access in a block.

    at          the facts about integers at the access
    always      whether every path through the block reaches the access
    position    of the statement of the block that contains it
    """

    access: Access
    at: Subscripts
    always: bool
    position: int


def accessed(block: Block, at: Subscripts, ranks: Ranks) -> Iterator[Reached]:
    """All accesses in a block, in order, except those of scalars. Updates the facts `at` to the end of the block."""
    always = True
    for position, statement in enumerate(block):
        for access, known, alone in _of(statement, at, ranks):
            if access.forms is not None or ranks.of.get(access.name) != 0:
                yield Reached(access, known, always and alone, position)
        always = always and not any(isinstance(each, _LEAVING) for each in walk_statements([statement]))
        always = always and (isinstance(statement, (gast.Assign, gast.AugAssign)) or bool(inner_blocks(statement)))


def is_counted(statement: gast.stmt) -> bool:
    """Whether this is a loop over a range."""
    return isinstance(statement, gast.For) and dotted_path(statement.iter.func) == "range"


def _of(statement: gast.stmt, at: Subscripts, ranks: Ranks) -> Iterator[tuple[Access, Subscripts, bool]]:
    match statement:
        case gast.Assign() | gast.AugAssign() if not notes_of(statement).effect:
            yield from _simple(statement, at, ranks)
            at.learn(statement)
        case gast.For() if is_counted(statement):
            for bound in statement.iter.args:
                yield from _simple(gast.Expr(value=bound), at, ranks)
            at.forget(stored_in([statement]))
            yield from _inside(statement.body, at.inside(statement), ranks)
        case gast.If(test=test) | gast.While(test=test):
            if isinstance(statement, gast.While):
                at.forget(stored_in([statement]))
            yield from _simple(gast.Expr(value=test), at, ranks)
            for inner in inner_blocks(statement):
                yield from _inside(inner, at.copy(), ranks)
            at.forget(stored_in([statement]))
        case gast.Pass() | gast.Break():
            pass
        case _:
            for name in {*changed_memory(statement), *all_written(statement)}:
                yield Access("store", name, None), at, False
            for node in walk(statement):
                if isinstance(node, gast.Name):
                    yield Access("read", node.id, None), at, False
            at.forget(stored_in([statement]))


def _inside(block: Block, at: Subscripts, ranks: Ranks) -> Iterator[tuple[Access, Subscripts, bool]]:
    for statement in block:
        for access, known, _ in _of(statement, at, ranks):
            yield access, known, False


def _simple(statement: gast.stmt, at: Subscripts, ranks: Ranks) -> Iterator[tuple[Access, Subscripts, bool]]:
    known = at.copy()
    for each in accesses(statement, at, ranks.is_element):
        yield each, known, True
