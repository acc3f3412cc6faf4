"""Constant conditions: evaluate conditions on literals, including captured flags and strings, at compile time."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from typing import Any

import gast

from srcad.transforms.ir.primitive import BINARY, UNARY

_COMPARED: dict[type[gast.cmpop], Callable[[Any, Any], Any]] = {
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Is: operator.eq,  # among None, booleans and strings
    gast.IsNot: operator.ne,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
}
UNKNOWN = object()  # not a constant; None is one


class Member(str):
    """A member of an enumeration, as a text that equals nothing else, unless the member is a string itself."""

    member: enum.Enum

    @classmethod
    def of(cls, member: enum.Enum) -> Member:
        """The text for a member."""
        kind = type(member)
        text = f"<{kind.__module__}.{kind.__qualname__}.{member.name}>"
        made = cls(member.value if isinstance(member, str) else text)
        made.member = member
        return made


def known_key(key: Any) -> Any:
    """A dictionary key as represented during lowering.

    >>> known_key("a"), known_key(enum.Enum("Kind", "A", module="models").A)
    ('a', '<models.Kind.A>')
    """
    return Member.of(key) if isinstance(key, enum.Enum) and not isinstance(key, int) else key


def truth(node: gast.expr) -> bool | None:
    """Whether the test is true, or None if that is decided at run time.

    >>> [truth(gast.parse(text).body[0].value) for text in ("not None is None or 3 > 2", "'a' == 'b' and x", "x > 1")]
    [True, False, None]
    """
    match node:
        case gast.UnaryOp(op=gast.Not(), operand=operand):
            known = truth(operand)
            return None if known is None else not known
        case gast.BoolOp(op=op, values=values):
            deciding = isinstance(op, gast.Or)
            for value in values:
                known = truth(value)
                if known is None or known is deciding:
                    return known
            return not deciding
        case gast.Compare(left=left, ops=[op], comparators=[right]):
            return _compared(op, _value(left), _value(right))
    value = _value(node)
    return None if value is UNKNOWN else bool(value)


def _compared(op: gast.cmpop, left: Any, right: Any) -> bool | None:
    if left is UNKNOWN or right is UNKNOWN or type(op) not in _COMPARED:
        return None
    if isinstance(op, (gast.Is, gast.IsNot)) and (left is None or right is None):
        return (left is right) is isinstance(op, gast.Is)
    if isinstance(op, (gast.Is, gast.IsNot)) and not all(isinstance(v, (bool, str, type(None))) for v in (left, right)):
        return None
    try:
        return bool(_COMPARED[type(op)](left, right))
    except TypeError:
        return None


def _value(node: gast.expr) -> Any:
    match node:
        case gast.Constant(value=value):
            return value
        case gast.UnaryOp(op=gast.USub(), operand=gast.Constant(value=value)):
            return -value
    return UNKNOWN


def computed(node: gast.expr, constant_of: Callable[[Any], Any]) -> Any:
    """The value of one operation on atoms, or UNKNOWN; `constant_of` gives the constants of atoms.

    >>> node = gast.parse("n - 1").body[0].value
    >>> computed(node, lambda atom: {"n": 3}[atom.id] if isinstance(atom, gast.Name) else atom.value)
    2
    """
    match node:
        case gast.BinOp(left=left, op=op, right=right):
            values = constant_of(left), constant_of(right)
            # Other numbers are left to run time: their arithmetic in Numba may differ from Python's.
            if all(type(each) is int for each in values) and not isinstance(op, (gast.Pow, gast.LShift)):
                return _applied(BINARY[type(op)], *values)
        case gast.UnaryOp(op=gast.Not() | gast.USub() as op, operand=operand):
            value = constant_of(operand)
            return UNKNOWN if value is UNKNOWN else _applied(UNARY[type(op)], value)
        case gast.Compare(left=left, ops=[op], comparators=[right]):
            decided = _compared(op, constant_of(left), constant_of(right))
            return UNKNOWN if decided is None else decided
        case gast.Call(func=gast.Name(id="min" | "max" | "abs" | "bool" | "int" as name), args=arguments, keywords=[]):
            known = tuple(constant_of(each) for each in arguments)
            if known and all(isinstance(each, int) for each in known):
                return _applied(_FUNCTIONS[name], *known)
        case gast.Call(func=gast.Name(id="len"), args=[held]) if isinstance(text := constant_of(held), str):
            return len(text)
        case gast.Subscript(value=held, slice=index) if isinstance(text := constant_of(held), str):
            place = constant_of(index) if isinstance(index, (gast.Name, gast.Constant)) else UNKNOWN
            return text[place] if type(place) is int and -len(text) <= place < len(text) else UNKNOWN
        case gast.Call(func=gast.Attribute(value=gast.Name(id="operator"), attr=name), args=[left, right]):
            values = constant_of(left), constant_of(right)
            if name in _IN_PLACE and all(type(each) is int for each in values):
                return _applied(getattr(operator, name), *values)
    return UNKNOWN


_FUNCTIONS: dict[str, Callable[..., Any]] = {"min": min, "max": max, "abs": abs, "bool": bool, "int": int}
_IN_PLACE = frozenset({"iadd", "isub", "imul", "ifloordiv", "imod"})


def _applied(function: Callable[..., Any], *values: Any) -> Any:
    try:
        return function(*values)
    except (ArithmeticError, TypeError, ValueError):
        return UNKNOWN
