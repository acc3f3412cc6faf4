"""The adjoint of each kind of statement."""

import numpy as np
import pytest

import srcad
from srcad.errors import MayOverlap, MissingRule, UnsupportedSyntax
from tests.checking import assert_gradient
from tests.transforms.core_text import generated, run

X = np.array([0.5, -1.5, 2.0])


def test_a_store_passes_the_adjoint_on_and_leaves_zero():
    text = """
def f(x, a):
    w = np.copy(x)
    w[1] = a
    s = np.sum(w)
    return s
"""
    np.testing.assert_array_equal(run(text, "f8[:], f8", "grad", X, 3.0), [1.0, 0.0, 1.0])
    assert run(text, "f8[:], f8", "grad", X, 3.0, wrt=(1,)) == 1.0


def test_an_added_element_leaves_the_adjoint_of_what_was_there():
    text = """
def f(x, a):
    w = np.copy(x)
    w[1] {op} a
    s = np.sum(w)
    return s
"""
    for op, slope in (("+=", 1.0), ("-=", -1.0)):
        np.testing.assert_array_equal(run(text.format(op=op), "f8[:], f8", "grad", X, 3.0), [1.0, 1.0, 1.0])
        assert run(text.format(op=op), "f8[:], f8", "grad", X, 3.0, wrt=(1,)) == slope


def test_a_number_stored_in_a_slice_collects_all_its_elements():
    text = """
def f(x, a):
    w = np.copy(x)
    w[1:] = a
    s = np.sum(w)
    return s
"""
    for loops in (True, False):
        assert run(text, "f8[:], f8", "grad", X, 3.0, wrt=(1,), loops=loops) == 2.0
        np.testing.assert_array_equal(run(text, "f8[:], f8", "grad", X, 3.0, loops=loops), [1.0, 0.0, 0.0])


def test_a_stored_view_of_the_same_array_passes_on_what_was_there_before():
    text = """
def f(x):
    w = np.copy(x)
    v = w[:-1]
    w[1:] = v
    p = w * x
    s = np.sum(p)
    return s
"""
    # The sum is x0 x0 + x0 x1 + x1 x2.
    for loops in (True, False):
        found = run(text, "f8[::1]", "grad", X, loops=loops)
        np.testing.assert_array_equal(found, [2 * X[0] + X[1], X[0] + X[2], X[1]])


def test_the_adjoint_of_a_view_is_the_same_view_of_the_adjoint():
    text = """
def f(x):
    v = x[1:]
    a = v[0]
    b = v[1]
    c = a * b
    return c
"""
    np.testing.assert_array_equal(run(text, "f8[:]", "grad", X), [0.0, 2.0, -1.5])
    np.testing.assert_array_equal(run(text, "f8[:]", "grad", X, loops=False), [0.0, 2.0, -1.5])


def test_elements_read_twice_through_an_index_array_are_counted_twice():
    text = """
def f(x, k):
    v = x[k]
    s = np.sum(v)
    return s
"""
    np.testing.assert_array_equal(run(text, "f8[:], i8[:]", "grad", X, np.array([0, 0, 2])), [2.0, 0.0, 1.0])


def test_an_array_stored_where_it_is_broadcast_collects_the_copies():
    text = """
def f(x, A):
    w = np.copy(A)
    w[...] = x
    s = np.sum(w)
    return s
"""
    A = np.ones((4, 3))
    for loops in (True, False):
        np.testing.assert_array_equal(run(text, "f8[:], f8[:, :]", "grad", X, A, loops=loops), [4.0, 4.0, 4.0])


def test_a_constant_has_no_adjoint_statement():
    assert "t_bar" not in generated(
        """
def f(x):
    t = 2.0
    y = x * t
    return y
""",
        "f8",
    )


def test_a_function_without_a_rule_is_refused_with_its_place_and_a_way_out():
    with pytest.raises(MissingRule, match=r"core.py:2:.*nextafter(.|\n)*hint"):
        generated(
            """
def f(x):
    y = np.nextafter(x, 1.0)
    return y
""",
            "f8",
        )


def test_a_reshape_that_may_be_a_copy_of_what_is_written_into_is_refused():
    text = """
def f(x, a):
    w = np.transpose(x)
    v = np.ravel(w)
    v[0] = a
    s = np.sum(v)
    t = w[0, 0]
    u = s + t
    return u
"""
    with pytest.raises(MayOverlap, match=r"core.py:3:.*copy(.|\n)*hint"):
        generated(text, "f8[:, ::1], f8", loops=False)
    generated(text.replace("t = w[0, 0]", "t = a"), "f8[:, ::1], f8", loops=False)  # only its copy is read afterwards


def test_a_tuple_that_is_kept_whole_is_refused():
    text = """
def f(x, n):
    s = 0.0
    k = n % 2
    t = (x, x)
    u = t[k]
    s = s + u
    return s
"""
    with pytest.raises(UnsupportedSyntax, match="tuple"):
        generated(text, "f8, i8")


def test_a_print_is_not_repeated_backwards():
    made = generated(
        """
def f(x):
    y = x * x
    print(y)
    return y
""",
        "f8",
    )
    assert made.count("print") <= 1


def test_an_assertion_stays_in_the_forward_sweep():
    text = """
def f(x):
    c = x > 0.0
    assert c, 'x must be positive'
    y = x * x
    return y
"""
    assert generated(text, "f8").count("assert") == 1
    with pytest.raises(AssertionError, match="positive"):
        run(text, "f8", "grad", -1.0)


def test_the_element_of_an_array_without_dimensions_is_read():
    def scaled(a, x):
        return a * np.sum(x) + np.sin(a[()]) * a

    found = srcad.grad(scaled, jit=False)(np.array(1.5), np.array([0.7, 1.3]))
    assert np.isclose(found, 2.0 + np.cos(1.5) * 1.5 + np.sin(1.5))


def test_what_is_broadcast_along_equal_extents_gets_the_sum_of_the_adjoints():
    def f(m, a):
        b = m * a
        b += b[:, 1]
        b[:] = b[:, 0] * 0.5 + b
        return np.sum(np.sin(b))

    m = np.array([[0.3, 0.5], [0.8, -0.6]])
    assert_gradient(f, m, 0.7, modes=("arrays", "loops"))
