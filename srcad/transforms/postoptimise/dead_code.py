"""Dead code elimination for generated statements.

A statement is live if it has an effect, or if a live statement may read what it writes. Names of arrays that may share
memory form one alias class: a store is live as long as anything in its class is read.
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.ir.build import Block, inner_blocks, is_exit, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_effect, reads


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
        pending = [statement for statement in walk_statements(body) if is_effect(statement)]
        for name in code.outputs:
            pending += self.touching(name)
        while pending:
            statement = pending.pop()
            if id(statement) in self.alive:
                continue
            self.alive.add(id(statement))
            pending += self.around[id(statement)]
            for name in reads(statement):
                pending += self.touching(name)
            if isinstance(statement, (gast.For, gast.While)) and _exit(statement) is not None:
                pending.append(_exit(statement))

    def touching(self, name: str) -> list[gast.stmt]:
        """The statements that store a name, or that change memory that it may refer to."""
        return [*self.writers.get(name, []), *self.changers.get(self.group(name), [])]

    def _index(self, block: Block, around: list[gast.stmt]) -> None:
        for statement in block:
            self.around[id(statement)] = around
            for name in all_written(statement):
                self.writers.setdefault(name, []).append(statement)
            for name in changed_memory(statement):
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


def _exit(loop: gast.For | gast.While) -> gast.stmt | None:
    return loop.body[-1] if is_exit(loop.body[-1]) else None
