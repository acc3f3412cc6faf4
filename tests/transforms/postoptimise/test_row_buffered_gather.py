"""Sums into neighbouring lines wait in rows until a line can be added in one go."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.cost_model import MOST_LINES_APART
from tests.checking import assert_gradient
from tests.transforms.core_text import apply_and_compare

KINDS = {
    **dict.fromkeys("vwx", nb.float64[:, ::1]),
    "c": nb.float64[:, :, ::1],
    **dict.fromkeys("nmijk", nb.int64),
    "t": nb.float64,
}


def rolled(
    body,
    before="pass",
    after="pass",
    rows="n",
    v="(n + 9, m + 9)",
    w="(n + 9, m + 9)",
    cases=(),
    rtol=1e-13,
    atol=1e-14,
):
    """The sums as they become; what they give stays."""
    text = f"""
def f(x, n, m):
    v = np.zeros({v})
    w = np.zeros({w})
    c = np.zeros((n + 9, 3, m + 9))
    for k in range(2):
        for i in range({rows}):
            {before}
            for j in range(m):
                t = x[i, j] + 1.0
                {body}
            {after}
    return v, w, c
"""
    return apply_and_compare("loop_distribution", text, KINDS, cases, rtol, atol)


@pytest.mark.parametrize(("n", "m"), [(0, 3), (3, 0), (1, 1), (2, 5), (7, 4)])
@pytest.mark.parametrize(
    "body",
    [
        "v[i, j] += t; v[i + 1, j] += t; v[i, j + 1] += t",
        "v[i, j + 1] += t; v[i + 1, j] -= 2.0 * t; v[i + 1, j + 2] += x[i, j]; v[i + 2, j + 1] += t",
        "v[j, i] += t; v[j + 1, i + 2] -= t; v[j + 1, i] += t; v[j, i + 1] += t",
        "v[i + 3, j] += t; v[i, j] += t; v[i, j + 1] += t; w[i, j] = 0.5 * t",
        "c[i, 1, j] += t; c[i + 1, 1, j] += t; c[i + 1, 2, j] -= t; c[i, 1, j + 2] += t",
        "v[i, j] += t; v[i + 1, j + 3] += t; c[i, 0, j] += t; c[i + 2, 0, j + 1] += t; c[i, 0, j + 2] += t",
    ],
)
def test_rolled_sums_are_the_scattered_ones(body, n, m):
    x = np.random.default_rng(1).normal(size=(max(n, m), max(n, m)))
    assert "last_slot" in rolled(body, cases=[(x, n, m)])


def test_lines_of_one_array_end_before_those_of_another():
    body = "v[i, j] += t; v[i, j + 1] += t; v[i + 1, j] += t; w[i, j] += t; w[i + 2, j] += t; w[i + 2, j + 1] -= t"
    x = np.random.default_rng(3).normal(size=(4, 4))
    assert "if i < n + 1" in rolled(body, v="(n + 1, m + 1)", w="(n + 2, m + 1)", cases=[(x, 4, 4)])


@pytest.mark.parametrize(
    "change",
    [
        {"before": "w[0, 0] = v[i, 0]"},  # reads what waits
        {"after": "v[i + 1, 0] = 0.0"},
        {"body": "v[i, j] += t; v[i, j + 1] += t"},  # one line
        {"body": f"v[i, j] += t; v[i, j + 1] += t; v[i + {MOST_LINES_APART + 1}, j] += t"},  # too far apart
        {"body": "v[i, j] += t; v[i, j + 1] += t; v[2 * i, j] += t"},
        {"body": "v[i, j] += t; v[i, j + 1] += t; v[n - i, j] += t"},
        {"rows": "0, n, 2"},
        {"before": "if x[i, 0] > 9.0:\n                break"},
        {"before": "m = m - 1"},
    ],
)
def test_other_sums_do_not_wait(change):
    assert "last_slot" not in rolled(**{"body": "v[i, j] += t; v[i + 1, j] += t; v[i, j + 1] += t"} | change)


def diffused(u, c):
    """Two steps of diffusion and advection by slices, with a border that is kept."""
    u = u.copy()
    for _ in range(2):
        un = u.copy()
        u[1:-1, 1:-1] = un[1:-1, 1:-1] * (1.0 - c * (un[1:-1, 1:-1] - un[:-2, 1:-1])) + c * (
            un[2:, 1:-1] + un[1:-1, 2:] - 2.0 * un[1:-1, :-2]
        )
        u[:, -1] = u[:, -2]
    return np.sum(u * u)


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3, 3), (5, 4), (2, 6)])
def test_the_gradient_of_a_scheme_in_two_dimensions_rolls(shape):
    u = np.random.default_rng(0).normal(size=shape)
    assert_gradient(diffused, u, 0.1, modes=("gradient", "loops"))
    signature = "f8[:, ::1], f8"
    assert "last_slot" in srcad.source(diffused, signature=signature, mode="grad")
    assert "last_slot" not in srcad.source(diffused, signature=signature, mode="grad", without="scatter_to_gather")


def random_body(rng):
    """Sums into two arrays around (i, j), and sometimes something else; the shapes that just hold these."""
    lines, most = [], {"v": [0, 0], "w": [0, 0]}

    def element():
        array, offsets = str(rng.choice(["v", "w"])), rng.integers(0, 3, size=2)
        most[array] = np.maximum(most[array], offsets)
        return f"{array}[{_plus('i', offsets[0])}, {_plus('j', offsets[1])}]"

    for _ in range(rng.integers(2, 7)):
        lines.append(f"{element()} {rng.choice(['+=', '-='])} {rng.choice(['t', 'x[i, j]', '2.0 * t'])}")
    if rng.random() < 0.4:
        other = [f"{element()} = 0.25 * t", f"t = t + 0.5 * {element()}", f"{element()} *= 0.5"]
        lines.insert(rng.integers(0, len(lines) + 1), str(rng.choice(other)))
    shapes = {array: f"({_plus('n', rows)}, {_plus('m', columns)})" for array, (rows, columns) in most.items()}
    return "; ".join(lines), shapes


def _plus(index, offset):
    return f"{index} + {offset}" if offset else index


@pytest.mark.parametrize("seed", range(60))
def test_no_random_nest_gives_another_result(seed):
    rng = np.random.default_rng(seed)
    body, shapes = random_body(rng)
    edge = rng.choice(["pass", "pass", "w[i, 2] = 0.5"])
    cases = [(rng.normal(size=(5, 5)), 5, 4)]
    rolled(body, edge, **shapes, cases=cases, rtol=1e-12, atol=1e-13)
