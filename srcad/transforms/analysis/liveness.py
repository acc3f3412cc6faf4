"""Liveness: the names whose values may be read later (Aho, Lam, Sethi, Ullman, Compilers, 2006, section 9.2.5).

A backward data-flow analysis: each statement reads names (use), and stores some on every path (kill); what is live
before it follows from what is live after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import gast

from srcad.transforms.ir.build import Block, inner_blocks, is_exit, walk, written
from srcad.transforms.ir.side_effects import reads

Live: TypeAlias = frozenset[str]
_Known: TypeAlias = dict[int, tuple[Live, Live]]


def live_before(block: Block, after: Live) -> Live:
    """The live-in names of a block, given those live after it."""
    read, stored = _passed(block, {})
    return read | (after - stored)


def live_behind(block: Block, after: Live, known: _Known | None = None) -> list[Live]:
    """The names that are live after each statement of a block; `after` has those live after the last."""
    found = [after]
    for statement in block[:0:-1]:
        read, stored = _through(statement, {} if known is None else known)
        found.append(read | (found[-1] - stored))
    return found[: len(block)][::-1]


def live_at_head(statement: gast.For | gast.While, after: Live, known: _Known | None = None) -> Live:
    """The names that are live at the start of an iteration."""
    read, stored = _passed(statement.body, {} if known is None else known)
    if isinstance(statement, gast.For):
        return (read | (after - stored)) - {written(statement)}
    return frozenset(reads(statement)) | read | (after - stored)


def live_blocks(block: Block) -> Iterator[tuple[Block, list[Live]]]:
    """A block and its inner blocks, each with the names that are live after each of its statements."""
    yield from _live_blocks(block, frozenset(), frozenset(), {})


def _live_blocks(block: Block, after: Live, always: Live, known: _Known) -> Iterator[tuple[Block, list[Live]]]:
    """The same; the names in `always` are live after all statements, since the loop around may be left from any."""
    statements, behind = list(block), [live | always for live in live_behind(block, after, known)]
    yield block, behind
    for statement, live in zip(statements, behind, strict=True):
        is_loop = isinstance(statement, (gast.For, gast.While))
        leaves = live if is_loop and _leaves_within(statement) else frozenset() if is_loop else always
        within = live | live_at_head(statement, live, known) if is_loop else live
        for inner in inner_blocks(statement):
            yield from _live_blocks(inner, within, leaves, known)


def _leaves_within(loop: gast.For | gast.While) -> bool:
    """Whether a loop may be left, or continued, other than at the end of its body."""
    return any(isinstance(node, (gast.Break, gast.Continue)) for each in loop.body[:-1] for node in walk(each))


def _passed(block: Block, known: _Known) -> tuple[Live, Live]:
    """The names that a block may read before it stores them, and those that it stores on every path."""
    read = stored = frozenset[str]()
    for statement in reversed(block):
        own, anew = _through(statement, known)
        read, stored = own | (read - anew), stored | anew
    return read, stored


def _through(statement: gast.stmt, known: _Known) -> tuple[Live, Live]:
    """The same for one statement; `known` caches results by identity."""
    if id(statement) not in known:
        own, nothing = frozenset(reads(statement)), frozenset[str]()
        match statement:
            case gast.If() if is_exit(statement):
                found = own, nothing
            case gast.If(body=body, orelse=orelse):
                (one, stored), (other, also) = _passed(body, known), _passed(orelse, known)
                found = own | one | other, stored & also
            case gast.For() | gast.While():
                found = own | (_passed(statement.body, known)[0] - {written(statement)}), nothing
            case _:
                name = written(statement)
                found = own, frozenset([name]) if name else nothing
        known[id(statement)] = found
    return known[id(statement)]
