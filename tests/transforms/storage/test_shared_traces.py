"""One trace for a carried name and for what an iteration leaves in it, where both are wanted."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X, C = np.linspace(0.2, 1.1, 5), np.linspace(0.3, 0.8, 5)


def state(x, c):
    u = x.copy()
    total = 0.0
    for _t in range(4):
        new = np.empty(x.size)
        for i in range(x.size):
            new[i] = np.tanh(c[i] * u[i] + u[0])
        total += np.sum(new * new * c)
        u = new
    return total


def number(x, c):
    s = x[0]
    total = 0.0
    for i in range(x.size):
        new = np.tanh(c[i] * s + x[i])
        total += new * new * np.exp(s)
        s = new
    return total


def leapfrog(x, c):
    old, u = x.copy(), c * x
    for _t in range(5):
        new = np.sin(u) * c - old * u
        old = u
        u = new
    return np.sum(u * old)


def swapped(x, c):
    a, b = x.copy(), np.sin(c)
    total = 0.0
    for _t in range(3):
        total += np.sum(a * a * b)
        a, b = b, a
        a = a * np.exp(b)
    return total + np.sum(a * b)


def by_row(x, c):
    total = 0.0
    for i in range(3):
        s = x[i]
        for j in range(c.size):
            new = np.tanh(s * c[j] + x[j])
            total += new * new * s
            s = new
        total += s
    return total


def in_steps(x, c):
    s, total, t = x[0], 0.0, 0.0
    while t < 3.0:
        new = np.sin(s * c[1]) + x[1]
        total += new * new * s
        t += 0.5 + 0.1 * new * new
        s = new
    return total * s


def changed_behind(x, c):
    u = x.copy()
    total = 0.0
    for t in range(4):
        new = np.sin(u) * c
        total += np.sum(new * new * u)
        u = new
        u[t] = u[t] * 2.0 + new[0]
    return total + np.sum(u)


def stored_before(x, c):
    u = x.copy()
    total = 0.0
    for t in range(4):
        new = np.zeros(x.size)
        new[t] = np.exp(u[t]) * c[t]
        total += np.sum(new * u) * new[t]
        new[0] = new[0] * new[t] + 1.0
        u = new
    return total + np.sum(u * u)


def left_early(x, c):
    s, total = x[0], 0.0
    for i in range(x.size):
        new = np.tanh(c[i] * s + x[i])
        total += new * new * s
        if total > 0.9:
            break
        s = new
    return total * s


def passed_over(x, c):
    s, total = x[0], 0.0
    for i in range(x.size):
        new = np.tanh(c[i] * s + x[i])
        total += new * new * s
        if i == 2:
            continue
        s = new
    return total * s


def of_one_arm(x, c):
    s, total = x[0], 0.0
    for i in range(x.size):
        if i % 2 == 0:
            new = np.tanh(c[i] * s + x[i])
        else:
            new = np.exp(-s * c[i])
        total += new * new * s
        s = new
    return total * s


def never_run(x, c):
    s, total = np.sin(x[0]), 0.0
    for i in range(x.size - 5):
        new = np.tanh(c[i] * s)
        total += new * new * s
        s = new
    return total + s


PROGRAMS = [
    state, number, leapfrog, swapped, by_row, in_steps, changed_behind, stored_before, left_early, passed_over,
    of_one_arm, never_run,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("function", PROGRAMS)
def test_derivatives_are_right(function):
    assert_gradient(function, X, C, modes=("loops", "gradient"))


@pytest.mark.parametrize(
    ("function", "trace", "taken"),
    [
        (state, "new_trace", "new = u_2"),
        (leapfrog, "u_trace", "u_2 = old_2"),
        (by_row, "new_trace", "new = s"),
        (in_steps, "new_trace", "new = s"),
    ],
)
def test_what_is_left_has_no_trace(function, trace, taken):
    text = srcad.source(function, args=(X, C))
    assert trace not in text
    assert f"        {taken}\n" in text


@pytest.mark.parametrize("function", [left_early, changed_behind])
def test_what_may_be_another_value_is_recorded(function):
    reverse = srcad.source(function, args=(X, C)).partition("for ")[2]
    assert "new = s\n" not in reverse
    assert "new = u\n" not in reverse


@pytest.mark.parametrize("function", PROGRAMS)
def test_a_reverse_sweep_runs_again(function):
    value, back = srcad.vjp(srcad.function(jit=False)(function), X, C)
    first, second = back(1.0), back(1.0)
    np.testing.assert_array_equal(first, second)
    assert value == function(X, C)


@pytest.mark.compiled
def test_compiled():
    assert_gradient(state, X, C, modes=("compiled",))
