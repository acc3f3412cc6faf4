"""Names that hold arrays of one shape, then of another, in a loop inside of a loop; nobody reads them behind it."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X = np.array([0.3, 0.8, 0.55])
TABLE = np.linspace(-0.7, 0.9, 24).reshape(8, 3)


def one_shape_after_another(x, tab, m):
    a = np.sin(tab)
    total = 0.0
    for _j in range(3):
        row = x * 2.0
        for i in range(1, m):
            total = 0.5 * total + row[i % 2]
            row = a[:, 1]
    return total


def three_loops(x, tab, m):
    a = np.sin(tab)
    total = 0.0
    for q in range(2):
        for j in range(m + 1):
            row = x * tab[q]
            for i in range(j):
                total = 0.5 * total + row[i % 2] ** 2
                row = a[j:, 1]
    return total


def in_arms(x, tab, m):
    a = np.sin(tab)
    total = 0.0
    for j in range(3):
        if j % 2 == 0:
            row = x * 2.0
            for i in range(m):
                total = 0.5 * total + row[i % 2]
                row = a[:, 1] * x[0]
        else:
            row = a[:2, 0]
            for i in range(m):
                total = 0.5 * total + row[i % 2] * 0.3
                row = x
    return total


def shrinking_in_whiles(x, tab, m):
    total = 0.0
    j = 0
    while j < 3:
        row = x * total
        for _i in range(m):
            total = np.sin(total) + np.sum(row) * x[1]
            row = row[1:]
        j += 1
    return total


def growing_from_nothing(x, tab, m):
    total = 0.0
    for j in range(3):
        row = tab[:j, 0] * 2.0
        for _i in range(2):
            total = np.sin(total) + np.sum(row * row)
            row = np.concatenate((row, x))
    return total


def matrices(x, tab, m):
    total = 0.0
    for j in range(3):
        w = np.outer(x, x) * (j + total)
        for _i in range(m):
            total = np.cos(total) + np.sum(w) * 0.1
            w = (tab @ w[:3])[:, :3]
    return total


def trading_places(x, tab, m):
    total = 0.0
    for _j in range(m):
        u = x * 2.0
        v = tab[:, 0]
        for i in range(m):
            total = 0.5 * total + u[i % 2] * v[1]
            u, v = v * 0.5, u * total
    return total


def helper(row, n, tab):
    s = 0.0
    for i in range(n):
        s += np.sum(row**2)
        row = np.cos(tab[i:, 0]) * s
    return s


def helped(x, tab, m):
    t = 0.0
    for _j in range(3):
        t += helper(x * (t + 1.0), m, tab)
    return t


def written_into(x, tab, m):
    total = 0.0
    for _j in range(3):
        row = x * 2.0
        for _i in range(m):
            row[0] *= x[1]
            total = 0.5 * total + row[0] * row[1]
            row = tab[:, 1].copy()
            row[1] = total
    return total


def left_early(x, tab, m):
    total = 0.0
    for _j in range(3):
        row = x * 2.0
        for i in range(m + 5):
            total = 0.5 * total + row[i % 2]
            if total > 0.9:
                break
            row = tab[:, 1] * total
    return total


def of_one_shape(x, m):
    s = 0.0
    for _j in range(3):
        row = x * 2.0
        for i in range(m):
            s = 0.5 * s + row[i % 2]
            row = np.sin(row) * s
    return s


@pytest.mark.parametrize(
    "function",
    [
        one_shape_after_another,
        three_loops,
        in_arms,
        shrinking_in_whiles,
        growing_from_nothing,
        matrices,
        trading_places,
        helped,
        written_into,
        left_early,
    ],
)
@pytest.mark.parametrize("m", [0, 3])
def test_adjoints_begin_in_the_shape_that_the_last_array_had(function, m):
    assert_gradient(function, X, TABLE, m, modes=["arrays"])


def test_second_derivatives_take_the_noted_shapes_over():
    assert_gradient(one_shape_after_another, X, TABLE, 3, modes=["loops", "second"])


def test_shapes_are_noted_where_there_may_be_several_only():
    noted = srcad.source(one_shape_after_another, args=(X, TABLE, 2), wrt=(0, 1))
    assert "trace" in noted
    plain = srcad.source(of_one_shape, args=(X, 2))
    assert ".shape" not in plain.split("for _j")[2]
