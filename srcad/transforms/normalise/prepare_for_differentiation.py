"""Preparation for differentiation: five small rewrites of a core function after in-place resolution.

    a parameter that is written into         a copy of it, made on entry: the caller's array is the caller's
    a[i] *= v                                t = a[i]; t2 = t * v; a[i] = t2      (only += and -= are linear in a)
    m[m] = v                                 k = np.copy(m); m[k] = v   (the reverse sweep finds the elements by k)
    a loop-carried array                     saves its shape after the loop, where shapes may differ
    (`carried_shapes`) a loop that can stop early, or `while`   counts its iterations

Rewritten code keeps its position in the user's source.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.names import Names
from srcad.runtime import kernels
from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.aliases import aliases_of_unit
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    call,
    clone,
    const,
    is_exit,
    load,
    place_of,
    rewrite,
    rewrite_names,
    stores_into,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types, carries_derivatives
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.carried_shapes import with_shapes_behind


def ready(code: Code) -> Code:
    """The rewritten function, with the name of the iteration counter of each counted loop.

    With the setting `in_place`, the caller passes arrays that the function may write to.
    """
    unit, types = code.unit, code.types
    known = dict(types.of)
    names = unit.names.copy()
    tree = unit.copy_tree()
    tree.body = rewrite(tree.body, partial(_linear_store, names, known))
    unit = unit.with_tree(tree, names=names)
    unit = _copied_indices(unit, Types(known, types.result), known)
    if not code.settings.in_place:
        unit = _copied_parameters(unit, Types(known, types.result), known)
    with_shapes_behind(unit, Types(known, types.result), names, known)
    counts: dict[int, str] = {}
    unit.tree.body = rewrite(unit.tree.body, partial(_counted, names, known, counts))
    return replace(code.with_unit(unit, Types(known, types.result)), counts=counts)


def _linear_store(names: Names, known: dict[str, Any], statement: gast.stmt) -> Block:
    match statement:
        case gast.AugAssign(target=target, op=op, value=value) if not isinstance(op, (gast.Add, gast.Sub)):
            old, new = names.temporary(), names.temporary()
            place = place_of(statement)
            known[old] = known[new] = element_type(target, known)
            read = clone(target)
            read.ctx = gast.Load()
            changed = binary(load(old), type(op), value)
            return [assign(old, read, place), assign(new, changed, place), assign(target, load(new), place)]
    return [statement]


def _copied_indices(unit: Unit, types: Types, known: dict[str, Any]) -> Unit:
    """Copy arrays of indices, or masks, that a store by them may change: the reverse sweep undoes it by the same."""
    if not any(_indices_of(each, types) for each in walk_statements(unit.tree.body)):
        return unit
    aliases, bindings = aliases_of_unit(unit, types), {"np": np, **unit.bindings}

    def copied(statement: gast.stmt) -> Block:
        before: Block = []
        target: Any = stores_into(statement)
        for node in _indices_of(statement, types):
            if aliases.may_alias(node.id, target.value.id):
                name = unit.names.temporary()
                known[name] = known[node.id].copy(layout="C", readonly=False)
                before.append(assign(name, call("np.copy", load(node.id)), place_of(statement)))
                node.id = name
        return [*before, statement]

    unit.tree.body = rewrite(unit.tree.body, copied)
    return unit.with_tree(unit.tree, bindings=bindings)


def _indices_of(statement: gast.stmt, types: Types) -> list[gast.Name]:
    """The names of arrays in the subscript that a statement stores to, if what it stores to may be one of them."""
    target = stores_into(statement)
    if target is None or not isinstance(target.value, gast.Name) or carries_derivatives(types.get(target.value.id)):
        return []
    return [each for each in index_parts(target) if isinstance(each, gast.Name) and types.is_array(each.id)]


def element_type(target: gast.Subscript, known: dict[str, Any]) -> Any:
    """The type of a subscript's value."""
    array = known[target.value.id]
    parts = index_parts(target)
    integers = 0
    for part in parts:
        kind = known.get(part.id) if isinstance(part, gast.Name) else None
        kinds = list(kind) if isinstance(kind, nb.BaseTuple) else [kind]
        if any(isinstance(each, nb.Array) for each in kinds):
            return nb.Array(array.dtype, array.ndim, "A")
        if isinstance(part, gast.Name):
            integers += sum(isinstance(each, nb.Integer) for each in kinds)
            continue
        integers += isinstance(part, gast.UnaryOp) or (isinstance(part, gast.Constant) and isinstance(part.value, int))
    left = array.ndim - integers
    return array.dtype if left == 0 else nb.Array(array.dtype, left, "A")


def _copied_parameters(unit: Unit, types: Types, known: dict[str, Any]) -> Unit:
    """Copy written parameters on entry; overlap with another array parameter is refused at run time."""
    written = aliases_of_unit(unit, types).written
    arrays = [name for name in unit.parameters if types.is_array(name)]
    changed = [name for name in arrays if name in written]
    if not changed:
        return unit
    tree, names = unit.tree, unit.names
    own = {name: names.fresh(name) for name in changed}
    rewrite_names(gast.Module(body=tree.body, type_ignores=[]), lambda name: own.get(name, name))
    bindings = dict(unit.bindings)
    first: Block = []
    pairs = [pair for pair in combinations(arrays, 2) if own.keys() & set(pair)]
    if pairs:
        alias = "kernels" if bindings.get("kernels", kernels) is kernels else names.fresh("kernels")
        bindings[alias] = kernels
        first = [at(gast.Expr(value=call(f"{alias}.refuse_overlap", load(a), load(b))), None) for a, b in pairs]
    for name, copied in own.items():
        known[copied] = known[name].copy(layout="C", readonly=False) if hasattr(known[name], "copy") else known[name]
        first.append(assign(copied, call("np.copy", load(name))))
    bindings.setdefault("np", np)
    tree.body = first + tree.body
    return unit.with_tree(tree, bindings=bindings)


def _counted(names: Names, known: dict[str, Any], counts: dict[int, str], statement: gast.stmt) -> Block:
    is_loop = isinstance(statement, (gast.For, gast.While))
    if not is_loop or (isinstance(statement, gast.For) and not is_exit(statement.body[-1])):
        return [statement]
    place = place_of(statement)
    line = place.line if place else 0
    carried, following, total = (names.fresh(f"{wish}_{line}") for wish in ("trip", "trip", "trips"))
    for name in (carried, following, total):
        known[name] = nb.int64
    end = len(statement.body) - (1 if is_exit(statement.body[-1]) else 0)
    statement.body[end:end] = [
        assign(following, binary(load(carried), gast.Add, const(1)), place),
        assign(carried, load(following), place),
    ]
    counts[id(statement)] = total
    return [assign(carried, const(0), place), statement, assign(total, load(carried), place)]


__all__ = ["ready", "subscript", "walk_statements"]
