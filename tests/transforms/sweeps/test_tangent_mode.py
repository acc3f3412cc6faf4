"""Forward mode: beside every statement its tangent, in core form again."""

import gast
import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.tools.type_signatures import parse_signature
from srcad.transforms.ir.verify import check_core
from srcad.transforms.sweeps.gradient_function import tangent_function, tangent_unit
from tests.transforms.core_text import generated, run, typed

X = np.array([0.5, -1.5, 2.0])
V = np.array([1.0, 0.3, -0.2])


def test_value_and_tangent_come_as_a_pair():
    text = """
def f(x, y):
    z = x * y
    return z
"""
    assert "def f_tangent(x, y, x_dot):" in generated(text, "f8, f8", "tangent")
    assert run(text, "f8, f8", "tangent", 2.0, 3.0, 1.0) == (6.0, 3.0)
    assert run(text, "f8, f8", "tangent", 2.0, 3.0, 1.0, 10.0, wrt=(0, 1)) == (6.0, 23.0)


def test_what_does_not_depend_on_the_input_has_no_tangent():
    made = generated(
        """
def f(x, y):
    a = y * y
    z = x * a
    return z
""",
        "f8, f8",
        "tangent",
    )
    assert "a_dot" not in made
    assert "y_dot" not in made


def test_a_result_that_does_not_depend_on_the_input_has_a_zero_tangent():
    assert run(
        """
def f(x, y):
    z = y * y
    return z
""",
        "f8, f8",
        "tangent",
        2.0,
        3.0,
        1.0,
    ) == (9.0, 0.0)


def test_several_results_have_several_tangents():
    assert run(
        """
def f(x, y):
    a = x * y
    b = y * 2.0
    return a, b
""",
        "f8, f8",
        "tangent",
        2.0,
        3.0,
        1.0,
    ) == ((6.0, 6.0), (3.0, 0.0))


def test_a_store_stores_its_tangent():
    text = """
def f(x, a):
    w = np.copy(x)
    w[1] = a
    w[2] += a
    w[0] -= a
    return w
"""
    value, dot = run(text, "f8[:], f8", "tangent", X, 3.0, V, 7.0, wrt=(0, 1))
    np.testing.assert_allclose(value, [-2.5, 3.0, 5.0])
    np.testing.assert_allclose(dot, [V[0] - 7.0, 7.0, V[2] + 7.0])


def test_a_tangent_of_a_new_array_has_memory_of_its_own():
    text = """
def f(x):
    y = +x
    y[0] = 2.0
    a = x[0]
    b = y[1]
    c = a * b
    return c
"""
    for loops in (True, False):
        found = run(text, "f8[::1]", "tangent", X, V.copy(), loops=loops)
        assert found == (X[0] * X[1], V[0] * X[1] + X[0] * V[1])


def test_a_constant_stored_over_an_element_has_tangent_zero():
    _, dot = run(
        """
def f(x):
    w = np.copy(x)
    w[1] = 3.0
    return w
""",
        "f8[:]",
        "tangent",
        X,
        V,
    )
    np.testing.assert_allclose(dot, [V[0], 0.0, V[2]])


def test_the_tangent_of_a_view_is_the_view_of_the_tangent():
    _, dot = run(
        """
def f(x):
    w = np.copy(x)
    v = w[1:]
    v[0] *= 2.0
    s = w[1]
    return s
""",
        "f8[:]",
        "tangent",
        X,
        V,
    )
    assert dot == pytest.approx(2.0 * V[1])


def test_a_tangent_is_as_large_as_the_result():
    A = np.ones((2, 3))
    for loops in (True, False):
        _, dot = run(
            """
def f(x, A):
    B = x + A
    return B
""",
            "f8[:], f8[:, :]",
            "tangent",
            X,
            A,
            V,
            loops=loops,
        )
        np.testing.assert_allclose(dot, [V, V])


@pytest.mark.parametrize("n", [0, 1, 4])
def test_loops_and_branches_stay_as_they_are(n):
    text = """
def f(x, n):
    s = x
    for i in range(n):
        c = s < 2.0
        if c:
            s = s * x
    return s
"""
    made = generated(text, "f8, i8", "tangent")
    assert made.count("for ") == 1
    assert made.count("if ") == 1
    value, dot = run(text, "f8, i8", "tangent", 1.5, n, 1.0)
    power = 1 if n == 0 else 2
    assert (value, dot) == pytest.approx((1.5**power, power * 1.5 ** (power - 1)))


LOOP = """
def f(x, n):
    s_2 = x
    for i in range(0, n, 1):
        t = np.sin(s_2)
        u = s_2 * t
        s_2 = u
    r = np.exp(s_2)
    return r
"""


def test_a_tangent_function_is_core_form():
    unit, types = typed(LOOP, "f8, i8")
    made = tangent_function(unit, types, (0,))
    check_core(made.functions[0])


def test_the_directional_derivative_alone_is_a_unit():
    unit, types = typed(LOOP, "f8, i8")
    directional = tangent_unit(unit, types, (0,))
    assert directional.parameters == ("x", "n", "x_dot")
    assert isinstance(directional.tree.body[-1].value, gast.Name)
    check_core(directional.tree)


def test_reverse_over_forward_gives_second_derivatives():
    text = """
def f(x):
    t = x * x
    y = t * x
    return y
"""
    assert run(text, "f8", "hvp", 0.7, 1.0) == pytest.approx(6 * 0.7)


def test_a_function_without_a_rule_is_refused_with_its_place():
    with pytest.raises(MissingRule, match=r"core.py:2.*nextafter"):
        generated(
            """
def f(x):
    y = np.nextafter(x, 1.0)
    return y
""",
            "f8",
            "tangent",
        )


def test_types_of_the_tangent_are_those_of_the_value():
    _, dot = run(
        """
def f(x):
    y = np.sin(x)
    return y
""",
        "f4[:]",
        "tangent",
        X.astype(np.float32),
        V.astype(np.float32),
    )
    assert dot.dtype == np.float32
    assert parse_signature("f4[:]")[0].dtype.bitwidth == 32


def test_an_array_that_stands_still_has_a_tangent_where_a_name_may_be_it_or_one_that_moves():
    text = """
def f(x, w, n):
    h = x
    for i in range(0, n, 1):
        y = h * w
        h = y
    s = np.sum(h)
    return s
"""
    assert "x_dot = np.zeros_like(x)" in generated(text, "f8[:], f8[:], i8", "tangent", wrt=(1,))
    assert run(text, "f8[:], f8[:], i8", "tangent", X, V, 1, X, wrt=(1,))[1] == pytest.approx(np.sum(X * X))
    assert run(text, "f8[:], f8[:], i8", "tangent", X, V, 0, X, wrt=(1,))[1] == 0.0
