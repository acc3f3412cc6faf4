"""Partial derivatives of and by complex numbers, from two sweeps: along 1 and along 1j.

of a real number, by a complex one       the gradient as `grad` has it: by the real part, plus 1j times by the imaginary
of a complex number, by a real one       a complex number
of a complex number, by a complex one    the complex derivative, if there is one: if the function is holomorphic
"""

from __future__ import annotations

from typing import Any

import numpy as np

from srcad.refusals.derivatives import NOT_HOLOMORPHIC


def turned(directions: tuple[Any, ...], place: int) -> tuple[Any, ...]:
    """The directions with the one at this place times 1j.

    >>> turned((2.0, 3.0), 1)
    (2.0, 3j)
    """
    return tuple(1j * each if k == place else each for k, each in enumerate(directions))


def from_tangents(along: Any, across: Any, is_complex_result: bool, function: str) -> Any:
    """The derivative by a complex number, from the tangents along 1 and along 1j.

    >>> from_tangents(3.0, 4.0, False, "f"), from_tangents(2.0 + 1j, -1.0 + 2j, True, "f")
    ((3+4j), (2+1j))
    """
    if not is_complex_result:
        return along + 1j * across
    _check_holomorphic(along, along + 1j * across, function)
    return along


def from_adjoints(along: Any, across: Any, is_complex_argument: bool, function: str) -> Any:
    """The derivative of a complex number, from the adjoints for the cotangents 1 and 1j.

    >>> from_adjoints(3.0, 4.0, False, "f"), complex(from_adjoints(2.0 + 1j, -1.0 + 2j, True, "f"))
    ((3+4j), (2-1j))
    """
    if not is_complex_argument:
        return along + 1j * across
    _check_holomorphic(along, along + 1j * across, function)
    return np.conjugate(along)


def _check_holomorphic(along: Any, anti: Any, function: str) -> None:
    """Raise NotDifferentiable unless `anti`, twice the derivative by the conjugate, is zero up to rounding."""
    there = np.isfinite(along) & np.isfinite(anti)
    rounding = 1e3 * np.finfo(np.result_type(along, np.complex64)).eps
    most = np.max(np.abs(along), initial=0.0, where=there)
    if np.any(np.abs(anti) > rounding * most, where=there):
        raise NOT_HOLOMORPHIC.error(function=function)
