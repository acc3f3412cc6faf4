"""Rules of Python's operators and built-in functions, and of the equivalent NumPy functions."""

import builtins
import math
import operator

import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import adjoint, d, folding, partial, tangent, zero


@adjoint(operator.add, np.add, elementwise=True)
def add(y, a, b):
    d[a] = d[y]
    d[b] = d[y]


@tangent(operator.add, np.add)
def add_tangent(y, a, b):
    d[y] = d[a] + d[b]


@adjoint(operator.sub, np.subtract, elementwise=True)
def sub(y, a, b):
    d[a] = d[y]
    d[b] = -d[y]


@tangent(operator.sub, np.subtract)
def sub_tangent(y, a, b):
    d[y] = d[a] - d[b]


@partial(operator.mul, np.multiply)
def mul(y, a, b):
    return b, a


@adjoint(operator.truediv, np.divide, elementwise=True)
def truediv(y, a, b):
    t = d[y] / b
    d[a] = t
    d[b] = -t * y


@tangent(operator.truediv, np.divide)
def truediv_tangent(y, a, b):
    d[y] = d[a] / b - d[b] * y / b


@partial(operator.pow, np.power, np.float_power, math.pow, builtins.pow)
def power(y, a, b):
    return kernels.power_slope(a, b), kernels.power_log(y, a)


@partial(operator.pow, np.power, np.float_power, math.pow, builtins.pow, literals=(1,))
def power_with_known_exponent(y, a, b):
    # The exponent is a number in the source, and not 0: nothing to guard against.
    return b * a ** (b - 1), None


@partial(operator.mod, np.remainder)
def mod(y, a, b):
    return 1.0, -(a // b)


@partial(np.fmod, math.fmod)
def fmod(y, a, b):
    return 1.0, -np.trunc(a / b)


@partial(math.remainder)
def remainder(y, a, b):
    return 1.0, -np.rint(a / b)


@adjoint(operator.neg, np.negative, elementwise=True)
def neg(y, x):
    d[x] = -d[y]


@tangent(operator.neg, np.negative)
def neg_tangent(y, x):
    d[y] = -d[x]


@adjoint(operator.pos, np.positive, builtins.float, np.float64, np.float32, elementwise=True)
def pos(y, x):
    d[x] = d[y]


@tangent(operator.pos, np.positive, builtins.float, np.float64, np.float32)
def pos_tangent(y, x):
    d[y] = d[x]


@partial(operator.abs, builtins.abs, np.absolute, np.fabs, math.fabs, handles_complex=False)
def absolute(y, x):
    return np.sign(x)  # at x == 0 the subgradient 0 is chosen


@adjoint(np.maximum, elementwise=True)
def maximum(y, a, b):
    # If both are equal, the first gets the whole adjoint, as in `a if a >= b else b`.
    d[a] = np.where(a >= b, d[y], 0.0)
    d[b] = np.where(a >= b, 0.0, d[y])


@tangent(np.maximum)
def maximum_tangent(y, a, b):
    d[y] = np.where(a >= b, d[a], 0.0) + np.where(a >= b, 0.0, d[b])


@adjoint(np.minimum, elementwise=True)
def minimum(y, a, b):
    d[a] = np.where(a <= b, d[y], 0.0)
    d[b] = np.where(a <= b, 0.0, d[y])


@tangent(np.minimum)
def minimum_tangent(y, a, b):
    d[y] = np.where(a <= b, d[a], 0.0) + np.where(a <= b, 0.0, d[b])


@adjoint(np.fmax, elementwise=True)
def larger_number(y, a, b):
    # Of a number and NaN, the number is taken.
    d[a] = np.where((a >= b) | (b != b), d[y], 0.0)
    d[b] = np.where((a >= b) | (b != b), 0.0, d[y])


@tangent(np.fmax)
def larger_number_tangent(y, a, b):
    d[y] = np.where((a >= b) | (b != b), d[a], 0.0) + np.where((a >= b) | (b != b), 0.0, d[b])


@adjoint(np.fmin, elementwise=True)
def smaller_number(y, a, b):
    d[a] = np.where((a <= b) | (b != b), d[y], 0.0)
    d[b] = np.where((a <= b) | (b != b), 0.0, d[y])


@tangent(np.fmin)
def smaller_number_tangent(y, a, b):
    d[y] = np.where((a <= b) | (b != b), d[a], 0.0) + np.where((a <= b) | (b != b), 0.0, d[b])


@adjoint(builtins.max, elementwise=True)
def larger(y, a, b):
    # Python takes the second only if that is beyond the first, which NaN never is.
    d[a] = np.where(b > a, 0.0, d[y])
    d[b] = np.where(b > a, d[y], 0.0)


@tangent(builtins.max)
def larger_tangent(y, a, b):
    d[y] = np.where(b > a, 0.0, d[a]) + np.where(b > a, d[b], 0.0)


@adjoint(builtins.min, elementwise=True)
def smaller(y, a, b):
    d[a] = np.where(b < a, 0.0, d[y])
    d[b] = np.where(b < a, d[y], 0.0)


@tangent(builtins.min)
def smaller_tangent(y, a, b):
    d[y] = np.where(b < a, 0.0, d[a]) + np.where(b < a, d[b], 0.0)


folding(builtins.max, builtins.min, math.hypot)

zero(operator.floordiv, np.floor_divide, elementwise=True)
zero(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne, elementwise=True)
zero(np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal, elementwise=True)
zero(operator.and_, operator.or_, operator.xor, operator.invert, operator.lshift, operator.rshift, elementwise=True)
zero(np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift, elementwise=True)
zero(operator.not_, operator.is_, operator.is_not, operator.contains)
zero(builtins.int, builtins.bool, builtins.round, np.int64, np.int32, np.bool_, elementwise=True)
zero(kernels.to_integer, elementwise=True)
zero(builtins.len, builtins.range, builtins.isinstance, builtins.type, builtins.print, builtins.str, builtins.repr)
zero(builtins.any, builtins.all, builtins.callable, builtins.hash, builtins.id)
