"""`np.reshape`, `np.broadcast_to`, `np.broadcast_shapes`, `np.ascontiguousarray` and `np.asarray` as instructions.

Numba implements these by Python functions that call others; most of what kernels do with shapes goes through them, and
each function that is compiled takes some 20 ms. The few instructions that they come to are written here. Meaning,
results and errors are Numba's, but for messages. `COMPILED` has the functions that Numba compiles for its own
instructions, such as one to find the extent that is written as -1, and how they are written here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.np import arrayobj

_NO_SHAPE = ("total size of new array must be unchanged",)
_NO_BROADCAST = ("operands could not be broadcast together with remapped shapes",)
_NO_COMMON = ("shape mismatch: objects cannot be broadcast to a single shape",)
_compile_internal = BaseContext.compile_internal


def _is_array(kind: Any) -> bool:
    return type(kind) is types.Array


def _is_shape(kind: Any) -> bool:
    return isinstance(kind, types.BaseTuple) and all(isinstance(each, types.Integer) for each in kind)


def same_type(a: Any) -> Any:
    """The type of `np.asarray(a)`; None if the call is left to Numba, as below."""
    return a if _is_array(a) else None


def contiguous_type(a: Any) -> Any:
    """The type of `np.ascontiguousarray(a)`.

    >>> print(contiguous_type(types.float64[:, :]))
    array(float64, 2d, C)
    """
    return a.copy(layout="C", readonly=False) if _is_array(a) and a.ndim else None


def reshaped_type(a: Any, shape: Any) -> Any:
    """The type of `np.reshape(a, shape)`.

    >>> print(reshaped_type(types.float64[::1], types.UniTuple(types.int64, 2)))
    array(float64, 2d, C)
    >>> reshaped_type(types.float64[:], types.int64) is None
    True
    """
    if not _is_array(a) or a.layout != "C" or not (_is_shape(shape) or isinstance(shape, types.Integer)):
        return None
    return a.copy(ndim=len(shape) if isinstance(shape, types.BaseTuple) else 1)


def broadcast_type(a: Any, shape: Any) -> Any:
    """The type of `np.broadcast_to(a, shape)`.

    >>> print(broadcast_type(types.float64[::1], types.UniTuple(types.int64, 2)))
    readonly array(float64, 2d, A)
    """
    if not _is_array(a) or not isinstance(shape, types.UniTuple) or not _is_shape(shape) or len(shape) < a.ndim:
        return None
    return a.copy(ndim=len(shape), layout="A", readonly=True)


def common_type(one: Any, two: Any) -> Any:
    """The type of `np.broadcast_shapes(one, two)`.

    >>> len(common_type(types.UniTuple(types.int64, 2), types.UniTuple(types.int64, 1)))
    2
    """
    if not all(isinstance(each, types.UniTuple) and _is_shape(each) and len(each) for each in (one, two)):
        return None
    return types.UniTuple(types.intp, max(len(one), len(two)))


def same(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.asarray(a)`."""
    return arrayobj.impl_ret_borrowed(context, builder, signature.return_type, values[0])


