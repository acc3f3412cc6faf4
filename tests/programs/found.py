"""What random programs have found, each the smallest that showed it, and what it was that went wrong."""

import functools
import math

import numpy as np

from tests.programs.program import Program, matrix, numbers


def branch_that_is_never_taken(a, x):
    """Numba gives no types to what follows: it knows that the test holds."""
    k = 1
    if k > -0.2:
        return np.sum(x * a)
    for v in x:
        x[0] -= v
        x *= a
    return a


def loop_that_is_never_entered(a, x):
    """The same, of a loop."""
    k = 1
    while k < 0:
        y = a * x[0]
        x[0] = np.sin(y) * y
        a = a + y
    return a * x[0]


def upper_triangle_by_a_tuple_of_indices(m):
    """A name for a tuple of index arrays was taken for one integer: a view, of one dimension less."""
    upper = np.triu_indices(3, 1)
    m[upper] = m[upper] * m[0, 0]
    m[upper] += m[0, 1]
    return np.sum(m[upper] ** 2) + np.sum(m)


def places_found_at_run_time(m):
    """The same, and the result has as many elements as are found, not as the array has columns."""
    large = np.nonzero(m > -0.5)
    return np.sum(m[large] ** 2) * m[0, 0]


def views_by_a_tuple_of_integers(m):
    c = np.stack((m, m * m, m * 2.0))
    k = divmod(4, m.shape[0])
    v = c[k]
    v[1] = m[2, 2] ** 2
    v[0] *= m[0, 0]
    c[1, 1, 2] = m[0, 1]
    c[k] *= m[1]
    return np.sum(c**3) + np.sum(np.sin(v))


def rows_by_a_slice(m):
    rows = slice(1, 3)
    m[rows] *= 2.0
    m[rows, 0] = m[0, 1] * m[rows, 0]
    return np.sum(m[rows] * m[:2])


ROW = np.array([0.3, -0.7, 0.9, 0.2])


def loop_whose_reversal_would_come_before_its_zeros(a, x):
    k = 1
    w = np.ones(4)
    w[:] *= np.sin(x * a)
    for i in range(k):
        n = 0
        while not n >= 2:
            n += 1
            if i > -0.2 and w[k % 4] < 0.5:
                break
        w[2] += np.sin(np.exp(-(i + 0.5) * (i + 0.5)))
    return a + np.sum(x * w) + np.sum(w * w)


def kalman_filter(a, z):
    x, p, cost = np.zeros(2), np.eye(2), 0.0
    for k in range(4):
        x, p = a @ x, a @ p @ a.T + 0.1 * np.eye(2)
        s = p + 0.5 * np.eye(2)
        gain = np.linalg.solve(s.T, p.T).T
        r = z * (k + 1) - x
        cost += r @ np.linalg.solve(s, r) + np.linalg.slogdet(s)[1]
        x = x + gain @ r
        p = (np.eye(2) - gain) @ p
    return cost


def within_groups(x):
    g = np.array([0, 1, 1, 0])
    sums, counts = np.zeros(2), np.zeros(2, dtype=int)
    np.add.at(sums, g, x**2)
    for each in g:
        counts[each] += 1
    means, spread = sums / counts, np.zeros(2, float)
    for k in range(2):
        spread[k] = np.sum((x[g == k] - means[k]) ** 2)
    return np.sum(spread.astype(float))


def functions_of_which_one_is_none(x):
    found = {}
    for name, f in {"sin": np.sin, "square": lambda v: v * v, "itself": None}.items():
        found[name] = np.sum(x) if f is None else np.sum(f(x))
    return found["sin"] * found["square"] + found["itself"]


def event_with_a_flag(x, method="a"):
    s = 0.0
    if method in ("a", "b"):
        s += x[0] * x[1]
    return s + np.log(np.abs(x)).sum()


def array_of_six_axes(x):
    """There were names for the indices of five axes."""
    return np.sum(np.ones([x.shape[0], 1, 2] * 2) * x[0]) * np.sum(np.sin(x))


@functools.lru_cache
def binomial_weights(n):
    return tuple(math.comb(n, k) / 2.0**n for k in range(n + 1))


def constant_tuples_of_several_lengths(x, gains):
    """Loops over `enumerate(gains)`, whose length is not known, were refused for the tuples' types."""
    total = 0.0
    for n, gain in enumerate(gains, start=1):
        total += gain * np.sum(np.convolve(x, np.array(binomial_weights(n)), mode="same") ** 2)
    return total


def sines_of_a_view_that_must_not_be_written(x, places):
    """The sines were stored into the diagonal, which NumPy gives as a view."""
    x[places] = np.sin(np.diag(np.ones((3, 3))))
    return np.sum(x)


