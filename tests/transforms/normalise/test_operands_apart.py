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


def with_integers(x):
    k = np.arange(4)
    k += k[::-1]
    k[1:] -= k[:-1]
    return np.sum(x[k % 4] * np.arange(4.0))


def with_floats(x):
    b = np.outer(x, x)
    b *= b[0]
    return np.sum(b)


@pytest.mark.parametrize(("function", "without"), [(with_integers, ()), (with_floats, ("elementwise_fusion",))])
def test_array_statements_of_derivatives_are_read_before_they_are_written(function, without):
    made = pipeline.derive(prepare(function), "value_and_grad", (0,), (types.float64[::1],), without=without)
    stores = [line.strip() for line in made.text.splitlines() if "[...] " in line and "= " in line]
    assert stores
    assert not any(line.endswith(("k[::-1]", "b[0]")) for line in stores)
    x = np.array([0.5, 1.3, -0.7, 0.4])
    assert srcad.value_and_grad(function, jit=False)(x)[0] == pytest.approx(function(x))


@pytest.mark.nightly
def test_compiled_derivatives_with_integers_give_what_python_gives():
    x = np.array([0.5, 1.3, -0.7, 0.4])
    value, slope = srcad.value_and_grad(with_integers)(x)
    assert value == pytest.approx(with_integers(x))
    np.testing.assert_allclose(slope, srcad.grad(with_integers, jit=False)(x), rtol=1e-14)


def halved(b, n):
    if n == 0:
        return np.sum(b * b)
    c = b * 0.5
    c[1:] += c[:-1]
    return halved(c, n - 1)


def by_a_function_that_calls_itself(m):
    return halved(m, 2)


def test_a_function_that_is_called_and_would_need_copies_is_not_compiled():
    m = np.arange(1.0, 10.0).reshape(3, 3)
    with pytest.warns(srcad.PerformanceWarning, match="in place by its own elements"):
        value = srcad.function(by_a_function_that_calls_itself)(m)
    assert value == pytest.approx(by_a_function_that_calls_itself(m))
