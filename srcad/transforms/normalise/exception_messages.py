"""Messages: replace raised or printed texts that Numba cannot format, because of non-integer values, by their parts.

    raise ValueError(f"no root near {x}")       becomes     raise ValueError("no root near", x)

Functions with such messages can then be compiled, and the values still reach the user: for calls from Python the text
is put together again (`srcad/driver/user_exceptions.py`), compiled callers see the parts.
"""

from __future__ import annotations

from typing import Any

import gast
from numba import types as nb

from srcad.transforms.ir.build import const, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.name_types import Types
from srcad.transforms.lowering.desugaring.for_loops import called


def with_plain_messages(code: Code) -> Code:
    """Replace such texts by their parts as arguments; while types are unknown, only texts with formats."""
    unit, known = code.unit, code.types if code.is_typed else None
    if not any(_texts(each, known) for each in walk_statements(code.body)):
        return code
    unit = unit.with_tree(unit.copy_tree())
    for statement in walk_statements(unit.tree.body):
        for text in _texts(statement, known):
            arguments = _call(statement).args
            at = next(k for k, each in enumerate(arguments) if each is text)
            arguments[at : at + 1] = [part for each in text.values for part in _plain(each)]
    return code.with_unit(unit)


def _texts(statement: gast.stmt, known: Types | None) -> list[gast.JoinedStr]:
    """The texts in a statement that Numba cannot format."""
    call = _call(statement)
    texts = [each for each in call.args if isinstance(each, gast.JoinedStr)] if call is not None else []
    return [text for text in texts if any(_is_formatted(each, known) for each in text.values)]


def _call(statement: gast.stmt) -> Any:
    match statement:
        case gast.Raise(exc=gast.Call() as call):
            return call
        case gast.Expr(value=gast.Call() as call) if called(call) == "print":
            return call
    return None


def _is_formatted(part: gast.expr, known: Types | None) -> bool:
    if not isinstance(part, gast.FormattedValue):
        return False
    if part.format_spec is not None or part.conversion != -1:
        return True
    kind = known.get(part.value.id) if known is not None and isinstance(part.value, gast.Name) else nb.int64
    return not isinstance(kind, (nb.Integer, nb.Boolean, nb.UnicodeType))


def _plain(part: gast.expr) -> list[gast.expr]:
    if isinstance(part, gast.FormattedValue):
        return [part.value]
    text = str(part.value).removesuffix(" ").removeprefix(" ")
    return [const(text)] if text else []
