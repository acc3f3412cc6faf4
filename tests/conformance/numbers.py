"""Cases of the numbers themselves: gradients of functions, by TensorFlow's conventions at ties, kinks and poles.

A line is a name, a function of a library and of its inputs, and the inputs.
"""

import numpy as np

from tests.conformance.cases import Cases

V, W = [0.3, 1.2, 2.5], [1.0, -2.0, 0.5]
A, B, M = [[1.5, -2.0], [0.5, 3.0], [-1.0, 2.5]], [2.0, -0.5], [[4.0, 1.0], [1.0, 3.0]]
Z, Y = [1 + 2j, 3 - 1j], [0.5 - 1j, 2 + 1j]

REAL = {
    "absolute at zero": (lambda tf, x: tf.abs(x), [[-2.0, 0.0, 3.0]]),
    "sign": (lambda tf, x: tf.sign(x) * x, [[-2.0, 0.0, 3.0]]),
    "sign alone": (lambda tf, x: tf.sign(x), [[-2.0, 0.0, 3.0]]),
    "floor": (lambda tf, x: tf.floor(x), [[1.5]]),
    "floor in a product": (lambda tf, x: tf.floor(x) * x, [[1.5, -0.5]]),
    "round": (lambda tf, x: tf.round(x), [[1.5]]),
    "floor division": (lambda tf, x: x // 2.0, [[5.0]]),
    "floor division in a sum": (lambda tf, x: x // 2.0 + x, [[5.0]]),
    "remainder": (lambda tf, x, y: x % y, [[5.5, -3.0], [2.0, 2.5]]),
    "zeros like": (lambda tf, x: tf.zeros_like(x), [V]),
    "ones like": (lambda tf, x: tf.ones_like(x) * x, [V]),
    "comparison": (lambda tf, x: tf.cast(x > 1.0, tf.float64), [V]),
    "argmax": (lambda tf, x: tf.cast(tf.argmax(x), tf.float64), [V]),
    "where": (lambda tf, x: tf.where(x > 1.0, x * x, -x), [V]),
    "where, one branch a constant": (lambda tf, x: tf.where(x > 1.0, x, tf.zeros_like(x)), [V]),
    "where, of a tensor not selected": (lambda tf, x, y: tf.where(x > 100.0, y, x), [V, W]),
    "where, on a number": (lambda tf, x: tf.where(x > 1.0, x, 0.0), [2.0]),
    "square root, not selected at its pole": (lambda tf, x: tf.where(x > 0.0, tf.sqrt(x), 0.0 * x), [[0.0, 1.0, 4.0]]),
    "square root, not selected where it is none": (
        lambda tf, x: tf.where(x > 0.0, tf.sqrt(x), 0.0 * x),
        [[-1.0, 1.0, 4.0]],
    ),
    "square root of nan, times zero": (lambda tf, x: tf.sqrt(x) * [0.0, 1.0], [[np.nan, 4.0]]),
    "norm of order one": (lambda tf, x: tf.linalg.norm(x, ord=1, axis=1), [[[3.0, -4.0], [0.5, 2.0]]]),
    "norm of order three": (lambda tf, x: tf.linalg.norm(x, ord=3), [[3.0, -4.0, 0.5]]),
    "largest element as a norm": (lambda tf, x: tf.linalg.norm(x, ord=np.inf), [[3.0, -4.0, 4.0]]),
    "maximum": (lambda tf, x, y: tf.maximum(x, y), [V, W]),
    "maximum of equals": (lambda tf, x, y: tf.maximum(x, y), [[1.0, 2.0], [1.0, 3.0]]),
    "minimum of equals": (lambda tf, x, y: tf.minimum(x, y), [[1.0, 2.0], [1.0, 3.0]]),
    "maximum with zero at zero": (lambda tf, x: tf.maximum(x, 0.0), [[-1.0, 0.0, 1.0]]),
    "maximum of itself": (lambda tf, x: tf.maximum(x, x), [V]),
    "max": (lambda tf, x: tf.reduce_max(x), [V]),
    "max of equals": (lambda tf, x: tf.reduce_max(x), [[2.0, 1.0, 2.0]]),
    "min of equals": (lambda tf, x: tf.reduce_min(x), [[1.0, 1.0, 2.0]]),
    "max along an axis": (lambda tf, x: tf.reduce_max(x, axis=0), [A]),
    "max of equals along an axis": (lambda tf, x: tf.reduce_max(x, axis=1), [[[2.0, 2.0], [1.0, 3.0]]]),
    "prod": (lambda tf, x: tf.reduce_prod(x), [V]),
    "prod with a zero": (lambda tf, x: tf.reduce_prod(x), [[0.0, 2.0, 3.0]]),
    "prod with two zeros": (lambda tf, x: tf.reduce_prod(x), [[0.0, 0.0, 3.0]]),
    "prod along an axis": (lambda tf, x: tf.reduce_prod(x, axis=1), [A]),
    "sum": (lambda tf, x: tf.reduce_sum(x), [A]),
    "sum along an axis": (lambda tf, x: tf.reduce_sum(x, axis=0) ** 2, [A]),
    "sum along two axes": (lambda tf, x: tf.reduce_sum(x, axis=(0, 1)) ** 2, [A]),
    "sum with kept axes": (lambda tf, x: x * tf.reduce_sum(x, axis=1, keepdims=True), [A]),
    "mean": (lambda tf, x: tf.reduce_mean(x * x), [A]),
    "mean along an axis": (lambda tf, x: tf.reduce_mean(x * x, axis=-1), [A]),
    "power at zero": (lambda tf, x: x**2, [[0.0, -1.5]]),
    "power one": (lambda tf, x: x**1, [[0.0, -1.5]]),
    "power of a number": (lambda tf, x: 2.0**x, [V]),
    "power of zero": (lambda tf, x: 0.0**x, [[1.0, 2.0]]),
    "power of tensors": (lambda tf, x, y: x**y, [V, W]),
    "power of zero by a tensor": (lambda tf, x, y: tf.pow(x, y), [[0.0, 2.0], [2.0, 3.0]]),
    "power of a negative number": (lambda tf, x: x**3, [[-2.0, -0.5]]),
    "square root at zero": (lambda tf, x: tf.sqrt(x), [[0.0, 4.0]]),
    "logarithm at zero": (lambda tf, x: tf.math.log(x), [[0.0, 4.0]]),
    "division by zero": (lambda tf, x: 1.0 / x, [[0.0, 4.0]]),
    "exponential": (lambda tf, x: tf.exp(x), [V]),
    "logarithm of one plus": (lambda tf, x: tf.math.log1p(x), [V]),
    "exponential minus one": (lambda tf, x: tf.math.expm1(x), [V]),
    "sine, cosine, tangent": (lambda tf, x: tf.sin(x) * tf.cos(x) + tf.tan(x), [V]),
    "hyperbolic": (lambda tf, x: tf.sinh(x) * tf.cosh(x) + tf.tanh(x), [V]),
    "inverse": (lambda tf, x: tf.asin(x) * tf.acos(x) + tf.atan(x), [[-0.5, 0.1, 0.7]]),
    "angle of two": (lambda tf, x, y: tf.atan2(x, y), [V, W]),
    "sigmoid": (lambda tf, x: tf.sigmoid(x), [V]),
    "softplus": (lambda tf, x: tf.nn.softplus(x), [V]),
    "rectifier": (lambda tf, x: tf.nn.relu(x), [[-1.0, 0.0, 1.0]]),
    "clip at the ends": (lambda tf, x: tf.clip_by_value(x, 0.0, 1.0), [[-1.0, 0.5, 2.0]]),
    "negative": (lambda tf, x: -x, [V]),
    "square": (lambda tf, x: tf.square(x), [V]),
    "sum of list": (lambda tf, x, y: tf.add_n([x, y, x]), [V, W]),
    "named arithmetic": (lambda tf, x, y: tf.divide(tf.multiply(x, y), tf.subtract(tf.add(x, y), 7.0)), [V, W]),
    "broadcast product": (lambda tf, x, y: x * y, [A, B]),
    "broadcast quotient": (lambda tf, x, y: x / y, [A, B]),
    "broadcast of a column": (lambda tf, x, y: x[:, None] * y[None, :], [V, B]),
    "broadcast of a number": (lambda tf, x, y: x * y, [A, 2.0]),
    "broadcast to a shape": (lambda tf, x: tf.broadcast_to(x, (3, 2)), [B]),
    "matrix product": (lambda tf, x, y: tf.matmul(x, y), [A, M]),
    "matrix and vector": (lambda tf, x, y: tf.linalg.matvec(x, y), [A, B]),
    "operator of the product": (lambda tf, x, y: x @ y, [A, M]),
    "batched product": (lambda tf, x, y: tf.matmul(x[None] * tf.ones((4, 1, 1), "float64"), y), [A, M]),
    "transposed product": (lambda tf, x: tf.matmul(tf.transpose(x), x), [A]),
    "contraction": (lambda tf, x, y: tf.einsum("ij,jk->ki", x, y), [A, M]),
    "contraction to a number": (lambda tf, x: tf.einsum("ij,ij->", x, x), [A]),
    "product over axes": (lambda tf, x, y: tf.tensordot(x, y, 1), [A, M]),
    "reshape": (lambda tf, x: tf.reshape(x, (2, 3)) * tf.constant([1.0, 2.0, 4.0]), [A]),
    "reshape to a row": (lambda tf, x: tf.reshape(x, -1), [A]),
    "transpose": (lambda tf, x: tf.transpose(x), [A]),
    "expand": (lambda tf, x: tf.expand_dims(x, 0), [B]),
    "squeeze": (lambda tf, x: tf.squeeze(x[None]), [B]),
    "concatenation": (lambda tf, x, y: tf.concat([x, y[None, :], x], 0), [A, B]),
    "concatenation of columns": (lambda tf, x: tf.concat([x, x * x], axis=1), [A]),
    "stack": (lambda tf, x: tf.stack([x, x * x]), [B]),
    "stack along the last axis": (lambda tf, x: tf.stack([x, x * x], axis=-1), [B]),
    "tiles": (lambda tf, x: tf.tile(x, (3,)), [B]),
    "repeated": (lambda tf, x: tf.repeat(x, 2), [B]),
    "rolled": (lambda tf, x: tf.roll(x, 1, 0), [V]),
    "sorted": (lambda tf, x: tf.sort(x), [[3.0, 1.0, 2.0]]),
    "running sum": (lambda tf, x: tf.cumsum(x), [V]),
    "running product": (lambda tf, x: tf.math.cumprod(x), [V]),
    "item": (lambda tf, x: x[1], [A]),
    "slice": (lambda tf, x: x[::2, 1:], [A]),
    "slice backwards": (lambda tf, x: x[::-1], [A]),
    "ellipsis": (lambda tf, x: x[..., 0], [A]),
    "item of an item": (lambda tf, x: x[1][0], [A]),
    "item twice": (lambda tf, x: x[0] * x[0] * x[1], [V]),
    "rows": (lambda tf, x: tf.gather(x, [0, 0, 2]), [A]),
    "inverse matrix": (lambda tf, x: tf.linalg.inv(x), [M]),
    "determinant": (lambda tf, x: tf.linalg.det(x), [M]),
    "solution": (lambda tf, x, y: tf.linalg.solve(x, y[:, None]), [M, B]),
    "trace": (lambda tf, x: tf.linalg.trace(x), [M]),
    "diagonal": (lambda tf, x: tf.linalg.diag_part(x), [M]),
    "norm": (lambda tf, x: tf.linalg.norm(x), [B]),
    "softmax by hand": (lambda tf, x: tf.exp(x) / tf.reduce_sum(tf.exp(x)), [V]),
    "logarithm of a sum of exponentials": (lambda tf, x: tf.math.log(tf.reduce_sum(tf.exp(x))), [V]),
    "a constant": (lambda tf, x: tf.ones((3,), "float64") * 2.0, [V]),
    "empty": (lambda tf, x: tf.reduce_sum(x[:0]), [V]),
    "a number from a matrix": (lambda tf, x: tf.reduce_sum(x[0] * x[1]), [A]),
}

COMPLEX = {
    "square of complex": (lambda tf, z: z * z, [Z]),
    "absolute of complex": (lambda tf, z: tf.abs(z), [Z]),
    "real part": (lambda tf, z: tf.math.real(z), [Z]),
    "imaginary part": (lambda tf, z: tf.math.imag(z), [Z]),
    "conjugate": (lambda tf, z: tf.math.conj(z), [Z]),
    "exponential of complex": (lambda tf, z: tf.exp(z), [Z]),
    "reciprocal of complex": (lambda tf, z: 1.0 / z, [Z]),
    "product of complex": (lambda tf, z, y: z * y, [Z, Y]),
    "quotient of complex": (lambda tf, z, y: z / y, [Z, Y]),
    "difference of complex": (lambda tf, z, y: z - y, [Z, Y]),
    "cube of complex": (lambda tf, z: z * z * z, [Z]),
    "square of the modulus": (lambda tf, z: tf.math.real(z * tf.math.conj(z)), [Z]),
    "sum of complex": (lambda tf, z: tf.reduce_sum(z), [Z]),
    "sign of complex": (lambda tf, z: tf.sign(z), [Z]),
    "variance of complex": (lambda tf, z: tf.math.reduce_variance(z), [Z]),
    "standard deviation of complex": (lambda tf, z: tf.math.reduce_std(z), [Z]),
    "variance of complex along an axis": (lambda tf, z, y: tf.math.reduce_variance(tf.stack([z, y]), axis=1), [Z, Y]),
    "norm of complex": (lambda tf, z: tf.abs(tf.linalg.norm(z)), [Z]),
    "complex of real parts": (lambda tf, x, y: tf.complex(x, y) * tf.complex(y, x), [V, W]),
    "modulus of a complex of real parts": (lambda tf, x, y: tf.abs(tf.complex(x, y)), [V, W]),
}


def gradient(function, values):
    """The gradients of the result, weighted so that each of its elements counts differently."""

    def run(tf):
        inputs = [tf.constant(value) for value in values]
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            y = function(tf, *inputs)
        shape = tuple(y.shape)
        count = 1
        for length in shape:
            count *= length
        weights = tf.reshape(tf.constant([float(k) for k in range(1, count + 1)], y.dtype), shape)
        found = tape.gradient(y, inputs, weights)
        return [each if each is None else tf.convert_to_tensor(each) for each in found]

    return run


def hessian(function, values):
    """The second derivatives of the sum of the squares of the result by the first input."""

    def run(tf):
        inputs = [tf.constant(value) for value in values]
        with tf.GradientTape() as outer:
            outer.watch(inputs)
            with tf.GradientTape() as inner:
                inner.watch(inputs)
                y = tf.reduce_sum(function(tf, *inputs) ** 2)
            slope = inner.gradient(y, inputs[0])
        return outer.jacobian(tf.convert_to_tensor(slope), inputs[0])

    return run


TWICE = (
    "where",
    "prod",
    "mean along an axis",
    "power of tensors",
    "sine, cosine, tangent",
    "hyperbolic",
    "angle of two",
    "sigmoid",
    "broadcast quotient",
    "matrix product",
    "transposed product",
    "contraction",
    "concatenation",
    "stack",
    "sorted",
    "running sum",
    "slice backwards",
    "rows",
    "inverse matrix",
    "determinant",
    "softmax by hand",
    "norm",
)

case = Cases()
for name, (function, values) in (REAL | COMPLEX).items():
    case[name] = gradient(function, values)
for name in TWICE:
    case[f"{name}, twice"] = hessian(*REAL[name])
