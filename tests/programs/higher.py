"""Functions as values: handed over, returned, completed, and functions that rebind what is around them."""

import functools

import numpy as np

from tests.programs.program import Program, numbers, vector


def rebinding(x):
    total = 0.0

    def add(v):
        nonlocal total
        total += v * v
        return total

    add(x)
    y = total * add(2.0 * x) + total
    return y + add(y * 0.1) * total


def rebinding_in_loops(x, n):
    """What a loop carries is changed by a function that it calls; under a condition, too."""
    state = 1.0
    count = 0

    def step(v):
        nonlocal state, count
        if state > 3.0:
            state = state * 0.5
            count += 1
            return -v
        state = state + v * state
        return v

    out = 0.0
    for i in range(n):
        out += state * step(x + 0.1 * i) * state
        if count > 1:
            break
    return out * state + count


def operands_before_a_rebinding(x):
    """Operands keep the value that they had when they were evaluated."""
    y = x * x

    def bump():
        nonlocal y
        y = y * 3.0
        return y

    a = y + bump()
    b, c = y, bump()
    t = (y, bump(), y)
    return a * b + c * t[0] + t[1] - t[2] * x


def rebinding_two_levels_down(x):
    y = x

    def outer(v):
        def inner(w):
            nonlocal y
            y = y * w
            return y

        return inner(v) + inner(v + 1.0)

    return outer(x) + y * outer(0.5)


def rebinding_a_parameter(x, n):
    def double():
        nonlocal x
        x = np.sin(x) + x

    for _ in range(n):
        double()
    return x * x


def rebinding_arrays(x):
    a = x * 1.0

    def smooth():
        nonlocal a
        a = 0.5 * a + 0.5 * a[::-1] * a
        return a[0]

    s = smooth()
    for v in a:
        s += v * s
    s += smooth()
    return s + np.sum(a)


PROGRAMS = [
    Program(rebinding, numbers(0.7), compiled=True),
    Program(rebinding_in_loops, numbers(0.7, 6)),
    Program(operands_before_a_rebinding, numbers(0.7)),
    Program(rebinding_two_levels_down, numbers(0.7)),
    Program(rebinding_a_parameter, numbers(0.7, 3)),
    Program(rebinding_arrays, vector(4)),
]
