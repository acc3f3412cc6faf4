"""Functions that stand for NumPy's are called where the types are those that they are for."""

import numpy as np
import pytest
from numba import njit, types
from numba.extending import overload

from srcad.runtime.jit.fast_compiler_pipeline import Quick
from srcad.runtime.jit.numba_inference import infer
from srcad.runtime.jit.replaced_calls import in_place_of, replacement


@in_place_of(np.trace, 1, when=lambda a: a.dtype == types.float32)
def counted(a):
    return -1.0


@overload(counted)
def _counted(a):
    return lambda a: -1.0


def trace(a):
    return np.trace(a)


@pytest.mark.compiled
def test_other_types_are_left_to_numba_and_inference_compiles_nothing():
    assert replacement("numpy", "trace", 1) is not None
    assert replacement("numpy", "trace", 2) is None
    for kind, expected in ((np.float32, -1.0), (np.float64, 2.0)):
        matrix = np.eye(2, dtype=kind)
        assert infer(trace, (types.Array(types.float32 if expected < 0 else types.float64, 2, "C"),)).result
        assert njit(pipeline_class=Quick)(trace)(matrix) == expected
    assert njit(trace)(np.eye(2, dtype=np.float32)) == 2.0
