"""Sorted values and places are those of NumPy, with NaN last and equal elements in their order."""

import numpy as np
import pytest
from numba import njit

from srcad.runtime.jit.fast_compiler_pipeline import Quick
from srcad.runtime.kernels.arrays.sorting import BLOCK, RUN, sorted_places

SIZES = (0, 1, 2, RUN, RUN + 1, 2 * RUN + 1, 1000, BLOCK, BLOCK + 1, 3 * BLOCK + 5)


@njit(pipeline_class=Quick)
def both(a):
    return np.sort(a), sorted_places(a)


def test_the_last_merge_of_a_block_leaves_it_where_it_was():
    merges = (BLOCK // RUN).bit_length() - 1
    assert RUN << merges == BLOCK
    assert merges % 2 == 0


@pytest.mark.compiled
@pytest.mark.parametrize("size", SIZES)
def test_values_and_places(size):
    rng = np.random.default_rng(size)
    ties = np.round(rng.normal(size=size))
    gaps = np.where(rng.random(size) < 0.3, np.nan, rng.normal(size=size))
    down = np.arange(float(size))[::-1]
    for a in (rng.normal(size=size), ties, gaps, down, gaps[::-2].copy()):
        values, places = both(a)
        np.testing.assert_array_equal(values, np.sort(a))
        np.testing.assert_array_equal(places, np.argsort(a, kind="stable"))
