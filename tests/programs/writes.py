"""Arrays written in place: elements, slices, masks, integer arrays; scratch space used again; arguments overwritten."""

import numpy as np

from tests.programs.program import Program, matrix, vector


def prefix_products_in_place(x):
    a = x.copy()
    for i in range(1, a.shape[0]):
        a[i] = a[i] * a[i - 1]
    return np.sum(a * a)


def element_overwritten_twice(x):
    a = np.zeros(2)
    a[0] = x[0] * x[1]
    y = a[0] * a[0]
    a[0] = np.sin(x[0])
    y += a[0] ** 3
    a[0] = 2.0
    return y + a[0]


def overwritten_value_is_not_needed(x):
    a = x * x
    for i in range(a.shape[0]):
        a[i] = 3.0 * a[i]
        a[i] = a[i] + x[i]
    return np.sum(a)


def slices_overlap_their_target(x):
    a = x.copy()
    a[1:] = a[:-1] * a[1:]
    a[:-1] = a[1:] + a[:-1]
    a[::2] *= a[0]
    return np.sum(a)


def slices_with_steps(x):
    a = np.ones(x.shape[0])
    a[::-2] = x[::2] * x[0]
    a[4:0:-1] += x[1:5]
    return np.sum(a**3)


def augmented_element_in_a_loop(x):
    a = np.zeros(3)
    for i in range(x.shape[0]):
        a[i % 3] += x[i] * a[(i + 1) % 3]
        a[(i + 2) % 3] -= x[i]
        a[i % 3] *= 1.5
    return np.sum(a * a)


def stencil_in_place(u, steps):
    a = u.copy()
    for _ in range(steps):
        a[1:-1] = a[1:-1] + 0.1 * (a[2:] - 2.0 * a[1:-1] + a[:-2]) * a[1:-1]
        a[0] = 0.0
        a[-1] = a[-2]
    return np.sum(a * a)


def scratch_array_used_again(x):
    n = x.shape[0]
    work = np.empty(n)
    total = 0.0
    for i in range(n):
        for j in range(n):
            work[j] = x[i] * x[j]
        for j in range(1, n):
            work[j] = np.sin(work[j]) * work[j - 1]
        total += work[n - 1] * x[i]
    return total


def scratch_array_partly_stale(x):
    work = np.zeros(3)
    total = 0.0
    for i in range(x.shape[0]):
        work[i % 3] = x[i] * x[i]
        total += work[0] * work[1] + work[2]
    return total


def masked_write(x):
    a = x.copy()
    a[x > 0.0] = 0.5
    a[a < -1.0] *= a[0]
    return np.sum(a * x)


def masked_read(x):
    y = x[x > 0.0]
    return np.sum(y * y) + y.shape[0] * x[0]


def masked_assignment_of_an_array(x):
    a = np.zeros_like(x)
    m = x < 0.5
    a[m] = x[m] * x[m]
    return np.sum(a * a)


def repeated_indices_read(x, i):
    y = x[i]
    y[0] = y[1] * y[1]
    return np.sum(y * y)


def repeated_indices_written_last_wins(x, i):
    a = np.zeros(4)
    a[i] = x * x
    return np.sum(a**3)


def repeated_indices_augmented_count_once(x, i):
    a = np.ones(4)
    a[i] += x * x
    a[i] *= x
    return np.sum(a**2)


def scatter_and_gather_by_a_loop(x, i):
    a = np.zeros(4)
    for k in range(i.shape[0]):
        a[i[k]] += x[k] * a[i[k - 1]] + x[k]
    return np.sum(a * a)


def argument_is_overwritten(x):
    for i in range(x.shape[0]):
        x[i] = x[i] * x[i] * (i + 1.0)
    x *= 0.5
    return np.sum(np.sin(x))


def whole_array_is_set(x, y):
    a = np.empty(3)
    a[:] = x
    b = a * y
    a[...] = 2.0
    a[0] = b[1]
    return np.sum(a * b)


def mixed_indices(a):
    b = np.zeros((3, 4))
    b[0, 1:] = a[1, :3] * a[0, 0]
    b[1:, 2] = a[:2, -1]
    b[2, ::2] += a[2, ::-2]
    b[-1, -1] = b[0, 1] * a[2, 3]
    return np.sum(b * b * a)


def row_and_column_updates(a):
    b = a.copy()
    for k in range(b.shape[0]):
        b[k] = b[k] / b[k, k]
        for i in range(b.shape[0]):
            if i != k:
                b[i] -= b[i, k] * b[k] * 0.5
    return np.sum(b)


def new_axis_reads(x):
    d = x[:, None] - x[None, :]
    return np.sum(np.exp(-d * d) * x)


