"""What is told to a Numba that lacks it gives what NumPy gives, whether this Numba has it or not."""

import numba
import numpy as np
import pytest
from numba import types

from srcad.runtime.kernels.overloads import older_numba

CUBE = np.random.default_rng(1).normal(size=(3, 4, 2))
INDICES = {
    "pairs": (np.array([0, -1, 2]), np.array([3, 1, -4])),
    "broadcast": (np.array([[0], [2]]), np.array([3, 1, 0])),
    "with an integer": (1, np.array([[0, 1], [2, -1]])),
    "all axes": (np.array([0, 2]), 3, np.array([[1, 0]])),
    "one of two dimensions": np.array([[0, 1], [2, 2]]),
    "nothing": (np.array([], np.int64), np.array([1])),
    "unsigned": (np.array([0, 2], np.uint8), np.array([3, 1], np.uint64)),
}


def compiled(index, value=None):
    dims = older_numba.index_arrays(numba.typeof(CUBE), numba.typeof(index))
    return numba.njit(older_numba.function_of_elements(tuple(dims), isinstance(index, tuple), value))


@pytest.mark.compiled
@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_elements_are_taken_as_by_numpy(index):
    np.testing.assert_array_equal(compiled(index)(CUBE, index), CUBE[index])


@pytest.mark.parametrize("index", INDICES.values(), ids=INDICES)
def test_elements_are_stored_as_by_numpy(index):
    dims = older_numba.index_arrays(numba.typeof(CUBE), numba.typeof(index))
    store = {value: older_numba.function_of_elements(tuple(dims), isinstance(index, tuple), value) for value in VALUES}
    for value, made in VALUES.items():
        found, expected = CUBE.copy(), CUBE.copy()
        store[value](found, index, made(found, index))
        expected[index] = made(expected, index)
        np.testing.assert_array_equal(found, expected)


VALUES = {"number": lambda a, index: 7.0, "array": lambda a, index: 2.0 * a[index]}


@pytest.mark.compiled
def test_what_is_stored_may_be_a_part_of_the_same_array():
    k, m = np.array([1, 2, 0]), np.array([1, 2, 0])
    found, expected = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    compiled((k, m), "array")(found, (k, m), found[1])
    expected[k, m] = expected[1].copy()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "index", [(np.array([0, 3]), np.array([0, 0])), (np.array([0, 1]), np.array([-5, 0]))], ids=["high", "low"]
)
def test_an_index_that_is_out_of_range_is_an_index_error(index):
    take = older_numba.function_of_elements((1, 1), True)
    with pytest.raises(IndexError, match="out of bounds"):
        take(CUBE, index)


def test_index_arrays_that_do_not_fit_are_an_index_error():
    take = older_numba.function_of_elements((1, 1), True)
    with pytest.raises(IndexError, match="could not be broadcast together"):
        take(CUBE, (np.array([0, 1]), np.array([0, 1, 2])))


@pytest.mark.parametrize(
    "index",
    [types.int64, types.slice2_type, types.UniTuple(types.int64, 2), types.Array(types.boolean, 1, "C")],
    ids=str,
)
def test_other_indices_are_numbas(index):
    assert older_numba.index_arrays(numba.typeof(CUBE), index) is None


@pytest.mark.compiled
@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2])
@pytest.mark.parametrize("dtype", [np.float32, np.int32, np.complex128])
def test_cumulative_sums_along_an_axis_are_those_of_numpy(axis, dtype):
    a = (10.0 * CUBE).astype(dtype)
    found = numba.njit(older_numba._cumsum(numba.typeof(a), types.int64))(a, axis)
    expected = np.cumsum(a, axis)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-5)


@pytest.mark.compiled
@pytest.mark.parametrize("value", [2.5, 3, True, 1.0 + 2.0j])
def test_the_sum_of_a_number_is_the_number(value):
    found = numba.njit(older_numba._sum(numba.typeof(value)))(value)
    assert found == np.sum(value)


@pytest.mark.compiled
@pytest.mark.parametrize("axis", [0, 2, -1, -3])
def test_sums_along_an_axis_that_is_known_at_run_time_are_those_of_numpy(axis):
    found = numba.njit(older_numba._sum(numba.typeof(CUBE), types.int64))(CUBE, axis)
    np.testing.assert_allclose(found, np.sum(CUBE, axis))


@pytest.mark.compiled
@pytest.mark.parametrize("axis", [0, 1, -2])
def test_kept_dimensions_of_sums_are_kept(axis):
    found = numba.njit(lambda a: np.sum(a, axis=axis, keepdims=True))(CUBE)
    np.testing.assert_allclose(found, np.sum(CUBE, axis=axis, keepdims=True))
