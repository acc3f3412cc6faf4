"""Many small cases by table: each program with each question that a tape can be asked about it.

program     from tensors x (a matrix), v (a vector) and s (a number) to a tensor
question    its gradient, its gradient's gradient, by its own result as well, its Jacobian, its tangent
"""

from collections.abc import Callable
from typing import Any

from tests.conformance.cases import Cases

case = Cases()

X, V, S = [[2.0, 0.3, 0.1], [0.2, 1.5, 0.4], [0.3, 0.1, 1.8]], [1.3, 2.2, 1.7], 0.7

PROGRAMS: dict[str, Callable[..., Any]] = {
    "inverse hyperbolic sine": lambda tf, x, v, s: tf.asinh(v),
    "inverse hyperbolic cosine": lambda tf, x, v, s: tf.acosh(v),
    "norm": lambda tf, x, v, s: tf.norm(v),
    "sign": lambda tf, x, v, s: tf.sign(v) * v,
    "running product": lambda tf, x, v, s: tf.math.cumprod(v) * s,
    "running sum": lambda tf, x, v, s: tf.cumsum(v * v) * s,
    "eigenvalues": lambda tf, x, v, s: tf.linalg.eigvalsh(x @ tf.transpose(x)),
    "eigenvectors": lambda tf, x, v, s: tf.square(tf.linalg.eigh(x @ tf.transpose(x))[1]) * s,
    "logarithm of the determinant": lambda tf, x, v, s: tf.linalg.slogdet(x)[1] * s,
    "triangular factor": lambda tf, x, v, s: tf.abs(tf.linalg.qr(x)[1]),
    "orthogonal factor": lambda tf, x, v, s: tf.square(tf.linalg.qr(x)[0]),
    "inverse": lambda tf, x, v, s: tf.linalg.inv(x * s),
    "solution": lambda tf, x, v, s: tf.linalg.solve(x, tf.expand_dims(v, 1)),
    "greatest of rows with ties": lambda tf, x, v, s: tf.reduce_max(tf.maximum(x, 1.5), axis=1),
    "standard deviation": lambda tf, x, v, s: tf.math.reduce_std(x, axis=0) * s,
    "choice by a condition": lambda tf, x, v, s: tf.where(v > 1.5, v * v, s),
    "power with an exponent that is followed": lambda tf, x, v, s: tf.pow(v, s),
    "stacked and summed": lambda tf, x, v, s: tf.reduce_sum(tf.stack([v, v * s, v]), axis=1),
    "a result of several that is not used": lambda tf, x, v, s: tf.linalg.slogdet(x)[0] * tf.reduce_sum(v),
    "quotient of sums": lambda tf, x, v, s: tf.reduce_sum(x * v, axis=1) / tf.reduce_sum(v),
}


def gradient(tf, program):
    x, v, s = tf.constant(X), tf.constant(V), tf.constant(S)
    with tf.GradientTape() as tape:
        tape.watch([x, v, s])
        y = program(tf, x, v, s)
    return tape.gradient(y, [x, v, s])


def gradients_of_gradients(tf, program):
    x, v, s = tf.constant(X), tf.constant(V), tf.constant(S)
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([x, v, s])
        with tf.GradientTape() as tape:
            tape.watch([x, v, s])
            y = program(tf, x, v, s)
        slopes = [each for each in tape.gradient(y, [x, v, s]) if each is not None]
    return [outer.gradient(each, [x, v, s, y]) for each in slopes]


def jacobian(tf, program):
    x, v, s = tf.constant(X), tf.constant(V), tf.constant(S)
    with tf.GradientTape() as tape:
        tape.watch([x, v, s])
        y = program(tf, x, v, s)
    return tape.jacobian(y, [x, v, s])


def tangent(tf, program):
    x, v, s = tf.constant(X), tf.constant(V), tf.constant(S)
    with tf.autodiff.ForwardAccumulator([x, v], [x * 0.5, v * v]) as accumulator:
        y = program(tf, x, v, s)
    return accumulator.jvp(y)


for _question in (gradient, gradients_of_gradients, jacobian, tangent):
    for _name, _program in PROGRAMS.items():

        def _ask(tf, question=_question, program=_program):
            return question(tf, program)

        _ask.__name__ = f"{_question.__name__}_of_{_name.replace(' ', '_')}"
        case(_ask)
