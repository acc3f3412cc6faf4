"""Sums of whole arrays in derivatives become loops where their extents are seen to be the same, and only there."""

import gast
import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, apply_and_compare, mark_whole

KINDS = {
    **dict.fromkeys(["x", "y", "a", "b"], nb.float64[::1]),
    **dict.fromkeys(["v", "w"], nb.float64[:]),
    **dict.fromkeys(["m", "r"], nb.float64[:, ::1]),
    **dict.fromkeys("st", nb.float64),
    **dict.fromkeys("nk", nb.int64),
    "q": nb.float32[::1],
    "z": nb.complex128[::1],
}


def looped(text):
    """The text as it becomes, and what it gives before and after."""
    case = np.arange(4.0) + 1.0, np.arange(12.0).reshape(3, 4), 3
    return apply_and_compare("array_sum_loops", text, KINDS, [case], rtol=1e-14, mark=mark_whole)


def after(*lines, result="a, b"):
    """Lines behind two new arrays like x, with a result."""
    body = "\n    ".join(["a = np.zeros_like(x)", "b = np.copy(x)", "s = 3.0", *lines])
    return f"def f(x, m, n):\n    {body}\n    return {result}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (after("a += s * x"), "    for i in range(x.shape[0]):\n        a[i] += s * x[i]"),
        (after("a -= x / s - 2.0"), "a[i] -= x[i] / s - 2.0"),
        (after("a += -x * s", "b += s * a"), "        a[i] += -x[i] * s\n        b[i] += s * a[i]"),
        (after("a += a * s"), "a[i] += a[i] * s"),
        (after("for k in range(n):", "    a += k * x", "    s = s + 1.0"), "        a[i] += k * x[i]"),
        (after("v = a[:]", "v += s * m[2]", "t = 1.0"), None),  # whose extents nobody knows to be the same
        (after("t = np.dot(m[0], x)", "a += t * m[0]", "a += s * x"), None),
        (
            after("y = m[0]", "t = np.dot(y, x)", "a += t * y", "b += s * x"),
            "a[i] += t * y[i]\n        b[i] += s * x[i]",
        ),
        (after("r = np.zeros_like(m)", "r += s * m", result="a, r"), "r[i, j] += s * m[i, j]"),
        (after("r = np.copy(m)", "v = r[:, 1]", "v += s * m[:, 2]", result="a, r"), "v[i] += s * m[i, 2]"),
        (
            after("r = np.empty((5, x.shape[0]))", "r[1] = s", "v = r[1]", "v += s * x", result="a, v"),
            "v[i] += s * x[i]",
        ),
        (after("k = x.size", "y = np.ones(k)", "y += s * x", result="a, y"), "y[i] += s * x[i]"),
    ],
)
def test_sums_become_loops(text, expected):
    found = looped(text)
    if expected is None:
        assert "[i] +=" not in found.replace("a[i] += s * x[i]", "")
    else:
        assert expected in found


@pytest.mark.parametrize(
    "text",
    [
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
    assert "] +=" not in looped(text)


def test_neighbours_stay_apart_where_one_reads_what_the_other_stores_elsewhere():
    found = looped(
        """
        def f(x, m, n):
            r = np.copy(m)
            v = r[:, 0]
            w = r[:, 1]
            y = np.zeros(m.shape[0])
            v += 2.0 * y
            y += 3.0 * w
            return r, y
        """
    )
    assert found.count("for i") == 2


def test_what_the_rule_of_a_number_adds_has_the_shape_of_its_argument():
    def mark(tree):
        for each in tree.body:
            if isinstance(each, gast.AugAssign):
                note(each, whole=True, exact=True)

    found = apply("array_sum_loops", after("y = m[n - 1]", "a += s * y", "b += s * x"), KINDS, mark=mark)
    assert "        a[i] += s * y[i]\n        b[i] += s * x[i]" in found


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
    text = srcad.source(descent, args=(x, y, w, 0.1), wrt=(0, 1, 2, 3))
    assert "] += z_bar * " in text
    assert_gradient(descent, x, y, w, 0.1)
    found, expected = (
        srcad.grad(descent, wrt=(0, 1, 2), without=without)(x, y, w, 0.1) for without in ((), "array_sum_loops")
    )
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
