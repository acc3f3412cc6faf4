"""Dead code elimination for generated statements.

A statement is live if it has an effect, or if a live statement may read what it writes; where the code is not compiled,
a statement of the primal that may raise an exception is live as well. Names of arrays that may share memory form one
alias class: a store is live as long as anything in its class is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import gast

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.analysis.may_raise import raising_statements
from srcad.transforms.ir.build import Block, inner_blocks, is_exit, is_loop, walk_statements, without_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, is_effect, reads


def without_dead_code(code: Code) -> Block:
    """The statements that results, effects, or the memory of the outputs depend on."""
    alive = _Liveness(code).alive
    return without_statements(code.body, lambda each: each not in alive and not notes_of(each).begins_reverse)


class _Liveness:
    def __init__(self, code: Code) -> None:
        body = code.body
        self.group = aliases_of(code).alias_class
        self.writers: dict[str, list[gast.stmt]] = {}
        self.changers: dict[str, list[gast.stmt]] = {}
        self.around: dict[gast.stmt, gast.stmt] = {}  # the compound statement around each
        self.read: set[str] = set()  # names whose writers live already
        for statement in walk_statements(body):
            self._index(statement)
        effects = [statement for statement in walk_statements(body) if is_effect(statement)]
        if code.settings.interpreted:
            effects += raising_statements(code)
        self.alive = closure([*effects, *self.touching(code.outputs)], self.needed)

    def touching(self, names: Iterable[str]) -> Iterator[gast.stmt]:
        """The statements that store names, or that change memory that they may refer to."""
        for name in names:
            yield from self.writers.get(name, [])
            yield from self.changers.get(self.group(name), [])

    def needed(self, statement: gast.stmt) -> Iterator[gast.stmt]:
        """The statements that a live statement makes live."""
        if statement in self.around:
            yield self.around[statement]
        new = dict.fromkeys(name for name in reads(statement) if name not in self.read)
        self.read.update(new)
        yield from self.touching(new)
        if is_loop(statement) and is_exit(statement.body[-1]):
            yield statement.body[-1].body[0]

    def _index(self, statement: gast.stmt) -> None:
        self.around |= {each: statement for inner in inner_blocks(statement) for each in inner}
        for name in all_written(statement):
            self.writers.setdefault(name, []).append(statement)
        for name in changed_memory(statement):
            self.changers.setdefault(self.group(name), []).append(statement)
