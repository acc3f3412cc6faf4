"""Generators of the user's: loops over them, left early or not, and functions that take all values at once."""

import numpy as np

from tests.programs.program import Program, numbers, vector


def powers(x, n):
    for k in range(n):
        yield k, x**k


def multiples(x, n, factor=1.5):
    for k in range(n):
        yield factor * k * x


def doubled_without_end(x):
    while True:
        yield x
        x = x * 2.0


def until_large(values, limit):
    for v in values:
        if v > limit:
            return
        yield v


def pairs(values):
    yield 0, values[0]
    yield from enumerate(values)
    for v in doubled(values):
        if v > 0.0:
            yield 9, v


def doubled(values):
    for v in values:
        yield 2.0 * v


def halved_in_place(a):
    for i in range(a.shape[0]):
        a[i] = a[i] * 0.5
        yield i


class Model:
    def __init__(self, rate):
        self.rate = rate

    def rates(self, n):
        for k in range(n):
            yield self.rate * k


MODEL = Model(0.7)


def unpacked(x, n):
    s = 0.0
    for j, u in powers(x, n):
        s += j * u
    return s


def counted(x, n):
    s = 0.0
    for i, v in enumerate(multiples(x, n), 2):
        if i == 3:
            continue
        s += i * v * v
    return s


def left_early(x, n):
    s = 0.0
    for v in doubled_without_end(x):
        s += v * v
        if s > n:
            break
    else:
        s = 100.0 * x
    return s * v


def left_by_return(x, n):
    for v in doubled_without_end(x):
        if v > n:
            return v * x
    return x


def not_left(x, n):
    s = 0.0
    for v in multiples(x, n):
        if v > 1e6:
            break
        s += v
    else:
        s = s * x
    return s


def left_in_nested_loops(x):
    s = 0.0
    for k, v in pairs(x):
        if k == 1:
            continue
        if k == 9 and v > 1.5:
            break
        s += (k + 1) * v * v
    return s


def ended_by_the_generator(x):
    s = 1.0
    for v in until_large(x, 1.0):
        s *= 1.0 + v
    return s


def writes_in_the_body(x):
    a = x * 2.0
    s = 0.0
    for v in doubled(a):
        a[-1] += v
        s += v * v
    return s + a[-1]


def writes_in_the_generator(x):
    a = x * 2.0
    s = 0.0
    for i in halved_in_place(a):
        s += a[i] * a[0]
    return s


def inner_with_closure(x, n):
    scale = x * x

    def scaled():
        for k in range(n):
            yield scale * k

    s = 0.0
    for v in scaled():
        scale = scale + v
        s += v
    return s * scale


def taken_at_once(x, n):
    values = list(multiples(x, n, factor=2.0))
    return sum(multiples(x, n)) + max(multiples(x, n)) * values[-1]


def in_comprehensions(x, n):
    squares = [v * v for v in multiples(x, n)]
    return sum(squares) * squares[1]


def of_a_method(x, n):
    s = sum(MODEL.rates(n)) * x
    for v in MODEL.rates(n):
        s += v * x * x
    return s


def nothing_yielded(x, n):
    s = x
    for v in multiples(x, n - n):
        s += v
    return s


PROGRAMS = [
    *(
        Program(each, numbers(1.3, 4))
        for each in (
            *(unpacked, counted, left_early, left_by_return, not_left, inner_with_closure, taken_at_once),
            *(in_comprehensions, of_a_method, nothing_yielded),
        )
    ),
    *(Program(each, lambda rng: (rng.uniform(0.3, 0.9, 4),)) for each in (writes_in_the_body, writes_in_the_generator)),
    *(Program(each, vector(3)) for each in (left_in_nested_loops, ended_by_the_generator)),
    Program(left_in_nested_loops, lambda rng: (np.array([0.4, 0.9, 0.2]),), compiled=True),
]
