"""Arrays give others their memory where nobody can tell, and only there."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import changes

KINDS = {
    **dict.fromkeys(["x", "a", "b", "w", "d"], nb.float64[:, ::1]),
    **dict.fromkeys(["v", "u", "y"], nb.float64[::1]),
    **dict.fromkeys("nmijkst", nb.int64),
    "f": nb.float64[::1, :],
    "q": nb.float32[:, ::1],
}


def is_reused(text):
    return changes("buffer_reuse", text, KINDS, [(np.arange(12.0).reshape(3, 4) + 1.0, 3, 4)])


def nest(*lines, made="b = np.zeros((n, m))", result="b", loops=("range(n)", "range(m)"), first="a = np.copy(x)"):
    """Two arrays, two loops around the lines, and a result."""
    body = "\n            ".join(lines)
    return (
        f"def f(x, n, m):\n    n = x.shape[0]\n    m = x.shape[1]\n    {first}\n    {made}\n    for i in {loops[0]}:\n"
        f"        for j in {loops[1]}:\n            {body}\n    return {result}\n"
    )


TURNED = "s = a[i, j]", "a[i, j] = 0.0", "b[i, j] += 2.0 * s"


def later(line, made="pass"):
    """Two such arrays, and a loop behind that goes through the one that is turned."""
    return nest(*TURNED).replace("    return", f"    {made}\n    for k in range(n):\n        {line}\n    return")


LAST_OF_THREE = """
def f(x, n, m):
    n = x.shape[0]
    m = x.shape[1]
    for t in range(3):
        a = x * t
        b = np.zeros((n, m))
        for i in range(n):
            for j in range(m):
                s = a[i, j]
                a[i, j] = 0.0
                b[i, j] += 2.0 * s
    return b
"""


@pytest.mark.parametrize(
    "text",
    [
        nest(*TURNED),
        LAST_OF_THREE,  # read after the loop: the memory is that of the last iteration's array, which nobody else has
        nest("s = a[i, j]", "a[i, j] = 0.0", "b[i, j] -= s", "b[i, j] += 3.0"),
        nest("b[i, j] = a[i, j] * a[i, j]", made="b = np.empty((n, m))"),
        nest(*TURNED, made="b = np.zeros_like(x)"),
        nest(*TURNED, loops=("range(n - 1, -1, -1)", "range(m)")),
        nest(*TURNED, loops=("range(0, n, 1)", "range(0, m)")),
        nest("s = a[i, j]", "a[i, j] = 0.0", "if s > 2.0:", "    b[i, j] += s"),
        nest("s = a[i, j]", "if s > 2.0:", "    b[i, j] += s"),
        nest("if x[i, j] > 2.0:", "    s = a[i, j]", "else:", "    s = 1.0", "b[i, j] += s"),
        nest("a[i, j] += 1.0", "s = a[i, j]", "b[i, j] += s"),
        later("b[k, k] += 1.0"),
        later("v[k] = b[k, k] * x[k, k]", made="v = np.zeros(n)"),
        nest("b[i, j] = a[i, j]", made="b = np.empty((n, m))", loops=("range(n)", "range(1, m)"), result="b[:, 1:]"),
    ],
)
def test_memory_is_handed_over(text):
    assert is_reused(text)


@pytest.mark.parametrize(
    "text",
    [
        nest(*TURNED, result="b, a"),  # asked for later
        nest(*TURNED, first="a = x"),  # the caller's
        nest(*TURNED, first="a = np.copy(x)\n    d = a[1:]", result="b + d[0, 0]"),  # two names
        nest(*TURNED, made="b = np.zeros((n + 1, m))"),
        nest(*TURNED, made="b = np.zeros((m, n))", loops=("range(3)", "range(3)")),
        nest(*TURNED, loops=("range(n)", "range(1, m)")),  # zeros stay beside it
        nest(*TURNED, loops=("range(n)", "range(0, m, 2)")),
        nest("s = a[i, j]", "a[i, j] = 0.0", "b[i, j - 1] += s"),  # another element
        nest("b[i, j] += a[n - 1 - i, j]"),
        nest("b[i, j] += a[0, j]"),
        nest("b[i, j] += a[i, j]", "b[i, j] += a[i, j]"),  # read after the first store
        nest("if x[i, j] > 2.0:", "    b[i, j] += a[i, j]"),  # nothing is zero
        nest("b[i, j] += b[i, j] + a[i, j]"),
        nest("s = a[i, j]", "if s > 5.0:", "    break", "b[i, j] += s"),
        nest("b[i, j] += a[i, j] * a.size"),
        nest(*TURNED, made="b = np.ones((n, m))"),
        nest(*TURNED, made="b = np.zeros((n, m))\n    b[0, 0] = 3.0"),
        nest("s = a[i, j]", "a[i, j] = 0.0", "t = a[i, j]", "b[i, j] += s + t"),
        nest(*TURNED, made="q = np.zeros((n, m))").replace("b", "q"),  # other numbers
        nest(*TURNED, made="f = np.zeros((n, m))").replace("b[", "f[").replace("return b", "return f"),
        nest("for k in range(2):", "    b[i, j] += a[i, j]"),
        nest("j = j + 0", *TURNED),
        nest(
            "b[i, j] = a[i, j] + i", made="b = np.empty((n, m))", loops=("range(-n, n)", "range(m)")
        ),  # each row twice
        later("b[k, k] += x[k, k]"),  # LLVM would not know that they are apart
        later("v[k] = b[k, k] + 1.0", made="v = np.empty(n)"),
    ],
)
def test_memory_is_kept(text):
    assert not is_reused(text)


def test_views_that_must_not_be_written_keep_their_memory():
    text = """
        def f(x, n, m):
            v = {}
            s = v.shape[0]
            u = np.empty(s)
            for i in range(s):
                u[i] = np.sin(v[i])
            return u
        """
    assert is_reused(text.format("np.ones(3)"))
    assert not is_reused(text.format("np.diag(np.ones((3, 3)))"))


def test_what_is_made_anew_in_each_iteration_is_handed_over_there():
    assert is_reused(
        """
        def f(x, n, m):
            n = x.shape[0]
            w = np.zeros_like(x)
            for k in range(3):
                y = x[0]
                v = x @ y
                u = np.empty(n)
                for i in range(n):
                    u[i] = v[i] * 2.0
                w[k, 0] = u @ u
            return w
        """
    )


def test_parallel_loops_stay():
    text = nest(*TURNED).replace("in range(n)", "in numba.prange(n)")
    assert not changes("buffer_reuse", text, KINDS)


def network(x, w, u):
    h = np.tanh(x @ w)
    y = np.maximum(h @ u, 0.1)
    return np.sum(y * y) + np.sum(h)


@pytest.mark.compiled
def test_gradients():
    rng = np.random.default_rng(1)
    x, w, u = rng.normal(size=(5, 3)), rng.normal(size=(3, 4)), rng.normal(size=(4, 2))
    assert_gradient(network, x, w, u)
    for empty in (x[:0], x):
        found, expected = (
            srcad.grad(network, wrt=(0, 1, 2), without=without)(empty, w, u) for without in ((), "buffer_reuse")
        )
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-14)
