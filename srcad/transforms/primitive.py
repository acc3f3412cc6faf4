"""The primitive that an expression of core form applies, and its arguments."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import gast
from numba.core.types import BaseTuple

from srcad.errors import MissingRule, Place, UnsupportedSyntax
from srcad.runtime.rule import Rule
from srcad.runtime.template import primitive_name
from srcad.transforms.build import dotted_path, names_in
from srcad.transforms.typing import Types, carries_derivatives, is_complex

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
    """The object that a dotted path means; a builtin where the first name is bound nowhere."""
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
    """Positional and keyword arguments of an operation."""
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


def bound(
    rule: Rule, positional: Sequence[gast.expr], keywords: Mapping[str, gast.expr], types: Types, place: Place | None
) -> dict[str, gast.expr]:
    """Which input of a rule each argument of a call is; MissingRule with the place where the rule does not cover it.

    What is done to a whole tuple that holds derivatives is refused: rules know numbers and arrays.
    """
    if any(_is_whole(node, types, rule.elementwise) for node in positional):
        raise whole_tuple(place)
    if not rule.handles_complex:
        read = {name for node in (*positional, *keywords.values()) for name in names_in(node)}
        if any(is_complex(types.get(name)) for name in read):
            raise MissingRule(
                f"the derivative rule of {primitive_name(rule.primitive)} does not cover complex numbers",
                at=place,
                hint="write it with np.real(z) and np.real(-1j * z), such as np.hypot of the two for np.abs(z)",
            )
    try:
        return rule.bind(positional, keywords)
    except MissingRule as problem:
        raise MissingRule(problem.what, at=place, hint=problem.hint) from None


def _is_whole(node: gast.expr, types: Types, any_tuple: bool) -> bool:
    """Whether this is a tuple that may hold derivatives, or that may make an elementwise result larger."""
    if isinstance(node, gast.Tuple):
        return any_tuple
    kind = types.get(node.id) if isinstance(node, gast.Name) else None
    return isinstance(kind, BaseTuple) and (any_tuple or carries_derivatives(kind))


def whole_tuple(place: Place | None) -> UnsupportedSyntax:
    """The error for a tuple of differentiated values that stays one."""
    return UnsupportedSyntax(
        "a tuple of differentiated values that is not taken apart at once cannot be differentiated",
        at=place,
        hint="use its elements by constant index, or separate variables",
    )
