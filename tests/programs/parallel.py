"""Loops whose iterations may run at the same time, and loops of which that cannot be proved."""

import numpy as np
from numba import prange

from tests.programs.program import Program, vector

TABLE = np.array([2, 0, 2, 5, 1, 0])


def sum_of_terms(x):
    s = 0.0
    for i in prange(x.shape[0]):
        s += np.sin(x[i]) * x[i]
    return s


def sum_on_some_paths(x):
    """What a path leaves as it is, and what is subtracted, belong to the sum too."""
    s, count = 1.0, 0
    for i in prange(len(x)):
        t = x[i] * x[i]
        if t > 0.3:
            for j in range(i):
                if x[j] > 0.0:
                    s -= t * x[j]
            count += 1
    return s * count


def elements_of_its_own(x):
    n = x.shape[0]
    y = np.zeros((2, 2 * n))
    for i in prange(n):
        y[0, 2 * i] = x[i] * x[n - 1 - i]
        y[1, 2 * i + 1] = np.exp(x[i])
    return np.sum(y * y * y)


def blocks_of_its_own(x):
    y = np.zeros(4 * x.shape[0])
    for i in prange(x.shape[0]):
        block = y[4 * i : 4 * i + 4]
        for j in range(4):
            block[j] = np.sin(x[i] * x[j])
            y[4 * i + 3 - j] *= x[j]
    return np.dot(y, y)


def shared_weights(x):
    """All iterations add to the adjoint of the weights, whole and by elements."""
    w = x * x
    total = 0.0
    for i in prange(x.shape[0]):
        total += np.sum(np.tanh(w * x[i])) * w[TABLE[i]]
    return total


def weights_by_rows(x):
    w = np.outer(x, x)
    total = 0.0
    for i in prange(4):
        row = w[TABLE[i]]
        for j in range(row.shape[0]):
            total += np.sin(row[j] * x[i])
    return total


def stencil(x):
    """Neighbouring iterations add to one element of the adjoint."""
    y = np.zeros(x.shape[0])
    for i in prange(1, x.shape[0] - 1):
        y[i] = (x[i - 1] - 2.0 * x[i] + x[i + 1]) * x[i]
    return np.sum(y * y)


def stencil_that_wraps(x):
    """The first element has the last one beside it."""
    y = np.zeros(x.shape[0])
    for i in prange(x.shape[0]):
        y[i] = x[i - 1] * x[i]
    return np.sum(y * y)


def steps_in_time(x):
    u, v = x.copy(), np.zeros_like(x)
    for _ in range(3):
        for i in prange(1, u.shape[0] - 1):
            v[i] = u[i] + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) * u[i]
        for i in prange(u.shape[0]):
            u[i] = v[i] * 1.1
    return np.sum(u * u)


def newton(x):
    """An inner loop that is left early, of which each turn has to be recorded."""
    roots = np.empty_like(x)
    for i in prange(x.shape[0]):
        r = 1.0
        for _ in range(30):
            d = (r * r - 1.0 - x[i] * x[i]) / (2.0 * r)
            r -= d
            if abs(d) < 1e-13:
                break
        roots[i] = r
    return np.sum(roots * roots * x)


def halving(x):
    """As many turns as it takes."""
    total = 0.0
    for i in prange(x.shape[0]):
        a = 3.0 + x[i]
        while a > 0.5:
            a = a * 0.5 + 0.05 * a * a
        total += a
    return total


def nested(x):
    """The inner of two parallel loops runs as any loop."""
    p = np.outer(x, x)
    q = np.empty_like(p)
    for i in prange(p.shape[0]):
        for j in prange(p.shape[1]):
            q[i, j] = np.sin(p[i, j]) * x[j]
    return np.sum(q * q)


def columns(x):
    p = np.outer(x, np.cos(x))
    for i in prange(p.shape[1]):
        for j in range(1, p.shape[0]):
            p[j, i] += p[j - 1, i] * p[j, i]
    return np.sum(p)


def arrays_of_its_own(x):
    total = 0.0
    for i in prange(x.shape[0]):
        work = x * x[i]
        for j in range(1, work.shape[0]):
            work[j] += np.sin(work[j - 1])
        total += work[-1]
    return total


def products_of_matrices(x):
    w = np.outer(x, x)
    y = np.empty(x.shape[0])
    for i in prange(x.shape[0]):
        y[i] = np.dot(w @ (x * x[i]), w[i])
    return np.sum(y * y)


def histogram(x):
    """Numba's own loop would be a race; the sum of all is what is meant."""
    h = np.zeros(x.shape[0])
    for i in prange(x.shape[0]):
        h[TABLE[i]] += x[i] * x[i]
    return np.sum(h * h)


# From here on something passes from one iteration to another.


def recurrence(x):
    y = x.copy()
    for i in prange(1, x.shape[0]):
        y[i] = np.sin(y[i - 1]) * y[i]
    return np.sum(y)


def product(x):
    p = 1.0
    for i in prange(x.shape[0]):
        p *= x[i] + 2.0
    return p


