"""Masks of booleans: statements by one mask that are computed together, and those that must not be."""

import numpy as np

from tests.programs.program import Program, vector

MASK = np.array([True, False, False, True, True, False, True])
ONE = np.arange(7) == 2


def stores_and_loads_by_one_mask(x, m):
    y = x.copy()
    t = x[m]
    y[m] = t * np.sin(t)
    y[m] += t
    y[~m] -= 2.0 * x[~m]
    y[m] *= y[m]
    return np.sum(y * x)


def sums_and_means_of_selected(x, m):
    t = x[m]
    return np.sum(t * t) * np.mean(t) + np.sum(x[x > 10.0])


def selected_from_a_product(x, w, m):
    return np.sum((x * w)[m]) + np.mean((x - w)[w < x]) + np.sum(np.sqrt(x[x > 0.0]))


def infinite_where_not_selected(x):
    y = np.zeros_like(x)
    z = np.where(x < 0.0, 0.0, x)
    m = z != 0.0
    y[m] = 1.0 / z[m]
    return np.sum(y) + np.sum(np.log(z[m]) * z[m])


def mask_is_written_between(x, m):
    d = m.copy()
    y = x.copy()
    y[d] = 2.0 * x[d]
    d[0] = not d[0]
    y[d] = y[d] * x[d]
    d[:] = ~d
    y[d] -= x[d] ** 2
    return np.sum(y * y)


def mask_selects_itself(x, m):
    d = m.copy()
    y = x.copy()
    y[d] = 3.0 * x[d] * x[d]
    d[d] = False
    y[d] = 100.0
    d[~d] = True
    y[d] *= x[d]
    return np.sum(y * y)


def indices_select_themselves(x):
    k = np.array([3, 1, 0, 2, 4, 6, 5])
    y = x.copy()
    y[k] = x * x
    k[k] = 0
    y[k] = 2.0 * y[k]
    k[k[::-1]] += 1
    y[k] *= x
    return np.sum(y * y)


def source_is_written_between(x, m):
    a = x.copy()
    y = x.copy()
    t = a[m]
    a[m] = 0.5
    u = a[m] * x[m]
    a[0] = x[1] * x[2]
    y[m] = t * u
    return np.sum(y * a)


def mask_of_other_places(x):
    y = x.copy()
    a, b = y[1:], y[:-1]
    a[b > 0.1] = 0.6 * x[0]
    b[a > 0.1] *= 2.0
    y[y[::-1] > 0.3] = 0.25
    return np.sum(y * y * np.arange(7.0))


def overlapping_views(x, m):
    y = x.copy()
    a, b = y[1:], y[:-1]
    a[m[1:]] = b[m[1:]] * 2.0
    y[m] = y[::-1][m] * x[m]
    return np.sum(y * y)


def columns_as_targets(x, m):
    y = np.zeros((x.size + 2, 2))
    v = y[1:-1, 0]
    v[m] = x[m] ** 2
    w = y[:, 1]
    w[1:-1][m] = 3.0 * x[m]
    return np.sum(y * y)


def rows_by_a_mask(a, m):
    b = a.copy()
    b[m] = 2.0 * a[m]
    b[~m] *= a[~m]
    return np.sum(b * b) + np.mean(a[m])


def masks_of_a_matrix(a):
    b = a.copy()
    b[a > 0.2] = a[a > 0.2] ** 2
    m = a[:, :1] < a[0]
    b[m] += a[m]
    b[~m] = 0.3
    return np.sum(b * a) + np.sum(b[m] * b[m])


def selected_is_used_as_an_array_as_well(x, m):
    t = x[m]
    u = t * t
    y = x.copy()
    y[m] = u
    y[~m] = np.sort(x[~m])
    return np.sum(y * x) + np.sum(np.cumsum(t)) * t.size + np.max(u) * len(t)


def moments_of_selected(x, w, m):
    t = x[m]
    mean = np.mean(t)
    d = t - mean
    spread = np.sum(d * d) / len(t)
    z = np.zeros_like(x)
    z[m] = d / np.sqrt(spread + 0.5)
    return np.sum(z * w) + np.var(x[~m]) * t.size + np.std(t * w[m])


def sums_that_are_used_by_the_same_mask(x, m):
    s = np.sum(x[m])
    y = x.copy()
    y[m] = x[m] * s
    y[m] -= np.sum(y[m])
    t = y[m]
    y[0] = s
    y[m] = t * s
    return np.sum(y * y)


