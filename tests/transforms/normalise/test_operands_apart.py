"""What an operator in place reads of its own array is read before it is written, in compiled functions as in Python."""

import numpy as np
import pytest
from numba import types

import srcad
from srcad.driver import pipeline
from srcad.frontend.lower import prepare

MATRIX = types.float64[:, ::1]


def by_transpose(m, v):
    b = m * 2.0
    b += b.T
    return b


def by_first_row(m, v):
    b = m * 2.0
    b *= b[:1]
    return b


def by_rows_before(m, v):
    b = m * 2.0
    b[1:] += b[:-1]
    return b


def by_itself(m, v):
    b = m * 2.0
    b += b
    return b


def by_others(m, v):
    b = m * 2.0
    b += m
    b[1:] *= v
    b -= m.T * v
    b[0, 0] += v[0]
    return b


@pytest.mark.parametrize(
    ("function", "count"), [(by_transpose, 1), (by_first_row, 1), (by_rows_before, 1), (by_itself, 0), (by_others, 0)]
)
def test_only_what_shares_memory_is_copied(function, count):
    made = pipeline.derive(prepare(function), "core", (), (MATRIX, types.float64[::1]))
    assert made.text.count("np.copy(") == count


def by_its_own_parts(m):
    b = m.copy()
    b += b.T
    b /= b[:, :1]
    b[1:] += b[:-1]
    b -= b[0]
    return b


@pytest.mark.compiled
def test_compiled_functions_give_what_python_gives():
    m = np.arange(1.0, 10.0).reshape(3, 3)
    np.testing.assert_allclose(srcad.function(by_its_own_parts)(m), by_its_own_parts(m), rtol=1e-14)
