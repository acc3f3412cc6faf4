"""Forward substitution: a value that is used once moves into the expression that uses it.

    t1 = x[i]                                   s = s + np.sin(x[i])
    t2 = np.sin(t1)           becomes
    s_3 = s + t2
    s = s_3

A value moves down to its one use if nothing in between stores what it reads. Names that were numbered so that each had
one store take the plain name again where it has become free (`with_plain_names`).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from heapq import merge
from itertools import groupby, islice
from typing import Any

import gast

from srcad.transforms.analysis.aliases import Aliases, aliases_of
from srcad.transforms.ir.array_functions import MAKES_ROOM, last_part, last_parts
from srcad.transforms.ir.build import (
    Block,
    clone,
    inner_blocks,
    names_in,
    rewrite_blocks,
    walk,
    walk_blocks,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.cost_model import MOST_FOLDED_NODES
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.side_effects import all_written, changed_memory, reads, stored_in


def substitute(code: Code) -> Code:
    """Move values into the one expression that uses them."""
    aliases = aliases_of(code)
    for _ in range(3):
        if not _Folder(code, aliases).changed(code.body):
            break
    return code.with_body(code.body)


def with_plain_names(code: Code) -> Code:
    """Write ranges short, and give numbered names the plain name where that is free."""
    for statement in walk_statements(code.body):
        if isinstance(statement, gast.For):
            _shorten_range(statement.iter)
    change = _plain_names(code.body, code.parameters)
    kinds = {change.get(name, name): kind for name, kind in code.kinds.items() if name not in change.values()}
    return code.with_unit(code.with_body(code.body).unit, replace(code.types, of=kinds))


def _shorten_range(node: gast.Call) -> None:
    """`range(0, n, 1)` as `range(n)`."""
    if len(node.args) == 3 and isinstance(node.args[2], gast.Constant) and node.args[2].value == 1:
        node.args.pop()
        if isinstance(node.args[0], gast.Constant) and node.args[0].value == 0:
            node.args.pop(0)


class _Folder:
    """Folds block by block, upwards from each use."""

    def __init__(self, code: Code, aliases: Aliases) -> None:
        self.restored = code.apart  # which the reverse sweep stores again: what reads them stays in the forward sweep
        self.aliases = aliases
        self.stores: Counter[str] = Counter(code.parameters)
        self.uses: Counter[str] = Counter()
        for statement in walk_statements(code.body):
            self.stores.update(all_written(statement))
            self.uses.update(reads(statement))
        self.did = False

    def changed(self, block: Block) -> bool:
        """Fold within a block and the blocks below it; whether anything was folded."""
        for inner in reversed(list(walk_blocks(block))):
            for at in reversed(range(len(inner))):
                self.fold_into(inner, at)
            inner[:] = [statement for statement in inner if not notes_of(statement).folded]
        return self.did

    def fold_into(self, block: Block, at: int) -> None:
        """Replace names in the statement by the expressions that they were given just above."""
        statement = block[at]
        if notes_of(statement).folded or isinstance(statement, gast.While):
            return
        for name in list(dict.fromkeys(reads(statement))):
            if self.stores[name] != 1 or self.uses[name] != 1:
                continue
            source = self.source(block, at, name)
            if source is not None and _size(statement) + _size(source.value) <= MOST_FOLDED_NODES:
                _replace(statement, name, source.value)
                note(source, folded=True)
                self.did = True

    def source(self, block: Block, at: int, name: str) -> Any:
        """The statement above that gives the name its value, if the value can be computed here as well."""
        for k in range(at - 1, -1, -1):
            above: Any = block[k]
            if notes_of(above).folded:
                continue
            if written(above) == name:
                if not isinstance(above, gast.Assign) or notes_of(above).effect or not _may_move(above.value):
                    return None
                if isinstance(block[at], gast.Return) and _holds_memory(above.value, block[k + 1 : at]):
                    return None
                return above if self.is_undisturbed(above.value, block[k + 1 : at]) else None
        return None

    def is_undisturbed(self, value: gast.expr, between: Block) -> bool:
        """Whether no statement in between stores what an expression reads."""
        names = set(names_in(value))
        if names.intersection(self.restored) and any(notes_of(statement).begins_reverse for statement in between):
            return False
        alias_class = self.aliases.alias_class
        memory = set(map(alias_class, names))
        for statement in walk_statements(between):
            if notes_of(statement).folded:
                continue
            if names & set(all_written(statement)):
                return False
            if any(alias_class(base) in memory for base in changed_memory(statement)):
                return False
        return True


def _holds_memory(value: gast.expr, passed: Block) -> bool:
    """Whether arrays that a call reads would have to be kept while other statements use memory."""
    is_call = any(isinstance(node, (gast.Call, gast.MatMult)) for node in walk(value))
    return is_call and any(
        inner_blocks(each) or any(isinstance(node, (gast.Call, gast.MatMult)) for node in walk(each)) for each in passed
    )


def _may_move(value: gast.expr) -> bool:
    if isinstance(value, (gast.List, gast.Tuple)):
        return False
    return not any(isinstance(node, gast.Call) and last_part(node.func) in _MAKES_ROOM for node in walk(value))


_MAKES_ROOM = last_parts(MAKES_ROOM) | {"append"}


def _size(node: gast.AST) -> int:
    if isinstance(node, (gast.If, gast.For, gast.While)):
        header = node.iter if isinstance(node, gast.For) else node.test
        return _size(header)
    return sum(isinstance(each, (gast.expr, gast.operator)) for each in walk(node))


def _replace(statement: gast.stmt, name: str, value: gast.expr) -> None:
    """Put an expression in a name's place, in the statement or in its header."""
    replacer = _Replacer(name, value)
    match statement:
        case gast.If():
            statement.test = replacer.visit(statement.test)
        case gast.For():
            statement.iter = replacer.visit(statement.iter)
        case _:
            for field, child in gast.iter_fields(statement):
                if isinstance(child, gast.AST):
                    setattr(statement, field, replacer.visit(child))
                elif isinstance(child, list):
                    setattr(statement, field, [replacer.visit(each) for each in child])


