"""What generated code does with lanes: arrays of them, single lanes of these, and products that keep zeros.

In compiled code an array of lanes is an array whose elements are `Lanes`, and shares its memory with one of doubles
that has one more axis, of `WIDTH`. In plain Python it is a `LaneArray` around the latter, and a number of lanes is a
vector.

    x_dot = of_rows(x_dots)             (n, WIDTH) doubles as n elements
    t = 2.0 * x_dot[i]
    y_dot = zeros(n); y_dot[i] = t
    rows_of(y_dot)                      (n, WIDTH) doubles again
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.extending import intrinsic, overload
from numba.core.imputils import impl_ret_borrowed
from numba.np.arrayobj import make_array, populate_array

from srcad.runtime.kernels.arrays.strong_products import strong_product as strong_product_of_arrays
from srcad.runtime.kernels.arrays.strong_products import strong_quotient as strong_quotient_of_arrays
from srcad.runtime.kernels.directions.lane_numbers import (
    LANES,
    WIDTH,
    Lanes,
    as_lanes,
    is_any_nonzero,
    lane_of,
    unless_zero,
    with_value,
)


class LaneNumber(np.ndarray):
    """A number of lanes, in plain Python: operators give new ones."""

    def __iadd__(self, other: Any) -> Any:  # type: ignore[misc]
        return self + other

    def __isub__(self, other: Any) -> Any:  # type: ignore[misc]
        return self - other

    def __imul__(self, other: Any) -> Any:  # type: ignore[misc]
        return self * other

    def __itruediv__(self, other: Any) -> Any:  # type: ignore[misc]
        return self / other


class LaneArray:
    """An array of lanes, in plain Python.

    >>> array = LaneArray(np.zeros((3, WIDTH)))
    >>> array[1] = 2.0
    >>> array.shape, array[1:].size, float(array[1][0])
    ((3,), 2, 2.0)
    """

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape without the axis of the lanes."""
        return tuple(self.rows.shape[:-1])

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape))

    @property
    def ndim(self) -> int:
        """The number of axes without that of the lanes."""
        return len(self.shape)

    def __getitem__(self, index: Any) -> Any:
        found = self.rows[(*index, slice(None)) if isinstance(index, tuple) else (index, slice(None))]
        return _number(found) if found.ndim == 1 else LaneArray(found)

    def __setitem__(self, index: Any, lanes: Any) -> None:
        self.rows[(*index, slice(None)) if isinstance(index, tuple) else (index, slice(None))] = lanes


def _number(rows: Any) -> Any:
    return rows.copy().view(LaneNumber)


def of_rows(rows: Any) -> Any:
    """The array of lanes in the same memory as an array with one more axis, of `WIDTH`."""
    return LaneArray(rows) if rows.ndim > 1 else _number(rows)


def rows_of(lanes: Any) -> Any:
    """The doubles of an array of lanes, in the same memory, or those of one number."""
    return lanes.rows if isinstance(lanes, LaneArray) else np.array(lanes)


def zeros(shape: Any) -> Any:
    """A new array of lanes."""
    return LaneArray(np.zeros((*(shape if isinstance(shape, tuple) else (shape,)), WIDTH)))


def empty(shape: Any) -> Any:
    """A new array of lanes whose values are not set."""
    return zeros(shape)


def copied(lanes: Any) -> Any:
    """A copy of an array of lanes."""
    return LaneArray(lanes.rows.copy())


def transposed(lanes: Any) -> Any:
    """The transpose of an array of lanes, in the same memory."""
    axes = range(lanes.ndim)
    return LaneArray(np.transpose(lanes.rows, (*axes[::-1], lanes.ndim)))


def spread(value: Any) -> Any:
    """A new number or array of lanes that all have the same value.

    >>> spread(2.0).shape, spread(np.ones(3)).shape
    ((8,), (3,))
    """
    rows = np.repeat(np.asarray(value)[..., None], WIDTH, -1)
    return LaneArray(rows) if rows.ndim > 1 else _number(rows)


def pick(lanes: Any, lane: int) -> Any:
    """The number in one lane."""
    return lanes[lane]


def apart(lanes: Any) -> Any:
    """A new array of all lanes one after the other, each in C order."""
    return np.moveaxis(lanes.rows, -1, 0).copy()


def together(arrays: Any) -> Any:
    """A new array of lanes, from an array of all lanes one after the other."""
    return LaneArray(np.moveaxis(arrays, 0, -1).copy())


def layer(lanes: Any, lane: int) -> Any:
    """One lane of an array, in the same memory."""
    return lanes.rows[..., lane]


def put(lanes: Any, arrays: Any) -> None:
    """Write all lanes of an array, from an array of them one after the other."""
    lanes.rows[...] = np.moveaxis(arrays, 0, -1)


def with_lane(lanes: Any, lane: int, value: Any) -> Any:
    """A number of lanes with another value in one of them."""
    found = lanes.copy()
    found[lane] = value
    return found


def any_nonzero(lanes: Any) -> bool:
    """Whether a number of lanes is not zero in one of them, or no number there."""
    return bool(np.any(lanes != 0.0))


def strong_product(bar: Any, slope: Any, other: Any = 1.0) -> Any:
    """`kernels.strong_product`, lane by lane."""
    return _number(strong_product_of_arrays(np.array(bar), np.asarray(slope), other))


def strong_quotient(bar: Any, divisor: Any) -> Any:
    """`kernels.strong_quotient`, lane by lane."""
    return _number(strong_quotient_of_arrays(np.array(bar), np.asarray(divisor)))


