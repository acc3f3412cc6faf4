"""Gradients with the numbers of TensorFlow 2.21, or in closed form. Nothing here imports TensorFlow.

The gradients of functions with several results are those of the results weighted with 1, 2, 3, ... in order.
"""

import numpy as np
import pytest

from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant

A = [[1.5, -2.0], [0.5, 3.0], [-1.0, 2.5]]
B = [2.0, -0.5]
M = [[4.0, 1.0], [1.0, 3.0]]
V = [0.3, 1.2, 2.5]


def weighted(y):
    return np.sum(y * np.arange(1.0, y.size + 1).reshape(y.shape))


def gradients(function, arguments, persistent=False):
    inputs = [constant(argument) for argument in arguments]
    with GradientTape(persistent) as tape:
        tape.watch(inputs)
        y = weighted(function(*inputs))
    return tape.gradient(y, inputs)


# Functions of one number: the closed form of the derivative, and points at which to compare.

ELEMENTWISE = {
    "negative": (lambda x: -x, lambda x: -np.ones_like(x), V),
    "absolute": (np.abs, np.sign, [-2.0, 0.0, 3.0]),
    "square": (np.square, lambda x: 2 * x, V),
    "sqrt": (np.sqrt, lambda x: 0.5 / np.sqrt(x), V),
    "reciprocal": (np.reciprocal, lambda x: -1 / x**2, V),
    "exp": (np.exp, np.exp, V),
    "expm1": (np.expm1, np.exp, V),
    "exp2": (np.exp2, lambda x: np.log(2) * 2**x, V),
    "log": (np.log, lambda x: 1 / x, V),
    "log1p": (np.log1p, lambda x: 1 / (1 + x), V),
    "log2": (np.log2, lambda x: 1 / (x * np.log(2)), V),
    "log10": (np.log10, lambda x: 1 / (x * np.log(10)), V),
    "sin": (np.sin, np.cos, V),
    "cos": (np.cos, lambda x: -np.sin(x), V),
    "tan": (np.tan, lambda x: 1 / np.cos(x) ** 2, V),
    "arcsin": (np.arcsin, lambda x: 1 / np.sqrt(1 - x * x), [-0.5, 0.1, 0.7]),
    "arccos": (np.arccos, lambda x: -1 / np.sqrt(1 - x * x), [-0.5, 0.1, 0.7]),
    "arctan": (np.arctan, lambda x: 1 / (1 + x * x), V),
    "sinh": (np.sinh, np.cosh, V),
    "cosh": (np.cosh, np.sinh, V),
    "tanh": (np.tanh, lambda x: 1 / np.cosh(x) ** 2, V),
    "arcsinh": (np.arcsinh, lambda x: 1 / np.sqrt(1 + x * x), V),
    "arccosh": (np.arccosh, lambda x: 1 / np.sqrt(x * x - 1), [1.5, 2.0]),
    "arctanh": (np.arctanh, lambda x: 1 / (1 - x * x), [-0.5, 0.1, 0.7]),
    "power 2": (lambda x: x**2, lambda x: 2 * x, [0.0, -1.5, 3.0]),
    "power 3": (lambda x: x**3, lambda x: 3 * x**2, [0.0, -1.5, 3.0]),
    "power 2.5": (lambda x: x**2.5, lambda x: 2.5 * x**1.5, V),
    "power -1": (lambda x: x**-1, lambda x: -1 / x**2, V),
    "2 to the": (lambda x: 2.0**x, lambda x: np.log(2) * 2**x, V),
    "0 to the": (lambda x: 0.0**x, np.zeros_like, [1.0, 2.0]),
    "divided by": (lambda x: x / 4.0, lambda x: np.full_like(x, 0.25), V),
    "divides": (lambda x: 4.0 / x, lambda x: -4 / x**2, V),
    "plus": (lambda x: 3.0 + x, np.ones_like, V),
    "minus": (lambda x: 3.0 - x, lambda x: -np.ones_like(x), V),
    "remainder": (lambda x: x % 2.0, np.ones_like, [5.5, -3.0, 0.5]),
    "composed": (lambda x: np.sin(x * x) / x, lambda x: 2 * np.cos(x * x) - np.sin(x * x) / x**2, V),
    "used twice": (lambda x: x * np.exp(x) + x, lambda x: np.exp(x) * (1 + x) + 1, V),
    "maximum of itself": (lambda x: np.maximum(x, x), np.ones_like, V),
    "float32 and back": (lambda x: x.astype("float32").astype("float64") * 2, lambda x: np.full_like(x, 2.0), V),
}


