"""Gradient pairs: adjoints and tangents of calls of gradients, with respect to arguments and directions."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient


def potential(x, k):
    return k * np.sum(x**3) * x[0] + np.sum(np.sin(k * x))


def product(x, v, k):
    return np.sum(srcad.hvp(potential, (0, 1), jit=False)(x, k, v, 2.0 * k)[0] * v)


def products(x, v, k):
    """Derivatives along one direction of derivatives along another."""

    def inner(y, w):
        return np.sum(srcad.hvp(potential, jit=False)(y, k, w) * w)

    by_x, by_v = srcad.grad(inner, (0, 1), jit=False)(x, v)
    return np.sum(by_x * v) + np.sum(by_v**2)


@pytest.mark.parametrize("function", [product, pytest.param(products, marks=pytest.mark.nightly)])
def test_directions_have_derivatives_as_arguments_have(function):
    rng = np.random.default_rng(3)
    modes = ("arrays", "loops", "tangent", "gradient", "second")
    assert_gradient(function, rng.normal(size=3), rng.normal(size=3), 0.7, modes=modes, rtol=1e-6)


def test_several_calls_of_one_gradient_in_a_loop_that_may_not_run():
    def f(x, n):
        y = x.copy()
        for i in range(n):
            y = y - 0.1 * srcad.grad(potential, jit=False)(y, 1.0 + i)
        return np.sum(y * y)

    for n in (0, 1, 3):
        assert_gradient(f, np.array([0.3, -0.2]), n, wrt=(0,), rtol=1e-6)
