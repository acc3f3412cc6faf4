"""Array allocation that compiles quickly: `np.zeros`, `np.empty`, their `_like` variants and `np.copy` as intrinsics.

The pass also replaces calls that put axes in another order by `axis_permutations`.

Numba implements these as Python functions that call others: five functions are compiled before a gradient has its first
array of zeros, for each number of dimensions and each way to write the call, about a sixth of a second in all. The few
LLVM instructions that they come to are written here as an LLVM function in the gradient's own module, so that nothing
is typed or compiled for them. Meaning, errors and speed are those of Numba. (Instructions inlined into the gradient
itself make LLVM optimise the surrounding loops less: some gradients took half as long again.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir as llvm
from numba.core import cgutils, ir, ir_utils, types
from numba.core.compiler_machinery import FunctionPass, PassManager, register_pass
from numba.core.typing.npydecl import parse_dtype, parse_shape
from numba.core.untyped_passes import IRProcessing
from numba.extending import intrinsic
from numba.np import arrayobj

from srcad.runtime.jit import array_views, axis_permutations, elementwise_choices
from srcad.runtime.jit.replaced_calls import numbas, replacement


def add_to(manager: PassManager, state: Any) -> None:
    """Add the pass that replaces calls by intrinsics to a pipeline; `state` is the compiler's state."""
    state.typingctx.refresh()  # it may not have seen the newly registered intrinsics
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


def _quick_form(function: Any, statement: Any) -> Any:
    """The intrinsic that replaces the function called by a statement, or None."""
    call = statement.value if isinstance(statement, ir.Assign) else None
    if isinstance(call, ir.Expr) and call.op == "binop" and call.fn is operator.matmul:
        found = replacement(operator.matmul.__module__, "matmul", 2)
        if found is not None:
            statement.value = ir.Expr.call(call.lhs, [call.lhs, call.rhs], (), call.loc)  # the caller sets the function
        return found
    if not isinstance(call, ir.Expr) or call.op != "call" or call.vararg is not None:
        return None
    name = ir_utils.guard(ir_utils.find_callname, function, call)
    if name is None or name[1] != "numpy" or [key for key, _ in call.kws] not in ([], ["dtype"]):
        return None
    count = len(call.args) + len(call.kws)
    found = _QUICK.get((name[0], count)) or replacement(name[1], name[0], count)
    if call.kws and found is not None:
        if name[0] not in ("empty", "zeros"):
            return None
        call.args, call.kws = [*call.args, call.kws[0][1]], ()
    return found


def _zeros(typing: Any, shape: Any) -> Any:
    return _new(typing, np.zeros, (shape,), _made(shape, types.float64), _zeros_of_shape)


def _zeros_typed(typing: Any, shape: Any, dtype: Any) -> Any:
    return _new(typing, np.zeros, (shape, dtype), _made(shape, _dtype(dtype)), _zeros_of_shape)


def _zeros_like(typing: Any, a: Any) -> Any:
    return _new(typing, np.zeros_like, (a,), _made_like(a), _zeros_of_likeness)


def _empty(typing: Any, shape: Any) -> Any:
    return _new(typing, np.empty, (shape,), _made(shape, types.float64), _empty_of_shape)


def _empty_typed(typing: Any, shape: Any, dtype: Any) -> Any:
    return _new(typing, np.empty, (shape, dtype), _made(shape, _dtype(dtype)), _empty_of_shape)


def _empty_like(typing: Any, a: Any) -> Any:
    return _new(typing, np.empty_like, (a,), _made_like(a), _empty_of_likeness)


def _copy(typing: Any, a: Any) -> Any:
    return _new(typing, np.copy, (a,), _made_like(a), _copied)


def _transposed(typing: Any, a: Any, axes: Any) -> Any:
    return _new(typing, np.transpose, (a, axes), axis_permutations.permuted_type(a, axes), axis_permutations.transposed)


def _swapped(typing: Any, a: Any, axis1: Any, axis2: Any) -> Any:
    return _new(
        typing,
        np.swapaxes,
        (a, axis1, axis2),
        axis_permutations.permuted_type(a, axis1, axis2),
        axis_permutations.swapped,
    )


def _moved(typing: Any, a: Any, source: Any, destination: Any) -> Any:
    return _new(
        typing,
        np.moveaxis,
        (a, source, destination),
        axis_permutations.permuted_type(a, source, destination),
        axis_permutations.moved,
    )


