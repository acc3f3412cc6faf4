"""Slices of generated statements: what some statements need, and what is left without them.

Works on statements of which names are stored in one place or added to, as both sweeps are.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Collection
from typing import Any

import gast

from srcad.transforms.ir.build import Block, clone, names_in


def slice_of(block: Block, roots: Collection[int]) -> Block:
    """The statements with these ids, with the loops and branches around them, and all that their values need.

    Statements themselves are not copied, but loops and branches are.
    """
    needed: set[str] = set()
    while True:
        before = len(needed)
        made = _kept(block, roots, needed)
        if len(needed) == before:
            return made


def _kept(block: Block, roots: Collection[int], needed: set[str]) -> Block:
    made: Block = []
    for statement in reversed(block):
        match statement:
            case gast.If(test=test, body=body, orelse=orelse):
                then, other = _kept(body, roots, needed), _kept(orelse, roots, needed)
                if then or other:
                    needed.update(names_in(test))
                    made.append(_with(statement, body=then or [gast.Pass()], orelse=other))
            case gast.For(body=body):
                inner = _kept(body, roots, needed)
                if inner:
                    needed.update(names_in(statement.iter))
                    made.append(_with(statement, body=inner))
            case gast.While(body=body):
                inner = _kept(body, roots, needed)
                if inner:
                    needed.update(names_in(statement.test))
                    made.append(_with(statement, body=inner))
            case _ if id(statement) in roots or stored_name(statement) in needed:
                needed.update(names_in(statement))
                made.append(statement)
    return made[::-1]


def _with(statement: Any, **fields: Any) -> Any:
    made = copy.copy(statement)
    made.__dict__.update(fields)
    return made


def stored_name(statement: Any) -> str | None:
    """The name that a statement stores."""
    match statement:
        case gast.Assign(targets=[gast.Name(id=name)]) | gast.AugAssign(target=gast.Name(id=name)):
            return str(name)
    return None


def without(block: Block, removed: Collection[int]) -> Block:
    """The block without the statements of these ids."""
    made: Block = []
    for statement in block:
        if id(statement) in removed:
            continue
        fields = {
            name: without(getattr(statement, name), removed) for name in ("body", "orelse") if hasattr(statement, name)
        }
        if fields and not any(fields.values()):
            continue
        if fields and not fields["body"]:
            fields["body"] = [gast.Pass()]
        made.append(_with(statement, **fields) if fields else statement)
    return made


def without_dead_names(block: Block) -> Block:
    """The block without statements that store names which nothing reads."""
    while True:
        reads = Counter(name for statement in block for name in names_in(statement))
        dead = _dead(block, reads)
        if not dead:
            return block
        block = without(block, dead)


def _dead(block: Block, reads: Counter[str]) -> set[int]:
    found: set[int] = set()
    for statement in block:
        name = stored_name(statement)
        if name is not None and not reads[name]:
            found.add(id(statement))
        for field in ("body", "orelse"):
            found |= _dead(getattr(statement, field, []), reads)
    return found


def renamed(block: Block, names: dict[str, str]) -> Block:
    """Copies of statements, in other names."""
    made: Block = clone(block)
    for statement in made:
        for node in gast.walk(statement):
            if isinstance(node, gast.Name):
                node.id = names.get(node.id, node.id)
    return made


def stored_names(block: Block) -> set[str]:
    """All names that statements store, loop indices included."""
    return {
        node.id
        for statement in block
        for node in gast.walk(statement)
        if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store)
    }
