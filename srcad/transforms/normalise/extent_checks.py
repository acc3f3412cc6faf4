"""Extent checks: what a function takes the extents of its parameters to be, checked before anything else.

    m * m.T, for m of shape (n, 1)      m_shape = m.shape
                                        m_columns = m_shape[1]
                                        kernels.unit_extent(m_columns)      raises `Widens` for other arguments
                                        ...                                 m[i, 0] * m[j, 0]

`affine.ssa_facts` reads such checks as facts that hold throughout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import gast

from srcad.runtime import kernels
from srcad.transforms.ir.build import Block, assign, at, attribute, call, const, load, place_of, subscript
from srcad.transforms.ir.unit import Unit


def with_unit_extents(unit: Unit, axes: Iterable[tuple[str, int]]) -> Unit:
    """The unit, in core form, for arguments whose extent is 1 along these axes of these parameters."""
    return _checked(unit, "unit_extent", dict.fromkeys(axes, ()))


def with_known_extents(unit: Unit, extents: Mapping[tuple[str, int], int]) -> Unit:
    """The unit, in core form, for arguments with these extents along these axes of these parameters."""
    return _checked(unit, "known_extent", {axis: (number,) for axis, number in extents.items()})


def with_least_extents(unit: Unit, least: Mapping[tuple[str, int], int]) -> Unit:
    """The unit, in core form, for arguments with at least these extents along these axes of these parameters."""
    return _checked(unit, "least_extent", {axis: (bound,) for axis, bound in least.items()})


def _checked(unit: Unit, check: str, bounds: Mapping[tuple[str, int], tuple[int, ...]]) -> Unit:
    """The unit with a call of a check of each extent, and what it is compared with, at the start."""
    tree, names = unit.copy_tree(), unit.names.copy()
    place = place_of(tree.body[0])
    made: Block = []
    for (parameter, axis), others in sorted(bounds.items()):
        shape, extent = names.temporary(), names.temporary()
        made += [
            assign(shape, attribute(load(parameter), "shape"), place),
            assign(extent, subscript(load(shape), const(axis)), place),
            at(gast.Expr(value=call(f"kernels.{check}", load(extent), *map(const, others))), place),
        ]
    tree.body[:0] = made
    return unit.with_tree(tree, names=names, bindings={**unit.bindings, "kernels": kernels})
