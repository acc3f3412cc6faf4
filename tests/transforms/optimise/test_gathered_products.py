"""Inner products with gathered elements are sums in the loop that gathers; others stay calls."""

import numpy as np
import pytest

from tests.checking import assert_gradient
from tests.transforms.core_text import body_of, settled, unit_after

TEXT = "def f(x, v, k):\n    t = x[k]\n    {}\n    return w\n"


def fused(*lines, signature="f8[:], f8[:], i8[:]"):
    return body_of(unit_after("elementwise_fusion", *settled(TEXT.format("\n    ".join(lines)), signature)).unit)


@pytest.mark.parametrize("product", ["v @ t", "np.dot(t, v)", "t @ v"])
def test_a_product_with_gathered_elements_makes_no_array_of_them(product):
    body = fused(f"w = {product}")
    assert "np.empty" not in body
    assert "@" not in body
    assert "dot" not in body


@pytest.mark.parametrize(
    ("lines", "signature"),
    [
        (["a = v @ t", "b = t[0]", "w = a + b"], "f8[:], f8[:], i8[:]"),  # the elements are used again
        (["a = v @ t", "c = a > 0.5", "if c:", "    w = 1.0", "else:", "    w = a"], "f8[:], f8[:], i8[:]"),
        (["w = v @ t"], "f8[:], f8[:, :], i8[:]"),
        (["w = v @ t"], "f4[:], f4[:], i8[:]"),
    ],
)
def test_other_products_stay_calls(lines, signature):
    assert "@" in fused(*lines, signature=signature)


def sparse_rows(start, column, value, x):
    y = np.zeros(start.shape[0] - 1)
    for i in range(start.shape[0] - 1):
        y[i] = value[start[i] : start[i + 1]] @ x[column[start[i] : start[i + 1]]]
    return np.sum(y * y)


def neighbours(place, x, weight):
    total = 0.0
    for i in range(place.shape[0]):
        total += np.tanh(np.dot(x[place[i]], weight[i]))
    return total


def test_gradients_of_products_of_gathered_elements():
    rng = np.random.default_rng(1)
    start, column = np.array([0, 2, 2, 5, 6]), np.array([0, 3, 1, 1, 2, 0])  # an empty row, and one place twice
    assert_gradient(sparse_rows, start, column, rng.random(6), rng.random(4))
    assert_gradient(neighbours, rng.integers(-4, 4, (5, 3)), rng.random(4), rng.random((5, 3)))


@pytest.mark.compiled
def test_compiled_gradients_of_products_of_gathered_elements():
    rng = np.random.default_rng(2)
    start, column = np.array([0, 2, 2, 5, 6]), np.array([0, 3, 1, 1, 2, 0])
    assert_gradient(sparse_rows, start, column, rng.random(6), rng.random(4), modes=["compiled"])