def greatest(x):
    m = -1e9
    for i in prange(x.shape[0]):
        m = max(m, x[i] * x[i])
    return m


def last_value(x):
    last = 0.0
    for i in prange(x.shape[0]):
        last = x[i] * x[i]
    return last


def sum_read_inside(x):
    s = 0.0
    y = np.zeros_like(x)
    for i in prange(x.shape[0]):
        s += x[i]
        y[i] = s * s
    return np.sum(y)


def sums_that_change_places(x):
    a, b = 0.0, 1.0
    for i in prange(x.shape[0]):
        a, b = b + x[i], a
    return a * a + 3.0 * b


def places_by_table(x):
    y = np.zeros_like(x)
    for i in prange(x.shape[0]):
        y[TABLE[i]] = x[i] * x[i]
    return np.sum(y)


def places_used_twice(x):
    y = np.zeros_like(x)
    for i in prange(x.shape[0]):
        y[i % 3] = x[i] * x[i]
    return np.sum(y)


def places_that_meet_at_the_end(x):
    """Index -1 is the last element, which another iteration has."""
    y = np.zeros_like(x)
    for i in prange(x.shape[0]):
        y[i - 2] = x[i] * y[i - 2] + x[i]
    return np.sum(y * y)


def neighbours_read(x):
    y = x * x
    for i in prange(x.shape[0] - 1):
        y[i] = y[i + 1] * x[i]
    return np.sum(y)


def work_used_again(x):
    total = 0.0
    work = np.ones(x.shape[0])
    for i in prange(x.shape[0]):
        work[0] = work[0] * 0.5 + x[i]
        total += work[0] * work[0]
    return total


def two_names_of_one_array(x):
    y = x * x
    z = y
    for i in prange(x.shape[0] - 1):
        z[i] = y[i + 1] * x[i]
    return np.sum(z)


# What these pass on is little beside what they compute for it, which is shared out.


def extremes_and_products_of_what_takes_long(x):
    """One factor is zero; of equal elements the first is the greatest, as in a serial loop."""
    p, q, high, low, place, last = 1.0, 0.0, -1e9, 1e9, -1, 0.0
    for i in prange(1, x.shape[0]):
        t = np.sin(x[i] * x[TABLE[i]])
        e = t - t if i == 3 else t
        p *= e
        q = q * (e + 0.5) + x[i]
        if abs(t) > high:
            high = abs(t)
            place = i
        low = min(low, t)
        last = np.exp(t)
    return p + q * q + high * x[place] + low * last


def places_by_table_after_each_step(x):
    u, y = x.copy(), np.zeros_like(x)
    for k in range(2):
        most = 0.0
        for i in prange(u.shape[0]):
            t = np.tanh(u[i]) * x[i]
            u[i] = u[i] + t
            y[TABLE[i] - k] = t * np.exp(x[TABLE[i]])
            most = max(most, abs(t))
        u[0] += most * y[2]
    return np.sum(u * u) + np.sum(y * y)


def rows_of_which_some_is_passed_on(x):
    w = np.outer(x, x)
    total, p = 0.0, 1.0
    for i in prange(x.shape[0]):
        row = w[i] * x
        e = 0.0
        for j in range(row.shape[0]):
            e += np.sin(row[j])
        total += e * e
        p = p * 0.5 + row[i]
    return total * p


def until_small(x):
    """The trace grows with each round; within a round, positions in it follow from the index."""
    y, k = x.copy(), 0
    while np.sum(y * y) > 0.3 and k < 20:
        for i in prange(y.shape[0]):
            y[i] = y[i] * 0.5 + 0.1 * np.sin(y[i])
        for i in prange(1, y.shape[0] - 1):
            y[i] = y[i] * y[i] * 0.9 + 0.1 * x[i]
        k += 1
    return np.sum(y * x)


SHARED = [
    sum_of_terms,
    sum_on_some_paths,
    elements_of_its_own,
    blocks_of_its_own,
    shared_weights,
    weights_by_rows,
    stencil,
    stencil_that_wraps,
    steps_in_time,
    until_small,
    nested,
    columns,
    histogram,
    extremes_and_products_of_what_takes_long,
    places_by_table_after_each_step,
    rows_of_which_some_is_passed_on,
]
# What these keep for a reverse function grows from iteration to iteration; a gradient in one piece keeps nothing.
SHARED_IN_ONE_PIECE = [
    newton,
    halving,
    arrays_of_its_own,
    products_of_matrices,
]
SERIAL = [
    recurrence,
    product,
    greatest,
    last_value,
    sum_read_inside,
    sums_that_change_places,
    places_by_table,
    places_used_twice,
    places_that_meet_at_the_end,
    neighbours_read,
    work_used_again,
    two_names_of_one_array,
]
# All of them are tried, uncompiled, with their iterations in any order, by tests/transforms/test_parallel.py.
PROGRAMS = [Program(each, vector(6)) for each in (sum_on_some_paths, weights_by_rows, steps_in_time)]
