"""Block exits: how a block of statements may be left, at its end or early."""

from __future__ import annotations

from collections.abc import Sequence

import gast

Block = Sequence[gast.stmt]


def exits_of(block: Block) -> set[str]:
    r"""The exits of a block other than its end: 'break' and 'continue' of the enclosing loop, 'return'.

    >>> sorted(exits_of(gast.parse("for i in range(3):\n    if i: break\n    return 1").body))
    ['return']
    """
    kinds: set[str] = set()
    for statement in block:
        match statement:
            case gast.Return():
                kinds.add("return")
            case gast.Break():
                kinds.add("break")
            case gast.Continue():
                kinds.add("continue")
            case gast.If(body=body, orelse=orelse):
                kinds |= exits_of(body) | exits_of(orelse)
            case gast.For(body=body, orelse=orelse) | gast.While(body=body, orelse=orelse):
                kinds |= (exits_of(body) & {"return"}) | exits_of(orelse)
    return kinds


def completes(block: Block) -> bool:
    r"""Whether the end of the block may be reached.

    >>> completes(gast.parse("if x: raise ValueError\nelse: y = 1").body)
    True
    >>> completes(gast.parse("while True:\n    x = x + 1").body)
    False
    """
    return all(_completes(statement) for statement in block)


def _completes(statement: gast.stmt) -> bool:
    match statement:
        case gast.Return() | gast.Break() | gast.Continue() | gast.Raise():
            return False
        case gast.If(body=body, orelse=orelse):
            return completes(body) or completes(orelse)
        case gast.While(test=gast.Constant(value=value), body=body) if value:
            return "break" in exits_of(body)
        case gast.For(body=body, orelse=orelse) | gast.While(body=body, orelse=orelse):
            return "break" in exits_of(body) or completes(orelse)
    return True


def returns_of(block: Block) -> list[gast.Return]:
    """All returns of the function, in source order."""
    found: list[gast.Return] = []
    for statement in block:
        match statement:
            case gast.Return():
                found.append(statement)
            case gast.If(body=body, orelse=orelse) | gast.For(body=body, orelse=orelse):
                found += returns_of(body) + returns_of(orelse)
            case gast.While(body=body, orelse=orelse):
                found += returns_of(body) + returns_of(orelse)
    return found
