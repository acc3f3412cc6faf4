"""Gradients in one function, and what can have none."""

import numpy as np
import pytest

from srcad.errors import NotDifferentiable
from srcad.printing.printer import print_function
from srcad.transforms.ir.build import const, load
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.sweeps.gradient_function import results_of, returns_tuple
from tests.transforms.core_text import generated, run, unit_of

PRODUCT = """
def f(x, y):
    z = x * y
    return z
"""


def test_a_gradient_has_the_parameters_of_its_function():
    assert "def f_grad(x, y):" in generated(PRODUCT, "f8, f8")
    assert "def f_value_and_grad(x, y):" in generated(PRODUCT, "f8, f8", "value_and_grad")


def test_one_argument_gives_a_gradient_and_several_a_tuple():
    assert run(PRODUCT, "f8, f8", "grad", 2.0, 3.0) == 3.0
    assert run(PRODUCT, "f8, f8", "grad", 2.0, 3.0, wrt=(1, 0), tuple_result=True) == (2.0, 3.0)
    assert run(PRODUCT, "f8, f8", "grad", 2.0, 3.0, tuple_result=True) == (3.0,)


def test_the_value_comes_first():
    assert run(PRODUCT, "f8, f8", "value_and_grad", 2.0, 3.0) == (6.0, 3.0)


def test_an_argument_that_does_not_matter_has_a_zero_gradient():
    text = """
def f(x, y):
    z = y * y
    return z
"""
    assert run(text, "f8, f8", "grad", 2.0, 3.0) == 0.0
    np.testing.assert_array_equal(run(text, "f8[:], f8", "grad", np.ones(3), 3.0), np.zeros(3))


def test_a_returned_argument_has_a_gradient_of_one():
    assert run("def f(x):\n    return x", "f8", "grad", 2.0) == 1.0


def test_single_precision_gives_single_precision():
    found = run(PRODUCT, "f4, f4", "grad", np.float32(2.0), np.float32(3.0))
    assert found.dtype == np.float32
    found = run(
        """
def f(x):
    s = np.sum(x)
    return s
""",
        "f4[:]",
        "grad",
        np.ones(3, np.float32),
    )
    assert found.dtype == np.float32


def test_the_callers_array_stays_as_it_is():
    text = """
def f(x):
    x[0] = 5.0
    a = x[0]
    b = x[1]
    c = a * b
    return c
"""
    x = np.array([2.0, 3.0])
    np.testing.assert_array_equal(run(text, "f8[:]", "grad", x), [0.0, 5.0])
    np.testing.assert_array_equal(x, [2.0, 3.0])


@pytest.mark.parametrize(
    ("returned", "signature"), [("x, x", "f8[:], f8"), ("y, y", "f8[:], f8"), ("y", "f8[:], i8"), ("y", "f8[:], c16")]
)
def test_a_result_that_is_no_real_number_is_refused_with_the_way_out(returned, signature):
    with pytest.raises(NotDifferentiable, match=r"core.py:2:(.|\n)*needs one real number(.|\n)*hint: "):
        generated(f"def f(x, y):\n    return {returned}", signature)


def test_an_integer_argument_is_refused_naming_the_cure():
    with pytest.raises(NotDifferentiable, match=r"'y' of f is of type int64(.|\n)*pass 2.0 instead of 2"):
        generated(PRODUCT, "f8, i8", wrt=(1,))


def test_an_integer_array_is_refused_naming_the_cure():
    with pytest.raises(NotDifferentiable, match=r"astype\(float\)"):
        generated(
            """
def f(x):
    s = np.sum(x)
    return s
""",
            "i8[:]",
        )


def test_results_are_read_off_the_return():
    one, two = unit_of("def f(x):\n    return x"), unit_of("def f(x, y):\n    return x, y")
    assert [node.id for node in results_of(one)] == ["x"]
    assert [node.id for node in results_of(two)] == ["x", "y"]
    assert not returns_tuple(one)
    assert returns_tuple(two)


def test_a_function_definition_prints_as_one():
    import gast

    made = function("g", ["a", "b"], [gast.Return(value=load("a"))])
    assert print_function(made) == "def g(a, b):\n    return a\n"
    assert print_function(const(1)).strip() == "1"
