"""Effects in compiled code: Python is called with copies of arrays, and what it raises is raised."""

import numba
import numpy as np
import pytest

from srcad.runtime import kernels
from srcad.runtime.kernels.recording.effect_calls import as_effect, is_effect_function


@pytest.mark.compiled
def test_compiled_code_calls_python():
    seen = []

    def act(*values):
        if not values:
            raise KeyError("nothing")
        seen.append(values)

    note = as_effect(act)

    @numba.njit
    def f(x, a, empty):
        kernels.effect(note, x, a)
        a[0] = 7.0
        if empty:
            kernels.effect(note)
        return x

    a = np.zeros(2)
    assert f(2.0, a, False) == 2.0
    (given,) = seen
    assert given[0] == 2.0
    assert given[1].tolist() == [0.0, 0.0]
    with pytest.raises(KeyError, match="nothing"):
        f(2.0, a, True)
    assert is_effect_function(note)
    assert not is_effect_function(act)
