"""What adds zeros unless a branch is taken is moved into the branch; all else stays where it is."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply_and_compare, unchanged

KINDS = {**dict.fromkeys("xvw", nb.float64[::1]), **dict.fromkeys("abst", nb.float64), **dict.fromkeys("ni", nb.int64)}
FIRST = "a = 0.0\nif x[i] > 0.5:\n    a += v[i]\n    v[i] = 0.0"
OTHERWISE = "a = 0.0\nif x[i] > 0.5:\n    s = s + 1.0\nelse:\n    a += v[i]\n    v[i] = 0.0"
NESTED = "a = 0.0\nif x[i] > 0.2:\n    if x[i] > 0.6:\n        w[i] = 2.0\n        a += v[i] * x[i]"


X = np.array([0.9, 0.1, 0.7, 0.3, 0.55])


def program(lines):
    body = "\n        ".join(lines.split("\n"))
    return f"""
def f(x, n):
    v = np.copy(x) + 0.25
    w = np.zeros(n)
    s = 0.0
    for i in range(n):
        {body}
    return v, w, s
"""


def sunk(lines):
    return apply_and_compare("sum_sinking", program(lines), KINDS, [(X, 5)])


@pytest.mark.parametrize(
    ("first", "behind", "moved"),
    [
        (FIRST, "w[i] += a", 1),
        (FIRST, "w[i] -= 2.0 * a\nw[0] += a / x[i]", 2),
        (OTHERWISE, "w[i] += a * x[i]", 1),
        (NESTED, "w[0] += -a\ns += a", 2),
        (FIRST, "t = a * x[i]\nb = x[i] + 1.0\nw[i] += t * b\nw[0] += t", 4),
        (FIRST, "w[i] += a\ns += x[i]\nw[0] += a", 1),
        (FIRST, "w[i] += a\nw[0] += a + 1.0", 1),
    ],
)
def test_sums_of_zeros_are_moved(first, behind, moved):
    found = sunk(f"{first}\n{behind}")
    lines = behind.split("\n")
    text = [each for each in found.split("\n") if each.strip() in lines]
    indents = [len(each) - len(each.lstrip()) for each in text]
    assert sum(indent > 8 for indent in indents) == moved


@pytest.mark.parametrize(
    "lines",
    [
        f"{FIRST}\nw[i] = a",  # not a sum
        f"{FIRST}\nw[i] += a + 1.0",
        f"{FIRST}\nw[i] += np.cos(a)",
        f"{FIRST}\nw[i] += 1.0 / a if a else 0.0",
        f"{FIRST}\nt = a * x[i]\nw[i] += t\nif i > 1:\n    s += t",  # read behind
        FIRST.replace("a = 0.0", "a = 0.5") + "\nw[i] += a",
        FIRST.replace("    v[i] = 0.0", "    s += 1.0") + "\nw[i] += a",  # no store
        FIRST + "\nelse:\n    a += x[i]\n    v[i] = 0.0\nw[i] += a",  # both arms
        "a = 0.0\nb = a + 1.0\nif x[i] > b:\n    a += v[i]\n    v[i] = 0.0\nw[i] += a",
        "a = 0.0\nif x[i] > a:\n    a += v[i]\n    v[i] = 0.0\nw[i] += a",
        f"{FIRST}\nv = v + a",  # an array of its own
    ],
)
def test_all_else_stays(lines):
    assert sunk(lines) == unchanged(program(lines))


def test_a_number_that_only_the_arm_knows_begins_there():
    text = sunk(f"{FIRST}\nw[i] += a")
    assert "a = 0.0" not in text
    assert "a = v[i]" in text


def shortest(d):
    path = d.copy()
    n = path.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                s = path[i, k] + path[k, j]
                if s < path[i, j]:  # noqa: PLR1730  # a branch on purpose
                    path[i, j] = s
    return np.sum(path * d)


@pytest.mark.slow
def test_shortest_paths():
    d = np.random.default_rng(4).uniform(0.1, 1.0, (5, 5))
    assert_gradient(shortest, d)
    on, off = (srcad.source(shortest, args=(d,), without=without) for without in ((), ("sum_sinking",)))
    assert "s_bar = 0.0" in off
    assert "s_bar = 0.0" not in on
