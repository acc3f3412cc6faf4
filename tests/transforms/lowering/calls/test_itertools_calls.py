"""Iterators of itertools, `x.flat`, and what is refused beside them."""

import itertools
from itertools import accumulate, chain

import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable, UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([[0.3, -0.7, 1.2], [0.5, 0.9, -0.4]])


def of_lists(x):
    row, other = [x[0, 0], x[0, 1], x[1, 2]], (x[1, 0], 2.0)
    s = 0.0
    for k, v in enumerate(chain(row, other, range(2))):
        s += v * v * k
    for v, w in itertools.combinations(row, 2):
        s += np.sin(v * w)
    for v, w in itertools.permutations(row, 2):
        s += v * w * w
    for v, w in itertools.product(row, other):
        s += v / (2.0 + w)
    for v, w in itertools.zip_longest(row, other, fillvalue=1.5):
        s += v * np.cos(w)
    for v, w in itertools.pairwise(row):
        s += (v - w) ** 3
    for v in itertools.islice(row, 1, None):
        s *= 1.0 + v
    for v in itertools.repeat(x[0, 2], 3):
        s = np.sin(s + v)
    return s + sum(accumulate(row)) + list(accumulate(row, lambda p, q: p * q, initial=x[1, 1]))[-1]


def of_arrays(x):
    s = 0.0
    for v, w in itertools.pairwise(x[0]):
        s += (v - w) ** 3
    for v in x.flat:
        s = np.sin(s + v)
    for i, v in enumerate(x.T.flat):
        s += x.flat[i] * v
    return s + np.sum(x.flat[1:4] ** 2) + x.flat[-1]


def a_slice_of_flat_is_a_copy(x):
    y = x * 1.0
    kept = y.flat[:3]
    y[0, 1] = 5.0 * x[1, 1]
    return np.sum(kept**2) + np.sum(y)


@pytest.mark.slow
@pytest.mark.parametrize("function", [of_lists, of_arrays, a_slice_of_flat_is_a_copy])
def test_gradients_agree_with_differences(function):
    assert_gradient(function, X, modes=("gradient", "loops", "arrays", "tangent"))


class Holder:
    def __init__(self, flat):
        self.flat = flat


def test_an_attribute_of_that_name_is_the_users():
    def f(h):
        return sum([v * v for v in h.flat]) + h.flat[0]

    found = srcad.grad(f, jit=False)(Holder([2.0, 3.0]))
    assert found.flat == [5.0, 6.0]


def write_flat(x):
    y = x * 1.0
    y.flat[2] = x[0, 0]
    return np.sum(y)


def several_values(x):
    return np.sum(np.pad(x[0], (1, 2), constant_values=(x[0, 0], x[1, 1])) ** 2)


def elements_by_nditer(x):
    elements = list(np.nditer(x))
    return elements[0] * x[0, 0]


def pairs_kept(x):
    pairs = zip(x[0], x[1], strict=True)
    return sum(a * b for a, b in pairs)


def polynomial(x):
    p = np.poly1d([x[0, 0], 2.0])
    return p[0] * x[1, 1]


REFUSED = {write_flat: "reshape"}
REFUSED |= {several_values: "np.concatenate"}


REFUSED |= {pairs_kept: "list", elements_by_nditer: "list", polynomial: "np.polyval"}


@pytest.mark.parametrize("function", REFUSED)
def test_what_is_refused_comes_with_a_way_out(function):
    with pytest.raises(UnsupportedSyntax) as caught:
        srcad.grad(function, jit=False)(X)
    assert "test_itertools_calls.py" in str(caught.value)
    assert REFUSED[function] in str(caught.value).partition("hint")[2]


def test_borders_that_np_pad_does_not_set_are_refused():
    with pytest.raises(NotDifferentiable, match="'empty'"):
        srcad.grad(lambda x: np.sum(np.pad(x, 1, mode="empty")), jit=False)(X)


def test_the_first_element_and_loops_over_iterators():
    def first(x):
        parts = {"a": x[0, 0] * x[1, 1], "b": x[0, 1]}
        return next(iter(parts.values())) + sum(v * v for v in iter(x[0]))

    assert srcad.grad(first, jit=False)(X)[1, 1] == X[0, 0]


def test_iterators_over_arrays_that_only_numbers_decide():
    def present_value(rate, growth):
        q = np.array([1.0 - np.exp(-rate * growth**age) for age in range(3)])
        alive = list(accumulate(1.0 - q, initial=1.0, func=lambda a, b: a * b))
        return sum(each * rate**k for k, each in enumerate(alive))

    def by_index(rate, growth):
        q = [1.0 - np.exp(-rate * growth**age) for age in range(3)]
        a = 1.0 - q[0]
        b = a * (1.0 - q[1])
        return 1.0 + a * rate + b * rate**2 + b * (1.0 - q[2]) * rate**3

    both = [srcad.grad(f, wrt=(0, 1), jit=False)(0.4, 1.3) for f in (present_value, by_index)]
    np.testing.assert_allclose(*both, rtol=1e-13)


def test_what_fills_up_a_shorter_row_is_read_once():
    def filled(x):
        fill, s = x[0], 0.0
        for a, b in itertools.zip_longest([x[1]], [x[2], x[0], x[1]], fillvalue=fill):
            fill = 2.0 * fill
            s = 1.5 * s + a * b
        for a in itertools.accumulate([x[0], x[1]], initial=None):
            s = s * a
        return s

    assert_gradient(filled, np.array([0.7, 1.3, 0.4]), modes=("loops",))
