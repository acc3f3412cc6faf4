"""Loops whose iterations are independent but for sums, and loops that only look like it."""

import math

import numpy as np

from tests.programs.program import Program, vector

WEIGHTS = np.array([0.7, -1.3, 0.4, 2.0, -0.6, 1.1])
PLACES = np.array([2, 0, 1, 2, 2, 0])


# Reversed on the spot ------------------------------------------------------------------------------------------------


def sum_of_terms(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i]) * x[i]
    return 3.0 * total


def paths_that_end_early(x, barrier):
    total = 0.0
    for i in range(x.shape[0]):
        s = x[i] * x[i] + 0.3
        alive = True
        for t in range(6):
            s *= math.exp(0.1 * x[i] + 0.02 * t)
            if s > barrier:
                alive = False
                break
        if alive and s > 0.5:
            total += s - 0.5
    return math.exp(-barrier) * total / x.shape[0]


def sequences_of_different_length(x):
    states = 3
    a, b = np.empty(states), np.empty(states)
    total = 0.0
    for n in range(PLACES.shape[0]):
        for j in range(a.shape[0]):
            a[j] = x[n] * j
        for t in range(1, PLACES[n]):
            for j in range(a.shape[0]):
                top = a[0] + WEIGHTS[j]
                for i in range(1, a.shape[0]):
                    top = max(top, a[i] * WEIGHTS[i])
                b[j] = np.tanh(top) + 0.3 * a[j]
            for j in range(a.shape[0]):
                a[j] = b[j]
        total += a[0] * a[-1]
    return total


def covered_scratch(x):
    n = x.shape[0]
    buffer = np.empty(n)
    total = 0.0
    for i in range(n):
        for k in range(n):
            buffer[k] = x[k] * x[i]
        for k in range(1, n):
            total += buffer[k] * buffer[k - 1]
    return total


def sweeps_over_scratch(x):
    n = x.shape[0]
    c = np.empty(n)
    d = np.zeros(n)
    total = 0.0
    for i in range(n):
        for k in range(n):
            b = 3.0 + x[i] * x[i]
            v = x[k]
            if k > 0:
                b -= c[k - 1]
                v -= 0.5 * d[k - 1]
            c[k] = x[k] / b
            d[k] = v / b
        y = d[n - 1]
        for k in range(n - 2, -1, -1):
            y = d[k] - c[k] * y
            total += y * y
    return total


def scratch_stored_twice(x):
    n = x.shape[0]
    buffer = np.empty(n)
    total = 0.0
    for i in range(n):
        for k in range(n):
            buffer[k] = x[k] * x[i]
        for k in range(n):
            total += np.sin(buffer[k])
            buffer[k] = buffer[k] * buffer[k]
            total += np.cos(buffer[k])
    return total


def scratch_of_both_arms(x):
    buffer = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            buffer[0] = x[i] * x[i]
            buffer[1] = x[i]
        else:
            buffer[0] = np.sin(x[i])
            buffer[1] = 2.0
        buffer[2] = buffer[0] * buffer[1]
        total += buffer[2] * buffer[0]
    return total


def running_index(x):
    n = x.shape[0]
    total = 0.0
    p = 0
    for i in range(n):
        for j in range(i, n):
            total += x[p % n] * x[j] * x[i]
            p += 1
        p -= 1
    return total


def two_sums(x):
    a = 0.0
    b = 1.0
    for i in range(x.shape[0]):
        a += x[i] ** 3
        if x[i] > 0.0:
            b -= x[i] * x[i]
    return 2.0 * a - b


def histogram(x):
    out = np.zeros(3)
    for i in range(x.shape[0]):
        out[PLACES[i]] += x[i] * x[i]
    return out[0] + 2.0 * out[1] - out[2]


def rows_by_views(x):
    n = x.shape[0]
    table = np.empty((n, n))
    for i in range(n):
        row = table[i]
        for j in range(n):
            row[j] = x[j] * x[i]
            if j > 0:
                row[j] += row[j - 1] * x[j]
    return np.sum(table * 2.0)


def own_array(x):
    total = 0.0
    for i in range(x.shape[0]):
        work = np.zeros(4)
        work[0] = x[i]
        for k in range(3):
            work[k + 1] = work[k] * x[i] + 1.0
        total += np.sum(work * work)
    return total


