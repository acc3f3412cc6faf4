"""Terms that depend only on indices within a loop are computed before it, where its first iteration does so anyway."""

import math

import numpy as np
import pytest

import srcad
from tests.agreement import compared
from tests.checking import generated

RNG = np.random.default_rng(5)
X, S, W = RNG.normal(size=6), RNG.uniform(0.3, 0.9, 4), RNG.uniform(0.3, 0.9, (4, 3))


def one_index(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(s.size):
            y += np.sin(x[i] * np.exp(-s[k]))
    return y


def two_indices(x, s, w):
    y = 1.0
    n, m = w.shape
    for i in range(x.size - 1, -1, -1):
        for k in range(n):
            q = 0.0
            for j in range(1, m):
                z = (x[i] - s[k]) * math.exp(-w[k, j]) + math.log(s[k]) * np.cos(1.0 + 0.5 * w[k, j - 1])
                q += z * z
            y = 0.9 * y + q
    return y


def of_views(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(4):
            row = w[k]
            for j in range(3):
                y += x[i] * np.tanh(row[j]) * y + row[j]
    return y


def of_arrays(x, s, w):
    u = s.copy()
    for _ in range(3):
        u[1:-1] = u[1:-1] + 0.1 * np.exp(s[1:-1]) * (u[2:] - u[:-2])
    return np.sum(u * u)


def term_of_terms(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(s.size):
            a = np.log(s[k])
            for j in range(3):
                y += x[i] * np.exp(a * w[k, j])
            y += a * x[i]
    return y


def left_early(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(s.size):
            y += x[i] * np.exp(s[k])
        if y > 1.0:
            break
    return y


def under_a_test(x, s, w):
    y = 0.0
    if x[0] < 9.0:
        for i in range(x.size):
            for k in range(s.size):
                y += x[i] * np.exp(s[k]) * y + 1.0
    return y


ALL = one_index, two_indices, of_views, of_arrays, term_of_terms, left_early, under_a_test


@pytest.mark.slow
@pytest.mark.parametrize("f", ALL)
def test_terms_are_computed_ahead(f):
    text = generated(f, (X, S, W), "grad", (0, 1, 2), True)[2]
    assert "_table = np.empty(" in text
    assert compared(f, (X, S, W))
    assert "_table" not in generated(f, (X, S, W), "grad", (0, 1, 2), True, without=("scalar_expansion",))[2]


@pytest.mark.compiled
def test_compiled_gradients_are_those_without_tables():
    for f in (two_indices, term_of_terms):
        found, expected = (srcad.grad(f, wrt=(0, 1, 2), without=each)(X, S, W) for each in ((), "scalar_expansion"))
        for ours, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def written_in_it(x, s, w):
    s = s.copy()
    y = 0.0
    for i in range(x.size):
        for k in range(s.size):
            y += x[i] * np.exp(s[k])
            s[k] = 0.5 * s[k]
    return y


def written_by_another_name(x, s, w):
    y = 0.0
    first = w[0]
    for i in range(x.size):
        for k in range(3):
            y += x[i] * np.exp(w[0, k])
            first[k] = 0.1 * y
    return y


def under_a_condition(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(6):
            if k < s.size:
                y += x[i] * np.exp(s[k])
    return y


def searched(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(9):
            y += x[i] * np.exp(s[k])
            if k == 3:
                break
    return y


def with_another_end(x, s, w):
    y = 0.0
    for i in range(4):
        for k in range(i):
            y += x[i] * np.exp(s[k])
    return y


def of_what_is_passed_on(x, s, w):
    y, c = 0.0, 1.0
    for i in range(x.size):
        for k in range(s.size):
            y += x[i] * np.exp(c * s[k])
        c = 0.5 * c + 0.01 * y
    return y


def larger_than_its_array(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(4):
            for j in range(4):
                y += x[i] * np.exp(s[(k + j) % 4])
    return y


def within_another_loop(x, s, w):
    y = 0.0
    for a in range(4):
        for i in range(x.size):
            for j in range(3):
                y += x[i] * np.exp(w[a, j])
    return y


def cheap(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(s.size):
            y += x[i] * (s[k] * s[k] + 1.0)
    return y


def behind_an_assertion(x, s, w):
    y = 0.0
    for i in range(x.size):
        for k in range(s.size):
            assert k < s.size, "else what follows would read too far"
            y += x[i] * np.exp(s[k])
    return y


@pytest.mark.slow
@pytest.mark.parametrize(
    "f",
    [
        *(written_in_it, written_by_another_name, under_a_condition, searched, with_another_end, of_what_is_passed_on),
        *(larger_than_its_array, within_another_loop, cheap, behind_an_assertion),
    ],
)
def test_other_terms_stay(f):
    assert "_table = " not in generated(f, (X, S, W), "grad", (0, 1, 2), True)[2]
    assert compared(f, (X, S, W))


def of_sizes(x, s, one, other):
    n, m = one.size, other.size - 2
    y = x[0]
    for i in range(n):
        for k in range(m):
            y += np.sin(x[i] * np.exp(s[k]))
    return y * y


def of_sizes_within(x, s, one, other):
    n, m = one.size, other.size - 2
    y = x[0]
    for i in range(2):
        for j in range(n):
            for k in range(m):
                y += np.sin(x[i + j] * np.exp(s[k]))
    return y * y


@pytest.mark.slow
@pytest.mark.parametrize("f", [of_sizes, of_sizes_within])
@pytest.mark.parametrize(("n", "m"), [(0, 3), (0, 99), (3, 0), (3, -2), (1, 4)])
def test_a_loop_that_does_not_run_computes_nothing_ahead(f, n, m):
    """With 0 and 99 the array would be too short."""
    args = X, S, np.ones(n), np.ones(m + 2)
    assert "_table" in generated(f, args, "grad", (0, 1), True)[2]
    assert compared(f, args)
