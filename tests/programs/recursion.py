"""Functions that call themselves or one another, and large helpers that are called again and again."""

import numpy as np

from tests.programs.program import Program, numbers, vector

WEIGHTS = np.array([0.5, 2.0, 1.5, -0.3])


def power(x, n, scale=1.0):
    if n == 0:
        return scale
    return x * power(x, n - 1, scale)


def tree(x, n):
    """Two calls of different arguments, one of which runs after what the other has recorded."""
    if n < 2:
        return np.sin(x) * x
    return tree(x * 0.5, n - 1) * 1.3 + tree(x, n - 2)


def tree_of_a_square(x):
    return tree(x * x, 5)


def even(x, n):
    if n == 0:
        return x
    return odd(x * x, n - 1)


def odd(x, n):
    if n == 0:
        return np.cos(x)
    return even(x + 0.3, n - 1)


def mutual(x, n):
    return even(x, n) * 2.0 + odd(x, n)


def sum_of_halves(v):
    """Views of views are handed down, of any layout."""
    n = v.shape[0]
    if n == 1:
        return v[0] * v[0]
    return sum_of_halves(v[: n // 2]) * 1.1 + np.sin(sum_of_halves(v[n // 2 :]))


def sum_of_every_other(v):
    if v.size < 2:
        return np.sum(v * v)
    return np.exp(0.1 * sum_of_every_other(v[::2])) * sum_of_every_other(v[1::2])


def by_index(v, low, high):
    if high - low == 1:
        return v[low] ** 3
    middle = (low + high) // 2
    return by_index(v, low, middle) * by_index(v, middle, high) + v[low]


def tree_by_index(v):
    return by_index(v, 0, v.shape[0])


def transform(a):
    """In place, on copies of its halves: the shape of a fast Fourier transform."""
    n = a.shape[0]
    if n <= 1:
        return
    e = a[::2].copy()
    o = a[1::2].copy()
    transform(e)
    transform(o)
    for k in range(n // 2):
        t = np.cos(1.0 * k) * o[k]
        a[k] = e[k] + t
        a[k + n // 2] = e[k] - t * e[k]


def transformed(x):
    y = x.copy()
    transform(y)
    return np.sum(y * y * np.arange(y.shape[0]))


def halves_in_place(a):
    """Writes into views of what it was given."""
    n = a.shape[0]
    if n < 2:
        a[0] = np.sin(a[0])
        return
    halves_in_place(a[: n // 2])
    halves_in_place(a[n // 2 :])
    for i in range(n - 1):
        a[i + 1] = a[i + 1] + a[i] * a[i + 1]


def scanned(x):
    y = x * 1.0
    halves_in_place(y)
    return y * y[0]


def quicksort(a, low, high):
    """Gives back the array that it was given."""
    if high - low < 2:
        return a
    pivot, i = a[low], low
    for j in range(low + 1, high):
        if a[j] < pivot:
            i += 1
            a[i], a[j] = a[j], a[i]
    a[low], a[i] = a[i], a[low]
    quicksort(a, low, i)
    quicksort(a, i + 1, high)
    return a


def sorted_squares(x):
    a = x * x
    b = quicksort(a, 0, a.shape[0])
    b[0] = b[0] * 2.0
    return np.sum(a * np.arange(a.shape[0])) + b[0]


def extremes(v, low, high):
    """Two results, taken apart and put together."""
    if high - low == 1:
        return v[low], v[low] * 2.0
    middle = (low + high) // 2
    a, b = extremes(v, low, middle)
    c, d = extremes(v, middle, high)
    return (a if a < c else c * a), (b if b > d else d + b)


def extremes_in_a_loop(v):
    total = 0.0
    for k in range(3):
        a, b = extremes(v * (k + 1.0), 0, v.shape[0])
        if a < 0.0:
            continue
        total += a * b
    return total


def captured_array(x, n):
    if n == 0:
        return x * WEIGHTS[0]
    return captured_array(x * WEIGHTS[n], n - 1) + x


def inner_recursion(x, n):
    """The inner function reads variables of the outer one."""
    a = x * x

    def go(v, k):
        if k == 0:
            return v * a
        return go(v * a, k - 1) + x

    return go(x, n) + go(a, 1)


def until_small(x):
    """The depth depends on a value that is differentiated."""
    if x < 0.1:
        return x
    return np.sin(until_small(x * x * 0.7)) + x


def recursion_in_a_while_loop(x):
    n = 0
    while until_small(x) < 2.0 and n < 10:
        x = x * 1.4
        n += 1
    return x * until_small(x)


def recursion_over_arrays(v, n):
    """Arrays are given and returned; a branch returns the argument itself, another an array of its own."""
    if n == 0:
        return v
    w = recursion_over_arrays(v * 0.5 + v[::-1], n - 1)
    return w * v


def norm_of_arrays(v):
    return np.sum(recursion_over_arrays(v, 3)) + v[0]


def result_of_integers(v, low, high):
    """The position of the largest: an integer, through which nothing is differentiated."""
    if high - low == 1:
        return low
    middle = (low + high) // 2
    i, j = result_of_integers(v, low, middle), result_of_integers(v, middle, high)
    return i if v[i] >= v[j] else j


def largest(v):
    return v[result_of_integers(v, 0, v.shape[0])] ** 2


def adaptive(f, a, b, depth):
    """Adaptive quadrature: recursion with a function for an argument."""
    middle = 0.5 * (a + b)
    coarse = (b - a) * f(middle)
    fine = 0.5 * (b - a) * (f(0.5 * (a + middle)) + f(0.5 * (middle + b)))
    if depth == 0 or abs(fine - coarse) < 1e-3:
        return fine
    return adaptive(f, a, middle, depth - 1) + adaptive(f, middle, b, depth - 1)


def quadrature(x):
    return adaptive(lambda t: np.exp(x * t), 0.0, 1.0, 6) + adaptive(np.sin, 0.0, x, 3)


def loops_with_records(x, n):
    """Each call records in loops of its own, arrays too."""
    if n == 0:
        return np.sum(x)
    total = 0.0
    y = x
    for i in range(n):
        y = y * np.sin(y) + total
        for j in range(y.shape[0]):
            if y[j] > 0.8:
                break
            total += y[j] * y[j] * (i + 1)
    return total + 0.1 * loops_with_records(y, n - 1)


def determinant(a, n):
    """Expansion by minors: arrays allocated at each depth."""
    if n == 1:
        return a[0, 0]
    total = 0.0
    for column in range(n):
        minor = np.empty((n - 1, n - 1))
        for i in range(1, n):
            for j in range(n):
                if j != column:
                    minor[i - 1, j if j < column else j - 1] = a[i, j]
        sign = 1.0 if column % 2 == 0 else -1.0
        total += sign * a[0, column] * determinant(minor, n - 1)
    return total


def determinant_by_minors(a):
    return determinant(a, a.shape[0])


def ackermann_like(x, m, n):
    """A call for an argument of another."""
    if m == 0:
        return x + 0.1 * n
    if n == 0:
        return np.sin(ackermann_like(x, m - 1, 1))
    return ackermann_like(ackermann_like(x, m, n - 1) * 0.9, m - 1, n - 1)


def not_differentiated(v, n):
    """The recursion decides, and is not differentiated."""
    if n == 0:
        return 1.0
    return 0.5 * not_differentiated(v, n - 1)


def weighted_by_depth(v, n):
    return np.sum(v * v) * not_differentiated(n, n)


class Polynomial:
    """A method that calls itself, and reads what the object holds."""

    def __init__(self):
        self.rate = 0.3

    def value(self, x, n):
        if n == 0:
            return self.rate
        return self.value(x, n - 1) * x + self.rate


def smooth(v, k):
    """Large enough, called often enough, to be generated once and called."""
    a = np.sin(v) * k
    b = np.exp(-a * a) + v
    for i in range(3):
        if b > 1.5:
            b = b * 0.5 + a * np.cos(b)
        elif a > 0.5:
            a = a - 0.1 * b * b
        else:
            a, b = b * 0.3 + a, a * 0.4 + b
        for j in range(2):
            if a * b > 2.0 + j:
                break
            a = a + 0.01 * np.tanh(b + i)
    c = a * b + np.log(1.0 + a * a)
    d = np.sqrt(1.0 + c * c) / (1.0 + b * b)
    if d > 1.0:
        return d - np.arctan(c)
    return c * d + v


def large_helper(x):
    total = 0.0
    for i in range(2):
        total += smooth(x, 1.0) * smooth(x + i, 0.5) + smooth(smooth(x, 0.1), total)
    return total + smooth(x, 1.1) * smooth(x, 1.2)


def level_1(x):
    return smooth(x, 1.0) + smooth(x * 0.5, 2.0)


def level_2(x):
    return level_1(x) * level_1(x + 0.1) + level_1(x * 0.5)


def tall_call_tree(x):
    """Inlined throughout it would grow with the number of calls."""
    return level_2(x) + 0.1 * level_2(0.5 * x) + level_2(0.1 * x) * level_2(0.3 * x)


PROGRAMS = [
    Program(power, numbers(0.7, 4, 1.2), (0, 2)),
    Program(tree, numbers(0.7, 5), compiled=True),
    Program(tree_of_a_square, numbers(0.7)),
    Program(mutual, numbers(0.6, 4), compiled=True),
    Program(sum_of_halves, vector(5), compiled=True),
    Program(sum_of_every_other, vector(6)),
    Program(tree_by_index, vector(5)),
    Program(transformed, vector(8), compiled=True),
    Program(scanned, vector(6)),
    Program(sorted_squares, vector(6), compiled=True),
    Program(extremes_in_a_loop, lambda rng: (rng.uniform(0.5, 2.0, size=5),)),
    Program(captured_array, numbers(0.7, 3), compiled=True),
    Program(inner_recursion, numbers(0.7, 3)),
    Program(until_small, numbers(1.2)),
    Program(recursion_in_a_while_loop, numbers(0.6)),
    Program(norm_of_arrays, vector(4)),
    Program(recursion_over_arrays, lambda rng: (rng.normal(size=3), 2)),
    Program(largest, vector(5)),
    Program(quadrature, numbers(0.8)),
    Program(loops_with_records, lambda rng: (rng.uniform(0.1, 0.9, size=4), 3), compiled=True),
    Program(determinant_by_minors, lambda rng: (rng.normal(size=(3, 3)),)),
    Program(ackermann_like, numbers(0.7, 2, 3)),
    Program(weighted_by_depth, lambda rng: (rng.normal(size=3), 4)),
    Program(Polynomial().value, numbers(0.7, 3)),
    Program(large_helper, numbers(0.7)),
    Program(tall_call_tree, numbers(0.7)),
]
