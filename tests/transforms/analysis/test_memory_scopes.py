"""Arrays that certainly share no memory have no scope in common; all others have."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.analysis.memory_scopes import memory_scopes
from srcad.transforms.ir.code import code_of

TEXT = """
def f(x, y, n, trace):
    a = np.zeros_like(x)
    b = np.empty(n)
    v = a[1:]
    w = v if n > 3 else y
    d = trace.d
    c = b
    if n > 2:
        c = x * 2.0
    t = kernels.transpose_times(a, b)
    u = helper(x)
    g = helper(n)
    z = np.reshape(b, (n, 1))
    for i in range(n):
        own = np.empty(3)
        b[i] = own[0]
    b += x
    return a
"""
KINDS = dict.fromkeys(("x", "y", "a", "b", "v", "w", "c", "own"), nb.float64[::1]) | {"n": nb.int64}


def scopes():
    return memory_scopes(code_of(TEXT.strip(), KINDS))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("a", "b", True),
        ("a", "x", True),
        ("x", "y", False),
        ("x", "d", False),
        ("v", "a", False),
        ("v", "b", True),
        ("w", "a", False),
        ("w", "x", False),
        ("w", "b", True),
        ("c", "b", False),
        ("c", "a", True),
        ("t", "a", True),
        ("u", "x", False),
        ("z", "b", False),
        ("own", "b", True),
    ],
)
def test_scopes(one, other, apart):
    found = scopes()
    assert set(found[one]).isdisjoint(found[other]) == apart


def test_what_an_unknown_function_returns_may_be_the_callers():
    assert 0 in scopes().get("g", (0,))
    assert 0 in scopes()["u"]


def overlapping(x, y, n):
    z = x.copy()
    for i in range(1, n):
        z[i] = z[i - 1] * x[i] + y[i]
    return np.sum(z * y)


@pytest.mark.compiled
def test_arrays_of_the_caller_may_be_one_array_or_views_of_one():
    whole = np.linspace(0.2, 1.4, 40)
    gradient = srcad.grad(overlapping, wrt=(0, 1))
    plain = srcad.grad(overlapping, wrt=(0, 1), without="memory_scopes")
    for x, y in ((whole, whole), (whole[:-1], whole[1:]), (whole[::2], whole[1::2]), (whole[::-1], whole)):
        for found, expected in zip(gradient(x, y, 15), plain(x.copy(), y.copy(), 15), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-14)
