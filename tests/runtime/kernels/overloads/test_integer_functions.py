"""Factorials and binomial coefficients compiled are Python's, or say that they are beyond 64 bits."""

import math
import warnings

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import PerformanceWarning
from srcad.runtime.support.assumption_errors import LeavesIntegers

pytestmark = pytest.mark.compiled


@numba.njit
def factorial(n):
    return math.factorial(n)


@numba.njit
def perm(n, k):
    return math.perm(n, k)


@numba.njit
def comb(n, k):
    return math.comb(n, k)


def outcome(function, *args):
    try:
        return function(*args)
    except (ValueError, LeavesIntegers) as problem:
        return type(problem)


def test_factorials_are_exact_up_to_the_last_of_64_bits():
    for n in range(-2, 21):
        assert outcome(factorial, n) == outcome(math.factorial, n)
    assert outcome(factorial, 21) is LeavesIntegers


@pytest.mark.parametrize(("compiled", "own"), [(perm, math.perm), (comb, math.comb)])
def test_numbers_of_choices_are_exact_or_said_to_be_beyond_64_bits(compiled, own):
    for n in range(-1, 40):
        for k in range(-1, 42):
            found, expected = outcome(compiled, n, k), outcome(own, n, k)
            assert found == expected or (found is LeavesIntegers and expected > 2**56)


def series(x, terms):
    total = 0.0
    for v in x:
        t = 0.0
        for n in range(terms):
            t += (-1) ** n * v ** (2 * n + 1) / math.factorial(2 * n + 1)
        total += t * t
    return total


def bernstein(x, terms):
    return sum(math.comb(terms, k) * x[0] ** k * (1.0 - x[0]) ** (terms - k) * x[k % 3] for k in range(terms + 1))


@pytest.mark.parametrize(("program", "terms", "beyond"), [(series, 10, 12), (bernstein, 6, 70)])
@pytest.mark.parametrize("jit", [False, True])
def test_series_have_gradients_within_and_beyond_64_bits(program, terms, beyond, jit):
    x = np.array([0.5, 1.0, 2.0])
    for count in (terms, beyond):
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            value, slope = srcad.value_and_grad(program, jit=jit)(x.copy(), count)
        assert np.isclose(value, program(x, count), rtol=1e-12)
        steps = np.eye(3) * 1e-6
        expected = [(program(x + each, count) - program(x - each, count)) / 2e-6 for each in steps]
        assert np.allclose(slope, expected, rtol=1e-6, atol=1e-7)
        assert any(issubclass(each.category, PerformanceWarning) for each in met) == (jit and count == beyond)
