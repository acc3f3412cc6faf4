"""NumPy's shape functions in Numba: what Numba lacks, or raises for when it runs."""

import numpy as np
import pytest

import srcad

M = np.arange(1.0, 13.0).reshape(3, 4)


@pytest.mark.compiled
def test_gradients_of_reshaped_arrays_that_are_not_in_c_order_are_compiled(recwarn):
    def f(m):
        return np.sum(m.T.reshape(-1)[1:] * np.swapaxes(m, 0, 1).reshape(2, 6)[1, 0] * m[:, ::2].reshape(6)[0])

    bar = srcad.grad(f)(M)
    assert not recwarn.list
    step = 1e-6 * np.cos(M)
    assert np.sum(bar * step) == pytest.approx((f(M + step) - f(M - step)) / 2.0)
