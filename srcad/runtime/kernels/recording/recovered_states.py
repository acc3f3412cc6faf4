"""Recovered states: whether the inverse of a step has found the state before it, and which direction a loop runs in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types
from numba.extending import overload, register_jitable

from srcad.errors import WrongRule


@register_jitable
def undoing(rtol: float) -> bool:
    """False: marks the branch of a loop's body that undoes an iteration, which only the reverse sweep takes.

    >>> undoing(1e-8)
    False
    """
    return False


def magnitude(value: Any, least: float) -> float:
    """The largest absolute value of a number or in an array, and at least `least`.

    >>> magnitude(np.array([1.0, -3.0]), 2.0), magnitude(-1.0, 2.0), magnitude(np.zeros(0), 2.0)
    (3.0, 2.0, 2.0)
    """
    return float(max(least, np.max(np.abs(value), initial=0.0)))


def recovered(one: Any, other: Any, scale: float, rtol: float) -> bool:
    """Whether numbers, or arrays of one shape, differ by at most `scale * rtol`; NaN differs from everything.

    >>> recovered(1.0, 1.001, 1.0, 0.01), recovered(np.ones(2), np.ones(3), 1.0, 0.01)
    (True, False)
    """
    if np.shape(one) != np.shape(other):
        return False
    if np.result_type(one).kind in "bui":
        return bool(np.all(one == other))
    return bool(np.all(np.abs(one - other) <= scale * rtol))


def check_recovered(holds: bool, message: str) -> None:
    """Raise WrongRule unless a state has been recovered.

    >>> check_recovered(True, "not recovered")
    """
    if not holds:
        raise WrongRule(message)


@overload(magnitude)
def _magnitude(value: Any, least: Any) -> Any:
    def of_array(value: Any, least: Any) -> Any:
        found = float(least)
        for each in value.flat:
            found = max(found, float(abs(each)))
        return found

    def of_number(value: Any, least: Any) -> Any:
        return max(float(least), float(abs(value)))

    def of_boolean(value: Any, least: Any) -> Any:
        return float(least)

    kind = getattr(value, "dtype", value)
    if isinstance(kind, types.Boolean):
        return of_boolean
    return of_array if isinstance(value, types.Array) else of_number


@overload(recovered)
def _recovered(one: Any, other: Any, scale: Any, rtol: Any) -> Any:
    is_exact = isinstance(getattr(one, "dtype", one), (types.Integer, types.Boolean))

    def exact_arrays(one: Any, other: Any, scale: Any, rtol: Any) -> Any:
        if one.shape != other.shape:
            return False
        differs = 0
        for a, b in zip(one.flat, other.flat):  # noqa: B905  Numba knows no `strict`
            differs += a != b
        return differs == 0

    def arrays(one: Any, other: Any, scale: Any, rtol: Any) -> Any:
        if one.shape != other.shape:
            return False
        differs = 0
        for a, b in zip(one.flat, other.flat):  # noqa: B905
            differs += not abs(a - b) <= scale * rtol
        return differs == 0

    def exact_numbers(one: Any, other: Any, scale: Any, rtol: Any) -> Any:
        return one == other

    def numbers(one: Any, other: Any, scale: Any, rtol: Any) -> Any:
        return bool(abs(one - other) <= scale * rtol)

    if isinstance(one, types.Array):
        return exact_arrays if is_exact else arrays
    return exact_numbers if is_exact else numbers


@overload(check_recovered)
def _check_recovered(holds: Any, message: Any) -> Any:
    def check(holds: Any, message: Any) -> None:
        if not holds:
            raise WrongRule(message)

    return check
