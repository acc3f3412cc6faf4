"""Functions of complex numbers whose rules differ from those of NumPy's function for real numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload, register_jitable


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


def quotient(a: Any, b: Any) -> Any:
    """`np.divide`, which for complex numbers compiles to code without branches, so that loops are vectorised.

    >>> complex(quotient(5.0 + 10.0j, 3.0 + 4.0j))
    (2.2+0.4j)
    """
    return np.divide(a, b)


def whole_power(z: Any, n: Any) -> Any:
    """`z ** n` for a complex number and a whole number n of at most two digits, by products, as in NumPy.

    >>> whole_power(1.0 + 2.0j, 3)
    (-11-2j)
    """
    return z**n


for _each in (modulus, imaginary, argument, squared_modulus, direction):
    _each.takes_numbers = True  # type: ignore[attr-defined]  # so loop nests may call it for each element


def real_beside_real(g: Any, a: Any) -> Any:
    """The real part of g if a is real, else g itself.

    >>> real_beside_real(np.array([1.0 + 2.0j]), np.ones(1)), real_beside_real(2.0 - 1.0j, 1.0j)
    (array([1.]), (2-1j))
    """
    return g if np.iscomplexobj(a) or not np.iscomplexobj(g) else np.real(g)


@register_jitable(inline="always")
def _modulus(x, y):
    # As NumPy: the root of a sum of squares, scaled where these could overflow or lose digits; without branches.
    x, y = abs(x), abs(y)
    larger = max(x, y)
    is_large, is_small = larger > 1e150, larger < 1e-140
    scale = 2.0**-600 if is_large else 2.0**600 if is_small else 1.0
    back = 2.0**600 if is_large else 2.0**-600 if is_small else 1.0
    size = math.sqrt((x * scale) * (x * scale) + (y * scale) * (y * scale)) * back
    return math.inf if math.isinf(larger) or math.isinf(y) else size


@overload(modulus)
def _overload_modulus(z):
    if z == types.complex128:
        return lambda z: _modulus(z.real, z.imag)
    return lambda z: np.abs(z)


def complex_quotient(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The code of a quotient of complex numbers: Smith's algorithm, as in NumPy, with `select` in place of branches."""
    kind = signature.return_type
    cast = (context.cast(builder, arg, own, kind) for arg, own in zip(args, signature.args, strict=True))
    a, b = (context.make_complex(builder, kind, value=value) for value in cast)
    ar, ai, br, bi = a.real, a.imag, b.real, b.imag
    zero, one = (ir.Constant(ar.type, value) for value in (0.0, 1.0))
    fabs = builder.module.declare_intrinsic("llvm.fabs", [ar.type])
    length, height = (builder.call(fabs, [part]) for part in (br, bi))
    is_zero = builder.and_(builder.fcmp_ordered("==", length, zero), builder.fcmp_ordered("==", height, zero))
    is_flat = builder.fcmp_ordered(">=", length, height)
    small, large = builder.select(is_flat, bi, br), builder.select(is_flat, br, bi)
    slope = builder.fdiv(small, large)
    divisor = builder.select(is_zero, length, builder.fadd(large, builder.fmul(small, slope)))
    scale = builder.fdiv(one, divisor)
    first, second = builder.select(is_flat, one, slope), builder.select(is_flat, slope, one)
    real = builder.fadd(builder.fmul(ar, first), builder.fmul(ai, second))
    imag = builder.fsub(builder.fmul(ai, first), builder.fmul(ar, second))
    result = context.make_complex(builder, kind)
    result.real = builder.fmul(builder.select(is_zero, ar, real), scale)
    result.imag = builder.fmul(builder.select(is_zero, ai, imag), scale)
    return result._getvalue()


@intrinsic
def _quotient(typing, a, b):
    kind = typing.resolve_function_type(np.divide, (a, b), {}).return_type
    return kind(a, b), complex_quotient


@overload(quotient)
def _overload_quotient(a, b):
    kinds = (a, b)
    if any(isinstance(each, types.Complex) for each in kinds) and all(isinstance(each, types.Number) for each in kinds):
        return lambda a, b: _quotient(a, b)
    return lambda a, b: np.divide(a, b)


@overload(whole_power, prefer_literal=True)
def _overload_whole_power(z, n):
    if z not in (types.complex64, types.complex128) or not isinstance(n, types.IntegerLiteral):
        return lambda z, n: z**n
    count, power = abs(n.literal_value), ["z", "(z * z)", "(z * (z * z))"]
    lines, factors = ["p0 = z"], []
    if count <= len(power):
        result = power[count - 1]
    else:  # from the lowest binary digit upwards, as NumPy
        for digit in range(count.bit_length()):
            if digit:
                lines.append(f"p{digit} = p{digit - 1} * p{digit - 1}")
            if count >> digit & 1:
                factors.append(f"p{digit}")
        result = " * ".join(factors)
    if n.literal_value < 0:
        result = f"quotient(1.0, {result})"
    body = "; ".join([*lines, f"return {result}"])
    made: dict[str, Any] = {}
    exec(f"def power(z, n): {body}", {"quotient": quotient}, made)
    return made["power"]


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
