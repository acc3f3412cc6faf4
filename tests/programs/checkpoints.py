"""Checkpointed loops: what they carry, write into and exchange."""

import numpy as np

import srcad
from tests.programs.program import Program, numbers

X = np.array([0.3, 0.7, 0.4])


def recurrence_with_a_branch(x, n):
    s = 0
    for i in srcad.checkpointed(range(n), snapshots=3):
        s = s + np.sin(x[i % 3]) * (i + 1.0)
        if s > 1.0:
            s = s * 0.5
    return s * s


def exchanged_buffers(x, n):
    u, v = x.copy(), np.zeros(x.shape[0])
    for _ in srcad.checkpointed(range(n), snapshots=2):
        for j in range(1, x.shape[0] - 1):
            v[j] = u[j] + 0.1 * (u[j - 1] - 2.0 * u[j] + u[j + 1]) * u[j]
        u, v = v, u
    return np.sum(u * u) + v[1]


def exchanged_sometimes(x, n):
    u, v = x.copy(), x * 2.0
    first = u
    for i in srcad.checkpointed(range(n), snapshots=2):
        v[:] = u * u * 0.5
        if i % 2 == 0:
            u, v = v, u
    return np.sum(u * v * first)


def leapfrog(x, n):
    before, u = x.copy(), x * 1.1
    for _ in srcad.checkpointed(range(n)):
        before, u = u, 2.0 * u - before + 0.05 * np.sin(u)
    return np.sum(u * before)


def path_that_is_kept(x, n):
    path = np.zeros(n + 1)
    y = x[0]
    for i in srcad.checkpointed(range(n), snapshots=3):
        y = y * x[1] + np.sin(y) * x[2]
        path[i] = y
    return np.sum(path * path)


def one_in_another(x, n):
    y = x[0]
    for k in srcad.checkpointed(range(4, 0, -1), snapshots=1):
        for i in srcad.checkpointed(range(0, n, 2), snapshots=2):
            y = y + 0.1 * np.cos(y * x[(k + i) % 3])
        y = y * 1.1
    return y


def in_a_loop_with_trips_of_its_own(x, n):
    s = 0.0
    for i in range(n):
        y = x[i % 3]
        for t in srcad.checkpointed(range(i), snapshots=2):
            y = y + 0.1 * np.sin(y * x[t % 3])
        s += y * y
    return s


def traces_of_its_own(x, n):
    y = x[0]
    for _ in srcad.checkpointed(range(n), snapshots=3):
        t, j = y * x[1], 0
        while t > 0.1 and j < 4:
            t = t * 0.5 * x[2]
            j += 1
        y = y + t
    return y


def argument_written_into(x, n):
    for i in srcad.checkpointed(range(n), snapshots=3):
        x[i % 3] += x[(i + 1) % 3] * 0.3 * x[0]
    return np.sum(x * x)


def view_made_before(x, n):
    m = np.outer(x, x)
    row = m[1]
    for _ in srcad.checkpointed(range(n), snapshots=2):
        row[0] = row[0] * 0.9 + m[0, 1] * row[1]
        m[0] = m[0] * 0.5 + np.sin(row)
    return np.sum(m)


def integers_and_flags(x, n):
    count, y, best, late = 0, x[0], 0.0, False
    for i in srcad.checkpointed(range(n), snapshots=2):
        if y > 0.5 and not late:
            count += 1
            best = y * x[1]
        y = np.sin(3.0 * y) + 0.01 * count
        late = i > 5
    return y + best * count


def power(y, k):
    return y * 1.01 if k < 1 else np.sin(power(y, k - 1)) + 0.1 * y


def recursive_calls_inside(x, n):
    y = x[0]
    for _ in srcad.checkpointed(range(n), snapshots=2):
        y = power(y, 2) * x[1] + 0.2
    return y


def repeated(x, y, n, depth):
    if depth < 1:
        return y
    for i in srcad.checkpointed(range(n), snapshots=2):
        y = y + 0.1 * np.sin(y * x[i % 3])
    return repeated(x, y, n, depth - 1) * 1.1


def inside_a_recursive_function(x, n):
    return repeated(x, x[0], n, 3)


def structures_carried(x, n):
    w, state = [x * 1.0, x * 2.0], {"s": 0.0}
    for _ in srcad.checkpointed(range(n), snapshots=3):
        w[0] = w[0] - 0.1 * np.sin(w[1])
        w[1] = w[1] - 0.1 * w[0] * w[0]
        state["s"] = state["s"] * 0.9 + w[0][1]
    return np.sum(w[0] * w[1]) + state["s"]


def never_run(x, n):
    y = x[0] * x[1]
    for i in srcad.checkpointed(range(n, n)):
        y = y * i
    return y


def relaxed(x, limit):
    u, v, steps = x.copy(), np.zeros(x.shape[0]), 0
    while srcad.checkpointed(np.max(np.abs(u - v)) > limit, snapshots=3):
        for j in range(x.shape[0]):
            v[j] = 0.6 * u[j] + 0.3 * np.sin(u[j - 1]) * x[j]
        u, v = v, u
        steps += 1
        if steps == 3:
            continue
        if steps > 20:
            break
        u[0] = u[0] * 1.01
    return np.sum(u * u) * steps + v[1]


def returned_from_inside(x, n):
    y = x[0]
    for i in srcad.checkpointed(range(n, 0, -2), snapshots=2):
        for k in srcad.checkpointed(range(3)):
            y = y + 0.3 * np.sin(y * x[k])
            if y > 1.6:
                return y * y * i + k
        x[i % 3] = x[i % 3] * y
    return y * x[1]


def search_in_each(x, n):
    found = 0.0
    for i in range(n):
        a, k = x[i % 3] + 1.0, 0
        while srcad.checkpointed(True):
            a, k = 0.5 * (a + 2.0 / a), k + 1
            if abs(a * a - 2.0) < 1e-3 or k > i:
                break
        found += a * x[k % 3] * i
    return found


PROGRAMS = [
    Program(recurrence_with_a_branch, numbers(X, 9)),
    Program(exchanged_buffers, numbers(np.array([0.3, 0.7, 0.4, 0.9, 0.2]), 9), compiled=True),
    Program(exchanged_sometimes, numbers(X, 4)),
    Program(leapfrog, numbers(X, 12)),
    Program(path_that_is_kept, numbers(X, 7)),
    Program(one_in_another, numbers(X, 7)),
    Program(in_a_loop_with_trips_of_its_own, numbers(X, 6)),
    Program(traces_of_its_own, numbers(X, 5)),
    Program(argument_written_into, numbers(X, 8)),
    Program(view_made_before, numbers(X, 6)),
    Program(integers_and_flags, numbers(X, 9)),
    Program(recursive_calls_inside, numbers(X, 5)),
    Program(inside_a_recursive_function, numbers(X, 4)),
    Program(structures_carried, numbers(X, 6)),
    Program(never_run, numbers(X, 3)),
    Program(relaxed, numbers(np.array([0.3, 0.7, 0.4, 0.9, 0.2]), 0.1), compiled=True),
    Program(relaxed, numbers(X, 9.0)),
    Program(returned_from_inside, numbers(X, 8)),
    Program(returned_from_inside, numbers(X, 1)),
    Program(search_in_each, numbers(X, 5)),
]
