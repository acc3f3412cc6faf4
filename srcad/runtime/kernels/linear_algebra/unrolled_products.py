"""Operations on matrices of few elements, whose extents the code that calls them knows: straight lines of instructions.

    kernels.small.times_into(c, a, b, 3, 3, 2)          c = a @ b, for a of 3 by 3 and b of 3 by 2
    kernels.small.empty_matrix(3, 3)                    an array on the stack

Nothing is called, so LLVM sees every element: where the arrays are on the stack, it holds elements in registers and
makes vector instructions of several. All operands are read before anything is stored, so they may share memory with the
result. Terms are added in the order of the inner index. Vectors count as matrices of one column, on the left side of
one row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, type_callable
from numba.np import arrayobj

from srcad.runtime.kernels.linear_algebra.small_systems import (
    cofactors_factored_into,
    determinant_factored,
    inverse_factored_into,
    lu_factors_into,
    solve_factored_into,
    solve_factored_transposed_into,
)

__all__ = [
    "add_outer",
    "add_scaled",
    "add_times",
    "add_times_transpose",
    "add_to",
    "add_transpose_times",
    "cofactors_factored_into",
    "copy_to",
    "determinant_factored",
    "diagonal_into",
    "empty_matrix",
    "empty_vector",
    "fill",
    "inverse_factored_into",
    "lu_factors_into",
    "outer_into",
    "solve_factored_into",
    "solve_factored_transposed_into",
    "subtract_from",
    "times_into",
    "times_transpose_into",
    "transpose_times_into",
]


def times_into(out: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Store a product of matrices.

    >>> out = np.empty((1, 1))
    >>> times_into(out, np.array([[1.0, 2.0]]), np.array([[3.0], [4.0]]), 1, 2, 1)
    >>> out
    array([[11.]])
    """
    out[...] = a @ b


