"""Gathers: elements of an array at places that an integer array holds, `x[k]`, and conversions of types, by elements.

    k = np.astype(np.floor(p), np.int64)            k_i = kernels.to_integer(np.floor(p[i]))
    a = x[k]                            becomes     kernels.check_index(k_i, x.shape[0], "x[k]: ...")
                                                    a_i = x[k_i]

Read element by element, a gather is fused with the statement that uses it, and so are the integers that it depends on:
no array of them exists, and none is recorded. Checks that all of these are in range move to the element.
"""

from __future__ import annotations

from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.transforms.analysis.affine.integer_facts import index_parts
from srcad.transforms.analysis.program_facts import Program
from srcad.transforms.ir.array_functions import CHECKING, last_part, last_parts
from srcad.transforms.ir.build import names_in, written
from srcad.transforms.ir.primitive import constant, primitive_of

_CHECKS = last_parts(CHECKING)
_VECTORISED = (np.exp, np.log, np.tanh, np.sqrt, np.divide)  # several at once take little longer than one
_BOUNDS = (np.minimum, np.maximum, np.clip)
_PLAIN = (gast.Name, gast.Constant, gast.Attribute, gast.Subscript, gast.Compare, gast.UnaryOp)


def is_gather(program: Program, value: gast.expr) -> bool:
    """Whether an expression reads single elements of an array, by one index for each axis, of which one is an array."""
    types = program.types
    match value:
        case gast.Subscript(value=gast.Name(id=base)):
            parts = index_parts(value)
            kinds = [_kind(program, part) for part in parts]
            is_one = len(parts) == types.rank(base) and base not in names_in(value.slice)
            return is_one and all(_is_index(kind) for kind in kinds) and any(isinstance(k, nb.Array) for k in kinds)
    return False


def _kind(program: Program, part: gast.expr) -> Any:
    if isinstance(part, gast.Name):
        return program.types.get(part.id)
    return nb.intp if type(constant(part)) is int else None


def _is_index(kind: Any) -> bool:
    return isinstance(kind.dtype if isinstance(kind, nb.Array) else kind, nb.Integer)


def base_of_gather(program: Program, value: gast.expr) -> str | None:
    """The array that a gather reads; None for other expressions."""
    return str(value.value.id) if isinstance(value, gast.Subscript) and is_gather(program, value) else None


def conversion(program: Program, value: gast.expr) -> str | None:
    """The function that converts one element as this call of `np.astype` converts an array; None for other values."""
    if not isinstance(value, gast.Call) or primitive_of(value, program.unit.bindings) is not np.astype:
        return None
    source = program.types.get(value.args[0].id) if isinstance(value.args[0], gast.Name) else None
    if not isinstance(source, nb.Array) or value.keywords:
        return None
    return {
        (nb.float64, "int64"): "kernels.to_integer",
        (nb.int64, "float64"): "float",
        (nb.boolean, "float64"): "float",
        (nb.float64, "float64"): "float",
    }.get((source.dtype, last_part(value.args[1])))


def is_integer_operation(program: Program, value: gast.expr) -> bool:
    """Whether numbers give what arrays of 64-bit integers give: sums, products, negatives, bounds.

    Of quotients and remainders only those of a positive literal: Python raises an exception where a divisor is 0.
    """
    match value:
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() | gast.Mult(), right=right):
            return all(_is_whole(program, each) for each in (left, right))
        case gast.BinOp(left=left, op=gast.FloorDiv() | gast.Mod(), right=right):
            divisor = constant(right)
            return _is_whole(program, left) and type(divisor) is int and divisor > 0
        case gast.Call(args=arguments, keywords=[]) if primitive_of(value, program.unit.bindings) in _BOUNDS:
            return all(_is_whole(program, each) for each in arguments)
        case gast.UnaryOp(op=gast.USub(), operand=operand):
            return _is_whole(program, operand)
    return conversion(program, value) is not None


def _is_whole(program: Program, node: gast.expr) -> bool:
    kind = program.types.get(node.id) if isinstance(node, gast.Name) else nb.int64
    kind = kind.dtype if isinstance(kind, nb.Array) else kind
    return kind == nb.int64 and (isinstance(node, gast.Name) or type(constant(node)) is int)


def checked_indices(statement: gast.stmt) -> str | None:
    """The array of indices that a statement checks; None for other statements."""
    match statement:
        case gast.Expr(value=gast.Call(func=function, args=[gast.Name(id=name), *_])):
            return str(name) if last_part(function) == "check_indices" else None
    return None


def may_pass(program: Program, statement: gast.stmt) -> bool:
    """Whether a check may move past a statement, because that raises nothing, or is a check itself."""
    match statement:
        case gast.Expr(value=gast.Call(func=function)):
            return last_part(function) in _CHECKS
        case gast.Assign(value=value) if written(statement) is not None:
            return isinstance(value, _PLAIN) or _is_total(program, value)
    return False


def _is_total(program: Program, value: gast.expr) -> bool:
    return isinstance(value, gast.BinOp) and isinstance(value.op, (gast.Add, gast.Sub, gast.Mult))


def is_vectorised(program: Program, value: gast.expr | None) -> bool:
    """Whether several elements of a value are computed at once, but not beside a gather."""
    match value:
        case gast.BinOp(op=gast.Div(), right=gast.Name(id=divisor)):
            return program.types.is_array(divisor)
        case gast.Call():
            return primitive_of(value, program.unit.bindings) in _VECTORISED
    return False