def copy_that_may_be_a_view(m):
    """The reverse sweep took the copies again where their size was needed, before the old elements were put back."""
    v = np.array([0.4, 0.9, -0.3])
    for _ in range(2):
        m[:] = np.sin(np.ascontiguousarray(m.T)) * v
        v[:] = np.sin(np.diag(np.diag(v))) + m[0]
    return np.sum(m * m[::-1]) + np.sum(v)


def value_that_a_loop_replaces(b, n):
    """Iteration-local reversal of the first loop left the second one before it, where copies of it had no value yet."""
    total = 0.0
    for _ in range(2):
        total += b
    for _ in range(n):
        total = np.sin(b)
    return total


def value_that_an_inner_loop_replaces(a):
    """The loop was taken for a search: that the inner loop replaces what it keeps was not seen."""
    c = a
    for _ in range(2):
        if c > 0.1:
            c = a
        for _ in range(2):
            c = 0.0
    return c


def elements_by_two_indices_each(x):
    """Each element has a negative index as well; that an iteration has an element of its own was wrong."""
    n = x.size
    a, b, c = np.empty(n), np.empty(n), np.zeros(n)
    for i in range(n):
        a[i] = np.sin(x[i])
    for i in range(-n, n):
        b[i] = np.exp(a[i] * 0.5) * i
    total = 0.0
    for i in range(-n, n):
        c[i] += np.sin(x[i]) * i
        total += c[i] * b[i]
    return total


def elements_squared_by_two_indices_each(x):
    """The store was taken for one that is undone before anything reads the new value."""
    n, total = x.size, 0.0
    a = x.copy()
    for i in range(-n, n):
        total += a[i] * x[i] * i
        a[i] = a[i] * a[i] * x[i]
    return total


def variables_named_as_modules(x):
    """Numbered names, for those of modules, lost their numbers before a pass wrote `kernels.plus`."""
    total = 0.0
    for prange in range(3):
        total += prange * x[0]
    for kernels in range(x.size):
        total += x[kernels] * x[kernels]
    return total


def branch_that_never_is_taken(a, x):
    """Numba drops the branch; that its index has a type, by the other branch, was taken for a sign that it runs."""
    x = a * x
    k = 0
    if (-1.5 + 2) > 0.9:
        k = 0
        x[1] = x[(k + 1) % 2]
    return a * x[(k + 1) % 3]


def copied_row_that_is_flattened(m):
    """The adjoint of the copy was of another order than the copy, so that its flat view was a copy in compiled code."""
    row = m.T[:, 0].copy()
    np.place(row, np.tanh(m)[2] > 0.0, m[:, 1])
    return np.sum(np.cos(np.arange(4.0)) * np.ravel(row))


DYNAMICS = np.array([[1.0, 0.2], [0.3, 2.0]])
PROGRAMS = [
    Program(within_groups, numbers(ROW)),
    Program(functions_of_which_one_is_none, numbers(ROW)),
    Program(event_with_a_flag, numbers(ROW, "b")),
    Program(kalman_filter, numbers(DYNAMICS, np.array([0.5, 1.0])), (0, 1)),
    Program(loop_whose_reversal_would_come_before_its_zeros, numbers(0.3, np.array([0.5, 0.2, 0.7, 0.9])), (0, 1)),
    Program(branch_that_is_never_taken, numbers(0.4, ROW), (0, 1), compiled=True),
    Program(loop_that_is_never_entered, numbers(0.4, ROW), (0, 1)),
    Program(upper_triangle_by_a_tuple_of_indices, matrix(3, 3)),
    Program(places_found_at_run_time, matrix(3, 3), compiled=True),
    Program(views_by_a_tuple_of_integers, matrix(3, 3), compiled=True),
    Program(rows_by_a_slice, matrix(3, 3)),
    Program(constant_tuples_of_several_lengths, numbers(ROW, np.array([0.5, -0.3, 0.8])), (0, 1), interpreted=True),
    Program(array_of_six_axes, numbers(ROW)),
    Program(copied_row_that_is_flattened, numbers(np.arange(12.0).reshape(3, 4) - 8.3), compiled=True),
    Program(sines_of_a_view_that_must_not_be_written, numbers(np.array([0.5, 0.2, 0.7, 0.9]), np.array([2, 0, 2]))),
    Program(branch_that_never_is_taken, numbers(0.3, np.array([0.5, 0.2, 0.7]))),
    Program(elements_by_two_indices_each, numbers(ROW)),
    Program(elements_squared_by_two_indices_each, numbers(ROW)),
    Program(variables_named_as_modules, numbers(ROW), compiled=True),
    Program(value_that_a_loop_replaces, numbers(0.3, 2), (0,)),
    Program(value_that_a_loop_replaces, numbers(0.3, 0), (0,)),
    Program(value_that_an_inner_loop_replaces, numbers(0.43)),
    Program(copy_that_may_be_a_view, numbers(np.arange(9.0).reshape(3, 3) / 7.0), compiled=True),
]
