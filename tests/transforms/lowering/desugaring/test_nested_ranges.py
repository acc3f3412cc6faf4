"""Loops over all indices, and over products and combinations of ranges."""

import itertools
from itertools import combinations, product

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([[0.3, -0.7, 1.2], [0.5, 0.9, -0.4]])


def indices(x):
    s, i = 1.0, 7
    for i, j in np.ndindex(x.shape):
        if x[i, j] < 0.0:
            continue
        s = np.sin(s * x[i, j]) + j * x[i, j]
    for k in np.ndindex(2, 3):
        s += x[k] ** 2 * (k[0] + 1)
    for p, q, r in np.ndindex(*x.reshape(2, 3, 1).shape):
        s += x[p, q] * r
    for p, q in np.ndindex(x[:0].shape):
        i = p + q
    return s * i


def elements(x):
    s = 0.0
    for (i, j), v in np.ndenumerate(x):
        x[i, j] = np.sin(v) * s + x[i - 1, j]
        s += v * v * (i + j)
    for (i,), v in np.ndenumerate(x[0]):
        s += v * i
    return s + np.sum(x * x)


def left_early(x):
    s, last = 0.0, 0
    for i, j in np.ndindex(x.shape):
        s = s + np.cos(s) * x[i, j]
        last = i * 3 + j
        if s > 1.1:
            break
    else:
        s *= 2.0
    for i, j in itertools.product(range(1, 2), range(3)):
        s += x[i, j] ** 2
        if j == last % 2:
            break
    for i, j in itertools.product(range(-3), range(-2)):
        s += x[i, j] ** 3
        if s > 100.0:
            break
    return s


def products(x):
    n, s = x.shape[1], 0.0
    for i, j, k in itertools.product(range(2), range(n), range(1, n)):
        s += x[i, j] * x[i, k] * (j - k)
    for i, j in itertools.product(range(n), repeat=2):
        s += x[0, i] * x[1, j] ** 2
    for i, j in itertools.combinations(range(n), 2):
        s += np.sin(x[0, i] * x[0, j])
    for i, j, k in itertools.combinations(range(n), 3):
        s += x[0, i] * x[0, j] * x[1, k]
    for _ in itertools.combinations(range(n), 4):
        s += 1e6
    return s


@pytest.mark.slow
def steps(x):
    s, n = 0.0, x.shape[1]
    for i, j in product(range(0, n, 2), range(n - 1, -1, -2)):
        s += x[i % 2, j] ** 2 * (i + 2 * j + 1)
    for i, j in combinations(range(1, 2 * n, 2), 2):
        s += x[0, i % n] * x[1, j % n] * i
    for i, j in product(range(5, n, 2), range(n, 0)):
        s += x[i, j]
    for i, j in product(range(n, -1, -2), range(0, n, 2)):
        if i < 2 and j > 1:
            break
        s += x[0, j] ** 3 * i
    return s


@pytest.mark.parametrize("function", [indices, elements, left_early, products, steps])
def test_gradients_agree_with_differences(function):
    assert_gradient(function, X, modes=("gradient", "loops", "arrays", "tangent", "second"))


def test_an_index_keeps_its_value_where_the_loop_does_not_turn():
    def f(x):
        i = 2.0
        for i, _ in np.ndindex(2, x.size - 3):
            x[i] += 1.0
        return x[0] * i

    assert srcad.grad(f, jit=False)(np.ones(3))[0] == 2.0


def unknown_rank(x):
    return sum([x[i] for i in np.ndindex(x.shape)])


def unknown_rank_in_a_loop(x):
    s = 0.0
    for i in np.ndindex(x.shape):
        s += x[i]
    return s


def beside_others(x):
    s = 0.0
    for k, i in enumerate(np.ndindex(2, 3)):
        s += x[i] * k
    return s


@pytest.mark.parametrize("function", [unknown_rank_in_a_loop, beside_others, unknown_rank])
def test_what_has_no_known_number_of_axes_is_refused(function):
    with pytest.raises(UnsupportedSyntax, match=r"test_nested_ranges\.py"):
        srcad.grad(function, jit=False)(X)


def test_as_many_indices_as_axes():
    def f(x):
        s = 0.0
        for i, j in np.ndindex(x.shape):
            s += x[i, j, 0]
        return s

    with pytest.raises(ValueError, match="as many indices"):
        srcad.grad(f, jit=False)(np.ones((2, 2, 2)))
