"""Rules of elementwise functions of NumPy and `math`. Most state each partial derivative once."""

import math

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, define, partial, tangent, zero


@partial(np.exp, math.exp)
def exp(y, x):
    return y


@partial(np.exp2)
def exp2(y, x):
    return 0.6931471805599453 * y


@partial(np.expm1, math.expm1)
def expm1(y, x):
    return y + 1.0


@partial(np.log)
def log(y, x):
    return 1.0 / x


@partial(math.log)
def log_to_base(y, x, base=math.e):
    return 1.0 / (x * np.log(base)), -y / (base * np.log(base))


@partial(math.log, arity=1)
def natural_log(y, x):
    return 1.0 / x


@partial(np.log2, math.log2)
def log2(y, x):
    return 1.0 / (0.6931471805599453 * x)


@partial(np.log10, math.log10)
def log10(y, x):
    return 1.0 / (2.302585092994046 * x)


@partial(np.log1p, math.log1p)
def log1p(y, x):
    return 1.0 / (1.0 + x)


@partial(np.logaddexp)
def logaddexp(y, a, b):
    return np.exp(a - y), np.exp(b - y)


@partial(np.logaddexp2)
def logaddexp2(y, a, b):
    return np.exp2(a - y), np.exp2(b - y)


@partial(np.sqrt, math.sqrt)
def sqrt(y, x):
    return 0.5 / y  # infinite at x == 0


@partial(np.cbrt)
def cbrt(y, x):
    return 1.0 / (3.0 * y * y)


@partial(np.square)
def square(y, x):
    return 2.0 * x


@partial(np.reciprocal)
def reciprocal(y, x):
    return -y * y


@partial(np.sin, math.sin)
def sin(y, x):
    return np.cos(x)


@partial(np.cos, math.cos)
def cos(y, x):
    return -np.sin(x)


@partial(np.tan, math.tan)
def tan(y, x):
    return 1.0 + y * y


@partial(np.arcsin, math.asin)
def arcsin(y, x):
    return 1.0 / np.sqrt((1.0 - x) * (1.0 + x))


@partial(np.arccos, math.acos)
def arccos(y, x):
    return -1.0 / np.sqrt((1.0 - x) * (1.0 + x))


@partial(np.arctan, math.atan)
def arctan(y, x):
    return 1.0 / (1.0 + x * x)


@adjoint(np.arctan2, math.atan2, elementwise=True)
def arctan2(y, a, b):
    # Short integers may overflow in squares, and unsigned ones cannot be negative.
    t = d[y] / (1.0 * a * a + 1.0 * b * b)
    d[a] = b * t
    d[b] = a * -t


@tangent(np.arctan2, math.atan2)
def arctan2_tangent(y, a, b):
    t = 1.0 * a * a + 1.0 * b * b
    d[y] = d[a] * (b / t) - d[b] * (a / t)


@partial(np.sinh, math.sinh)
def sinh(y, x):
    return np.cosh(x)


@partial(np.cosh, math.cosh)
def cosh(y, x):
    return np.sinh(x)


@partial(np.tanh, math.tanh)
def tanh(y, x):
    return 1.0 - y * y


@partial(np.arcsinh, math.asinh)
def arcsinh(y, x):
    return 1.0 / np.sqrt(x * x + 1.0)


@partial(np.arccosh, math.acosh)
def arccosh(y, x):
    return 1.0 / (np.sqrt(x - 1.0) * np.sqrt(x + 1.0))


@partial(np.arctanh, math.atanh)
def arctanh(y, x):
    return 1.0 / ((1.0 - x) * (1.0 + x))


@partial(np.hypot, math.hypot)
def hypot(y, a, b):
    return kernels.ratio(a, y), kernels.ratio(b, y)  # 0 at the origin, as for a norm


@partial(np.sinc)
def sinc(y, x):
    return kernels.sinc_slope(x)


@partial(kernels.sinc_slope)
def sinc_slope(y, x):
    return np.where(x == 0.0, -3.289868133696453, -9.869604401089358 * np.sinc(x) - 2.0 * kernels.ratio(y, x))


@partial(np.degrees, np.rad2deg, math.degrees)
def degrees(y, x):
    return 57.29577951308232


@partial(np.radians, np.deg2rad, math.radians)
def radians(y, x):
    return 0.017453292519943295


@partial(np.copysign, math.copysign)
def copysign(y, a, b):
    return np.sign(a) * np.copysign(1.0, b), None


@partial(np.heaviside)
def heaviside(y, x, h):
    return None, np.where(x == 0.0, 1.0, 0.0)


@partial(np.ldexp, math.ldexp)
def ldexp(y, x, i):
    return np.exp2(i), None


@partial(np.nan_to_num)
def nan_to_num(y, x):
    return np.where(np.isfinite(x), 1.0, 0.0)


@adjoint(np.where, elementwise=True)
def where(y, condition, x, otherwise):
    d[x] = np.where(condition, d[y], 0.0)
    d[otherwise] = np.where(condition, 0.0, d[y])


@tangent(np.where)
def where_tangent(y, condition, x, otherwise):
    d[y] = np.where(condition, d[x], 0.0) + np.where(condition, 0.0, d[otherwise])


@adjoint(np.clip, elementwise=True)
def clip(y, a, a_min, a_max):
    # On a bound the derivative by `a` is 1, as for maximum and minimum.
    d[a] = np.where(y == a, d[y], 0.0)
    d[a_min] = np.where(kernels.is_below(a, a_min, a_max), d[y], 0.0)
    d[a_max] = np.where(kernels.is_above(a, a_min, a_max), d[y], 0.0)


@tangent(np.clip)
def clip_tangent(y, a, a_min, a_max):
    d[y] = (
        np.where(y == a, d[a], 0.0)
        + np.where(kernels.is_below(a, a_min, a_max), d[a_min], 0.0)
        + np.where(kernels.is_above(a, a_min, a_max), d[a_max], 0.0)
    )


@adjoint(np.real, elementwise=True, may_view=True)
def real(y, val):
    d[val] = np.real(d[y])  # complex if the real part was used in complex arithmetic


@tangent(np.real)
def real_tangent(y, val):
    d[y] = np.real(d[val])


@adjoint(np.conjugate, elementwise=True)
def conjugate(y, x):
    d[x] = np.conjugate(d[y])


@tangent(np.conjugate)
def conjugate_tangent(y, x):
    d[y] = np.conjugate(d[x])


@define(np.divmod, divmod)
def divide_with_rest(x1, x2):
    return x1 // x2, x1 % x2


@define(np.modf, math.modf)
def modf(x):
    whole = np.trunc(x)
    return x - whole, whole


@define(np.fix)  # which NumPy 2.5 deprecates, with a warning
def fix(x):
    return np.trunc(x)


zero(np.sign, np.floor, np.ceil, np.trunc, np.rint, np.signbit, np.spacing, elementwise=True)
zero(math.floor, math.ceil, math.trunc, elementwise=True)
zero(np.round, np.around)
zero(np.isnan, np.isinf, np.isfinite, np.logical_and, np.logical_or, np.logical_xor, np.logical_not, elementwise=True)
zero(math.isnan, math.isinf, math.isfinite, math.isclose, elementwise=True)
zero(math.factorial, math.comb, math.perm, math.gcd, math.lcm, math.isqrt, np.gcd, np.lcm, elementwise=True)
zero(np.isclose, np.allclose, np.array_equal, np.iscomplexobj, np.isrealobj, np.isscalar)
zero(kernels.is_below, kernels.is_above, elementwise=True)
