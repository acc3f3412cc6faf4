"""Types noted on the names of both sweeps, for the stage that shares out loops: simplifying gives them other names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.ir.build import walk, walk_statements
from srcad.transforms.ir.node_notes import note, notes_of


def is_parallel(statement: gast.stmt) -> bool:
    """Whether this is a loop that stems from a `numba.prange` of a function compiled with `parallel=True`."""
    return isinstance(statement, gast.For) and notes_of(statement).parallel


def noted_as(loop: gast.stmt, other: Any) -> Any:
    """Another loop in a loop's place, parallel if that is."""
    return note(other, parallel=is_parallel(loop))


def note_kinds(block: Sequence[gast.stmt], types: Mapping[str, nb.Type], others: Mapping[str, str]) -> None:
    """Note types on the names in a block that has such loops; `others` names what has the type of each name too."""
    if not any(is_parallel(each) for each in walk_statements([*block])):
        return
    kinds = {**types, **{other: types[name] for name, other in others.items() if name in types}}
    for statement in block:
        for node in walk(statement):
            if isinstance(node, gast.Name) and node.id in kinds:
                note(node, numba_type=kinds[node.id])
