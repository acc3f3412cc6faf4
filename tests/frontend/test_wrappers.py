"""Functions with a source for what has none."""

import inspect
import math

import numpy as np
import pytest

import srcad
from srcad.frontend.wrappers import of_derivative, of_primitive, wrapper_of


def area(width, height=2.0):
    return width * width * height


def test_a_wrapper_of_a_derivative_has_its_parameters_and_defaults():
    made = of_derivative(srcad.grad(area, jit=False))
    assert str(inspect.signature(made)) == "(width, height=2.0)"
    assert made(3.0) == 12.0
    assert "return function(width, height)" in inspect.getsource(made)


@pytest.mark.parametrize(
    ("primitive", "parameters"),
    [(np.tanh, ["x"]), (np.hypot, ["x1", "x2"]), (math.sin, ["x"]), (np.linalg.norm, ["x"]), (np.var, ["a"])],
)
def test_a_wrapper_of_a_function_of_numpy_takes_what_it_needs(primitive, parameters):
    assert list(inspect.signature(of_primitive(primitive)).parameters) == parameters


@pytest.mark.parametrize("thing", [open, len, np.floor, "text"])
def test_what_has_no_derivative_has_no_wrapper(thing):
    assert of_primitive(thing) is None


def test_derivatives_of_derivatives_of_lambdas_have_names():
    second = srcad.jacobian(srcad.jacobian(lambda z: z**3, jit=False), jit=False)
    x = np.array([0.3, 0.7])
    np.testing.assert_allclose(second(x)[[0, 1], [0, 1], [0, 1]], 6.0 * x)
    assert wrapper_of(abs, "<lambda>", ["x"]).__name__ == "lambda_"
