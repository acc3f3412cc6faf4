"""Recorded arrays of which the reverse sweep asks nothing but the shape: `np.zeros_like(y)`, `y.shape`.

    y_trace.append(y.shape)        ...        y = np.empty(y_trace[y_at])

Their traces hold shapes, where a reference would keep the array. What is read back has the shape and the type that
the array had, and values that nobody asks for.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast
from numba import types as nb

from srcad.transforms.build import stores_into
from srcad.transforms.plan import Fork, Plan, Replay, Step, inner_plans
from srcad.transforms.program import Program
from srcad.transforms.record import Decisions, names_with_content

NUMBERS = (nb.Float, nb.Complex, nb.Integer, nb.Boolean)


def hollow(program: Program, plan: Plan, decisions: Decisions) -> frozenset[str]:
    """The recorded names of such arrays."""
    code = [*_read(plan), *decisions.recomputed.values(), *map(stores_into, decisions.undone)]
    full = {name for each in code if each is not None for name in names_with_content(each)}
    full |= {*decisions.kept.values(), *(name for _, name in decisions.snapshots)}
    return frozenset(name for name in decisions.recorded - full if can_be_made(program.types.get(name)))


def can_be_made(kind: nb.Type | None) -> bool:
    """Whether `np.empty` gives an array of this type."""
    if not isinstance(kind, nb.Array) or type(kind) is not nb.Array:
        return False
    return bool(kind.layout == "C" and kind.mutable and kind.ndim) and isinstance(kind.dtype, NUMBERS)


def _read(plan: Plan) -> Iterator[gast.AST]:
    """All code of a reverse sweep that may read what is recorded."""
    for node in plan.nodes:
        match node:
            case Step(code=code):
                yield from code
            case Fork(statement=statement):
                yield statement.test
            case Replay(header=header, first=first):
                assert header is not None
                yield from (header.iter, *first)
        for inner in inner_plans(node):
            yield from _read(inner)
