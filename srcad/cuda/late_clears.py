"""Stores that clear a cotangent move to the end of their block: early ones hold up what a GPU reads after them.

    y_bar[i] = 0.0                          x_bar[i] += t * a
    x_bar[i] += t * a               ->      y_bar[i] = 0.0

A store stays before a statement that uses the same array, that changes its index, and before a barrier.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import gast

from srcad.cuda.statement_slices import names_of_block, stored_names
from srcad.transforms.ir.build import Block, dotted_path, walk_statements


def with_late_clears(block: Block, clears: Collection[int]) -> Block:
    """The block with the stores of these ids as late as possible; loops and branches are changed in place."""
    made: Block = []
    waiting: list[Any] = []
    for statement in block:
        for field in ("body", "orelse"):
            inner = getattr(statement, field, None)
            if inner:
                setattr(statement, field, with_late_clears(inner, clears))
        if id(statement) in clears:
            waiting.append(statement)
            continue
        due = [each for each in waiting if not _may_follow(each, statement)]
        made += [*due, statement]
        waiting = [each for each in waiting if not any(each is one for one in due)]
    return made + waiting


def _may_follow(clear: gast.Assign, statement: gast.stmt) -> bool:
    """Whether a store may run after a statement instead of before it."""
    array, index = clear.targets[0].value.id, names_of_block([clear])
    if array in names_of_block([statement]) or not index.isdisjoint(stored_names([statement])):
        return False
    return not any(
        isinstance(each, gast.Expr) and dotted_path(each.value.func) == "cuda.syncthreads"
        for each in walk_statements([statement])
    )
