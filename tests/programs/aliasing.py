"""Views of views, one array by several names, arrays that helpers write, buffers that are swapped, odd layouts."""

import numpy as np

from tests.programs.program import Program, matrix, numbers, vector

A = np.random.default_rng(0).normal(size=(3, 4))


def views_of_views(x):
    a = x * 1.0
    v = a[1:]
    w = v[::-1]
    z = w[:2]
    z[0] = x[0] * a[1]
    w[2] *= 3.0
    v += z[0]
    z[...] = z[::-1]
    return np.sum(a * a) + np.sum(w * x[:3])


def views_with_more_axes(x):
    b = x.copy()
    c = np.atleast_2d(b)
    c[0, 1] = x[2] * x[3]
    d = np.atleast_1d(b)
    d[0] = d[1]
    return np.sum(b * b)


def swap_in_loop(x):
    a = x.copy()
    b = np.zeros(4)
    for k in range(3):
        for i in range(4):
            b[i] = a[i - 1] * a[i] + 0.1 * k
        a, b = (b, a)
    return np.sum(a * x)


def swap_of_three(x):
    a = x.copy()
    b = x * 2
    c = x * 3
    for k in range(4):
        a, b, c = (b, c, a)
        a[k] = b[k] * c[0]
    return np.sum(a * b * c)


def allocated_in_a_loop(x):
    s = 0.0
    for i in range(4):
        w = np.zeros(4)
        w[i] = x[i] ** 2
        w[1:] += x[:-1] * i
        s += np.sum(w * w)
    return s + w[0]


def helpers_write(x):

    def fill(o, v, k):
        o[k] = v * v
        o[k:] += v

    a = np.zeros(4)
    for k in range(4):
        fill(a, x[k], k)
    fill(a[1:], x[0] * a[2], 1)
    return np.sum(a * x)


def stacked_and_written(x):
    a = np.stack([x, x**2])
    a[0] = a[1] * x
    b = np.concatenate([a[0], x])
    b[0] = b[7]
    c = np.vstack((x, b[:4]))
    c[1, 0] = 2.0 * c[0, 1]
    return np.sum(b * b) + np.sum(c * c)


def repeated_indices_count_once(x):
    i = np.array([0, 2, 2, 1])
    a = np.ones(4)
    a[i] += x
    a[i] *= x
    a[i] -= x * x
    a[i] = a[i] * x
    return np.sum(a * a)


def integers_become_floats(x):
    s = 0
    p = 1
    for v in x:
        s += v
        p *= v * s
    n = 3
    n = n / 2
    n *= x[0]
    return s * p + n


def negative_steps(x):
    a = x.copy()
    a[::-1][1:] = x[:3] * a[3]
    a[-1:0:-2] *= x[0]
    a[3:0:-1] = a[:3]
    return np.sum(a * a * x)


def empty_arrays(x):
    e = x[:0]
    f = np.zeros((0, 3))
    s = np.sum(e * 2.0) + np.sum(f)
    for v in e:
        s += v
    e[:] = 1.0
    e += 2.0
    return s + np.sum(x**2) + np.sum(np.concatenate((e, x)))


def extremes_are_overwritten(x):
    a = x.copy()
    k = np.argmax(a)
    a[k] = a[k] ** 2 * np.max(x)
    a[np.argmin(a)] *= np.min(x)
    return np.sum(a) + a.max() - a.min()


def sorted_and_written(x):
    a = np.sort(x)
    a[0] *= a[3]
    i = np.argsort(x)
    b = x[i]
    b[1] = b[2] ** 2
    x = x.copy()
    x.sort()
    return np.sum(a * b * x)


def running_sums_written(x):
    c = np.cumsum(x)
    c[1:] *= x[:-1]
    return np.sum(c * c)


def filled(x):
    a = np.empty(4)
    a.fill(x[1])
    a[0] = x[2]
    b = np.full(4, x[0])
    b *= a
    c = np.full_like(x, x[3])
    return np.sum(a * b * c)


def written_where(x):
    a = np.where(x > 0, x * x, 1.0)
    a[np.where(x < 0)[0]] = x[0]
    i = np.nonzero(x > 0)[0]
    a[i] *= 2.0
    return np.sum(a * a)


def assign_self_overlap(x):
    a = x.copy()
    a[1:] = a[:-1]
    a[:-1] += a[1:]
    a[:] = a[::-1]
    a[:2], a[2:] = (a[2:].copy(), a[:2].copy())
    return np.sum(a * x)


