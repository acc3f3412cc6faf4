"""Range checks raise for the indices for which Python raises, compiled as well."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels

EXTENTS = (0, 1, 3)
INDICES = (*range(-5, 6), 10**15, -(10**15))


def raises(check, *args):
    try:
        check(*args)
    except IndexError as problem:
        return str(problem) == "x[i] is out of range (f.py:3)"
    return False


@numba.njit
def checked_index(index, extent):
    kernels.check_index(index, extent, "x[i] is out of range (f.py:3)")


@numba.njit
def checked_room(room, one, other):
    kernels.check_room(room, "x[i] is out of range (f.py:3)", (one, other))


@numba.njit
def checked_room_alone(room):
    kernels.check_room(room, "x[i] is out of range (f.py:3)")


@numba.njit
def checked_indices(indices, extent):
    kernels.check_indices(indices, extent, "x[i] is out of range (f.py:3)")


@pytest.mark.compiled
def test_an_index_is_in_range_where_it_is_one_of_a_list():
    for extent in EXTENTS:
        for index in INDICES:
            try:
                [0] * extent and ([0] * extent)[index]
                expected = extent == 0
            except IndexError:
                expected = True
            assert raises(checked_index, index, extent) == expected
            assert raises(checked_index.py_func, index, extent) == expected


@pytest.mark.compiled
@pytest.mark.parametrize("index", [2**64 - 1, 3])
def test_an_unsigned_index_does_not_count_from_the_end(index):
    assert raises(checked_index, np.uint64(index), 3)
    assert not raises(checked_index, np.uint64(2), 3)


@pytest.mark.compiled
def test_room_counts_only_where_all_that_is_needed_holds():
    for room in (-2, 0, 3):
        for one in (-1, 0, 2):
            for other in (-1, 0):
                expected = room < 0 and one >= 0 and other >= 0
                assert raises(checked_room, room, one, other) == expected
                assert raises(checked_room.py_func, room, one, other) == expected
        assert raises(checked_room_alone, room) == (room < 0)


@pytest.mark.compiled
@pytest.mark.parametrize("run", [checked_indices, checked_indices.py_func])
def test_all_indices_in_an_array_are_checked(run):
    for indices in ([], [0, 2, -3], [[1, 2], [-1, -2]]):
        assert not raises(run, np.array(indices, int), 3)
    for indices in ([3], [0, 1, -4], [[1, 2], [-1, 7]]):
        assert raises(run, np.array(indices), 3)
