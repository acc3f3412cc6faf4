"""Integer checks raise where Python's result is no integer of 64 bits; as plain Python they do nothing."""

import itertools
import operator

import numba
import pytest

from srcad.runtime import kernels
from srcad.runtime.support.assumption_errors import LeavesIntegers

EDGES = (0, 1, -1, 2, -2, 3, 7, 62, 63, 64, 2**31, -(2**31), 2**32 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63))


@numba.njit
def checked_sum(one, other):
    kernels.integers.check_sum(one, other, "it leaves 64 bits (f.py:3)")


@numba.njit
def checked_product(one, other):
    kernels.integers.check_product(one, other, "it leaves 64 bits (f.py:3)")


@numba.njit
def checked_shift(one, other):
    kernels.integers.check_shift(one, other, "it leaves 64 bits (f.py:3)")


@numba.njit
def checked_power(one, other):
    kernels.integers.check_power(one, other, "it leaves 64 bits (f.py:3)")


@numba.njit
def checked_bounds(value, least, most):
    kernels.integers.check_between(value, least, most, "it leaves 64 bits (f.py:3)")


def power(base, exponent):
    if abs(base) < 2:
        return base if exponent >= 0 else 0.5
    return 2**64 if exponent > 64 else base**exponent


def shift(value, count):
    return 2**64 if count < 0 or (count > 64 and value) else value << min(count, 64)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("check", "operation"),
    [
        (checked_sum, operator.add),
        (checked_product, operator.mul),
        (checked_shift, shift),
        (checked_power, power),
    ],
)
def test_a_check_raises_where_the_result_is_no_integer_of_64_bits(check, operation):
    for one, other in itertools.product(EDGES, EDGES):
        result = operation(one, other)
        fits = isinstance(result, int) and -(2**63) <= result < 2**63
        if check is checked_shift and one == 0 and other > 63:
            continue  # which Python allows and machines do not
        assert check.py_func(one, other) is None
        if fits:
            assert check(one, other) is None, (one, other)
        else:
            with pytest.raises(LeavesIntegers, match=r"it leaves 64 bits \(f.py:3\)"):
                check(one, other)


@pytest.mark.compiled
def test_bounds_are_included():
    for value in (-3, -2, 0, 5, 6):
        if -2 <= value <= 5:
            assert checked_bounds(value, -2, 5) is None
        else:
            with pytest.raises(LeavesIntegers, match="it leaves"):
                checked_bounds(value, -2, 5)


def test_what_a_check_raises_is_an_overflow_error():
    assert issubclass(LeavesIntegers, OverflowError)
