"""Tests for zero stand where adjoints are often zero, and not where they hardly ever are."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

E, T = np.linspace(-1.0, 1.0, 12).reshape(4, 3), np.linspace(0.1, 0.9, 9).reshape(3, 3) ** 2


def forward_algorithm(e, tr):
    n, k = e.shape
    al = e[0].copy()
    for t in range(1, n):
        new = np.empty(k)
        for j in range(k):
            m = -np.inf
            for i in range(k):
                m = max(m, al[i] + tr[i, j])
            s = 0.0
            for i in range(k):
                s += np.exp(al[i] + tr[i, j] - m)
            new[j] = m + np.log(s) + e[t, j]
        al = new
    total = 0.0
    for j in range(k):
        total += al[j] * al[j]
    return total


def best_path(e, tr):
    n, k = e.shape
    al = e[0].copy()
    for t in range(1, n):
        new = np.empty(k)
        for j in range(k):
            m = np.inf
            for i in range(k):
                c = al[i] + np.exp(tr[i, j])
                if c < m:  # noqa: PLR1730
                    m = c
            new[j] = m + e[t, j]
        al = new
    return np.min(al)


def rectified(e, tr):
    n, k = e.shape
    h = np.empty(k)
    for i in range(k):
        s = 0.0
        for j in range(n):
            s += e[j, i] * np.sin(tr[i, 0] + e[j, i])
        h[i] = s
    total = 0.0
    for i in range(k):
        if h[i] > 0.1:
            total += h[i] * h[i]
    return total


def is_tested(function):
    return "!= 0.0" in srcad.source(function, args=(E, T))


def test_dense_adjoints_are_not_tested_and_what_they_need_is_recorded():
    assert not is_tested(forward_algorithm)
    lines = srcad.source(forward_algorithm, args=(E, T)).splitlines()
    assert sum("np.exp(" in line.partition("#")[0] for line in lines) == 1


@pytest.mark.parametrize("function", [best_path, rectified])
def test_sparse_adjoints_are_tested(function):
    assert is_tested(function)


@pytest.mark.slow
@pytest.mark.parametrize("function", [forward_algorithm, best_path, rectified])
def test_derivatives_are_right(function):
    assert_gradient(function, E, T, modes=("loops", "gradient"), rtol=1e-6)
