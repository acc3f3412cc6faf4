"""Extents are those of Python's slices, compiled as well; those that differ raise."""

import numba
import pytest

from srcad.runtime import kernels
from srcad.runtime.support.assumption_errors import Widens

BOUNDS = (-9, -4, -1, 0, 1, 3, 4, 7)


@pytest.mark.compiled
def test_extents_of_slices_are_those_of_python():
    @numba.njit
    def found(extent, start, stop):
        return kernels.slice_extent(extent, start, stop)

    for extent in (0, 1, 4):
        for start in BOUNDS:
            for stop in BOUNDS:
                expected = len("abcd"[:extent][start:stop])
                assert kernels.slice_extent(extent, start, stop) == found(extent, start, stop) == expected


@pytest.mark.compiled
def test_extents_that_differ_raise():
    @numba.njit
    def checked(a, b):
        kernels.same_extent(a, b)
        return a

    assert checked(3, 3) == 3
    with pytest.raises(Widens, match="shapes differ"):
        checked(3, 1)
    with pytest.raises(Widens, match="shapes differ"):
        kernels.same_extent(3, 1)


@pytest.mark.compiled
def test_loops_that_are_not_entered_raise():
    @numba.njit
    def checked(is_entered):
        kernels.require_iteration(is_entered)
        return 1

    assert checked(True) == 1
    for call in (checked, kernels.require_iteration):
        with pytest.raises(Widens, match="no iteration"):
            call(False)


@pytest.mark.compiled
def test_extents_that_are_not_what_code_was_generated_for_raise():
    @numba.njit
    def checked(a, b):
        kernels.unit_extent(a)
        kernels.least_extent(b, 3)
        return b

    assert checked(1, 3) == 3
    for one, other in ((0, 3), (2, 3), (1, 2)):
        with pytest.raises(Widens, match="shapes differ"):
            checked(one, other)
