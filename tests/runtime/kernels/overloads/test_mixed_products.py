"""Products of arrays of two element types, compiled, are those of NumPy, and functions with them are compiled."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.errors import PerformanceWarning

COUNTS = np.array([[-1, 0], [1, -1], [0, 1]])
CHOSEN = np.array([True, False, True])
SINGLE = np.array([0.5, 2.0], np.float32)


def products(x):
    y = COUNTS @ x
    return CHOSEN @ y * np.dot(SINGLE, x) + np.vdot(COUNTS[1], x) * y[0]


def products_of_floats(x):
    y = COUNTS.astype(float) @ x
    return CHOSEN.astype(float) @ y * (SINGLE.astype(float) @ x) + np.sum(COUNTS[1] * x) * y[0]


@pytest.mark.compiled
def test_integers_floats_and_truth_values_are_multiplied():
    x = np.array([0.3, 0.8])
    with warnings.catch_warnings():
        warnings.simplefilter("error", PerformanceWarning)
        found = srcad.value_and_grad(products)(x)
    expected = srcad.value_and_grad(products_of_floats, jit=False)(x)
    np.testing.assert_allclose(found[0], products(x), rtol=1e-14)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-13)