def _as_array(typing: Any, a: Any) -> Any:
    return _new(typing, np.asarray, (a,), array_views.same_type(a), array_views.same)


def _contiguous(typing: Any, a: Any) -> Any:
    write = array_views.as_it_is_or(_copied)
    return _new(typing, np.ascontiguousarray, (a,), array_views.contiguous_type(a), write)


def _reshaped(typing: Any, a: Any, shape: Any) -> Any:
    return _new(typing, np.reshape, (a, shape), array_views.reshaped_type(a, shape), array_views.reshaped)


def _broadcast(typing: Any, a: Any, shape: Any) -> Any:
    return _new(typing, np.broadcast_to, (a, shape), array_views.broadcast_type(a, shape), array_views.broadcast)


def _common(typing: Any, one: Any, two: Any) -> Any:
    return _new(typing, np.broadcast_shapes, (one, two), array_views.common_type(one, two), array_views.common)


def _where(typing: Any, c: Any, x: Any, y: Any) -> Any:
    return _new(typing, np.where, (c, x, y), elementwise_choices.where_type(c, x, y), elementwise_choices.where)


def _clipped(typing: Any, a: Any, low: Any, high: Any) -> Any:
    made = elementwise_choices.clip_type(a, low, high)
    return _new(typing, np.clip, (a, low, high), made, elementwise_choices.clipped)


_QUICK = {
    ("zeros", 1): intrinsic(_zeros),
    ("zeros", 2): intrinsic(_zeros_typed),
    ("zeros_like", 1): intrinsic(_zeros_like),
    ("empty", 1): intrinsic(_empty),
    ("empty", 2): intrinsic(_empty_typed),
    ("empty_like", 1): intrinsic(_empty_like),
    ("copy", 1): intrinsic(_copy),
    ("transpose", 2): intrinsic(_transposed),
    ("swapaxes", 3): intrinsic(_swapped),
    ("moveaxis", 3): intrinsic(_moved),
    ("asarray", 1): intrinsic(_as_array),
    ("ascontiguousarray", 1): intrinsic(_contiguous),
    ("reshape", 2): intrinsic(_reshaped),
    ("broadcast_to", 2): intrinsic(_broadcast),
    ("broadcast_shapes", 2): intrinsic(_common),
    ("where", 3): intrinsic(_where),
    ("clip", 3): intrinsic(_clipped),
}

Write = Callable[[Any, Any, Any, Any], Any]


def _new(typing: Any, function: Callable[..., Any], args: tuple[Any, ...], made: Any, write: Write) -> Any:
    """The signature of a call and the function that writes its instructions; Numba's own if `made` is None."""
    if made is not None:
        return made(*args), _called(write)
    return numbas(typing, function, args)


def _called(write: Write) -> Write:
    """A call of an LLVM function with the written instructions, which is added to the module at its first call."""

    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention, result, kinds = context.call_conv, signature.return_type, signature.args
        name = f"srcad.{write.__name__}.{result}.{kinds}"
        function = builder.module.globals.get(name)
        if function is None:
            form = convention.get_function_type(result, kinds)
            function = _written(context, llvm.Function(builder.module, form, name), signature, write)
        status, array = convention.call_function(builder, function, result, kinds, values)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return array

    return call


def _written(context: Any, function: Any, signature: Any, write: Write) -> Any:
    """The LLVM function with its instructions."""
    convention, kinds = context.call_conv, signature.args
    function.linkage = "internal"
    convention.decorate_function(function, [f"a{place}" for place in range(len(kinds))], kinds)
    inside = llvm.IRBuilder(function.append_basic_block("entry"))
    packer = context.get_arg_packer(kinds)
    values = packer.from_arguments(inside, convention.get_arguments(function))
    convention.return_value(inside, write(context, inside, signature, values))
    return function


def _made(shape: Any, dtype: Any) -> Any:
    """The type of a new array, or None if the decision is left to Numba."""
    ndim = parse_shape(shape)
    return None if ndim is None or dtype is None else types.Array(dtype, ndim, "C")


def _made_like(a: Any) -> Any:
    is_plain = type(a) is types.Array
    return a.copy(layout=a.layout if a.layout != "A" else "C", readonly=False) if is_plain else None


