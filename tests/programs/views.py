"""Views and aliases: two names for one piece of memory, read and written through both."""

import numpy as np

from tests.programs.program import Program, matrix, vector


def view_sees_a_later_write(x):
    a = x.copy()
    v = a[1:]
    a[1] = x[0] * x[0]
    return np.sum(v * v)


def write_through_a_view(x):
    a = x.copy()
    v = a[1:3]
    v[0] = x[0] * x[2]
    v *= 2.0
    return np.sum(a * a)


def view_of_a_view(x):
    a = x.copy()
    b = a[1:]
    c = b[::2]
    c[1] = c[0] * c[1]
    b += 1.0
    return np.sum(a * a) + c[0]


def row_view_is_updated(a):
    b = a.copy()
    for i in range(b.shape[0]):
        row = b[i]
        row *= row[0]
        row[1:] += row[:-1]
    return np.sum(b * b)


def column_view_is_updated(a):
    b = a.copy()
    column = b[:, 1]
    for i in range(b.shape[0]):
        column[i] = column[i] * b[i, 0]
    return np.sum(b * b)


def transpose_shares_memory(a):
    b = a.copy()
    t = b.T
    t[0, 1] = a[0, 0] * a[1, 1]
    t *= 2.0
    return np.sum(b * b * a)


def reshape_shares_memory(x):
    b = x * 1.0
    m = b.reshape(2, 3)
    m[1, 0] = b[0] * b[1]
    b[5] = m[0, 2] ** 2
    return np.sum(m * m)


def reversed_view(x):
    a = x.copy()
    r = a[::-1]
    for i in range(a.shape[0] // 2):
        r[i] = a[i] * r[i]
    return np.sum(a**3)


def name_moves_from_view_to_view(a):
    b = a.copy()
    v = b[0]
    v[1] = v[0] * v[0]
    v = b[1]
    v[0] = v[1] * b[0, 1]
    return np.sum(b * b)


def copy_does_not_share(x):
    a = x.copy()
    b = a[1:].copy()
    a[1] = 0.0
    b[0] *= x[0]
    return np.sum(a * a) + np.sum(b * b)


def scalar_read_is_not_a_view(x):
    a = x.copy()
    v = a[0]
    a[0] = v * v
    return v * a[0] + a[1]


def view_taken_in_each_iteration(x):
    a = x.copy()
    total = 0.0
    for i in range(a.shape[0] - 1):
        pair = a[i : i + 2]
        pair[1] = pair[0] * pair[1]
        total += pair[1] * x[i]
    return total + np.sum(a)


def two_views_that_overlap(x):
    a = x.copy()
    low = a[:3]
    high = a[1:]
    low[1] = high[1] * high[2]
    high[0] += low[0]
    return np.sum(low * high)


def diagonal_by_index_pairs(a):
    b = a.copy()
    for i in range(b.shape[0]):
        b[i, i] = b[i, i] * b[i, i - 1]
    return np.sum(b * a)


def view_becomes_the_array_of_the_next_iteration(x):
    p = x * 1.0
    total = 0.0
    for i in range(3):
        total += p[0] * p[0] * p[1] * (i + 1)
        p = p[::-1]
    return total + np.sum(p * p * x)


def array_shrinks_to_a_view_of_itself(x):
    p = x * 1.0
    total = 0.0
    while p.shape[0] > 1:
        total += p[0] * p[1]
        p = p[::2]
    return p[0] * total


def halves_are_combined_until_one_is_left(x):
    p = x * 1.0
    while p.shape[0] > 1:
        p = p[::2] * p[1::2] + p[::2]
    return p[0]


def matrix_is_transposed_again_and_again(a):
    p = a * 1.0
    total = 0.0
    for i in range(3):
        total += p[0, 1] * p[2, 1] * (i + 1)
        p = p.T
    return total + np.sum(p * p)


def diagonal_is_taken(x):
    a = np.outer(x, x)
    d = np.diag(a)
    kept = np.diag(a).copy()
    total = np.sum(d * d * x)
    a[1, 1] = x[0]
    return total + np.sum(kept * x) + np.sum(a)


def reshape_in_fortran_order_shares_memory(x):
    y = x * 1.0
    a = np.reshape(y, (2, 2), order="F")
    y[1] = y[0] * 3.0
    a[0, 1] = np.sin(a[1, 0])
    return np.sum(a * a * a) + np.sum(y * x)


def first_power_of_a_matrix_is_the_matrix(a):
    b = a * 1.0
    c = np.linalg.matrix_power(b, 1)
    b[0, 1] = b[0, 0] * 3.0
    return np.sum(c * c * a)


def greatest_over_no_axes(x):
    """Each element is the greatest of itself."""
    greatest = np.max(x, axis=())
    return np.sum(greatest * greatest * greatest)


PROGRAMS = [
    Program(view_sees_a_later_write, vector(4)),
    Program(write_through_a_view, vector(4), compiled=True),
    Program(view_of_a_view, vector(5)),
    Program(row_view_is_updated, matrix(2, 3), compiled=True),
    Program(column_view_is_updated, matrix(3, 2)),
    Program(transpose_shares_memory, matrix(3, 3)),
    Program(reshape_shares_memory, vector(6)),
    Program(reversed_view, vector(6)),
    Program(name_moves_from_view_to_view, matrix(2, 2)),
    Program(copy_does_not_share, vector(3)),
    Program(scalar_read_is_not_a_view, vector(2)),
    Program(view_taken_in_each_iteration, vector(5), compiled=True),
    Program(two_views_that_overlap, vector(4)),
    Program(diagonal_by_index_pairs, matrix(3, 3)),
    Program(view_becomes_the_array_of_the_next_iteration, vector(4)),
    Program(array_shrinks_to_a_view_of_itself, vector(8)),
    Program(halves_are_combined_until_one_is_left, vector(4)),
    Program(matrix_is_transposed_again_and_again, matrix(3, 3)),
    Program(diagonal_is_taken, vector(3)),
    Program(reshape_in_fortran_order_shares_memory, vector(4), compiled=True),
    Program(first_power_of_a_matrix_is_the_matrix, matrix(2, 2)),
    Program(greatest_over_no_axes, vector(3), interpreted=True),
]
