"""Slice lengths: what a slice with constant bounds is long, if the array is as long as its author takes it to be.

    u = p[:, 0:2]           p_shape = p.shape
                            p_columns = p_shape[1]
                            kernels.least_extent(p_columns, 2)      raises `Widens` where p is shorter
                            u = p[:, 0:2]                           is 2 columns, in loops and where it is broadcast

Python shortens slices that reach beyond the end. Where extents may be assumed, the parameters are assumed to reach to
the ends of all such slices of them; `affine.ssa_facts` reads the check as that fact.
"""

from __future__ import annotations

from collections.abc import Iterator

import gast

from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.affine.ssa_facts import Definitions
from srcad.transforms.analysis.statement_positions import flow_of
from srcad.transforms.ir.build import walk
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.primitive import constant
from srcad.transforms.normalise.extent_checks import with_least_extents


def with_known_lengths(code: Code) -> Code:
    """Check at the start that parameters reach to the ends of the slices with constant bounds."""
    unit, flow = code.unit, flow_of(code.unit)
    facts, ends = Definitions(unit, flow, code.types), dict[tuple[str, int], int]()
    for base, dimension, end in _ends(code):
        origin = facts.dimension_of(facts.size(base, dimension))
        if origin is not None:
            ends[origin] = max(end, ends.get(origin, 0))
    return code.with_unit(with_least_extents(unit, ends)) if ends else code


def _ends(code: Code) -> Iterator[tuple[str, int, int]]:
    """Arrays, their axes, and where slices of these with constant bounds end."""
    for node in walk(code.unit.tree):
        if not isinstance(node, gast.Subscript) or not isinstance(node.value, gast.Name):
            continue
        if not code.types.is_array(node.value.id):
            continue
        dimension = 0
        for part in index_parts(node):
            if constant(part) is ... or code.types.is_opaque(part):
                break
            if isinstance(part, gast.Name) and code.types.is_array(part.id):
                break  # a mask takes several axes
            if isinstance(part, gast.Slice) and part.step is None:
                low, high = constant(part.lower) if part.lower else 0, constant(part.upper) if part.upper else None
                if isinstance(low, int) and isinstance(high, int) and 0 <= low < high:
                    yield node.value.id, dimension, high
            dimension += not (isinstance(part, gast.Constant) and part.value is None)
