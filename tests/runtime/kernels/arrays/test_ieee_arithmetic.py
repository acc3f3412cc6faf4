"""Quotients and powers are those of NumPy where Python raises an exception."""

import operator

import numpy as np
import pytest

from srcad.runtime.kernels.arrays.ieee_arithmetic import ieee_power, ieee_quotient, ignore_errors

NUMBERS = (0.0, -0.0, 1.0, -2.0, 0.5, 1e300, 3)


@pytest.mark.parametrize("left", NUMBERS)
@pytest.mark.parametrize("right", NUMBERS)
def test_quotients_are_numpys(left, right):
    with np.errstate(all="ignore"):
        expected = np.float64(left) / np.float64(right)
    before = np.geterr()
    with np.errstate(all="ignore"):
        np.testing.assert_equal(float(ieee_quotient(left, right)), float(expected))
    assert np.geterr() == before


@pytest.mark.parametrize("base", [0.0, -0.0, 1.0, 2.0, 1e300])
@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.0, 0.5, 2.0, 3, -2, -1])
def test_powers_are_numpys(base, exponent):
    with np.errstate(all="ignore"):
        expected = np.float64(base) ** exponent
        np.testing.assert_equal(float(ieee_power(base, exponent)), float(expected))


def test_what_python_computes_stays_as_it_is():
    assert ieee_quotient(1.0, 3.0) == operator.truediv(1.0, 3.0)
    assert type(ieee_power(2.0, 3)) is float


def test_errors_are_ignored_until_restored():
    with np.errstate(all="raise"):
        with np.errstate():
            ignore_errors()
            assert np.float64(1.0) / np.float64(0.0) == np.inf
        with pytest.raises(FloatingPointError):
            np.float64(1.0) / np.float64(0.0)
