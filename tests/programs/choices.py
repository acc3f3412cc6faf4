"""Functions that are chosen at run time: by a test, an index, a key, or what a loop has done so far."""

import functools

import numpy as np

from tests.programs.program import Program, numbers


def square(x):
    return x * x


def wave(x):
    return np.sin(x)


def pair(x):
    return x, x * x


def other_pair(x):
    return x**3, 2.0 * x


def doubled_in_place(a):
    a[0] = a[0] * 2.0
    return a


def tripled(a):
    return a * 3.0


def by_a_ternary(x, n):
    k = square if n > 1 else wave
    return k(x) * x


def by_a_key(x, n):
    operations = {0: square, 1: wave, 7: np.exp}
    return operations[n](x)


def values_by_a_key(x, n):
    weights = {3: x, 7: x * x}
    return weights[n] * 2.0


def by_an_index_in_a_loop(x, n):
    operations = [square, wave, np.exp]
    s = 0.0
    for i in range(n):
        s += operations[i % 3](x)
    return s


def defined_in_branches(x, n):
    if n > 1:

        def k(u):
            return u * u * x

    else:

        def k(u):
            return u + x

    return k(x) + k(2.0)


def maybe_none(x, n):
    callback = None
    if n > 1:
        callback = square
    y = x * 3.0
    if callback is not None:
        y = callback(y)
    return y * x


def tuples(x, n):
    k = pair if n > 1 else other_pair
    a, b = k(x)
    return a * b


def partials(x, n):
    k = functools.partial(np.multiply, x) if n > 1 else functools.partial(np.add, x)
    return k(2.0) * x


def switched_by_a_loop(x, n):
    k = square
    s = x
    for _ in range(n):
        s = k(s) * 0.7
        if s < 0.5:
            k = wave
        elif s > 0.9:
            k = np.cos
    return s + k(x)


def compared(x, n):
    k = square
    for _ in range(n):
        x = k(x)
        k = wave if k is square else square
    return x if k == wave else 2.0 * x


def handed_to_others(x, n):
    k = square if n > 1 else wave
    return sum(map(k, [x, 2.0 * x])) + sum([k(v) for v in (x, x + 1.0)])


def writes_in_one(x, n):
    a = x * x
    k = doubled_in_place if n > 1 else tripled
    b = k(a)
    b[1] = b[1] * a[0]
    return np.sum(a * b)


def returned_by_a_function(x, n):
    def make(a):
        def inner(u):
            return u * a

        return inner

    k = make(x) if n > 1 else make(2.0 * x)
    return k(x)


BOTH = [
    *(by_a_ternary, defined_in_branches, maybe_none, tuples, partials, switched_by_a_loop, compared),
    *(handed_to_others, returned_by_a_function, by_an_index_in_a_loop),
]
PROGRAMS = [
    *(Program(each, numbers(1.3, n)) for each in BOTH for n in (0, 5)),
    *(Program(by_a_key, numbers(1.3, n)) for n in (0, 1, 7)),
    *(Program(values_by_a_key, numbers(1.3, n)) for n in (3, 7)),
    *(Program(writes_in_one, lambda rng, n=n: (rng.uniform(0.5, 1.5, 3), n)) for n in (0, 5)),
    Program(switched_by_a_loop, numbers(0.8, 4), compiled=True),
]
