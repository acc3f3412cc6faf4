"""Elision of arrays that only give their shape: the adjoint of an array that is dead is allocated by known extents.

An array that is not read again need not stay allocated until an adjoint of its shape has been made.

    t = h @ w                               t = h @ w
    ...                         becomes     ...
    t_bar = np.zeros_like(t)                t_bar = np.zeros((h.shape[0], w.shape[1]))

    t = np.empty((n, 3))
    t_bar = np.zeros_like(t)    becomes     t_bar = np.zeros((n, 3))

    t_bar = np.zeros_like(a @ x)    becomes     t_bar = np.zeros(a.shape[0])
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.analysis.aliases import Aliases, aliases_of
from srcad.transforms.analysis.liveness import Live, liveness, liveness_of
from srcad.transforms.analysis.ranks import ranks_of
from srcad.transforms.ir.build import (
    Block,
    call,
    clone,
    dotted_path,
    inner_blocks,
    names_in,
    one_or_tuple,
    rewrite_blocks,
    walk,
)
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.side_effects import reads, stored_in


def _is_dead(array: str, live: Live, aliases: Aliases) -> bool:
    """Whether no live name may share memory with an array."""
    return not any(aliases.may_alias(name, array) for name in live)


def without_last_shapes(code: Code) -> Code:
    """Allocate adjoints by explicit extents where the array they are shaped like is dead and the extents still hold."""
    body, kinds, stores = code.body, code.kinds, store_counts(code)
    aliases, ranks = aliases_of(code), ranks_of(code)
    live = liveness_of(code).after
    shapes = Facts.at_start(kinds, ranks.of)
    plain = {name for name, kind in kinds.items() if kind in (nb.float64[:, ::1], nb.float64[::1])}
    _by_extents(body, Facts.at_start(kinds, ranks.of), plain)
    for statement in body:
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=name)], value=gast.Call(func=function, args=[gast.Name(id=array)], keywords=[])
            ) if dotted_path(function) == "np.zeros_like" and {name, array} <= plain and array not in code.parameters:
                extents = shapes.of(array) or ()
                known = {each for extent in extents for each in names_in(extent)}
                is_last = array not in known and _is_dead(array, live[statement] - {name}, aliases)
                lasting = all(
                    stores[each] == 1 and (each in code.parameters or not ranks.of.get(each, 1)) for each in known
                )
                if is_last and extents and lasting:
                    whole = one_or_tuple([clone(each) for each in extents])
                    statement.value = call("np.zeros", clone(whole))
        if inner_blocks(statement):
            shapes.forget(stored_in([statement]))
        else:
            shapes.learn(statement)
    return code.with_body(rewrite_blocks(body, partial(_without_shells, liveness(body).after)))


def _by_extents(block: Block, shapes: Facts, plain: set[str]) -> None:
    """Allocate zeros in the shape of a value that is computed for its shape alone by the extents of that."""
    for statement in block:
        match statement:
            case gast.Assign(
                targets=[gast.Name(id=name)], value=gast.Call(func=function, args=[like], keywords=[])
            ) if dotted_path(function) == "np.zeros_like" and name in plain and not isinstance(like, gast.Name):
                extents = shapes.extents_in(like, shapes.rank_of(name)) or ()
                if extents:
                    statement.value = call("np.zeros", one_or_tuple([clone(each) for each in extents]))
        if inner_blocks(statement):
            for inner, inside in shapes.descend(statement):
                _by_extents(inner, inside, plain)
        else:
            shapes.learn(statement)


def _without_shells(live: Mapping[gast.stmt, Live], block: Block) -> Block:
    """Remove empty arrays that exist only for their shape; `live` has the names that are live after each statement."""
    made: dict[str, gast.Assign] = {}
    dropped: list[gast.stmt] = []
    for statement in block:
        match statement:
            case gast.Assign(value=gast.Call(func=function, args=[gast.Name(id=shell)], keywords=[])) if (
                dotted_path(function) == "np.zeros_like" and shell in made and shell not in live[statement]
            ):
                dropped.append(made[shell])
                statement.value = call("np.zeros", *made[shell].value.args)
        stored, read = stored_in([statement]), {node.id for node in walk(statement) if isinstance(node, gast.Name)}
        made = {name: each for name, each in made.items() if name not in read and not stored & set(reads(each))}
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=gast.Call(func=function, keywords=[])):
                if dotted_path(function) == "np.empty":
                    made[name] = statement
    return [each for each in block if not any(each is shell for shell in dropped)]
