"""Sums that scatter to neighbours get loops of their own, where that changes no result."""

import random

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, apply_and_compare, assert_same_results, generated, lines, unchanged

KINDS = {
    **dict.fromkeys("ab", nb.float64[:, ::1]),
    **dict.fromkeys("uvx", nb.float64[::1]),
    **dict.fromkeys("nmij", nb.int64),
    **dict.fromkeys("stwp", nb.float64),
}


def loops(text, cases=()):
    return apply_and_compare("loop_distribution", text, KINDS, cases).count("for j in")


SCATTER = """
def f(x, n):
    v = np.zeros(n + 2)
    for j in range(n - 1, -1, -1):
        t = 2.0 * x[j]
        v[j] += t
        v[j + 2] -= t
    return v
"""


def test_a_scatter_to_neighbours_becomes_loops_without_one():
    assert apply_and_compare("loop_distribution", SCATTER, KINDS, [(np.arange(5.0), 5)]) == lines("""
        def f(x, n):
            v = np.zeros(n + 2)
            t_row = np.zeros(max(n, 0) + 4, v.dtype)
            for j in range(0, n, 1):
                t = 2.0 * x[j]
                t_row[j + 2] = t
            if 0 < n:
                for j in range(0, n + 2, 1):
                    v[j] += t_row[j + 2] - t_row[j]
            return v
    """)


@pytest.mark.parametrize(
    "body",
    [
        "t = v[j]\n        v[j + 1] += t",  # read by the next iteration
        "t = x[j]\n        v[p] += t\n        v[p + 1] += t\n        p += 1",  # no index of the loop's
        "t = x[j]\n        v[j - 1] += t\n        v[j - 2] += t",  # counted from the end at j = 0
        "t = x[j]\n        x[j] += t\n        x[j + 1] += t",  # the caller's array, which others may reach
        "t = x[j]\n        v[j] += t",  # nothing to gain
        "t = x[j]\n        v[n] += t\n        v[n + 1] += t",  # one element for all iterations
    ],
)
def test_other_sums_stay_where_they_are(body):
    text = f"""
def f(x, n, p):
    v = np.zeros(n + 2)
    for j in range(n):
        {body}
    return v
"""
    assert loops(text) == 1


def test_sums_before_a_store_of_the_same_element_stay():
    text = """
def f(x, n):
    v = np.zeros(n + 2)
    for j in range(n):
        v[j + 1] += x[j]
        v[j] += x[j]
        v[j + 1] = 0.0
    return v
"""
    # v[j] is stored by the iteration before only, v[j + 1] by the very next statement.
    assert loops(text, [(np.ones(4), 4)]) == 2


@pytest.mark.parametrize(
    "body",
    [
        "v[j] += s\n        s = s * x[j]\n        v[j + 1] += s",
        "v[j] += s + 1.0\n        s = s * x[j]\n        v[j + 1] += s + 1.0",
        "t = s * w\n        v[j] += t\n        s = t + x[j]\n        p = s * w\n        v[j + 1] += p",
        "v[j] += t\n        t = s * w\n        v[j + 1] += t\n        p = s * w\n        v[j + 2] += p",
    ],
)
def test_terms_are_the_same_only_while_their_names_hold_the_same(body):
    text = f"def f(x, n, s, t, w):\n    v = np.zeros(n + 2)\n    for j in range(n):\n        {body}\n    return v\n"
    assert loops(text, [(np.arange(5.0) - 1.5, 5, 0.5, 0.7, 0.9)]) == 2


def test_the_adjoint_of_a_stencil_is_distributed_and_runs_forwards():
    text = """
def f(x, n):
    y = np.zeros_like(x)
    m = n - 1
    for j in range(1, m, 1):
        k = j - 1
        l = j + 1
        p = x[k]
        q = x[l]
        r = p + q
        w = 0.5 * r
        y[j] = w
    s = np.dot(y, y)
    return s
"""
    found = generated(text, "f8[::1], int64")
    assert "_row" in found
    assert ", -1)" not in found
    assert "_row" not in generated(text, "f8[::1], int64", loops=False)


def random_index(rng, own, offsets):
    offset = rng.choice(offsets)
    return own if not offset else f"{own} {'+' if offset > 0 else '-'} {abs(offset)}"


