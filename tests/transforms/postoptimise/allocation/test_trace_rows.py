"""Arrays are made in rows of traces where nothing else can see their memory, and only there."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.transforms.ir.build import is_loop
from srcad.transforms.ir.node_notes import note
from tests.checking import assert_gradient
from tests.transforms.core_text import apply, assert_same_results, unchanged

KINDS = {
    **dict.fromkeys(["a", "b", "T", "U"], nb.float64[:, ::1]),
    **dict.fromkeys(["x", "y", "z", "v"], nb.float64[::1]),
    "V": nb.float64[:, :, ::1],
    "z4": nb.float32[::1],
    "kept": nb.List(nb.float64[::1]),
    **dict.fromkeys("nmijtkl", nb.int64),
    "s": nb.float64,
}
ARGUMENTS = np.arange(4.0) + 1.0, 3
TRACES = "T = np.empty((max(n, 0), x.shape[0]))\n    U = np.empty((max(n, 0), x.shape[0]))"
FILL = "for i in range(m):\n            z[i] = y[i] * s + 1.0"


def copied(name, trace, turn="t"):
    return f"for j in range(x.shape[0]):\n            {trace}[{turn}, j] = {name}[j]"


def program(
    *lines, first=TRACES, loop="for t in range(n)", after="for t in range(n):\n        s += T[t, 1]", result="s"
):
    body = "\n        ".join(lines)
    head = f"def f(x, n):\n    m = x.shape[0]\n    s = 2.0\n    y = np.copy(x)\n    {first}\n"
    return f"{head}    {loop}:\n        {body}\n    {after}\n    return {result}\n"


def placed(text, cases=(ARGUMENTS, (ARGUMENTS[0], 0), (ARGUMENTS[0], 1))):
    """The text after the pass, which gives the same although unset memory holds NaN."""
    after = apply("trace_rows", text, KINDS)
    assert_same_results(text, after.replace("np.empty(", "np.nan * np.ones("), cases)
    return after


SUM = "for t in range(n):\n        s += U[t, 2]"
NEW, END = "z = np.empty(m)", "s += z[0]"
ROWS = program(NEW, FILL, copied("z", "T"), END)
PASSED = program(copied("y", "T"), NEW, FILL, "y = z")
BOTH = "for t in range(n):\n        s += T[t, 1] * U[t, 2] + U[t][0]"


def test_an_array_is_made_in_its_row():
    assert "z = T[t]" in placed(ROWS)
    assert "np.empty(m)" not in placed(ROWS)
    backwards = program(NEW, FILL, copied("z", "T"), END, loop="for t in range(n - 1, -1, -1)")
    assert "z = T[t]" in placed(backwards)
    assert "z = T[t]" in placed(program(NEW, FILL, copied("z", "T"), "if s > 50.0:", "    break", "y = z", END))
    inner = program(
        *("for k in range(2):", f"    {NEW}", "    z[:] = y * s", "    for j in range(x.shape[0]):"),
        *("        V[t, k, j] = z[j]", "    s += z[0]"),
        first="V = np.empty((max(n, 0), 2, x.shape[0]))",
        after="for t in range(n):\n        s += V[t, 0, 1] * V[t, 1, 1]",
    )
    assert "z = V[t, k]" in placed(inner)


def test_an_array_that_is_passed_on_is_made_in_the_next_row():
    after = placed(PASSED)
    assert "if t == 0:" in after
    assert "z = T[t + 1]" in after
    assert "max(n, 0) + 1" in after
    assert "z = T[t + 1]" in placed(program(copied("y", "T"), NEW, FILL, "y = z", "s += y[1]"))
    both = placed(program(copied("y", "T"), NEW, FILL, copied("z", "U"), "y = z", after=BOTH))
    assert "U" not in both
    assert "T[t, 1] * T[t + 1, 2] + T[t + 1][0]" in both
    of_whole = placed(
        program(copied("y", "T"), NEW, FILL, copied("z", "U"), "y = z", after=f"{BOTH}\n    s += U.shape[0]")
    )
    assert "z = T[t + 1]" in of_whole
    assert "U[t, j] = z[j]" in of_whole


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("s += z[0]", "z[0] = 3.0"),  # changed after its copy
        ("s += z[0]", "y[0] = 3.0\n        y = z"),  # an array of an earlier iteration
        ("s += z[0]", "v = z\n        v[0] = 3.0"),
        ("z = np.empty(m)", "z = np.zeros(m)"),
        ("z = np.empty(m)", "z = np.empty(m + n)"),
        ("z = np.empty(m)", "z = np.empty(m)\n        z = np.empty(m)"),
        ("z = np.empty(m)", "if s > 1.0:\n            z = np.empty(m)"),
        ("for j in range(x.shape[0])", "for j in range(x.shape[0] - 1)"),
        ("for j in range(x.shape[0])", "for j in range(1, x.shape[0])"),
        ("T[t, j] = z[j]", "T[t, j] = z[-j]"),
        ("T[t, j] = z[j]", "T[m - t - 1, j] = z[j]"),
        ("T[t, j] = z[j]", "T[0, j] = z[j]"),  # the same row in each iteration
        ("T[t, j] = z[j]", "T[t, j] = y[j]"),
        ("s += z[0]", "s += z[0] + T[t, 0]"),
        ("return s", "return s, z"),
        ("s += z[0]", "if t == n - 1:\n            return z"),
        ("s += z[0]", "T = T + 0.0"),
        ("for t in range(n):\n        z", "for t in range(-1, n):\n        z"),  # one row twice
        ("s += z[0]", "t = t + 0"),
        ("return s", "z[1] = 4.0\n    return s + T[0, 1]"),
    ],
)
def test_other_arrays_stay_apart(old, new):
    assert old in ROWS
    text = ROWS.replace(old, new)
    assert apply("trace_rows", text, KINDS) == unchanged(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        y = z", "        if s > 1.0:\n            y = z"),
        ("        y = z", "        if s > 50.0:\n            break\n        y = z"),
        ("        y = z", "        if s > 50.0:\n            s = 0.5\n            break\n        y = z"),
        ("        y = z", "        if s > 50.0:\n            continue\n        y = z"),
        ("        y = z", "        y[0] = 7.0\n        y = z"),
        ("        y = z", "        y = z\n        y[0] = 7.0"),
        ("        y = z", "        y = z * 1.0"),
        ("        y = z", "        y += z"),
        ("for t in range(n):\n        for j", "for t in range(1, n):\n        for j"),
        ("for t in range(n):\n        for j", "for t in range(n - 1, -1, -1):\n        for j"),
        ("s += T[t, 1]", "s += T[-1, 1]"),
        ("return s", "return s, T"),
        ("return s", "return s, y"),
        ("return s", "y[0] = 8.0\n    return s + T[0, 0]"),
    ],
)
def test_other_arrays_that_are_passed_on_stay_apart(old, new):
    assert old in PASSED
    text = PASSED.replace(old, new)
    assert apply("trace_rows", text, KINDS) == unchanged(text)


def test_rows_that_an_outer_loop_fills_again_are_not_memory_of_what_it_passes_on():
    text = program(
        *("for k in range(2):", f"    {NEW}", "    z[:] = y * 0.5", "    for j in range(x.shape[0]):"),
        *("        T[k, j] = z[j]", "    y = z", "s += T[0, 1] + y[0]"),
        first="T = np.empty((2, x.shape[0]))",
    )
    assert apply("trace_rows", text, KINDS) == unchanged(text)


def test_threads_stay():
    def mark(tree):
        for each in tree.body:
            note(each, parallel=is_loop(each))

    assert apply("trace_rows", ROWS, KINDS, mark=mark) == unchanged(ROWS)


def flowing(start, rate, steps):
    state, total = start, 0.0
    for _ in range(steps):
        change = np.sin(state) * rate
        state = state + change * state[::-1]
        total += state[0] * np.sum(change)
    return total + np.sum(state * state)


def nested(start, rate, steps):
    state, total = start, 0.0
    for _ in range(steps):
        for _ in range(2):
            state = np.cos(state) * rate + state[0]
        total += state @ state
    return total


def solved(start, rate, steps):
    state, matrix = start, np.outer(rate, rate) + 3.0 * np.eye(rate.size)
    for _ in range(steps):
        state = np.linalg.solve(matrix, state * rate)
    return state @ state


def test_a_node_that_two_statements_have_is_changed_once():
    def mark(tree):
        tree.body[-2].body[0].value = tree.body[-3].body[0].value

    both = program(copied("y", "T"), NEW, FILL, copied("z", "U"), "y = z", after=f"{SUM}\n    {SUM}")
    assert apply("trace_rows", both, KINDS, mark=mark).count("T[t + 1, 2]") == 2


@pytest.mark.parametrize("function", [flowing, nested, solved])
@pytest.mark.parametrize("steps", [0, 1, 3])
def test_gradients(function, steps):
    rng = np.random.default_rng(1)
    assert_gradient(function, rng.normal(size=3), rng.normal(size=3), steps, modes=("gradient",))


@pytest.mark.compiled
def test_compiled_gradients_of_overlapping_and_strided_arguments():
    rng = np.random.default_rng(1)
    x = rng.normal(size=8)
    found, plain = (srcad.value_and_grad(flowing, wrt=(0, 1), jit=jit) for jit in (True, False))
    for given in ((x[::2], x[1::2], 3), (x[:4], x[:4], 2), (x[::-1], x, 1), (x[:1], x[:1], 2)):
        before = x.copy()
        (one, ones), (other, others) = found(*given), plain(*given)
        np.testing.assert_array_equal(x, before)
        np.testing.assert_allclose([one, *np.ravel(ones)], [other, *np.ravel(others)], rtol=1e-10)
