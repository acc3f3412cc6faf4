"""NumPy's shape functions in Numba: what Numba lacks, or raises for when it runs."""

import numba
import numpy as np
import pytest

import srcad

M = np.arange(1.0, 13.0).reshape(3, 4)


@pytest.mark.compiled
def test_gradients_of_reshaped_arrays_that_are_not_in_c_order_are_compiled(recwarn):
    def f(m):
        return np.sum(m.T.reshape(-1)[1:] * np.swapaxes(m, 0, 1).reshape(2, 6)[1, 0] * m[:, ::2].reshape(6)[0])

    bar = srcad.grad(f)(M)
    assert not recwarn.list
    step = 1e-6 * np.cos(M)
    assert np.sum(bar * step) == pytest.approx((f(M + step) - f(M - step)) / 2.0)


@pytest.mark.compiled
@pytest.mark.parametrize("shape", [(5,), (4, 3), (2, 3, 4), (0, 3), (3, 0, 2)])
def test_arrays_are_rolled_along_each_axis_by_any_shift(shape):
    @numba.njit
    def roll(a, shift, axis):
        return np.roll(a, shift, axis)

    a = np.arange(float(np.prod(shape))).reshape(shape)
    for axis in range(-len(shape), len(shape)):
        for shift in (-7, -1, 0, 1, 2, 9):
            for each in (a, np.asfortranarray(a), a[::-1]):
                np.testing.assert_array_equal(roll(each, shift, axis), np.roll(each, shift, axis))


@pytest.mark.compiled
def test_rows_are_taken_by_matrices_of_indices():
    # Numba's own version takes the indices for a vector: it raises, or drops an axis of length 1.
    @numba.njit
    def take(a, k):
        return np.take(a, k, axis=0)

    for columns, k in ((4, np.array([[0, -1, 2], [1, 1, 0]])), (1, np.array([[2], [1]]))):
        np.testing.assert_array_equal(take(M[:, :columns].copy(), k), np.take(M[:, :columns], k, axis=0))


@pytest.mark.compiled
def test_products_of_short_integers_repeats_and_sets_of_nan_are_numpys():
    short = (np.arange(6) + 250).astype(np.uint8).reshape(2, 3)
    nans = np.array([2.0, np.nan, 1.0, np.nan])

    def f(t, short, counts, nans):
        return np.cumprod(short, axis=1) * t, np.repeat(short, counts, axis=0) * t, np.unique(nans) * t

    args = (0.5, short, np.array([2]), nans)
    for found, expected in zip(srcad.vjp(f, *args, wrt=(0,))[0], f(*args), strict=True):
        np.testing.assert_array_equal(found, expected)
