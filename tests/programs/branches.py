"""Decisions: if, elif, ternaries, boolean operators, comparisons, and arrays that meet after a branch."""

import numpy as np

from tests.programs.program import Program, numbers, vector


def three_way(x):
    if x < -1.0:
        y = x * x
    elif x < 1.0:
        y = np.sin(x)
    else:
        y = np.exp(-x)
    return y * x


def branch_on_a_value_that_is_overwritten(x):
    y = x
    for i in range(5):
        if y > 0.5:
            y = y * y * 0.4
        else:
            y = y + 0.3 * x
    return y


def branch_without_else_keeps_the_earlier_value(x, y):
    z = x * y
    if x > y:
        z = z * x
    return z * z


def nested_branches(x):
    total = 0.0
    for v in x:
        if v > 0.0:
            if v > 1.0:
                total += np.log(v)
            else:
                total += v * v
        elif v > -1.0:
            total -= v**3
    return total


def ternary_with_active_branches(x, y):
    z = x * x if x > y else y * np.exp(x)
    return z * (x if z > 1.0 else y)


def nested_ternary_in_an_index(x, i):
    j = 0 if i < 0 else i if i < x.shape[0] else x.shape[0] - 1
    return x[j] * x[j - 1]


def short_circuit_guards_a_read(x):
    total = 0.0
    for i in range(-2, x.shape[0] + 2):
        if i >= 0 and i < x.shape[0] and x[i] > 0.0 or i == 0:
            total += x[max(i, 0)] ** 2
    return total


def or_gives_a_number(x, y):
    z = (x > 5.0 and x) or y
    return z * x


def not_and_or(x, y):
    if not (x > y or y < 0.0):
        return x * y
    return x - y


def chained_comparison(x):
    total = 0.0
    for v in x:
        if -0.5 < v <= 1.2 != v:
            total += np.exp(v)
    return total


def boolean_kept_in_a_name(x):
    positive = x[0] > 0.0
    x = x * 3.0
    if positive:
        x = x * x
    return np.sum(x)


def arrays_meet_after_a_branch(x, flag):
    if flag:
        y = x
    else:
        y = x * x
    z = np.zeros_like(x)
    z[1:] = y[:-1] * x[1:]
    return np.sum(z * y)


def array_written_in_one_branch(x, y):
    a = x.copy()
    if np.sum(a) > 0.0:
        a[0] = y[0] * a[0]
    else:
        a[-1] = y[-1] * a[-1]
    return np.sum(a * a)


def branch_picks_the_target(x, left):
    a = np.zeros(3)
    b = np.ones(3)
    if left:
        c = a
    else:
        c = b
    for i in range(3):
        c[i] += x[i] * x[i]
    return np.sum(c * x)


def identity_with_none(x, scale=None):
    if scale is None:
        return x * x
    return x * scale


def clipped_by_hand(x, low, high):
    y = min(max(x, low), high)
    return y * y + abs(x - high)


PROGRAMS = [
    Program(three_way, numbers(-1.7)),
    Program(three_way, numbers(0.4), compiled=True),
    Program(three_way, numbers(2.3)),
    Program(branch_on_a_value_that_is_overwritten, numbers(0.7), compiled=True),
    Program(branch_without_else_keeps_the_earlier_value, numbers(0.7, 1.3), (0, 1)),
    Program(branch_without_else_keeps_the_earlier_value, numbers(1.7, 1.3), (0, 1)),
    Program(nested_branches, numbers(np.array([1.5, 0.6, -0.4, -2.0])), compiled=True),
    Program(ternary_with_active_branches, numbers(0.7, 1.3), (0, 1)),
    Program(ternary_with_active_branches, numbers(1.7, 1.3), (0, 1)),
    Program(nested_ternary_in_an_index, lambda rng: (rng.normal(size=3), 7)),
    Program(nested_ternary_in_an_index, lambda rng: (rng.normal(size=3), -7)),
    Program(short_circuit_guards_a_read, vector(5)),
    Program(or_gives_a_number, numbers(0.7, 1.3), (0, 1)),
    Program(or_gives_a_number, numbers(5.7, 1.3), (0, 1)),
    Program(not_and_or, numbers(0.7, 1.3), (0, 1)),
    Program(not_and_or, numbers(1.7, 1.3), (0, 1)),
    Program(chained_comparison, numbers(np.array([-0.7, -0.2, 0.9, 1.9]))),
    Program(boolean_kept_in_a_name, vector(3)),
    Program(boolean_kept_in_a_name, numbers(np.array([-0.3, 0.8]))),
    Program(arrays_meet_after_a_branch, lambda rng: (rng.normal(size=4), True)),
    Program(arrays_meet_after_a_branch, lambda rng: (rng.normal(size=4), False)),
    Program(array_written_in_one_branch, lambda rng: (rng.normal(size=4), rng.normal(size=4)), (0, 1)),
    Program(branch_picks_the_target, lambda rng: (rng.normal(size=3), True)),
    Program(branch_picks_the_target, lambda rng: (rng.normal(size=3), False)),
    Program(identity_with_none, numbers(0.7)),
    Program(identity_with_none, numbers(0.7, 1.9), (0, 1)),
    Program(clipped_by_hand, numbers(0.7, 0.1, 1.3), (0, 1, 2)),
    Program(clipped_by_hand, numbers(1.7, 0.1, 1.3), (0, 1, 2)),
]
