"""Sums of whole arrays in derivatives become loops where their extents are seen to be the same, and only there."""

import gast
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import changes, mark_whole

KINDS = {
    **dict.fromkeys(["x", "y", "a", "b"], nb.float64[::1]),
    **dict.fromkeys(["v", "w"], nb.float64[:]),
    **dict.fromkeys(["m", "r"], nb.float64[:, ::1]),
    **dict.fromkeys("st", nb.float64),
    **dict.fromkeys("nk", nb.int64),
    "q": nb.float32[::1],
    "z": nb.complex128[::1],
}


CASE = np.arange(4.0) + 1.0, np.arange(12.0).reshape(3, 4), 3


def is_looped(text):
    return changes("array_sum_loops", text, KINDS, [CASE], rtol=1e-14, mark=mark_whole)


def after(*lines, result="a, b"):
    """Lines behind two new arrays like x, with a result."""
    body = "\n    ".join(["a = np.zeros_like(x)", "b = np.copy(x)", "s = 3.0", *lines])
    return f"def f(x, m, n):\n    {body}\n    return {result}\n"


@pytest.mark.parametrize(
    "text",
    [
        after("a += s * x"),
        after("a -= x / s - 2.0"),
        after("a += -x * s", "b += s * a"),
        after("a += a * s"),
        after("for k in range(n):", "    a += k * x", "    s = s + 1.0"),
        after("y = m[0]", "t = np.dot(y, x)", "a += t * y", "b += s * x"),
        after("r = np.zeros_like(m)", "r += s * m", result="a, r"),
        after("r = np.copy(m)", "v = r[:, 1]", "v += s * m[:, 2]", result="a, r"),
        after("r = np.empty((5, x.shape[0]))", "r[1] = s", "v = r[1]", "v += s * x", result="r[1], v"),
        after("k = x.size", "y = np.ones(k)", "y += s * x", result="a, y"),
    ],
)
def test_sums_become_loops(text):
    assert is_looped(text)


@pytest.mark.parametrize(
    "text",
    [
        after("v = a[:]", "v += s * m[2]", "t = 1.0"),  # whose extents nobody knows to be the same
        after("v = b[1:]", "w = b[:-1]", "v += s * w"),  # elements of another place
        after("v = b[::-1]", "v += s * b"),
        after("a += b[0] * a", "b += b[0] * b"),  # a number that the loop would change
        after("a += np.exp(x) * s"),
        after("y = np.ones(1)", "a += s * y"),  # one for all
        after("r = np.ones((1, 4))", "r += s * r * np.ones((1, 4))", result="a, r"),
        after("y = np.copy(x)", "if n > 2:", "    y = np.copy(m[0])[:1]", "a += s * y"),
        after("y = np.copy(x)", "for k in range(n):", "    a += s * y", "    y = y[:1]"),
        after("q = np.ones(4, np.float32)", "q += s * q", result="a, q"),
        after("z = x + 1j", "z += s * z", result="a, z"),
    ],
)
def test_others_stay(text):
    assert not is_looped(text)


def test_what_the_rule_of_a_number_adds_has_the_shape_of_its_argument():
    def mark(tree):
        for each in tree.body:
            if isinstance(each, gast.AugAssign):
                note(each, whole=True, exact=True)

    text = after("y = m[n - 1]", "a += s * y", "b += s * x")
    assert changes("array_sum_loops", text, KINDS, [CASE], rtol=1e-14, mark=mark)


def descent(x, y, w, rate):
    for _ in range(3):
        g = np.zeros(w.size)
        for i in range(y.size):
            z = np.dot(x[i], w)
            g = g + (1.0 / (1.0 + np.exp(-z)) - y[i]) * x[i]
        w = w - rate * g
    return np.dot(w, w)


@pytest.mark.compiled
def test_gradients():
    rng = np.random.default_rng(1)
    x, y, w = rng.normal(size=(5, 3)), rng.random(5), rng.normal(size=3)
    assert_gradient(descent, x, y, w, 0.1)
    found, expected = (
        srcad.grad(descent, wrt=(0, 1, 2), without=without)(x, y, w, 0.1) for without in ((), "array_sum_loops")
    )
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
