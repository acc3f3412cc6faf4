"""Mask places: masks of several axes become the indices of their true elements, which Numba can index by.

    t = y[m]                       places = kernels.mask_places(y, m)
    y[m] = 2.0 * t     becomes     t = y[places]
                                   ...

Numba gives `y[m]` another meaning where `m` has more than one axis. Input and output are a unit before its types are
known; the kinds of masks are those that an inference finds which goes on after errors.
"""

from __future__ import annotations

import gast
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.inference.type_inference import types_of_part
from srcad.transforms.ir.build import Block, assign, call, load, place_of, rewrite, stores_into, walk_statements
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.unit import Unit


def with_mask_places(unit: Unit, kinds: tuple[nb.Type, ...]) -> Unit | None:
    """The unit with indices in place of masks of several axes; None if it has no such mask."""
    if not any(_subscripts(each) for each in walk_statements(unit.tree.body)):
        return None
    types = types_of_part(unit, kinds)
    if not any(_by_mask(each, types) for each in walk_statements(unit.tree.body)):
        return None
    names = unit.names.copy()
    alias = "kernels" if unit.bindings.get("kernels", kernels) is kernels else names.fresh("kernels")
    found = unit.with_tree(unit.copy_tree(), names=names, bindings={**unit.bindings, alias: kernels})

    def write(statement: gast.stmt) -> Block:
        before: Block = []
        for node in _by_mask(statement, types):
            places = found.names.fresh(f"{node.slice.id}_places")
            value = call(f"{alias}.mask_places", load(node.value.id), load(node.slice.id))
            before.append(assign(places, value, place_of(statement)))
            node.slice = load(places)
        return [*before, statement]

    found.tree.body = rewrite(found.tree.body, write)
    return found


def _subscripts(statement: gast.stmt) -> list[gast.Subscript]:
    """The reads and stores of a statement by a name."""
    return [
        each
        for each in (getattr(statement, "value", None), stores_into(statement))
        if isinstance(each, gast.Subscript) and isinstance(each.value, gast.Name) and isinstance(each.slice, gast.Name)
    ]


def _by_mask(statement: gast.stmt, types: Types) -> list[gast.Subscript]:
    """Those of arrays by masks of several axes."""
    return [
        each
        for each in _subscripts(statement)
        if isinstance(kind := types.get(each.slice.id), nb.Array) and kind.dtype == nb.boolean and kind.ndim > 1
    ]
