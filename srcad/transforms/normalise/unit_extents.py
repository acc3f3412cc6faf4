"""Unit extents: arguments that are broadcast, as shapes that are known while compiling.

    m * m.T, for m of shape (n, 1)      m_shape = m.shape
                                        m_columns = m_shape[1]
                                        kernels.unit_extent(m_columns)      raises `Widens` for other arguments
                                        ...                                 m[i, 0] * m[j, 0]

`affine.ssa_facts` reads such a check as the fact that the extent is 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import gast

from srcad.runtime import kernels
from srcad.transforms.ir.build import Block, assign, at, attribute, call, const, load, place_of, subscript
from srcad.transforms.ir.unit import Unit


def with_unit_extents(unit: Unit, found: Iterable[tuple[str, int]]) -> Unit:
    """The unit, in core form, for arguments whose extent is 1 along these axes of these parameters."""
    tree, names = unit.copy_tree(), unit.names.copy()
    bindings = {**unit.bindings, "kernels": kernels}
    place = place_of(tree.body[0])
    made: Block = []
    for parameter, axis in sorted(found):
        shape, extent = names.temporary(), names.temporary()
        made += [
            assign(shape, attribute(load(parameter), "shape"), place),
            assign(extent, subscript(load(shape), const(axis)), place),
            at(gast.Expr(value=call("kernels.unit_extent", load(extent))), place),
        ]
    tree.body[:0] = made
    return unit.with_tree(tree, names=names, bindings=bindings)