def own_arrays_that_follow_each_other(x):
    total = 0.0
    for i in range(x.shape[0]):
        row = np.ones(3)
        for k in range(4):
            following = np.empty(3)
            for a in range(3):
                following[a] = np.sin(x[i] + k) * row[a] + row[2 - a]
            row = following
        total += np.sum(row * row)
    return total


def own_arrays_overwritten(x):
    total = 0.0
    for i in range(x.shape[0]):
        row = np.ones(3)
        other = np.full(3, 0.5)
        for k in range(4):
            for a in range(3):
                other[a] = row[a] * other[2 - a] * x[i]
            row, other = other, row
        total += np.sum(row * other)
    return total


def argument_then_loop_then_more(x):
    y = np.exp(x)
    total = 0.0
    for i in range(x.shape[0]):
        total += y[i] * x[i]
    rest = np.sum(y)
    return total * 0.5 + rest * rest


def elements_of_the_past(x):
    a = x.copy()
    total = 0.0
    for i in range(a.shape[0]):
        t = a[i]
        a[i] = t * t
        total += t * a[i]
    return total


# Not reversed on the spot ---------------------------------------------------------------------------------------------


def recurrence(x):
    s = 0.0
    total = 0.0
    for i in range(x.shape[0]):
        s = 0.5 * s + x[i]
        total += s * s
    return total


def sum_read_inside(x):
    total = 1.0
    for i in range(x.shape[0]):
        total += x[i] * total * 0.1
    return total


def sum_of_partial_sums(x):
    s = total = 0.0
    for i in range(x.shape[0]):
        total = total + s
        s = s + np.sin(x[i])
    return total


def partial_sums_now_and_then(x):
    s = total = 0.0
    for i in range(x.shape[0]):
        for _ in range(i % 3):
            total += s
        s += x[i] ** 2
    return total * s


def sum_one_iteration_late(x):
    s = late = later = 0.0
    for i in range(x.shape[0]):
        later = late + 0.5
        late = s
        s = s + np.sin(x[i])
    return later * late


