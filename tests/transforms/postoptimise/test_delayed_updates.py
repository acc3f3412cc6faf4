"""Outer products wait where a loop only adds them, and the sum is the same."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.runtime.kernels.linear_algebra import rank_one_sums as kernel
from tests.checking import assert_gradient
from tests.transforms.core_text import changes, mark_whole

KINDS = {
    **dict.fromkeys(["x", "a", "b"], nb.float64[:, ::1]),
    **dict.fromkeys(["u", "v"], nb.float64[::1]),
    **dict.fromkeys("nik", nb.int64),
    "s": nb.float32[:, ::1],
    "t": nb.float64[::1, :],
}
ARGUMENTS = np.arange(12.0).reshape(3, 4) + 1.0, np.array([0.5, -1.0, 2.0])
TEXT = "def f(x, u):\n    n = x.shape[0]\n    {}\n    for i in range(n):\n        {}\n    return {}\n"


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """Small matrices wait as well, where code is not compiled."""
    monkeypatch.setattr(kernel, "_LEAST", 1)


def is_delayed(*lines, made="a = np.zeros_like(x)", result="a"):
    text = TEXT.format(made, "\n        ".join(lines), result)
    return changes("delayed_updates", text, KINDS, [ARGUMENTS], rtol=1e-14, mark=mark_whole)


SUM = "a += np.outer(u, x[i])"


@pytest.mark.parametrize(
    "lines",
    [
        [SUM],
        [SUM, "u[0] += 1.0", SUM],
        ["if u[i] > 0.0:", f"    {SUM}"],
        ["for k in range(20):", f"    {SUM}"],
        ["k = 0", "while k < 20:", f"    {SUM}", "    k += 1"],
        [SUM, "if u[i] > 0.6:", "    break"],
        ["v = x[i] * 2.0", "a += np.outer(u, v)", "u = u * v[0]"],
    ],
)
def test_sums_of_outer_products_wait(lines):
    assert is_delayed(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        [SUM, "u[0] = a[0, 0]"],
        ["a += np.outer(u, a[i])"],
        ["a += x"],
        ["a -= np.outer(u, x[i])"],
        ["b = a * 1.0", SUM],
        [SUM, "if u[i] > 0.6:", "    return a"],
    ],
)
def test_other_uses_in_the_loop_keep_sums_where_they_are(lines):
    assert not is_delayed(*lines)


def test_a_matrix_that_is_not_the_functions_own_or_of_doubles_gets_its_sums_at_once():
    assert not is_delayed("x += np.outer(u, u[:1] * np.ones(4))", made="pass", result="x")
    assert not is_delayed("s += np.outer(u, x[i])", made="s = np.zeros(x.shape, np.float32)", result="s")
    assert not is_delayed("t += np.outer(x[i], u)", made="t = np.zeros_like(x).T", result="t")


def test_a_second_name_of_the_matrix_counts_as_a_use():
    assert not is_delayed("u[0] = b[0, 0]", SUM, made="a = np.zeros_like(x)\n    b = a[1:]", result="a")


def test_a_matrix_that_may_have_no_value_yet_is_not_asked_for_its_size():
    assert not is_delayed("if n > 5:", f"    {SUM}", made="if n > 5:\n        a = np.zeros_like(x)", result="x")


def test_sums_of_the_user_are_added_at_once():
    assert not changes("delayed_updates", TEXT.format("a = np.zeros_like(x)", SUM, "a"), KINDS, [ARGUMENTS])


def test_a_variable_of_the_name_of_the_kernels_keeps_sums_where_they_are():
    assert not is_delayed("kernels = x[i]", "a += np.outer(u, kernels)")


def recurrence(a, b, x, steps):
    y = x
    total = 0.0
    for _ in range(steps):
        y = np.tanh(a @ y)
        if y[0] > 0.0:
            y = y + b @ x
        total += np.sum(y)
    return total + np.sum(y * y)


@pytest.mark.parametrize("steps", [0, 1, 17])
def test_gradients_of_products_in_a_loop(steps):
    rng = np.random.default_rng(4)
    assert_gradient(recurrence, rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=3), steps)


@pytest.mark.compiled
def test_compiled_gradients_of_large_matrices_and_small_ones():
    rng = np.random.default_rng(5)
    found = srcad.grad(recurrence, wrt=(0, 1, 2))
    plain = srcad.grad(recurrence, wrt=(0, 1, 2), jit=False, without="delayed_updates")
    for n, steps in ((3, 5), (91, 16), (91, 19)):
        given = rng.normal(size=(n, n)) / n, rng.normal(size=(n, n)) / n, rng.normal(size=n), steps
        for one, other in zip(found(*given), plain(*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def test_shapes_that_do_not_fit_are_refused():
    total, left, right = np.zeros((2, 3)), np.empty((4, 2)), np.empty((4, 3))
    with pytest.raises(ValueError, match="broadcast"):
        kernel.delay_outer(total, left, right, 0, np.ones(3), np.ones(3))
