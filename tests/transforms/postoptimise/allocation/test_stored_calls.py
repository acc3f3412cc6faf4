"""Results of calls in loops go into arrays that are allocated before, where their types and extents are known."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.build import is_loop
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["a", "b", "g"], nb.float64[:, ::1]),
    **dict.fromkeys(["x", "y", "z"], nb.float64[::1]),
    "c": nb.float64[::1, :],
    "w": nb.int64[:, ::1],
    "f4": nb.float32[::1],
    "o": nb.float64[:, :],
    **dict.fromkeys("nij", nb.int64),
    "s": nb.float64,
}
ARGUMENTS = np.arange(9.0).reshape(3, 3) + 4.0 * np.eye(3), np.arange(3.0) + 1.0, 2


def program(*lines, loop="for i in range(n)", first="z = np.ones(3)"):
    body = "\n        ".join(lines)
    return f"def f(a, x, n):\n    s = 0.0\n    {first}\n    {loop}:\n        {body}\n    return s\n"


def stored(text):
    after = apply("stored_calls", text, KINDS)
    assert_same_results(text, after.replace("np.empty(", "np.nan * np.ones("), [ARGUMENTS, (*ARGUMENTS[:2], 0)])
    return after


SUM = "s += np.sum(y)"


@pytest.mark.parametrize(
    ("line", "kernel"),
    [
        ("y = a @ x", "times"),
        ("y = x @ a", "times"),
        ("y = np.dot(a, x)", "times"),
        ("y = np.transpose(a) @ x", "times"),
        ("y = a @ a[i]", "times"),
        ("y = kernels.transpose_times(a, x)", "transpose_times"),
        ("g = kernels.times_transpose(a, a)\n        y = g[0]", "times_transpose"),
        ("g = kernels.lu_factors(a)\n        y = g[0]", "lu_factors"),
        ("g = kernels.inverse_factored(a, b)\n        y = g[0]", "inverse_factored"),
        ("y = kernels.solve_factored(a, b, x)", "solve_factored"),
        ("y = kernels.solve_factored_transposed(a, b, x)", "solve_factored_transposed"),
        ("y = np.copy(x)", "copy_to"),
        ("y = 2.0 * -kernels.transpose_times(a, x) + x", "transpose_times"),
        ("y = np.tanh(a @ x) * s", "times"),
        ("y = x * 1.0\n        y += s * (a @ x)", "times"),
        ("g = np.outer(x, x)\n        y = g[0]", "outer"),
        ("g = kernels.cofactors_factored(a, b, 2.0)\n        y = g[0]", "cofactors_factored"),
        ("y = kernels.transpose_times(a, -s * x)", "transpose_times"),
        ("y = np.copy(kernels.transpose_times(a, x))", "transpose_times"),
        ("g = np.eye(3)\n        y = g[0]", "diagonal"),
        ("g = kernels.trace_adjoint(s, a.shape, 0)\n        y = g[0]", "diagonal"),
    ],
)
def test_results_are_stored(line, kernel):
    after = stored(program(line, SUM, first="b = kernels.lu_factors(a)"))
    assert f"{kernel}_into(" in after or f"{kernel}(y, x)" in after


@pytest.mark.parametrize(
    "text",
    [
        program("y = a @ x", SUM, loop="if n > 0"),
        program("x = a @ x", "y = x", SUM),
        program("y = w @ x", SUM, first="w = np.ones((3, 3), np.int64)"),  # not for BLAS
        program("f4 = a @ x", "y = f4", SUM),  # another type than that of the product
        program("o = a @ a", "y = o[0]", SUM),  # a name that may hold other layouts
        program("y = np.copy(a[:, 0])", SUM),
        program("s += x @ x"),
        program("y = x if s > 0.0 else 2.0 * (a @ x)", SUM),  # which may not be evaluated
    ],
)
def test_other_calls_stay(text):
    assert apply("stored_calls", text, KINDS) == unchanged(text)


def test_threads_and_functions_that_call_something_else_by_that_name_stay():
    def mark(tree):
        for each in tree.body:
            note(each, parallel=is_loop(each))

    text = program("y = a @ x", SUM)
    assert apply("stored_calls", text, KINDS, mark=mark) == unchanged(text) != stored(text)
    text = program("y = a @ x", SUM, first="kernels = 2.0")
    assert apply("stored_calls", text, KINDS) == unchanged(text)


def recurrent(w, u, start, seen):
    state, total = start, 0.0
    for t in range(seen.shape[0]):
        state = np.tanh(w @ state + u.T @ seen[t])
        gram = np.eye(2) + np.outer(state, state)
        total += np.linalg.solve(gram, seen[t]) @ state + np.linalg.inv(gram)[0, 1]
    return total


@pytest.mark.parametrize("steps", [0, 1, 3])
def test_gradients(steps):
    rng = np.random.default_rng(1)
    given = rng.normal(size=(2, 2)), rng.normal(size=(2, 2)), rng.normal(size=2), rng.normal(size=(steps, 2))
    assert_gradient(recurrent, *given, modes=("gradient",))


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_gradients_of_arrays_in_any_layout_and_precision():
    rng = np.random.default_rng(2)
    given = rng.normal(size=(2, 2)), rng.normal(size=(4, 4))[::2, ::2], rng.normal(size=2), rng.normal(size=(3, 2))
    found, plain = (srcad.grad(recurrent, wrt=(0, 1, 2, 3), jit=jit) for jit in (True, False))
    for one, other in zip(found(*given), plain(*given), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)
    same = given[0], given[0], *given[2:]
    for one, other in zip(found(*same), plain(*same), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize(
    "line",
    ["y = -x", "y = s * x + 2.0 * x", "y = x / 3.0 - x", "y = a @ (x + 1.0)", "y = kernels.strong_product(s, x)"],
)
def test_arithmetic_is_computed_element_by_element(line):
    assert stored(program(line, SUM)) != unchanged(program(line, SUM))


@pytest.mark.parametrize("line", ["y = x + a[0, :2]", "y = np.tanh(x)", "y = w[0] * 1", "y = -y"])
def test_other_arithmetic_stays(line):
    text = program(line, SUM, first="y = np.ones(3)\n    w = np.ones((3, 3), np.int64)")
    assert apply("stored_calls", text, KINDS) == unchanged(text)
