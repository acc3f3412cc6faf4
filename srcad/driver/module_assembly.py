"""Put together a generated module: the derivative, and all functions that it calls, under names that do not collide."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import gast

from srcad.names import Names
from srcad.transforms.adjoint.call_derivatives import LISTS, Callees, Pair
from srcad.transforms.inference.subroutine_types import Specialised, Subroutine
from srcad.transforms.ir.build import assign, call, clone, const, place_of, tuple_of, walk
from srcad.transforms.ir.comments import with_origin
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.normalise.derivative_versions import Gradient


def with_callees(made: Made, callees: Callees) -> Made:
    """The functions with those that they call, and the classes of the records of these, which `callees` has."""
    _make_gradients(made, callees)
    functions: list[gast.FunctionDef] = []
    seen: dict[int, Any] = {}
    pending: list[tuple[gast.FunctionDef, Mapping[str, Any]]] = [(each, made.bindings) for each in made.functions]
    read_before = [name for tree in made.before for name in _names(tree)]
    bindings = {name: made.bindings[name] for name in read_before if name in made.bindings}
    outputs: dict[str, tuple[str, ...]] = dict(made.outputs)
    while pending:
        tree, own = pending.pop(0)
        own = _with_lists(tree, own)
        tree = _apart(tree, own, bindings)
        functions.append(tree)
        for name in _names(tree):
            thing = own.get(name)
            if not isinstance(thing, (Pair, Specialised, Subroutine, Callees)) or id(thing) in seen:
                continue
            seen[id(thing)] = thing
            pending += _definitions(thing, callees)
            outputs.update(_outputs(thing))
    before = _records(list(seen.values()))
    if before:
        bindings["namedtuple"] = namedtuple
    for tree in functions:
        for node in walk(tree):
            if isinstance(node, (gast.Raise, gast.Assert)):
                with_origin(node, place_of(node))  # what it raises reaches the user from here
            if isinstance(node, gast.Constant) and (pair := notes_of(node).pair) is not None:
                node.value = _recording(seen.values()).index(pair)
    return replace(made, functions=functions, bindings=bindings, outputs=outputs, before=(*before, *made.before))


def _with_lists(tree: gast.FunctionDef, own: Mapping[str, Any]) -> Mapping[str, Any]:
    """Fill in where a function begins lists, or counts what is on them; with it what the names there mean."""
    callees = own.get(LISTS)
    if callees is None:
        return own
    for node in walk(tree):
        noted = notes_of(node)
        if noted.begins_lists:
            node.value = callees.begun()
        elif noted.counts_lists is not None:
            node.value = callees.lengths(noted.counts_lists)
    return {**own, **{pair.trace: pair for pair in callees.recording}}


def _make_gradients(made: Made, callees: Callees) -> None:
    """Make all gradients that are called, directly or not: `callees` has all that is recorded only then."""
    pending: list[tuple[gast.FunctionDef, Mapping[str, Any]]] = [(each, made.bindings) for each in made.functions]
    seen: set[int] = set()
    while pending:
        tree, own = pending.pop()
        for thing in [own.get(name) for name in _names(tree)]:
            if isinstance(thing, (Pair, Specialised, Subroutine)) and id(thing) not in seen:
                seen.add(id(thing))
                pending += _definitions(thing, callees)


def _definitions(thing: Any, callees: Callees) -> list[tuple[gast.FunctionDef, Mapping[str, Any]]]:
    if isinstance(thing, Gradient):
        made = thing.made(callees)
        return [(each, made.bindings) for each in made.functions]
    if isinstance(thing, Pair):
        return [(each, thing.bindings) for each in thing.functions]
    if isinstance(thing, Callees):
        return []
    tree = clone(thing.unit.tree)
    tree.name = thing.name
    return [(tree, thing.unit.bindings)]


def _outputs(thing: Any) -> dict[str, tuple[str, ...]]:
    """What functions write into for their callers."""
    if isinstance(thing, Pair):
        return {each.name: thing.outputs for each in thing.functions}
    return {} if isinstance(thing, Callees) else {thing.name: thing.outputs}


def _apart(tree: gast.FunctionDef, own: Mapping[str, Any], bindings: dict[str, Any]) -> gast.FunctionDef:
    """Add what a function's free names mean to `bindings`; where a name means something else there, take another."""
    change: dict[str, str] = {}
    for name in _names(tree):
        if name not in own:
            continue
        if bindings.setdefault(name, own[name]) is not own[name]:
            change[name] = Names({*bindings, *own, *_names(tree)}).fresh(name)
            bindings[change[name]] = own[name]
    if change:
        _rename(tree, change)
    return tree


def _recording(things: Any) -> list[Pair]:
    callees = next((each for each in things if isinstance(each, Callees)), None)
    return [] if callees is None else callees.recording


def _records(things: list[Any]) -> tuple[gast.stmt, ...]:
    """The classes of what is recorded, and of the lists of it."""
    pairs = _recording(things)
    if not pairs:
        return ()
    made = [
        assign(
            pair.trace, call("namedtuple", const(pair.trace), tuple_of(*(const(short) for short, _, _ in pair.fields)))
        )
        for pair in pairs
    ]
    lists = tuple_of(*(const(pair.list_name) for pair in pairs))
    return *made, assign(LISTS, call("namedtuple", const(LISTS), lists))


def renamed(made: Made) -> Made:
    """The module with names for the reader in place of those that were given while it was made."""
    trees = [*made.before, *made.functions]
    names = Names({*made.bindings, *(name for tree in trees for name in _names(tree))})
    wishes = dict(_wishes(made.bindings))
    if not wishes:
        return made
    taken = Names({"count", "index", "view"})  # of every tuple; to Numba, of every number
    change = {
        name: taken.fresh(wish) if name.startswith("_list_") else names.fresh(wish) for name, wish in wishes.items()
    }
    for tree in trees:
        _rename(tree, change)
    bindings = {change.get(name, name): thing for name, thing in made.bindings.items() if not _is_defined(thing)}
    return replace(made, bindings=bindings)


def _is_defined(thing: Any) -> bool:
    return isinstance(thing, (Pair, Specialised, Subroutine, Callees))


def _wishes(bindings: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names given to callees, and what the reader should see instead."""
    for name, thing in bindings.items():
        if isinstance(thing, Callees):
            yield name, "Calls"
        elif isinstance(thing, (Specialised, Subroutine)):
            yield name, thing.wish
        elif isinstance(thing, Pair):
            wish = thing.version.wish
            if name == thing.trace:
                yield name, "".join(map(str.capitalize, wish.split("_"))) + "Trace"
                yield thing.list_name, wish.lstrip("_") or "calls"
            elif name == thing.iteration:
                yield name, f"{wish}_iteration"
            else:
                yield name, f"{wish}_forward" if name == thing.forward else f"{wish}_reverse"


def _rename(tree: gast.AST, change: Mapping[str, str]) -> None:
    for node in walk(tree):
        match node:
            case gast.Name():
                node.id = change.get(node.id, node.id)
            case gast.Attribute():
                node.attr = change.get(node.attr, node.attr)
            case gast.FunctionDef():
                node.name = change.get(node.name, node.name)
            case gast.Constant(value=str() as text) if text in change:
                node.value = change[text]


def _names(tree: gast.AST) -> list[str]:
    found = {node.id: None for node in walk(tree) if isinstance(node, gast.Name)}
    if isinstance(tree, gast.FunctionDef):
        found[tree.name] = None
    return list(found)
