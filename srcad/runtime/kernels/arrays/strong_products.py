"""Products of a derivative with a slope, and quotients, in which a derivative of 0 gives 0 whatever the slope is.

In generated code these are one or two instructions more than the plain operation, which LLVM can vectorise. Rules get
them where a slope can be infinite or nan (`runtime.rulebook.strong_zeros`).
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import lower_builtin, overload, type_callable

from srcad.runtime.kernels.arrays.complex_numbers import complex_quotient
from srcad.runtime.kernels.arrays.scalar import ufunc
from srcad.runtime.support.errstate import IGNORED, unwarned

_ONE = 1.0


def strong_product(bar: Any, slope: Any, other: Any = _ONE) -> Any:
    """The product bar * slope, and 0 where bar is 0 and the slope infinite or nan.

    With a third factor it is `strong_product(strong_product(bar, slope), other)`.

    >>> strong_product(np.array([0.0, 2.0, 0.0]), np.array([np.inf, np.inf, np.nan]))
    array([ 0., inf,  0.])
    >>> float(strong_product(1.0, 0.0, np.inf))
    0.0
    """
    before = unwarned.set(IGNORED)
    try:
        found = _strong(bar, bar * slope)
        return found if other is _ONE else _strong(found, found * other)
    finally:
        unwarned.reset(before)


def strong_quotient(bar: Any, divisor: Any) -> Any:
    """The quotient bar / divisor, and 0 where bar is 0 and the quotient nan.

    >>> strong_quotient(np.array([0.0, 2.0]), np.array([0.0, 4.0]))
    array([0. , 0.5])
    """
    before = unwarned.set(IGNORED)
    try:
        return _strong(bar, np.divide(bar, divisor))
    finally:
        unwarned.reset(before)


def product_of_derivatives(one: Any, other: Any) -> Any:
    """The product of two derivatives, and 0 where either is 0: the terms of second derivatives.

    >>> product_of_derivatives(np.array([0.0, np.inf, 2.0]), np.array([np.inf, 0.0, 3.0]))
    array([0., 0., 6.])
    """
    before = unwarned.set(IGNORED)
    try:
        return _strong(other, _strong(one, one * other))
    finally:
        unwarned.reset(before)


def _strong(bar: Any, result: Any) -> Any:
    """The result, with 0 for nan where bar is 0."""
    if type(result) is np.ndarray:
        flat = result.reshape(-1)
        if abs(flat.dot(flat)) < math.inf:  # finite everywhere
            return result
    elif result == result:  # not nan
        return result
    return np.where(np.isnan(result) & (bar == 0), 0.0, result)[()]


def _element_product(bar, slope):
    return bar * 0 if bar == 0 else bar * slope


def _element_product_of_derivatives(one, other):
    return one * 0 if one == 0 or other == 0 else one * other


def _element_quotient(bar, divisor):
    return bar * 0 if bar == 0 else bar / divisor


def _compiles_to(function: Callable[..., Any], operation: Callable[..., Any]) -> None:
    """Make Numba compile a function of numbers to the operation and a `select`: no branch, and nothing to inline."""

    @type_callable(function)
    def typing(context: Any) -> Callable[..., Any]:
        def typer(bar: Any, other: Any) -> Any:
            if not _are_numbers(bar, other):
                return None
            return context.resolve_function_type(operation, (bar, other), {}).return_type

        return typer

    is_of_both = function is product_of_derivatives

    @lower_builtin(function, types.Float, types.Float)
    def of_floats(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = _selected(context, builder, signature, args, operation)
        if not is_of_both:
            return found
        kind = signature.return_type
        zero, other = context.get_constant(kind, 0.0), context.cast(builder, args[1], signature.args[1], kind)
        return builder.select(builder.fcmp_ordered("==", other, zero), zero, found)

    @lower_builtin(function, types.Any, types.Any)
    def of_numbers(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def applied(operation: Callable[..., Any], values: Any, kinds: Any) -> Any:
            typed = context.typing_context.resolve_function_type(operation, kinds, {})
            cast = [context.cast(builder, *each) for each in zip(values, kinds, typed.args, strict=True)]
            return context.get_function(operation, typed)(builder, cast)

        def is_zero_at(place: int) -> Any:
            kind = signature.args[place]
            return applied(operator.eq, (args[place], context.get_constant_null(kind)), (kind, kind))

        is_zero = builder.or_(is_zero_at(0), is_zero_at(1)) if is_of_both else is_zero_at(0)
        if operation is operator.truediv and isinstance(signature.return_type, types.Complex):
            # `/` of complex numbers raises an exception, also in Numba.
            result = complex_quotient(context, builder, signature, args)
        else:
            result = applied(operation, args, signature.args)
        return builder.select(is_zero, context.get_constant_null(signature.return_type), result)


def _selected(context: Any, builder: Any, signature: Any, args: Any, operation: Callable[..., Any]) -> Any:
    """The operation on two or three floats, one after the other, and 0 where what it is applied to is 0."""
    kind = signature.return_type
    bar, *rest = (context.cast(builder, arg, own, kind) for arg, own in zip(args, signature.args, strict=True))
    zero, result = context.get_constant(kind, 0.0), bar
    applied = context.get_function(operation, kind(kind, kind))
    for each in rest:
        is_zero = builder.fcmp_ordered("==", result, zero)
        result = builder.select(is_zero, zero, applied(builder, (result, each)))
    return result


def _are_numbers(*kinds: Any) -> bool:
    return all(isinstance(kind, (types.Number, types.Boolean)) for kind in kinds)


_compiles_to(strong_product, operator.mul)
_compiles_to(strong_quotient, operator.truediv)
_compiles_to(product_of_derivatives, operator.mul)


@type_callable(strong_product)
def _type_of_three(context: Any) -> Callable[..., Any]:
    def typer(bar: Any, slope: Any, other: Any) -> Any:
        is_real = all(isinstance(each, types.Float | types.Integer) for each in (bar, slope, other))
        return context.unify_types(types.float32, bar, slope, other) if is_real else None

    return typer


@lower_builtin(strong_product, types.Any, types.Any, types.Any)
def _product_of_three(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return _selected(context, builder, signature, args, operator.mul)


@overload(strong_product)
def _overload_strong_product(bar, slope):
    if isinstance(bar, types.Array) or isinstance(slope, types.Array):
        elements = ufunc(_element_product)
        return lambda bar, slope: elements(bar, slope)
    return None


@overload(strong_quotient)
def _overload_strong_quotient(bar, divisor):
    if isinstance(bar, types.Array) or isinstance(divisor, types.Array):
        elements = ufunc(_element_quotient)
        return lambda bar, divisor: elements(bar, divisor)
    return None


@overload(product_of_derivatives)
def _overload_product_of_derivatives(one, other):
    if isinstance(one, types.Array) or isinstance(other, types.Array):
        elements = ufunc(_element_product_of_derivatives)
        return lambda one, other: elements(one, other)
    return None
