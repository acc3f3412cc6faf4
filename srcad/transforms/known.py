"""Conditions that are decided while compiling: made of literals, which captured flags and strings are by now."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import gast

_COMPARED: dict[type[gast.cmpop], Callable[[Any, Any], Any]] = {
    gast.Eq: operator.eq,
    gast.NotEq: operator.ne,
    gast.Is: operator.eq,  # among None, booleans and texts
    gast.IsNot: operator.ne,
    gast.Lt: operator.lt,
    gast.LtE: operator.le,
    gast.Gt: operator.gt,
    gast.GtE: operator.ge,
}
_UNKNOWN = object()


def truth(node: gast.expr) -> bool | None:
    """Whether the test is true, or None where it is decided at run time.

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
    return None if value is _UNKNOWN else bool(value)


def _compared(op: gast.cmpop, left: Any, right: Any) -> bool | None:
    if left is _UNKNOWN or right is _UNKNOWN or type(op) not in _COMPARED:
        return None
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
    return _UNKNOWN
