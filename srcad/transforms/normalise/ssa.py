"""SSA form: give every name one store per path, so that a name stands for one value.

    s = 0.0                          s = 0.0
    for i in range(n):               s_2 = s
        s = s + x[i]       becomes   for i in range(n):
    return s                             t1 = x[i]
                                         s_3 = s_2 + t1
                                         s_2 = s_3
                                     s_4 = s_2
                                     return s_4

A loop-carried name (`s_2`) is stored before the loop and by a copy at the end of its body, and is only read inside the
loop; after the loop its last value gets a name of its own (`s_4`). This takes the place of phi functions. A name that
both arms of an `if` store is stored once in each; all other names are stored once. So within one iteration every name
keeps its value, and what the reverse sweep needs can be referred to by name. The loop index is a name of its own.
"""

from __future__ import annotations

from typing import Any

import gast

from srcad.errors import Place
from srcad.names import Names
from srcad.transforms.analysis.liveness import Live, liveness
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    const,
    is_exit,
    load,
    place_of,
    walk,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import note


def to_ssa(code: Code) -> Code:
    """Bring a function to SSA form."""
    unit = code.unit
    tree = unit.copy_tree()
    names = unit.names.copy()
    bindings = {name: name for name in unit.parameters}
    renamer = _Renamer(names, tree.body)
    renamer.used |= set(unit.parameters)
    tree.body = renamer.block(tree.body, bindings)
    return code.with_unit(unit.with_tree(tree, names=names))


class _Renamer:
    """Renames block by block; `bindings` maps the user's name to the name of its current value."""

    def __init__(self, names: Names, body: Block) -> None:
        self.names, self.live = names, liveness(body)
        self.used: set[str] = set()

    def block(self, block: Block, bindings: dict[str, str]) -> Block:
        return [each for statement in list(block) for each in self.statement(statement, bindings)]

    def statement(self, statement: gast.stmt, bindings: dict[str, str]) -> Block:
        match statement:
            case gast.If() if is_exit(statement):
                statement.test = self.renamed(statement.test, bindings)
                return [statement]
            case gast.If():
                return self.branch(statement, bindings, self.live.after[statement])
            case gast.For() | gast.While():
                return self.loop(statement, bindings, self.live.after[statement])
            case gast.Assign(targets=[gast.Name(id=name)]):
                statement.value = self.renamed(statement.value, bindings)
                bindings[name] = self.new(name, bindings)
                statement.targets[0].id = bindings[name]
                return [statement]
            case _:
                return [self.renamed(statement, bindings)]

    def new(self, name: str, bindings: dict[str, str]) -> str:
        """A new name for a value of `name`; the first value keeps the original."""
        if name not in self.used and name not in bindings.values():
            self.used.add(name)
            return name
        return self.names.fresh(name)

    def renamed(self, node: Any, bindings: dict[str, str]) -> Any:
        for child in walk(node):
            if isinstance(child, gast.Name) and child.id in bindings:
                child.id = bindings[child.id]
        return node

    def branch(self, statement: gast.If, bindings: dict[str, str], after: Live) -> Block:
        statement.test = self.renamed(statement.test, bindings)
        arms = []
        for body in (statement.body, statement.orelse):
            inner = dict(bindings)
            arms.append((self.block(body, inner), inner))
        changed = sorted({name for _, inner in arms for name in inner if inner[name] != bindings.get(name)} & after)
        for name in changed:
            merged = self.new(name, bindings)
            for block, inner in arms:
                if name in inner:
                    self.merge(block, inner[name], merged, place_of(statement))
                else:
                    block.append(unset(merged))
            bindings[name] = merged
        statement.body = arms[0][0] or [gast.Pass()]
        statement.orelse = arms[1][0]
        return [statement]

    def merge(self, block: Block, value: str, merged: str, place: Place | None) -> None:
        """Store `value` under the merged name: by renaming, if it is stored in this block, else by a copy."""
        if any(_binds(statement, value) for statement in block):
            for statement in block:
                for child in walk(statement):
                    if isinstance(child, gast.Name) and child.id == value:
                        child.id = merged
        else:
            block.append(assign(merged, load(value), place))

    def loop(self, statement: gast.For | gast.While, bindings: dict[str, str], after: Live) -> Block:
        place, head = place_of(statement), self.live.heads[statement]
        before: Block = []
        if isinstance(statement, gast.For):
            statement.iter = self.renamed(_full_range(statement.iter), bindings)
            self.split_index(statement, bindings, after)
        stored = {name for inner in walk_statements(statement.body) if (name := written(inner))}
        index = written(statement)
        carried = sorted((stored & (head | after)) - {index})
        inner = dict(bindings)
        for name in carried:
            inner[name] = self.new(name, bindings)
            self.used.add(name)
            given = name in bindings
            before.append(assign(inner[name], load(bindings[name]), place) if given else unset(inner[name]))
        start = dict(inner)
        if isinstance(statement, gast.While):
            statement.test = self.renamed(statement.test, inner)
        if index is not None:
            inner[index] = index = self.new(index, bindings)
            statement.target.id = index
        body = self.block(statement.body, inner)
        copies = self.carry(carried, start, inner, place)
        end = len(body) - 1 if body and is_exit(body[-1]) else len(body)
        statement.body = body[:end] + copies + body[end:]
        behind: Block = []
        for name in carried:
            if name in after:
                bindings[name] = self.new(name, bindings)
                behind.append(assign(bindings[name], load(start[name]), place))
        return [*before, statement, *behind]

    def split_index(self, statement: gast.For, bindings: dict[str, str], after: Live) -> None:
        """Replace an index that is stored in the loop or live after it by a variable, and a separate counter."""
        index = statement.target.id
        stored = {written(inner) for inner in walk_statements(statement.body)}
        if index in stored or index in after:
            counter = self.names.fresh(index)
            statement.target.id = counter
            statement.body.insert(0, assign(index, load(counter), place_of(statement)))

    def carry(self, carried: list[str], start: dict[str, str], end: dict[str, str], place: Place | None) -> Block:
        """The copies at the end of an iteration; a copy from another carried name goes through a temporary."""
        first: Block = []
        last: Block = []
        heads = {start[name] for name in carried}
        for name in carried:
            value = end[name]
            if value == start[name]:
                continue
            if value in heads:
                moved = self.names.fresh(name)
                first.append(assign(moved, load(value), place))
                value = moved
            last.append(assign(start[name], load(value), place))
        return first + last


def unset(name: str) -> gast.Assign:
    """A placeholder for a name that has no value yet; `in_place_resolution` replaces it by one of the right type."""
    return note(assign(name, const(False)), is_stand_in=True, unset=True)


def _full_range(node: gast.Call) -> gast.Call:
    """`range(n)` as `range(0, n, 1)`."""
    bounds = list(node.args)
    if len(bounds) == 1:
        bounds.insert(0, const(0))
    if len(bounds) == 2:
        bounds.append(const(1))
    return call("range", *bounds)


def _binds(statement: gast.stmt, name: str) -> bool:
    if written(statement) == name and not isinstance(statement, gast.For):
        return True
    return (
        isinstance(statement, gast.If)
        and not is_exit(statement)
        and any(_binds(inner, name) for block in (statement.body, statement.orelse) for inner in block)
    )
