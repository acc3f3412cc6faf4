"""Dead code elimination for generated statements.

A statement is live if it has an effect, or if a live statement may read what it writes. Names of arrays that may share
memory form one alias class: a store is live as long as anything in its class is read.
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.build import (
    Block,
    dotted_path,
    inner_blocks,
    is_exit,
    reads,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import mutated_by


def without_dead_code(code: Code) -> Block:
    """The statements that results, effects, or the memory of the outputs depend on."""
    return _Liveness(code).kept(code.body)


class _Liveness:
    def __init__(self, code: Code) -> None:
        body = code.body
        self.group = aliases_of(code).alias_class
        self.writers: dict[str, list[gast.stmt]] = {}
        self.changers: dict[str, list[gast.stmt]] = {}
        self.around: dict[int, list[gast.stmt]] = {}
        self._index(body, [])
        self.alive: set[int] = set()
        pending = [statement for statement in walk_statements(body) if _is_effect(statement)]
        for name in code.outputs:
            pending += [*self.writers.get(name, []), *self.changers.get(self.group(name), [])]
        while pending:
            statement = pending.pop()
            if id(statement) in self.alive:
                continue
            self.alive.add(id(statement))
            pending += self.around[id(statement)]
            for name in [*reads(statement), *_augmented(statement)]:
                pending += self.writers.get(name, [])
                pending += self.changers.get(self.group(name), [])
            if isinstance(statement, (gast.For, gast.While)) and _exit(statement) is not None:
                pending.append(_exit(statement))

    def _index(self, block: Block, around: list[gast.stmt]) -> None:
        for statement in block:
            self.around[id(statement)] = around
            for name in _writes(statement):
                self.writers.setdefault(name, []).append(statement)
            if not isinstance(statement, gast.For) and written(statement) is None:
                for name in _writes(statement):
                    self.changers.setdefault(self.group(name), []).append(statement)
            for inner in inner_blocks(statement):
                self._index(inner, [*around, statement])

    def kept(self, block: Block) -> Block:
        result: Block = []
        for statement in block:
            if id(statement) not in self.alive and not notes_of(statement).begins_reverse:
                continue
            if isinstance(statement, gast.If) and not is_exit(statement):
                statement.body = self.kept(statement.body) or [gast.Pass()]
                statement.orelse = self.kept(statement.orelse)
            elif isinstance(statement, (gast.For, gast.While)):
                statement.body = self.kept(statement.body) or [gast.Pass()]
            result.append(statement)
        return result


def _is_effect(statement: gast.stmt) -> bool:
    match statement:
        case gast.Return() | gast.Assert() | gast.Raise():
            return True
        case gast.Expr(value=gast.Call(func=function)):
            return not mutated_by(statement) or (dotted_path(function) or "").endswith("refuse_overlap")
        case gast.Expr():
            return True
    return notes_of(statement).effect


def _augmented(statement: gast.stmt) -> list[str]:
    """The name that an augmented assignment `+=` reads as well as stores."""
    match statement:
        case gast.AugAssign(target=gast.Name(id=name)):
            return [name]
    return []


def _writes(statement: gast.stmt) -> list[str]:
    match statement:
        case gast.Assign(targets=[target]) | gast.AugAssign(target=target):
            if isinstance(target, gast.Tuple):
                return [element.id for element in target.elts]
            return [target.id if isinstance(target, gast.Name) else target.value.id]
        case gast.For(target=target):
            return [target.id]
    return mutated_by(statement)


def _exit(loop: gast.For | gast.While) -> gast.stmt | None:
    return loop.body[-1] if is_exit(loop.body[-1]) else None
