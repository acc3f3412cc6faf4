"""Outer products that are used element by element are never made; others are."""

import numpy as np
import pytest

import srcad
from srcad.printing.printer import print_function
from tests.checking import assert_gradient
from tests.transforms.core_text import body_of, numeric, settled, unit_after

TEXT = "def f(u, v, a):\n    p = np.outer(u, v)\n    {}\n    return w\n"
SIGNATURE = "f8[:], f8[:], f8[:, :]"
U, V = np.array([0.5, -1.5, 2.0]), np.array([0.25, 3.0])
A = np.arange(6.0).reshape(3, 2)


def fused(*lines, signature=SIGNATURE):
    text = TEXT.format("\n    ".join(lines))
    return body_of(unit_after("elementwise_fusion", *settled(text, signature)).unit), text


@pytest.mark.parametrize(
    "lines",
    [
        ["w = a + p"],
        ["t = p * p", "w = np.sum(t)"],
        ["w = np.copy(a)", "w[...] = p"],
        ["q = np.outer(u, v)", "t = p - q", "w = t * a"],
        ["t = np.sin(p)", "s = t + p", "w = np.sum(s, axis=0)"],
    ],
)
def test_a_product_that_is_used_by_elements_is_no_call(lines):
    body, text = fused(*lines)
    assert "outer" not in body
    assert body.count("np.empty") <= 1
    unit = unit_after("elementwise_fusion", *settled(text, SIGNATURE)).unit
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    np.testing.assert_allclose(namespace["f"](U, V, A), numeric(text, "f")(U, V, A), rtol=1e-15)


@pytest.mark.parametrize(
    "lines",
    [
        ["w = p"],
        ["t = np.transpose(p)", "w = a @ t"],
        ["w = p[0]"],
        ["s = p[0, 0]", "w = a + p", "w[0, 0] = s"],
        ["w = np.copy(a)", "u[0] = 7.0", "w[...] = p"],  # its operand has changed since
    ],
)
def test_a_product_of_which_more_is_used_stays_a_call(lines):
    assert "outer" in fused(*lines)[0]


@pytest.mark.parametrize("name", ["add", "minimum", "subtract"])
def test_other_outer_functions_make_no_column_of_their_own(name):
    text = f"def f(u, v, a):\n    c = kernels.before_axes_of(u, v)\n    w = np.{name}(c, v)\n    return w\n"
    unit = unit_after("elementwise_fusion", *settled(text, SIGNATURE)).unit
    assert "u[:, None]" in body_of(unit)
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    np.testing.assert_array_equal(namespace["f"](U, V, A), getattr(np, name).outer(U, V))


def test_products_of_integers_stay_calls():
    assert "outer" in fused("w = a + p", signature="i8[:], i8[:], f8[:, :]")[0]


def updated(a, u, v, w):
    b = a + np.outer(u, v) - 0.5 * np.outer(u * u, w)
    return np.sum(np.sin(b)) + np.sum(np.outer(v, w) @ w)


def eliminated(a):
    b = a.copy()
    for k in range(b.shape[0] - 1):
        b[k + 1 :, k] /= b[k, k]
        b[k + 1 :, k + 1 :] -= np.outer(b[k + 1 :, k], b[k, k + 1 :])
    return np.sum(b * b)


def overlapping(a):
    b = a.copy()
    for k in range(b.shape[0]):
        b[k:, k:] -= 0.1 * np.outer(b[k:, k], b[k, k:])  # reads what it writes: all of the old elements
        b += np.outer(b[:, k], b[k])
    return np.sum(b * b)


def test_gradients_of_rank_one_updates():
    rng = np.random.default_rng(2)
    assert_gradient(updated, *(rng.normal(size=shape) for shape in ((3, 2), 3, 2, 2)), modes=("loops",))
    for one, two in ((1, 1), (0, 1)):
        shapes = (one, two), one, two, two
        assert_gradient(updated, *(rng.normal(size=shape) for shape in shapes), modes=("gradient",))


@pytest.mark.parametrize("size", [1, pytest.param(2, marks=pytest.mark.nightly), 4])
def test_gradients_of_updates_in_place(size):
    matrix = np.random.default_rng(3).normal(size=(size, size)) + 3.0 * np.eye(size)
    assert_gradient(eliminated, matrix, modes=("gradient",))
    assert_gradient(overlapping, 0.2 * matrix, modes=("gradient",))


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        srcad.grad(lambda a, u: np.sum(a + np.outer(u, u)), jit=False)(np.ones((3, 2)), np.ones(3))
