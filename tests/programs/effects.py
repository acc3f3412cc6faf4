"""Functions and methods that write into an array: `out=`, np.add.at, np.put, np.copyto, np.fill_diagonal."""

import numpy as np

from tests.programs.program import Program, matrix, vector


def results_into_parts_of_their_operands(x):
    a = x * 1.0
    np.add(a[:-1], a[1:], out=a[1:])
    np.multiply(a[:-1], a[1:], out=a[:-1])
    np.multiply(a[1:], a[:-1], a[1:])
    np.multiply(a[::-1], a, out=a)
    return np.sum(a * a * x)


def the_array_written_into_is_the_value(x):
    b = np.empty(5)
    c = np.sin(x, out=b)
    d = np.cos(x, out=None) * c
    b[0] = x[1] * x[1]
    c[1] *= 3.0
    np.exp(x, out=x)
    return np.sum(c * b * d + x)


def divided_only_where_possible(x):
    y = np.full(5, -1.0)
    d = np.where(x > 0.0, x, 0.0)
    np.divide(1.0, d, out=y, where=x > 0.0)
    z = np.log(d, out=np.zeros(5), where=d > 0.0)
    return np.sum((y + z) * x)


def reductions_and_products_into_arrays(m):
    c = np.empty((4, 4))
    np.dot(m, m, out=c)
    np.matmul(c, m, out=c)
    s = np.zeros(4)
    np.sum(m * m, axis=0, out=s)
    m.clip(-1.0, 1.0, out=m)
    s.cumsum(out=m[1])
    return np.sum(c * m) + np.sum(s)


def added_at_places_that_occur_again(x, places):
    a = x * x
    np.add.at(a, places, x[:4] * x[1:])
    np.subtract.at(a, places, x[0] * 2.0)
    np.add.at(a, places[:3], a[1:4])
    np.add.at(a, places[:0], x[:0])
    np.add.at(a, [-1, -1, 0], x[:3])
    np.subtract.at(a, ([1, 1],), x[0])
    return np.sum(a * a)


def added_at_places_of_a_matrix(m, rows, columns):
    a = m * 1.0
    np.add.at(a, (rows, columns), m[0, :3] * 2.0)
    np.add.at(a, rows, m[:3] * m[1])
    np.add.at(a, rows, m[1])
    np.add.at(a[:, 1], rows, m[0, :3])
    return np.sum(a * a)


def added_where_a_mask_holds(x, mask):
    a = x * x
    np.add.at(a, mask, x[:3])
    np.place(a, mask, x[0])
    np.putmask(a, a > 1.0, x * 2.0)
    return np.sum(a * a)


def placed_from_the_start_again(x, mask):
    a = x * x
    np.place(a, mask, x[:2])
    np.place(a, a > 0.5, [x[2], 3.0])
    np.place(a, a > 1e9, x * 2.0)
    np.place(a, ~mask, x[3:] * a[0])
    return np.sum(a * a * x)


def put_copied_and_filled(x, places):
    a = x * x
    np.put(a, places, x[:4] * 3.0)
    a.put(places[:1], x[4])
    np.copyto(a, x, where=a > 0.5)
    np.copyto(a[1:], a[:-1])
    a[3:].fill(x[1])
    return np.sum(a * a * x)


def diagonals_are_filled(m):
    a = m * m
    np.fill_diagonal(a, m[0, 0])
    np.fill_diagonal(a[:2, :2], m[1, :2])
    np.fill_diagonal(a[:, :2], 0.5)
    return np.sum(a * a)


def steps_without_new_arrays(x, n):
    u = x.copy()
    v, slope = np.zeros_like(u), np.zeros(3)
    for _ in range(n):
        np.multiply(u, u, out=v)
        np.add(v, 0.1 * x, out=v)
        np.sin(v, out=u)
        np.subtract(u[2:], u[:-2], out=slope)
        np.multiply(slope, slope, slope)
        u[1:-1] += 0.01 * slope
    return np.sum(u * v)


PLACES = np.array([0, 0, 2, 4])
ROWS, COLUMNS = np.array([0, 2, 2]), np.array([1, 1, 1])

PROGRAMS = [
    Program(results_into_parts_of_their_operands, vector(5), compiled=True),
    Program(the_array_written_into_is_the_value, vector(5)),
    Program(divided_only_where_possible, vector(5)),
    Program(reductions_and_products_into_arrays, matrix(4, 4)),
    Program(added_at_places_that_occur_again, lambda rng: (rng.normal(size=5), PLACES), compiled=True),
    Program(added_at_places_of_a_matrix, lambda rng: (rng.normal(size=(4, 4)), ROWS, COLUMNS)),
    Program(added_where_a_mask_holds, lambda rng: (rng.normal(size=5), np.array([True, False, True, True, False]))),
    Program(placed_from_the_start_again, lambda rng: (rng.normal(size=5), np.array([True, False, True, True, True]))),
    Program(put_copied_and_filled, lambda rng: (rng.normal(size=5), PLACES), compiled=True),
    Program(diagonals_are_filled, matrix(4, 4)),
    Program(steps_without_new_arrays, lambda rng: (rng.normal(size=5), 3), compiled=True),
    Program(steps_without_new_arrays, lambda rng: (rng.normal(size=5), 0)),
]
