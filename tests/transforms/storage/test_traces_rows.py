"""Recorded arrays are copied into one, where they are complete and nobody writes into them any more."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X, C = np.linspace(0.2, 1.1, 5), np.linspace(0.3, 0.8, 5)


def handed_on(x, c):
    u = x.copy()
    for _t in range(4):
        new = np.empty(x.size)
        for i in range(x.size):
            new[i] = np.sin(u[i]) * c[i] * u[0]
        u = new
    return np.sum(u)


def filled_behind(x, c):
    total = 0.0
    for t in range(3):
        v = np.zeros(x.size)
        for i in range(x.size):
            v[i] = x[i] * c[t]
        for i in range(1, x.size):
            v[i] += v[i - 1] * 0.5
        total += v @ np.outer(v, c) @ v
    return total


def products(x, c):
    m, u = np.eye(x.size) + np.outer(x, c), x.copy()
    for _t in range(3):
        u = m @ u
        m = m @ m
        u = u * c
    return np.sum(u)


def nested(x, c):
    total = 0.0
    for t in range(2):
        u = x * c[t]
        for k in range(3):
            u = u * u[0] + c[k]
        total += np.sum(u * u)
    return total


def zero_trips(x, c):
    u = x.copy()
    for t in range(x.size - 5):
        u = np.sin(u) * u[t] * c
    return np.sum(u)


def from_an_argument(x, c):
    u = x
    for _t in range(3):
        u = np.sin(u) * c * u
    return np.sum(u)


def of_checked_length(x, c):
    m, u = np.outer(x, c), x.copy()
    for _t in range(3):
        u = (m @ u) * u**2
    return np.sum(u)


def balanced(x, c):
    k, u, v = np.exp(-np.outer(x, c)), np.ones_like(x), np.ones_like(c)
    for _t in range(3):
        u = x / (k @ v)
        v = c / (k.T @ u)
    return np.sum(u[:, None] * k * v)


COPIED = [handed_on, filled_behind, products, nested, from_an_argument, of_checked_length, balanced, zero_trips]


def written_later(x, c):
    u = x.copy()
    total = 0.0
    for t in range(3):
        new = np.empty(x.size)
        for i in range(x.size):
            new[i] = np.cos(u[i]) * c[i]
        total += np.sum(new * new * new)
        new[t] = total
        u = new
    return np.sum(u) + total


def shorter_in_the_end(x, c):
    u = x
    for t in range(2):
        u = np.sin(u[: 5 - t]) * c[: 5 - t]
    return np.sum(u)


def of_any_length(x, c):
    total, u = 0.0, x.copy()
    for t in range(3):
        u = u[1:] * u[:-1] * c[t]
        total += np.sum(np.sin(u))
    return total


def while_it_lasts(x, c):
    u = x.copy()
    while u[0] < 0.6:
        u = np.exp(0.2 * u) * (1.0 + c) * u
    return np.sum(u)


def views(x, c):
    a = np.outer(x, c)
    total, row = 0.0, a[0]
    for t in range(4):
        total += np.sum(np.sin(row)) * row[1]
        row = a[7 % (t + 2)]
    return total


LISTED = [written_later, shorter_in_the_end, of_any_length, while_it_lasts, views]


@pytest.mark.slow
@pytest.mark.parametrize("f", [*COPIED, *LISTED])
def test_derivatives_are_right(f):
    assert_gradient(f, X, C)


@pytest.mark.parametrize("f", COPIED[:-1])
def test_complete_arrays_of_known_shape_are_copied(f):
    assert "append" not in srcad.source(f, args=(X, C), wrt=(0, 1), mode="vjp")
    assert "append" in srcad.source(f, args=(X, C), wrt=(0, 1), mode="vjp", without="preallocated_traces")


@pytest.mark.parametrize("f", LISTED)
def test_all_others_are_kept_as_they_are(f):
    assert "append" in srcad.source(f, args=(X, C), wrt=(0, 1))


@pytest.mark.parametrize("f", [from_an_argument, of_checked_length, balanced, shorter_in_the_end])
def test_their_gradients_are_right(f):
    assert_gradient(f, X, C, modes=("gradient",))


def test_pairs_keep_copies_too():
    text = srcad.source(handed_on, args=(X, C), wrt=(0, 1), mode="vjp")
    assert "append" not in text
    value, pullback = srcad.vjp(handed_on, X, C, jit=False)
    first, again = pullback(1.0), pullback(1.0)
    np.testing.assert_array_equal(first[0], again[0])
    assert value == handed_on(X, C)


@pytest.mark.compiled
@pytest.mark.parametrize("f", [handed_on, filled_behind])
def test_compiled(f):
    assert_gradient(f, X, C, modes=("compiled", "gradient"))
