"""Short integers and booleans have the types that NumPy gives them, or the code runs uncompiled."""

import warnings

import numpy as np
import pytest

import srcad

pytestmark = pytest.mark.compiled
X = np.array([0.5, -1.2, 2.0, 0.3])
INTEGERS = [
    np.array([100, -2, 50, 1], dtype=np.int8),
    np.array([3, 200, 5, 40], dtype=np.uint8),
    np.array([30000, -5, 2, 1], dtype=np.int16),
    np.array([70000, -2, 5, 1], dtype=np.int32),
    np.array([3, 2**63, 5, 40], dtype=np.uint64),
    np.array([3, -2, 5, 40]),
]


def products(x, k):
    return np.sum(x * (k * 3)) + x[0] * (k[0] * 2)


def sums(x, k):
    return np.sum(x * (k + k)) + np.sum(x * (k + 100)) + x[1] * (k[1] - 1)


def squares(x, k):
    return np.sum(x * k**2) + x[0] * k[0] ** 2 + x[1] * pow(k[1], 2)


def roots(x, k):
    return np.sum(x * np.sqrt(np.abs(k))) + np.sum(x * np.sign(k))


def quotients(x, k):
    return np.sum(x * (k / 2)) + np.sum(x * (k // 2)) + np.sum(x * (k % 3)) + np.sum(x * (k * 0.5))


def as_floats(x, k):
    w = k.astype(float) / 255.0
    return np.sum(x * w) + np.sum(x[1:] * np.diff(w))


def counted(x, k):
    s = 0.0
    for i in range(k.size - 1):
        for j in range(k[i] % 3, k[i] % 3 + 1):
            s += x[j] * x[i]
    return s


PROGRAMS = [products, sums, squares, roots, quotients, as_floats, counted]


@pytest.mark.parametrize("k", INTEGERS, ids=lambda k: k.dtype.name)
@pytest.mark.parametrize("program", PROGRAMS)
def test_values_and_gradients_are_those_of_numpy(program, k):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, slope = srcad.value_and_grad(program)(X.copy(), k)
        expected = program(X, k)
        direction = np.array([0.3, -1.0, 0.7, 0.2])
        change = (program(X + 1e-4 * direction, k) - program(X - 1e-4 * direction, k)) / 2e-4
    assert np.isclose(value, expected, rtol=1e-12)
    assert np.isclose(slope @ direction, change, rtol=1e-6, atol=1e-6 * np.max(np.abs(slope)))


@pytest.mark.parametrize("program", [as_floats, counted])
def test_short_integers_that_are_converted_or_counted_with_stay_compiled(program):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        srcad.grad(program)(X, INTEGERS[0] if program is as_floats else INTEGERS[3])


def test_sums_of_32_bit_integers_stay_compiled():
    def differences(x, rows):
        s = 0.0
        for i in range(rows.size - 1):
            for j in range(rows[i], rows[i + 1] - 1):
                s += x[j] * x[rows[i] + 1]
        return s

    rows = np.array([0, 2, 3], dtype=np.int32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, _ = srcad.value_and_grad(differences)(X, rows)
    assert np.isclose(value, differences(X, rows))


def converted(x, k):
    return x[0] * (int(k[1]) * 2) + x[1] * (int(k[0]) * int(k[0])) + x[2] * (abs(int(k[1])) + 300) + x[3] * float(k[1])


def beyond(x, k):
    return x[0] * np.sum(k + 300)


def negative(x, k):
    return x[0] * 2 ** k[1]


@pytest.mark.parametrize("k", INTEGERS[:4] + INTEGERS[5:], ids=lambda k: k.dtype.name)
def test_int_makes_integers_of_python(k):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        value, slope = srcad.value_and_grad(converted)(X.copy(), k)
    one, other = int(k[0]), int(k[1])
    assert np.isclose(value, converted(X, k), rtol=1e-14)
    assert np.allclose(slope, [other * 2, one * one, abs(other) + 300, other])


@pytest.mark.parametrize("program", [beyond, negative])
def test_what_numpy_refuses_is_refused(program):
    k = INTEGERS[0]
    with pytest.raises((OverflowError, ValueError)):
        program(X, k)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((OverflowError, ValueError)):
            srcad.grad(program)(X, k)


def joined(x, k):
    n = 3
    if x[0] > 0.0:
        n = k[1]
    return x[0] * (n * 2) + x[1] * (n + n)


def joined_truth(x, k):
    n = 1
    if x[0] > 0.0:
        n = k[1] > 100
    return x[0] * (n + n) + x[1] * (True + (k[1] > 100))


def chosen(x, k):
    largest = 0
    for each in k:
        largest = max(largest, each)
    x = x * (min(k[1], 1000) * 2 + largest * 2)
    return np.sum(x * (np.where(k > 100, k, 1) * 2)) + np.sum(x * (np.einsum("i,i", k, k) + 0))


def of_truth(x, k):
    return np.sum(x * ((k > 100) + (k > 10))) + x[0] * (+k[1] * 2)


def inserted(x, k):
    return np.sum(np.insert(k, 1, x[0] * 5.7)) * x[1] + x[0] * np.sum(np.insert(k, 0, 3) * 2)


def doubled(k, n):
    return k if n == 0 else doubled(k * 2, n - 1)


def in_calls(x, k):
    return x[0] * doubled(k[1], 2) + x[1] * doubled(3, 2)


@pytest.mark.parametrize("program", [joined, joined_truth, chosen, of_truth, inserted, in_calls])
def test_short_integers_keep_their_type_in_branches_and_calls(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, slope = srcad.value_and_grad(program)(X.copy(), INTEGERS[1])
        assert np.isclose(value, program(X, INTEGERS[1]), rtol=1e-12)
        for i in range(X.size):
            step = 1e-4 * (np.arange(X.size) == i)
            change = (program(X + step, INTEGERS[1]) - program(X - step, INTEGERS[1])) / 2e-4
            assert np.isclose(slope[i], change, rtol=1e-6, atol=1e-6)
