"""Operator precedence: how tightly expressions bind, which determines parentheses.

Numbers are printed here as well: a negative number binds like a unary minus.
"""

from __future__ import annotations

import math
from enum import IntEnum, auto
from typing import Any


class Strength(IntEnum):
    """How tightly an expression binds, loosest first."""

    YIELD = auto()
    TUPLE = auto()
    NAMED = auto()
    TEST = auto()
    OR = auto()
    AND = auto()
    NOT = auto()
    COMPARE = auto()
    BIT_OR = auto()
    BIT_XOR = auto()
    BIT_AND = auto()
    SHIFT = auto()
    SUM = auto()
    TERM = auto()
    UNARY = auto()
    POWER = auto()
    AWAIT = auto()
    ATOM = auto()


_OF_OPERATOR = {
    "Add": Strength.SUM,
    "Sub": Strength.SUM,
    "Mult": Strength.TERM,
    "MatMult": Strength.TERM,
    "Div": Strength.TERM,
    "FloorDiv": Strength.TERM,
    "Mod": Strength.TERM,
    "Pow": Strength.POWER,
    "LShift": Strength.SHIFT,
    "RShift": Strength.SHIFT,
    "BitOr": Strength.BIT_OR,
    "BitXor": Strength.BIT_XOR,
    "BitAnd": Strength.BIT_AND,
    "And": Strength.AND,
    "Or": Strength.OR,
    "Not": Strength.NOT,
    "USub": Strength.UNARY,
    "UAdd": Strength.UNARY,
    "Invert": Strength.UNARY,
}

_OF_KIND = {
    "Yield": Strength.YIELD,
    "YieldFrom": Strength.YIELD,
    "NamedExpr": Strength.NAMED,
    "IfExp": Strength.TEST,
    "Lambda": Strength.TEST,
    "Compare": Strength.COMPARE,
    "Await": Strength.AWAIT,
}


def strength(node: Any) -> Strength:
    """How tightly the printed expression binds.

    >>> import ast
    >>> [strength(ast.parse(text, mode="eval").body).name for text in ("-x ** 2", "x ** -2", "f(x)", "()")]
    ['UNARY', 'POWER', 'ATOM', 'ATOM']
    """
    kind = kind_of(node)
    if kind in ("BinOp", "BoolOp", "UnaryOp"):
        return _OF_OPERATOR[kind_of(node.op)]
    if kind == "Tuple":
        # A tuple of no or one element always has parentheses: the comma of `return x,` is easily overlooked.
        return Strength.TUPLE if len(node.elts) > 1 else Strength.ATOM
    if kind == "Constant" and isinstance(node.value, float):
        if math.isnan(node.value):
            return Strength.SUM
        return Strength.UNARY if math.copysign(1.0, node.value) < 0 else Strength.ATOM
    if kind == "Constant" and isinstance(node.value, int):
        return Strength.UNARY if node.value < 0 else Strength.ATOM
    return _OF_KIND.get(kind, Strength.ATOM)


def kind_of(node: Any) -> str:
    """The name of the node's class, which `ast` and `gast` share."""
    return type(node).__name__


def number(value: complex) -> str:
    """A number as an expression that evaluates to it exactly and needs no import.

    >>> [number(value) for value in (0.1, -2, True, float("inf"), 2j, 1 - 2j, -2j)]
    ['0.1', '-2', 'True', '1e309', '2j', '(1-2j)', 'complex(-0.0, -2.0)']
    """
    if isinstance(value, bool):
        return repr(value)
    if isinstance(value, int):
        return repr(int(value))  # `int`: the repr of a subclass, such as an enumeration, differs
    if isinstance(value, float):
        return "1e309 - 1e309" if math.isnan(value) else repr(float(value)).replace("inf", "1e309")
    real, imag = value.real, value.imag
    if (real, math.copysign(1.0, real), math.copysign(1.0, imag)) == (0.0, 1.0, 1.0) and not math.isnan(imag):
        return number(imag).removesuffix(".0") + "j"
    if real != 0.0 and imag != 0.0 and math.isfinite(abs(value)):
        return repr(complex(value))
    return f"complex({number(real)}, {number(imag)})"
