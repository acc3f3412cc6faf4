"""What `is` between numbers, booleans and arrays means in Python is kept, or refused."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax

MODES = pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
X = np.array([0.5, 2.0, 3.0])


def numpys_true(x):
    total = 0.0
    for v in x:
        total += v * v if (v > 1.0) is True else v
    return total


def numpys_true_matched(x):
    total = 0.0
    for i, v in enumerate(x):
        match (i % 2, v > 1.0):
            case (0, True):
                total += v
            case _:
                total += v * v
    return total


def same_element(x):
    return x[0] if x[0] is x[0] else x[1]


def same_array(x):
    y = x[:]
    return np.sum(x) if y is x else np.sum(x * x)


def same_number(x, n):
    total = 0.0
    for i in range(3):
        total += x[i] if i is n else x[i] * x[i]
    return total


def pythons_own(x, flag):
    total = 0.0
    for i in range(x.size):
        is_large = bool(x[i] > 1.0)
        if is_large is True:
            total += x[i] ** 2
        if (not is_large) is True:
            total += x[i]
        if (i in (0, 2)) is False:
            total += x[i] ** 3
        if flag is not False:
            total += 2.0 * x[i]
    return total


def none_or_flag(x, flag=None):
    if flag is None:
        return np.prod(x)
    return np.sum(x) if flag is True else np.sum(x * x)


@MODES
@pytest.mark.parametrize(
    ("program", "others"),
    [(numpys_true, ()), (numpys_true_matched, ()), (same_element, ()), (same_array, ()), (same_number, (1,))],
)
def test_identity_of_numbers_and_arrays_is_refused(program, others, jit):
    with pytest.raises(UnsupportedSyntax, match="`is` asks whether numbers or arrays are one object") as refusal:
        srcad.value_and_grad(program, jit=jit)(X, *others)
    assert refusal.value.at.file == __file__


@MODES
@pytest.mark.parametrize(
    ("program", "others", "slopes"),
    [
        (pythons_own, (True,), [3.0, 18.0, 8.0]),
        (pythons_own, (False,), [1.0, 16.0, 6.0]),
        (none_or_flag, (), [6.0, 1.5, 1.0]),
        (none_or_flag, (True,), [1.0, 1.0, 1.0]),
        (none_or_flag, (False,), [1.0, 4.0, 6.0]),
    ],
)
def test_identity_of_pythons_booleans_and_of_none_is_known(program, others, slopes, jit):
    value, slope = srcad.value_and_grad(program, jit=jit)(X.copy(), *others)
    assert np.isclose(value, program(X, *others), rtol=1e-14)
    assert np.allclose(slope, slopes, rtol=1e-14)
