"""Sums into elements that are zero become stores where all agree what is zero, and stay sums elsewhere."""

import numpy as np
import pytest
from numba import types as nb

from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import changes

KINDS = {
    **dict.fromkeys("xa", nb.float64[:, ::1]),
    **dict.fromkeys("uvwty", nb.float64[::1]),
    **dict.fromkeys("nmijkq", nb.int64),
    "s": nb.float64,
}
READ = "for i in range(n):", "    s = u[i + 1]", "    u[i + 1] = 0.0", "    v[i] += s"
ADD = "if 0 < n:", "    for i in range(n + 2):", "        u[i] += x[0, i] + v[0]"
SIZES = [(np.arange(1.0, 65.0).reshape(8, 8), n, m) for n in range(5) for m in range(4)]
FIRST = "u = np.zeros(n + 2)", "v = np.zeros(n + 1)"


def is_forwarded(*body, first=FIRST, result="u, v", loop="for q in range(m):", apart=()):
    """Whether the body of a loop changes; what it computes stays, for all sizes."""
    text = "".join(
        ["def f(x, n, m):\n", *(f"    {each}\n" for each in first), f"    {loop}\n"]
        + [f"        {each}\n" for each in body]
        + [f"    return {result}\n"]
    )

    def mark(tree):
        for statement in tree.body:
            for inner in getattr(statement, "body", ()):
                note(inner, distinct_arrays=apart)

    return changes("zero_store_forwarding", text, KINDS, SIZES, mark=mark)


@pytest.mark.parametrize(
    "body",
    [
        [*READ, *ADD],
        [*ADD, *READ],  # in the next iteration
        ["for i in range(n - 1, -1, -1):", *READ[1:], *ADD],
        ["for i in range(n + 2):", "    if i < n:", *(f"    {each}" for each in READ[1:]), *ADD],
        [*READ, "v[0] += 1.0", *ADD],
        [*READ, "k = n + 3", ADD[0], "    for i in range(k - 1):", ADD[2]],
        [*READ, "for i in range(1, n + 1):", "    u[i] += x[0, i]"],
        [*READ, "for i in range(n):", "    u[i + 1] -= x[0, i] * v[i]"],
    ],
)
def test_what_is_added_to_zeros_is_stored(body):
    assert is_forwarded(*body)


def test_zeros_that_the_next_iteration_would_have_stored_over_are_left_where_nobody_reads_them():
    assert is_forwarded(*ADD, *READ, result="v, v")


def test_boxes_within_boxes():
    assert is_forwarded(
        "for i in range(n):",
        "    for j in range(m):",
        "        s = a[i + 1, j + 2]",
        "        a[i + 1, j + 2] = 0.0",
        "        v[i] += s",
        "if 0 < m:",
        "    for i in range(n + 3):",
        "        for j in range(m + 2):",
        "            a[i, j] += x[i, j]",
        first=("a = np.zeros((n + 3, m + 3))", "v = np.zeros(n + 1)"),
        result="a, v",
    )


@pytest.mark.parametrize(
    "body",
    [
        [*READ, "v[0] += u[1]", *ADD],  # read in between
        [*READ, "for i in range(2, n + 1):", "    u[i] += x[0, i]"],  # not all of it
        [*READ, "for i in range(n + 1):", "    if x[0, i] < 3.0:", "        u[i] += x[0, i]"],
        [*READ, "for i in range(-1, n + 1):", "    u[i] += x[0, i]"],  # an element from behind
        [*READ, "for k in range(2):", "    for i in range(n + 2):", "        u[i] += x[k, i]"],  # twice each
        [*READ, "for i in range(n + 2):", "    u[i] += x[0, i] + u[i - 1]"],
        [*READ, "for i in range(n + 2):", "    u[i] += x[0, i]"],  # for negative n the box would not lie within
        [*READ[:2], "    v[i] += s", "    if s < 9.0:", "        u[i + 1] = 0.0", *ADD],
        [*READ, "    v[i] += u[i]", *ADD],
        [*READ, *ADD, "if v[0] > 50.0:", "    break"],
        [*READ, "u = u * 2.0", *ADD],
        [*ADD, "for i in range(min(q, n)):", *READ[1:]],  # another box in each iteration
    ],
)
def test_what_may_not_be_zero_or_be_seen_stays(body):
    assert not is_forwarded(*body)


def test_what_may_be_another_name_of_the_array_stays():
    assert not is_forwarded(*READ, "v[0] += w[1]", *ADD, first=(*FIRST, "w = u"))


@pytest.mark.parametrize("made", ["x[0, :n + 2] * 1.0", "np.ones(n + 2)"])
def test_an_array_that_does_not_begin_as_zeros(made):
    first = f"u = {made}", FIRST[1]
    assert not is_forwarded(*ADD, *READ, first=first)
    assert is_forwarded(*READ, *ADD, first=first)
    assert not is_forwarded(*ADD, *READ, first=(*FIRST, "u[1] = 2.0"))


def test_a_while_loop_that_asks_for_an_element_stays():
    first = *FIRST, "k = 0"
    assert not is_forwarded("k += 1", *ADD, *READ, first=first, loop="while k < m and u[0] < 90.0:")
    assert is_forwarded("k += 1", *ADD, *READ, first=first, loop="while k < m:")


def test_arrays_that_a_loop_exchanges():
    sweep = "t = u", "u = v", "v = t", *ADD[:2], "        u[i] += x[0, i]", *READ[:1]
    sweep = *sweep, "    s = v[i + 1]", "    v[i + 1] = 0.0", "    y[i] += s"
    first = "y = np.zeros(n)", "u = np.zeros(n + 2)", "v = np.zeros(n + 2)"
    assert is_forwarded(*sweep, first=first, result="u, v, y", apart=(frozenset("uv"),))
    assert not is_forwarded(*sweep, first=first, result="u, v, y")  # nobody says that they are apart


def jacobi(x, steps):
    a, b = x.copy(), x.copy()
    for _ in range(steps):
        b[1:-1, 1:-1] = 0.3 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[2:, 1:-1])
        a[1:-1, 1:-1] = 0.3 * (b[1:-1, 1:-1] + b[1:-1, 2:] + b[:-2, 1:-1])
        b[0] = a[1]
    return np.sum(a * b)


def exchanged(x, steps):
    u, v = x.copy(), x.copy()
    for _ in range(steps):
        for i in range(1, x.size - 1):
            v[i] = u[i] + 0.2 * (u[i - 1] - 2.0 * u[i] + u[i + 1])
        u, v = v, u
    return np.sum(u * u)


@pytest.mark.slow
@pytest.mark.parametrize("steps", [0, 1, 4])
@pytest.mark.parametrize(
    ("function", "shape"), [(jacobi, (5, 6)), (jacobi, (2, 3)), (exchanged, (7,)), (exchanged, (1,))]
)
def test_gradients_of_sweeps(function, shape, steps):
    assert_gradient(function, np.random.default_rng(0).uniform(0.2, 0.9, shape), steps)
