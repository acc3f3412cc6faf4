"""Shape-only traces: recorded arrays of which the reverse sweep uses only the shape: `np.zeros_like(y)`, `y.shape`.

    y_trace.append(y.shape)        ...        y = np.empty(y_trace[y_at])

Their traces hold shapes, where references would keep the arrays alive. What is read back is an array of the same shape
and type with unset elements, which nothing reads.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast
from numba import types as nb

from srcad.transforms.adjoint.reverse_plan import Fork, Plan, Replay, Step, inner_plans
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import one_or_tuple, stores_into
from srcad.transforms.storage.placement import Sites
from srcad.transforms.storage.tbr import names_with_content
from srcad.transforms.storage.tbr_result import Decisions
from srcad.transforms.storage.traces import can_be_made, empty, known_shape


def hollow(program: Program, plan: Plan, decisions: Decisions) -> frozenset[str]:
    """The recorded names of which the reverse sweep uses only the shape."""
    code = [*_read(plan), *map(stores_into, decisions.undone)]
    full = {name for each in code if each is not None for name in names_with_content(each)}
    full |= {*decisions.kept.values(), *(name for _, name in decisions.snapshots)}
    full |= {name for name in decisions.recomputed if not program.types.is_array(name)}
    recipes = {name: names_with_content(recipe) for name, recipe in decisions.recomputed.items()}
    full |= {*closure(full, lambda name: recipes.get(name, ()))}
    return frozenset(name for name in decisions.recorded - full if can_be_made(program.types.get(name)))


def without_known(sites: Sites, plan: Plan, decisions: Decisions) -> frozenset[str]:
    """The shape-only names to record; those whose shape is known before the loops are allocated again instead."""
    found = hollow(sites.program, plan, decisions)
    for name in sorted(found):
        shape, kind = known_shape(sites, name), sites.program.types.get(name)
        if shape is not None and isinstance(kind, nb.Array) and sites.loops_around(sites.site(name)):
            sizes = one_or_tuple(shape)
            decisions.recorded.discard(name)
            decisions.recomputed[name] = empty(sizes, kind.dtype)
    return found & decisions.recorded


def _read(plan: Plan) -> Iterator[gast.AST]:
    """All code of a reverse sweep that may read recorded values."""
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
