"""Buffers that change places in branches, and arrays that are one of several: each is written into."""

import numpy as np

from tests.programs.program import Program, vector


def best_so_far(x):
    best = np.zeros(4)
    trial = x.copy()
    least = 1e9
    for k in range(4):
        for i in range(4):
            trial[i] = x[i] * np.cos(k * x[i]) + 0.1 * best[i]
        value = np.sum(trial * trial)
        if value < least:
            least = value
            best, trial = trial, best
    return np.sum(best * best * x) + trial[1]


def parity_of_the_step(x):
    u = x.copy()
    v = x * 0.5
    for k in range(5):
        target = u if k % 2 == 0 else v
        source = v if k % 2 == 0 else u
        for i in range(4):
            target[i] = source[i] * x[i] + np.sin(target[i - 1])
    return np.sum(u * v)


def three_in_turn(x):
    a = x.copy()
    b = x * 2
    c = x * 3
    for k in range(6):
        if a[0] * k > 0.5:
            a, b, c = b, c, a
        elif k % 2:
            a, c = c, a
        a[k % 4] = b[0] * c[1] * 0.3
    return np.sum(a * x) + np.sum(b * c)


def copied_or_not(x):
    y = x if x[0] > 9.0 else x.copy()
    y[0] = y[1] * y[2]
    return np.sum(y * y * x)


def views_of_one_of_two(x):
    a = x.copy()
    b = x * 2.0
    c = a if x[1] > 100.0 else b
    v = c[1:]
    for k in range(3):
        if v[0] > 0.5 * k:
            c[k] = a[0] * b[1]
            c = b if k == 1 else a
        v[0] = 0.5 * c[2] * v[1]
    w = v[::-1]
    w[0] = v[0] * v[1]
    return np.sum(a * b)


def one_of_two_rows(x):
    g = np.zeros((2, 4))
    g[0] = x
    g[1] = x * x
    for k in range(3):
        row = g[0] if k % 2 == 0 else g[1]
        row[k] = row[k + 1] * x[0]
        row *= 1.5
    return np.sum(g[0] * g[1])


def until_it_is_small(x):
    a = x.copy()
    b = np.empty(4)
    n = 0
    while np.max(np.abs(a)) > 0.1 and n < 10:
        b[1:] = 0.5 * a[1:] + 0.1 * a[:-1]
        b[0] = a[0] * a[1]
        if n != 3:
            a, b = b, a
        n += 1
    return np.sum(a) + np.sum(b * b)


def chosen_by_a_helper(x):

    def chosen(u, v, k):
        if k % 2 == 0:
            return u
        return v

    a = x.copy()
    b = np.zeros(4)
    for k in range(4):
        t = chosen(a, b, k)
        t[k] = a[0] * x[k] + b[1]
        t[:2] += x[2:]
    out = b if a[0] > 0.0 else a
    out *= x
    return out


def made_in_one_branch(x):
    a = x * x
    if a[0] > 0.01:
        b = np.zeros(4)
        b[1] = a[2] * x[0]
    else:
        b = a
    for k in range(3):
        b[k] += a[k + 1] * b[1]
        a[0] *= b[0]
    return np.sum(a * b)


def numbers_passed_on_by_repeated_loops(x):
    u, w = x * 1.0, np.cos(x)
    a = x[0]
    for k in range(3):
        if a > 0.2:
            u, w = w, u
        n = 0
        while n < 2 and (a > -0.9 or k == 0):
            a = a * np.sin(u[0] + 1) + 0.1
            w[3] = u[2] * a
            n += 1
    w[0] += a
    for i in range(2):
        u, w = w, u
        for j in range(i + 1):
            a *= np.sin(w[0] * w[3])
            u[j] = w[2] + a
    return a + np.sum(u * w)


def made_anew_or_changed(x):
    w = np.ones(x.size)
    for k in range(x.size):
        if x[k] > 0.3:
            w = x * w
            w += np.sin(w)
        else:
            w -= x
    w *= x
    return np.sum(w)


PROGRAMS = [
    Program(best_so_far, vector(4), compiled=True),
    Program(parity_of_the_step, vector(4)),
    Program(three_in_turn, vector(4)),
    Program(copied_or_not, vector(4)),
    Program(views_of_one_of_two, vector(4), compiled=True),
    Program(one_of_two_rows, vector(4)),
    Program(until_it_is_small, vector(4)),
    Program(chosen_by_a_helper, vector(4), compiled=True),
    Program(made_in_one_branch, vector(4)),
    Program(numbers_passed_on_by_repeated_loops, vector(4)),
    Program(made_anew_or_changed, vector(5)),
]
