"""The larger and the smaller of numbers, and extremes along axes, are NumPy's."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels
from srcad.runtime.kernels.overloads.extremes import larger, smaller

NUMBERS = [-np.inf, -2.5, -0.0, 0.0, 1.0, np.inf, np.nan]


@pytest.mark.compiled
@pytest.mark.parametrize(("function", "expected"), [(larger, np.maximum), (smaller, np.minimum)])
def test_a_nan_wins_and_others_are_compared(function, expected):
    @numba.njit
    def compiled(a, b):
        return function(a, b)

    for kind in (np.float64, np.int64):
        numbers = [kind(each) for each in NUMBERS if kind is not np.int64 or np.isfinite(each)]
        for a in numbers:
            for b in numbers:
                np.testing.assert_array_equal(compiled(a, b), expected(a, b))  # of two zeros either may win


@pytest.mark.compiled
@pytest.mark.parametrize(("axis", "keepdims"), [(-1, True), ((0, 2), False)])
def test_extremes_along_axes_are_those_of_numpy(axis, keepdims):
    greatest = numba.njit(lambda a: np.max(a, axis=axis, keepdims=keepdims))
    least = numba.njit(lambda a: np.min(a, axis=axis, keepdims=keepdims))
    rng = np.random.default_rng(3)
    whole = rng.standard_normal((3, 4, 19))
    with_nan = whole.copy()
    with_nan[1, 2, 17] = np.nan
    for a in (whole, with_nan):
        for compiled, expected in ((greatest, np.max), (least, np.min)):
            np.testing.assert_array_equal(compiled(a), expected(a, axis=axis, keepdims=keepdims))


@pytest.mark.compiled
def test_adjoints_of_extremes_along_the_last_axis_are_shared_among_equal_ones():
    add = numba.njit(lambda total, g, y, a: kernels.add_extremum(total, g, y, a, -1, True))
    a = np.random.default_rng(4).integers(0, 3, (2, 3, 5)) * 1.0
    y, g = np.max(a, axis=-1, keepdims=True), np.random.default_rng(5).random((2, 3, 1))
    total = np.full(a.shape, 0.5)
    add(total, g, y, a)
    equal = a == y
    np.testing.assert_allclose(total, 0.5 + g * equal / equal.sum(axis=-1, keepdims=True), rtol=1e-15)