def reshaped(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.reshape(a, shape)` of an array that is contiguous."""
    kind, asked = signature.args
    a = arrayobj.make_array(kind)(context, builder, values[0])
    extents = _extents(context, builder, asked, values[1])
    size, known, unknown = a.nitems, a.nitems.type(1), a.nitems.type(0)
    is_open = [builder.icmp_signed("<", each, each.type(0)) for each in extents]
    for each, left in zip(extents, is_open, strict=True):
        known = builder.mul(known, builder.select(left, each.type(1), each))
        unknown = builder.add(unknown, builder.zext(left, unknown.type))
    inferred, fits = _inferred(builder, size, known, unknown)
    with cgutils.if_unlikely(builder, builder.not_(fits)):
        context.call_conv.return_user_exc(builder, ValueError, _NO_SHAPE)
    shape = [builder.select(left, inferred, each) for each, left in zip(extents, is_open, strict=True)]
    strides, step = list[Any](), a.itemsize
    for each in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, each)
    return _view(context, builder, signature, a, shape, strides)


def broadcast(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.broadcast_to(a, shape)`."""
    kind, asked = signature.args
    a = arrayobj.make_array(kind)(context, builder, values[0])
    shape = _extents(context, builder, asked, values[1])
    own = [*zip(*(cgutils.unpack_tuple(builder, each, kind.ndim) for each in (a.shape, a.strides)), strict=True)]
    none = a.itemsize.type(0)
    fits, strides = cgutils.true_bit, [none] * (len(shape) - kind.ndim)
    for each in shape:
        fits = builder.and_(fits, builder.icmp_signed(">=", each, none))
    for (extent, stride), wanted in zip(own, shape[len(strides) :], strict=True):
        is_one = builder.icmp_signed("==", extent, none.type(1))
        is_same = builder.icmp_signed("==", extent, wanted)
        fits = builder.and_(fits, builder.or_(is_one, is_same))
        strides.append(builder.select(is_same, stride, none))
    with cgutils.if_unlikely(builder, builder.not_(fits)):
        context.call_conv.return_user_exc(builder, ValueError, _NO_BROADCAST)
    return _view(context, builder, signature, a, shape, strides, is_readonly=True)


def common(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.broadcast_shapes(one, two)`."""
    both = [_extents(context, builder, *each) for each in zip(signature.args, values, strict=True)]
    count, result, fits = len(signature.return_type), list[Any](), cgutils.true_bit
    for k in range(-count, 0):
        found = [each[k] for each in both if len(each) >= -k]
        one, two = found[0], found[-1]
        is_one = builder.icmp_signed("==", one, one.type(1))
        met = builder.or_(is_one, builder.icmp_signed("==", two, one.type(1)))
        fits = builder.and_(fits, builder.or_(met, builder.icmp_signed("==", one, two)))
        for each in found:
            fits = builder.and_(fits, builder.icmp_signed(">=", each, one.type(0)))
        result.append(builder.select(is_one, two, one))
    with cgutils.if_unlikely(builder, builder.not_(fits)):
        context.call_conv.return_user_exc(builder, ValueError, _NO_COMMON)
    return context.make_tuple(builder, signature.return_type, result)


def is_contiguous(context: Any, builder: Any, kind: Any, a: Any) -> Any:
    """Whether the elements of an array are side by side in the order of C."""
    step, found = a.itemsize, cgutils.true_bit
    shape, strides = (cgutils.unpack_tuple(builder, each, kind.ndim) for each in (a.shape, a.strides))
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        is_one = builder.icmp_signed("==", extent, extent.type(1))
        found = builder.and_(found, builder.or_(is_one, builder.icmp_signed("==", stride, step)))
        step = builder.mul(step, extent)
    return builder.or_(found, builder.icmp_signed("==", a.nitems, a.nitems.type(0)))


def as_it_is_or(copy: Callable[..., Any]) -> Callable[..., Any]:
    """The instructions of `np.ascontiguousarray(a)`, given those of a copy."""

    def contiguous(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        (kind,) = signature.args
        if kind.layout == "C" or (kind.ndim == 1 and kind.layout == "F"):
            return same(context, builder, signature, values)
        a = arrayobj.make_array(kind)(context, builder, values[0])
        result = cgutils.alloca_once(builder, context.get_value_type(signature.return_type))
        with builder.if_else(is_contiguous(context, builder, kind, a)) as (yes, no):
            with yes:
                builder.store(same(context, builder, signature, values), result)
            with no:
                builder.store(copy(context, builder, signature, values), result)
        return builder.load(result)

    return contiguous


def _extents(context: Any, builder: Any, kind: Any, value: Any) -> list[Any]:
    """The integers of a shape."""
    kinds = tuple(kind) if isinstance(kind, types.BaseTuple) else (kind,)
    given = cgutils.unpack_tuple(builder, value, len(kinds)) if isinstance(kind, types.BaseTuple) else [value]
    return [context.cast(builder, each, of, types.intp) for each, of in zip(given, kinds, strict=True)]


def _view(
    context: Any,
    builder: Any,
    signature: Any,
    a: Any,
    shape: Sequence[Any],
    strides: Sequence[Any],
    is_readonly: bool = False,
) -> Any:
    """The elements of an array in another shape. By a missing parent, Numba tells Python that they are read only."""
    result, word = arrayobj.make_array(signature.return_type)(context, builder), context.get_value_type(types.intp)
    arrayobj.populate_array(
        result,
        data=a.data,
        shape=cgutils.pack_array(builder, shape, ty=word),
        strides=cgutils.pack_array(builder, strides, ty=word),
        itemsize=a.itemsize,
        meminfo=a.meminfo,
        parent=llvm.Constant(a.parent.type, None) if is_readonly else a.parent,
    )
    return arrayobj.impl_ret_borrowed(context, builder, signature.return_type, result._getvalue())


def _allocator(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """`numba.np.arrayobj._call_allocator` of plain arrays."""
    if signature.args[0].instance_type is not types.Array:
        return None
    return context.nrt.meminfo_alloc_aligned(builder, values[1], values[2])


def _extent_inferred(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """`numba.np.arrayobj.normalize_reshape_value`: the extent that is written as -1, in an array of extents."""
    size, kind = values[0], signature.args[1]
    extents = arrayobj.make_array(kind)(context, builder, values[1])
    none = size.type(0)
    known, unknown, place = (cgutils.alloca_once_value(builder, size.type(each)) for each in (1, 0, 0))
    with cgutils.for_range(builder, extents.nitems, intp=size.type) as loop:
        each = builder.load(builder.gep(extents.data, [loop.index]))
        is_open = builder.icmp_signed("<", each, none)
        builder.store(builder.mul(builder.load(known), builder.select(is_open, none.type(1), each)), known)
        builder.store(builder.add(builder.load(unknown), builder.zext(is_open, size.type)), unknown)
        builder.store(builder.select(is_open, loop.index, builder.load(place)), place)
    product, count = builder.load(known), builder.load(unknown)
    inferred, fits = _inferred(builder, size, product, count)
    with cgutils.if_unlikely(builder, builder.not_(fits)):
        context.call_conv.return_user_exc(builder, ValueError, _NO_SHAPE)
    with builder.if_then(builder.icmp_signed(">", count, none)):
        builder.store(inferred, builder.gep(extents.data, [builder.load(place)]))
    return context.get_dummy_value()


def _inferred(builder: Any, size: Any, known: Any, unknown: Any) -> tuple[Any, Any]:
    """The extent that is not known, given the product of the others; whether an array of this size has the shape."""
    none, one = size.type(0), size.type(1)
    is_empty = builder.icmp_signed("==", known, none)
    inferred = builder.select(is_empty, none, builder.sdiv(size, builder.select(is_empty, one, known)))
    total = builder.select(builder.icmp_signed("==", unknown, none), known, builder.mul(known, inferred))
    return inferred, builder.and_(builder.icmp_signed("==", total, size), builder.icmp_signed("<=", unknown, one))


COMPILED: dict[Any, Callable[..., Any]] = {
    arrayobj._call_allocator: _allocator,
    arrayobj.normalize_reshape_value: _extent_inferred,
}


def compile_internal(self: Any, builder: Any, impl: Any, sig: Any, args: Any, locals: Any = None) -> Any:
    """Numba's method of the same name, which compiles a function to call it. `COMPILED` are written instead."""
    write = COMPILED.get(impl)
    written = None if write is None else write(self, builder, sig, args)
    return _compile_internal(self, builder, impl, sig, args, locals or {}) if written is None else written
