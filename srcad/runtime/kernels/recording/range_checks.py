"""Range checks: what generated code calls where an index is not proved to be in range, a few instructions each.

The message is a literal that names the subscript and its line. What these functions do not raise, they do not change:
code that has passed a check need not be checked again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import lower_builtin, overload, type_callable

from srcad.errors import NotDifferentiable, Place


def check_index(index: int, extent: int, message: str) -> None:
    """Raise IndexError unless an index, which may count from the end, is one of an axis of this extent.

    >>> check_index(-3, 3, "x[i] is out of range")
    >>> check_index(3, 3, "x[i] is out of range")
    Traceback (most recent call last):
    IndexError: x[i] is out of range
    """
    if not -extent <= index < extent:
        raise IndexError(message)


def check_room(room: int, message: str, needed: tuple[int, ...] = ()) -> None:
    """Raise IndexError if `room` is negative, unless one of the numbers in `needed` is negative as well.

    `room` is how far the greatest or least index that a loop reaches is from the end of the axis; the numbers in
    `needed` are not negative where there is such an index, since the loops around the subscript have iterations.

    >>> check_room(-1, "x[i] is out of range", (-1,))
    >>> check_room(-1, "x[i] is out of range", (4,))
    Traceback (most recent call last):
    IndexError: x[i] is out of range
    """
    if room < 0 and all(each >= 0 for each in needed):
        raise IndexError(message)


def check_match(room: int, message: str, needed: tuple[int, ...] = ()) -> None:
    """The same for the extents of operands: raise ValueError.

    >>> check_match(-1, "shapes differ")
    Traceback (most recent call last):
    ValueError: shapes differ
    """
    if room < 0 and all(each >= 0 for each in needed):
        raise ValueError(message)


def check_one_element(size: int, what: str, hint: str, file: str, line: int, column: int, end: int, text: str) -> None:
    """Raise NotDifferentiable, at a place that is given by its fields, unless an array has one element.

    >>> check_one_element(1, "f returns two numbers", "return one", "f.py", 2, 4, 12, "    return x")
    >>> check_one_element(2, "f returns two numbers", "return one", "f.py", 2, 4, 12, "    return x")
    Traceback (most recent call last):
    srcad.errors.NotDifferentiable: f.py:2:5: NotDifferentiable: f returns two numbers
         2 |     return x
           |     ^^^^^^^^
    hint: return one
    """
    if size != 1:
        raise NotDifferentiable(what, Place(file, line, column, end, text), hint)


def check_indices(indices: np.ndarray[Any, Any], extent: int, message: str) -> None:
    """Raise IndexError unless all indices in an array are indices of an axis of this extent.

    >>> check_indices(np.array([0, -3, 2]), 3, "x[k] is out of range")
    >>> check_indices(np.array([0, -4, 2]), 3, "x[k] is out of range")
    Traceback (most recent call last):
    IndexError: x[k] is out of range
    """
    if indices.size and not (-extent <= indices.min() and indices.max() < extent):
        raise IndexError(message)


def check_fits(shape: tuple[int, ...], whole: tuple[int, ...], message: str) -> None:
    """Raise ValueError unless an array of this shape can be assigned to one of the shape `whole`, with broadcasting.

    >>> check_fits((1, 3), (4, 3), "shapes differ")
    >>> check_fits((3,), (2, 4), "shapes differ")
    Traceback (most recent call last):
    ValueError: shapes differ
    """
    surplus = len(shape) - len(whole)
    fits = all(own in (1, other) for own, other in zip(shape[::-1], whole[::-1], strict=False))
    if not fits or any(extent != 1 for extent in shape[: max(surplus, 0)]):
        raise ValueError(message)


@type_callable(check_fits)
def _fits_type(context: Any) -> Callable[..., Any]:
    def typer(shape: Any, whole: Any, message: Any) -> Any:
        are_shapes = all(isinstance(each, types.BaseTuple) and _are_integers(*each) for each in (shape, whole))
        return types.none if are_shapes and isinstance(message, types.StringLiteral) else None

    return typer


@lower_builtin(check_fits, types.BaseTuple, types.BaseTuple, types.StringLiteral)
def _fits(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    shape, whole = (
        [
            context.cast(builder, value, of, types.intp)
            for value, of in zip(cgutils.unpack_tuple(builder, given), kind, strict=True)
        ]
        for given, kind in zip(args[:2], signature.args[:2], strict=True)
    )
    one = ir.Constant(context.get_value_type(types.intp), 1)
    fails: Any = ir.Constant(ir.IntType(1), 0)
    for k, own in enumerate(reversed(shape)):
        differs = builder.icmp_signed("!=", own, one)
        if k < len(whole):
            differs = builder.and_(differs, builder.icmp_signed("!=", own, whole[-1 - k]))
        fails = builder.or_(fails, differs)
    _raise_if(context, builder, fails, signature.args[2], ValueError)
    return context.get_dummy_value()


@type_callable(check_index)
def _index_type(context: Any) -> Callable[..., Any]:
    def typer(index: Any, extent: Any, message: Any) -> Any:
        return types.none if _are_integers(index, extent) and isinstance(message, types.StringLiteral) else None

    return typer


@lower_builtin(check_index, types.Integer, types.Integer, types.StringLiteral)
def _index(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    index, extent = (context.cast(builder, args[k], signature.args[k], types.intp) for k in (0, 1))
    # Numba counts negative indices from the end in the same way, so that LLVM computes this once for both.
    if signature.args[0].signed:
        is_negative = builder.icmp_signed("<", index, ir.Constant(index.type, 0))
        index = builder.select(is_negative, builder.add(index, extent), index)
    _raise_if(context, builder, builder.icmp_unsigned(">=", index, extent), signature.args[2])
    return context.get_dummy_value()


@type_callable(check_room)
@type_callable(check_match)
def _room_type(context: Any) -> Callable[..., Any]:
    def typer(room: Any, message: Any, needed: Any = types.Tuple(())) -> Any:  # noqa: B008  a constant
        is_known = isinstance(needed, types.BaseTuple) and _are_integers(room, *needed)
        return types.none if is_known and isinstance(message, types.StringLiteral) else None

    return typer


def _raise_without_room(function: Callable[..., Any], error: type[Exception]) -> None:
    """Lower `check_room`, or its like with another exception."""

    @lower_builtin(function, types.Integer, types.StringLiteral)
    @lower_builtin(function, types.Integer, types.StringLiteral, types.BaseTuple)
    def lowered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        room = context.cast(builder, args[0], signature.args[0], types.intp)
        needed = cgutils.unpack_tuple(builder, args[2]) if len(args) == 3 else []
        zero = ir.Constant(room.type, 0)
        fails = builder.icmp_signed("<", room, zero)
        for value, kind in zip(needed, signature.args[2] if needed else (), strict=True):
            each = context.cast(builder, value, kind, types.intp)
            fails = builder.and_(fails, builder.icmp_signed(">=", each, zero))
        _raise_if(context, builder, fails, signature.args[1], error)
        return context.get_dummy_value()


_raise_without_room(check_room, IndexError)
_raise_without_room(check_match, ValueError)


@type_callable(check_one_element)
def _one_type(context: Any) -> Callable[..., Any]:
    def typer(size: Any, what: Any, hint: Any, file: Any, line: Any, column: Any, end: Any, text: Any) -> Any:
        said = (what, hint, file, line, column, end, text)
        is_known = _are_integers(size) and all(isinstance(each, types.Literal) for each in said)
        return types.none if is_known else None

    return typer


@lower_builtin(check_one_element, types.Integer, *[types.StringLiteral] * 3, *[types.Integer] * 3, types.StringLiteral)
def _one(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    what, hint, *place = (each.literal_value for each in signature.args[1:])
    differs = builder.icmp_signed("!=", args[0], ir.Constant(args[0].type, 1))
    with builder.if_then(differs, likely=False):
        context.call_conv.return_user_exc(builder, NotDifferentiable, (what, Place(*place), hint))
    return context.get_dummy_value()


@overload(check_indices)
def _indices(indices: Any, extent: Any, message: Any) -> Any:
    def check(indices: Any, extent: Any, message: Any) -> None:
        outside = 0
        for each in indices.flat:
            outside |= each < -extent or each >= extent
        if outside:
            raise IndexError(message)

    return check


def _are_integers(*kinds: Any) -> bool:
    return all(isinstance(kind, types.Integer) for kind in kinds)


def _raise_if(context: Any, builder: Any, fails: Any, message: Any, error: type[Exception] = IndexError) -> None:
    with builder.if_then(fails, likely=False):
        context.call_conv.return_user_exc(builder, error, (message.literal_value,))
