"""Lists of what `zip` and `enumerate` go through; what no derivative gets through is refused."""

import itertools
import math

import numpy as np
import pytest

import srcad
from srcad.errors import MissingRule, UnsupportedSyntax
from tests.checking import assert_gradient
from tests.lowering import assert_same

X = np.array([0.31, 0.82, 0.55])


def rows_of_arrays(x):
    s = 0.0
    for (v, i), (w, j) in itertools.pairwise(list(zip(x, range(len(x)), strict=False))):
        s += (w - v) ** 2 * (i + 1) / (j + 1)
    return s


def numbered_elements(x):
    counted = list(enumerate(x * 2.0, start=1))
    return counted[1][1] ** 2 * counted[1][0] + len(counted)


def test_lists_of_rows_are_lists_of_tuples():
    assert_gradient(rows_of_arrays, X, modes=["arrays"])
    assert_gradient(numbered_elements, X, modes=["tangent"])


def test_iterators_of_tuples_carry_derivatives():
    """They had none: gradients were zero."""

    def f(x):
        return max(zip(x, (1, 2), strict=False))[0]

    for derivative in (srcad.grad(f, jit=False), lambda x: srcad.jvp(f, (x,), (x,), jit=False)):
        with pytest.raises((MissingRule, UnsupportedSyntax)):
            derivative(X)


def test_sorted_tuples_carry_derivatives():
    def f(x):
        return sorted(zip(x, x, strict=True))[0][0] ** 2

    assert srcad.grad(f, jit=False)(X) == pytest.approx(2 * X * (np.min(X) == X))


@pytest.mark.slow
def test_any_and_all_stop_at_the_first_hit():
    """They called the function for all elements."""

    def counted(x):
        asked = [0.0]

        def is_large(v):
            asked[0] += v
            return v > 0.5

        first = any(is_large(v * w) for v in x for w in x if w > 0.4)
        s = asked[0] * x[2]
        if all(map(is_large, x)) or first:
            s += asked[0]
        if not any(filter(is_large, [x[2], x[0]])):
            s += x[1]
        return s * asked[0]

    assert_gradient(counted, X)
    assert_gradient(lambda x: x[0] if any(v > 9.0 for v in x[:0]) or not all(v > 9.0 for v in x[3:]) else x[1], X)


@pytest.mark.slow
def test_tuples_of_unknown_length_given_to_numpy():
    def stacked(x):
        rows = np.stack(tuple(x * v for v in x))
        return np.sum(np.array(tuple(map(np.sin, x))) * rows[1]) + sum(tuple(v * v for v in x if v > 0.5))

    assert_gradient(stacked, X)


@pytest.mark.slow
def test_names_that_a_comprehension_assigns_are_those_of_the_function():
    def assigned(x):
        large = [w for v in x if (w := v * x[0]) > 0.2]
        total = 0.0
        sums = [total := total + v for v in x]
        if any((hit := v) > 0.8 for v in x):
            total *= hit
        return sum(large) * w + sum(sums) * total

    assert_gradient(assigned, X)


def covariance(x, c):
    n = len(x)
    k = np.array([[np.exp(-c * (x[i] - x[j]) ** 2) for j in range(n)] for i in range(n)])
    return np.linalg.det(k + np.eye(n)) + np.sum(k @ x)


def of_three_dimensions(x, c):
    return np.sum(np.array([[[u * v + c * w for u in x] for v in x if v > 0.4] for w in x]) ** 2)


def rows_of_known_number(x, c):
    return np.sum(np.array([[v * (i + c) for v in x] for i in range(2)]) ** 2)


@pytest.mark.slow
@pytest.mark.parametrize("function", [covariance, of_three_dimensions, rows_of_known_number])
def test_an_array_of_lists_of_lists_of_any_length(function):
    assert_gradient(function, X, 0.37)
    assert_gradient(function, X[:1], 0.37)


def of_arrays(x, c):
    y = np.array([x, c * x[::-1]]) @ x
    return y[0] * y[1] + np.sum(np.array((x[1:], x[:-1]), dtype=np.float64)[0] * c)


@pytest.mark.compiled
def test_an_array_of_arrays_is_compiled():
    """Numba has none."""
    assert_gradient(of_arrays, X, 0.37, modes=["arrays", "compiled"])


class Weighted:
    def __init__(self, value):
        self.value = value

    def __add__(self, other):
        return Weighted(self.value + other.value)

    def __radd__(self, other):
        return self if other == 0 else Weighted(other + self.value)


ACCUMULATED = {
    "numbers": lambda x: sum(v * v for v in x),
    "a list": lambda x: np.sum(sum([np.sin(v) * x for v in x]) ** 2),
    "arrays": lambda x: np.sum(sum(v * x for v in x) ** 2),
    "an array to start with": lambda x: np.sum(sum((v * x for v in x), x) ** 2),
    "nothing": lambda x: sum((v for v in x if v > 5.0), start=1) * x[0],
    "two loops": lambda x: sum(v * w**2 for v in x for w in x if w > v),
    "sums in sums": lambda x: sum(sum(v * w**2 for w in x) for v in x),
    "an array and a list": lambda x: sum(v * w for v, w in zip(x, [1.0, 2.0, 3.0], strict=True)),
    "objects": lambda x: sum(Weighted(v * v) for v in (x[0], x[1] * x[2])).value,
    "a product": lambda x: math.prod(v + 1.0 for v in x),
    "a product with zeros": lambda x: math.prod([v - x[0] for v in x]) + math.prod(v * x[0] for v in x[:0]),
    "a product from two": lambda x: math.prod((v for v in x), start=2.0),
}


@pytest.mark.parametrize("name", ACCUMULATED)
def test_sums_and_products_of_comprehensions(name):
    assert_gradient(ACCUMULATED[name], X, modes=["arrays", "tangent"])


def test_sums_of_comprehensions_need_no_list():
    text = srcad.source(ACCUMULATED["numbers"], args=(X,))
    assert "check_index" not in text
    assert "empty(" not in text.replace("x_bar = np.empty", "")
    assert srcad.jvp(ACCUMULATED["numbers"], (X,), (X,), jit=False)[0] == sum(v * v for v in X)


def test_the_array_that_a_sum_starts_with_stays_as_it_is():
    def f(x):
        start = x.copy()
        total = sum((v * x for v in x), start)
        start[0] = 5.0
        return np.sum(total**2)

    assert_gradient(f, X, modes=["arrays"])


def test_the_keys_of_a_dictionary_are_evaluated_before_its_values():
    def f(x):
        s = x

        def key(name):
            nonlocal s
            s = 2.0 * s
            return name

        values = {key(each): s for each in ("a", "b")}
        return values["a"] * values["b"] * s

    assert_same(f, (1.5,))
