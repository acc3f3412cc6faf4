"""Contributions are added up in the form that fits."""

import gast
import numpy as np
import pytest

import srcad
from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.ir.build import const, load
from tests.transforms.core_text import block_text, generated, printed, program_of, run


def adjoints():
    program = program_of(
        """
def f(x, a, n):
    y = np.zeros((n, 2))
    w = np.copy(y)
    z = 1j
    x_bar = a
    return y
""",
        "f8[:], f8, i8",
    )
    return Adjoints(program, program.unit.names.copy(), dict(program.unit.bindings))


def expression(text):
    return gast.parse(text, mode="eval").body


def test_an_adjoint_is_named_after_its_value():
    assert adjoints().bar("a") == "a_bar"


def test_a_name_that_the_user_has_is_avoided():
    assert adjoints().bar("x") == "x_bar_2"


def test_an_adjoint_has_one_name():
    bars = adjoints()
    assert bars.bar("a") == bars.bar("a")
    assert bars.bars == {"a": "a_bar"}


def test_a_negative_contribution_is_subtracted():
    assert block_text(adjoints().add("a", expression("-a"), None)) == "a_bar -= a\n"
    assert block_text(adjoints().add("a", expression("-a"), None, gast.Sub)) == "a_bar += a\n"


@pytest.mark.parametrize("given", ["a * z", "unknown", "1j * a"])
def test_what_may_be_complex_reaches_a_real_value_with_its_real_part(given):
    assert block_text(adjoints().add("a", expression(given), None)) == f"a_bar += np.real({given})\n"
    assert block_text(adjoints().add("z", expression(given), None)) == f"z_bar += {given}\n"


@pytest.mark.parametrize(
    ("name", "zero"),
    [("a", "0.0"), ("z", "0j"), ("x", "np.zeros_like(x)"), ("w", "np.zeros_like(y)"), ("y", "np.zeros((n, 2))")],
)
def test_an_adjoint_begins_as_a_zero_of_its_kind(name, zero):
    assert printed(adjoints().zero(name)) == zero


def test_a_contribution_of_the_same_shape_is_not_summed():
    assert printed(adjoints().summed("x", load("t"), 1, True)) == "t"
    assert printed(adjoints().summed("a", load("t"), 0, False)) == "t"


def test_a_number_that_was_broadcast_gets_the_sum():
    assert printed(adjoints().summed("a", load("t"), 2, False)) == "np.sum(t)"


def test_an_array_that_may_have_been_broadcast_is_summed_to_its_shape():
    assert printed(adjoints().summed("x", load("t"), 2, False)) == "kernels.unbroadcast(t, x)"


def test_kernels_are_known_by_another_name_where_the_user_has_theirs():
    bars = adjoints()
    bars.bindings["kernels"] = object()
    bars.names.reserve("kernels")
    assert bars.kernel("grown") == "kernels_2.grown"
    assert bars.kernel("grown") == "kernels_2.grown"


def test_one_more_value_of_a_carried_number_begins_at_zero():
    assert block_text(adjoints().clear("a", None)) == "a_bar = 0.0\n"


def test_two_uses_of_one_value_add_up():
    source = """
def f(x):
    a = np.sin(x)
    b = np.cos(x)
    c = a + b
    return c
"""
    assert run(source, "f8", "grad", 0.7) == pytest.approx(np.cos(0.7) - np.sin(0.7))


def test_equal_shapes_need_no_summation():
    assert "unbroadcast" not in generated(
        """
def f(x):
    t = np.sin(x)
    u = t * x
    s = np.sum(u)
    return s
""",
        "f8[:]",
        loops=False,
    )


def test_shapes_that_may_differ_are_summed():
    source = """
def f(x, y):
    u = x * y
    s = np.sum(u)
    return s
"""
    x, y = np.array([2.0]), np.array([1.0, 2.0, 3.0])
    for loops in (True, False):
        np.testing.assert_array_equal(run(source, "f8[:], f8[:]", "grad", x, y, loops=loops), [6.0])


def test_literals_are_numbers():
    assert printed(const(0.0)) == "0.0"


def flattened_copy(m):
    row = m.T[:, 0].copy()
    np.place(row, np.tanh(m)[2] > 0.0, m[:, 1])
    return np.sum(np.cos(np.arange(4.0)) * np.ravel(row))


@pytest.mark.compiled
def test_an_adjoint_has_the_order_of_its_array_so_that_views_of_both_are_alike():
    m = np.arange(12.0).reshape(3, 4) - 8.3
    compiled, interpreted = (srcad.value_and_grad(flattened_copy, jit=jit)(m)[1] for jit in (True, False))
    assert np.any(compiled)
    np.testing.assert_array_equal(compiled, interpreted)
    assert "row_bar = np.zeros_like(row)" in srcad.source(flattened_copy, args=(m,))


def shaped_like_integers(x, k):
    y = np.zeros_like(k, dtype=np.float64)
    for i in range(len(k)):
        y[i] = x[i] * x[i]
    return np.sum(y * y)


@pytest.mark.parametrize("kind", [np.int64, np.float32])
def test_an_adjoint_has_the_type_of_its_array_where_that_is_shaped_like_another(kind):
    x, k = np.array([0.3, 0.5, 0.7]), np.ones(3, kind)
    _, slope = srcad.value_and_grad(shaped_like_integers, jit=False)(x, k)
    np.testing.assert_allclose(slope, 4.0 * x**3, rtol=1e-14)
    _, change = srcad.jvp(shaped_like_integers, (x, k), (np.ones(3), None), jit=False)
    np.testing.assert_allclose(change, np.sum(slope), rtol=1e-14)


def flat_beside_the_whole(x, m):
    y = m.copy()
    y[0] = x
    return np.sum(np.ravel(y)) + np.linalg.det(y)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.nightly)])
def test_an_adjoint_with_flat_views_does_not_take_the_order_of_its_first_contribution(jit):
    x, m = np.array([0.6, 0.2]), np.array([[0.1, -0.2], [0.4, 1.2]])
    slope = srcad.grad(flat_beside_the_whole, jit=jit)(x, m)  # cofactors are in Fortran's order
    np.testing.assert_allclose(slope, [1.0 + m[1, 1], 1.0 - m[1, 0]], rtol=1e-14)
