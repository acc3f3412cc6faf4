"""Outer products that are used element by element become products of broadcast vectors.

    t = np.outer(u, v)                 u_column = u[:, None]
    b = a + t               becomes    t = u_column * v
                                       b = a + t

The matrix of the product is then never made, nor is its adjoint: a nest computes each element where it is used, and
the reverse sweep adds to the adjoints of both vectors in one pass over that of the sum (a rank-one update, as an
expert would ask BLAS for it). Products that anything else uses stay calls. Likewise `kernels.before_axes_of(u, v)`, by
which `np.add.outer(u, v)` and its like are defined, is `u[:, None]` where both ranks are known.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.ir.build import (
    Block,
    assign,
    binary,
    const,
    load,
    place_of,
    rewrite,
    subscript,
    tuple_of,
    walk_statements,
    written,
)
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import primitive_of
from srcad.transforms.ir.unit import Unit


def with_axes_as_views(unit: Unit, types: Any) -> Unit:
    """The unit with arrays before the axes of others as views with new axes; `types` learns their types."""
    found = unit.with_tree(unit.copy_tree())
    for each in walk_statements(found.tree.body):
        match each:
            case gast.Assign(
                targets=[gast.Name(id=name)],
                value=gast.Call(args=[gast.Name(id=array), gast.Name(id=other)], keywords=[]) as value,
            ) if primitive_of(value, unit.bindings) is kernels.before_axes_of:
                own, behind = types.rank(array), types.rank(other)
                if own and behind:
                    parts = [gast.Slice(lower=None, upper=None, step=None) for _ in range(own)]
                    each.value = subscript(load(array), tuple_of(*parts, *(const(None) for _ in range(behind))))
                    types.of[name] = types.of[array].copy(ndim=own + behind, layout="A")
    return found


def outer_products(unit: Unit, types: Types) -> dict[str, gast.Assign]:
    """The outer products of vectors of real numbers, at least one of them of floats, by the name of the result."""
    return {
        str(written(each)): each
        for each in walk_statements(unit.tree.body)
        if isinstance(each, gast.Assign) and _is_outer(unit, types, each)
    }


def _is_outer(unit: Unit, types: Types, statement: gast.Assign) -> bool:
    value = statement.value
    if not isinstance(value, gast.Call) or value.keywords or len(value.args) != 2 or written(statement) is None:
        return False
    if primitive_of(value, unit.bindings) is not np.outer:
        return False
    kinds = [types.get(node.id) if isinstance(node, gast.Name) else None for node in value.args]
    result = types.get(str(written(statement)))
    return isinstance(getattr(result, "dtype", None), nb.Float) and all(
        isinstance(kind, nb.Array) and kind.ndim == 1 and isinstance(kind.dtype, (nb.Float, nb.Integer))
        for kind in kinds
    )


def as_products_of_elements(unit: Unit, types: Types, names: Collection[str]) -> Unit:
    """The unit with these outer products as products of a column and a row; `types` learns the columns' types."""
    found = unit.with_tree(unit.copy_tree(), names=unit.names.copy(), bindings=dict(unit.bindings))
    found.tree.body = rewrite(found.tree.body, _writer(found, types, names))
    return found


def _writer(unit: Unit, types: Any, names: Collection[str]) -> Callable[[gast.stmt], Block]:
    def write(statement: gast.stmt) -> Block:
        if written(statement) not in names or not isinstance(statement, gast.Assign):
            return [statement]
        if not _is_outer(unit, types, statement):
            return [statement]
        left, right = statement.value.args
        column, place = unit.names.temporary(), place_of(statement)
        everything = gast.Slice(lower=None, upper=None, step=None)
        view = assign(column, subscript(load(left.id), tuple_of(everything, const(None))), place)
        types.of[column] = types.of[left.id].copy(ndim=2, layout="A")
        statement.value = binary(load(column), gast.Mult, load(right.id))
        return [view, statement]

    return write
