"""Names that are a number first and an array later: sums and products that begin with 0.0 or 1."""

import numpy as np

from tests.programs.program import Program, matrix, numbers, vector


def weighted_powers(x):
    s = 0.0
    for k in range(1, 4):
        s = s + k * x**k
    return np.sum(s * s)


def sum_in_place(x):
    s = 0
    for k in range(3):
        s += np.sin(k + x)
    return np.sum(s**3)


def product_of_shifts(x, n):
    p = 1
    for k in range(n):
        p = p * (x + k)
    return np.sum(p) + np.max(p)


def product_that_may_be_empty(x, n):
    p = 1.0
    for k in range(n):
        p = p * (x + k)
    return np.sum(p) * np.sum(x)


def sum_over_rows(m):
    s = 0.0
    for row in m:
        s = s + np.tanh(row) * row[0]
    return np.sum(s * s)


def sum_of_outer_products(m):
    c = 0.0
    for i in range(m.shape[0]):
        c += np.outer(m[i], m[i])
    return np.linalg.det(c + np.eye(m.shape[1]))


def fourier_series(x):
    z = 0
    for k in range(3):
        z = z + np.exp(1j * k * x) / (k + 1.0)
    return np.sum(np.abs(z) ** 2)


def adam(x):
    m, v = 0, 0
    for step in range(1, 5):
        g = 2.0 * x + np.cos(x)
        m = 0.9 * m + 0.1 * g
        v = 0.99 * v + 0.01 * g**2
        x = x - 0.1 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.99**step)) + 1e-3)
    return np.sum(x * x)


def until_it_is_large(x):
    s, steps = 0.0, 0
    while steps < 20:
        s = s + x**2
        steps += 1
        if np.sum(s) > 5.0:
            break
    return np.sum(s * x) + steps


def only_some_terms(x):
    s = 0.0
    for i in range(x.size):
        if x[i] > 0.2:
            s = s + i * np.sin(x)
    return np.sum(s)


def skipped_by_continue(x):
    s = 0.0
    for i in range(1, 7):
        if i % 3:
            continue
        s += x**i
        x = 1.1 * x
    return np.sum(s) + np.sum(x)


def last_term_counts_down(x, step):
    s, last = 0.0, 0.0
    for i in range(5, 0, step):
        if i < 4:
            last = s * x
        s = s + x / i
        if i == 2:
            break
    return np.sum(s * last) + i


def inner_sums(x, n, m):
    s = 0.0
    for i in range(n):
        t = 0.0
        for j in range(m):
            t = t + x * (i + j)
        s = s + np.sum(t**2) * x
    return np.sum(s)


def two_sums(x, n, m):
    s = 0.0
    for i in range(n):
        s += i * x
    t = 1
    for _ in range(m):
        t = t * np.cos(x)
    return np.sum(s * t) + np.sum(x)


def either_a_number_or_an_array(x):
    scale = x if x[0] > 0.0 else 0.5
    if x[1] > 0.0:
        scale = scale * 2.0
    return np.sum(scale * x**2)


def number_vector_matrix(x):
    s = 1.0
    for k in range(4):
        s = s * x if k == 0 else s + np.outer(x, x)
    return np.sum(s @ x)


def in_a_dictionary(x):
    state = {"sum": 0.0, "steps": 0}
    for k in range(3):
        state["sum"] = state["sum"] * 0.5 + x * k
        state["steps"] += 1
    return np.sum(state["sum"] ** 2) / state["steps"]


def total(x, n):
    s = 0.0
    for k in range(n):
        s = s + x ** (k + 1)
    return s


def in_a_helper(x, n):
    return np.sum(total(x, 2) * total(x, n)) + np.sum(total(x, 0))


def largest_of_several(x):
    best = -np.inf
    for k in range(3):
        best = np.maximum(best, np.sin(x * (k + 1)))
    return np.sum(best)


def bounds_that_the_loop_changes(x):
    n, s = 3, 0.0
    for i in range(n):
        n = i - 5
        s = s + x * (i + 1)
    return np.sum(s**2) * (n + i)


def sum_in_place_of_a_view(m):
    s = 0.0
    for i in range(2):
        s += m[i]
    s[0] = s[1] * m[0, 0]
    return np.sum(s**2) + np.sum(m)


X = np.array([0.7, -0.4, 1.3])

PROGRAMS = [
    Program(weighted_powers, vector(3), compiled=True),
    Program(sum_in_place, vector(3), compiled=True),
    Program(product_of_shifts, numbers(X, 3)),
    Program(product_that_may_be_empty, numbers(X, 0), compiled=True),
    Program(product_that_may_be_empty, numbers(X, 2)),
    Program(sum_over_rows, matrix(3, 2)),
    Program(sum_of_outer_products, matrix(3, 2)),
    Program(fourier_series, vector(3), compiled=True),
    Program(adam, numbers(X), compiled=True),
    Program(until_it_is_large, numbers(X), compiled=True),
    Program(only_some_terms, numbers(X), compiled=True),
    Program(only_some_terms, numbers(-X * X)),
    Program(skipped_by_continue, numbers(X), compiled=True),
    Program(last_term_counts_down, numbers(X, -1), compiled=True),
    Program(last_term_counts_down, numbers(X, -2)),
    Program(inner_sums, numbers(X, 2, 3), compiled=True),
    Program(inner_sums, numbers(X, 0, 3)),
    Program(two_sums, numbers(X, 3, 2), compiled=True),
    Program(two_sums, numbers(X, 0, 2)),
    Program(two_sums, numbers(X, 2, 0)),
    Program(either_a_number_or_an_array, numbers(X), compiled=True),
    Program(either_a_number_or_an_array, numbers(-X)),
    Program(number_vector_matrix, numbers(X), interpreted=True),
    Program(in_a_dictionary, numbers(X)),
    Program(in_a_helper, numbers(X, 3)),
    Program(in_a_helper, numbers(X, 0)),
    Program(largest_of_several, numbers(X)),
    Program(bounds_that_the_loop_changes, numbers(X)),
    Program(sum_in_place_of_a_view, matrix(2, 3)),
]
