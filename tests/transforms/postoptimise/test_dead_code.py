"""Statements that nothing depends on are dropped, and no others."""

import textwrap

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import block_text, generated, lines, parsed, tree_after


def cleaned(text):
    """The statements that are left."""
    body = textwrap.indent(lines(text), "    ")
    found = block_text(tree_after("dead_code", parsed(f"def f():\n{body}    return r\n"), {}).body)
    return [line.strip() for line in found.splitlines()]


def test_what_is_never_read_is_dropped():
    assert cleaned("""
    a = x * x
    r = x
    """) == ["r = x", "return r"]


def test_what_only_dead_statements_read_is_dropped():
    assert cleaned("""
    a = x * x
    b = a + 1.0
    r = x
    """) == ["r = x", "return r"]


def test_a_store_is_alive_while_a_view_of_it_is_read():
    assert "w[0] = x" in cleaned("""
    w = np.zeros(3)
    v = w[0:]
    w[0] = x
    r = v[0]
    """)


def test_a_store_through_a_view_is_alive_while_its_base_is_read():
    assert "v[0] = x" in cleaned("""
    w = np.zeros(3)
    v = w[0:]
    v[0] = x
    r = w[0]
    """)


def test_a_store_into_an_array_that_nobody_reads_is_dropped():
    assert cleaned("""
    w = np.zeros(3)
    w[0] = x
    r = x
    """) == ["r = x", "return r"]


def test_a_copy_is_not_a_view():
    assert cleaned("""
    w = np.zeros(3)
    v = np.copy(w)
    v[0] = x
    r = w[0]
    """) == ["w = np.zeros(3)", "r = w[0]", "return r"]


@pytest.mark.parametrize("effect", ["print(a)", "assert a, 'text'", "kernels.refuse_overlap(a, x)"])
def test_effects_stay_with_what_they_read(effect):
    found = cleaned(f"""
    a = x * x
    {effect}
    r = x
    """)
    assert effect in found
    assert "a = x * x" in found


def test_a_raise_keeps_its_branch():
    found = cleaned("""
    c = x < 0
    if c:
        raise ValueError('negative')
    r = x
    """)
    assert found[:3] == ["c = x < 0", "if c:", "raise ValueError('negative')"]


def test_an_empty_loop_is_dropped():
    assert cleaned("""
    for i in range(n):
        a = x * i
    r = x
    """) == ["r = x", "return r"]


def test_a_loop_keeps_its_exit_and_what_that_reads():
    found = cleaned("""
    s = 0.0
    for i in range(n):
        s = s + x
        a = x * x
        done = s > 2.0
        if done:
            break
    r = s
    """)
    assert "break" in found
    assert "done = s > 2.0" in found
    assert "a = x * x" not in found


def test_a_branch_with_one_live_arm_keeps_the_other_empty():
    found = cleaned("""
    r = x
    c = x > 0
    if c:
        a = x * x
    else:
        r = x * 2.0
    """)
    assert "r = x * 2.0" in found
    assert "a = x * x" not in found


@pytest.mark.parametrize("call", ["kernels.scatter_add(w, k, x)", "w.append(y)"])
def test_a_call_that_changes_its_argument_lives_as_long_as_that(call):
    assert call in cleaned(f"""
    w = start
    {call}
    r = w
    """)
    assert call not in cleaned(f"""
    w = start
    {call}
    r = x
    """)


def test_adjoints_that_nobody_asked_for_vanish():
    made = generated(
        """
def f(x, y):
    a = x * y
    b = np.sin(a)
    return b
""",
        "f8, f8",
    )
    assert "y_bar" not in made


def test_the_value_vanishes_from_a_gradient_that_does_not_return_it():
    assert "np.exp" not in generated(
        """
def f(x):
    a = x * x
    b = np.exp(3.0)
    c = a + b
    return c
""",
        "f8",
    )


def test_of_an_array_of_which_only_the_shape_is_read_the_stores_are_dropped():
    assert cleaned_of_types("""
    w = np.zeros(3)
    v = w[1:]
    w[0] = x
    v[0] = x
    n = v.shape
    r = n[0]
    """) == ["w = np.zeros(3)", "v = w[1:]", "n = v.shape", "r = n[0]", "return r"]


def test_the_length_of_a_list_needs_what_is_appended():
    assert "w.append(x)" in cleaned_of_types("""
    w = [x]
    w.append(x)
    r = len(w)
    """)


def cleaned_of_types(text):
    """The statements that are left, where types are known."""
    body = textwrap.indent(lines(text), "    ")
    tree = parsed(f"def f(x):\n{body}    return r\n")
    kinds = {"w": nb.float64[::1], "v": nb.float64[::1], "x": nb.float64, "n": nb.UniTuple(nb.intp, 1), "r": nb.intp}
    if "append" in text:
        kinds["w"] = nb.ListType(nb.float64)
    found = block_text(tree_after("dead_code", tree, kinds).body)
    return [line.strip() for line in found.splitlines()]


def last_store(a, b, w):
    a[...] = a * a * b
    return np.sum(a * w)


def store_that_is_read(a, b, w):
    a[...] = a * a * b
    c = np.sin(a)
    return np.sum(a * w) + np.sum(c)


def two_stores(a, b, w):
    for _ in range(3):
        a[1:] = a[1:] * a[:-1] * b[1:]
    a[...] = a * a * b
    a[...] = a * a + b
    return np.sum(a * w)


def store_after_view(a, b, w):
    v = a[1:]
    a[...] = a * a * b
    return np.sum(v * v * w[1:])


def stores_in_branches(a, b, w):
    if b[0] > 0.0:
        a[...] = a * a * b
    else:
        a[...] = a * a + b
    return np.sum(a * w)


def reversed_store(a, b, w):
    for i in range(a.shape[0]):
        a[a.shape[0] - 1 - i] = a[i] * a[i] * b[i]
    return np.sum(a * w)


def diagonal_store(a, b, w):
    for i in range(a.shape[0]):
        for j in range(a.shape[0]):
            a[i] = a[i] * a[i] * b[j]
    return np.sum(a * w)


def each_element_twice(a, b, w):
    n, total = a.shape[0], 0.0
    for i in range(-n, n):
        total += a[i] * w[i] * i
        a[i] = a[i] * a[i] * b[i]
    return total


def lengths_of_products(a, b, w):
    c = np.zeros((3, 3))
    m = np.outer(a, b)
    for i in range(3):
        c[i, i:] = m[:, i] @ m[:, i:]
    return np.sum(c)


@pytest.mark.parametrize(
    "function",
    [
        last_store,
        store_that_is_read,
        two_stores,
        store_after_view,
        stores_in_branches,
        reversed_store,
        diagonal_store,
        each_element_twice,
        lengths_of_products,
    ],
)
def test_gradients_where_the_last_store_into_an_array_is_dead(function):
    a, b, w = np.array([0.5, -1.25, 0.75]), np.array([0.25, 1.5, -0.5]), np.array([1.0, 2.0, -3.0])
    assert_gradient(function, a, b, w)
    expected = srcad.grad(function, wrt=(0, 1, 2), jit=False)(a, b, w)
    value, found = srcad.value_and_grad(function, wrt=(0, 1, 2), jit=False)(a, b, w)
    assert value == function(a.copy(), b, w)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
