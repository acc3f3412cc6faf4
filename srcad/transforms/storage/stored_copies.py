"""Stored copies: a number that is stored in an array element is read from there in the reverse sweep.

    t = np.tanh(z)
    h[i, j] = t             in reverse: t = h[i, j]

The caller must make sure that the element is not overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import gast
from numba import types as nb

from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.build import clone, names_in
from srcad.transforms.ir.primitive import constant


def held(program: Program, stores: Iterable[tuple[gast.stmt, gast.Subscript]], pure: bool) -> dict[str, gast.Assign]:
    """Maps numbers to stores of them into elements, in the block that computes them, without rounding.

    The array exists after all loops, or is allocated in each iteration of a loop; it must then be kept itself.

    With `pure`, arrays that the caller can change do not count.
    """
    given = _given(program) if pure else frozenset[str]()
    found: dict[str, gast.Assign] = {}
    for store, target in stores:
        match store:
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))], value=gast.Name(id=name)):
                if name not in found and _is_held(program, name, store, base, given) and _is_element(program, target):
                    found[name] = store
    return found


def element(store: gast.Assign) -> gast.Subscript:
    """The element that a statement stores, as an expression that reads it."""
    read = clone(store.targets[0])
    read.ctx = gast.Load()
    return read


def _given(program: Program) -> frozenset[str]:
    """The arrays that the caller has, or gets as results."""
    last = program.unit.tree.body[-1]
    returned = names_in(last.value) if isinstance(last, gast.Return) else ()
    names = [*program.unit.parameters, *returned]
    return frozenset(root for name in names for root in program.aliases.points_to(name))


def _is_held(program: Program, name: str, store: gast.stmt, base: str, given: Collection[str]) -> bool:
    flow, kind = program.flow, program.types.get(name)
    made, array = flow.single(name), program.types.get(base)
    if made is None or flow.spot(made).way != flow.spot(store).way or not isinstance(array, nb.Array):
        return False
    roots = program.aliases.points_to(base)
    is_one = len(flow.stores.get(base, ())) <= 1 and len(roots) == 1
    home = flow.home(base)
    is_around = home == flow.spot(store).way[: len(home)]
    return isinstance(kind, nb.Float) and array.dtype == kind and is_one and is_around and not roots & set(given)


def is_made_in_loop(program: Program, store: gast.Assign) -> bool:
    """Whether the element's array is allocated by an iteration of a loop."""
    return program.flow.home(store.targets[0].value.id) != ()


def _is_element(program: Program, target: gast.Subscript) -> bool:
    parts = target.slice.elts if isinstance(target.slice, gast.Tuple) else [target.slice]
    return len(parts) == program.types.rank(target.value.id) and all(_is_known(program, part) for part in parts)


def _is_known(program: Program, part: gast.expr | None) -> bool:
    """Whether an index is available in the reverse sweep, or cheap to recompute from what is."""
    if not isinstance(part, gast.Name):
        return isinstance(constant(part), int) and not isinstance(constant(part), bool)
    if not isinstance(program.types.get(part.id), nb.Integer):
        return False
    if program.flow.is_index(part.id) or program.flow.home(part.id) == ():
        return True
    match program.flow.definition(part.id):
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub(), right=right):
            return _is_known(program, left) and _is_known(program, right)
    return False
