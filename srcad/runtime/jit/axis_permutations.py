"""`np.transpose` with axes, `np.swapaxes` and `np.moveaxis` as a few instructions.

Numba implements the three by functions that build lists and sets of axes: up to 60 functions are compiled for one call.
Here the order of the axes is computed with integers. Meaning and results are those of Numba; all return views.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir as llvm
from numba.core import cgutils, types
from numba.np import arrayobj

_NO_ORDER = ("axes don't match array",)
_NO_AXIS = ("axis is out of bounds for array of its dimension",)


def permuted_type(a: Any, *axes: Any) -> Any:
    """The type of an array whose axes are in another order; None if the call is left to Numba.

    >>> print(permuted_type(types.float64[:, ::1], types.UniTuple(types.int64, 2)))
    array(float64, 2d, A)
    >>> permuted_type(types.float64[:, ::1], types.int64, types.none) is None
    True
    """
    is_order = len(axes) == 1 and isinstance(axes[0], types.BaseTuple) and len(axes[0]) == getattr(a, "ndim", 0)
    kinds = tuple(axes[0]) if is_order else axes
    if type(a) is not types.Array or not a.ndim or (len(axes) == 1 and not is_order):
        return None
    return a.copy(layout="A") if all(isinstance(each, types.Integer) for each in kinds) else None


def transposed(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.transpose(a, axes)`."""
    kinds = tuple(signature.args[1])
    given = cgutils.unpack_tuple(builder, values[1], len(kinds))
    order = [_axis(context, builder, len(kinds), each, kind) for each, kind in zip(given, kinds, strict=True)]
    used = order[0].type(0)
    for each in order:
        used = builder.or_(used, builder.shl(used.type(1), each))
    is_order = builder.icmp_signed("==", used, used.type(2 ** len(kinds) - 1))
    with cgutils.if_unlikely(builder, builder.not_(is_order)):
        context.call_conv.return_user_exc(builder, ValueError, _NO_ORDER)
    return _view(context, builder, signature, values[0], order)


def swapped(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.swapaxes(a, axis1, axis2)`."""
    ndim = signature.args[0].ndim
    one, two = (_axis(context, builder, ndim, values[k], signature.args[k]) for k in (1, 2))
    order = []
    for k in range(ndim):
        here = one.type(k)
        other = builder.select(builder.icmp_signed("==", here, two), one, here)
        order.append(builder.select(builder.icmp_signed("==", here, one), two, other))
    return _view(context, builder, signature, values[0], order)


def moved(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The instructions of `np.moveaxis(a, source, destination)`."""
    ndim = signature.args[0].ndim
    source, destination = (_axis(context, builder, ndim, values[k], signature.args[k]) for k in (1, 2))
    order = []
    for k in range(ndim):
        here = source.type(k)
        # The axes other than the moved one keep their order: the n-th that is left goes to the n-th place that is left.
        left = builder.sub(here, builder.zext(builder.icmp_signed(">", here, destination), here.type))
        other = builder.add(left, builder.zext(builder.icmp_signed(">=", left, source), here.type))
        order.append(builder.select(builder.icmp_signed("==", here, destination), source, other))
    return _view(context, builder, signature, values[0], order)


def _axis(context: Any, builder: Any, ndim: int, value: Any, kind: Any) -> Any:
    """An axis counted from the front. Raises ValueError if the array does not have it."""
    value = context.cast(builder, value, kind, types.intp)
    value = builder.select(builder.icmp_signed("<", value, value.type(0)), builder.add(value, value.type(ndim)), value)
    with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", value, value.type(ndim))):
        context.call_conv.return_user_exc(builder, ValueError, _NO_AXIS)
    return value


def _view(context: Any, builder: Any, signature: Any, value: Any, order: Sequence[Any]) -> Any:
    """The array with its axes in another order."""
    kind = signature.args[0]
    a = arrayobj.make_array(kind)(context, builder, value)
    result = arrayobj.make_array(signature.return_type)(context, builder)
    shape, strides = (_reordered(builder, each, kind.ndim, order) for each in (a.shape, a.strides))
    arrayobj.populate_array(
        result, a.data, shape=shape, strides=strides, itemsize=a.itemsize, meminfo=a.meminfo, parent=a.parent
    )
    return arrayobj.impl_ret_borrowed(context, builder, signature.return_type, result._getvalue())


def _reordered(builder: Any, packed: Any, ndim: int, order: Sequence[Any]) -> list[Any]:
    """The integers of a tuple in another order."""
    place = cgutils.alloca_once_value(builder, packed)
    none = llvm.Constant(order[0].type, 0)
    return [builder.load(builder.gep(place, [none, each])) for each in order]
