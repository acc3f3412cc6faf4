"""Loops followed by loops that read what they store."""

import numpy as np

from tests.programs.program import Program, vector

WEIGHTS = np.array([0.7, -1.3, 0.4, 2.0, -0.6, 1.1])
PLACES = np.array([2, 0, 1, 2, 2, 0])


# Joined with the loop that follows, and then reversed on the spot ----------------------------------------------------


def squares_of_results(x):
    out = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        out[i] = x[i] * np.sin(x[i])
    return np.sum(out * out)


def misfit_of_rows(x):
    n = x.shape[0]
    table = np.empty((n, n))
    scratch = np.empty(n)
    for i in range(n):
        for j in range(n):
            scratch[j] = x[i] * x[j]
        for j in range(n):
            table[i, j] = scratch[j] * scratch[n - 1 - j]
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += (table[i, j] - WEIGHTS[j % 6]) ** 2
    return total


def columns_with_branches(x):
    """The outer loops are joined, though only one has a branch: the inner loops stay as LLVM vectorises them."""
    n = x.shape[0]
    table = np.empty((n, n))
    scratch = np.empty(n)
    for i in range(n):
        for j in range(n):
            scratch[j] = x[i] * np.sin(x[j])
            if j > 0:
                scratch[j] += 0.5 * scratch[j - 1]
        for j in range(n):
            table[i, j] = scratch[j] * scratch[n - 1 - j]
    return np.sum(table * table)


def backwards(x):
    n = x.shape[0]
    y = np.empty(n)
    for i in range(n - 1, -1, -1):
        y[i] = x[i] * x[i]
    total = 0.0
    for i in range(n - 1, -1, -1):
        total += y[i] * y[i] * x[i]
    return total


def correlation(x):
    """Sums and differences from sums: three loops of each kind are one."""
    w = x / np.sum(x)
    dx = x - np.sum(w * x)
    dy = WEIGHTS - np.sum(w * WEIGHTS)
    return np.sum(w * dx * dy) / np.sqrt(np.sum(w * dx * dx) * np.sum(w * dy * dy))


def side_by_side(x):
    n = x.shape[0]
    y = np.empty(n)
    z = np.empty(n)
    for i in range(n):
        y[i] = np.sin(x[i])
    first = y[0]
    for i in range(n):
        z[i] = x[i] * x[i]
    return np.sum(y * z) + first


def rows_in_a_loop(x):
    n = x.shape[0]
    u = x.copy()
    total = 0.0
    for t in range(3):
        a = np.empty(n)
        b = np.empty(n)
        for i in range(n):
            a[i] = np.sin(u[i]) * (t + 1)
        for i in range(n):
            b[i] = a[i] * u[i]
        for i in range(n):
            total += b[i] * a[i]
        u = u + 0.1 * b
    return total + np.sum(u)


def rows_apart(x):
    """The loops over rows stay apart, for the largest is needed in between; those in them are joined."""
    n = x.shape[0]
    a = np.empty((n, n))
    b = np.empty((n, n))
    c = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            a[i, j] = np.sin(x[i]) * x[j]
        for j in range(n):
            b[i, j] = a[i, j] * x[i]
    scale = np.max(b)
    for i in range(n):
        for j in range(n):
            c[i, j] = b[i, j] * scale
        for j in range(n):
            a[i, j] = a[i, j] * c[i, j]
    return np.sum(a)


# Not joined -----------------------------------------------------------------------------------------------------------


def branch_beside_a_sum(x):
    """The second loop is one that LLVM vectorises."""
    n = x.shape[0]
    y = np.empty(n)
    for i in range(n):
        y[i] = np.sin(x[i])
        if x[i] > 0.5:
            y[i] *= x[i]
    total = 0.0
    for i in range(n):
        total += y[i] * y[i]
    return total


def element_before(x):
    n = x.shape[0]
    y = np.zeros(n + 1)
    for i in range(n):
        y[i + 1] = np.exp(0.3 * x[i])
    total = 0.0
    for i in range(n):
        total += y[i] * y[i + 1]
    return total


def read_ahead_then_stored(x):
    n = x.shape[0]
    z = np.append(x, np.ones(1))
    y = np.empty(n)
    for i in range(n):
        y[i] = z[i + 1] * x[i]
    total = 0.0
    for i in range(n):
        z[i] = y[i] * y[i]
        total += z[i] * 3.0
    return total


def element_behind(x):
    n = x.shape[0]
    y = np.zeros(n + 1)
    for i in range(n):
        y[i] = np.exp(0.3 * x[i])
    total = 0.0
    for i in range(n):
        total += y[i] * y[i + 1]
    return total


def transposed(x):
    n = x.shape[0]
    table = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            table[i, j] = x[i] * np.sin(x[j])
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += table[j, i] ** 2
    return total


def stored_before_it_is_read(x):
    n = x.shape[0]
    z = np.append(x, np.ones(3))
    y = np.empty(n)
    for i in range(n):
        y[i] = z[i + 1] * x[i]
    total = 0.0
    for i in range(n):
        z[i + 2] = y[i] * y[i]
        total += z[i] * 3.0
    return total


def scaled_in_between(x):
    n = x.shape[0]
    y = np.empty(n)
    for i in range(n):
        y[i] = np.exp(x[i])
    scale = np.sum(y)
    total = 0.0
    for i in range(n):
        total += (y[i] / scale) ** 2
    return total


def gathered(x):
    n = x.shape[0]
    y = np.empty(n)
    for i in range(n):
        y[i] = np.exp(x[i])
    total = 0.0
    for i in range(n):
        total += y[PLACES[i]] ** 2
    return total


def sum_goes_on(x):
    n = x.shape[0]
    y = np.empty(n)
    total = 0.0
    for i in range(n):
        y[i] = np.exp(x[i])
        total += y[i] * x[i]
    for i in range(n):
        total += y[i] ** 2
    return total


def other_range(x):
    n = x.shape[0]
    y = np.ones(n)
    for i in range(n):
        y[i] = np.exp(x[i])
    total = 0.0
    for i in range(1, n):
        total += y[i] ** 2
    return total


MANY = [correlation, side_by_side, rows_in_a_loop]
JOINED = [squares_of_results, misfit_of_rows, columns_with_branches, backwards]
APART = [
    branch_beside_a_sum,
    element_before,
    read_ahead_then_stored,
    element_behind,
    transposed,
    stored_before_it_is_read,
    gathered,
    sum_goes_on,
    other_range,
]
PROGRAMS = [
    *(Program(each, vector(6), compiled=each is misfit_of_rows) for each in [*JOINED, *APART, scaled_in_between]),
    Program(misfit_of_rows, vector(0)),
    *(Program(each, lambda rng: (rng.uniform(0.3, 1.7, 6),), compiled=True) for each in MANY),
    Program(rows_in_a_loop, vector(0)),
    Program(rows_apart, vector(4)),
]