@pytest.mark.parametrize(("function", "slope", "points"), ELEMENTWISE.values(), ids=ELEMENTWISE.keys())
def test_elementwise_functions(function, slope, points):
    x = constant(points)
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.gradient(y, x), slope(np.array(points)), rtol=1e-12)
    for each in points:
        number = constant(each)
        with GradientTape() as tape:
            tape.watch(number)
            y = function(number)
        assert float(tape.gradient(y, number)) == pytest.approx(float(slope(np.array(each))), rel=1e-12)


@pytest.mark.parametrize(("function", "slope", "points"), ELEMENTWISE.values(), ids=ELEMENTWISE.keys())
def test_elementwise_functions_in_single_precision(function, slope, points):
    x = constant(points, dtype="float32")
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x)
    assert gradient.dtype == np.float32
    np.testing.assert_allclose(gradient, slope(np.array(points, dtype="float32")), rtol=1e-4)


# From TensorFlow.

ARRAYS = {
    "sum axis": (lambda a: np.sum(a, axis=0), [A], [[[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]]),
    "sum keep": (lambda a: a * np.sum(a, axis=1, keepdims=True), [A], [[[-3.0, -3.5], [24.0, 27.5], [17.5, 19.0]]]),
    "mean": (lambda a: np.mean(a, axis=1), [A], [[[0.5, 0.5], [1.0, 1.0], [1.5, 1.5]]]),
    "mean all": (
        lambda a: a.mean(),
        [A],
        [[[0.1666666667, 0.1666666667], [0.1666666667, 0.1666666667], [0.1666666667, 0.1666666667]]],
    ),
    "prod axis": (lambda a: np.prod(a, axis=0), [A], [[[-0.5, 15.0], [-1.5, -10.0], [0.75, -12.0]]]),
    "max axis": (lambda a: np.max(a, axis=1), [A], [[[1.0, 0.0], [0.0, 2.0], [0.0, 3.0]]]),
    "min": (np.min, [A], [[[0.0, 1.0], [0.0, 0.0], [0.0, 0.0]]]),
    "var axis": (
        lambda a: np.var(a, axis=0),
        [A],
        [[[0.7777777778, -4.2222222222], [0.1111111111, 2.4444444444], [-0.8888888889, 1.7777777778]]],
    ),
    "std axis": (
        lambda a: a.std(axis=0),
        [A],
        [[[0.3785166493, -0.9389158011], [0.054073807, 0.5435828322], [-0.4325904563, 0.3953329689]]],
    ),
    "broadcast mul": (lambda a, b: a * b, [A, B], [[[2.0, -1.0], [6.0, -2.0], [10.0, -3.0]], [-2.0, 23.0]]),
    "broadcast div": (lambda a, b: a / b, [A, B], [[[0.5, -4.0], [1.5, -8.0], [2.5, -12.0]], [0.5, -92.0]]),
    "broadcast sub": (lambda a, b: b - a, [A, B], [[[-1.0, -2.0], [-3.0, -4.0], [-5.0, -6.0]], [9.0, 12.0]]),
    "scalar pow": (
        lambda a, b: a**b,
        [V, [2.0, -1.0, 0.5]],
        [[0.6, -1.3888888889, 0.9486832981], [-0.1083575524, 0.3038692613, 4.3463485674]],
    ),
    "maximum": (np.maximum, [A, B], [[[0.0, 0.0], [0.0, 4.0], [0.0, 6.0]], [9.0, 2.0]]),
    "minimum": (np.minimum, [A, B], [[[1.0, 2.0], [3.0, 0.0], [5.0, 0.0]], [0.0, 10.0]]),
    "maximum tie": (np.maximum, [[1.0, 2.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 2.0]]),
    "minimum tie": (np.minimum, [[1.0, 2.0], [1.0, 3.0]], [[1.0, 2.0], [0.0, 0.0]]),
    "where": (lambda a: np.where(a > 0, a * a, -a), [A], [[[3.0, -2.0], [3.0, 24.0], [-5.0, 30.0]]]),
    "clip": (lambda a: np.clip(a, -1.0, 2.0), [A], [[[1.0, 0.0], [3.0, 0.0], [5.0, 0.0]]]),
    "matmul": (lambda a, b: a @ b, [A, M], [[[6.0, 7.0], [16.0, 15.0], [26.0, 23.0]], [[-2.0, -1.0], [19.5, 23.0]]]),
    "matvec": (lambda a, b: a @ b, [A, B], [[[2.0, -0.5], [4.0, -1.0], [6.0, -1.5]], [-0.5, 11.5]]),
    "dot": (np.dot, [V, [1.0, -2.0, 0.5]], [[1.0, -2.0, 0.5], [0.3, 1.2, 2.5]]),
    "outer": (np.outer, [V, B], [[1.0, 4.0, 7.0], [16.4, 20.4]]),
    "gram": (lambda a: a.T @ a, [A], [[[-7.0, -8.5], [16.0, 26.5], [10.5, 15.0]]]),
    "reshape": (lambda a: a.reshape(2, 3) * [1.0, 2.0, 4.0], [A], [[[1.0, 4.0], [12.0, 4.0], [10.0, 24.0]]]),
    "transpose": (
        lambda a: np.transpose(a) * np.array([1.0, 2.0, 4.0]),
        [A],
        [[[1.0, 4.0], [4.0, 10.0], [12.0, 24.0]]],
    ),
    "concat": (
        lambda a, b: np.concatenate([a, b[None, :], a]),
        [A, B],
        [[[10.0, 12.0], [14.0, 16.0], [18.0, 20.0]], [7.0, 8.0]],
    ),
    "stack": (lambda a: np.stack([a, a * a, np.ones_like(a)]), [B], [[13.0, -2.0]]),
    "getitem int": (lambda a: a[1], [A], [[[0.0, 0.0], [1.0, 2.0], [0.0, 0.0]]]),
    "getitem slice": (lambda a: a[::2, 1:], [A], [[[0.0, 1.0], [0.0, 0.0], [0.0, 2.0]]]),
    "getitem neg": (lambda a: a[::-1], [A], [[[5.0, 6.0], [3.0, 4.0], [1.0, 2.0]]]),
    "gather": (lambda a: a[[0, 0, 2]], [A], [[[4.0, 6.0], [0.0, 0.0], [5.0, 6.0]]]),
    "mask": (lambda a: a[a > 0], [A], [[[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]]]),
    "newaxis": (lambda a: a[None, :] * a[:, None], [B], [[1.5, 6.0]]),
    "expand": (lambda a: np.expand_dims(a, 0) * 3.0, [B], [[3.0, 6.0]]),
    "squeeze": (lambda a: np.squeeze(a[None]), [B], [[1.0, 2.0]]),
    "tile": (lambda a: np.tile(a, 3), [B], [[9.0, 12.0]]),
    "repeat": (lambda a: np.repeat(a, 2), [B], [[3.0, 7.0]]),
    "cumsum": (lambda a: np.cumsum(a, axis=0), [A], [[[9.0, 12.0], [8.0, 10.0], [5.0, 6.0]]]),
    "cumprod": (lambda a: np.cumprod(a, axis=1), [A], [[[-3.0, 3.0], [15.0, 2.0], [20.0, -6.0]]]),
    "flip": (np.flip, [B], [[2.0, 1.0]]),
    "roll": (lambda a: np.roll(a, 1), [V], [[2.0, 3.0, 1.0]]),
    "sort": (np.sort, [[3.0, 1.0, 2.0]], [[3.0, 1.0, 2.0]]),
    "trace": (np.trace, [M], [[[1.0, 0.0], [0.0, 1.0]]]),
    "diag": (np.diag, [M], [[[1.0, 0.0], [0.0, 2.0]]]),
    "diagm": (np.diag, [B], [[1.0, 4.0]]),
    "inv": (np.linalg.inv, [M], [[[0.0165289256, -0.0661157025], [-0.1570247934, -0.3719008264]]]),
    "det": (np.linalg.det, [M], [[[3.0, -1.0], [-1.0, 4.0]]]),
    "slogdet": (
        lambda a: np.linalg.slogdet(a)[1],
        [M],
        [[[0.2727272727, -0.0909090909], [-0.0909090909, 0.3636363636]]],
    ),
    "solve": (
        np.linalg.solve,
        [M, B],
        [[[-0.0537190083, 0.0330578512], [-0.3760330579, 0.2314049587]], [0.0909090909, 0.6363636364]],
    ),
    "norm": (np.linalg.norm, [B], [[0.9701425001, -0.242535625]]),
    "norm axis": (
        lambda a: np.linalg.norm(a, axis=1),
        [A],
        [[[0.6, -0.8], [0.3287979746, 1.9727878477], [-1.1141720291, 2.7854300727]]],
    ),
    "logsumexp": (lambda a: np.log(np.sum(np.exp(a))), [V], [[0.080098575, 0.1970107043, 0.7228907207]]),
    "softmax": (lambda a: np.exp(a) / np.sum(np.exp(a)), [V], [[-0.1315853099, -0.1266369333, 0.2582222432]]),
    "xent": (lambda a: np.log(np.sum(np.exp(a))) - a[1], [V], [[0.080098575, -0.8029892957, 0.7228907207]]),
    "atan2": (
        np.arctan2,
        [V, [1.0, -2.0, 0.5]],
        [[0.9174311927, -0.7352941176, 0.2307692308], [-0.2752293578, -0.4411764706, -1.1538461538]],
    ),
    "mod": (lambda a, b: a % b, [[5.5, -3.0], [2.0, 2.5]], [[1.0, 2.0], [-2.0, 4.0]]),
    "pad": (lambda a: np.pad(a, (1, 2)), [B], [[2.0, 3.0]]),
    "einsum": (
        lambda a, b: np.einsum("ij,jk->ki", a, b),
        [A, M],
        [[[8.0, 13.0], [13.0, 17.0], [18.0, 21.0]], [[-0.5, 2.5], [11.5, 22.0]]],
    ),
    "prod zero": (np.prod, [[0.0, 2.0, 3.0]], [[6.0, 0.0, 0.0]]),
    "prod two zeros": (np.prod, [[0.0, 0.0, 3.0]], [[0.0, 0.0, 0.0]]),
    "max ties": (np.max, [[2.0, 1.0, 2.0]], [[0.5, 0.0, 0.5]]),
    "sigmoid": (lambda a: 1.0 / (1.0 + np.exp(-a)), [B], [[0.1049935854, 0.4700074244]]),
    "relu": (lambda a: np.maximum(a, 0.0), [B], [[1.0, 0.0]]),
    "batched matmul": (
        lambda a, b: np.stack([a, 2.0 * a]) @ b,
        [A, M],
        [[[78.0, 69.0], [108.0, 93.0], [138.0, 117.0]], [[6.0, 9.0], [100.5, 111.0]]],
    ),
    "swap": (
        lambda a: np.transpose(np.stack([a, a * a]), (2, 0, 1)),
        [A],
        [[[13.0, -33.0], [7.0, 74.0], [-9.0, 69.0]]],
    ),
    "split": (lambda a: np.split(a, [1])[1], [A], [[[0.0, 0.0], [1.0, 2.0], [3.0, 4.0]]]),
    "meansq": (
        lambda a: np.mean(np.square(a)),
        [A],
        [[[0.5, -0.6666666667], [0.1666666667, 1.0], [-0.3333333333, 0.8333333333]]],
    ),
    "broadcast_to": (lambda a: np.broadcast_to(a, (3, 2)), [B], [[9.0, 12.0]]),
    "triu": (np.triu, [M], [[[1.0, 2.0], [0.0, 4.0]]]),
}


@pytest.mark.parametrize(("function", "arguments", "expected"), ARRAYS.values(), ids=ARRAYS.keys())
def test_functions_of_arrays(function, arguments, expected):
    for gradient, argument, numbers in zip(gradients(function, arguments), arguments, expected, strict=True):
        assert gradient.shape == np.shape(argument)
        np.testing.assert_allclose(gradient, numbers, rtol=1e-8, atol=1e-9)


HESSIANS = {
    "cube": (lambda x: np.sum(x**3), V, [[1.8, 0.0, 0.0], [0.0, 7.2, 0.0], [0.0, 0.0, 15.0]]),
    "prod": (np.prod, V, [[0.0, 2.5, 1.2], [2.5, 0.0, 0.3], [1.2, 0.3, 0.0]]),
    "lse": (
        lambda x: np.log(np.sum(np.exp(x))),
        V,
        [
            [0.073682793, -0.015780277, -0.057902517],
            [-0.015780277, 0.158197487, -0.14241721],
            [-0.057902517, -0.14241721, 0.200319727],
        ],
    ),
    "norm": (
        np.linalg.norm,
        V,
        [
            [0.354369997, -0.016589493, -0.034561443],
            [-0.016589493, 0.292159399, -0.138245772],
            [-0.034561443, -0.138245772, 0.070505344],
        ],
    ),
    "sinouter": (
        lambda x: np.sum(np.sin(x[:, None] * x[None, :])),
        V,
        [
            [-7.575485104, 1.618156199, 0.440919598],
            [1.618156199, -7.277362131, -2.826705042],
            [0.440919598, -2.826705042, 2.29925865],
        ],
    ),
    "quad": (lambda x: np.dot(x, np.array(M) @ x), B, [[8.0, 2.0], [2.0, 6.0]]),
    "index": (lambda x: x[0] * x[1] ** 2 + x[2] * x[0], V, [[0.0, 2.4, 1.0], [2.4, 0.6, 0.0], [1.0, 0.0, 0.0]]),
    "mean": (
        lambda x: np.mean(x) ** 2,
        V,
        [
            [0.222222222, 0.222222222, 0.222222222],
            [0.222222222, 0.222222222, 0.222222222],
            [0.222222222, 0.222222222, 0.222222222],
        ],
    ),
    "var": (
        np.var,
        V,
        [
            [0.444444444, -0.222222222, -0.222222222],
            [-0.222222222, 0.444444444, -0.222222222],
            [-0.222222222, -0.222222222, 0.444444444],
        ],
    ),
    "std": (
        np.std,
        V,
        [
            [0.084985066, -0.14382088, 0.058835815],
            [-0.14382088, 0.243389182, -0.099568302],
            [0.058835815, -0.099568302, 0.040732487],
        ],
    ),
    "div": (
        lambda x: x[0] / x[1] + x[1] / x[2],
        V,
        [[0.0, -0.694444444, 0.0], [-0.694444444, 0.347222222, -0.16], [0.0, -0.16, 0.1536]],
    ),
    "max": (lambda x: np.max(x) ** 2, V, [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]]),
    "where": (lambda x: np.sum(np.where(x > 1.0, x**3, x**2)), V, [[2.0, 0.0, 0.0], [0.0, 7.2, 0.0], [0.0, 0.0, 15.0]]),
    "tanh": (
        lambda x: np.sum(np.tanh(x)),
        V,
        [[-0.533181878, -0.0, -0.0], [-0.0, -0.50856265, -0.0], [-0.0, -0.0, -0.052472542]],
    ),
    "concat": (
        lambda x: np.sum(np.concatenate([x, x * x]) ** 2),
        V,
        [[3.08, 0.0, 0.0], [0.0, 19.28, 0.0], [0.0, 0.0, 77.0]],
    ),
    "cumsum": (lambda x: np.sum(np.cumsum(x) ** 2), V, [[6.0, 4.0, 2.0], [4.0, 4.0, 2.0], [2.0, 2.0, 2.0]]),
    "matmul": (
        lambda x: np.sum((x @ x) ** 2),
        M,
        [
            [[[200.0, 44.0], [44.0, 4.0]], [[44.0, 102.0], [58.0, 40.0]]],
            [[[44.0, 58.0], [102.0, 40.0]], [[4.0, 40.0], [40.0, 116.0]]],
        ],
    ),
    "sort": (
        lambda x: np.sum(np.sort(x) ** 3 * np.array([1.0, 2.0, 3.0])),
        [3.0, 1.0, 2.0],
        [[54.0, -0.0, -0.0], [-0.0, 6.0, -0.0], [-0.0, -0.0, 24.0]],
    ),
    "pow": (lambda x: np.sum(x**x), V, [[2.351809856, 0.0, 0.0], [0.0, 2.776894765, 0.0], [0.0, 0.0, 40.241664856]]),
    "gather": (lambda x: np.sum(x[[0, 0, 2]] ** 3), V, [[3.6, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 15.0]]),
    "logdet": (
        lambda x: np.linalg.slogdet(x)[1],
        M,
        [
            [
                [[-0.074380165, 0.024793388], [0.024793388, -0.008264463]],
                [[0.024793388, -0.008264463], [-0.099173554, 0.033057851]],
            ],
            [
                [[0.024793388, -0.099173554], [-0.008264463, 0.033057851]],
                [[-0.008264463, 0.033057851], [0.033057851, -0.132231405]],
            ],
        ],
    ),
    "inv": (
        lambda x: np.sum(np.linalg.inv(x)),
        M,
        [
            [
                [[0.018031555, 0.010518407], [0.010518407, -0.009015778]],
                [[0.010518407, -0.009015778], [0.032306536, 0.011269722]],
            ],
            [
                [[0.010518407, 0.032306536], [-0.009015778, 0.011269722]],
                [[-0.009015778, 0.011269722], [0.011269722, 0.054094666]],
            ],
        ],
    ),
}


