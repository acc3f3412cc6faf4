"""Products of one matrix share a pass over memory, where neither the order of statements nor rounding forbids it."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, changes, mark_whole

KINDS = {
    **dict.fromkeys(["a", "b", "m"], nb.float64[:, ::1]),
    **dict.fromkeys(["f", "g"], nb.float64[::1, :]),
    **dict.fromkeys(["u", "v", "x", "y", "z"], nb.float64[::1]),
    **dict.fromkeys(["a_4", "x_4"], nb.float32[::1]),
    **dict.fromkeys("nik", nb.int64),
    "s": nb.float64,
    "strided": nb.float64[:, :],
    "single": nb.float32[:, ::1],
    "c": nb.complex128[:, ::1],
}
RNG = np.random.default_rng(3)
ARGUMENTS = RNG.normal(size=(3, 4)), RNG.normal(size=3), RNG.normal(size=4)
TEXT = "def h(a, u, v):\n    {}\n    return {}\n"


def fuses(*lines, result="y, z", primals=0):
    text = TEXT.format("\n    ".join(lines), result)
    return changes("product_fusion", text, KINDS, [ARGUMENTS], rtol=1e-13, mark=mark_whole, primals=primals)


TURNED, STRAIGHT = "y = kernels.transpose_times(a, u)", "z = kernels.times(a, v)"


@pytest.mark.parametrize(
    "lines",
    [
        [TURNED, STRAIGHT],
        [STRAIGHT, TURNED],
        ["y = u @ a", "z = np.dot(a, v)"],
        ["y = a @ v", "x = 2.0 * u", "z = x @ a"],
        ["y = a @ v", "z = kernels.transpose_times(a, y)"],
        ["z = np.zeros(4)", "y = a @ v", "z += 2.0 * kernels.transpose_times(a, y)"],
        ["y = v * 1.0", "for i in range(3):", "    z = a @ y", "    y = u @ a"],
        ["z = a @ v", "v = u @ a", "y = v + 1.0"],
        ["z = u * 1.0", "z = a @ v", "z = z @ a", "y = z + 1.0"],
        ["y = (a @ v) @ a", "z = u @ a"],
        ["z = u * 1.0", "y = a @ v - z", "z = u @ a"],  # the first statement reads what the second one replaces
    ],
)
def test_products_of_one_matrix_share_a_pass(lines):
    assert fuses(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["y = a @ v", "z = a @ (v + 1.0)"],
        ["y = u @ a", "z = a @ y"],
        [TURNED, "v = y * 2.0", STRAIGHT],
        [TURNED, "a[0] = 2.0", STRAIGHT],
        [TURNED, "b = a[1:]", "b[0] = 2.0", "u[0] = 1.0", "a = b * 2.0", "u = u[1:]", STRAIGHT],
        ["for i in range(3):", "    y = u @ a", "    if i > 1:", "        break", "    z = a @ v"],
        ["y = u @ a", "if y[0] > 0.0:", "    u = u * 2.0", "z = a @ v"],
        ["y = a @ v", "y[0] = 1.0", "z = kernels.transpose_times(a, y)"],
    ],
)
def test_products_that_depend_on_what_is_between_stay_where_they_are(lines):
    assert not fuses(*lines)


def test_what_the_primal_returns_and_what_decides_is_rounded_as_before():
    assert not fuses(TURNED, STRAIGHT, primals=1)
    assert not fuses(TURNED, STRAIGHT, "s = 0.0", "if np.sum(y) > 0.5:", "    s = 1.0", result="y, z, s")
    assert not fuses(TURNED, STRAIGHT, "s = np.max(z) + np.floor(z[0])", result="s, y")
    assert fuses(TURNED, STRAIGHT, "s = np.sum(z)", result="u, s", primals=1)
    assert not fuses("pass", result="u @ a, a @ v", primals=1)
    assert fuses("pass", result="v, u @ a, a @ v", primals=1)


def test_other_types_stay_as_they_are():
    for of in ("strided", "c", "single"):
        text = TEXT.format(f"{TURNED}\n    {STRAIGHT}", "y, z").replace("a", of)
        assert not changes("product_fusion", text, {**KINDS, "y": KINDS[of], "z": KINDS[of]}, [])


def test_a_matrix_in_the_other_order_of_memory_is_read_by_its_columns():
    text = "def h(f, u, v):\n    y = u @ f\n    z = f @ v\n    x = u @ f\n    x = f @ x\n    return y, z, x\n"
    found = apply("product_fusion", text, KINDS)
    assert found.count("f.T, ") == 2
    given = np.asfortranarray(ARGUMENTS[0]), *ARGUMENTS[1:]
    assert changes("product_fusion", text, KINDS, [given], rtol=1e-13)


@pytest.mark.parametrize(
    "lines",
    [
        ["m = np.outer(u, v)", "m += np.outer(u, v)"],
        ["m = a * 1.0", "m += np.outer(u, v)", "x = v * 2.0", "m += np.outer(u, x)"],
        ["for i in range(2):", "    m = np.outer(u, v)", "    x = np.tanh(v)", "    m += np.outer(u, x)"],
    ],
)
def test_outer_products_into_one_matrix_share_a_pass(lines):
    assert fuses(*lines, result="m")


@pytest.mark.parametrize(
    "lines",
    [
        ["m = np.outer(u, v)", "x = m[0] * 2.0", "m += np.outer(u, x)"],
        ["m = a * 1.0", "b = m[1:]", "m += np.outer(u, v)", "b[0] = 1.0", "m += np.outer(u, v)"],
        ["m = np.outer(u, v)", "u[0] = 2.0", "m += np.outer(u, v)"],
        ["m = np.outer(u, v)", "if u[0] > 0.0:", "    m += np.outer(u, v)"],
        ["m = np.outer(u, v)", "m -= np.outer(u, v)"],
    ],
)
def test_outer_products_that_are_used_between_are_added_one_by_one(lines):
    assert not fuses(*lines, result="m")


def test_results_are_of_the_type_of_the_matrix():
    kinds = {**KINDS, **dict.fromkeys("uvyz", nb.float32[::1]), "a": KINDS["single"], "m": KINDS["single"]}
    text = TEXT.format(f"{TURNED}\n    {STRAIGHT}\n    m = np.outer(u, v)\n    m += np.outer(u, v)", "y, z, m")
    found = apply("product_fusion", text, kinds, mark=mark_whole)
    assert found.count("np.empty(a.shape[0], a.dtype)") == found.count("np.empty(a.shape[1], a.dtype)") == 1
    assert "np.empty((u.shape[0], v.shape[0]), u.dtype)" in found


def steps(a, x, y):
    """Products in both directions in a loop, from a start that it replaces."""
    for i in range(2):
        p, q = a @ x, y @ a
        x = np.tanh(q) + x[i] * (p @ a)
        y = np.sin(p)
    return np.sum(x * x) + np.sum(y)


def test_gradients():
    rng = np.random.default_rng(5)
    assert_gradient(steps, *(rng.normal(size=each) / 2 for each in ((4, 3), 3, 4)))


def both_ways(a, x, y):
    return np.sum((a @ x) ** 2) + np.sum((y @ a) ** 2 * x)


@pytest.mark.compiled
def test_compiled_gradients():
    rng = np.random.default_rng(6)
    found, plain = (srcad.grad(both_ways, wrt=(0, 1, 2), jit=each) for each in (True, False))
    for n, m in ((9, 6), (1, 2), (6, 9), (0, 3)):
        given = tuple(rng.normal(size=each) for each in ((n, m), m, n))
        for one, other in zip(found(*given), plain(*given), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    same, square = rng.normal(size=5), rng.normal(size=(5, 5))
    for one, other in zip(found(square, same, same), plain(square, same, same), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    assert "store_both_products" in srcad.source(both_ways, wrt=(0, 1, 2), args=given)
