"""Functions whose compiled form stores into an array that the calling code allocates."""

import numba
import numpy as np
import pytest
from numba import types
from numba.extending import overload

from srcad.runtime.kernels.linear_algebra.stored_results import stored_by


def scaled(a, factor):
    return a * factor


def store_scaled(out, a, factor, is_negative):
    out[...] = -a * factor if is_negative else a * factor
    return True


def store_scaled_otherwise(out, a, factor, is_negative):
    out[...] = np.full(a.shape, 7.0)


@overload(store_scaled, jit_options={"_nrt": False})
def _store_scaled(out, a, factor, is_negative):
    def impl(out, a, factor, is_negative):
        if factor > 100.0:
            return False
        if factor == 0.0:
            raise ZeroDivisionError("no factor")
        for i in range(a.shape[0]):
            out[i] = -a[i] * factor if is_negative else a[i] * factor
        return True

    return impl


@overload(store_scaled_otherwise)
def _store_scaled_otherwise(out, a, factor, is_negative):
    def impl(out, a, factor, is_negative):
        out[:] = np.full(a.shape, 7.0)

    return impl


def type_of(a, factor):
    return types.Array(a.dtype, 1, "C") if isinstance(a, types.Array) and isinstance(factor, types.Float) else None


stored_by(scaled, store_scaled, type_of, lambda builder, a, factor: a, (True,), store_scaled_otherwise)


@pytest.mark.compiled
def test_results_refusals_and_errors():
    @numba.njit
    def run(a, factor):
        total = np.zeros(a.shape[0])
        for _ in range(3):
            total += scaled(a, factor)
        return total

    a = np.arange(6.0)
    np.testing.assert_array_equal(run(a[::2], 2.0), [0.0, -12.0, -24.0])
    np.testing.assert_array_equal(run(a, 200.0), np.full(6, 21.0))
    assert run(a[:0], 2.0).shape == (0,)
    with pytest.raises(ZeroDivisionError, match="no factor"):
        run(a, 0.0)