def broadcast_view(x):
    b = np.broadcast_to(x, (3, 4))
    return np.sum(b * A)


def copied_to(x):
    a = np.zeros(4)
    np.copyto(a, x * x)
    return np.sum(a * a)


def several_names_of_one_array(x):
    a = b = np.zeros(4)
    a[0] = x[0]
    b[0] *= x[1]
    c = a
    c += x
    return np.sum(a * b * c)


def alias_or_view(x):
    a = x.copy()
    b = a if x[0] > 0 else a[:]
    return np.sum(b * a)


def arrays_in_a_tuple(x):
    p = (x * 1.0, x * 2.0)
    p[0][1] = x[2] * x[3]
    q, r = p
    r += q
    return np.sum(p[0] * p[1])


def written_through_transposes(a):
    b = a.copy()
    t = b.T
    t[0] = t[1] * 2.0
    t[:, 1] += t[:, 0]
    u = t[1:].T
    u[0, 0] = b[0, 0] * b[1, 1]
    return np.sum(b * b) + np.sum(t[0])


def written_through_reshapes(a):
    b = a.copy()
    r = b.reshape(4, 3)
    r[0] = r[1] * r[2]
    f = b.reshape(-1)
    f[::2] *= f[1::2]
    g = f.reshape((2, 6))[1]
    g += b[0, 0]
    return np.sum(b * b) + np.sum(r[:, 0])


def axes_swapped(a):
    b = a.copy()
    r = b.swapaxes(0, 1)
    r[0, 1] = r[1, 0] * r[2, 2]
    m = np.moveaxis(b, 0, 1)
    m[1] *= 2.0
    n = np.transpose(b, (1, 0))
    n[2] = n[0]
    return np.sum(b * b)


def index_arrays_in_pairs(a):
    b = a.copy()
    i = np.array([0, 2, 2])
    j = np.array([1, 1, 3])
    b[i, j] *= a[0, :3]
    b[i] = b[i] * 2.0
    c = b[i][:, j]
    c[0] = 1.0
    d = b[:, j]
    d[0] = a[1, 0]
    return np.sum(b * b) + np.sum(c * d)


def index_arrays_among_others(a):
    b = a.copy()
    i = np.array([0, 2, 2])
    b[i, 1] = a[0, :3]
    b[1, i] += a[2, 1:]
    b[1:, i] = a[:2, i] * b[1:, i]
    return np.sum(b * b)


def chains_of_indices(a):
    b = a.copy()
    b[1][2] = a[0, 0] ** 2
    b[0][1:][0] *= 3.0
    b[2][:] = b[0]
    r = b[1]
    r[0] = r[2]
    return np.sum(b * b)


def loop_views(a):
    b = a.copy()
    for i in range(3):
        r = b[i]
        for j in range(1, 4):
            r[j] = r[j] * r[j - 1]
        if i > 0:
            q = b[i - 1]
            q += r
            r[...] = q * 0.5
    return np.sum(b)


def rows_are_iterated(a):
    b = a.copy()
    s = 0.0
    for r in b:
        r *= 2.0
        r[0] = r[1] ** 2
        s += np.sum(r * r)
    return s + np.sum(b)


def rows_from_both_ends(a):
    b = a.copy()
    for r, q in zip(b, b[::-1]):
        q[0] += r[1] * r[2]
    return np.sum(b * b)


def rows_are_enumerated(a):
    b = a.copy()
    for i, r in enumerate(b):
        r[i] = np.sum(r) * i
    return np.sum(b * b)


def swap_rows(a):
    b = a.copy()
    b[0], b[1] = (b[1], b[0].copy())
    b[[0, 2]] = b[[2, 0]]
    return np.sum(b * a)


def diagonal_read(a):
    b = a.copy()
    d = np.diag(b)
    return np.sum(d * d) + np.trace(b) ** 2


def axes_added_and_dropped(x):
    b = x.copy()
    c = b[:, None]
    c[0, 0] = x[1] * x[2]
    d = np.expand_dims(b, 0)
    d[0, 1] *= 3.0
    e = c.squeeze()
    e[2] = e[3] ** 2
    return np.sum(b * b)


def copies_and_no_copies(x):
    b = x.copy()
    c = np.asarray(b)
    c[0] = x[1] * 2.0
    d = np.array(b)
    d[1] = 5.0 * d[0]
    e = np.ascontiguousarray(b)
    e[2] = e[3] * 3.0
    return np.sum(b * b) + np.sum(d)


def stacked_by_a_list(x):
    return np.sum(np.array([x, x * x]).T @ np.array([1.0, 2.0]))


