"""Which extents of a call's arguments are those of small matrices, so that code is made for these extents.

A function that multiplies or factors matrices in a loop is generated for the extents that its matrices have in the
first call, where they are small: products are then written out, and what is small need not be in memory. Calls with
others raise `Widens`, and the function is generated again, for any extents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gast

from srcad.runtime.jit.dispatchers import LARGEST_KNOWN
from srcad.transforms.ir.build import dotted_path, is_loop, names_in, walk, walk_statements
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.unit import Unit

Extents = frozenset[tuple[str, int, int]]

# Functions of matrices, beside those of `np.linalg` and those that the front end makes of them.
_OF_MATRICES = frozenset(
    ("np.dot", "np.matmul", "np.outer", "np.trace", "np.cross", "np.inner", "np.einsum", "np.kron")
)
_FACTORED = "_factored", "lu_factors"


def small_extents(unit: Unit, values: Sequence[Any]) -> Extents:
    """The parameter, the axis, and the extent, for those along which matrices of a loop are small.

    Extents of 1 are left, as they may broadcast, and those that a loop with such matrices goes along.
    """
    loops = [each for each in walk_statements(unit.tree.body) if is_loop(each) and _has_matrices(each)]
    if not loops:
        return frozenset()
    along = {axis for each in loops for axis in _axes(unit, each)}
    return frozenset(
        (name, axis, extent)
        for name, value in zip(unit.parameters, values, strict=False)
        if getattr(getattr(value, "dtype", None), "kind", "") in ("f", "c")
        for axis, extent in enumerate(value.shape)
        if 1 < extent <= LARGEST_KNOWN and (name, axis) not in along
    )


def are_as_known(unit: Unit, values: Sequence[Any], extents: Extents) -> bool:
    """Whether arguments have these extents."""
    given = {name: getattr(value, "shape", ()) for name, value in zip(unit.parameters, values, strict=False)}
    return all(axis < len(given[name]) and given[name][axis] == extent for name, axis, extent in extents)


def _has_matrices(loop: gast.stmt) -> bool:
    """Whether a loop multiplies or factors matrices."""
    for node in walk(loop):
        if isinstance(node, gast.MatMult):
            return True
        path = dotted_path(node.func) or "" if isinstance(node, gast.Call) else ""
        if path in _OF_MATRICES or path.startswith("np.linalg.") or path.endswith(_FACTORED):
            return True
    return False


def _axes(unit: Unit, loop: Any) -> Iterator[tuple[str, int]]:
    """The axes of parameters whose extents say how often a loop runs."""
    stores = [each for each in walk_statements(unit.tree.body) if isinstance(each, gast.Assign)]
    pending = [*names_in(loop.iter if isinstance(loop, gast.For) else loop.test)]
    seen = set[str]()
    while pending:
        name = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        for store in stores:
            if name in all_written(store):
                match store.value:
                    case gast.Subscript(value=gast.Name(id=shape), slice=gast.Constant(value=int(axis))):
                        yield from ((array, axis) for array in _shapes(stores, shape))
                pending += names_in(store.value)


def _shapes(stores: list[Any], name: str) -> Iterator[str]:
    """The arrays whose shape a name is."""
    for store in stores:
        match store:
            case gast.Assign(
                targets=[gast.Name(id=target)], value=gast.Attribute(value=gast.Name(id=array), attr="shape")
            ) if target == name:
                yield array
