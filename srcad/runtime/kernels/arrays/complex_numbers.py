"""Functions of complex numbers whose rules differ from those of NumPy's function for real numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload


def modulus(z: Any) -> Any:
    """`np.abs` of complex numbers.

    >>> float(modulus(3.0 + 4.0j))
    5.0
    """
    return np.abs(z)


def imaginary(z: Any) -> Any:
    """`np.imag` of complex numbers, as a new array and not as a view.

    >>> imaginary(3.0 + 4.0j)
    4.0
    """
    return np.array(np.imag(z)) if isinstance(z, np.ndarray) else z.imag


def argument(z: Any) -> Any:
    """`np.angle` of complex numbers.

    >>> round(float(argument(1.0 + 1.0j)), 6)
    0.785398
    """
    return np.angle(z)


def squared_modulus(z: Any) -> Any:
    """The square of the absolute value, for real numbers as well.

    >>> squared_modulus(3.0 + 4.0j), squared_modulus(3.0)
    (25.0, 9.0)
    """
    return z.real * z.real + z.imag * z.imag if np.iscomplexobj(z) else z * z


def direction(z: Any) -> Any:
    """`np.sign` of complex numbers: z / abs(z), and 0 at 0.

    >>> complex(direction(3.0 - 4.0j))
    (0.6-0.8j)
    """
    return np.sign(z)


def real_beside_real(g: Any, a: Any) -> Any:
    """The real part of g if a is real, else g itself.

    >>> real_beside_real(np.array([1.0 + 2.0j]), np.ones(1)), real_beside_real(2.0 - 1.0j, 1.0j)
    (array([1.]), (2-1j))
    """
    return g if np.iscomplexobj(a) or not np.iscomplexobj(g) else np.real(g)


@overload(modulus)
def _overload_modulus(z):
    return lambda z: np.abs(z)


@overload(squared_modulus)
def _overload_squared_modulus(z):
    if isinstance(getattr(z, "dtype", z), types.Complex):
        return lambda z: np.real(z) * np.real(z) + np.imag(z) * np.imag(z)
    return lambda z: z * z


@overload(direction)
def _overload_direction(z):
    return lambda z: np.sign(z)


@overload(imaginary)
def _overload_imaginary(z):
    if isinstance(z, types.Array):
        return lambda z: np.copy(np.imag(z))
    return lambda z: z.imag


@overload(argument)
def _overload_argument(z):
    if isinstance(z, types.Array):
        return lambda z: np.arctan2(np.imag(z), np.real(z))
    return lambda z: math.atan2(z.imag, z.real)


@overload(real_beside_real)
def _overload_real_beside_real(g, a):
    is_complex = [isinstance(getattr(each, "dtype", each), types.Complex) for each in (g, a)]
    return (lambda g, a: np.real(g)) if is_complex == [True, False] else (lambda g, a: g)
