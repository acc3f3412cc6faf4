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
from bisect import bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from heapq import merge
from itertools import groupby, islice
from typing import Any

import gast

from srcad.transforms.analysis.aliases import Aliases, aliases_of
from srcad.transforms.ir.array_functions import MAKES_ROOM, MODULES, last_part, last_parts
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
    kept = {*code.parameters, *code.unit.bindings, *MODULES, "prange"}  # later passes may refer to any of the modules
    change = _plain_names(code.body, code.parameters, kept)
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
            places = _Places(inner, self.aliases)
            for at in reversed(range(len(inner))):
                self.fold_into(inner, at, places)
            inner[:] = [statement for statement in inner if not notes_of(statement).folded]
        return self.did

    def fold_into(self, block: Block, at: int, places: _Places) -> None:
        """Replace names in the statement by the expressions that they were given just above."""
        statement = block[at]
        if notes_of(statement).folded or isinstance(statement, gast.While):
            return
        for name in list(dict.fromkeys(reads(statement))):
            if self.stores[name] != 1 or self.uses[name] != 1:
                continue
            source = self.source(block, at, name, places)
            if source is not None and _size(statement) + _size(source.value) <= MOST_FOLDED_NODES:
                _replace(statement, name, source.value)
                places.note_changes(at, statement)
                note(source, folded=True)
                self.did = True

    def source(self, block: Block, at: int, name: str, places: _Places) -> Any:
        """The statement above that gives the name its value, if the value can be computed here as well."""
        k = places.assigned.get(name, at)
        above: Any = block[k]
        if k >= at or not isinstance(above, gast.Assign) or notes_of(above).effect or not _may_move(above.value):
            return None
        if isinstance(block[at], gast.Return) and _holds_memory(above.value, block[k + 1 : at]):
            return None
        names = set(names_in(above.value))
        if places.begins_reverse(k, at) and names.intersection(self.restored):
            return None
        return above if places.are_undisturbed(names, k, at) else None


class _Places:
    """Where a block gives names their values and changes memory: the positions of its statements, nested ones included.

    Statements that are folded need not be told apart: nothing but the statement that they went into read their names.
    """

    def __init__(self, block: Block, aliases: Aliases) -> None:
        self.alias_class = aliases.alias_class
        self.assigned: dict[str, int] = {}  # by the statements of the block itself
        self.stored, self.changed, self.reverse = (
            defaultdict[str, list[int]](list),
            defaultdict[Any, list[int]](list),
            [],
        )
        for at, statement in enumerate(block):
            if (name := written(statement)) is not None:
                self.assigned[name] = at
            if notes_of(statement).begins_reverse:
                self.reverse.append(at)
            for each in walk_statements([statement]):
                for name in all_written(each):
                    self.stored[name].append(at)
                self.note_changes(at, each)

    def note_changes(self, at: int, statement: gast.stmt) -> None:
        """Note the memory that a statement at a position changes."""
        for name in changed_memory(statement):
            insort(self.changed[self.alias_class(name)], at)

    def begins_reverse(self, first: int, last: int) -> bool:
        """Whether the reverse sweep begins between two positions."""
        return _is_between(self.reverse, first, last)

    def are_undisturbed(self, names: set[str], first: int, last: int) -> bool:
        """Whether no statement between two positions stores these names, or changes their memory."""
        return not any(
            _is_between(self.stored.get(name, []), first, last)
            or _is_between(self.changed.get(self.alias_class(name), []), first, last)
            for name in names
        )


def _is_between(places: list[int], first: int, last: int) -> bool:
    """Whether one of the places, which are in order, is after the first and before the last one."""
    k = bisect_right(places, first)
    return k < len(places) and places[k] < last


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


def _plain_names(body: Block, parameters: tuple[str, ...], kept: set[str]) -> dict[str, str]:
    """Give numbered names the plain name where that is free: `s_2` becomes `s`. Returns what was changed."""
    present = [node.id for statement in body for node in walk(statement) if isinstance(node, gast.Name)]
    taken = set(present) | kept
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
