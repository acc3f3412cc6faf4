"""`static=`: arguments that are compile-time constants, and what their values rule out is not looked at."""

import math
import pickle

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadType, UnsupportedSyntax

X = np.array([1.0, -2.0])


def shaped(x, order, plot=False, scale=1.0):
    if plot:
        return x.draw(**globals())
    if order == 0.5:
        return scale * np.sum(np.sqrt(np.abs(x)))
    for _ in range(2):
        x = scale * x
    return np.sum(x**order)


def test_what_a_constant_rules_out_may_contain_anything():
    gradient = srcad.grad(shaped, static=("order", 2), jit=False)
    assert gradient(X, 3) == pytest.approx([3.0, 12.0])
    assert gradient(X, 3, plot=False, scale=2.0) == pytest.approx([192.0, 768.0])
    assert gradient(X, 0.5) == pytest.approx([0.5, -0.5 / math.sqrt(2.0)])
    with pytest.raises(UnsupportedSyntax, match="draw"):
        gradient(X, 3, True)


def test_a_compiled_gradient_keeps_a_version_for_each_value():
    gradient = srcad.grad(shaped, wrt=("scale", "x"), static=("order", "plot"))
    by_scale, by_x = gradient(X, 2.0, False, 1.5)
    assert by_scale == pytest.approx(4 * 1.5**3 * 5.0)
    assert by_x == pytest.approx(2 * 1.5**4 * X)
    assert gradient(X, 3.0, False, 1.0)[1] == pytest.approx([3.0, 12.0])
    assert gradient(X, 2.0, False, 1.5)[0] == by_scale


def test_values_that_are_equal_but_differ_are_told_apart():
    def signed(x, c):
        return np.copysign(1.0, c) * x

    gradient = srcad.grad(signed, static="c", jit=False)
    assert (gradient(2.0, 0.0), gradient(2.0, -0.0), gradient(2.0, 0), gradient(2.0, True)) == (1.0, -1.0, 1.0, 1.0)


def test_constants_in_structures():
    def weighted(x, how):
        if how["deep"]:
            return x.nothing
        total = 0.0
        for weight in how["weights"]:
            total += weight * x
        return total

    gradient = srcad.grad(weighted, static="how", jit=False)
    assert gradient(2.0, {"deep": False, "weights": [1.0, 2]}) == 3.0
    assert gradient(2.0, {"deep": None, "weights": (1.5,)}) == 1.5


def power(x, n):
    return x.nothing if n < 0 else x**n


class Model:
    def __init__(self):
        self.k = 3.0

    def loss(self, x, verbose):
        return x.nothing if verbose else self.k * x * x


def test_other_transforms_take_constants():
    assert srcad.value_and_grad(power, static="n", jit=False)(2.0, 3) == (8.0, 12.0)
    assert srcad.hessian(power, static=1, jit=False)(2.0, 3) == 12.0
    assert srcad.hvp(power, static="n", jit=False)(2.0, 3, 0.5) == 6.0
    assert srcad.jacobian(power, static="n", jit=False)(X, 2) == pytest.approx(np.diag(2.0 * X))
    assert srcad.grad(srcad.grad(power, static="n", jit=False), jit=False)(2.0, 3) == 12.0
    assert srcad.grad(srcad.grad(power, jit=False), static="n", jit=False)(2.0, 3) == 12.0
    assert srcad.grad(Model().loss, static="verbose", jit=False)(2.0, False) == 12.0
    assert srcad.grad(Model().loss, wrt="self.k", static="verbose", jit=False)(2.0, False) == 4.0


def test_it_is_pickled_and_says_what_is_constant():
    gradient = srcad.grad(power, static="n", jit=False)
    assert repr(gradient) == "<srcad grad of power with respect to x, with constant n>"
    assert pickle.loads(pickle.dumps(gradient))(2.0, 3) == 12.0


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: srcad.grad(power, static="m"), BadArgument, "no parameter 'm'"),
        (lambda: srcad.grad(power, static="x"), BadArgument, "'x' is in both `wrt` and `static`"),
        (lambda: srcad.grad(power, static="n.k"), BadArgument, "a part of an argument"),
        (lambda: srcad.grad(power, static="n")(2.0, X), BadType, "'n' is static, and an array"),
    ],
)
def test_misuse_is_refused(make, kind, words):
    with pytest.raises(kind, match=words):
        make()