def sum_set_back(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
        if total > 2.0:
            total = 0.5
    return total


def sums_that_change_places(x):
    """Every second term is of the one, every second of the other."""
    a, b = 0.0, 1.0
    for i in range(x.shape[0]):
        a, b = b + x[i] * x[i], a
    return 1.5 * a + 3.0 * b


def logarithm_of_a_sum(x):
    total = 0.1
    for i in range(x.shape[0]):
        total += x[i] * x[i]
    return math.log(total)


def product_of_sums(x):
    a = 0.0
    b = 0.0
    for i in range(x.shape[0]):
        a += x[i] * x[i]
        b += np.cos(x[i])
    return a * b


def scratch_partly_covered(x):
    n = x.shape[0]
    buffer = np.zeros(n)
    total = 0.0
    for i in range(n):
        total += buffer[0] * x[i]
        for k in range(n):
            buffer[k] = x[k] * x[i]
        total += buffer[n - 1]
    return total


def sums_into_the_next(x):
    y = x * x
    total = 0.0
    for i in range(x.shape[0] - 1):
        y[i + 1] += x[i]
        total += y[i] * y[i]
    return total


def scratch_with_a_gap(x):
    n = x.shape[0]
    buffer = np.ones(n)
    total = 0.0
    for i in range(n):
        for k in range(1, n):
            buffer[k] = x[k] * x[i]
        total += buffer[0] * buffer[1] * x[i]
        buffer[0] = x[i]
    return total


def scratch_stored_sometimes(x):
    buffer = np.ones(2)
    total = 0.0
    for i in range(x.shape[0]):
        if x[i] > 0.0:
            buffer[0] = x[i] * x[i]
        total += buffer[0] * x[i]
    return total


def scratch_of_a_loop_that_may_not_run(x):
    buffer = np.ones(2)
    total = 0.0
    for i in range(x.shape[0]):
        for _ in range(PLACES[i]):
            buffer[0] = x[i] * x[i]
        total += buffer[0] * x[i]
    return total


def scratch_of_a_loop_left_early(x):
    n = x.shape[0]
    buffer = np.ones(n)
    total = 0.0
    for i in range(n):
        for k in range(n):
            if x[k] * x[i] > 1.0:
                break
            buffer[k] = x[k] * x[i]
        for k in range(n):
            total += buffer[k] * x[k]
    return total


def scratch_read_behind(x):
    buffer = np.zeros(2)
    total = 0.0
    for i in range(x.shape[0]):
        buffer[0] = x[i] * x[i]
        total += buffer[0] * 2.0
    return total + 3.0 * buffer[0]


def overlapping_results(x):
    out = np.zeros(x.shape[0])
    for i in range(x.shape[0]):
        out[i // 2] = x[i] * x[i]
    return out[0] + 2.0 * out[1] - 3.0 * out[2]


def neighbour_before(x):
    a = x.copy()
    for i in range(1, a.shape[0]):
        a[i] = a[i - 1] * x[i] + 1.0
    return np.sum(a * WEIGHTS)


def neighbour_behind(x):
    a = x.copy()
    for i in range(a.shape[0] - 1):
        a[i] = a[i + 1] * a[i]
    return np.sum(a * WEIGHTS)


def elements_by_table(x):
    a = np.ones(3)
    for i in range(x.shape[0]):
        a[PLACES[i]] = a[PLACES[i]] * x[i]
    return a[0] + 2.0 * a[1] - a[2]


def last_value(x):
    y = 0.0
    total = 0.0
    for i in range(x.shape[0]):
        y = x[i] * x[i]
        total += y
    return total + 4.0 * y


def best_so_far(x):
    best = -10.0
    total = 0.0
    for i in range(x.shape[0]):
        v = x[i] * np.cos(x[i])
        if v > best:
            best = v
        total += x[i] * x[i]
    return total + best


def found_first(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * x[i]
        if x[i] > 1.0:
            return total * x[i]
    return total


def buffer_used_again(x):
    n = x.shape[0]
    work = np.empty(n)
    total = 0.0
    for i in range(n):
        work[i] = np.sin(x[i])
        total += work[i] * x[i]
    for i in range(n):
        work[i] = x[i] * x[i]
    return total + np.sum(work)


def array_of_the_iteration_before(x):
    total = 0.0
    row = np.ones(3)
    for i in range(x.shape[0]):
        following = np.ones(3)
        for a in range(3):
            following[a] *= x[i] * row[2 - a]
        row = following
        total += np.sum(row)
    return total


def array_read_behind(x):
    total = 0.0
    for i in range(x.shape[0]):
        row = np.ones(3)
        for a in range(3):
            row[a] *= x[i]
        total += np.sum(row * row)
    return total + row[1]


def shape_by_the_mask(x):
    total = 0.0
    out = np.zeros(2 * x.shape[0] + 2)
    for i in range(x.shape[0]):
        part = x[x > x[i]]
        n = part.shape[0]
        out[n] = x[i] * 2.0
        total += out[n + 1] * x[i]
    return total


ON_THE_SPOT = [
    sequences_of_different_length,
    sum_of_terms,
    covered_scratch,
    sweeps_over_scratch,
    scratch_stored_twice,
    scratch_of_both_arms,
    running_index,
    two_sums,
    histogram,
    rows_by_views,
    own_array,
    own_arrays_that_follow_each_other,
    own_arrays_overwritten,
    argument_then_loop_then_more,
    elements_of_the_past,
]
OTHERWISE = [
    recurrence,
    sums_into_the_next,
    sum_read_inside,
    sum_of_partial_sums,
    partial_sums_now_and_then,
    sum_one_iteration_late,
    sum_set_back,
    sums_that_change_places,
    logarithm_of_a_sum,
    product_of_sums,
    scratch_partly_covered,
    scratch_with_a_gap,
    scratch_stored_sometimes,
    scratch_of_a_loop_that_may_not_run,
    scratch_of_a_loop_left_early,
    scratch_read_behind,
    overlapping_results,
    neighbour_before,
    neighbour_behind,
    elements_by_table,
    last_value,
    best_so_far,
    found_first,
    buffer_used_again,
    array_of_the_iteration_before,
    array_read_behind,
    shape_by_the_mask,
]
PROGRAMS = [
    *(Program(each, vector(6), compiled=each is sweeps_over_scratch) for each in [*ON_THE_SPOT, *OTHERWISE]),
    Program(paths_that_end_early, lambda rng: (rng.normal(size=7), 2.5), wrt=(0, 1), compiled=True),
    Program(covered_scratch, vector(0)),
    Program(sweeps_over_scratch, vector(1)),
]