def _is_lane_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) and isinstance(kind.dtype, Lanes)


def _seen_as(kind: Any, itemsize: int) -> Any:
    """An intrinsic's code: the same memory as an array of another type, with one axis more or less."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        source, found = make_array(sig.args[0])(context, builder, args[0]), make_array(kind)(context, builder)
        given, count = sig.args[0].ndim, min(kind.ndim, sig.args[0].ndim)
        word = ir.IntType(64)
        shape = cgutils.unpack_tuple(builder, source.shape, given)[:count]
        strides = cgutils.unpack_tuple(builder, source.strides, given)[:count]
        if kind.ndim > given:
            shape, strides = [*shape, ir.Constant(word, WIDTH)], [*strides, ir.Constant(word, 8)]
        populate_array(
            found,
            data=builder.bitcast(source.data, found.data.type),
            shape=cgutils.pack_array(builder, shape),
            strides=cgutils.pack_array(builder, strides),
            itemsize=ir.Constant(word, itemsize),
            meminfo=source.meminfo,
            parent=source.parent,
        )
        return impl_ret_borrowed(context, builder, kind, found._getvalue())

    return generate


@intrinsic
def _as_elements(typingctx: Any, rows: Any) -> Any:
    # Memory is aligned for doubles, not for vectors.
    kind = types.Array(LANES, rows.ndim - 1, "C", aligned=False)
    return kind(rows), _seen_as(kind, 8 * WIDTH)


@intrinsic
def _as_rows(typingctx: Any, lanes: Any) -> Any:
    kind = types.Array(types.float64, lanes.ndim + 1, "C" if lanes.layout == "C" else "A")
    return kind(lanes), _seen_as(kind, 8)


@overload(of_rows)
def _of_rows(rows):
    if rows.ndim == 1:

        def number(rows):
            found = as_lanes(0.0)
            for lane in range(WIDTH):
                found = with_value(found, lane, rows[lane])
            return found

        return number
    return lambda rows: _as_elements(rows)


@overload(rows_of)
def _rows_of(lanes):
    if _is_lane_array(lanes):
        return lambda lanes: _as_rows(lanes)

    def number(lanes):
        rows = np.empty(WIDTH)
        for lane in range(WIDTH):
            rows[lane] = lane_of(lanes, lane)
        return rows

    return number


@overload(zeros)
def _zeros(shape):
    if isinstance(shape, types.BaseTuple):
        return lambda shape: _as_elements(np.zeros((*shape, WIDTH)))
    return lambda shape: _as_elements(np.zeros((shape, WIDTH)))


@overload(empty)
def _empty(shape):
    if isinstance(shape, types.BaseTuple):
        return lambda shape: _as_elements(np.empty((*shape, WIDTH)))
    return lambda shape: _as_elements(np.empty((shape, WIDTH)))


@overload(copied)
def _copied(lanes):
    return lambda lanes: _as_elements(_as_rows(lanes).copy())


@overload(transposed)
def _transposed(lanes):
    return lambda lanes: lanes.T


@overload(spread)
def _spread(value):
    if not isinstance(value, types.Array):
        return lambda value: as_lanes(value)

    def array(value):
        rows = np.empty((*value.shape, WIDTH))
        for lane in range(WIDTH):
            rows[..., lane] = value
        return _as_elements(rows)

    return array


@overload(pick)
def _pick(lanes, lane):
    return lambda lanes, lane: lane_of(lanes, lane)


@overload(apart)
def _apart(lanes):
    def separate(lanes):
        arrays, count = np.empty((WIDTH, *lanes.shape)), lanes.size
        source, into = _as_rows(lanes).copy().reshape((count, WIDTH)), arrays.reshape((WIDTH, count))
        for i in range(count):
            for lane in range(WIDTH):
                into[lane, i] = source[i, lane]
        return arrays

    def separate_contiguous(lanes):
        arrays, count = np.empty((WIDTH, *lanes.shape)), lanes.size
        source, into = _as_rows(lanes).reshape((count, WIDTH)), arrays.reshape((WIDTH, count))
        for i in range(count):
            for lane in range(WIDTH):
                into[lane, i] = source[i, lane]
        return arrays

    return separate_contiguous if lanes.layout == "C" else separate


@overload(together)
def _together(arrays):
    def join(arrays):
        rows = np.empty((*arrays[0].shape, WIDTH))
        count = arrays[0].size
        source, into = arrays.reshape((WIDTH, count)), rows.reshape((count, WIDTH))
        for i in range(count):
            for lane in range(WIDTH):
                into[i, lane] = source[lane, i]
        return _as_elements(rows)

    return join


@overload(layer)
def _layer(lanes, lane):
    return lambda lanes, lane: _as_rows(lanes)[..., lane]


@overload(put)
def _put(lanes, arrays):
    def into(lanes, arrays):
        rows = _as_rows(lanes)
        for lane in range(WIDTH):
            rows[..., lane] = arrays[lane]

    return into


@overload(with_lane)
def _with_lane(lanes, lane, value):
    return lambda lanes, lane, value: with_value(lanes, lane, value)


@overload(any_nonzero)
def _any_nonzero(lanes):
    return lambda lanes: is_any_nonzero(lanes)


@overload(strong_product)
def _strong_product(bar, slope, other=1.0):
    def product(bar, slope, other=1.0):
        first = unless_zero(bar, bar * slope)
        return unless_zero(first, first * other)

    return product


@overload(strong_quotient)
def _strong_quotient(bar, divisor):
    return lambda bar, divisor: unless_zero(bar, bar / divisor)
