"""Algebraic simplification: factors to the power one, double negation, sums of literals."""

from __future__ import annotations

from typing import Any

import gast

from srcad.transforms.ir.build import const
from srcad.transforms.ir.primitive import constant


def simplify(node: Any) -> Any:
    """Simplify an expression of a derivative rule; values stay the same to the last bit.

    Not for the user's own expressions: `x * 1.0` is a new array.

    >>> from srcad.printing.printer import print_function
    >>> print(print_function(simplify(gast.parse("-(2 * a ** (2 - 1) * b)").body[0].value)), end="")
    -(2 * a * b)
    """
    return _Simplifier().visit(node)


def without_detour(node: gast.expr) -> gast.expr:
    """`j` for `j + 1 - 1`, of integers.

    >>> from srcad.printing.printer import print_function
    >>> print(print_function(without_detour(gast.parse("n + 1 - 1").body[0].value)), end="")
    n
    """
    match node:
        case gast.BinOp(left=gast.BinOp(left=inner, op=gast.Add(), right=added), op=gast.Sub(), right=taken):
            if isinstance(constant(added), int) and constant(added) == constant(taken):
                return inner
    return node


class _Simplifier(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def visit_BinOp(self, node: gast.BinOp) -> gast.expr:
        self.generic_visit(node)
        left, right = constant(node.left), constant(node.right)
        match node.op:
            case gast.Mult():
                node.left, node.right = _base(node.left), _base(node.right)
            case gast.Add() | gast.Sub() if (
                isinstance(left, int) and isinstance(right, int) and _are_plain(left, right)
            ):
                return const(left + right if isinstance(node.op, gast.Add) else left - right)
        return node

    def visit_UnaryOp(self, node: gast.UnaryOp) -> gast.expr:
        self.generic_visit(node)
        match node:
            case gast.UnaryOp(op=gast.USub(), operand=gast.UnaryOp(op=gast.USub(), operand=inner)):
                return inner
        return node


def _base(node: gast.expr) -> gast.expr:
    """`a` for `a ** 1`, as a factor."""
    if isinstance(node, gast.BinOp) and isinstance(node.op, gast.Pow) and _is_one(constant(node.right)):
        return node.left
    return node


def _is_one(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == 1


def _are_plain(*values: Any) -> bool:
    return not any(isinstance(value, bool) for value in values)