def times_transpose_into(out: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Store the product of a matrix and the transpose of another."""
    out[...] = a @ b.T


def transpose_times_into(out: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Store the product of the transpose of a matrix and a matrix or a vector."""
    out[...] = a.T @ b


def outer_into(out: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Store the outer product of two vectors; `inner` is 1."""
    out[...] = np.outer(a, b)


def add_times(total: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Add a product of matrices."""
    total += a @ b


def add_times_transpose(total: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Add the product of a matrix and the transpose of another."""
    total += a @ b.T


def add_transpose_times(total: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Add the product of the transpose of a matrix and a matrix or a vector."""
    total += a.T @ b


def add_outer(total: Any, a: Any, b: Any, rows: int, inner: int, columns: int) -> None:
    """Add the outer product of two vectors; `inner` is 1."""
    total += np.outer(a, b)


def copy_to(out: Any, a: Any, rows: int, columns: int) -> None:
    """Copy an array into one of the same shape.

    >>> out = np.empty(2)
    >>> copy_to(out, np.array([1.0, 2.0]), 2, 1)
    >>> out
    array([1., 2.])
    """
    out[...] = a


def add_to(total: Any, a: Any, rows: int, columns: int) -> None:
    """Add an array to one of the same shape."""
    total += a


def subtract_from(total: Any, a: Any, rows: int, columns: int) -> None:
    """Subtract an array from one of the same shape."""
    total -= a


def add_scaled(total: Any, factor: Any, a: Any, rows: int, columns: int) -> None:
    """Add a multiple of an array to one of the same shape."""
    total += factor * a


def diagonal_into(out: Any, number: Any, rows: int, columns: int) -> None:
    """Store a multiple of the identity."""
    out[...] = np.eye(rows, columns) * number


def fill(out: Any, number: Any, rows: int, columns: int) -> None:
    """Set all elements to a number."""
    out[...] = number


def empty_vector(size: int) -> Any:
    """A vector of doubles that are not set, on the stack in compiled code: not to be returned, nor made in a loop.

    >>> empty_vector(3).shape
    (3,)
    """
    return np.empty(size)


def empty_matrix(rows: int, columns: int) -> Any:
    """The same for a matrix."""
    return np.empty((rows, columns))


class _Elements:
    """The elements of an array of known extents; a vector is a column, or a row."""

    def __init__(
        self, context: Any, builder: Any, kind: Any, value: Any, extents: tuple[int, int], is_row: bool
    ) -> None:
        self.builder, self.kind, self.extents, self.is_row = builder, kind, extents, is_row
        array = arrayobj.make_array(kind)(context, builder, value)
        self.data, self.strides = array.data, cgutils.unpack_tuple(builder, array.strides, kind.ndim)

    def pointer(self, i: int, j: int) -> Any:
        """Where an element is. Strides follow from the extents, but for arrays in no order."""
        places = [i, j] if self.kind.ndim == 2 else [j if self.is_row else i]
        word = self.strides[0].type
        if self.kind.layout != "A":
            rows, columns = self.extents
            place = places[-1] if len(places) == 1 else i * columns + j if self.kind.layout == "C" else i + j * rows
            return self.builder.gep(self.data, [ir.Constant(word, place)])
        offset = ir.Constant(word, 0)
        for place, stride in zip(places, self.strides, strict=True):
            offset = self.builder.add(offset, self.builder.mul(ir.Constant(word, place), stride))
        return cgutils.pointer_add(self.builder, self.data, offset)

    def load(self, i: int, j: int) -> Any:
        """The value of an element."""
        return self.builder.load(self.pointer(i, j))

    def store(self, i: int, j: int, value: Any) -> None:
        """Set an element."""
        self.builder.store(value, self.pointer(i, j))


def _are_fit(arrays: tuple[Any, ...], extents: tuple[Any, ...]) -> bool:
    """Whether these are arrays of one type of real numbers, of at most two dimensions, and extents that are known."""
    are_arrays = all(type(each) is types.Array and 0 < each.ndim < 3 for each in arrays)
    return (
        are_arrays
        and arrays[0].mutable
        and isinstance(arrays[0].dtype, types.Float)
        and all(each.dtype == arrays[0].dtype for each in arrays)
        and all(isinstance(each, types.IntegerLiteral) for each in extents)
    )


def _is_real(kind: Any) -> bool:
    return isinstance(kind, (types.Float, types.Integer))


def _values(kinds: Any) -> tuple[int, ...]:
    return tuple(each.literal_value for each in kinds)


def _declare_product(function: Any, adds: bool, a_is_turned: bool, b_is_turned: bool, is_outer: bool = False) -> None:
    """The type and the instructions of a kernel that stores or adds a product."""

    @type_callable(function)
    def _type(context: Any) -> Callable[..., Any]:
        def typer(out: Any, a: Any, b: Any, rows: Any, inner: Any, columns: Any) -> Any:
            return types.none if _are_fit((out, a, b), (rows, inner, columns)) else None

        return typer

    @lower_builtin(function, *(types.Any,) * 6)
    def _lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        kinds = signature.args[:3]
        rows, inner, columns = _values(signature.args[3:])
        left_extents = (inner, rows) if a_is_turned else (rows, inner)
        right_extents = (columns, inner) if b_is_turned else (inner, columns)
        left_is_row = kinds[1].ndim == 1 and not is_outer
        out = _Elements(context, builder, kinds[0], values[0], (rows, columns), left_is_row)
        left = _Elements(context, builder, kinds[1], values[1], left_extents, left_is_row)
        right = _Elements(context, builder, kinds[2], values[2], right_extents, is_outer)
        a = {(i, k): left.load(k, i) if a_is_turned else left.load(i, k) for i in range(rows) for k in range(inner)}
        b = {
            (k, j): right.load(j, k) if b_is_turned else right.load(k, j) for k in range(inner) for j in range(columns)
        }
        found = {}
        for i in range(rows):
            for j in range(columns):
                total = builder.fmul(a[i, 0], b[0, j])
                for k in range(1, inner):
                    total = builder.fadd(total, builder.fmul(a[i, k], b[k, j]))
                found[i, j] = builder.fadd(out.load(i, j), total) if adds else total
        for (i, j), total in found.items():
            out.store(i, j, total)
        return context.get_dummy_value()


_declare_product(times_into, False, False, False)
_declare_product(times_transpose_into, False, False, True)
_declare_product(transpose_times_into, False, True, False)
_declare_product(outer_into, False, False, False, True)
_declare_product(add_times, True, False, False)
_declare_product(add_times_transpose, True, False, True)
_declare_product(add_transpose_times, True, True, False)
_declare_product(add_outer, True, False, False, True)


def _declare_elementwise(function: Any, operation: Callable[[Any, Any, Any], Any]) -> None:
    """The type and the instructions of a kernel that stores what `operation` makes of each element of two arrays."""

    @type_callable(function)
    def _type(context: Any) -> Callable[..., Any]:
        def typer(out: Any, a: Any, rows: Any, columns: Any) -> Any:
            return types.none if _are_fit((out, a), (rows, columns)) and out.ndim == a.ndim else None

        return typer

    @lower_builtin(function, *(types.Any,) * 4)
    def _lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        extents = _pair(signature.args[2:])
        out, a = (_Elements(context, builder, signature.args[k], values[k], extents, False) for k in range(2))
        _stored(out, [(i, j, operation(builder, out.load(i, j), a.load(i, j))) for i, j in _places(*extents)])
        return context.get_dummy_value()


def _pair(kinds: Any) -> tuple[int, int]:
    rows, columns = _values(kinds)
    return rows, columns


def _places(rows: int, columns: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(rows) for j in range(columns))


def _stored(out: _Elements, found: list[tuple[int, int, Any]]) -> None:
    for i, j, value in found:
        out.store(i, j, value)


_declare_elementwise(copy_to, lambda builder, old, value: value)
_declare_elementwise(add_to, lambda builder, old, value: builder.fadd(old, value))
_declare_elementwise(subtract_from, lambda builder, old, value: builder.fsub(old, value))


@type_callable(add_scaled)
def _add_scaled_type(context: Any) -> Callable[..., Any]:
    def typer(total: Any, factor: Any, a: Any, rows: Any, columns: Any) -> Any:
        is_fit = _are_fit((total, a), (rows, columns)) and total.ndim == a.ndim and _is_real(factor)
        return types.none if is_fit else None

    return typer


@lower_builtin(add_scaled, *(types.Any,) * 5)
def _add_scaled(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    extents = _pair(signature.args[3:])
    factor = context.cast(builder, values[1], signature.args[1], signature.args[0].dtype)
    out, a = (_Elements(context, builder, signature.args[k], values[k], extents, False) for k in (0, 2))
    sums = [(i, j, builder.fadd(out.load(i, j), builder.fmul(factor, a.load(i, j)))) for i, j in _places(*extents)]
    _stored(out, sums)
    return context.get_dummy_value()


@type_callable(diagonal_into)
@type_callable(fill)
def _diagonal_type(context: Any) -> Callable[..., Any]:
    def typer(out: Any, number: Any, rows: Any, columns: Any) -> Any:
        return types.none if _are_fit((out,), (rows, columns)) and _is_real(number) else None

    return typer


@lower_builtin(diagonal_into, *(types.Any,) * 4)
def _diagonal(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    extents = _pair(signature.args[2:])
    out = _Elements(context, builder, signature.args[0], values[0], extents, False)
    number = context.cast(builder, values[1], signature.args[1], signature.args[0].dtype)
    _stored(out, [(i, j, number if i == j else number.type(0)) for i, j in _places(*extents)])
    return context.get_dummy_value()


@lower_builtin(fill, *(types.Any,) * 4)
def _fill(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    extents = _pair(signature.args[2:])
    out = _Elements(context, builder, signature.args[0], values[0], extents, False)
    number = context.cast(builder, values[1], signature.args[1], signature.args[0].dtype)
    _stored(out, [(i, j, number) for i, j in _places(*extents)])
    return context.get_dummy_value()


def _on_stack(context: Any, builder: Any, kind: Any, extents: tuple[int, ...]) -> Any:
    """An array in the frame of the function that this is compiled into, without a count of references."""
    size, word = int(np.prod(extents)), types.intp
    number = context.get_data_type(kind.dtype)
    data = builder.bitcast(cgutils.alloca_once(builder, ir.ArrayType(number, max(size, 1))), number.as_pointer())
    item = context.get_abi_sizeof(number)
    strides = [item * int(np.prod(extents[axis + 1 :])) for axis in range(len(extents))]
    array = arrayobj.make_array(kind)(context, builder)
    arrayobj.populate_array(
        array,
        data=data,
        shape=[context.get_constant(word, each) for each in extents],
        strides=[context.get_constant(word, each) for each in strides],
        itemsize=context.get_constant(word, item),
        meminfo=None,
    )
    return array._getvalue()


@type_callable(empty_vector)
def _vector_type(context: Any) -> Callable[..., Any]:
    return lambda size: types.Array(types.float64, 1, "C") if isinstance(size, types.IntegerLiteral) else None


@type_callable(empty_matrix)
def _matrix_type(context: Any) -> Callable[..., Any]:
    def typer(rows: Any, columns: Any) -> Any:
        are_known = all(isinstance(each, types.IntegerLiteral) for each in (rows, columns))
        return types.Array(types.float64, 2, "C") if are_known else None

    return typer


@lower_builtin(empty_vector, types.Any)
@lower_builtin(empty_matrix, types.Any, types.Any)
def _empty(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    return _on_stack(context, builder, signature.return_type, _values(signature.args))
