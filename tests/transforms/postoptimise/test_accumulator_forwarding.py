"""Sums that are only made to be added to an array are added there at once, where that is too early for nobody."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, apply_and_compare

KINDS = {**dict.fromkeys("vxyz", nb.float64[:, ::1]), **dict.fromkeys("nmij", nb.int64), "t": nb.float64}
SUMS = "z[i, j] += t; z[i + 1, j] += t; z[i + 1, j + 2] -= t; z[i + 2, j + 1] += 2.0 * t"


def absorbed(
    n, m, body=f"t = y[i + 1, j + 1]; y[i + 1, j + 1] = 0.0; {SUMS}", before="pass", after="pass", last="y += z"
):
    text = f"""
def f(x, n, m):
    y = np.copy(x)
    v = np.zeros_like(x)
    for k in range(2):
        z = np.zeros_like(v)
        {before}
        for i in range(n - 2):
            for j in range(m - 2):
                {body}
        {after}
        {last}
    return y, v
"""
    x = np.random.default_rng(2).normal(size=(n, m))
    return apply_and_compare(
        ("loop_distribution", "accumulator_forwarding"), text, KINDS, [(x, n, m)], rtol=1e-13, atol=1e-14
    )


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"before": "y[0, 1] = 2.0"},
        {"after": "v[0, 0] = 1.0"},
        {"after": "z[0, 1] += 2.0"},
        {"body": f"t = y[i, j] + y[i + 2, j]; v[i, j] += t; {SUMS}"},
        {"body": f"t = v[i, j]; v[i + 1, j] = 0.0; {SUMS}"},
    ],
)
@pytest.mark.parametrize(("n", "m"), [(5, 4), (2, 5), (4, 2), (3, 3)])
def test_sums_are_added_at_once(change, n, m):
    assert "y += z" not in absorbed(n, m, **change)


@pytest.mark.parametrize(
    "change",
    [
        {"after": "v[0, 0] = y[0, 1]"},  # read between
        {"after": "v[0, 0] = z[0, 1]"},
        {"after": "y[0, 1] = 0.0"},
        {"after": "y *= 2.0"},
        {"before": "z[1, 1] += 1.0"},  # begins before the loop that reads the other array
        {"body": "t = x[i, j]; z[i, j] += t; y[i, j + 1] = t"},  # does not wait
        {"body": f"t = y[i + 1, j]; y[i + 1, j] = 0.0; {SUMS}; z[i + 1, j + 1] = 0.0"},
        {"body": f"t = y[i, j + 1] + y[n - 1 - i, j]; {SUMS}"},
        {"body": f"t = y[j, i]; {SUMS}"},
        {"last": "y += v + z"},
        {"last": "y -= z"},
        {"last": "y += z\n        v[0, 0] = z[0, 0]"},
    ],
)
def test_other_sums_stay_apart(change):
    found = absorbed(4, 4, **change)
    assert any(last in found for last in ("y += z", "y += v + z", "y -= z"))


def test_arrays_of_different_shapes_stay_apart():
    text = (
        "def f(x, n, m):\n    y = np.copy(x)\n    z = np.zeros_like(m)\n    z[0, 0] += 1.0\n    y += z\n    return y\n"
    )
    assert "y += z" in apply("accumulator_forwarding", text, KINDS | {"m": nb.float64[:, ::1]})


@pytest.mark.parametrize("seed", range(60))
def test_no_random_scheme_gives_another_result(seed):
    rng = np.random.default_rng(seed)

    def element(array, most=3):
        return f"{array}[i + {rng.integers(0, most)}, j + {rng.integers(0, most)}]"

    lines = [f"t = {element('y')} + {element(rng.choice(['y', 'v', 'x']))}"]
    lines += [f"{element(rng.choice(['y', 'v']))} = {rng.choice(['0.0', 't'])}" for _ in range(rng.integers(0, 2))]
    lines += [f"{element(rng.choice(list('zzzzzv')))} += {rng.choice(['t', '2.0 * t'])}" for _ in range(5)]
    if rng.random() < 0.3:
        lines.insert(rng.integers(1, len(lines)), f"t = 0.5 * {element(rng.choice(['y', 'v']))}")
    edges = ["pass", "y[0, 1] = 2.0", "v[1, 2] += y[1, 1]", "z[1, 1] += y[0, 0]", "v[1, 1] = 0.0"]
    absorbed(5, 5, "; ".join(lines), rng.choice(edges), rng.choice(["pass", *edges]))


def advected(u, c):
    u = u.copy()
    for _ in range(3):
        un = u.copy()
        u[1:-1] = un[1:-1] - c * un[1:-1] * (un[1:-1] - un[:-2]) + 0.1 * (un[2:] - 2.0 * un[1:-1] + un[:-2])
        u[0] = u[-2]
    return np.sum(u**2)


@pytest.mark.slow
@pytest.mark.parametrize("n", [2, 3, 6])
def test_the_adjoint_of_a_copy_is_that_of_the_field(n):
    assert_gradient(advected, np.linspace(0.2, 0.9, n) ** 2, 0.3, modes=("gradient", "loops"))
    text = srcad.source(advected, signature="f8[::1], f8", mode="grad")
    assert "_bar += un_bar" not in text
    assert "_bar += un_bar" in srcad.source(
        advected, signature="f8[::1], f8", mode="grad", without="accumulator_forwarding"
    )
