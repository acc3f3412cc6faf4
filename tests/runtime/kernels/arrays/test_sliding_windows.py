"""Derivatives of sliding windows are compiled."""

import warnings

import numpy as np
import pytest

import srcad


@pytest.mark.compiled
def test_gradients_of_windows_are_compiled():
    def product(x):
        windows = np.lib.stride_tricks.sliding_window_view(x, 2)
        return np.sum(windows[:, 0] * windows[:, 1] ** 2)

    with warnings.catch_warnings():
        warnings.simplefilter("error", srcad.PerformanceWarning)
        gradient = srcad.grad(product)(np.arange(4.0))
    np.testing.assert_array_equal(gradient, [1.0, 4.0, 13.0, 12.0])
