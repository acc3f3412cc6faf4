"""May raise: whether a statement of the primal can end in an exception, where the function runs as plain Python.

    z = x @ y           shapes may not match            s = np.sum(x)           never
    t = x[i]            out of range                    t = 2.0 * x             never
    q = a / b           of numbers: a division by 0     u = np.sin(x)           never

Such statements are kept where nothing depends on their results, so that a derivative raises what the function raises.
Compiled code has checks instead (`bounds_checks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.ir.array_functions import TOTAL, Fact, functions, having
from srcad.transforms.ir.build import Block, inner_blocks, walk
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant, primitive_of

_TOTAL = functions(TOTAL)
_MADE = functions(having(Fact.LIKE))
_REDUCTIONS = (np.sum, np.mean, np.prod)
_PARTIAL = (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow)


def raising_statements(code: Code) -> Iterator[gast.stmt]:
    """The statements of the primal that may raise an exception.

    Of a function with two sweeps these are in the first, and in iterations that have sweeps of their own.
    """
    yield from _raising(code, code.body, False)


def _raising(code: Code, block: Block, is_reverse: bool) -> Iterator[gast.stmt]:
    is_reverse = is_reverse and not any(notes_of(each).begins_reverse for each in block)
    for statement in block:
        is_reverse = is_reverse or notes_of(statement).begins_reverse
        for inner in inner_blocks(statement):
            yield from _raising(code, inner, is_reverse)
        is_primal = isinstance(statement, gast.Assign) and notes_of(statement).sweep == "primal"
        if is_primal and not is_reverse and may_raise(statement.value, code):
            yield statement


def may_raise(value: gast.expr, code: Code) -> bool:
    """Whether the computation of an expression may raise an exception."""
    return any(_may_raise(node, code) for node in walk(value))


def _may_raise(node: gast.AST, code: Code) -> bool:
    match node:
        case gast.BinOp(left=left, op=op, right=right):
            if isinstance(op, _PARTIAL) and not _is_array(left, code) and not _is_array(right, code):
                return constant(right) in (None, 0) or (isinstance(op, gast.Pow) and not _is_positive(right))
            return isinstance(op, gast.MatMult) or not (_is_number(left, code) or _is_number(right, code))
        case gast.Subscript(value=base, slice=index):
            is_tuple = isinstance(_kind(base, code), nb.BaseTuple)
            is_shape = isinstance(base, gast.Attribute) and base.attr == "shape"
            return not ((is_tuple or is_shape) and constant(index) is not None)
        case gast.Call(args=arguments, keywords=keywords):
            primitive = primitive_of(node, code.unit.bindings)
            if _is_one_of(primitive, _MADE):
                return False
            if _is_one_of(primitive, _REDUCTIONS):
                return bool(keywords) or len(arguments) > 1
            if _is_one_of(primitive, _TOTAL) or (isinstance(primitive, np.ufunc) and primitive.signature is None):
                return sum(not _is_number(each, code) for each in arguments) > 1 or bool(keywords)
            return True
    return False


def _is_one_of(primitive: Any, functions: Iterable[Any]) -> bool:
    return any(primitive is each for each in functions)


def _is_positive(node: gast.expr) -> bool:
    value = constant(node)
    return isinstance(value, (int, float)) and value > 0


def _is_number(node: gast.expr, code: Code) -> bool:
    """Whether an expression is known to be a number."""
    return isinstance(_kind(node, code), (nb.Number, nb.Boolean)) or isinstance(constant(node), (int, float, complex))


def _is_array(node: gast.expr, code: Code) -> bool:
    """Whether an expression is known to be an array."""
    return isinstance(_kind(node, code), nb.Array)


def _kind(node: gast.expr, code: Code) -> nb.Type | None:
    kinds = notes_of(code.unit.tree).kinds or {}
    return kinds.get(node.id) if isinstance(node, gast.Name) else None
