"""Which statements may end in an exception, and that derivatives that run as Python raise what the function raises."""

import math

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.analysis.may_raise import may_raise
from srcad.transforms.ir.code import code_of
from srcad.transforms.ir.node_notes import note

KINDS = {"x": nb.float64[:], "m": nb.float64[:, :], "s": nb.float64, "k": nb.int64, "t": nb.UniTuple(nb.int64, 2)}


@pytest.mark.parametrize(
    ("value", "raises"),
    [
        ("m @ m", True),
        ("x + m", True),
        ("x * s", False),
        ("s * s - 1.0", False),
        ("s / s", True),
        ("x / s", False),
        ("s / 2.0", False),
        ("s ** 2", False),
        ("s ** s", True),
        ("s // k", True),
        ("x[k]", True),
        ("t[0]", False),
        ("x.shape[0]", False),
        ("np.sin(x)", False),
        ("np.add(x, m)", True),
        ("np.add(x, 1.0)", False),
        ("np.sum(x)", False),
        ("np.sum(x, axis=k)", True),
        ("np.zeros_like(x)", False),
        ("np.max(x)", True),
        ("math.sqrt(s)", True),
        ("np.linalg.cholesky(m)", True),
        ("np.fft.fft(x)", True),
    ],
)
def test_operations_that_may_raise(value, raises):
    code = code_of(f"def f():\n    y = {value}", KINDS)
    code.unit.bindings.update({"np": np, "math": math})
    note(code.unit.tree, kinds=KINDS)
    assert may_raise(code.body[0].value, code) is raises


def product(x, y):
    z = x @ y
    return np.sum(x) + 0.0 * len(z.shape)


def last_product(x, y):
    return np.sum(x @ y)


def element(x, y):
    t = x[y.shape[0]]
    t = 2.0
    return np.sum(x) * t


def sums(x, y):
    t = x + y
    return np.sum(x) * t.ndim


def factor(x, y):
    t = np.linalg.cholesky(y)
    return np.sum(x) * t.ndim


def root(x, y):
    t = math.sqrt(y[0, 0])
    t = 1.0
    return np.sum(x) * t


def in_loop(x, y):
    s = 0.0
    for i in range(3):
        t = x[i, 0] / float(y[0, 0])
        t = 1.0
        s += x[0, 0] * t
    return s


def inner(x, y):
    return x @ y


def of_helper(x, y):
    z = inner(x, y)
    return np.sum(x) * z.ndim


WRONG = [
    (product, np.ones((2, 3)), np.ones((2, 3)), ValueError),
    (last_product, np.ones(3), np.ones(4), ValueError),
    (element, np.ones(3), np.ones(3), IndexError),
    (sums, np.ones((2, 3)), np.ones((2, 2)), ValueError),
    (factor, np.ones((2, 2)), -np.eye(2), np.linalg.LinAlgError),
    (root, np.ones((2, 2)), -np.eye(2), ValueError),
    (in_loop, np.ones((2, 2)), np.eye(2), IndexError),
    (of_helper, np.ones((2, 3)), np.ones((2, 3)), ValueError),
]


@pytest.mark.parametrize(("function", "x", "y", "kind"), WRONG)
@pytest.mark.parametrize("make", [srcad.grad, srcad.value_and_grad, srcad.jacobian])
def test_derivatives_without_numba_raise_what_the_function_raises(function, x, y, kind, make):
    with pytest.raises(kind):
        function(x, y)
    with pytest.raises(kind):
        make(function, jit=False)(x, y)


@pytest.mark.parametrize(("function", "x", "y", "kind"), WRONG)
def test_pullbacks_and_tangents_without_numba_raise_it_too(function, x, y, kind):
    with pytest.raises(kind):
        srcad.vjp(function, x, y, jit=False)
    with pytest.raises(kind):
        srcad.jvp(function, (x, y), (np.ones_like(x), np.ones_like(y)), jit=False)


def test_the_derivative_of_right_arguments_stays():
    x, y = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
    np.testing.assert_array_equal(srcad.grad(product, jit=False)(x, y), np.ones((2, 3)))
    np.testing.assert_array_equal(srcad.grad(last_product, jit=False)(x, y), np.full((2, 3), 2.0))
