"""Type annotations: types noted on names of both sweeps, for work sharing; simplification may rename them later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.ir.build import walk, walk_statements
from srcad.transforms.ir.node_notes import note, notes_of


def is_parallel(statement: gast.stmt) -> bool:
    """Whether this loop comes from a `numba.prange` in a function compiled with `parallel=True`."""
    return isinstance(statement, gast.For) and notes_of(statement).parallel


def noted_as(loop: gast.stmt, other: Any) -> Any:
    """A loop that replaces another one, parallel if that is."""
    return note(other, parallel=is_parallel(loop))


def note_kinds(block: Sequence[gast.stmt], types: Mapping[str, nb.Type], others: Mapping[str, str]) -> None:
    """Note types on names in a block with parallel loops; `others` maps names to others of the same type."""
    if not any(is_parallel(each) for each in walk_statements([*block])):
        return
    kinds = {**types, **{other: types[name] for name, other in others.items() if name in types}}
    for statement in block:
        for node in walk(statement):
            if isinstance(node, gast.Name) and node.id in kinds:
                note(node, numba_type=kinds[node.id])
