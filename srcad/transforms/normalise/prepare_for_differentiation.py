"""Preparation for differentiation: four small rewrites of a core function after in-place resolution.

    a parameter that is written into         a copy of it, made on entry: the caller's array is the caller's
    a[i] *= v                                t = a[i]; t2 = t * v; a[i] = t2      (only += and -= are linear in a)
    a loop-carried array                     saves its shape after the loop, where shapes may differ
    (`carried_shapes`) a loop that can stop early, or `while`   counts its iterations

Rewritten code keeps its position in the user's source.
"""

from __future__ import annotations

from dataclasses import replace
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
    rewrite_names,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
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
    tree.body = _linear_stores(tree.body, names, known)
    unit = unit.with_tree(tree, names=names)
    if not code.settings.in_place:
        unit = _copied_parameters(unit, Types(known, types.result), known)
    with_shapes_behind(unit, Types(known, types.result), names, known)
    counts: dict[int, str] = {}
    unit.tree.body = _counted(unit.tree.body, names, known, counts)
    return replace(code.with_unit(unit, Types(known, types.result)), counts=counts)


def _linear_stores(block: Block, names: Names, known: dict[str, Any]) -> Block:
    result: Block = []
    for statement in block:
        match statement:
            case gast.If() | gast.For() | gast.While():
                statement.body = _linear_stores(statement.body, names, known)
                statement.orelse = _linear_stores(statement.orelse, names, known)
            case gast.AugAssign(target=target, op=op, value=value) if not isinstance(op, (gast.Add, gast.Sub)):
                old, new = names.temporary(), names.temporary()
                place = place_of(statement)
                element = element_type(target, known)
                known[old] = known[new] = element
                read = clone(target)
                read.ctx = gast.Load()
                result.append(assign(old, read, place))
                result.append(assign(new, binary(load(old), type(op), value), place))
                statement = assign(target, load(new), place)
        result.append(statement)
    return result


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


def _counted(block: Block, names: Names, known: dict[str, Any], counts: dict[int, str]) -> Block:
    result: Block = []
    for statement in block:
        if isinstance(statement, gast.If):
            statement.body = _counted(statement.body, names, known, counts)
            statement.orelse = _counted(statement.orelse, names, known, counts)
        if not isinstance(statement, (gast.For, gast.While)):
            result.append(statement)
            continue
        statement.body = _counted(statement.body, names, known, counts)
        if isinstance(statement, gast.For) and not is_exit(statement.body[-1]):
            result.append(statement)
            continue
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
        result += [assign(carried, const(0), place), statement, assign(total, load(carried), place)]
    return result


__all__ = ["ready", "subscript", "walk_statements"]
