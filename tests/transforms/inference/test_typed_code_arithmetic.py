"""What ran as Python, as its integers ask for, is not compiled around calls of Python either."""

import numpy as np
import pytest
from numba import types as nb

from srcad.driver.result_precision import of_kind
from srcad.runtime.jit import islands
from srcad.runtime.jit.islands import Islands
from srcad.transforms.inference.typed_code_arithmetic import computes_otherwise


def joined(a):
    k = 3
    if a[0] > 5:
        k = a[0]
    return k + 0.5


def chosen(a):
    return min(a[0], 1000) * 2


def joined_booleans(a):
    found = a[0] > 5
    for i in range(a.size):
        found = found + (a[i] > 5)
    return found


def factorial(a):
    f = 1
    for k in range(1, a.size):
        f *= k
    return f


def power(a):
    return a.size**3


def masked(a):
    return np.sum(a[a > 3])


def signs(a):
    return np.sum(np.sign(a))


def counted(a):
    s = 0
    for i in range(a.size):
        s += a[i * 2 % a.size] + (a[i] > 3)
    return s, a.size**2, a[0] & 3


VECTOR, BYTES = nb.int64[::1], nb.uint8[::1]


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (joined, BYTES),
        (chosen, BYTES),
        (joined_booleans, VECTOR),
        (factorial, VECTOR),
        (power, VECTOR),
        (masked, nb.int64[:, ::1]),
        (signs, nb.uint64[::1]),
        (counted, BYTES),
    ],
)
def test_what_numba_computes_otherwise_is_found(function, kind):
    assert computes_otherwise(function, (kind,))


@pytest.mark.parametrize("function", [joined, masked, signs, counted])
def test_what_is_the_same_is_left(function):
    assert not computes_otherwise(function, (VECTOR,))


TEXT = """
def f(x, a):
    s = 0
    for i in range(a.size):
        s = s + a[i]
    return foreign(x) * s
"""


@pytest.mark.compiled
def test_functions_that_loop_stay_python_where_their_integers_differ(monkeypatch):
    monkeypatch.setattr(islands, "WORTHWHILE", 1)
    (routine,) = Islands(TEXT, ("f",), {"foreign": abs}, {}, of_kind, computes_otherwise).routines()
    a = np.array([200, 100, 30], np.uint8)
    with np.errstate(over="ignore"):
        assert [routine(2.0, a) for _ in range(3)] == [2.0 * ((200 + 100 + 30) % 256)] * 3
    assert [*routine.compiled.values()] == [None]
