"""Functions of `guvectorize` and `cfunc`, objects of jitclasses, and blocks in object mode."""

import numba
import numpy as np
import pytest
from numba.experimental import jitclass

import srcad
from srcad.frontend.numba_callables import loop_over, python_of

UNITS = np.eye(3)
X = np.array([0.1, 0.2, 0.3])


def differences(f, x, step=1e-6):
    flat = x.ravel()
    moved = [step * unit.reshape(x.shape) for unit in np.eye(flat.size)]
    return np.array([(f(x + each) - f(x - each)) / (2.0 * step) for each in moved]).reshape(x.shape)


def waves(x, k, out):
    for i in range(x.shape[0]):
        out[i] = np.sin(x[i]) * k


def squares(x, out):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] ** 2
    out[0] = total


def product(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


def parts(x, total, doubled):
    total[0] = np.sum(x * x)
    doubled[:] = 2.0 * x


LOOPS = {
    "waves": loop_over(waves, [("n",), ()], [("n",)], frozenset({1})),
    "squares": loop_over(squares, [("n",)], [()], frozenset()),
    "product": loop_over(product, [("m", "n"), ("n", "p")], [("m", "p")], frozenset()),
    "parts": loop_over(parts, [("n",)], [(), ("n",)], frozenset()),
}


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: np.sum(LOOPS["waves"](x, 2.0) ** 2), X),
        (lambda x: np.sum(LOOPS["waves"](x, np.array([1.0, 2.0])) ** 2 * x), X),
        (lambda x: np.sum(LOOPS["waves"](x, x[:, 0]) ** 2), np.ones((2, 3)) * X),
        (lambda x: LOOPS["squares"](x) ** 2, X),
        (lambda x: np.sum(LOOPS["squares"](x) ** 2), np.ones((2, 2, 3)) * X),
        (lambda x: np.sum(LOOPS["product"](x, np.ones((4, 3, 2))) ** 2), np.ones((2, 3)) * X),
        (lambda x: np.sum(LOOPS["parts"](x)[0]) * np.sum(LOOPS["parts"](x)[1] ** 2), np.ones((2, 3)) * X),
        (lambda x: np.sum(LOOPS["squares"](x[:0])), np.ones((2, 3)) * X),
    ],
)
def test_the_kernel_is_differentiated_for_each_place_of_the_leading_axes(f, x):
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), differences(f, x), rtol=1e-6, atol=1e-8)


@pytest.mark.compiled
def test_functions_that_numba_has_made_are_differentiated():
    @numba.guvectorize(["(f8[:], f8, f8[:])"], "(n),()->(n)")
    def made(x, k, out):
        for i in range(x.shape[0]):
            out[i] = np.sin(x[i]) * k

    @numba.guvectorize(["(f4[:], f4[:], f4[:])"], "(n),()->()")
    def single(x, k, out):
        out[0] = x[0] * k[0]

    @numba.cfunc("f8(f8)")
    def cube(a):
        return a**3

    def f(x):
        return np.sum(made(x, cube(x[0])) ** 2)

    x = np.ones((2, 3)) * X
    np.testing.assert_allclose(srcad.grad(lambda x: f(x[0]), jit=False)(x)[0], differences(f, X), rtol=1e-6)
    assert srcad.grad(cube, jit=False)(2.0) == 12.0
    assert python_of(single)(X.astype(np.float32), np.float32(2.0)).dtype == np.float32
    assert python_of(single)(X, 2.0) == pytest.approx(0.2)


def test_other_objects_are_no_such_callables():
    assert [python_of(each) for each in (np.sin, len, waves, numba.njit(waves))] == [None] * 4


@pytest.mark.compiled
def test_captured_objects_of_jitclasses_are_read_at_each_call():
    @jitclass([("rate", numba.float64), ("w", numba.float64[:])])
    class Layer:
        def __init__(self, rate, w):
            self.rate = rate
            self.w = w

        def inner(self, x):
            return self.w * x

        def act(self, x):
            return np.sum(np.tanh(self.inner(x))) * self.twice

        @property
        def twice(self):
            return 2.0 * self.rate

        @staticmethod
        def scaled(x):
            return 3.0 * x

    layer = Layer(2.0, np.ones(3))

    def f(x):
        return layer.act(x) * layer.scaled(x[0])

    slope = srcad.grad(f, jit=False)
    np.testing.assert_allclose(slope(X), differences(f, X), rtol=1e-6)
    layer.rate = 0.5
    layer.w[1] = 7.0
    np.testing.assert_allclose(slope(X), differences(f, X), rtol=1e-6)
    layer = Layer(1.0, np.zeros(3))
    assert slope(X).tolist() == [0.0, 0.0, 0.0]


def in_object_mode(x):
    with numba.objmode(y="float64[:]"):
        y = np.roll(x, 1) * x
    return np.sum(y * x)


def test_blocks_in_object_mode_are_ordinary_statements():
    expected = differences(in_object_mode, X)
    np.testing.assert_allclose(srcad.grad(in_object_mode, jit=False)(X), expected, rtol=1e-6)
    np.testing.assert_allclose(srcad.grad(numba.njit(in_object_mode), jit=False)(X), expected, rtol=1e-6)
