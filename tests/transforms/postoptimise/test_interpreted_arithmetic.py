"""Derivatives that run as plain Python are infinite where compiled ones are, raise nothing, and give no warnings."""

import math
import warnings

import gast
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.printing.printer import print_function
from srcad.transforms.ir.build import noted
from srcad.transforms.ir.code import code_of
from srcad.transforms.ir.node_notes import note
from srcad.transforms.postoptimise.interpreted_arithmetic import with_infinities

POINTS = {
    "sqrt": (lambda x: 1.0 * math.sqrt(x), 0.0, math.inf),
    "a root that is dropped": (lambda x: math.sqrt(x) * 0.0 + x, 0.0, 1.0),
    "a power": (lambda x: x**0.5, 0.0, math.inf),
    "math.pow": (lambda x: math.pow(x, 0.5), 0.0, math.inf),
    "arcs": (lambda x: 1.0 * math.asin(x), 1.0, math.inf),
    "acosh": (lambda x: 1.0 * math.acosh(x), 1.0, math.inf),
    "a quotient of roots": (lambda x: x / (1.0 + math.sqrt(x)), 0.0, 1.0),
    "a root of NumPy": (lambda x: 1.0 * np.sqrt(x), 0.0, math.inf),
    "a slope that overflows": (lambda x: x**-1.5, 1e-200, -math.inf),
}
ARRAYS = {
    "roots": (lambda x: np.sum(np.sqrt(x)), [math.inf, 0.5]),
    "a side that is not selected": (lambda x: np.sum(np.where(x > 0.5, np.sqrt(x), x)), [1.0, 0.5]),
}


@pytest.mark.parametrize(("function", "x", "slope"), POINTS.values(), ids=POINTS.keys())
@pytest.mark.filterwarnings("error")
def test_slopes_of_python_numbers(function, x, slope):
    before = np.geterr()
    assert srcad.grad(function, jit=False)(x) == slope
    assert srcad.value_and_grad(function, jit=False)(x) == (function(x), slope)
    assert srcad.vjp(function, x, jit=False)[1](1.0)[0] == slope
    srcad.jvp(function, (x,), (1.0,), jit=False)
    srcad.hessian(function, jit=False)(x)
    assert np.geterr() == before


@pytest.mark.parametrize(("function", "slopes"), ARRAYS.values(), ids=ARRAYS.keys())
@pytest.mark.filterwarnings("error")
def test_slopes_of_arrays(function, slopes):
    x = np.array([0.0, 1.0])
    assert srcad.grad(function, jit=False)(x).tolist() == slopes
    assert srcad.vjp(function, x, jit=False)[1](1.0)[0].tolist() == slopes
    srcad.hvp(function, jit=False)(x, np.ones(2))


@pytest.mark.compiled
@pytest.mark.parametrize(("function", "x", "slope"), POINTS.values(), ids=POINTS.keys())
def test_compiled_slopes_are_the_same(function, x, slope):
    assert srcad.grad(function)(x) == slope
    compiled, interpreted = (srcad.jvp(function, (x,), (1.0,), jit=jit) for jit in (True, False))
    np.testing.assert_equal(np.array(compiled), np.array(interpreted))


def test_the_functions_own_divisions_raise():
    for function in (lambda x: 1.0 / x, lambda x: x**-1.0, lambda x: 1.0 // x):
        for make in (srcad.grad, srcad.value_and_grad, srcad.jacobian, srcad.hessian):
            with pytest.raises(ZeroDivisionError):
                make(function, jit=False)(0.0)


def test_the_functions_own_warnings_stay():
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        srcad.value_and_grad(lambda x: np.sum(np.log(x)), jit=False)(np.zeros(2))


def test_only_divisions_of_rules_change():
    code = code_of("def f(x, y):\n    a = 1.0 / x\n    b = 0.5 / y\n    c = 0.5 / v\n    d = y ** e\n    g = y ** 2")
    for place in (1, 2, 3, 4):
        noted(code.body[place].value)
    note(code.unit.tree, kinds={"v": nb.float64[:]})
    assert isinstance(code.body[1].value.op, gast.Div)
    text = print_function(with_infinities(code).unit.tree)
    lines = [line.strip() for line in text.splitlines()[1:]]
    assert lines == [
        "a = 1.0 / x",
        "b = kernels.ieee_quotient(0.5, y)",
        "c = 0.5 / v",
        "d = kernels.ieee_power(y, e)",
        "g = y ** 2",
    ]


def test_warnings_of_python_are_as_before():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        srcad.grad(POINTS["sqrt"][0], jit=False)(0.0)
    assert caught == []


def test_index_arrays_are_recorded_as_arrays_of_integers():
    def chosen(v):
        total = 0.0
        for _ in range(2):
            total = total + np.sum(v[np.argmax(v, keepdims=True)])
        return total

    v = np.array([1.5, -0.25, 0.5])
    np.testing.assert_array_equal(srcad.vjp(chosen, v, jit=False)[1](1.0)[0], [2.0, 0.0, 0.0])
