"""Dead store elimination: elements of an adjoint are not cleared where nothing reads them afterwards.

    for i in range(n):                      for i in range(n):
        t = y_bar[i]                            t = y_bar[i]
        y_bar[i] = 0.0          becomes         x_bar[i] += t * k
        x_bar[i] += t * k

A store sets the adjoint of what it overwrites to zero. That is idle where the store was the first into the element, as
into a new array: then no statement before it has read or stored the element, and none after it in the reverse sweep
reads its adjoint. Input and output are the statements of one function. Applies to arrays that no other name refers to,
at the last loop nest that mentions them, where each iteration uses one element of its own; and to single elements after
which nothing mentions the array until it is made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts, is_counted
from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import liveness_of
from srcad.transforms.ir.build import Block, mentions, walk, walk_blocks, walk_statements, without_statements
from srcad.transforms.ir.code import Code, store_counts
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import all_written
from srcad.transforms.ir.type_annotations import is_parallel
from srcad.transforms.postoptimise.array_contraction_to_scalar import common_index, is_zero_store, loops_around


def without_dead_stores(code: Code) -> Code:
    """Drop the stores of zeros into elements that nothing reads afterwards.

    Functions with parallel loops are left unchanged.
    """
    if any(is_parallel(each) for each in walk_statements(code.body)):
        return code
    remover = _Remover(code)
    for block in list(walk_blocks(code.body)):
        remover.visit(block)
        remover.visit_elements(block)
    return code.with_body(without_statements(code.body, remover.dropped.__contains__))


class _Remover:
    def __init__(self, code: Code) -> None:
        self.kinds, self.stores, self.mentions = code.kinds, store_counts(code), mentions(code.body)
        self.aliases, self.live = aliases_of(code), liveness_of(code).after
        self.dropped = set[gast.stmt]()

    def visit_elements(self, block: Block) -> None:
        """Drop the stores of zeros into single elements that nothing reads before the array is made again."""
        cleared = {
            id(each): found for each in block if (found := _cleared(each)) is not None and self.is_element(*found)
        }
        names = {name for name, _ in cleared.values() if self.is_alone(name)}
        if not names:
            return
        read: dict[str, set[Any]] = {name: {_ANY} if name in self.live[block[-1]] else set() for name in names}
        for statement in reversed(list(block)):
            name, place = cleared.get(id(statement), ("", ()))
            if name in names:
                if read[name].isdisjoint({_ANY, place}):
                    self.dropped.add(statement)
                continue
            if isinstance(statement, gast.Assign):
                read |= {each: set() for each in names.intersection(all_written(statement))}
            if any(isinstance(each, _EXITS) for each in walk_statements([statement])):
                read = {each: {_ANY} for each in names}
            for each, place in _read(statement):
                if each in names:
                    read[each].add(place if self.is_element(each, place) else _ANY)

    def is_element(self, name: str, place: Any) -> bool:
        """Whether a place is that of one element of an array."""
        return place is not _ANY and len(place) == getattr(self.kinds.get(name), "ndim", 0)

    def is_alone(self, name: str) -> bool:
        """Whether a name is the only one for arrays of floats that the function makes."""
        kind = self.kinds.get(name)
        is_array = isinstance(kind, nb.Array) and isinstance(kind.dtype, (nb.Float, nb.Complex))
        return is_array and self.aliases.connected(name) == {name} and self.aliases.is_local(name)

    def visit(self, block: Block) -> None:
        """Drop the dead stores at the ends of nests of a block, into arrays that the block makes."""
        made: dict[str, int] = {}
        last: dict[str, gast.stmt] = {}
        for statement in block:
            match statement:
                case gast.Assign(targets=[gast.Name(id=name)]) if self.is_own(name):
                    made[name] = 0
            for name, count in mentions([statement]).items():
                if name in made:
                    made[name] += count
                    last[name] = statement
        for name, nest in last.items():
            if is_counted(nest) and made[name] == self.mentions[name]:
                self.drop(name, nest)

    def is_own(self, name: str) -> bool:
        """Whether a name is the only one for an array of floats that the function makes once."""
        kind = self.kinds.get(name)
        if not isinstance(kind, nb.Array) or not isinstance(kind.dtype, (nb.Float, nb.Complex)):
            return False
        if self.stores[name] != 1 or self.aliases.of.get(name) != frozenset([name]):
            return False
        return not any(name in roots for other, roots in self.aliases.of.items() if other != name)

    def drop(self, name: str, nest: gast.For) -> None:
        """Drop the last store of each iteration into its element, if it is one of zero."""
        loops = loops_around(nest, {name})
        if common_index(loops, {name}) is None:
            return
        body = loops[-1].body
        users = [each for each in body if name in mentions([each])]
        if len(users) > 1 and is_zero_store(users[-1], name):
            self.dropped.add(users[-1])


_ANY = "any"  # elements that are not known
_EXITS = gast.Break, gast.Continue, gast.Return


def _place(node: gast.Subscript) -> Any:
    """The place of an element that literals tell; else `_ANY`."""
    found = tuple(constant(part) for part in index_parts(node))
    return found if all(type(each) is int and each >= 0 for each in found) else _ANY


def _cleared(statement: gast.stmt) -> tuple[str, Any] | None:
    """The array and the place of an element that a statement sets to zero, if literals tell it."""
    match statement:
        case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=name)) as target], value=value):
            return (name, _place(target)) if constant(value) == 0 and _place(target) is not _ANY else None
    return None


def _read(statement: gast.stmt) -> Iterator[tuple[str, Any]]:
    """The arrays that a statement, or one in it, mentions, with the places of elements."""
    nodes = walk(statement)
    elements = [each for each in nodes if isinstance(each, gast.Subscript) and isinstance(each.value, gast.Name)]
    bases = {id(each.value) for each in elements}
    yield from ((each.value.id, _place(each)) for each in elements)
    yield from (
        (each.id, _ANY) for each in nodes if isinstance(each, gast.Name) and _is_read(each) and id(each) not in bases
    )


def _is_read(name: gast.Name) -> bool:
    return isinstance(name.ctx, gast.Load)
