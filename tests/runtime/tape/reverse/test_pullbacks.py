import operator

import numpy as np
import pytest

from srcad.errors import MissingRule
from srcad.runtime.tape.core.node import fitted
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.reverse.pullbacks import pullback
from srcad.runtime.tape.values.conversions import constant


def test_only_what_is_wanted_is_computed():
    x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    both = pullback(operator.mul, x * y, (x, y), {}, (0, 1))(np.array([1.0, 10.0]))
    assert [each.tolist() for each in both] == [[3.0, 40.0], [1.0, 20.0]]
    assert [each.tolist() for each in pullback(operator.mul, x * y, (x, y), {}, (1,))(np.ones(2))] == [[1.0, 2.0]]


def test_a_known_exponent_needs_no_guard():
    x = np.array([0.0, 3.0])
    assert pullback(operator.pow, x**2, (x, 2), {}, (0,))(np.ones(2))[0].tolist() == [0.0, 6.0]
    assert pullback(operator.pow, x**0, (x, 0), {}, (0,))(np.ones(2))[0].tolist() == [0.0, 0.0]


def test_complex_adjoints_are_conjugated():
    z = np.array([1 + 2j])
    assert pullback(np.square, z * z, (z,), {}, (0,))(np.ones(1))[0].tolist() == [2 - 4j]
    assert pullback(np.square, z * z, (z,), {}, (0,))(np.array([1j]))[0].tolist() == [4 + 2j]


def test_what_has_no_slope_has_no_adjoint():
    x = np.array([1.5])
    assert pullback(np.floor, np.floor(x), (x,), {}, (0,))(np.ones(1)) == [None]


def test_a_primitive_without_a_rule_is_named():
    with pytest.raises(MissingRule, match="nextafter"):
        pullback(np.nextafter, 1.0, (1.0, 2.0), {}, (0,))


@pytest.mark.parametrize(
    ("bar", "like", "expected"),
    [
        (np.ones((2, 3)), np.zeros(3), [2.0, 2.0, 2.0]),
        (np.ones((2, 3)), np.zeros((2, 1)), [[3.0], [3.0]]),
        (np.ones((2, 3)), 0.0, 6.0),
        (2.0, np.zeros(2), [2.0, 2.0]),
        (np.array([1 + 2j]), np.zeros(1), [1.0]),
        (np.array([1.5]), np.zeros(1, "float32"), [1.5]),
        (np.array([1.5]), np.zeros(1, "complex64"), [1.5 + 0j]),
    ],
)
def test_adjoints_fit_what_they_belong_to(bar, like, expected):
    target = constant(like)
    for given in (bar, constant(bar)):
        found = fitted(given, target)
        assert (found.tolist(), found.dtype, found.shape) == (expected, target.dtype, target.shape)


def test_powers_with_exponents_that_move_at_zero_and_below():
    x = constant([0.0, 1.0, -1.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = x**x
    np.testing.assert_array_equal(tape.gradient(y, x), [0.0, 1.0, -1.0])


def test_running_products_have_slopes_behind_zeros():
    x = constant([0.0, 2.0, 3.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sum(np.cumprod(x))
    assert tape.gradient(y, x).tolist() == [1.0 + 2.0 + 6.0, 0.0, 0.0]
