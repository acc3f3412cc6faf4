"""Adjoint kernels against finite differences, emulated, for two orders of the threads of each block."""

import numpy as np
import pytest

from tests.cuda.differentiated import check, pulled_back, text_of
from tests.cuda.kernels import SAMPLES, in_float32


@pytest.mark.parametrize("name", SAMPLES)
def test_adjoint_agrees_with_differences(name):
    kernel, grid, threads, arguments, options = SAMPLES[name]
    check(kernel, grid, threads, arguments, **options)


def test_float32_agrees_with_float64():
    x, seed = np.linspace(0.5, 1.5, 8), np.linspace(-1.0, 1.0, 8)
    arguments = [x, np.zeros(8), 1.5]
    found = {}
    for dtype in (np.float32, np.float64):
        given = [each.astype(dtype) if isinstance(each, np.ndarray) else each for each in arguments]
        bars = {0: np.zeros(8, dtype), 1: seed.astype(dtype), 2: np.zeros(1)}
        pulled_back(text_of(in_float32, given), 2, 4, given, bars)
        assert bars[0].dtype == dtype
        found[dtype] = np.concatenate([bars[0], bars[2]])
    np.testing.assert_allclose(found[np.float32], found[np.float64], rtol=1e-5)
