"""Hints for LLVM in generated code: sums that may be reassociated, and integers that are not negative.

Both are functions that compile to one or two instructions, and need nothing compiled for them.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable


def plus(total: Any, term: Any) -> Any:
    """`total + term`, in a sum that LLVM may reassociate, as vector instructions require.

    >>> plus(1.5, 2.0)
    3.5
    """
    return total + term


def natural(index: int) -> None:
    """Does nothing. It promises LLVM that an index is not negative, so it does not count from an array's end.

    >>> natural(3)
    """


@type_callable(plus)
def _plus_type(context: Any) -> Callable[..., Any]:
    def typer(total: Any, term: Any) -> Any:
        if isinstance(total, types.Number) and isinstance(term, types.Number):
            return context.unify_types(total, term)
        return None

    return typer


@lower_builtin(plus, types.Number, types.Number)
def _plus(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind = signature.return_type
    total, term = (context.cast(builder, arg, own, kind) for arg, own in zip(args, signature.args, strict=True))
    if isinstance(kind, types.Float):
        return builder.fadd(total, term, flags=("reassoc",))
    if isinstance(kind, types.Complex):
        one, other = (context.make_complex(builder, kind, value=each) for each in (total, term))
        one.real = builder.fadd(one.real, other.real, flags=("reassoc",))
        one.imag = builder.fadd(one.imag, other.imag, flags=("reassoc",))
        return one._getvalue()
    same = kind(kind, kind)
    return context.get_function(operator.add, same)(builder, (total, term))


@type_callable(natural)
def _natural_type(context: Any) -> Callable[..., Any]:
    return lambda index: types.none if isinstance(index, types.Integer) else None


@lower_builtin(natural, types.Integer)
def _natural(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    if signature.args[0].signed:
        [index] = args
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(1)])
        assume = cgutils.get_or_insert_function(builder.module, kind, "llvm.assume")
        builder.call(assume, [builder.icmp_signed(">=", index, ir.Constant(index.type, 0))])
    return context.get_dummy_value()