def masks_of_two_dimensions(a):
    b = a.copy()
    m = a > 0
    b[m] = b[m] ** 2
    b[~m] -= 1.0
    b[a[:, 0] > 0] *= 2.0
    b[:, 1][m[:, 1]] = 3.0
    return np.sum(b * b)


def step(u, out):
    """Writes into its output argument only."""
    out[1:] = u[:-1] * u[1:]
    out[0] = out[1] * out[2]


def stepped_twice(u, out):
    step(u, out)
    step(out, u)
    return np.sum(u * out)


def both_arguments(u, v):
    return np.sum(u * v) + u[0] * v[1] ** 2


def one_array_as_both_arguments(x):
    return both_arguments(x, x) + both_arguments(x, x[::-1])


def scaled_rows(a, by):
    for i in range(a.shape[0]):
        a[i] *= by[i]
    return np.sum(a * a[:, ::-1])


def layouts(a):
    return np.sum(a @ a.T) + np.sum(a[1:] * a[:-1]) + np.sum(np.sin(a)[0]) + scaled_rows(a.copy(), a[:, 0])


def number_without_dimensions(s, x):
    return np.sum(s * x) + s


def zero_size(x, n):
    w = np.ones((n, 4))
    y = w * x
    for row in y:
        row *= 2.0
    return np.sum(y) + np.sum(x * x) + np.sum(w @ x)


X = np.array([0.3, -0.7, 0.9, 0.2])

PROGRAMS = [
    Program(views_of_views, numbers(X), compiled=True),
    Program(views_with_more_axes, numbers(X)),
    Program(swap_in_loop, numbers(X)),
    Program(swap_of_three, numbers(X), compiled=True),
    Program(allocated_in_a_loop, numbers(X)),
    Program(helpers_write, numbers(X), compiled=True),
    Program(stacked_and_written, numbers(X)),
    Program(repeated_indices_count_once, numbers(X), compiled=True),
    Program(integers_become_floats, numbers(X)),
    Program(negative_steps, numbers(X), compiled=True),
    Program(empty_arrays, numbers(X)),
    Program(extremes_are_overwritten, numbers(X)),
    Program(sorted_and_written, numbers(X)),
    Program(running_sums_written, numbers(X)),
    Program(filled, numbers(X)),
    Program(written_where, numbers(X)),
    Program(assign_self_overlap, numbers(X)),
    Program(broadcast_view, numbers(X)),
    Program(copied_to, numbers(X)),
    Program(several_names_of_one_array, numbers(X)),
    Program(alias_or_view, numbers(X)),
    Program(arrays_in_a_tuple, numbers(X)),
    Program(written_through_transposes, numbers(A), compiled=True),
    Program(written_through_reshapes, numbers(A), compiled=True),
    Program(axes_swapped, numbers(A)),
    Program(index_arrays_in_pairs, numbers(A), compiled=True),
    Program(index_arrays_among_others, numbers(A)),
    Program(chains_of_indices, numbers(A)),
    Program(loop_views, numbers(A), compiled=True),
    Program(rows_are_iterated, numbers(A)),
    Program(rows_from_both_ends, numbers(A)),
    Program(rows_are_enumerated, numbers(A)),
    Program(swap_rows, numbers(A)),
    Program(diagonal_read, numbers(A)),
    Program(axes_added_and_dropped, numbers(X), interpreted=True),
    Program(copies_and_no_copies, numbers(X), interpreted=True),
    Program(stacked_by_a_list, numbers(X), interpreted=True),
    Program(masks_of_two_dimensions, numbers(A), interpreted=True),
    Program(written_through_transposes, numbers(np.asfortranarray(A))),
    Program(written_through_transposes, numbers(np.repeat(A, 2, axis=1)[:, ::2])),
    Program(views_of_views, numbers(np.repeat(X, 2)[::-2])),
    Program(stepped_twice, lambda rng: (rng.normal(size=4), np.zeros(4)), (0, 1), compiled=True),
    Program(one_array_as_both_arguments, vector(4)),
    Program(layouts, matrix(3, 3), compiled=True),
    Program(layouts, numbers(np.asfortranarray(A[:, :3]))),
    Program(layouts, numbers(np.repeat(A, 2, axis=1)[:, :6:2][::-1])),
    Program(number_without_dimensions, numbers(np.array(0.7), X), (0, 1)),
    Program(zero_size, numbers(X, 0)),
    Program(zero_size, numbers(X, 2)),
]
