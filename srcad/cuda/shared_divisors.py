"""Several quotients by one divisor become products with its reciprocal: divisions are slow on a GPU.

    w = m / r                       inverse = 1.0 / r
    t = w_bar / r           ->      w = m * inverse
                                    t = w_bar * inverse

The results may differ in the last bit. Only statements of one block are joined, and only if one of the quotients is
always computed, so that there is no division that was not there before.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import gast

from srcad.names import Names
from srcad.transforms.ir.build import Block, assign, binary, const, load
from srcad.transforms.ir.primitive import constant

_SIMPLE = (gast.Assign, gast.AugAssign)


def with_shared_divisors(block: Block, names: Names) -> Block:
    """The block with one division for each divisor; statements are changed in place."""
    for statement in block:
        for field in ("body", "orelse"):
            inner = getattr(statement, field, None)
            if inner:
                setattr(statement, field, with_shared_divisors(inner, names))
    quotients = Counter(name for statement in block for name in _divisors(statement))
    always = {name for statement in block for name in _divisors(statement, always=True)}
    for name, count in quotients.items():
        stores = sum(_stores(statement, name) for statement in block)
        if count > 1 and name in always and stores <= 1:
            block = _with_reciprocal(block, name, names)
    return block


def _divisors(statement: Any, always: bool = False) -> Iterator[str]:
    """The names by which a simple statement divides."""
    if isinstance(statement, _SIMPLE):
        yield from _divisors_in(statement.value, always)


def _divisors_in(node: Any, always: bool) -> Iterator[str]:
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Div) and isinstance(node.right, gast.Name):
        yield node.right.id
    if not (always and isinstance(node, gast.IfExp)):
        for child in gast.iter_child_nodes(node):
            yield from _divisors_in(child, always)


def _stores(statement: Any, name: str) -> int:
    return sum(
        isinstance(node, gast.Name) and node.id == name and isinstance(node.ctx, gast.Store)
        for node in gast.walk(statement)
    )


def _with_reciprocal(block: Block, name: str, names: Names) -> Block:
    """The block with products in place of the quotients by a name."""
    inverse = names.fresh(f"{name}_inverse")
    first = next(k for k, each in enumerate(block) if name in _divisors(each))
    if any(_stores(each, name) for each in block[first:]):
        return block
    for statement in block[first:]:
        if isinstance(statement, _SIMPLE):
            statement.value = _Products(name, inverse).visit(statement.value)
    block.insert(first, assign(inverse, binary(const(1.0), gast.Div, load(name))))
    return block


class _Products(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, name: str, inverse: str) -> None:
        self.name, self.inverse = name, inverse

    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        node = self.generic_visit(node)
        if not (isinstance(node.op, gast.Div) and isinstance(node.right, gast.Name) and node.right.id == self.name):
            return node
        if constant(node.left) == 1:
            return load(self.inverse)
        return binary(node.left, gast.Mult, load(self.inverse))
