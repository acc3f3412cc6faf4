"""Compiled functions of complex numbers give what NumPy gives, also at the ends of the range of floats."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels

_ENDS = [0.0, -0.0, 1.0, -2.5, 1e308, -1e308, 5e-324, 1e200, 1e-200, np.inf, -np.inf, np.nan]
ENDS = np.array([complex(x, y) for x in _ENDS for y in _ENDS])
RNG = np.random.default_rng(0)
ORDINARY = RNG.standard_normal(500) + 1j * RNG.standard_normal(500)
WIDE = ORDINARY * 10.0 ** RNG.integers(-300, 300, 500)


@numba.njit(error_model="numpy")
def quotients(a, b):
    found = np.empty((a.size, b.size), np.complex128)
    for i in range(a.size):
        for j in range(b.size):
            found[i, j] = kernels.quotient(a[i], b[j])
    return found


@numba.njit(error_model="numpy")
def moduli(z):
    found = np.empty(z.size)
    for i in range(z.size):
        found[i] = kernels.modulus(z[i])
    return found


def are_same(one, other):
    """Whether two arrays have the same numbers, with the same signs of zeros; all nans are one."""
    parts = [each for array in (one, other) for each in (array.real, array.imag)]
    return all(
        np.array_equal(x, y, equal_nan=True) and np.array_equal(np.signbit(x[x == 0]), np.signbit(y[y == 0]))
        for x, y in zip(parts[:2], parts[2:], strict=True)
    )


@pytest.mark.parametrize("a", [ENDS, ORDINARY, WIDE, ENDS.real.copy(), np.array([0, 1, -3])])
@pytest.mark.parametrize("b", [ENDS, ORDINARY, WIDE])
def test_quotients(a, b):
    with np.errstate(all="ignore"):
        assert are_same(quotients(a, b), np.divide(a[:, None], b[None, :]))


@pytest.mark.parametrize("b", [ENDS.real.copy(), np.array([0, 1, -3])])
def test_quotients_by_real_numbers(b):
    with np.errstate(all="ignore"):
        assert are_same(quotients(ENDS, b), np.divide(ENDS[:, None], b[None, :]))


@pytest.mark.parametrize("z", [ENDS, ORDINARY, WIDE])
def test_moduli(z):
    with np.errstate(all="ignore"):
        expected, found = np.hypot(z.real, z.imag), moduli(z)
    is_finite = np.isfinite(expected)
    assert np.array_equal(found[~is_finite], expected[~is_finite], equal_nan=True)
    found, expected = found[is_finite], expected[is_finite]
    assert np.all(np.abs(found - expected) <= 2.0 * np.spacing(expected))


@pytest.mark.parametrize("power", [3, 4, 7, 13, -2, -3])
def test_whole_powers(power):
    @numba.njit(error_model="numpy")
    def powers(z):
        found = np.empty_like(z)
        for i in range(z.size):
            found[i] = kernels.whole_power(z[i], power)
        return found

    for z in (ORDINARY, ORDINARY.astype(np.complex64)):
        assert np.allclose(powers(z), z**power, rtol=100 * np.finfo(z.dtype).eps, atol=0.0)