def masks_in_a_loop(x, n):
    y = x.copy()
    for k in range(n):
        m = y > 0.1 * k
        y[m] = np.sin(y[m]) * y[m]
        y[~m] += 0.1 * x[~m]
    return np.sum(y * x)


def mask_is_carried(x, n):
    alive = np.ones(x.shape, dtype=np.bool_)
    y = x.copy()
    for _k in range(n):
        y[alive] = y[alive] * 1.5 + 0.1
        alive = alive & (y < 2.0)
    return np.sum(y * y)


def masks_and_early_exits(x):
    y = x.copy()
    for k in range(5, 0, -2):
        m = y * y > 0.1 * k
        if not np.any(m):
            break
        y[m] *= 0.5 * np.cos(x[m])
        if np.sum(y[m]) > 0.4:
            continue
        y[~m] = 0.25 * x[0]
    return np.sum(y * y)


def swapped_where_selected(x, n):
    a, b = x.copy(), 2.0 * x
    for _k in range(n):
        m = a > b
        t = a[m]
        a[m] = b[m]
        b[m] = t
        a, b = b, a
    return np.sum(a * x) + np.sum(b * b)


def bins_of_a_histogram(x, r, n):
    found = np.zeros(n)
    for k in range(n):
        m = np.logical_and(r >= k / n, r < (k + 1) / n)
        found[k] = x[m].mean()
    return np.sum(found * found)


def numbers_are_clipped(x, low, high):
    y = x.copy()
    y[y < low] = low
    y[y > high] = high
    return np.sum(y * x)


def integers_and_booleans_by_masks(x):
    k = np.zeros(x.size, dtype=np.int64)
    m = x > 0.0
    k[m] = 3
    k[~m] += 2
    d = m.copy()
    d[k > 2] = False
    d[x > 1.0] = True
    y = x.copy()
    y[d] = x[k[d]] * x[d]
    return np.sum(y * k)


PROGRAMS = [
    Program(stores_and_loads_by_one_mask, lambda rng: (rng.normal(size=7), MASK), compiled=True),
    Program(stores_and_loads_by_one_mask, lambda rng: (rng.normal(size=7), MASK & False)),
    Program(stores_and_loads_by_one_mask, lambda rng: (np.zeros(0), np.zeros(0, np.bool_))),
    Program(sums_and_means_of_selected, lambda rng: (rng.normal(size=7), MASK)),
    Program(selected_from_a_product, lambda rng: (rng.normal(size=7), rng.normal(size=7), MASK), (0, 1)),
    Program(infinite_where_not_selected, vector(7)),
    Program(mask_is_written_between, lambda rng: (rng.normal(size=7), MASK)),
    Program(mask_selects_itself, lambda rng: (rng.normal(size=7), MASK), compiled=True),
    Program(mask_selects_itself, lambda rng: (rng.normal(size=7), ONE)),
    Program(indices_select_themselves, vector(7)),
    Program(source_is_written_between, lambda rng: (rng.normal(size=7), MASK)),
    Program(mask_of_other_places, vector(7)),
    Program(overlapping_views, lambda rng: (rng.normal(size=7), MASK)),
    Program(columns_as_targets, lambda rng: (rng.normal(size=7), MASK)),
    Program(rows_by_a_mask, lambda rng: (rng.normal(size=(7, 3)), MASK)),
    Program(rows_by_a_mask, lambda rng: (rng.normal(size=(7, 2, 2)), MASK)),
    Program(masks_of_a_matrix, lambda rng: (rng.normal(size=(4, 3)),)),
    Program(selected_is_used_as_an_array_as_well, lambda rng: (rng.normal(size=7), MASK)),
    Program(moments_of_selected, lambda rng: (rng.normal(size=7), rng.normal(size=7), MASK), (0, 1), compiled=True),
    Program(sums_that_are_used_by_the_same_mask, lambda rng: (rng.normal(size=7), MASK)),
    Program(masks_in_a_loop, lambda rng: (rng.normal(size=7), 4)),
    Program(masks_in_a_loop, lambda rng: (rng.normal(size=7), 0)),
    Program(mask_is_carried, lambda rng: (rng.normal(size=7), 6)),
    Program(masks_and_early_exits, vector(7)),
    Program(swapped_where_selected, lambda rng: (rng.normal(size=7), 3)),
    Program(bins_of_a_histogram, lambda rng: (rng.normal(size=30), rng.random(30), 4)),
    Program(numbers_are_clipped, lambda rng: (rng.normal(size=(4, 3)), -0.4, 0.6), (0, 1, 2)),
    Program(integers_and_booleans_by_masks, vector(7)),
]
