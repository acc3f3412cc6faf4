"""Vectors are multiplied first where that is the same product and nothing else sees the matrix."""

import numpy as np
import pytest

import srcad
from srcad.printing.printer import print_function
from tests.checking import assert_gradient
from tests.transforms.core_text import body_of, numeric, settled, unit_after

SIGNATURE = "f8, f8[:, ::1], f8[:, ::1], f8[::1]"
RNG = np.random.default_rng(2)
ARGUMENTS = 0.75, RNG.normal(size=(3, 3)), RNG.normal(size=(3, 3)), RNG.normal(size=3)
TEXT = "def f(s, a, b, x):\n    {}\n    return y\n"


def reassociates(*lines, signature=SIGNATURE, given=ARGUMENTS):
    text = TEXT.format("\n    ".join(lines))
    before, types = settled(text, signature)
    after = unit_after("product_reassociation", before, types).unit
    if given:
        namespace = dict(after.bindings)
        exec(print_function(after.tree), namespace)
        np.testing.assert_allclose(namespace["f"](*map(np.copy, given)), numeric(text, "f")(*map(np.copy, given)))
    return body_of(after) != body_of(before)


@pytest.mark.parametrize(
    "lines",
    [
        ["t = s * a", "y = t @ x"],
        ["t = a * 2.0", "y = np.dot(x, t)"],
        ["t = a / s", "y = t @ x"],
        ["t = -a", "y = x @ t"],
        ["t = a @ b", "y = t @ x"],
        ["t = np.dot(a, b)", "y = x @ t"],
        ["t = a @ b", "u = np.tanh(x)", "y = t @ u"],
        ["t = a @ b", "u = t @ a", "y = u @ x"],
        ["t = s * a", "x[0] = 2.0", "y = t @ x"],
        ["t = np.transpose(a)", "y = t @ x", "y = x @ t"],
        ["t = np.transpose(a)", "a[0, 0] = 2.0", "y = t @ x"],
        ["t = np.transpose(a)", "u = t[0]", "v = t @ x", "y = u + v"],
        ["c = s > 0.5", "if c:", "    t = np.transpose(a)", "    y = t @ x", "else:", "    y = x"],
    ],
)
def test_vectors_are_multiplied_first(lines):
    assert reassociates(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["t = s * a", "u = t @ x", "v = t[0]", "y = u + v"],
        ["t = a @ b", "a[0, 0] = 5.0", "y = t @ x"],
        ["t = s * a", "v = a[1:]", "v[0, 0] = 5.0", "y = t @ x"],
        ["t = a * x", "y = t @ x"],
        ["t = s / a", "y = t @ x"],
        ["t = np.transpose(a)", "u = t[0]", "y = u @ x"],
        ["t = np.transpose(a)", "t = a", "y = t @ x"],
        ["t = a + b", "y = t @ x"],
        ["t = s * a", "u = t @ b", "y = u[0]"],
        ["t = s * a", "c = s > 0.5", "if c:", "    y = t @ x", "else:", "    y = x"],
        ["t = s * a", "y = t @ x", "v = y[0]", "c = v > 0.0", "if c:", "    y = 2.0 * x"],
    ],
)
def test_what_else_sees_the_matrix_or_decides_keeps_the_order(lines):
    assert not reassociates(*lines)


def test_other_types_keep_the_order():
    lines = ["t = s * a", "y = t @ x"]
    assert not reassociates(*lines, signature="f8, c16[:, ::1], f8[:, ::1], c16[::1]", given=())
    assert not reassociates(*lines, signature="f8, f4[:, ::1], f8[:, ::1], f8[::1]", given=())
    assert not reassociates(*lines, signature="c16, f8[:, ::1], f8[:, ::1], f8[::1]", given=())


def model(alpha, a, b, x):
    y = alpha * a @ b @ x
    for _ in range(2):
        y = np.tanh(x @ (b.T / alpha) + (-a) @ y)
    return np.sum(y * y)


@pytest.mark.parametrize("n", [3, 1])
def test_gradients(n):
    rng = np.random.default_rng(4)
    given = 1.3, rng.normal(size=(n, n)), rng.normal(size=(n, n)), rng.normal(size=n)
    assert_gradient(model, *given, modes=("loops", "gradient"))


def test_shapes_that_do_not_fit_are_refused_as_before():
    with pytest.raises(ValueError, match=r"match|mismatch"):
        srcad.grad(model, jit=False)(1.0, np.ones((3, 3)), np.ones((3, 3)), np.ones(2))