def _dtype(named: Any) -> Any:
    """The element type that an argument `dtype` names, or None."""
    is_float = isinstance(named, types.Function) and named.typing_key is float
    return types.float64 if is_float else parse_dtype(named)


def _empty_of_shape(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return _allocated(context, builder, signature.return_type, _given(context, builder, signature, values))._getvalue()


def _empty_of_likeness(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return _allocated(context, builder, signature.return_type, _like(context, builder, signature, values))._getvalue()


def _zeros_of_shape(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return _zeroed(context, builder, signature.return_type, _given(context, builder, signature, values))


def _zeros_of_likeness(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return _zeroed(context, builder, signature.return_type, _like(context, builder, signature, values))


def _given(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return arrayobj._parse_shape(context, builder, signature.args[0], values[0])


def _like(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    a = arrayobj.make_array(signature.args[0])(context, builder, value=values[0])
    return cgutils.unpack_tuple(builder, a.shape)


def _zeroed(context: Any, builder: Any, kind: Any, shape: Any) -> Any:
    a = _allocated(context, builder, kind, shape, is_apart=True)
    cgutils.memset(builder, a.data, builder.mul(a.itemsize, a.nitems), 0)
    return a._getvalue()


def _copied(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    given, kind = signature.args[0], signature.return_type
    a = arrayobj.make_array(given)(context, builder, value=values[0])
    shape = cgutils.unpack_tuple(builder, a.shape)
    copy = _allocated(context, builder, kind, shape)
    if given.layout == kind.layout:
        cgutils.raw_memcpy(builder, copy.data, a.data, a.nitems, a.itemsize, align=1)
        return copy._getvalue()
    with cgutils.loop_nest(builder, shape, context.get_value_type(types.intp)) as place:
        source = cgutils.get_item_pointer(context, builder, given, a, place)
        builder.store(builder.load(source), cgutils.get_item_pointer(context, builder, kind, copy, place))
    return copy._getvalue()


def _allocated(context: Any, builder: Any, kind: Any, shape: Any, is_apart: bool = False) -> Any:
    """A new array of this type and shape. Raises ValueError if its size in bytes overflows.

    LLVM is told that arrays of zeros, such as adjoints, do not alias any other memory. When it was told the same of
    traces, it vectorised stores of values that are scattered in memory, and loops over pairs took twice as long.
    """
    itemsize = context.get_constant(types.intp, arrayobj.get_itemsize(context, kind))
    count, size, is_over = context.get_constant(types.intp, 1), itemsize, cgutils.false_bit
    strides = {}
    for axis in reversed(range(kind.ndim)) if kind.layout == "C" else range(kind.ndim):
        strides[axis] = size
        size = builder.mul(size, shape[axis])
    for extent in (*shape, itemsize):
        product = builder.smul_with_overflow(count, extent)
        count = builder.extract_value(product, 0)
        is_over = builder.or_(is_over, builder.extract_value(product, 1))
    with builder.if_then(is_over, likely=False):
        context.call_conv.return_user_exc(builder, ValueError, _TOO_BIG)
    alignment = context.get_constant(types.uint32, context.get_preferred_array_alignment(kind.dtype))
    memory = context.nrt.meminfo_alloc_aligned(builder, count, alignment)
    array, word = arrayobj.make_array(kind)(context, builder), context.get_value_type(types.intp)
    arrayobj.populate_array(
        array,
        data=builder.bitcast(_data(context, builder, memory, is_apart), array.data.type),
        shape=cgutils.pack_array(builder, shape, ty=word),
        strides=cgutils.pack_array(builder, [strides[axis] for axis in range(kind.ndim)], ty=word),
        itemsize=itemsize,
        meminfo=memory,
    )
    return array


def _data(context: Any, builder: Any, memory: Any, is_apart: bool) -> Any:
    """The pointer to the elements. Read from the header of the memory, as Numba does, it could point anywhere for LLVM.

    Written as an offset from the pointer that the allocation returned, it is known not to alias arguments and other
    allocations.
    """
    data = context.nrt.meminfo_data(builder, memory)
    if not is_apart:
        return data
    word = context.get_value_type(types.intp)
    return builder.gep(memory, [builder.sub(builder.ptrtoint(data, word), builder.ptrtoint(memory, word))])


_TOO_BIG = ("array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size.",)
