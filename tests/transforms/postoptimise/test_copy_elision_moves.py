"""Arrays that nobody wants any more hand over their memory, and only these."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import changes, mark_whole

KINDS = {**dict.fromkeys("abcdxy", nb.float64[::1]), **dict.fromkeys("mw", nb.float64[:, ::1]), "n": nb.int64}


def is_moved(*lines, result="a, b", whole=True):
    """Whether lines in a loop change; what they give stays."""
    text = "def f(x, n):\n    a = x * 2.0\n    b = x + 1.0\n    c = np.copy(x)\n    w = np.outer(x, x)\n"
    text += "    for k in range(n):\n"
    text += "".join(f"        {each}\n" for each in lines) + f"    return {result}\n"
    cases = [(np.linspace(0.1, 0.9, 3), 3)]
    return changes("copy_elision_moves", text, KINDS, cases, mark=mark_whole if whole else None)


@pytest.mark.parametrize(
    "lines",
    [
        ["c = np.copy(a)", "a = np.zeros_like(x)", "a[k] += c[0]", "b[k] += c[1]"],
        ["c = np.copy(a)", "a = np.sin(b)", "c[0] += a[1]", "b += c"],
        ["a = np.zeros_like(x)", "d = w @ b", "a += d"],
        ["a = np.zeros_like(x)", "d = w @ b", "a += d", "b[k] = d[0]"],
        ["a = np.zeros(3)", "b[k] = 2.0", "a += kernels.transpose_times(w, b)"],
        ["a = np.zeros(3)", "a += w @ b"],
        ["c = np.copy(a)", "a[...] = 0.0", "b += c", "a += w @ b"],
        ["c = np.copy(a)", "a[...] = 0.0", "a[k] += c[0]"],
        ["if k > 0:", "    c = np.copy(a)", "else:", "    c = np.copy(b)", "a = c * 2.0", "b = c * b"],
    ],
)
def test_what_is_handed_over(lines):
    assert is_moved(*lines)


@pytest.mark.parametrize(
    "lines",
    [
        ["c = np.copy(a)", "a[k] += c[0]"],  # wanted
        ["c = np.copy(a)", "if k > 1:", "    a[...] = 0.0", "a[k] += c[0]"],
        ["c = np.copy(a)", "d = a[1:]", "a[...] = 0.0", "b[0] += d[0] + c[1]"],
        ["d = a[1:]", "c = np.copy(a)", "a = c * 2.0", "c[1] = 5.0", "b[k] += d[0]"],  # by another name
        ["c = np.copy(a)", "if k > 1:", "    a = c * 2.0", "c[0] = 1.0"],  # on some paths
        ["c = np.copy(a)", "c[0] = 7.0", "if k > 1:", "    break", "a = b * c"],
        ["c = np.copy(x)", "c[0] = 1.0"],  # the caller's
        ["d = a[1:]", "a[...] = 0.0", "a += w @ b", "b[0] = d[0]"],
        ["a = np.zeros(3)", "if k > 0:", "    break", "a += w @ b"],
        ["a = np.zeros(3)", "b[k] = a[0]", "a += w @ b"],
        ["a = np.zeros(3)", "if k > 0:", "    a += w @ b"],
        ["a = np.zeros(3)", "a += w @ a"],
        ["a = np.ones(3)", "a += w @ b"],
    ],
)
def test_what_stays(lines):
    assert not is_moved(*lines)


def test_sums_that_may_broadcast_stay():
    assert not is_moved("a = np.zeros(3)", "a += w @ b", whole=False)


@pytest.mark.parametrize("seed", range(30))
def test_no_random_order_gives_another_result(seed):
    rng = np.random.default_rng(seed)
    zeros = "a = np.zeros(3)" if rng.random() < 0.5 else "a[...] = 0.0"
    lines = ["c = np.copy(a)", zeros, "a += w @ b", "d = a[1:]", "b = np.copy(c)", "a += c", "d[0] += b[2]"]
    chosen = [lines[i] for i in rng.permutation(len(lines))[: rng.integers(3, 8)]]
    if not any(each.startswith("d = ") for each in chosen):
        chosen = [each for each in chosen if "d[0]" not in each]
    elif "d[0] += b[2]" in chosen:
        chosen.insert(0, "d = b[1:]")
    is_moved(*chosen, result="a, b, c")  # which compares results


def net(w, u, x):
    h = np.zeros((x.shape[1], w.shape[1]))
    total = 0.0
    for t in range(x.shape[0]):
        h = np.tanh(h @ w + x[t] @ u)
        total += np.sum(h * h)
    return total


@pytest.mark.slow
def test_states_of_a_network_are_not_copied():
    rng = np.random.default_rng(1)
    args = rng.normal(size=(3, 3)), rng.normal(size=(2, 3)), rng.normal(size=(4, 2, 2))
    text = srcad.source(net, args=args)
    assert "np.copy(" not in text
    assert "times_transpose_into(h_bar" in text
    assert_gradient(net, *args, modes=("loops", "gradient"))
    without = srcad.grad(
        net,
        wrt=(0, 1, 2),
        without="copy_elision_moves",
        jit=False,
    )
    for one, other in zip(without(*args), srcad.grad(net, wrt=(0, 1, 2), jit=False)(*args), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-13)


def test_functions_with_parallel_loops_stay():
    text = (
        "def f(x, n):\n    a = x * 2.0\n    c = np.copy(a)\n    for k in range(n):\n        c[k] = 1.0\n    return c\n"
    )
    assert not changes("copy_elision_moves", text, KINDS, mark=lambda tree: note(tree.body[2], parallel=True))


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
    other = srcad.source(scheme, signature="f8[::1], f8", mode="grad", without="copy_elision_moves")
    assert text.count("np.copy(") < other.count("np.copy(")


def shifted(x, n):
    a = x.copy()
    for i in range(1, n):
        a[i] += a[i - 1] ** 2
    return np.sum(a)


def test_a_gradient_has_one_adjoint_for_an_argument_and_its_copy():
    assert "np.copy(a_bar)" not in srcad.source(shifted, signature="f8[::1], i8", wrt=(0,), mode="grad")
