"""Modified Bessel functions are those of SciPy, of all orders and sizes, and have the type of their argument."""

import numpy as np
import pytest
import scipy.special

from srcad.runtime import kernels

POINTS = np.array([-200.0, -31.0, -30.0, -1.5, 0.0, 1e-3, 0.7, 8.0, 29.9, 30.1, 55.0, 700.0])


@pytest.mark.parametrize("n", [0, 1, 2, 5, 9])
def test_values_are_those_of_scipy(n):
    np.testing.assert_allclose(kernels.bessel_i(n, POINTS), scipy.special.iv(n, POINTS), rtol=2e-14)


def test_single_precision_stays():
    assert kernels.bessel_i(1, np.ones(2, np.float32)).dtype == np.float32


def test_infinite_arguments_end():
    assert kernels.bessel_i(0, np.inf) == np.inf
    assert np.isnan(kernels.bessel_i(0, np.nan))
