"""`isinstance` is decided where the class of a value is known, and left to the types where it is not."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient


def recursive(x, n):
    if n == 0:
        return x, x
    a, b = recursive(x, n - 1)
    return 2.0 * a, b


def of_shape(x):
    shape = x.shape
    return np.sum(x * x) if isinstance(shape, tuple) else 7.0 * np.sum(x)


def of_part_of_shape(x):
    return 7.0 * np.sum(x) if isinstance(x.shape[0], tuple) else np.sum(x * x)


def of_unknown_result(x):
    found = np.unravel_index(1, x.shape)
    return np.sum(found[0] * x + x * x) if isinstance(found, (list, tuple)) else 7.0 * np.sum(x)


def of_recursive_result(x):
    found = recursive(x[0, 0], 3)
    return found[0] * found[1] if isinstance(found, tuple) else 7.0 * x[0, 0]


def of_loop_carried(x):
    held = x
    total = 0.0
    for _ in range(2):
        if isinstance(held, tuple):
            total += 7.0
        else:
            total += np.sum(held * held)
        held = np.sin(held)
    return total


def of_argument(x):
    if isinstance(x, (list, tuple)):
        return x["not"].of.an.array
    return np.sum(x * x)


FUNCTIONS = [of_shape, of_part_of_shape, of_unknown_result, of_recursive_result, of_loop_carried, of_argument]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_isinstance_is_right_for_what_is_no_structure(f):
    x = np.array([[0.5, 1.25], [2.0, 0.75]])
    value, gradient = srcad.value_and_grad(f, jit=False)(x)
    assert value == f(x)
    step = 1e-6
    for place in np.ndindex(2, 2):
        e = np.zeros((2, 2))
        e[place] = step
        assert gradient[place] == pytest.approx((f(x + e) - f(x - e)) / (2.0 * step), abs=1e-8)


@pytest.mark.compiled
def test_isinstance_of_a_shape_compiled():
    x = np.array([[0.5, 1.25], [2.0, 0.75]])
    np.testing.assert_array_equal(srcad.grad(of_shape)(x), 2.0 * x)


def called_or_scaled(c, v):
    return c(v) if callable(c) else len(c) * v


class Tripled:
    def __call__(self, v):
        return v * 3

    def method(self, v):
        return v * 4


def test_callable_is_true_of_functions_and_objects_and_false_of_containers():
    def total(x):
        def cubed(v):
            return v**3 * x

        made, s = Tripled(), 0.0
        for each in (lambda v: v**2, cubed, np.sin, made, made.method, [1.0, 2.0], (3.0,), {"a": 1.0}):
            s += called_or_scaled(each, x)
        return s

    assert srcad.grad(total, jit=False)(0.7) == pytest.approx(2 * 0.7 + 4 * 0.7**3 + np.cos(0.7) + 7 + 4)


class Part:
    def __init__(self, value):
        self.value = value


class Whole(Part):
    pass


def told_apart(x, y):
    values, pair, part = [x], (x, y), Whole(x)
    s = x * y if type(values) is list and type(pair) is not list else x
    s = s * y if type(part) is Whole and type(part) is not Part else x
    s = s + (y if type(values) is type(pair) else x * x)
    return s * type(part)(y).value


def views_told_apart(x, y):
    parts = {"a": x}
    return x * y if isinstance(parts.values(), tuple) or type(parts.keys()) is tuple else x + y * y


@pytest.mark.parametrize("f", [told_apart, views_told_apart])
def test_the_class_of_a_structure_is_that_of_python(f):
    assert_gradient(f, 0.7, 1.3, modes=("loops",))
