"""Extents of generated loops: comparisons and slice lengths as a few instructions, with nothing to compile for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.extending import lower_builtin, type_callable

from srcad.runtime.support.assumption_errors import Widens

_EMPTY = "a loop has no iteration, in code generated for loops with one"
_DIFFER = "shapes differ, in code that was generated for shapes that do not"


def same_extent(a: int, b: int) -> None:
    """Raise Widens unless two extents are equal, in code that was generated for arrays without broadcasting.

    >>> same_extent(4, 4)
    >>> same_extent(1, 4)
    Traceback (most recent call last):
    srcad.runtime.support.assumption_errors.Widens: shapes differ, in code that was generated for shapes that do not
    """
    if a != b:
        raise Widens(_DIFFER)


def require_iteration(is_entered: bool) -> None:
    """Raise Widens if a loop is not entered, in code that was generated for loops with an iteration.

    >>> require_iteration(True)
    >>> require_iteration(False)
    Traceback (most recent call last):
    srcad.runtime.support.assumption_errors.Widens: a loop has no iteration, in code generated for loops with one
    """
    if not is_entered:
        raise Widens(_EMPTY)


def unit_extent(extent: int) -> None:
    """Raise Widens unless an extent is 1, in code that was generated for an argument that is broadcast along this axis.

    >>> unit_extent(1)
    >>> unit_extent(4)
    Traceback (most recent call last):
    srcad.runtime.support.assumption_errors.Widens: shapes differ, in code that was generated for shapes that do not
    """
    same_extent(extent, 1)


def least_extent(extent: int, least: int) -> None:
    """Raise Widens if an extent is too small, in code that was generated for slices that reach to their ends.

    >>> least_extent(4, 4)
    >>> least_extent(3, 4)
    Traceback (most recent call last):
    srcad.runtime.support.assumption_errors.Widens: shapes differ, in code that was generated for shapes that do not
    """
    if extent < least:
        raise Widens(_DIFFER)


def known_extent(extent: int, number: int) -> None:
    """Raise Widens unless an extent is this number, in code that was generated for matrices of so many rows or columns.

    >>> known_extent(4, 4)
    >>> known_extent(3, 4)
    Traceback (most recent call last):
    srcad.runtime.support.assumption_errors.Widens: shapes differ, in code that was generated for shapes that do not
    """
    same_extent(extent, number)


def slice_extent(extent: int, start: int, stop: int) -> int:
    """The length of `x[start:stop]`, for x of length `extent`.

    >>> slice_extent(10, 2, 5), slice_extent(10, -3, 20), slice_extent(10, 5, 2)
    (3, 3, 0)
    """
    return len(range(extent)[start:stop])


@type_callable(same_extent)
@type_callable(known_extent)
@type_callable(least_extent)
def _compared_type(context: Any) -> Callable[..., Any]:
    return lambda a, b: types.none if _are_integers(a, b) else None


@type_callable(unit_extent)
def _unit_type(context: Any) -> Callable[..., Any]:
    return lambda extent: types.none if _are_integers(extent) else None


@lower_builtin(same_extent, types.Integer, types.Integer)
@lower_builtin(known_extent, types.Integer, types.Integer)
def _same(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _widens_if(context, builder, "!=", *_words(context, builder, signature, args))


@lower_builtin(unit_extent, types.Integer)
def _unit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    (extent,) = _words(context, builder, signature, args)
    return _widens_if(context, builder, "!=", extent, ir.Constant(extent.type, 1))


@lower_builtin(least_extent, types.Integer, types.Integer)
def _least(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _widens_if(context, builder, "<", *_words(context, builder, signature, args))


def _widens_if(context: Any, builder: Any, comparison: str, a: Any, b: Any) -> Any:
    with builder.if_then(builder.icmp_signed(comparison, a, b), likely=False):
        context.call_conv.return_user_exc(builder, Widens, (_DIFFER,))
    return context.get_dummy_value()


@type_callable(require_iteration)
def _entered_type(context: Any) -> Callable[..., Any]:
    return lambda is_entered: types.none if isinstance(is_entered, types.Boolean) else None


@lower_builtin(require_iteration, types.Boolean)
def _entered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    with builder.if_then(builder.not_(context.cast(builder, args[0], signature.args[0], types.boolean)), likely=False):
        context.call_conv.return_user_exc(builder, Widens, (_EMPTY,))
    return context.get_dummy_value()


@type_callable(slice_extent)
def _slice_type(context: Any) -> Callable[..., Any]:
    return lambda extent, start, stop: types.intp if _are_integers(extent, start, stop) else None


@lower_builtin(slice_extent, types.Integer, types.Integer, types.Integer)
def _slice(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    extent, start, stop = _words(context, builder, signature, args)
    zero = ir.Constant(extent.type, 0)

    def within(bound: Any) -> Any:
        """A bound counted from the front, clamped to the array."""
        from_front = builder.select(builder.icmp_signed("<", bound, zero), builder.add(bound, extent), bound)
        above = builder.select(builder.icmp_signed("<", from_front, zero), zero, from_front)
        return builder.select(builder.icmp_signed(">", above, extent), extent, above)

    length = builder.sub(within(stop), within(start))
    return builder.select(builder.icmp_signed("<", length, zero), zero, length)


def _are_integers(*kinds: Any) -> bool:
    return all(isinstance(kind, types.Integer) for kind in kinds)


def _words(context: Any, builder: Any, signature: Any, args: Any) -> list[Any]:
    return [context.cast(builder, arg, kind, types.intp) for arg, kind in zip(args, signature.args, strict=True)]
