"""Arrays become numbers where each iteration has an element of its own, and nobody else meets any."""

import gast
import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, apply_and_compare, parsed, unchanged

KINDS = {
    **dict.fromkeys(["x", "b"], nb.float64[:, ::1]),
    **dict.fromkeys("auw", nb.float64[::1]),
    **dict.fromkeys("nmijkt", nb.int64),
    "s": nb.float64,
    "q": nb.float32[::1],
    "p": nb.int64[::1],
}


def contracted(text):
    return apply_and_compare("array_contraction_to_scalar", text, KINDS, [(np.arange(12.0).reshape(3, 4) + 1.0, 3, 4)])


MAKERS = "zeros", "ones", "empty"


def calls(text):
    return [node for node in gast.walk(parsed(text)) if isinstance(getattr(node, "func", None), gast.Attribute)]


def looped(*lines, made="a = np.zeros(n)", header="for i in range(n):", result="s"):
    body = "\n        ".join(lines)
    return f"def f(x, n, m):\n    s = 0.0\n    {made}\n    {header}\n        {body}\n    return {result}\n"


@pytest.mark.parametrize(
    "text",
    [
        looped("a[i] += x[i, 0]", "s += a[i] * a[i]", "a[i] = 0.0"),
        looped("a[i] -= x[i, 0]", "s += a[i]"),
        looped("a[i] = x[i, 0]", "s += a[i]", made="a = np.empty(n)"),
        looped("if x[i, 0] > 2.0:", "    a[i] += 2.0", "s += a[i]"),
        looped("s += a[i]", "a[i] = 3.0"),
        looped("a[i] = i", "s += a[i] / 2", made="a = np.empty(n)"),
        looped("a[i] += x[i, 0]", "s += a[i]", header="for i in range(n - 1, -1, -1):"),
        looped("a[i] += x[i, 0]", "s += a[i]", header="for i in range(0, n, 2):"),
        looped("for j in range(m):", "    b[i, j] += x[i, j]", "    s += b[i, j] ** 2", made="b = np.zeros((n, m))"),
        looped("for j in range(m):", "    b[j, i] += x[i, j]", "    s += b[j, i] ** 2", made="b = np.zeros((m, n))"),
        looped("u = np.zeros(m)", "for j in range(m):", "    u[j] += x[i, j]", "    s += u[j]", made="pass"),
        looped("for i in range(n):", "    a[i] += 1.0", "    s += a[i]", header="if n > 0:"),
    ],
)
def test_arrays_that_become_numbers(text):
    found = contracted(text)
    assert not any(isinstance(node, gast.Call) and node.func.attr in MAKERS for node in calls(found))


@pytest.mark.parametrize(
    "text",
    [
        looped("a[i] += x[i, 0]", "s += a[i]", result="s + a[0]"),
        looped("a[i] += x[i, 0]", "s += a[i - 1]"),
        looped("b[i] = x[i]", "b[i] += 1.0", "s += np.sum(b[i])", made="b = np.empty((n, m))"),  # rows
        looped("a[i] += x[i, 0]", "s += a[0]"),
        looped("a[i] += x[i, 0]", "s += a[i] + a.size"),
        looped("a[i] += x[i, 0]", "s += a[i]", header="for i in range(-1, n):"),  # the last element twice
        looped("a[i] += x[i, 0]", "s += a[i]", header="for i in range(m, n):"),
        looped("for k in range(2):", "    a[i] += x[i, k]", "s += a[i]", "for k in range(2):", "    a[k] += 1.0"),
        looped("for j in range(m):", "    a[i] += x[i, j]", "s += a[i]", "i = i + 0"),
        looped("for j in range(m - 1):", "    u[j] += x[i, j]", "    s += u[j]", made="u = np.zeros(m)"),  # adds up
        looped("q[i] += x[i, 0]", "s += q[i]", made="q = np.zeros(n, np.float32)"),
        looped("p[i] = n", "s += p[i]", made="p = np.empty(n, np.int64)"),
        looped("a[i] += x[i, 0]", "s += a[i]", made="a = np.ones(n)"),
        looped("a[i] += x[i, 0]", "s += a[i]", made="a = np.zeros(n)\n    a[0] = 2.0"),
        looped("b[i] += x[i]", "s += b[i, 0]", made="b = np.zeros((n, m))"),
    ],
)
def test_arrays_that_stay(text):
    assert contracted(text) == unchanged(text)


def test_what_iterations_of_parallel_loops_meet_stays():
    text = looped("a[i] += x[i, 0]", "s += a[i]", header="for i in numba.prange(n):")
    assert apply("array_contraction_to_scalar", text, KINDS) == unchanged(text)


def smooth(x, w):
    h = np.tanh(x * w[0])
    y = 1.0 / (1.0 + np.exp(-h * w[1])) + h * h
    return np.sum(y * h) + np.sum(np.log(y))


@pytest.mark.compiled
def test_gradients():
    x, w = np.linspace(-1.0, 2.0, 9), np.array([0.8, -1.3])
    assert_gradient(smooth, x, w)
    for given in (x[:0], x):
        found, expected = (
            srcad.grad(smooth, wrt=(0, 1), without=without)(given, w)
            for without in ((), "array_contraction_to_scalar, buffer_reuse")
        )
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)
