"""Joins of arrays of several ranks and of numbers."""

import numba
import numpy as np
import pytest

from srcad.runtime.kernels.overloads import numpy_joins  # noqa: F401 - registers the overloads


@pytest.mark.compiled
def test_numbers_are_stacked():
    @numba.njit
    def stacked(x, y, axis):
        return np.stack((x, y)), np.stack((x, 2, y), axis)

    for given, axis in (((1.0, 2.0), 0), ((1.0, 2), -1)):
        two, three = stacked(*given, axis)
        np.testing.assert_array_equal(two, np.stack(given))
        np.testing.assert_array_equal(three, np.stack((given[0], 2, given[1]), axis))
    with pytest.raises(ValueError, match="axis is out of bounds"):
        stacked(1.0, 2.0, 1)