@pytest.mark.parametrize(("function", "argument", "expected"), HESSIANS.values(), ids=HESSIANS.keys())
def test_second_derivatives(function, argument, expected):
    x = constant(argument)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        slope = inner.gradient(y, x)
    np.testing.assert_allclose(outer.jacobian(slope, x), expected, rtol=1e-7, atol=1e-8)


COMPLEX = {
    "square": (lambda x: x * x, [2 - 4j, 6 + 2j]),
    "absolute": (np.abs, [0.4472136 + 0.89442719j, 0.9486833 - 0.31622777j]),
    "sin": (np.sin, [2.03272301 + 3.0518978j, -1.52763825 - 0.1658444j]),
    "cos": (np.cos, [-3.16577851 + 1.95960104j, -0.21775955 + 1.16344036j]),
    "real": (np.real, [1, 1]),
    "imag": (np.imag, [1j, 1j]),
    "real, as a property": (lambda x: x.real, [1, 1]),
    "conj": (np.conj, [1, 1]),
    "angle": (np.angle, [-0.4 + 0.2j, 0.1 + 0.3j]),
    "reciprocal": (lambda x: 1.0 / x, [0.12 - 0.16j, -0.08 + 0.06j]),
    "sqrt": (np.sqrt, [0.28443224 + 0.17578879j, 0.27754003 - 0.04503855j]),
    "exp": (np.exp, [-1.13120438 - 2.47172667j, 10.85226191 + 16.90139654j]),
    "log": (np.log, [0.2 + 0.4j, 0.3 - 0.1j]),
    "times a constant": (lambda x: x * (2 + 1j), [2 - 1j, 2 - 1j]),
    "square of the modulus": (lambda x: np.real(x * np.conj(x)), [2 + 4j, 6 - 2j]),
    "from a constant": (lambda x: (1 + 1j) - x, [-1, -1]),
    "cube": (lambda x: x**3, [-9 - 12j, 24 + 18j]),
    "matvec": (lambda x: np.array([[1 + 1j, 2], [0, 1j]]) @ x, [1 - 1j, 2 - 1j]),
    "sum": (np.sum, [1, 1]),
    "prod": (np.prod, [3 + 1j, 1 - 2j]),
    "tanh": (np.tanh, [-0.3020016 - 0.56810302j, -0.00409379 - 0.00905284j]),
}


