"""Numbers that an element keeps are read there, unless it may have been overwritten."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient


def activations(x, n):
    h = np.empty(x.size)
    for i in range(x.size):
        h[i] = np.tanh(x[i])
    return np.sum(h * h) * n


def in_place(x, n):
    z = x.copy()
    for i in range(1, z.size):
        z[i] = np.exp(z[i]) / (1.0 + z[i - 1] ** 2)
        z[i] /= 2.0 + z[0]
    return np.sum(z * z) * n


def factor(x, n):
    a = np.outer(x, x) + 2.0 * np.eye(x.size)
    for j in range(x.size):
        for q in range(j):
            a[j, j] -= a[j, q] * a[j, q]
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, x.size):
            for q in range(j):
                a[i, j] -= a[i, q] * a[j, q]
            a[i, j] /= a[j, j]
    return n * np.log(a[1, 1]) + a[2, 0] * a[2, 1]


KEPT = [activations, factor]


def overwritten(x, n):
    h = np.empty(x.size)
    s = 0.0
    for t in range(n):
        for i in range(x.size):
            h[i] = np.tanh(x[i] + s * t)
            s += h[i] ** 2
    return s


def overwritten_at_once(x, n):
    h = np.empty(x.size)
    s = 0.0
    for i in range(x.size):
        t = np.exp(x[i])
        h[i] = t
        s += t * t
        h[i] = 0.5 * n
    return s + np.sum(h)


def overwritten_behind(x, n):
    h = np.zeros(x.size)
    for i in range(x.size):
        h[i] = np.exp(x[i] * n)
    s = np.sum(h * h)
    h[1] = 0.3
    return s + np.sum(h**3)


def overwritten_in_part(x, n):
    h = np.zeros(x.size)
    for i in range(x.size - 1):
        t = np.exp(x[i] * n)
        h[i] = t
        h[i + 1] = np.sin(t)
    return np.sum(h * h)


def one_place(x, n):
    h = np.zeros(2)
    s = 0.0
    for i in range(x.size):
        t = np.exp(x[i] * n)
        h[0] = t
        s += t**3
    return s + h[0] ** 2


def undone(x, n):
    z = x.copy()
    s = 0.0
    for i in range(1, z.size):
        s += np.sin(z[i]) * z[i - 1]
        t = np.exp(z[i] * n)
        z[i] = t
        s += t**2
    return s


def perhaps(x, n):
    h = np.zeros(x.size)
    s = 0.0
    for i in range(x.size):
        t = np.exp(x[i])
        if x[i] > 0.4:
            h[i] = t
        s += t**2 * n
    return s + np.sum(h)


def through_a_view(x, n):
    h = np.zeros(x.size)
    v = h[::-1]
    s = 0.0
    for i in range(x.size):
        t = np.exp(x[i] * n)
        h[i] = t
        s += t**2
        v[i] = 0.1 * s
    return s + np.sum(h)


def by_table(x, n):
    places = np.array([0, 1, 1, 0])
    h = np.zeros(2)
    s = 0.0
    for i in range(x.size):
        t = np.exp(x[i] * n)
        h[places[i]] = t
        s += t**2
    return s + np.sum(h)


def running(x, n):
    h = np.zeros(x.size)
    s, k = 0.0, 0
    while k < x.size and s < 40.0:
        t = np.exp(x[k] * n)
        h[k] = t
        s += t**2
        k += 1
    return s + np.sum(h * h)


def in_a_branch(x, n):
    h = np.zeros((x.size, 2))
    for i in range(x.size):
        if x[i] > 0.4:
            h[i, 0] = np.exp(x[i])
        else:
            h[i, 1] = np.sqrt(x[i] + 1.0)
    return np.sum(h**3) * n


PROGRAMS = [*KEPT, in_place, overwritten, overwritten_at_once, overwritten_behind, overwritten_in_part, one_place]
PROGRAMS += [undone, perhaps, through_a_view, by_table, running, in_a_branch]


@pytest.mark.slow
@pytest.mark.parametrize("program", PROGRAMS)
def test_gradients_are_right(program):
    assert_gradient(program, np.array([0.3, 0.7, -0.2, 0.5]), 2, wrt=(0,), modes=("loops", "gradient", "second"))


@pytest.mark.slow
@pytest.mark.parametrize("program", KEPT)
def test_what_an_element_keeps_is_not_recorded(program):
    assert "_trace = " not in srcad.source(program, signature="f8[::1], i8", mode="grad")


def rounded(x, n):
    h = np.zeros(x.size, np.float32)
    s = 0.0
    for i in range(x.size):
        t = np.exp(x[i])
        h[i] = t
        s += t**2
    return s * n


def test_what_is_rounded_when_it_is_stored_is_not_read_there():
    x = np.array([0.3, 0.7])
    np.testing.assert_allclose(srcad.grad(rounded, jit=False)(x, 1), 2 * np.exp(2 * x), rtol=1e-14)


def returned(x):
    h = np.zeros(x.size)
    for i in range(x.size):
        h[i] = np.exp(x[i])
    return h


def test_a_result_that_the_caller_changes_keeps_nothing():
    x = np.array([0.3, 0.7])
    value, pullback = srcad.vjp(returned, x, jit=False)
    expected = value.copy()
    value[:] = 0.0
    np.testing.assert_allclose(pullback(np.ones(2))[0], expected, rtol=1e-14)
