"""Loops over all that can be looped over."""

import numpy as np

VECTORS = [(np.arange(float(n)) + 1.0, np.arange(float(m)) * 2.0 - 3.0) for n, m in [(4, 4), (0, 3), (5, 2), (1, 0)]]
BOUNDS = [(a, b) for a in (-3, 0, 2, 7) for b in (-4, 0, 1, 5, 8)]


def forward_and_backward(a, b):
    s = 0.0
    for i in range(a, b):
        s = s * 2 + i
    for i in range(a, b, 3):
        s = s * 3 + i
    for i in range(b, a, -2):
        s = s * 5 + i
    for i in range(b):
        s = s * 7 + i
    return s


def step_at_run_time(a, b):
    s = 0
    for k in (1, -1, 2, -3):
        for i in range(a, b, k):
            s = s * 3 + i
    return s


def step_of_zero(a, b):
    for i in range(3, 9, a * b):
        a += i
    return a


def variable_after_the_loop(a, b):
    i = -99
    for i in range(a, b):
        pass
    j = -1
    for j in range(b, a, -1):
        a = a
    return i, j


def variable_stored_in_the_loop(a, b):
    s = 0
    for i in range(a, b):
        i = i * 2
        s += i
        i += 1
    for j in range(5):
        s += j
        for j in range(2):
            s += 10 * j
        s += j * 100
    return s, j


def bounds_changed_in_the_loop(a, b):
    s = 0
    for i in range(a, b):
        a += 2
        b -= 1
        s += i * a - b
    return s, a, b


def bounds_with_effects_are_computed_once(a, b):
    calls = np.zeros(1)

    def bound():
        calls[0] += 1
        return b

    s = 0
    for i in range(a, bound()):
        s += i
    return s, calls


def reversed_ranges(a, b):
    s = 0
    for i in reversed(range(a, b)):
        s = s * 2 + i
    for i in reversed(range(a, b, 3)):
        s = s * 3 + i
    for i in reversed(range(b, a, -2)):
        s = s * 5 + i
    for k, i in enumerate(reversed(range(b)), a):
        s = s * 2 + k * i
    return s, i if b > 0 else 0


def over_values(x, y):
    s = 0.0
    for v in x:
        s = s * 2.0 + v
    for v in reversed(y):
        s = s * 3.0 + v
    for v in x[::2]:
        s = s * 5.0 + v
    for v in x * 2.0 + 1.0:
        s -= v
    return s


def array_is_written_in_the_loop(x, y):
    for i, v in enumerate(x):
        x[-1 - i] += v
    for v in y:
        y *= 2.0
        y[-1] += v
    return x, y


def array_gets_another_value_in_the_loop(x, y):
    s = 0.0
    for v in x:
        x = y
        s += v
    for y in y:
        s += y * 2.0
    return s, x, y


def counted(x, y):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    for i, v in enumerate(y, 2):
        s += i * v
    for j, v in enumerate(y, start=len(x)):
        s -= j * v
    for k, i in enumerate(range(3, 9, 2)):
        s += k * i
    return s


def counter_is_stored_in_the_loop(x, y):
    s = 0.0
    for i, v in enumerate(x):
        i = i * 2
        s += i * v
    for i, i in enumerate(y):
        s += i
    for i, pair in enumerate(zip(x, y)):
        p, i = pair
        s += p - i
    return s


def zipped(x, y):
    s = 0.0
    for a, b in zip(x, y):
        s = s * 2.0 + a - b
    for a, b, c in zip(x, y, x[1:]):
        s += a * b * c
    for (a,) in zip(x):
        s += a
    for i, (a, b) in enumerate(zip(y, x), 1):
        s += i * a * b
    for (i, a), b in zip(enumerate(x), y):
        s -= i * a + b
    for i, a in zip(range(5, 0, -2), x):
        s += i * a
    return s


def zipped_pairs_kept_whole(x, y):
    s = 0.0
    for pair in zip(x, y):
        s += pair[0] * pair[1]
    for t in enumerate(x):
        s += t[0] * t[1]
    return s


def rows(x, y):
    a = np.outer(x, y)
    s = np.zeros(a.shape[1])
    for row in a:
        row *= 2.0
        s += row
    for i, row in enumerate(a[:, 1:]):
        for j, v in enumerate(row):
            a[i, j] += v
    for u, v in np.outer(x, np.ones(2)):
        s += u - v
    return s, a


def variables_after_loops_over_arrays(x, y):
    i, v, w = -1, -2.0, -3.0
    for i, (v, w) in enumerate(zip(x, y)):
        if v > 3.0:
            break
    return i, v, w


def exits_from_loops_over_arrays(x, y):
    s = 0.0
    for a, b in zip(x, y):
        for v in x:
            if v > a:
                break
            if v < b:
                continue
            s += v
        else:
            return s
        s += 10.0
        if s > 25.0:
            return -s
    return s


def tuples_of_numbers(x, y):
    s = 0.0
    for w in (0.5, 0.25, 2.0):
        for v in x:
            s = s * w + v
    for a, b in ((1.0, 2.0), (3.0, 4.0)):
        s += a * b
    return s


OVER_BOUNDS = [forward_and_backward, step_at_run_time, step_of_zero, variable_after_the_loop]
OVER_BOUNDS += [variable_stored_in_the_loop, bounds_changed_in_the_loop, bounds_with_effects_are_computed_once]
OVER_VECTORS = [over_values, array_is_written_in_the_loop, array_gets_another_value_in_the_loop, counted]
OVER_VECTORS += [counter_is_stored_in_the_loop, zipped, zipped_pairs_kept_whole, rows]
OVER_VECTORS += [variables_after_loops_over_arrays, exits_from_loops_over_arrays, tuples_of_numbers]


def row_sums(a):
    s = 0.0
    for i, row in enumerate(a):
        s += i * row[0]
    return s


def zip_of_unknown_step(x, k):
    s = 0.0
    for i, v in zip(range(0, 9, k), x):
        s += i * v
    return s