@pytest.mark.parametrize(("function", "expected"), COMPLEX.values(), ids=COMPLEX.keys())
def test_complex_gradients_are_conjugated(function, expected):
    x = constant([1 + 2j, 3 - 1j])
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    gradient = tape.gradient(y, x)
    assert gradient.dtype == np.complex128
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)


COMPLEX_PAIRS = {
    "mul": (lambda a, b: a * b, [[(0.5 + 1j), (2 - 1j)], [(1 - 2j), (3 + 1j)]]),
    "div": (lambda a, b: a / b, [[(0.4 - 0.8j), (0.4 + 0.2j)], [(1.76 - 0.32j), (-0.2 - 0.6j)]]),
    "sub": (lambda a, b: a - b, [[(1 + 0j), (1 + 0j)], [(-1 - 0j), (-1 - 0j)]]),
    "matmul": (lambda a, b: np.sum(a * np.conj(b)), [[(0.5 - 1j), (2 + 1j)], [(1 + 2j), (3 - 1j)]]),
    "absdiff": (
        lambda a, b: np.abs(a - b),
        [
            [(0.1643989873 + 0.9863939238j), (0.4472135955 - 0.894427191j)],
            [(-0.1643989873 - 0.9863939238j), (-0.4472135955 + 0.894427191j)],
        ],
    ),
    "pow": (lambda a, b: a**2 * b, [[(5 + 0j), (14 - 2j)], [(-3 - 4j), (8 + 6j)]]),
}


