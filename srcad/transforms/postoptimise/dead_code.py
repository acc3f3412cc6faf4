"""Dead code elimination for generated statements.

A statement is live if it has an effect, or if a live statement may read what it writes. Names of arrays that may share
memory form one alias class: a store is live as long as anything in its class is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

import gast

from srcad.transforms.analysis.dataflow import closure
from srcad.transforms.ir.build import (
    Block,
    dotted_path,
    inner_blocks,
    is_exit,
    reads,
    walk_statements,
    without_statements,
    written,
)
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.side_effects import mutated_by
from srcad.transforms.loop_analysis.alias_classes import Groups


def without_dead_code(body: Block, outputs: Collection[str] = ()) -> Block:
    """Keep the statements that results, effects, or the memory of the `outputs` depend on; drop the rest."""
    alive = _Liveness(body, outputs).alive
    return without_statements(body, lambda each: each not in alive and not notes_of(each).begins_reverse)


class _Liveness:
    def __init__(self, body: Block, outputs: Collection[str] = ()) -> None:
        self.group = Groups(body).find
        self.writers: dict[str, list[gast.stmt]] = {}
        self.changers: dict[str, list[gast.stmt]] = {}
        self.around: dict[gast.stmt, gast.stmt] = {}  # the compound statement around each
        for statement in walk_statements(body):
            self._index(statement)
        effects = [statement for statement in walk_statements(body) if _is_effect(statement)]
        self.alive = closure([*effects, *self.sources(outputs)], self.needed)

    def sources(self, names: Iterable[str]) -> Iterator[gast.stmt]:
        """The statements that may give names or their memory a value."""
        for name in names:
            yield from self.writers.get(name, [])
            yield from self.changers.get(self.group(name), [])

    def needed(self, statement: gast.stmt) -> Iterator[gast.stmt]:
        """The statements that a live statement makes live."""
        if statement in self.around:
            yield self.around[statement]
        yield from self.sources([*reads(statement), *_augmented(statement)])
        if isinstance(statement, (gast.For, gast.While)) and is_exit(statement.body[-1]):
            yield statement.body[-1].body[0]

    def _index(self, statement: gast.stmt) -> None:
        self.around |= {each: statement for inner in inner_blocks(statement) for each in inner}
        for name in _writes(statement):
            self.writers.setdefault(name, []).append(statement)
            if not isinstance(statement, gast.For) and written(statement) is None:
                self.changers.setdefault(self.group(name), []).append(statement)


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
