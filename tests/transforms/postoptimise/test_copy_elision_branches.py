"""Adjoints of arrays that trade places are handed over, not copied."""

import contextlib

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply_and_compare, mark_whole

KINDS = {**dict.fromkeys("abstvwxy", nb.float64[::1]), "n": nb.int64}
SWAP = ["t = np.copy(a)", "a = np.zeros_like(x)", "s = np.copy(b)", "b = np.zeros_like(x)", "b += t", "a += s"]


def traded(*lines, whole=True):
    """The lines as they become, in a loop; what they give stays."""
    text = "def f(x, n):\n    a = x * 2.0\n    b = x + 1.0\n    for k in range(n):\n        b[0] += a[1]\n        "
    text += "\n        ".join(lines) + "\n        a[k] *= 0.5\n    return a, b\n"

    cases = [(np.array([0.3, 0.7, -0.1]), 3)]
    return apply_and_compare(
        ("copy_elision_branches", "copy_elision_moves"), text, KINDS, cases, mark=mark_whole if whole else None
    )


def test_a_swap_copies_nothing():
    found = traded(*SWAP)
    assert "np." not in found


def test_zeros_may_be_stored_in_place():
    found = traded(*(each.replace(" = np.zeros_like(x)", "[...] = 0.0") for each in SWAP))
    assert "np." not in found
    assert "..." not in found
    found = traded("t = np.copy(a)", "a[...] = 0.0", "b[...] = 0.0", "b += t")
    assert "a = np.zeros_like(a)" in found


@pytest.mark.parametrize(
    "lines",
    [
        [*SWAP[:4], "b += t", "a[0] = 2.0", "a += s"],  # not zeros any more
        [*SWAP[:2], "a[0] = 2.0", *SWAP[2:]],
        [*SWAP, "a[0] += t[1]"],  # the copy is read again
        ["t = np.copy(a)", "a[1] = 2.0", "a = np.zeros_like(x)", "s = np.zeros_like(x)", "s += t", "b[0] += s[1]"],
        ["v = a[1:]", *SWAP, "v[0] = 3.0", "a[1] += v[0]"],  # another name
        ["t = np.copy(a)", "if x[0] > 0.0:", "    a = np.zeros_like(x)", "b = np.zeros_like(x)", "b += t"],
        ["t = np.copy(a)", "a = a * 2.0", "b = np.zeros_like(x)", "b += t"],
        ["t = np.copy(x)", "b = np.zeros_like(x)", "b += t"],
    ],
)
def test_all_else_is_right(lines):
    found = traded(*lines)
    assert "np." in found


def test_sums_that_may_broadcast_stay():
    found = traded(*SWAP, whole=False)
    assert "b += t" in found
    assert "a += s" in found


@pytest.mark.parametrize("seed", range(40))
def test_no_random_order_gives_another_result(seed):
    rng = np.random.default_rng(seed)
    in_place = rng.random() < 0.5
    lines = [each.replace(" = np.zeros_like(x)", "[...] = 0.0") if in_place else each for each in SWAP]
    for _ in range(rng.integers(0, 3)):
        at = rng.integers(0, len(lines))
        first, second = rng.integers(0, len(lines), size=2)
        lines.insert(at, str(rng.choice(["a[1] += 0.5", "b[2] = a[0]", "x[0] += 1.0", "n = n + 0"])))
        lines[first], lines[second] = lines[second], lines[first]
    with contextlib.suppress(UnboundLocalError):  # an order that makes no sense: both are without a value
        traded(*lines)


def three_levels(u0, c):
    """The wave equation: three buffers that trade places."""
    last, u, new = 0.5 * u0, u0.copy(), np.zeros_like(u0)
    for _ in range(4):
        for i in range(1, u.shape[0] - 1):
            new[i] = 2.0 * u[i] - last[i] + c * (u[i + 1] * u[i - 1] - u[i])
        last, u, new = u, new, last
    return np.sum(u * last)


def two_levels(u0, c):
    u, new = u0.copy(), np.zeros_like(u0)
    for _ in range(3):
        new[1:-1] = u[1:-1] + c * np.sin(u[2:] * u[:-2])
        u, new = new, u
    return np.sum(u**2)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", [three_levels, two_levels])
@pytest.mark.parametrize("n", [2, 3, 6])
def test_buffers_that_trade_places_have_adjoints_that_do(scheme, n):
    assert_gradient(scheme, np.linspace(0.2, 0.9, n) ** 2, 0.3, modes=("gradient", "loops", "arrays"))
    text = srcad.source(scheme, signature="f8[::1], f8", mode="grad")
    assert "np.copy(new_bar)" not in text
    other = srcad.source(
        scheme,
        signature="f8[::1], f8",
        mode="grad",
        without="copy_elision_branches,copy_elision_moves,copy_elision_last_use",
    )
    assert text.count("np.copy(") < other.count("np.copy(")
