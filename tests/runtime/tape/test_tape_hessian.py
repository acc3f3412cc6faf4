"""Hessians and their products with vectors, from one tape."""

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant
from tests.runtime.tape.test_tape_conformance import HESSIANS


@pytest.mark.parametrize(("function", "argument", "expected"), HESSIANS.values(), ids=HESSIANS.keys())
def test_hessians_are_those_of_nested_tapes(function, argument, expected):
    x = constant(argument)
    vector = np.random.default_rng(3).normal(size=x.shape)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.hessian(y, x), expected, rtol=1e-7, atol=1e-8)
    product = np.tensordot(expected, vector, x.ndim)
    np.testing.assert_allclose(tape.hvp(y, x, vector), product, rtol=1e-6, atol=1e-7)


def test_blocks_of_several_sources():
    a, b, other = Variable(2.0), Variable([1.0, 3.0]), Variable(1.0)
    with GradientTape(persistent=True) as tape:
        y = a * a * np.sum(b * b)
    blocks = tape.hessian(y, {"a": a, "b": [b], "c": other})
    assert float(blocks["a"]["a"]) == 20.0
    assert blocks["a"]["b"][0].tolist() == blocks["b"][0]["a"].tolist() == [8.0, 24.0]
    assert blocks["b"][0]["b"][0].tolist() == [[8.0, 0.0], [0.0, 8.0]]
    assert blocks["c"]["a"] is None
    assert blocks["a"]["c"] is None
    product = tape.hvp(y, [a, b, other], [1.0, [0.0, 1.0], 1.0])
    assert float(product[0]) == 20.0 + 24.0
    assert product[1].tolist() == [8.0, 24.0 + 8.0]
    assert product[2] is None


def test_a_linear_function_has_a_hessian_of_zeros():
    v = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y = np.sum(3.0 * v)
    assert tape.hessian(y, v).tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert tape.hvp(y, v, [1.0, 1.0]).tolist() == [0.0, 0.0]


def test_a_hessian_is_that_of_a_number():
    v = Variable([1.0, 2.0])
    with GradientTape(persistent=True) as tape:
        y = v * v
    with pytest.raises(ValueError, match="one number"):
        tape.hessian(y, v)
    assert tape.hvp(y, v, [1.0, 10.0]).tolist() == [2.0, 20.0]
    with pytest.raises(ValueError, match="shape"):
        tape.hvp(y, v, 1.0)


def test_a_tape_that_is_not_persistent_is_used_up():
    v = Variable(2.0)
    with GradientTape() as tape:
        y = v**3
    assert float(tape.hessian(y, v)) == 12.0
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.hvp(y, v, 1.0)


def test_an_outer_tape_differentiates_hessians():
    x = constant(2.0)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as tape:
            tape.watch(x)
            y = x**4
        bend = tape.hessian(y, x)
    assert (float(bend), float(outer.gradient(bend, x))) == (48.0, 48.0)


def test_compiled_calls():
    f = srcad.function(lambda x: np.sum(x * x * x), jit=False)
    v = Variable([1.0, 2.0])
    with GradientTape() as tape:
        y = f(v) * 2.0
    assert tape.hessian(y, v).tolist() == [[12.0, 0.0], [0.0, 24.0]]


def test_large_values_that_no_first_derivative_reads():
    x = constant(np.linspace(0.5, 1.5, 2000))
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum((x + 1.0) ** 3 - x)
    np.testing.assert_allclose(tape.hvp(y, x, np.ones(2000)), 6.0 * (x.numpy() + 1.0))
