"""The larger and the smaller of two numbers as LLVM's `maximum` and `minimum`, of which it makes vector instructions.

A NaN wins, as in `np.maximum`. A comparison and a choice, which say the same of floats, keep LLVM from reducing several
elements at a time, since that would change which NaN is found. Integers and other numbers are compared.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload


def larger(a: Any, b: Any) -> Any:
    """The larger of two numbers; NaN if one is.

    >>> larger(2.0, 3.0), larger(float("nan"), 3.0)
    (3.0, nan)
    """
    return a if a >= b or a != a else b


def smaller(a: Any, b: Any) -> Any:
    """The smaller of two numbers; NaN if one is.

    >>> smaller(2.0, 3.0), smaller(3.0, float("nan"))
    (2.0, nan)
    """
    return a if a <= b or a != a else b


def _instruction(name: str) -> Any:
    @intrinsic
    def of_floats(typingctx, a, b):
        def emit(context, builder, signature, arguments):
            kind = context.get_value_type(signature.return_type)
            called = f"llvm.{name}.{'f32' if isinstance(kind, ir.FloatType) else 'f64'}"
            function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(kind, [kind, kind]), called)
            return builder.call(function, arguments)

        return a(a, a), emit

    return of_floats


_maximum, _minimum = _instruction("maximum"), _instruction("minimum")


def _are_floats(a: Any, b: Any) -> bool:
    return a == b and a in (types.float32, types.float64)


@overload(larger)
def _larger(a, b):
    return (lambda a, b: _maximum(a, b)) if _are_floats(a, b) else (lambda a, b: a if a >= b or a != a else b)


@overload(smaller)
def _smaller(a, b):
    return (lambda a, b: _minimum(a, b)) if _are_floats(a, b) else (lambda a, b: a if a <= b or a != a else b)
