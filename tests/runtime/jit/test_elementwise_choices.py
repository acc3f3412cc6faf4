"""`np.where` and `np.clip` give what NumPy gives, for all types, shapes, and NaN."""

import itertools

import numpy as np
import pytest
from numba import njit

from srcad.runtime.jit.fast_compiler_pipeline import Quick

SQUARE = np.arange(9.0).reshape(3, 3) - 4.0
ODD = np.array([np.nan, -0.0, np.inf, -np.inf, 0.3, 2.0, -2.0])


@njit(pipeline_class=Quick)
def where(c, x, y):
    return np.where(c, x, y)


@njit(pipeline_class=Quick)
def clip(a, low, high):
    return np.clip(a, low, high)


def same(found, expected):
    np.testing.assert_array_equal(found, expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.flags.writeable


@pytest.mark.compiled
@pytest.mark.parametrize(
    "arguments",
    [
        (SQUARE > 0, SQUARE, 0.0),
        (SQUARE > 0, 1, SQUARE),
        (SQUARE[0] > 0, SQUARE.T, SQUARE[::-1, ::2][:, :1]),
        (np.array([0, 1, 2]), np.arange(3), np.array([True, False, True])),
        (SQUARE.T < 0, SQUARE.T, 1j),
        (SQUARE[:0] < 0, SQUARE[:0], 1.0),
        (ODD > 0, ODD, 1.0),
    ],
)
def test_where(arguments):
    same(where(*arguments), np.where(*arguments))


@pytest.mark.compiled
def test_where_of_numbers_and_of_shapes_that_do_not_fit():
    assert where(True, 1.5, 2.5) == 1.5
    with pytest.raises(ValueError, match="broadcast"):
        where(SQUARE > 0, SQUARE[:, :2], 1.0)


@pytest.mark.compiled
def test_clip():
    bounds = (-1.0, 0.0, 0.5, np.nan)
    for low, high in itertools.product(bounds, repeat=2):
        same(clip(ODD, low, high), np.clip(ODD, low, high))
        same(clip(ODD, np.full(7, low), high), np.clip(ODD, np.full(7, low), high))
    for given in ((SQUARE, SQUARE[0], SQUARE[:, ::2][:, :1]), (SQUARE.T, -1, 2), (SQUARE, None, 1.0)):
        same(clip(*given), np.clip(*given))
    single = ODD.astype(np.float32)
    same(clip(single, 0.25, 1.0), np.clip(single, 0.25, 1.0))
