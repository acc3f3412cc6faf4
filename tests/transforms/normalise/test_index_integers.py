"""Bounds of loops and subscripts of short or unsigned types count as Python's integers do."""

import warnings

import numpy as np
import pytest

import srcad
from srcad.driver.pipeline import derive, prepare
from srcad.errors import PerformanceWarning
from srcad.tools.type_signatures import parse_signature

X = np.array([0.5, -1.2, 2.0, 0.3])
DTYPES = [np.uint8, np.uint64, np.int8, np.int16, np.uint32, np.int32, np.int64]


def from_zero(x, k):
    s = 0.0
    for i in range(k.size):
        for j in range(k[i], k[i] + 2):
            s += x[j] * x[i]
    return s


def until(x, k):
    s = 0.0
    for i in range(k.size):
        for j in range(k[i]):
            s += x[j] * x[i] + x[k[i]] ** 2
    return s


def slices(x, k):
    s = 0.0
    for i in range(k.size):
        s += np.sum(x[k[i] :] ** 2) * x[k[i]] + np.sum(x[: k[i]] * x[0])
    return s


def written(x, k):
    y = x.copy()
    for i in range(k.size):
        y[k[i]] *= x[i]
        y[k[i] :] += x[k[i]]
    return np.sum(y * y)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("program", [from_zero, until, slices, written])
def test_gradients_are_those_for_integers_of_64_bits(program, dtype, jit):
    k = np.array([0, 2, 1, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)  # Numba mixes uint64 and int64 to floats
        value, slope = srcad.value_and_grad(program, jit=jit)(X.copy(), k.astype(dtype))
    steps = np.eye(X.size) * 1e-6
    expected = [(program(X + each, k) - program(X - each, k)) / 2e-6 for each in steps]
    assert np.isclose(value, program(X, k), rtol=1e-14)
    assert np.allclose(slope, expected, rtol=1e-7, atol=1e-7)


def text(function, signature, mode):
    return derive(prepare(function), mode, (0,) if mode != "core" else (), parse_signature(signature)).text


def test_only_short_and_unsigned_integers_are_converted():
    assert "np.int64(" in text(until, "f8[::1], u1[::1]", "grad")
    assert "np.int64(" not in text(until, "f8[::1], i4[::1]", "grad")
    assert "np.int64(" not in text(until, "f8[::1], i8[::1]", "grad")
