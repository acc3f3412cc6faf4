"""Drop generated statements that nothing depends on.

Code is alive if the result, or an effect, depends on it. Names of arrays that may share memory are one, so that a
store is alive as long as any view of what it writes into is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import gast

from srcad.runtime.clock import stage
from srcad.transforms.build import (
    Block,
    dotted_path,
    inner_blocks,
    is_exit,
    reads,
    walk_statements,
    written,
)
from srcad.transforms.node_notes import notes_of
from srcad.transforms.plan import FRESH

ALLOCATING = {
    "np.zeros",
    "np.empty",
    "np.ones",
    "np.full",
    "np.zeros_like",
    "np.empty_like",
    "np.ones_like",
    "np.copy",
    "np.sum",
    "len",
}


@stage("prune")
def without_dead_code(body: Block, outputs: Collection[str] = ()) -> Block:
    """The statements that the result, an effect, or the memory of one of the `outputs` depends on."""
    return _Liveness(body, outputs).kept(body)


class Groups:
    """Groups of names that may reach the same array."""

    def __init__(self, body: Block, numbers: Collection[str] = ()) -> None:
        """`numbers` are names that reach none."""
        self.numbers = numbers
        self._up: dict[str, str] = {}
        for statement in walk_statements(body):
            name = written(statement)
            match statement:
                case gast.Assign(value=value) if name:
                    self._join(name, value)
                case gast.Assign(targets=[gast.Tuple(elts=targets)], value=gast.Tuple(elts=values)):
                    for target, value in zip(targets, values, strict=True):
                        self._join(target.id, value)
                case gast.Expr(
                    value=gast.Call(func=gast.Attribute(value=gast.Name(id=kept), attr="append"), args=[value])
                ):
                    self._join(str(kept), value)

    def _join(self, name: str, value: gast.expr) -> None:
        if name in self.numbers:
            return
        for base in _bases(value):
            if base in self.numbers:
                continue
            one, other = self.find(name), self.find(base)
            if one != other:
                self._up[one] = other

    def find(self, name: str) -> str:
        """The name that stands for a name's group."""
        while self._up.get(name, name) != name:
            name = self._up[name]
        return name


class _Liveness:
    def __init__(self, body: Block, outputs: Collection[str] = ()) -> None:
        self.group = Groups(body).find
        self.writers: dict[str, list[gast.stmt]] = {}
        self.changers: dict[str, list[gast.stmt]] = {}
        self.around: dict[int, list[gast.stmt]] = {}
        self._index(body, [])
        self.alive: set[int] = set()
        pending = [statement for statement in walk_statements(body) if _is_effect(statement)]
        for name in outputs:
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


def mutated_by(statement: gast.stmt) -> list[str]:
    """The array that a helper call, or an append, changes."""
    match statement:
        case gast.Expr(value=gast.Call(func=gast.Attribute(value=gast.Name(id=base), attr="append"))):
            return [base]
        case gast.Expr(
            value=gast.Call(func=gast.Attribute(attr="scatter_add" | "unexpand"), args=[gast.Name(id=base), *_])
        ):
            return [base]
    return []


def _augmented(statement: gast.stmt) -> list[str]:
    """The name that `+=` reads as well as stores."""
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


def _bases(value: gast.expr) -> Iterator[str]:
    """Names whose memory an expression may be a view of."""
    match value:
        case gast.Name(id=name):
            yield name
        case gast.Subscript(value=base):
            yield from _bases(base)
        case gast.Call(func=function, args=arguments):
            if dotted_path(function) not in ALLOCATING | FRESH:
                for argument in arguments:
                    yield from _bases(argument)
        case gast.Tuple(elts=elements) | gast.List(elts=elements):
            for element in elements:
                yield from _bases(element)


def _exit(loop: gast.For | gast.While) -> gast.stmt | None:
    return loop.body[-1] if is_exit(loop.body[-1]) else None
