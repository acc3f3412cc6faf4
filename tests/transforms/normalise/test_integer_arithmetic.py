"""Compiled integers and booleans are Python's or NumPy's, or the code runs uncompiled."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.driver.pipeline import derive, prepare
from srcad.errors import PerformanceWarning
from srcad.tools.type_signatures import parse_signature

pytestmark = pytest.mark.compiled
X = np.array([0.5, -1.2, 2.0])
CHECKS = ("check_between", "check_power", "check_product", "check_sum", "check_shift")


def taylor(x, n):
    factorial, s = 1, 0.0
    for i in range(1, n):
        factorial *= i
        s += x[i % 3] ** (i % 4) / factorial
    return s


def fibonacci(x, n):
    a, b, s = 1, 1, 0.0
    for i in range(n):
        a, b = b, a + b
        s += x[i % 3] * (b / a)
    return s


def shifted(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 3] / (1 << (3 * i))
    return s


def powers(x, n):
    s = 0.0
    for i in range(n):
        s += x[0] * 10 ** (-i) + x[1] * (i + 1) ** -2 + x[2] / 2**i + (-1) ** i * x[0] + x[1] / (i + 1) ** 4
    return s


def any_powers(x, n):
    s = 0.0
    for i in range(n):
        for k in range(n):
            s += x[(i + k) % 3] / (1 + i**k)
    return s


def large_factors(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 3] * (10**18 * i * i) / 1e18
    return s


def generator(x, n):
    state, s = 12345, 0.0
    for i in range(n):
        state = (1103515245 * state + 12345) % 2147483648
        s += x[i % 3] * (state / 2147483648)
    return s


def strides(x, n):
    step, s = 1, 0.0
    while step < n:
        for i in range(0, n - step, 2 * step):
            s += x[i % 3] * x[(i + step) % 3]
        step *= 2
    return s


def sums_of_booleans(x, n):
    s = 0.0
    for v in x:
        above, below = v > 0.0, v < 1.0
        s += v * (above + below) + v * v * (above + below + above) + (above * below + above * above) * v**3
    return s


def sums_of_pythons_booleans(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 3] * ((i > 0) + (i < 3)) + x[i % 3] ** 2 * (bool(x[i % 3] > 0.0) + bool(x[i % 3] < 1.0))
    return s


def flagged(x, n):
    return np.sum(x) * ((n > 0) + (n > 1))


def agrees(program, n):
    """Whether the compiled value and gradient are those that plain Python gives, and whether there was a warning."""
    h = 1e-6
    steps = np.eye(x_size := X.size) * h
    expected = [(program(X + each, n) - program(X - each, n)) / (2 * h) for each in steps]
    with warnings.catch_warnings(record=True) as met:
        warnings.simplefilter("always")
        value, slope = srcad.value_and_grad(program)(X.copy(), n)
    assert np.isclose(value, program(X, n), rtol=1e-13)
    assert np.allclose(slope, expected, rtol=1e-7, atol=1e-7 * max(map(abs, expected)))
    assert slope.size == x_size
    return not any(issubclass(each.category, PerformanceWarning) for each in met)


@pytest.mark.parametrize(
    ("program", "longest", "beyond"),
    [(taylor, 21, 30), (fibonacci, 90, 100), (shifted, 20, 30), (powers, 63, 64), (any_powers, 16, 18)],
)
def test_compiled_code_gives_way_where_integers_leave_64_bits(program, longest, beyond):
    assert agrees(program, longest)
    assert not agrees(program, beyond)
    assert agrees(program, longest)  # which stays compiled


def test_large_factors_are_checked():
    assert agrees(large_factors, 3)
    assert not agrees(large_factors, 5)


@pytest.mark.parametrize("program", [generator, strides, sums_of_booleans, sums_of_pythons_booleans, flagged])
def test_what_fits_stays_compiled(program):
    assert agrees(program, 6)


def test_tangents_give_way_too():
    with pytest.warns(PerformanceWarning, match="beyond the 64 bits"):
        value, slope = srcad.jvp(lambda x: taylor(x, 30), (X,), (np.ones(3),))
    assert np.isclose(value, taylor(X, 30), rtol=1e-13)
    assert np.isclose(slope, np.sum(srcad.grad(taylor, jit=False)(X, 30)), rtol=1e-13)


def test_second_derivatives_give_way_too():
    with pytest.warns(PerformanceWarning, match="beyond the 64 bits"):
        found = srcad.hvp(lambda x: taylor(x, 30))(X, np.ones(3))
    gradient, h = srcad.grad(taylor, jit=False), 1e-6
    expected = (gradient(X + h, 30) - gradient(X - h, 30)) / (2 * h)
    assert np.allclose(found, expected, rtol=1e-7)


def test_forward_and_reverse_sweeps_give_way_together():
    with pytest.warns(PerformanceWarning, match="beyond the 64 bits"):
        value, pull = srcad.vjp(lambda x: taylor(x, 30), X)
    assert np.isclose(value, taylor(X, 30), rtol=1e-13)
    assert np.allclose(pull(1.0), srcad.grad(taylor, jit=False)(X, 30), rtol=1e-13)


@srcad.function
def scaled(a, n):
    factor = 1
    for i in range(1, n):
        a[0] *= 2.0
        factor *= i
    return factor * 1.0


@srcad.function
def factorial(x, n):
    product = 1
    for i in range(1, n):
        product *= i
    return x * product


def test_a_function_that_has_written_into_an_argument_does_not_begin_again():
    a = np.ones(1)
    with pytest.raises(OverflowError, match=r"factor \*= i: the product is beyond the 64 bits .*\.py:\d+"):
        scaled(a, 30)
    with pytest.warns(PerformanceWarning, match="beyond the 64 bits"):
        assert np.isclose(factorial(2.0, 30), 2.0 * 8841761993739701954543616000000.0)


def text(function, signature, mode):
    return derive(prepare(function), mode, (0,) if mode != "core" else (), parse_signature(signature)).text


def test_only_what_may_leave_64_bits_is_checked():
    def indices(x, n):
        s, step = 0.0, 3
        for i in range(n):
            j = (i * step + i * i) % x.size
            s += x[j] * (i**2) + x[(j + i) % x.size]
        return s

    found = text(indices, "f8[::1], i8", "grad")
    assert not any(name in found for name in CHECKS)
    assert "check_between" in text(powers, "f8[::1], i8", "grad")
