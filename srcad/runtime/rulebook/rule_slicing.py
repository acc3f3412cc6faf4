"""Program slicing of rules: the statements needed if only some inputs have an adjoint or a tangent."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import gast


def wanted_part(body: Sequence[gast.stmt], wanted: Collection[str]) -> list[gast.stmt]:
    """The statements of an adjoint rule that contribute to the wanted inputs, and those that they depend on.

    >>> body = gast.parse("t = d[y] / b; d[a] = t; d[b] = -t * y").body
    >>> [gast.unparse(each).strip() for each in wanted_part(body, {"a"})]
    ['t = d[y] / b', 'd[a] = t']
    """
    kept: list[gast.stmt] = []
    needed: set[str] = set()
    for statement in reversed(body):
        if isinstance(statement, gast.Assign):
            target = statement.targets[0]
            own = target.slice.id in wanted if isinstance(target, gast.Subscript) else target.id in needed
            if own:
                kept.insert(0, statement)
                needed |= names_read(statement.value)
    return kept


def active_part(body: Sequence[gast.stmt], active: Collection[str]) -> list[gast.stmt]:
    """A tangent rule without the terms that contain the tangent of an input which has none.

    >>> body = gast.parse("d[y] = d[a] / b - d[b] * y / b").body
    >>> [gast.unparse(each).strip() for each in active_part(body, {"b"})]
    ['d[y] = -(d[b] * y / b)']
    """
    kept: list[gast.stmt] = []
    zeros: set[str] = set()
    for statement in body:
        if not isinstance(statement, gast.Assign):
            continue
        value = _without(statement.value, active, zeros)
        target = statement.targets[0]
        if value is not None:
            kept.append(gast.copy_location(gast.Assign(targets=[target], value=value, type_comment=None), statement))
        elif isinstance(target, gast.Name):
            zeros.add(target.id)
    return kept


def _without(node: gast.expr, active: Collection[str], zeros: Collection[str]) -> gast.expr | None:
    """The expression without its inactive terms; None if nothing remains."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Add | gast.Sub):
        left, right = _without(node.left, active, zeros), _without(node.right, active, zeros)
        if left is None and right is not None and isinstance(node.op, gast.Sub):
            return gast.copy_location(gast.UnaryOp(op=gast.USub(), operand=right), node)
        if left is None or right is None:
            return left or right
        return gast.copy_location(gast.BinOp(left=left, op=node.op, right=right), node)
    for inner in gast.walk(node):
        if is_d(inner) and inner.slice.id not in active:
            return None
        if isinstance(inner, gast.Name) and inner.id in zeros:
            return None
    return node


def is_d(node: gast.AST) -> bool:
    """Whether the node is `d[name]`."""
    return (
        isinstance(node, gast.Subscript)
        and isinstance(node.value, gast.Name)
        and node.value.id == "d"
        and isinstance(node.slice, gast.Name)
    )


def names_read(node: gast.AST) -> set[str]:
    """The names that an expression reads, except those in `d[...]`."""
    inside = {id(inner.slice) for inner in gast.walk(node) if is_d(inner)}
    return {inner.id for inner in gast.walk(node) if isinstance(inner, gast.Name) and id(inner) not in inside}
