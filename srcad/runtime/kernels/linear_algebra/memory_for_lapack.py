"""Memory as BLAS and LAPACK take it, in compiled code, without counting references."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np import arrayobj
from numba.np.linalg import F_INT_nbtype


@intrinsic
def pointer_to(typing: Any, a: Any, i: Any, j: Any) -> Any:
    """The address of an element of a matrix, as BLAS takes it."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind, place = signature.args[0], list(args[1:])
        array = arrayobj.make_array(kind)(context, builder, args[0])
        return cgutils.get_item_pointer(context, builder, kind, array, place)

    return types.CPointer(a.dtype)(a, types.intp, types.intp), write


@intrinsic
def as_integers(typing: Any, pointer: Any) -> Any:
    """The same memory as integers of LAPACK's."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(signature.return_type))

    return types.CPointer(F_INT_nbtype)(pointer), write


@intrinsic
def integers_on_stack(typing: Any, count: Any) -> Any:
    """Room for integers of LAPACK's, until the function returns."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.alloca(context.get_value_type(F_INT_nbtype), size=args[0])

    return types.CPointer(F_INT_nbtype)(types.intp), write


@intrinsic
def as_column(typing: Any, a: Any) -> Any:
    """A contiguous vector as a matrix of one column."""

    def write(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        made = signature.return_type
        given, column = arrayobj.make_array(a)(context, builder, args[0]), arrayobj.make_array(made)(context, builder)
        extents = [*cgutils.unpack_tuple(builder, given.shape), context.get_constant(types.intp, 1)]
        arrayobj.populate_array(
            column,
            data=given.data,
            shape=cgutils.pack_array(builder, extents),
            strides=cgutils.pack_array(builder, [given.itemsize, given.itemsize]),
            itemsize=given.itemsize,
            meminfo=given.meminfo,
            parent=given.parent,
        )
        return column._getvalue()

    return types.Array(a.dtype, 2, "C")(a), write
