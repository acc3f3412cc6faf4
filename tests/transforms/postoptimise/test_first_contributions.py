"""Arrays of zeros that loops fill from end to end are not set to zero, and only these."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["x", "a", "b"], nb.float64[:, ::1]),
    **dict.fromkeys(["v", "u"], nb.float64[::1]),
    **dict.fromkeys("nmijkst", nb.int64),
    "c": nb.complex128[:, ::1],
    "w": nb.int64[:, ::1],
}
ARGUMENTS = np.arange(12.0).reshape(3, 4) + 1.0, 3, 4


def is_stored(text, passes=("first_contributions",)):
    """Whether the pass changes a function, which gives the same though unset memory holds NaN."""
    before = apply(list(passes[:-1]), text, KINDS) if passes[1:] else unchanged(text)
    after = apply(list(passes), text, KINDS)
    poisoned = after.replace("np.empty_like(", "np.nan * np.ones_like(").replace("np.empty(", "np.nan * np.ones(")
    assert_same_results(text, poisoned, [ARGUMENTS])
    return after != before


def nest(*lines, made="b = np.zeros((n, m))", result="b", loops=("range(n)", "range(m)"), first="pass"):
    """An array of zeros, two loops around the lines, and a result."""
    body = "\n            ".join(lines)
    return (
        f"def f(x, n, m):\n    n = x.shape[0]\n    m = x.shape[1]\n    {made}\n    {first}\n    for i in {loops[0]}:\n"
        f"        for j in {loops[1]}:\n            {body}\n    return {result}\n"
    )


SUM = "b[i, j] += 2.0 * x[i, j]"


@pytest.mark.parametrize(
    "text",
    [
        nest(SUM),
        nest(SUM, "b[i, j] += 1.0", "b[i, j] = b[i, j] * x[i, j]"),
        nest("b[i, j] -= x[i, j]"),
        nest("b[i, j] = x[i, j]", "b[i, j] += 1.0"),
        nest("s = 2", "if x[i, j] > 2.0:", "    s = 3", "b[i, j] += s"),
        nest(SUM, made="b = np.zeros_like(x)", loops=("range(n - 1, -1, -1)", "range(0, m, 1)")),
        nest("b[j, i] += x[i, j]", made="b = np.zeros((m, n))"),
        nest(SUM, loops=("range(x.shape[0])", "range(m)"), result="b + b"),
        nest("c[i, j] += 2.0 * x[i, j]", made="c = np.zeros((n, m), np.complex128)", result="c"),
        nest("b[i, j] += 1.0", made="b = np.zeros((0, m))", loops=("range(0)", "range(m)")),
    ],
)
def test_first_sums_are_stores(text):
    assert is_stored(text)


@pytest.mark.parametrize(
    "text",
    [
        nest("b[i, j] += 2.0 * b[i, j] + 1.0"),
        nest("b[i, j - 1] += x[i, j]"),
        nest("b[i, 0] += x[i, j]"),
        nest("b[i, j] *= x[i, j]"),
        nest("if x[i, j] > 2.0:", "    b[i, j] += 1.0"),
        nest(SUM, loops=("range(n)", "range(1, m)")),
        nest(SUM, loops=("range(n)", "range(0, m, 2)")),
        nest(SUM, loops=("range(n)", "range(m - 1)")),
        "def f(x, n, m):\n    b = np.zeros((n, m))\n    for i in range(n):\n        b[i] += x[i]\n    return b\n",
        nest(SUM, loops=("range(n)", "range(i)")),  # a triangle
        nest(SUM, loops=("range(1, n)", "range(m)")),
        nest(SUM, loops=("range(-n, n)", "range(m)")),  # each row twice
        nest(SUM, loops=("range(n)", "range(m - 1, -m - 1, -1)")),
        nest(SUM, made="b = np.zeros((n + 1, m))"),
        nest(SUM, made="b = np.zeros((n, m))\n    n = n - 1"),
        nest(SUM, first="n = n - 1"),
        nest(SUM, first="for k in range(3):\n        n = x.shape[0] - k"),
        nest(SUM, first="b[0, 0] = 3.0"),
        nest(SUM, first="a = b"),
        nest("s = 1", "if x[i, j] > 5.0:", "    break", SUM),
        nest("if x[i, j] > 5.0:", "    continue", SUM),
        nest("for k in range(2):", "    b[i, j] += x[i, j]"),
        nest(SUM, made="b = np.ones((n, m))"),
        nest("w[i, j] += 1", made="w = np.zeros((n, m), np.int64)", result="w"),  # an adjoint is never of integers
        nest(SUM).replace("for j", "b[i, 0] += 1.0\n        for j"),
        nest(SUM).replace("for j", "m = 2\n        for j"),
        nest("j = j + 0", SUM),
        nest(SUM).replace("        for j", "        if i > 0:\n         for j"),
        nest(SUM).replace("    for i", "    if n > 5:\n     for i"),
        "def f(x, n, m):\n    v = np.zeros(n)\n    for i in range(n):\n        for j in range(m):\n"
        "            v[i] += x[i, j]\n    return v\n",
        "def f(x, n, m):\n    n = x.shape[0]\n    v = np.zeros(n)\n    for k in range(2):\n        for i in range(n):\n"
        "            v[i] += x[i, k]\n    return v\n",
    ],
)
def test_zeros_stay(text):
    assert not is_stored(text)


def test_a_test_whether_the_inner_loop_has_iterations_is_seen_through():
    text = nest("u[i] += 1.0", SUM, made="u = np.ones(n)\n    b = np.zeros((n, m))", result="b, u")
    assert "if " in apply(["scalar_replacement"], text, KINDS)
    assert is_stored(text, ("scalar_replacement", "first_contributions"))


def test_extents_that_were_checked_to_be_equal_are_equal():
    text = "def f(x, n, m):\n    v = x[0]\n    {}\n    u = np.zeros_like(v)\n    for i in range(m):\n        {}\n"
    text += "    return u\n"
    assert is_stored(text.format("kernels.same_extent(m, v.shape[0])", "u[i] += 1.0"))
    assert not is_stored(text.format("pass", "u[i] += 1.0"))
    assert not is_stored(text.format("kernels.same_extent(m, v.shape[0])\n    m = m - 1", "u[i] += 1.0"))


def test_parallel_loops_stay():
    text = nest(SUM).replace("in range(n)", "in numba.prange(n)")
    assert apply("first_contributions", text, KINDS) == unchanged(text)


def filtered(x, k):
    out = np.zeros(x.size - k.size + 1)
    for j in range(k.size):
        out += k[j] * x[j : x.size - k.size + 1 + j]
    y = np.tanh(out) * out
    z = y[::-1] - np.mean(y)
    return np.sum(z**2 * out)


@pytest.mark.parametrize("size", [3, pytest.param(7, marks=pytest.mark.nightly)])
def test_gradients_of_array_statements(size):
    rng = np.random.default_rng(1)
    assert_gradient(filtered, rng.normal(size=size), rng.normal(size=3))


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_gradients_of_array_statements():
    x, k = np.random.default_rng(1).normal(size=9), np.array([0.5, -1.0, 0.25])
    found = srcad.grad(filtered, wrt=(0, 1))
    for _ in range(3):  # memory that has been used
        for one, other in zip(found(x, k), srcad.grad(filtered, wrt=(0, 1), jit=False)(x, k), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
