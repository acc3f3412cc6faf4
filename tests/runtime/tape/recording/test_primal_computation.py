"""How calls are computed: as NumPy does, bit by bit."""

import numpy as np
import pytest

from srcad.runtime.tape.recording.primal_computation import computed_by

V = np.array([0.3, 1.7, -0.2])


@pytest.mark.parametrize("function", [np.sum, np.mean, np.prod, np.max, np.min, np.cumsum, np.cumprod])
@pytest.mark.parametrize("given", [V, np.outer(V, V), V.astype("float32"), np.arange(4), np.array([True, False])])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_results_are_numpys(function, given, axis):
    found, expected = computed_by(function)(given, axis), function(given, axis)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