def in_place_factorisation(a):
    n = a.shape[0]
    m = a @ a.T + np.eye(n)
    for j in range(n):
        for k in range(j):
            m[j, j] -= m[j, k] * m[j, k]
        m[j, j] = np.sqrt(m[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                m[i, j] -= m[i, k] * m[j, k]
            m[i, j] /= m[j, j]
    return m[n - 1, n - 1] * m[1, 0] + np.log(m[0, 0])


def bubble_sort(x):
    a = x.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    weighted = 0.0
    for i in range(n):
        weighted += (i + 1) * a[i] ** 2
    return weighted


def write_of_a_constant_kills(x):
    a = x * x
    a[1] = 0.0
    a[2:] = 1.0
    return np.sum(a * x)


def index_array_changes_after_the_store(x):
    weights = np.ones(4)
    y = np.sum(x * weights)
    where = np.array([0, 1])
    weights[where] = 3.0
    where[0] = 2
    return y + np.sum(x * x * weights)


def index_array_changes_between_stores(x):
    a = x * 1.5
    y = np.sum(a * a)
    where = np.array([0, 1])
    a[where] = 3.0 * x[:2]
    where[0] = 2
    a[where] = a[where] * x[1:3]
    return y + np.sum(a * a)


def array_is_shifted_in_place(x):
    a = x * 1.5
    total = np.sum(a * a)
    a[1:] = a[:-1]
    a[0] = total
    return np.sum(a * a * x)


def array_is_stored_into_itself(x):
    a = x * 1.0
    b = a[:]
    a[:] = b
    a[:] = a[::-1]
    a[:2] = a[2:]
    a[::2] = a[1::2]
    a[1:] += a[:-1]
    a[:-1] -= a[1:]
    a += a
    a *= a
    return np.sum(a * a * x)


def matrix_is_stored_into_itself(x):
    a = x * 1.0
    a[:] = a.T
    a[0] = a[:, 1]
    a[1:] = a[0]
    a[:, 2] = a[2, :]
    return np.sum(a * a * x)


def elements_are_permuted_in_place(x):
    a = x * 1.5
    i = np.array([3, 0, 1])
    a[i] = a[1:]
    a[a > 0.0] = 2.0
    a[i] += a[:3]
    return np.sum(a * a * x)


def loops_in_a_branch_not_taken(x):
    a = x * 1.0
    if x[0] > 50.0:
        n = 0
        while n < 3:
            n += 1
            a[n] = a[n - 1] * a[n]
            if a[0] > 2.0:
                break
        for i in range(int(x[0])):
            a = a * a * i
    else:
        a[0] = a[1]
    return np.sum(a * a)


INDICES = np.array([2, 0, 2, 3, 2])


def operators_without_a_store_of_their_own(x):
    a = x.copy()
    a **= 2
    m = a > 0.5
    a[~m] **= 3
    b = a * x
    b %= 0.7
    b[1:] **= 2
    return np.sum(a * x) + np.sum(b)


PROGRAMS = [
    Program(operators_without_a_store_of_their_own, vector(4), compiled=True),
    Program(prefix_products_in_place, vector(5), compiled=True),
    Program(prefix_products_in_place, vector(1)),
    Program(element_overwritten_twice, vector(2)),
    Program(overwritten_value_is_not_needed, vector(4)),
    Program(slices_overlap_their_target, vector(6), compiled=True),
    Program(slices_with_steps, vector(6)),
    Program(augmented_element_in_a_loop, vector(7), compiled=True),
    Program(stencil_in_place, lambda rng: (rng.normal(size=6), 3), compiled=True),
    Program(stencil_in_place, lambda rng: (rng.normal(size=6), 0)),
    Program(scratch_array_used_again, vector(4), compiled=True),
    Program(scratch_array_partly_stale, vector(5)),
    Program(masked_write, vector(6)),
    Program(masked_read, vector(6)),
    Program(masked_assignment_of_an_array, vector(6), compiled=True),
    Program(repeated_indices_read, lambda rng: (rng.normal(size=4), INDICES)),
    Program(repeated_indices_written_last_wins, lambda rng: (rng.normal(size=5), INDICES)),
    Program(repeated_indices_augmented_count_once, lambda rng: (rng.normal(size=5), INDICES)),
    Program(scatter_and_gather_by_a_loop, lambda rng: (rng.normal(size=5), INDICES), compiled=True),
    Program(argument_is_overwritten, vector(4), compiled=True),
    Program(whole_array_is_set, lambda rng: (rng.normal(size=3), rng.normal(size=3)), (0, 1)),
    Program(mixed_indices, matrix(3, 4), compiled=True),
    Program(row_and_column_updates, lambda rng: (rng.normal(size=(3, 3)) + 3.0 * np.eye(3),)),
    Program(new_axis_reads, vector(4)),
    Program(in_place_factorisation, matrix(3, 3), compiled=True),
    Program(bubble_sort, vector(5)),
    Program(write_of_a_constant_kills, vector(4)),
    Program(index_array_changes_after_the_store, vector(4)),
    Program(index_array_changes_between_stores, vector(4)),
    Program(array_is_shifted_in_place, vector(4)),
    Program(array_is_stored_into_itself, vector(4), compiled=True),
    Program(matrix_is_stored_into_itself, matrix(3, 3)),
    Program(elements_are_permuted_in_place, vector(4)),
    Program(loops_in_a_branch_not_taken, vector(4), compiled=True),
]