def random_program(rng):
    """A nest of two loops over random reads, stores and sums, between the borders of its arrays."""
    low, high = rng.choice([(0, "n"), (2, "n"), (1, "n - 1")])
    headers = [f"range({low}, {high})", f"range({high} - 1, {low - 1}, -1)"]
    offsets = [each for each in (-2, -1, 0, 1, 2) if low + each >= rng.choice([0, 0, -1])]
    body, names = [], ["w"]
    for k in range(rng.randint(2, 6)):
        array = rng.choice(["a", "b"])
        at = f"{array}[{random_index(rng, 'i', offsets)}, {random_index(rng, 'j', offsets)}]"
        value = rng.choice(names)
        kind = rng.randrange(5)
        if kind == 0:
            names.append(f"t{k}")
            body.append(f"t{k} = {at} * 0.5")
        elif kind == 1:
            body.append(f"{at} = {value}")
        elif kind == 2:
            body += [f"k{k} = {random_index(rng, 'j', offsets)}", f"{array}[i, k{k}] -= {value}"]
        else:
            body.append(f"{at} += {rng.choice([value, f'-{value}', f'2.0 * {value}', at])}")
    if rng.random() < 0.4:
        body += rng.choice([["s += w"], ["if w > 1.9:", "    s = 0.0", "s += w"], ["if w > 1.9:", "    s -= w"]])
    if rng.random() < 0.2:
        body.append(
            rng.choice(["p = w", "if w < 1.7:\n                p = w", "p = s\n            s = 0.0\n            s = p"])
        )
    inner = "\n            ".join(["w = x[j] + 1.0", *body])
    kept = rng.choice(["w", "p", "s", "0.0"])
    return f"""
def f(x, n):
    a = np.zeros((n + 2, n + 2))
    b = np.ones((n + 2, n + 2))
    s = p = w = 0.0
    for i in {rng.choice(headers)}:
        for j in {rng.choice(headers)}:
            {inner}
    return a, b, s, {kept}
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_no_random_program_gives_another_result_of(seed):
    rng = random.Random(seed)
    changed = 0
    for _ in range(150):
        text = random_program(rng)
        kinds = KINDS | {f"t{k}": nb.float64 for k in range(6)} | {f"k{k}": nb.int64 for k in range(6)}
        found = apply("loop_distribution", text, kinds)
        changed += found != unchanged(text)
        cases = [(np.linspace(0.3, 1.7, n + 2), n) for n in (0, 1, 5)]
        assert_same_results(text, found, cases, rtol=1e-9, atol=1e-9)
    assert changed > 20


@pytest.mark.slow
def test_rows_whose_size_only_one_branch_knows_are_allocated_in_that_branch():
    def slopes(x, n):
        if n > 2:
            return np.sum((x[1:] + x[:-1]) * (0.5 * x[0]))
        return np.sum(x[1:] * x[:-1])

    for n in (1, 3):
        assert_gradient(slopes, np.array([0.1, 0.2, 0.5, 0.4]), n)


def test_rows_whose_size_is_read_from_a_trace_are_allocated_in_the_branch_that_has_recorded_it():
    def slopes(x, w, c, steps):
        n = x.shape[0]
        a, b, d = x.copy(), x.copy(), x * c
        for t in range(steps):
            a = w @ d
            if t % 2 == 0:
                a = np.tanh(d + c * a)
                a[1:-1] = b[1:-1] + c * (d[2:] - 2.0 * d[1:-1] + d[:-2])
            b = np.zeros(n)
            for _ in range(2):
                d[1:-1] = b[1:-1] + c * (a[2:] - 2.0 * a[1:-1] + a[:-2])
        return np.sum(a * b) + np.sum(d * d)

    text = srcad.source(slopes, "reverse", (0, 1, 2), args=(np.ones(4), np.eye(4), 0.3, 3))
    rows = [line for line in text.splitlines() if "_row = np.zeros(max(" in line and "_trace[t]" in line]
    assert all(line.startswith(" " * 12) for line in rows)
    assert rows


def columns(x):
    n, m = x.shape
    s = 0.0
    for a in range(m):
        for b in range(m):
            for i in range(n):
                s += x[i, a] * x[i, b]
    return s * s


def test_sums_into_elements_apart_in_memory_stay_where_they_are():
    x = np.linspace(0.2, 0.9, 12).reshape(4, 3)
    assert "row" not in srcad.source(columns, args=(x,))
    assert_gradient(columns, x, modes=("gradient",))