class _Replacer(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, name: str, value: gast.expr) -> None:
        self.name, self.value = name, value

    def visit_Name(self, node: gast.Name) -> gast.expr:
        if node.id == self.name and not isinstance(node.ctx, gast.Store):
            return clone(self.value)
        return node


def without_idle_resets(block: Block) -> Block:
    """`a = b; b = 0.0; b += a` leaves `b` as it was."""
    return rewrite_blocks(block, _without_idle_resets)


def _without_idle_resets(block: Block) -> Block:
    named, stored = _positions(block)
    dropped: set[int] = set()
    for place, statement in enumerate(block):
        match statement:
            case gast.Assign(targets=[gast.Name(id=copy)], value=gast.Name(id=name)):
                touching = merge(_after(named[name], place), _after(stored.get(copy, []), place))
                after = [*islice((each for each, _ in groupby(touching) if each not in dropped), 2)]
                first, second = [block[each] for each in after] if len(after) > 1 else (statement, statement)
                if _is_reset(first, name) and _is_return(second, name, copy):
                    dropped.update(after)
    return [each for place, each in enumerate(block) if place not in dropped]


def _positions(block: Block) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """For each name: the positions of the statements that it stands in, and of those that store it."""
    named: dict[str, list[int]] = {}
    stored: dict[str, list[int]] = {}
    for place, statement in enumerate(block):
        for name in {node.id for node in walk(statement) if isinstance(node, gast.Name)}:
            named.setdefault(name, []).append(place)
        for name in {name for inner in walk_statements([statement]) for name in all_written(inner)}:
            stored.setdefault(name, []).append(place)
    return named, stored


def _after(places: list[int], place: int) -> Iterator[int]:
    return (places[k] for k in range(bisect_right(places, place), len(places)))


def _is_reset(statement: gast.stmt, name: str) -> bool:
    match statement:
        case gast.Assign(targets=[gast.Name(id=target)], value=gast.Constant(value=0.0)):
            return bool(target == name)
    return False


def _is_return(statement: gast.stmt, name: str, copy: str) -> bool:
    match statement:
        case gast.AugAssign(target=gast.Name(id=target), op=gast.Add(), value=gast.Name(id=value)):
            return bool(target == name and value == copy)
    return False


def _plain_names(body: Block, parameters: tuple[str, ...]) -> dict[str, str]:
    """Give numbered names the plain name where that is free: `s_2` becomes `s`. Returns what was changed."""
    present = [node.id for statement in body for node in walk(statement) if isinstance(node, gast.Name)]
    taken = set(present) | set(parameters)
    stored = stored_in(body)
    change: dict[str, str] = {}
    for name in dict.fromkeys(present):
        numbered = re.fullmatch(r"(.*?[A-Za-z_]\w*?)_\d+((?:_bar|_dot|_trace|_count|_at|_old|_inverse)*)", name)
        if name not in stored or name in parameters or numbered is None:
            continue
        plain = numbered[1] + numbered[2]
        if plain not in taken and plain.isidentifier():
            change[name] = plain
            taken.add(plain)
    for statement in body:
        for node in walk(statement):
            if isinstance(node, gast.Name):
                node.id = change.get(node.id, node.id)
    return change
