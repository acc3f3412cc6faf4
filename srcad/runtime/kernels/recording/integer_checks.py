"""Integer checks: compiled integers have 64 bits, where Python's have no bound.

    f = f * k               check_product(f, k, message)        raises LeavesIntegers where the product leaves 64 bits
    n = 2 ** k              check_between(k, 0, 62, message)    so does this, and where k is negative: 0.25 in Python

As plain Python these functions do nothing, for the arithmetic that follows them is then Python's own. Compiled, they
come before arithmetic that may leave 64 bits, or whose result Python gives as a float.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import lower_builtin, overload, type_callable

from srcad.runtime.support.assumption_errors import LeavesIntegers


def check_sum(one: int, other: int, message: str) -> None:
    """Raise LeavesIntegers, compiled, if the sum of two integers leaves 64 bits.

    >>> check_sum(2**62, 2**62, "n + n: the sum leaves 64 bits")
    """


def check_product(one: int, other: int, message: str) -> None:
    """Raise LeavesIntegers, compiled, if the product of two integers leaves 64 bits.

    >>> check_product(2**62, 2, "n * 2: the product leaves 64 bits")
    """


def check_shift(value: int, count: int, message: str) -> None:
    """Raise LeavesIntegers, compiled, if `value << count` leaves 64 bits, or the count is negative.

    >>> check_shift(1, 64, "1 << n: the result leaves 64 bits")
    """


def check_power(base: int, exponent: int, message: str) -> None:
    """Raise LeavesIntegers, compiled, if `base ** exponent` leaves 64 bits, or the exponent is negative.

    >>> check_power(10, 40, "b ** n: the power leaves 64 bits")
    """


def check_between(value: int, least: int, most: int, message: str) -> None:
    """Raise LeavesIntegers, compiled, unless `least <= value <= most`, bounds of bases and exponents.

    >>> check_between(64, 0, 62, "2 ** n: the power leaves 64 bits")
    """


def _lower(function: Callable[..., None], fails: Callable[..., Any], count: int = 2) -> None:
    """Lower a check of so many integers: `fails` gives the bit that says whether it raises."""

    def known(*numbers: Any, message: Any) -> Any:
        are_integers = all(isinstance(each, types.Integer) for each in numbers)
        return types.none if are_integers and isinstance(message, types.StringLiteral) else None

    @type_callable(function)
    def typed(context: Any) -> Callable[..., Any]:
        if count == 2:
            return lambda one, other, message: known(one, other, message=message)
        return lambda value, least, most, message: known(value, least, most, message=message)

    @lower_builtin(function, *[types.Integer] * count, types.StringLiteral)
    def lowered(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        *kinds, message = signature.args
        numbers = [context.cast(builder, *each, types.int64) for each in zip(args, kinds, strict=False)]
        with builder.if_then(fails(builder, *numbers), likely=False):
            context.call_conv.return_user_exc(builder, LeavesIntegers, (message.literal_value,))
        return context.get_dummy_value()


def _leaves_by_shift(builder: Any, value: Any, count: Any) -> Any:
    is_wide = builder.icmp_unsigned(">", count, ir.Constant(count.type, 63))
    count = builder.select(is_wide, ir.Constant(count.type, 0), count)
    back = builder.ashr(builder.shl(value, count), count)
    return builder.or_(is_wide, builder.icmp_signed("!=", back, value))


def _is_outside(builder: Any, value: Any, least: Any, most: Any) -> Any:
    return builder.or_(builder.icmp_signed("<", value, least), builder.icmp_signed(">", value, most))


_lower(check_sum, lambda builder, one, other: builder.extract_value(builder.sadd_with_overflow(one, other), 1))
_lower(check_product, lambda builder, one, other: builder.extract_value(builder.smul_with_overflow(one, other), 1))
_lower(check_shift, _leaves_by_shift)
_lower(check_between, _is_outside, 3)


@overload(check_power)
def _power(base: Any, exponent: Any, message: Any) -> Any:
    if not isinstance(base, types.Integer) or not isinstance(exponent, types.Integer):
        return None

    def check(base: Any, exponent: Any, message: Any) -> None:
        left, product = exponent, 1
        if exponent < 0:
            raise LeavesIntegers(message)
        if -1 <= base <= 1:
            left = 0
        while left > 0:
            check_product(product, base, message)
            product *= base
            left -= 1

    return check
