"""Primitives: the function that an expression of core form applies, and its arguments."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping
from typing import Any

import gast

from srcad.transforms.ir.build import dotted_path

BINARY: dict[type[gast.AST], Any] = {
    gast.Add: operator.add,
    gast.Sub: operator.sub,
    gast.Mult: operator.mul,
    gast.Div: operator.truediv,
    gast.FloorDiv: operator.floordiv,
    gast.Mod: operator.mod,
    gast.Pow: operator.pow,
    gast.MatMult: operator.matmul,
    gast.BitAnd: operator.and_,
    gast.BitOr: operator.or_,
    gast.BitXor: operator.xor,
    gast.LShift: operator.lshift,
    gast.RShift: operator.rshift,
}
IN_PLACE_FUNCTIONS = frozenset(getattr(operator, f"i{each.__name__.strip('_')}") for each in BINARY.values())
UNARY: dict[type[gast.AST], Any] = {
    gast.USub: operator.neg,
    gast.UAdd: operator.pos,
    gast.Not: operator.not_,
    gast.Invert: operator.invert,
}
COMPARISON: dict[type[gast.AST], Any] = {
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Is: operator.is_,
    gast.IsNot: operator.is_not,
    gast.In: operator.contains,
    gast.NotIn: operator.contains,
}


def look_up(path: str, bindings: Mapping[str, Any]) -> Any:
    """The object that a dotted path refers to; a builtin if the first name is not bound."""
    first, *rest = path.split(".")
    value = bindings[first] if first in bindings else getattr(builtins, first)
    for attribute in rest:
        value = getattr(value, attribute)
    return value


def primitive_of(expression: gast.expr, bindings: Mapping[str, Any]) -> Any:
    """The function that an operation applies; None for names, literals, subscripts, tuples and attributes."""
    match expression:
        case gast.BinOp(op=op):
            return BINARY[type(op)]
        case gast.UnaryOp(operand=gast.Constant()):
            return None
        case gast.UnaryOp(op=op):
            return UNARY[type(op)]
        case gast.Compare(ops=[op]):
            return COMPARISON[type(op)]
        case gast.Call(func=function):
            path = dotted_path(function)
            return None if path is None else look_up(path, bindings)
    return None


def operands(expression: gast.expr) -> tuple[list[gast.expr], dict[str, gast.expr]]:
    """The positional and keyword arguments of an operation."""
    match expression:
        case gast.BinOp(left=left, right=right):
            return [left, right], {}
        case gast.UnaryOp(operand=operand):
            return [operand], {}
        case gast.Compare(left=left, comparators=[right]):
            return [left, right], {}
        case gast.Call(args=arguments, keywords=keywords):
            return list(arguments), {keyword.arg: keyword.value for keyword in keywords}
    return [], {}


def is_atom(node: gast.expr | None) -> bool:
    """Whether an expression is a name or a literal."""
    match node:
        case gast.Name() | gast.Constant():
            return True
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant()):
            return True
        case gast.Attribute():
            return dotted_path(node) is not None
    return False


def constant(node: gast.expr | None) -> Any:
    """The value of a literal, else None."""
    match node:
        case gast.Constant(value=value):
            return value
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
            return -value
    return None
