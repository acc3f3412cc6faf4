"""New arrays that compile quickly: `np.zeros`, `np.empty`, the same with `_like`, and `np.copy` as instructions.

To Numba these are functions in Python, which call others: five to be compiled before a gradient has its first array of
zeros, for each number of dimensions and each way to write it, a sixth of a second on the whole. What they end in is
a few instructions, in one function here that is called instead. Meaning, errors and speed are the same. In the
gradient's own code the instructions would compile faster yet, but LLVM makes less of the loops around them: some
gradients took half as long again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import cgutils, ir, ir_utils, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.core.untyped_passes import IRProcessing
from numba.extending import intrinsic
from numba.np import arrayobj


def add_to(manager: PassManager) -> None:
    """Have a pipeline put instructions in place of calls."""
    manager.add_pass_after(_Allocations, IRProcessing)


@register_pass(mutates_CFG=False, analysis_only=False)
class _Allocations(FunctionPass):  # type: ignore[misc]  # Numba carries no annotations
    _name = "srcad_allocations"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        changed = False
        for block in state.func_ir.blocks.values():
            body = []
            for statement in block.body:
                quick = _quick_form(state.func_ir, statement)
                if quick is not None:
                    name = ir.Var(block.scope, ir_utils.mk_unique_var("$quick"), statement.loc)
                    known = ir.Global(quick.__name__, quick, statement.loc)
                    state.func_ir._definitions[name.name] = [known]
                    statement.value.func = name
                    body.append(ir.Assign(known, name, statement.loc))
                    changed = True
                body.append(statement)
            block.body = body
        return changed


def _quick_form(function: Any, statement: Any) -> Callable[..., Any] | None:
    """What stands in for the function that a statement calls, if it does."""
    call = statement.value if isinstance(statement, ir.Assign) else None
    if not isinstance(call, ir.Expr) or call.op != "call" or call.kws or call.vararg is not None:
        return None
    name = ir_utils.guard(ir_utils.find_callname, function, call)
    return None if name is None or name[1] != "numpy" else _QUICK.get((name[0], len(call.args)))


def _zeros(typing: Any, shape: Any) -> Any:
    return _new(typing, np.zeros, (shape,), _made(shape, types.float64), _filled(_shape_given))


def _zeros_of(typing: Any, shape: Any, dtype: Any) -> Any:
    return _new(typing, np.zeros, (shape, dtype), _made(shape, _dtype(dtype)), _filled(_shape_given))


def _zeros_like(typing: Any, a: Any) -> Any:
    return _new(typing, np.zeros_like, (a,), _made_like(a), _filled(_shape_like))


def _empty(typing: Any, shape: Any) -> Any:
    return _new(typing, np.empty, (shape,), _made(shape, types.float64), _allocated(_shape_given))


def _empty_of(typing: Any, shape: Any, dtype: Any) -> Any:
    return _new(typing, np.empty, (shape, dtype), _made(shape, _dtype(dtype)), _allocated(_shape_given))


def _empty_like(typing: Any, a: Any) -> Any:
    return _new(typing, np.empty_like, (a,), _made_like(a), _allocated(_shape_like))


def _copy(typing: Any, a: Any) -> Any:
    return _new(typing, np.copy, (a,), _made_like(a), arrayobj._array_copy)


def _called_with_one(form: Callable[..., Any]) -> Any:
    instructions = intrinsic(form)
    return numba.njit(lambda a: instructions(a))  # noqa: PLW0108  # Numba compiles Python functions only


def _called_with_two(form: Callable[..., Any]) -> Any:
    instructions = intrinsic(form)
    return numba.njit(lambda a, b: instructions(a, b))  # noqa: PLW0108


_QUICK = {
    ("zeros", 1): _called_with_one(_zeros),
    ("zeros", 2): _called_with_two(_zeros_of),
    ("zeros_like", 1): _called_with_one(_zeros_like),
    ("empty", 1): _called_with_one(_empty),
    ("empty", 2): _called_with_two(_empty_of),
    ("empty_like", 1): _called_with_one(_empty_like),
    ("copy", 1): _called_with_one(_copy),
}


def _new(typing: Any, function: Callable[..., Any], args: tuple[Any, ...], made: Any, write: Any) -> Any:
    """The signature of a call, and what writes its instructions; what Numba makes of the call, where `made` is None."""
    if made is not None:
        return made(*args), write
    plain = typing.resolve_function_type(typing.resolve_value_type(function), args, {})
    # Numba compiles these, for which they have to be Python functions.
    calls = {1: lambda a: function(a), 2: lambda a, b: function(a, b)}  # noqa: PLW0108

    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return context.compile_internal(builder, calls[len(args)], signature, values)

    return plain.return_type(*args), call


def _made(shape: Any, dtype: Any) -> Any:
    """The type of a new array, or None where it is for Numba to say."""
    ndim = parse_shape(shape)
    return None if ndim is None or dtype is None else types.Array(dtype, ndim, "C")


def _made_like(a: Any) -> Any:
    is_plain = type(a) is types.Array
    return a.copy(layout=a.layout if a.layout != "A" else "C", readonly=False) if is_plain else None


def _dtype(named: Any) -> Any:
    """The type of the elements that an argument `dtype` names, or None."""
    is_float = isinstance(named, types.Function) and named.typing_key is float
    return types.float64 if is_float else parse_dtype(named)


def _shape_given(context: Any, builder: Any, kind: Any, shape: Any) -> Any:
    return arrayobj._parse_shape(context, builder, kind, shape)


def _shape_like(context: Any, builder: Any, kind: Any, a: Any) -> Any:
    shape = arrayobj.make_array(kind)(context, builder, value=a).shape
    return cgutils.unpack_tuple(builder, shape, count=kind.ndim)


def _allocated(shape_of: Callable[..., Any]) -> Callable[..., Any]:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        return _allocate(shape_of, context, builder, signature, values)._getvalue()

    return write


def _filled(shape_of: Callable[..., Any]) -> Callable[..., Any]:
    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        array = _allocate(shape_of, context, builder, signature, values)
        cgutils.memset(builder, array.data, builder.mul(array.itemsize, array.nitems), 0)
        return array._getvalue()

    return write


def _allocate(shape_of: Callable[..., Any], context: Any, builder: Any, signature: Any, values: Any) -> Any:
    shape = shape_of(context, builder, signature.args[0], values[0])
    return arrayobj._empty_nd_impl(context, builder, signature.return_type, shape)
