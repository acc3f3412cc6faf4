"""Side effects: what statements write, names and the memory of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import gast

from srcad.transforms.ir.array_functions import WRITING, last_parts
from srcad.transforms.ir.build import Block, names_in, walk_statements, written
from srcad.transforms.ir.node_notes import notes_of


def all_written(statement: gast.stmt) -> Iterator[str]:
    """The names that a statement stores, including augmented ones (def set)."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)):
            yield name
        case gast.Assign(targets=[gast.Tuple(elts=elements)]):
            for element in elements:
                yield element.id
        case _:
            name = written(statement)
            if name:
                yield name


def stored_in(block: Block) -> frozenset[str]:
    """The names that statements store, nested ones included."""
    return frozenset(name for statement in walk_statements(block) for name in all_written(statement))


def changed_memory(statement: gast.stmt) -> Iterator[str]:
    """The names of arrays that a statement writes to."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=base)]) | gast.AugAssign(target=gast.Subscript(value=base)):
            yield from names_in(base)
        case gast.AugAssign(target=gast.Name(id=name)):
            yield name
        case gast.Expr(value=gast.Call() as value):
            yield from mutated_by(statement) or names_in(value)
        case gast.Assign(value=value) if notes_of(statement).effect:
            yield from names_in(value)


def mutated_by(statement: gast.stmt) -> list[str]:
    """The array that a kernel call, or an append, changes."""
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"))):
            return [base]
        case gast.Expr(value=gast.Call(func=gast.Attribute(attr=name), args=[gast.Name(id=base), *_])):
            return [base] if name in _WRITING else []
    return []


_WRITING = last_parts(WRITING)
