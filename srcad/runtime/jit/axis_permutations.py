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
_REPEATED = ("repeated axis",)
_NO_AXIS = ("axis is out of bounds for array of its dimension",)


def permuted_type(a: Any, *axes: Any) -> Any:
    """The type of an array whose axes are in another order; None if the call is left to Numba.

    >>> print(permuted_type(types.float64[:, ::1], types.UniTuple(types.int64, 2)))
    array(float64, 2d, A)
    >>> permuted_type(types.float64[:, ::1], types.int64, types.none) is None
    True
    """
    if type(a) is not types.Array or not a.ndim:
        return None
    kinds = [_kinds(each) for each in axes]
    is_order = len(axes) == 1 and isinstance(axes[0], types.BaseTuple) and len(kinds[0]) == a.ndim
    if not is_order and (len(axes) == 1 or len(kinds[0]) != len(kinds[1])):
        return None
    return a.copy(layout="A") if all(isinstance(each, types.Integer) for each in (*kinds[0], *kinds[-1])) else None


def _kinds(axes: Any) -> tuple[Any, ...]:
    """The types of an axis or of several."""
    return tuple(axes) if isinstance(axes, types.BaseTuple) else (axes,)


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
    source, destination = (_axes(context, builder, ndim, values[k], signature.args[k]) for k in (1, 2))
    # The axes other than the moved ones keep their order: the n-th that is left goes to the n-th place that is left.
    left = [*zip(*(_count_left(builder, ndim, each) for each in (source, destination)), strict=True)]
    order = []
    for k in range(ndim):
        place, (_, (_, rank)) = source[0].type(k), left[k]
        axis = place
        for j, ((is_left, count), _) in enumerate(left):
            is_here = builder.and_(is_left, builder.icmp_signed("==", count, rank))
            axis = builder.select(is_here, place.type(j), axis)
        for one, two in zip(source, destination, strict=True):
            axis = builder.select(builder.icmp_signed("==", place, two), one, axis)
        order.append(axis)
    return _view(context, builder, signature, values[0], order)


def _count_left(builder: Any, ndim: int, taken: Sequence[Any]) -> list[tuple[Any, Any]]:
    """For each axis whether it is none of those that are taken, and how many such axes are before it."""
    count, found = taken[0].type(0), []
    for k in range(ndim):
        is_left = cgutils.true_bit
        for each in taken:
            is_left = builder.and_(is_left, builder.icmp_signed("!=", each, each.type(k)))
        found.append((is_left, count))
        count = builder.add(count, builder.zext(is_left, count.type))
    return found


def _axes(context: Any, builder: Any, ndim: int, value: Any, kind: Any) -> list[Any]:
    """One axis or several, counted from the front. Raises ValueError if one occurs twice."""
    kinds = _kinds(kind)
    given = cgutils.unpack_tuple(builder, value, len(kinds)) if isinstance(kind, types.BaseTuple) else [value]
    found = [_axis(context, builder, ndim, *each) for each in zip(given, kinds, strict=True)]
    twice = cgutils.false_bit
    for k, each in enumerate(found):
        for other in found[:k]:
            twice = builder.or_(twice, builder.icmp_signed("==", each, other))
    with cgutils.if_unlikely(builder, twice):
        context.call_conv.return_user_exc(builder, ValueError, _REPEATED)
    return found


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
