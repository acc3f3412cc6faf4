"""Views that a loop carries are found again by the index of the iteration before, not kept in lists."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X = np.linspace(0.3, 1.1, 4)
STATE = np.linspace(-0.8, 0.9, 20).reshape(5, 4)


def layers(x, state, n):
    state = state.copy()
    total = 0.0
    for t in range(3):
        h = x * (t + 1.0)
        for k in range(n - 1):
            state[2 * k] = np.tanh(state[2 * k + 1]) * h * 0.5
            state[2 * k + 1] = state[2 * k + 1] * 0.5 + h
            h = state[2 * k]
        total += np.sum(np.sin(h))
    return total


def last_row(x, state, n):
    state = state * x
    row = state[0]
    for i in range(1, n):
        state[i] *= np.cos(row)
        row = state[i]
    return np.sum(row * row)


def halves(x, state, n):
    table = np.exp(state) * x
    part = table[0, :2]
    total = 0.0
    for i in range(n):
        total += np.sum(part * part) * x[i]
        part = table[i + 1, 2:]
    return total + np.sum(part)


def left_early(x, state, n):
    table = np.sin(state) * x
    total = 0.0
    for k in range(2):
        row = table[4 - k]
        for i in range(n):
            total += np.sum(row * row)
            row = table[i]
            if total > 1.0 + k:
                break
        total += np.sum(row * row * x)
    return total


def from_either_side(x, state, n):
    table = np.sin(state) * x
    total = 0.0
    for k in range(1, n):
        row = table[k]
        for i in range(k, 4):
            total += np.sum(row * row) * x[i - 2]
            row = table[i + 1]
        total += np.sum(row * x)
    return total


@pytest.mark.slow
@pytest.mark.parametrize("n", [0, 3])
@pytest.mark.parametrize("f", [layers, last_row, halves, left_early, from_either_side])
def test_gradients_are_right(f, n):
    assert_gradient(f, X, STATE, n)


@pytest.mark.parametrize("f", [layers, last_row, halves, from_either_side])
def test_no_list_is_kept(f):
    source = srcad.source(f, args=(X, STATE, 3), wrt=(0, 1))
    assert " else " in source
    assert ".append(" not in source


def test_behind_a_loop_that_is_left_early_the_view_is_recorded():
    source = srcad.source(left_early, args=(X, STATE, 3), wrt=(0, 1))
    assert "row_trace = []" in source
