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


def scaled(v, k=2.0, *, m=1.0):
    return v * v * k * m


def sum_of_squares(*values):
    total = 0.0
    for v in values:
        total += v * v
    return total * len(values)


def any_number_of_arguments(x, y):
    pair = (x * y, y)
    return sum_of_squares(x, y, 2.0) * sum_of_squares() + sum_of_squares(*pair) + scaled(*pair) + np.hypot(*pair)


def handed_on(f, *args, **options):
    return f(*args, **options)


def arguments_handed_on(x):
    options = {"m": x, "k": 1.5}
    first = handed_on(scaled, x, m=3.0) + handed_on(scaled, *(x, 0.5), **{"m": 2.0})
    return first * scaled(x, **options) + handed_on(np.sin, x)


def integrate(f, a, b, n=8):
    h = (b - a) / n
    total = 0.0
    for i in range(n):
        total += f(a + (i + 0.5) * h) * h
    return total


def integrals(x):
    """Nested functions, lambdas, functions of NumPy and completed ones are handed over."""

    def inner(t):
        return np.exp(t * x)

    by_name = integrate(inner, 0.0, x) + integrate(lambda t: t * inner(t), 0.0, 1.0) + integrate(np.sin, 0.0, x, n=3)
    return by_name * integrate(functools.partial(scaled, k=x), 0.0, 1.0)


def compose(f, g):
    def h(v):
        return f(g(v))

    return h


def factories(x):
    """Functions are returned, put into tuples and chosen by constants."""
    h = compose(np.sin, compose(lambda v: v * x, np.exp))
    total = h(x) + compose(h, h)(0.1 * x)
    for f in (np.cos, h, lambda v: v * v):
        total += f(total * 0.1)
    return total


tripled = functools.partial(scaled, k=3.0)
weighted = functools.partial(np.dot, np.array([0.5, -1.0, 2.0]))
nested = functools.partial(functools.partial(handed_on, scaled), m=0.5)


def completed_functions(x):
    g = functools.partial(scaled, x[0])
    h = functools.partial(g, m=x[1])
    return tripled(x[0], m=x[1]) * g(x[2]) + h(k=2.0) + nested(x[0]) + weighted(x) + integrate(tripled, x[0], x[1])


class Growth:
    def __init__(self, rate):
        self.rate = rate
        self.calls = 0

    def slope(self, v, by=1.0):
        self.calls += 1
        return self.rate * v * (by - v)

    def steps(self, v):
        return integrate(self.slope, v, v + 1.0)


class Limited(Growth):
    def slope(self, v, by=2.0):
        self.rate *= 1.1
        return super().slope(v, by=by) - 0.1 * v


def methods_handed_on(x):
    first, second = Growth(x[0]), Limited(x[1])
    kept = {"slow": first.slope, "fast": second.slope}
    f = kept["slow"]
    first = Growth(x[2])
    for function in (f, first.slope, second.steps):
        x[2] += function(x[2])
    return kept["fast"](x[2], by=x[0]) + sum(map(f, [x[0], x[1]])) + second.calls


def helper_with_exits(v, limit):
    for i in range(5):
        if v > limit + i:
            return v * i
        v = v * 1.3
    return v * v


def helpers_with_exits_in_conditions(x):
    total = 0.0
    j = 0
    while helper_with_exits(x + 0.1 * j, 1.0) < 6.0 and j < 5:
        if helper_with_exits(x * j, 0.7) > 1.0:
            total += helper_with_exits(x * j, 0.3)
        elif helper_with_exits(x, 0.1 * j) > 0.5:
            total -= 0.3 * helper_with_exits(total, 0.2)
        j += 1
    return total + helper_with_exits(x, 0.5)


PROGRAMS = [
    Program(rebinding, numbers(0.7), compiled=True),
    Program(rebinding_in_loops, numbers(0.7, 6)),
    Program(operands_before_a_rebinding, numbers(0.7)),
    Program(rebinding_two_levels_down, numbers(0.7)),
    Program(rebinding_a_parameter, numbers(0.7, 3)),
    Program(rebinding_arrays, vector(4)),
    Program(any_number_of_arguments, numbers(0.7, 1.3), (0, 1), compiled=True),
    Program(arguments_handed_on, numbers(0.7)),
    Program(integrals, numbers(0.7), compiled=True),
    Program(factories, numbers(0.7)),
    Program(completed_functions, vector(3), compiled=True),
    Program(methods_handed_on, vector(3), compiled=True),
    Program(helpers_with_exits_in_conditions, numbers(0.73)),
]
