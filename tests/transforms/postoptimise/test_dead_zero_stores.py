"""Zeros are not stored where nobody reads them, and stored everywhere else."""

import numpy as np
import pytest
from numba import types as nb

from tests.checking import assert_gradient
from tests.transforms.core_text import changes

KINDS = {**dict.fromkeys("abcx", nb.float64[::1]), "m": nb.float64[:, ::1], **dict.fromkeys("nij", nb.int64)}


def is_spared(*lines, result="b"):
    """Whether a zero is not stored; what the lines give stays."""
    text = "def f(x, n):\n    a = x * 2.0\n    b = np.zeros_like(x)\n    m = np.outer(x, x)\n"
    text += "".join(f"    {each}\n" for each in lines) + f"    return {result}\n"
    return changes("dead_zero_stores", text, KINDS, [(np.linspace(0.1, 0.9, 4), 4)])


TAKEN = "    s = a[i]", "    a[i] = 0.0", "    b[i] += s * x[i]"


@pytest.mark.parametrize(
    "lines",
    [
        ["for i in range(n):", *TAKEN],
        ["for i in range(n - 1, -1, -1):", *TAKEN],
        ["for i in range(n):", "    s = a[i] + a[i]", "    b[i] += s", "    a[i] = 0.0"],
        [
            "for i in range(n):",
            "    for j in range(n):",
            "        s = m[i, j]",
            "        m[i, j] = 0.0",
            "        b[i] += s",
        ],
        ["for j in range(3):", "    a = x * 1.5", "    for i in range(n):", *(f"    {each}" for each in TAKEN)],
    ],
)
def test_zeros_that_nobody_reads(lines):
    assert is_spared(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["for i in range(n):", *TAKEN, "b[0] += a[1]"],  # read behind
        ["for i in range(n):", *TAKEN, "    b[i] += a[i]"],
        ["for i in range(n):", "    s = a[i]", "    a[i] = 0.0", "    b[i] += s + a[i - 1]"],
        ["for j in range(2):", "    for i in range(n):", *(f"    {each}" for each in TAKEN)],
        ["for i in range(-n, n):", *TAKEN],  # comes to each element twice
        ["c = a[1:]", "for i in range(n):", *TAKEN, "b[0] += c[1]"],
        ["c = a[1:]", "for i in range(n - 1):", *TAKEN, "    b[i] += c[i]"],
        ["for i in range(n):", "    for j in range(n):", "        s = a[j]", "        a[j] = 0.0", "        b[i] += s"],
        [
            "for i in range(n):",
            "    for j in range(n):",
            "        s = m[i, i]",
            "        m[i, i] = 0.0",
            "        b[i] += s",
        ],
        ["for i in range(n):", "    s = a[i]", "    if s > 0.5:", "        a[i] = 0.0", "    b[i] += s"],
    ],
)
def test_zeros_that_stay(lines):
    assert not is_spared(*lines)


def test_an_argument_keeps_its_zeros():
    text = "def f(x, n):\n    b = 0.0\n    for i in range(n):\n        b += x[i]\n        x[i] = 0.0\n    return b\n"
    assert not changes("dead_zero_stores", text, KINDS)


def scaled(x, c):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] * c[i]
    z = np.empty(x.size)
    for i in range(x.size):
        z[i] = np.sin(y[i]) * y[0]
    return np.sum(z * z)


def test_gradients_are_right():
    x = np.linspace(0.2, 0.9, 5)
    assert_gradient(scaled, x, 1.0 - x, modes=("loops", "gradient"))
