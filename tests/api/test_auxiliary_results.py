"""`has_aux`: the first of two results is differentiated, the second is handed on as a constant."""

from collections import namedtuple

import numpy as np
import pytest

import srcad
from srcad.api.auxiliary_results import with_constant_auxiliary

X = np.array([1.0, 2.0])
Point = namedtuple("Point", ["a", "b"])


def fit(p, x):
    r = p["w"] * x - 1.0
    return np.sum(r * r), {"r": r, "n": r.size, "name": "fit", "none": None}


def of_log(x, k=2.0):
    return k * x * x, [np.log(x * 0.0 + 1e-300) * x, (x, "s"), Point(x, 2)]


class Model:
    def __init__(self):
        self.w = np.array([3.0, 4.0])

    def loss(self, x):
        return np.sum(self.w * x), x * 2.0


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=[pytest.mark.compiled, pytest.mark.slow])])
def test_gradients_come_with_what_else_was_computed(jit):
    gradient, aux = srcad.grad(fit, has_aux=True, jit=jit)({"w": X}, np.array([3.0, 4.0]))
    np.testing.assert_array_equal(gradient["w"], [12.0, 56.0])
    np.testing.assert_array_equal(aux.pop("r"), [2.0, 7.0])
    assert aux == {"n": 2, "name": "fit", "none": None}

    (value, aux), gradients = srcad.value_and_grad(of_log, argnums=(0, 1), has_aux=True, jit=jit)(3.0)
    assert (value, gradients) == (18.0, (12.0, 9.0))
    assert aux[1:] == [(3.0, "s"), (3.0, 2)]
    assert type(aux[2]) is Point

    value, pull, aux = srcad.vjp(fit, {"w": X}, np.array([3.0, 4.0]), wrt=(0, 1), has_aux=True, jit=jit)
    np.testing.assert_array_equal(pull(2.0)[1], 2.0 * np.array([4.0, 28.0]))
    assert (value, aux["name"]) == (53.0, "fit")


def test_methods_by_parts_of_their_object():
    gradient, aux = srcad.grad(Model().loss, "self.w", has_aux=True, jit=False)(X)
    np.testing.assert_array_equal((gradient, aux), (X, 2.0 * X))
    gradient, aux = srcad.grad(Model().loss, has_aux=True, jit=False)(X)
    np.testing.assert_array_equal((gradient, aux), ([3.0, 4.0], 2.0 * X))


def test_no_derivative_of_the_second_result_is_computed():
    def f(x):
        return x * x, np.sqrt(x - x) * np.exp(800.0 * x)

    with np.errstate(all="ignore"):
        assert srcad.grad(f, has_aux=True, jit=False)(3.0)[0] == 6.0
    text = srcad.source(with_constant_auxiliary(f), mode="reverse", signature="f8")
    reverse = [line.partition("#")[0] for line in text.partition("_reverse(")[2].splitlines()]
    assert not any("exp" in line or "sqrt" in line for line in reverse)


@pytest.mark.parametrize("f", [lambda x: x, lambda x: (x, x, x), lambda x: [x, x]])
def test_what_returns_no_pair_is_refused(f):
    with pytest.raises(TypeError, match="has to return a pair"):
        srcad.grad(f, has_aux=True, jit=False)(2.0)


def test_a_first_result_that_is_no_number_is_refused():
    with pytest.raises(srcad.NotDifferentiable, match=r"an array of shape \(2,\)"):
        srcad.grad(lambda x: (x, x), has_aux=True, jit=False)(X)
    with pytest.raises(srcad.BadArgument, match="no parameter 7"):
        srcad.grad(fit, 7, has_aux=True)
