"""Numbers of lanes in compiled code are computed with lane by lane, and numbers of Python are spread over the lanes."""

import numba
import numpy as np
import pytest
from numba.core import types
from numba.core.typeconv import Conversion

from srcad.runtime.kernels import directions
from srcad.runtime.kernels.directions.lane_numbers import LANES, Lanes

WIDTH = directions.WIDTH


def arithmetic(rows, k, n):
    a, b = directions.of_rows(rows[0]), directions.of_rows(rows[1])
    t = 0.0
    for _ in range(n):
        t += k * a - n * b / 4.0
        t *= 2
        t -= -a
        t /= k
    if directions.any_nonzero(t - t):
        t = directions.spread(np.nan)
    kept = directions.strong_product(a, np.inf, 2.0) + directions.strong_quotient(a, 0.0)
    return directions.rows_of(t), directions.rows_of(kept), directions.any_nonzero(a)


@pytest.mark.compiled
def test_compiled_lanes_are_what_plain_python_has():
    rows = np.arange(2.0 * WIDTH).reshape(2, WIDTH)
    compiled = numba.njit(error_model="numpy")(arithmetic)
    with np.errstate(all="ignore"):
        for found, expected in zip(compiled(rows, 0.5, 3), arithmetic(rows, 0.5, 3), strict=True):
            np.testing.assert_array_equal(found, expected)
    assert not compiled(0.0 * rows, 0.5, 3)[2]
    assert compiled(np.nan * rows, 0.5, 3)[2]


def test_numbers_become_lanes_and_nothing_else_does():
    assert Lanes() == LANES
    for kind in (types.float64, types.int64, types.float32):
        assert LANES.can_convert_from(None, kind) == Conversion.safe
        assert LANES.unify(None, kind) == LANES
    for kind in (types.complex128, types.boolean, types.float64[:]):
        assert LANES.can_convert_from(None, kind) is None
        assert LANES.unify(None, kind) is None