@pytest.mark.parametrize(("function", "expected"), COMPLEX_PAIRS.values(), ids=COMPLEX_PAIRS.keys())
def test_complex_gradients_in_two_arguments(function, expected):
    inputs = [constant([1 + 2j, 3 - 1j]), constant([0.5 - 1j, 2 + 1j])]
    with GradientTape() as tape:
        tape.watch(inputs)
        y = function(*inputs)
    for gradient, numbers in zip(tape.gradient(y, inputs), expected, strict=True):
        np.testing.assert_allclose(gradient, numbers, rtol=1e-8)


def test_a_real_source_of_a_complex_target_has_the_real_part():
    x = constant(2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * (1 + 2j)
    gradient = tape.gradient(y, x)
    assert (float(gradient), gradient.dtype) == (1.0, np.float64)


def test_infinite_slopes_are_infinite_without_a_warning():
    x = constant([0.0, 4.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sqrt(x)
    assert tape.gradient(y, x).tolist() == [np.inf, 0.25]


def test_single_precision_stays_single_where_a_double_constant_joins():
    x = constant([1.0, 2.0], dtype="float32")
    with GradientTape() as tape:
        tape.watch(x)
        y = x * np.array([2.0, 3.0])
    gradient = tape.gradient(y, x)
    assert (y.dtype, gradient.dtype, gradient.tolist()) == (np.float64, np.float32, [2.0, 3.0])
