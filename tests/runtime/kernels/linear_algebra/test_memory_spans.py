"""Arrays in one memory: the bounds of what they reach, for any strides."""

import numba
import numpy as np
import pytest

from srcad.runtime.kernels.linear_algebra.memory_spans import may_overlap

COMPILED = numba.njit(lambda a, b: may_overlap(a, b))  # noqa: PLW0108 - Numba compiles it


@pytest.mark.parametrize("is_compiled", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_bounds_of_memory(is_compiled):
    check, x = COMPILED if is_compiled else may_overlap, np.zeros((4, 6))[::1, ::2]
    pairs = {
        (0, 2): (x[:2], x[2:]),
        (1, 1): (x[:2], x[1:]),
        (1, 2): (x[::-1], x[3:]),
        (0, 3): (x[:2, ::-1], x[2:, ::-1]),
        (0, 4): (x[:0], x),
        (0, 5): (x, np.zeros((4, 6))[:, ::2]),
    }
    for (expected, _), (a, b) in pairs.items():
        assert check(a, b) == check(b, a) == bool(expected)
