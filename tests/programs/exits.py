"""Ways out: break, continue and return, at several levels of loops and branches."""

import numpy as np

from tests.programs.program import Program, numbers, vector


def break_on_a_value(x):
    acc = 0.0
    for i in range(x.shape[0]):
        acc += x[i] * x[i]
        if acc > 1.0:
            break
        acc *= 1.1
    return acc


def break_before_anything(x):
    acc = x[0]
    for i in range(x.shape[0]):
        if i >= 0:
            break
        acc *= x[i]
    return acc * acc


def continue_skips_the_rest(x):
    acc = 0.0
    for v in x:
        if v < 0.0:
            continue
        acc += np.sqrt(v)
        if v > 1.0:
            continue
        acc *= v
    return acc


def break_and_continue_in_one_loop(x):
    acc = 1.0
    for i in range(x.shape[0]):
        if x[i] < -1.0:
            continue
        if acc > 4.0:
            break
        acc = acc * (1.2 + x[i] * x[i])
    return acc


def early_return(x):
    if x < 0.0:
        return -x * x
    y = np.sqrt(x)
    if y > 1.0:
        return y
    return y * y * y


def return_from_a_loop(x, limit):
    acc = 1.0
    for i in range(x.shape[0]):
        acc += x[i] * acc
        if acc > limit:
            return acc * 10.0
    return acc


def return_from_two_loops(a):
    acc = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            acc += a[i, j] * a[i, j]
            if acc > 2.0:
                return acc * a[i, j]
        acc *= 0.9
    return acc


def break_out_of_the_inner_loop_only(a):
    acc = 0.0
    for i in range(a.shape[0]):
        part = 1.0
        for j in range(a.shape[1]):
            if a[i, j] > 0.9:
                break
            part *= a[i, j]
        acc += part * part
    return acc


def flag_set_at_the_break(x, barrier):
    alive = True
    s = 1.0
    for v in x:
        s *= np.exp(0.3 * v)
        if s < barrier:
            alive = False
            break
    if alive:
        return s
    return s * 0.1


def while_true(x):
    n = 0
    while True:
        x = x * x * 0.9
        n += 1
        if x < 0.01:
            break
        if n > 20:
            return x
    return x * n


def while_with_continue(x):
    i = 0
    acc = 0.0
    while i < x.shape[0]:
        i += 1
        if x[i - 1] > 0.5:
            continue
        acc += x[i - 1] ** 2 * (1.0 + acc)
    return acc


def break_in_a_while_inside_a_for(x):
    acc = 0.0
    for v in x:
        r = v
        while r < 10.0:
            r = r * r + 1.0
            if r > 6.0:
                break
        acc += np.log(r)
    return acc


def writes_before_a_break(x):
    a = x.copy()
    for i in range(1, a.shape[0]):
        a[i] = a[i] * a[i - 1]
        if a[i] > 0.5:
            break
        a[i] = a[i] + 1.0
    return np.sum(a * a)


def for_else_runs_without_a_break(x, limit):
    for v in x:
        if v > limit:
            y = v * v
            break
    else:
        y = x[0]
    return y * x[1]


def while_else_runs_without_a_break(x):
    y = x
    while y < 3.0:
        y = y * y
        if y < 0.0:
            break
    else:
        y = y * x
    return y


def returns_of_several_kinds(x):
    for i in range(x.shape[0]):
        if x[i] > 1.0:
            if i > 0:
                return x[i] * x[i - 1]
            else:
                return x[i]
        elif x[i] < -1.5:
            break
        elif i == x.shape[0] - 1:
            return np.sum(x)
    return x[0] * 3.0


ROW = np.array([0.3, -0.6, 0.8, -1.2, 1.4, 0.2])

PROGRAMS = [
    Program(break_on_a_value, numbers(ROW), compiled=True),
    Program(break_on_a_value, numbers(0.1 * ROW)),
    Program(break_before_anything, vector(3)),
    Program(continue_skips_the_rest, numbers(ROW), compiled=True),
    Program(break_and_continue_in_one_loop, numbers(2.0 * ROW)),
    Program(early_return, numbers(-0.7)),
    Program(early_return, numbers(0.7)),
    Program(early_return, numbers(1.7), compiled=True),
    Program(return_from_a_loop, numbers(ROW, 1.05)),
    Program(return_from_a_loop, numbers(ROW, 99.0)),
    Program(return_from_two_loops, numbers(ROW.reshape(2, 3)), compiled=True),
    Program(return_from_two_loops, numbers(0.2 * ROW.reshape(2, 3))),
    Program(break_out_of_the_inner_loop_only, numbers(ROW.reshape(2, 3))),
    Program(flag_set_at_the_break, numbers(ROW, 0.95)),
    Program(flag_set_at_the_break, numbers(ROW, 0.1)),
    Program(while_true, numbers(0.9), compiled=True),
    Program(while_with_continue, numbers(ROW)),
    Program(break_in_a_while_inside_a_for, numbers(ROW)),
    Program(writes_before_a_break, numbers(ROW + 1.0)),
    Program(for_else_runs_without_a_break, numbers(ROW, 1.0)),
    Program(for_else_runs_without_a_break, numbers(ROW, 9.0)),
    Program(while_else_runs_without_a_break, numbers(1.2)),
    Program(returns_of_several_kinds, numbers(ROW)),
    Program(returns_of_several_kinds, numbers(0.5 * ROW)),
    Program(returns_of_several_kinds, numbers(1.3 * ROW)),
]
